"""What the rail-only design saves against the other two, as a report that needs no inventory.

Owns the sentences and figures of the report. `bom.summary` plans and compares the designs. Nothing
is rounded in favour of a design: an amount is the difference of two totals, and a percentage has
one decimal.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from fabricgen.bom.amounts import decimal_text, money_text
from fabricgen.bom.bill_table import terms_text
from fabricgen.bom.breakdown.view import SavingsView, SavingView, grouped
from fabricgen.bom.comparison import COMPARED, equal_tiers, saving_pct, unpriced_parts
from fabricgen.bom.figures import (
    CABLES,
    COSTS,
    HEAT,
    LINKS,
    MODULES,
    POWER,
    POWER_MAX,
    RACK_UNITS,
    SWITCHES,
    TRANSCEIVERS,
)
from fabricgen.core.count_text import counted
from fabricgen.core.terms import Design

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.bill import Bom
    from fabricgen.bom.comparison import Bound, Comparison
    from fabricgen.bom.figures import ComparedFigure
    from fabricgen.bom.summary import PlanSummary, Totals
    from fabricgen.planning.plan import Plan

BASELINES = (Design.RAIL_OPTIMIZED, Design.FAT_TREE)
TURNED = {"at least": "at most", "at most": "at least"}
"""What bounds the additional cost, where a saving is negative."""
SAME = {"at least": "no more", "at most": "no less"}
"""What is known of equal costs, one of which has unpriced parts."""
CLASS_WORDS = {
    "switches": "switches",
    "transceivers": "transceivers",
    "cables": "cables",
    "nics": "NICs",
}


_FIGURES = (
    SWITCHES,
    LINKS,
    TRANSCEIVERS,
    MODULES,
    CABLES,
    RACK_UNITS,
    POWER._replace(name="typical power"),
    POWER_MAX,
    HEAT,
    *COSTS,
)


def savings_view(comparison: Comparison) -> SavingsView:
    """Make the report on one cluster in the compared designs."""
    plan, bom = comparison.built[0]
    known = {
        plan.fabric.design: (summary, own)
        for (plan, own), summary in zip(comparison.built, comparison.summaries, strict=True)
    }
    rows = [
        _row(figure, known, comparison, bom.book.currency)
        for figure in _FIGURES
        if any(figure.value(*counted) is not None for counted in known.values())
    ]
    return SavingsView(
        f"What {plan.spec.name} saves as a rail-only fabric",
        [design.value for design in COMPARED],
        [design.value for design in BASELINES],
        list(_headlines(comparison, bom.book.currency)),
        list(_compared(comparison, plan)),
        rows,
        list(_counted(plan, bom)),
        list(_left_out(comparison)),
    )


def _row(
    figure: ComparedFigure,
    known: dict[Design, tuple[PlanSummary, Bom]],
    comparison: Comparison,
    currency: str,
) -> SavingView:
    """Make the row of a figure."""
    values = {
        design: figure.value(*known[design]) if design in known else None for design in COMPARED
    }
    ours, saved, saved_pct = values[Design.RAIL_ONLY], [], []
    for design in BASELINES:
        theirs = values[design]
        share = saving_pct(ours, theirs)
        saved.append(
            ""
            if ours is None or theirs is None
            else _text(Decimal(str(theirs)) - Decimal(str(ours)), figure)
        )
        saved_pct.append("" if share is None else f"{share:g}")
    texts = [
        "" if value is None else _text(Decimal(str(value)), figure) for value in values.values()
    ]
    return SavingView(
        figure.name,
        currency if figure.unit == "currency" else figure.unit,
        texts,
        [figure.own_bound(*known[design]) if design in known else "exact" for design in values],
        saved,
        saved_pct,
        [figure.bound(comparison, design) for design in BASELINES],
    )


def _text(value: Decimal, figure: ComparedFigure) -> str:
    """Format a value as the other tables do."""
    return money_text(value) if figure.unit == "currency" else decimal_text(Fraction(value))


def _headlines(comparison: Comparison, currency: str) -> Iterator[str]:
    """Yield the savings against each other design, and why there are none."""
    yield from (_headline(design, comparison, currency) for design in BASELINES)
    if alike := equal_tiers(comparison):
        yield f"{alike[0].upper()}{alike[1:]}."


def _headline(design: Design, comparison: Comparison, currency: str) -> str:
    """Return one sentence on the savings against a design."""
    ours, theirs = comparison.summary_of(Design.RAIL_ONLY), comparison.summary_of(design)
    if ours is None or theirs is None:
        missing = Design.RAIL_ONLY if ours is None else design
        reason = next(
            finding.fact
            for other, finding in comparison.refused
            if other in (Design.RAIL_ONLY, design)
        )
        return (
            f"Against the {design} design there is no comparison: {missing} cannot be built here,"
            f" because {reason}."
        )
    share = comparison.savings_against(design)
    fewer = theirs.switches.total - ours.switches.total
    words = [
        (
            f"{grouped(str(abs(fewer)))} {'fewer' if fewer > 0 else 'more'} switches"
            f" ({_pct(share.switches_pct)})"
            if fewer
            else "as many switches"
        ),
        _more_or_less("power", theirs.power_w, ours.power_w, share.power_pct, "W"),
        _more_or_less(
            "cost", theirs.cost.total, ours.cost.total, share.cost_pct, currency, share.cost_bound
        ),
    ]
    text = f"Against the {design} design, rail-only takes {words[0]}, {words[1]}, and {words[2]}"
    unpriced = ", ".join(unpriced_parts(comparison, (Design.RAIL_ONLY, design)))
    return f"{text}; no price, excluded from the cost: {unpriced}." if unpriced else f"{text}."


def _more_or_less(
    name: str,
    theirs: float | None,
    ours: float | None,
    share: float | None,
    unit: str,
    bound: Bound = "exact",
) -> str:
    """Return how much less or more of a figure rail-only takes, as text.

    What is saved at least is taken at most where it is negative.
    """
    if theirs is None or ours is None:
        return f"{name} is not known"
    apart = Decimal(str(theirs)) - Decimal(str(ours))
    what = f"{name} {bound}" if bound == "of priced parts" else name
    if not apart:
        return f"{SAME.get(bound, 'the same')} {what}"
    word = "less" if apart > 0 else "more"
    if name == "cost":
        limit = (bound if apart > 0 else TURNED[bound]) + " " if bound in TURNED else ""
        amount = f"{unit} {grouped(money_text(abs(apart)))}"
        return f"{limit}{amount} {word} in {what} ({_pct(share)})"
    return f"{grouped(decimal_text(Fraction(abs(apart))))} {unit} {word} {name} ({_pct(share)})"


def _pct(share: float | None) -> str:
    """Format a saving without its sign, which the sentence expresses in words."""
    return "not known in per cent" if share is None else f"{abs(share):g} %"


def _in_all(totals: Totals, currency: str) -> str:
    """Describe the cluster with the networks that are not compared."""
    least = "at least " if totals.unpriced else ""
    known = None if totals.cost is None else grouped(money_text(Decimal(str(totals.cost))))
    cost = f", and costs {least}{currency} {known}" if known else ""
    switches = counted(totals.switches, "switch", "switches")
    cables = counted(totals.cables, "cable")
    return f"With these networks, the cluster as planned has {switches} and {cables}{cost}."


def _compared(comparison: Comparison, plan: Plan) -> Iterator[str]:
    """Yield the sentences on what was compared."""
    fabric = plan.fabric
    ports = f"{counted(fabric.planes, 'NIC port')} of {fabric.speed_gbps}G"
    cluster = (
        f"{fabric.gpus:,} GPUs in {fabric.coordinates.domains:,} HB domains of {fabric.domain_gpus}"
    )
    yield (
        f"The same cluster of {cluster}, {ports} per GPU, oversubscription {_ratio(comparison)},"
        " planned three times."
    )
    if comparison.networks:
        yield (
            "Only the compute fabric is compared; the same in each design, and not counted here:"
            f" {', '.join(comparison.networks)}."
        )
    if comparison.totals:
        yield _in_all(comparison.totals, comparison.summaries[0].cost.currency)
    yield (
        "In the rail-only design rails never meet in the network: traffic between rails takes a hop"
        " inside an HB domain."
    )
    yield (
        "In the rail-optimized design rails meet at the spines; the fat-tree joins any port with"
        " any other and knows no rails."
    )
    for built, _ in comparison.built:
        models = {role: built.fabric.port_layouts[role].model.model for role in built.roles}
        boxes = ", ".join(
            f"{built.switch_count(role):,} {role} switches {model}"
            for role, model in models.items()
        )
        yield f"{built.fabric.design.capitalize()}: {boxes or 'no switches'}."
    roomed = [
        built.fabric.design.value
        for built, _ in comparison.built
        if built.spec.site and built.lengths
    ]
    if roomed and len(roomed) < len(comparison.built):
        yield (
            f"The room that the inventory describes suits the {' and '.join(roomed)} design, where"
            " the parts of each cable follow from its length; the others are counted with the"
            " parts of an assumed reach, so that modules and cables are not quite alike."
        )
    for design, finding in comparison.refused:
        yield f"{design.capitalize()} cannot be built here: {finding.fact}."


def _ratio(comparison: Comparison) -> str:
    """Return the requested oversubscription, with what the worst permutation of leaves gets."""
    worst = [
        f"{each.worst_permutation_pct:g} % in the {each.design} design"
        for each in comparison.summaries
        if each.worst_permutation_pct is not None
    ]
    ratio = comparison.summaries[0].oversubscription
    return ratio + (f" (worst permutation of leaves: {', '.join(worst)})" if worst else "")


def _counted(plan: Plan, bom: Bom) -> Iterator[str]:
    """Yield the sentences on how parts were counted, and at which prices."""
    yield (
        "Transceivers are counted in two ways: one per link end with a module, as the rail-only"
        " paper counts, and as modules that are sold, where a twin-port module serves two links."
        " Costs and power are of the modules."
    )
    dated = f" of {bom.book.date}" if bom.book.date else ", which has no date"
    yield (
        f"Prices are those of the book `{bom.book.name}`{dated}:"
        f" {' '.join(bom.book.description.split()).rstrip('.')}."
    )
    if own := sorted(plan.spec.prices.parts):
        yield f"The inventory gives prices of its own for {', '.join(own)}."
    yield from (f"{text[:1].upper()}{text[1:]}." for text in terms_text(bom, plan.spec.spares))
    yield ("Costs include spares; power, heat and rack units are those of installed parts.")
    yield (
        "A saving is the other design's figure minus that of rail-only, and a percentage is of the"
        " other design's figure. Where rail-only takes more, the saving is negative."
    )


def _left_out(comparison: Comparison) -> Iterator[str]:
    """Yield the sentences on what no sum contains."""
    boms = [bom for _, bom in comparison.built]
    for text in unpriced_parts(comparison, COMPARED):
        yield f"No price, excluded from the cost: {text}."
    for part in dict.fromkeys(part for bom in boms for part in bom.unknown_power):
        yield (
            f"The typical power of {part} is not published, so that of a design that uses it is not"
            " known."
        )
    absent = [
        name
        for key, name in CLASS_WORDS.items()
        if not any(line.part_class == key for bom in boms for line in bom.lines)
    ]
    yield (f"{', '.join(['Hosts', *absent])} and GPUs, which are the same in every design.")
    yield (
        "Racks, power distribution, cooling, energy over the years, licences, support, freight and"
        " tax."
    )
    yield "Labor: pulling and testing cables, configuration and operation."
    yield "The effect of a design on training time, and the value of a path between any two ports."

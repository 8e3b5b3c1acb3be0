"""The decision at the top of a report: what is bought, its cost, savings, limits, dates and prices.

Owns the sentences, for a reader who decides on the purchase and need not know networks. Amounts
come from the bill, `bom.breakdown.savings` and `lifecycle.change.phases`. A total that leaves out
parts without a price is a lower bound, and the text has `at least`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.analysis.forwarding.failures import find_failures
from fabricgen.analysis.impact.measure import measure
from fabricgen.analysis.search.cheaper_notes import cheaper_notes
from fabricgen.analysis.search.worst_failure import worst
from fabricgen.bom.amounts import money_text
from fabricgen.bom.bill import CLASSES
from fabricgen.bom.bill_table import terms_text
from fabricgen.bom.breakdown.savings import savings_view
from fabricgen.bom.breakdown.view import grouped
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.core.count_text import counted
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import DEVICES, PEERS, Design
from fabricgen.lifecycle.change.growth_ways import ways_to_grow
from fabricgen.lifecycle.change.phase_sizes import by_gpus
from fabricgen.lifecycle.change.phases import phase_in
from fabricgen.outputs.report.direct import direct_limits
from fabricgen.planning.worst_permutation import stated_ratio, worst_permutation_pct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.bill import BillLine, Bom, PartClass
    from fabricgen.bom.comparison import Comparison
    from fabricgen.bom.ownership import OwnershipCost
    from fabricgen.planning.plan import Plan

WORDS: dict[PartClass, tuple[str, str]] = {
    "switches": ("switch", "switches"),
    "transceivers": ("transceiver module", "transceiver modules"),
    "cables": ("cable", "cables"),
    "nics": ("network card", "network cards"),
    "devices": ("device", "devices"),
    "cords": ("power cord", "power cords"),
    "hosts": ("host", "hosts"),
    "racks": ("rack", "racks"),
}
"""One part of a class, and several."""

LIMITS = {
    Design.RAIL_ONLY: (
        "No network path between GPUs of different rails: such traffic first takes a hop between"
        " two GPUs of one HB domain. Training software such as NCCL does so by itself; software"
        " that needs a direct path between any two GPUs does not suit this design."
    ),
    Design.RAIL_OPTIMIZED: (
        "Nothing in reach: any two GPUs have a path through the network. The savings above are what"
        " this design costs more, or less, than rail-only."
    ),
    Design.FAT_TREE: (
        "Nothing in reach: any two GPUs have a path through the network. The savings above are what"
        " this design costs more, or less, than rail-only."
    ),
}
"""What a design cannot do, for each design."""


class Answer(NamedTuple):
    """A question of the reader and the sentences that answer it: `Answer` of the model."""

    key: str
    label: str
    sentences: list[str]


def decision(
    plan: Plan, bom: Bom, comparison: Comparison, owned: OwnershipCost | None = None
) -> list[Answer]:
    """Return the answers at the top of a report, in order; `owned` adds the cost over the years.

    `bom` is the bill of all networks; the comparison and the limits are of the compute fabric.
    """
    years = _years(owned, plan.fabric.design.value) if owned else ()
    answers = [
        Answer("buy", "What you buy", list(_bought(plan, bom))),
        Answer("cost", "What it costs", [*_cost(plan, bom), *years]),
        Answer("savings", "What it saves", [*savings_view(comparison).headline, *_apart(plan)]),
        Answer(
            "cheaper", "What costs less", [f"{_capital(note)}." for note in cheaper_notes(plan)]
        ),
        Answer("limits", "What you give up", list(_limits(plan))),
        Answer("dates", "When", list(_dates(plan, bom))),
        Answer("prices", "By which prices", list(_prices(plan, bom))),
    ]
    return [answer for answer in answers if answer.sentences]


def editions(plan: Plan, bom: Bom) -> list[str]:
    """Return what the report was made from; the only dates are those of the price book.

    >>> from fabricgen.api import plan_inventory
    >>> from fabricgen.bom.priced_bill import make_bom
    >>> leaf = {"generic": {"radix": 8}}
    >>> plan = plan_inventory({"gpus": 64, "hb_domain": {"gpus": 8}, "switches": {"leaf": leaf}})
    >>> editions(plan, make_bom(plan))
    ['inventory fabric', 'prices paper-v5, undated']
    """
    dated = f" of {bom.book.date}" if bom.book.date else ", undated"
    return [f"inventory {plan.spec.name}", f"prices {bom.book.name}{dated}"]


def _bought(plan: Plan, bom: Bom) -> Iterator[str]:
    """Yield the network and its parts."""
    fabric = plan.fabric
    yield (
        f"The network that joins {fabric.gpus:,} GPUs in"
        f" {counted(len(plan.hosts), 'host')}"
        f" ({fabric.design} design, {fabric.planes * fabric.speed_gbps:,} Gbps per GPU)."
    )
    if beside := [name for name in plan.networks if name not in (DEVICES, PEERS)]:
        yield f"Beside it: the {_listed(beside)} network{'s' * (len(beside) > 1)}."
    parts = [
        counted(ordered, *WORDS[name])
        for name in CLASSES
        if (ordered := sum(line.order for line in _lines(bom, name)))
    ]
    spares = sum(line.spares for line in bom.lines)
    included = f", of which {spares:,} are spares" if spares else ", without spares"
    yield f"{_listed(parts)}{included}."
    bare = any(plan.catalog.device(devices.model) is None for devices in plan.spec.devices)
    others = [
        *([] if bom.has("hosts") else ["hosts", "GPUs"]),
        *(["devices without a model in the catalog"] if bare else []),
        *([] if bom.has("racks") else ["racks"]),
    ]
    left_out = _listed([*others, "power distribution", "labor"])
    yield f"{_capital(left_out)} are not included."


def _apart(plan: Plan) -> Iterator[str]:
    """Yield what the answers on designs are about, where there are networks beside the fabric."""
    if plan.networks:
        yield (
            "Savings, what costs less, what you give up, and phases by planes, rails or spines are"
            " of the compute fabric alone; the other networks are the same in each design."
        )


def _cost(plan: Plan, bom: Bom) -> Iterator[str]:
    """Yield the total, its classes, and power."""
    total, currency, gpus = bom.cost(), bom.book.currency, plan.fabric.gpus
    if total is None:
        yield "Not known: no part has a price."
    else:
        least = "At least " if bom.unpriced else ""
        each = (total / gpus).quantize(Decimal(1))
        yield f"{least}{_money(total, currency)}, which is {_money(each, currency)} per GPU."
        classes = [
            f"{name} {_money(cost, currency)}"
            for name in CLASSES
            if bom.has(name) and (cost := bom.cost(name)) is not None
        ]
        yield f"Of this: {_listed(classes)}."
    if bom.unpriced_lines:
        yield f"No price, excluded from every total: {_unpriced(bom)}."
    if bom.power_w is not None:
        drawn = "All networks draw" if plan.networks else "The network draws"
        yield f"{drawn} {bom.power_w / 1000:,.1f} kW (typical, without hosts)."


def _years(found: OwnershipCost, design: str) -> Iterator[str]:
    """Yield what a design costs over the years."""
    own = next(each for each in found.designs if each.design == design)
    if own.total is None or found.terms.years is None:
        return
    partial = own.unpriced or own.without_support or own.unknown_power
    least = "at least " if partial else ""
    parts = {"energy": own.energy, "support": own.support}
    stated = [f"{name} {found.currency} {round(cost):,}" for name, cost in parts.items() if cost]
    of_it = f", of which {' and '.join(stated)}" if stated else ""
    total = f"{least}{found.currency} {round(own.total):,} in all"
    yield f"Over {found.terms.years} years: {total}{of_it}."


def _limits(plan: Plan) -> Iterator[str]:
    """Yield what the design cannot do, and what one failure takes."""
    if plan.mapping.topology:
        yield from _direct_limits(plan)
        return
    yield LIMITS[plan.fabric.design]
    ratio = plan.spec.oversubscription
    if ratio != 1 and plan.sizing.tiers > 1:
        yield (
            f"Between leaf switches there is less bandwidth than towards the hosts"
            f" ({stated_ratio(plan)} oversubscription)."
        )
    elif (share := worst_permutation_pct(plan)) is not None:
        yield (
            f"Links are spread unevenly: the worst permutation of leaves gets {share:g} % of the"
            " bandwidth that they send upwards."
        )
    try:
        failure = worst(plan)
    except Refusal:
        return
    cut_off = (
        f" and cuts off {counted(failure.gpus_cut_off, 'GPU')}" if failure.gpus_cut_off else ""
    )
    yield (
        "The failure of one switch takes at most"
        f" {failure.bandwidth_lost_pct:.3g} % of the network's bandwidth{cut_off}."
    )


def _direct_limits(plan: Plan) -> Iterator[str]:
    """Yield what direct rails do not do, and what the failure of a host takes."""
    topology = summarize(plan, make_bom(plan)).topology
    if topology:
        yield from direct_limits(topology)
    name = f"host:{plan.hosts[0]}"
    found = measure(plan, [name], find_failures(plan, [name]), relays=False)
    yield (
        f"The failure of one host, such as {plan.hosts[0]}, takes"
        f" {found.fabric_bandwidth_lost_pct:.3g} % of the network's bandwidth, its own included:"
        f" {counted(found.gpus_degraded, 'GPU')} of other hosts lose"
        f" {found.gpu_bandwidth_lost_pct:.3g} % of theirs."
    )


def _dates(plan: Plan, bom: Bom) -> Iterator[str]:
    """Yield the phases of the purchase, and the size that it can grow to."""
    phases = _phases(plan)
    for at, (name, cost, unpriced) in enumerate(phases, start=1):
        least = "at least " if unpriced and cost is not None else ""
        amount = "not known" if cost is None else _money(cost, bom.book.currency)
        yield f"Phase {at}, {name}: {least}{amount}, without spares."
    if not phases:
        yield "In one phase, as the inventory states no others."
    planned, gpus = plan.fabric.planned_gpus, plan.fabric.gpus
    if planned > gpus:
        yield f"It is numbered for {planned:,} GPUs, so that {planned - gpus:,} can be added."
    yield from _lead_times(bom)


def _lead_times(bom: Bom) -> Iterator[str]:
    """Yield the longest lead time of the quotes, and the parts without one."""
    days = {
        line.part: line.quote.lead_time_days
        for line in bom.lines
        if line.quote and line.quote.lead_time_days is not None
    }
    if not days:
        yield "The price book states no lead times."
        return
    slowest = max(days, key=days.__getitem__)
    yield f"The longest lead time is {days[slowest]:,} days, of {slowest}."
    unknown = dict.fromkeys(line.part for line in bom.lines if line.part not in days)
    if unknown:
        yield f"No lead time is stated for {', '.join(unknown)}."


def _phases(plan: Plan) -> list[tuple[str, Decimal | None, tuple[str, ...]]]:
    """Return the name of each phase, its cost, and its parts without a price.

    Phases by GPUs are those of the recommended way to grow.
    """
    if not plan.spec.phases:
        return []
    stages = (
        ways_to_grow(plan.spec, plan.catalog).recommended.phases
        if by_gpus(plan.spec)
        else phase_in(plan)
    )
    return [(stage.name, stage.cost, stage.unpriced) for stage in stages]


def _prices(plan: Plan, bom: Bom) -> Iterator[str]:
    """Yield the origin of the prices."""
    book = bom.book
    dated = f", dated {book.date}" if book.date else ", which has no date"
    yield (
        f"The price book `{book.name}`{dated}: {' '.join(book.description.split()).rstrip('.')}."
    )
    if own := sorted(plan.spec.prices.parts):
        yield f"The inventory states its own prices of {', '.join(own)}."
    ends = [line.quote.valid_until for line in bom.lines if line.quote and line.quote.valid_until]
    if ends:
        yield f"The first of its quotes ends on {min(ends)}."
    yield from (f"{_capital(text)}." for text in terms_text(bom, plan.spec.spares))


def _unpriced(bom: Bom) -> str:
    """List the parts without a price, each with its number."""
    counts: dict[str, int] = {}
    for line in bom.unpriced_lines:
        counts[line.part] = counts.get(line.part, 0) + line.order
    return ", ".join(f"{count:,} {part}" for part, count in counts.items())


def _lines(bom: Bom, name: PartClass) -> Iterator[BillLine]:
    """Yield the lines of a class."""
    return (line for line in bom.lines if line.part_class == name)


def _money(amount: Decimal, currency: str) -> str:
    """Format an amount with its currency."""
    return f"{currency} {grouped(money_text(amount))}"


def _capital(text: str) -> str:
    """Return a text with a capital letter at its beginning."""
    return f"{text[:1].upper()}{text[1:]}"


def _listed(texts: list[str]) -> str:
    """Join texts as a list in a sentence.

    >>> _listed(["8 switches", "512 modules", "512 cables"])
    '8 switches, 512 modules and 512 cables'
    """
    return " and ".join(part for part in (", ".join(texts[:-1]), texts[-1]) if part)

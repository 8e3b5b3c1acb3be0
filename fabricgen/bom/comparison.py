"""One cluster in each design, side by side.

Owns the keys of `compare --json`, and how an inventory is planned in another design.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import PlanSummary, Totals, summarize, totals_of
from fabricgen.core.count_text import counted
from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.core.document import Document, flat
from fabricgen.core.terms import Design
from fabricgen.planning.plan import Plan, make_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.bom.bill import Bom, PartClass
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.fabric import FabricSpec

COMPARED = (Design.RAIL_ONLY, Design.RAIL_OPTIMIZED, Design.FAT_TREE)

Bound = Literal["exact", "at least", "at most", "of priced parts"]
"""How a saving in cost relates to the one with every price known.

It is at least that where only the other design has unpriced parts, at most that where only
rail-only has some, and has no bound where both have some.
"""


@dataclass(frozen=True)
class Savings(Document):
    """What rail-only saves against another design, in per cent to one decimal.

    None where the figure of one of the two is not known. `cost_bound` qualifies `cost_pct`.
    """

    cost_pct: float | None
    cost_bound: Bound
    power_pct: float | None
    switches_pct: float | None
    transceivers_pct: float | None


@dataclass(frozen=True)
class Comparison(Document):
    """One cluster in each design that can hold it, and why the others cannot.

    Rail-only comes first, and the fat-tree last.
    """

    built: tuple[tuple[Plan, Bom], ...]
    refused: tuple[tuple[Design, Finding], ...]
    networks: tuple[str, ...] = ()
    """The networks beside the compute fabric, which are the same in each design: not compared."""
    totals: Totals | None = None
    """The figures of the cluster with these networks, in the design of the inventory; None where
    that was not planned."""

    @cached_property
    def summaries(self) -> list[PlanSummary]:
        """The summaries of the designs that were built."""
        return [summarize(plan, bom) for plan, bom in self.built]

    @cached_property
    def savings(self) -> Savings:
        """What rail-only saves against the fat-tree, the any-to-any baseline."""
        return self.savings_against(Design.FAT_TREE)

    def savings_against(self, design: Design) -> Savings:
        """Return what rail-only saves against a design."""
        ours, baseline = self.summary_of(Design.RAIL_ONLY), self.summary_of(design)
        if ours is None or baseline is None:
            return Savings(None, "exact", None, None, None)
        return Savings(
            saving_pct(ours.cost.total, baseline.cost.total),
            self.cost_bound(design),
            saving_pct(ours.power_w, baseline.power_w),
            saving_pct(ours.switches.total, baseline.switches.total),
            saving_pct(ours.transceivers, baseline.transceivers),
        )

    def cost_bound(self, design: Design, part_class: PartClass | None = None) -> Bound:
        """Return how the saving in the cost of a class, or of all parts, is bounded."""
        boms = {plan.fabric.design: bom for plan, bom in self.built}
        if Design.RAIL_ONLY not in boms or design not in boms:
            return "exact"
        ours, theirs = (boms[each].is_partial(part_class) for each in (Design.RAIL_ONLY, design))
        return bound(ours_unpriced=ours, theirs_unpriced=theirs)

    def summary_of(self, design: Design) -> PlanSummary | None:
        """Return the summary of a design; None where it could not be built."""
        return next((summary for summary in self.summaries if summary.design == design), None)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each design; columns `saved_…` have what rail-only saves against it."""
        against = (self.savings_against(Design(each.design)) for each in self.summaries)
        return [
            flat(each.document()) | flat(saved.document(), "saved_")
            for each, saved in zip(self.summaries, against, strict=True)
        ]

    def document(self) -> dict[str, Any]:
        """Return `compare --json`."""
        others: dict[str, Any] = {"not_compared": [*self.networks]} if self.networks else {}
        others |= {"totals": self.totals.document()} if self.totals else {}
        return others | {
            "designs": [summary.document() for summary in self.summaries],
            "savings": self.savings.document(),
            "savings_against": {
                design.value: self.savings_against(design).document() for design in COMPARED[1:]
            },
            "refused": [
                {"design": design.value, "code": finding.code, "fact": finding.fact}
                for design, finding in self.refused
            ],
        }


def compare(
    spec: FabricSpec, catalog: Catalog, known: tuple[Plan, Bom] | None = None
) -> Comparison:
    """Plan the compute fabric of a cluster in each design, except the one that is `known`.

    The totals are those of a known plan with networks.
    Raises the Refusal of the design that was asked for where not one can be built.
    """
    built: list[tuple[Plan, Bom]] = []
    refused: list[tuple[Design, Finding]] = []
    asked: Refusal | None = None
    for design in COMPARED:
        if known and design is known[0].fabric.design and not spec.has_networks:
            built.append(known)
            continue
        try:
            plan = plan_as(spec, design, catalog)
        except Refusal as refusal:
            refused.append((design, refusal.findings[0]))
            asked = refusal if design is spec.design else asked
        else:
            built.append((plan, make_bom(plan)))
    if asked and not built:
        raise asked
    totals = totals_of(known[0]) if known and known[0].networks else None
    return Comparison(tuple(built), tuple(refused), tuple(spec.networks.every()), totals)


def over_packets(spec: FabricSpec) -> FabricSpec:
    """Return the inventory with packet switches, and NIC ports that are not split."""
    rails = spec.rails.model_copy(update={"medium": "packet", "topology": None})
    nic = spec.nic.model_copy(update={"split": None})
    return spec.model_copy(update={"rails": rails, "nic": nic})


def plan_as(spec: FabricSpec, design: Design, catalog: Catalog) -> Plan:
    """Plan the compute fabric of a cluster in a design. Raises Refusal where it cannot be built.

    In a described room the same rules place every design, so that all choose parts by the same
    lengths; a design that does not fit the room is planned in a generated one, with parts of an
    assumed reach.
    """
    wanted = as_design(spec.without_networks(), design)
    try:
        return make_plan(wanted, catalog)
    except Refusal:
        if design is spec.design or wanted.site is None:
            raise
    return make_plan(wanted.model_copy(update={"site": None}), catalog)


def as_design(spec: FabricSpec, design: Design) -> FabricSpec:
    """Return the inventory with another design.

    It takes as few tiers as it needs; a fat-tree has no rails, so none share a switch.

    Positions and measured lengths are of the design that was asked for; another one fills the same
    racks and as many rows as it takes.
    """
    if design is spec.design:
        return spec
    if spec.rails.medium == "direct":
        spec = over_packets(spec)
    changes = {"tiers": "auto"} | (
        {"per_switch": 1, "grouping": "adjacent"} if design is Design.FAT_TREE else {}
    )
    site = spec.site and spec.site.model_copy(
        update={"positions": None, "measured_m": {}, "halls": None, "rows": None}
    )
    rails = spec.rails.model_copy(update=changes)
    spare = spec.spare  # leaves that replace others are of rail-only
    if design is not Design.RAIL_ONLY:
        spare = spare.model_copy(update={"leaves_per_rail": 0})
    update = {"design": design, "rails": rails, "site": site, "spare": spare}
    update |= {"leaf_ports": spec.leaf_rule}
    return spec.model_copy(update=update)


def bound(*, ours_unpriced: bool, theirs_unpriced: bool) -> Bound:
    """Return how the saving of one bill against another is bounded by parts without a price."""
    if ours_unpriced and theirs_unpriced:
        return "of priced parts"
    return "at least" if theirs_unpriced else "at most" if ours_unpriced else "exact"


def saving_pct(ours: float | None, baseline: float | None) -> float | None:
    """Return by how many per cent `ours` is below the baseline."""
    return round(100 * (1 - ours / baseline), 1) if baseline and ours is not None else None


def equal_tiers(comparison: Comparison) -> str | None:
    """Return a sentence where rail-only takes the switches and tiers of the fat-tree, else None."""
    found = [comparison.summary_of(design) for design in (Design.RAIL_ONLY, Design.FAT_TREE)]
    sizes = {each and (each.tiers, each.switches.total) for each in found}
    if len(sizes) > 1 or None in sizes:
        return None
    tiers = found[0].tiers if found[0] else 0
    return (
        f"rail-only saves no switches here: a rail takes {counted(tiers, 'tier')}, as many"
        " as the whole cluster; it saves where a rail takes fewer"
    )


def unpriced_parts(comparison: Comparison, designs: Iterable[Design]) -> Iterator[str]:
    """Yield each unpriced part of some designs, with what is bought of it in each."""
    boms = {plan.fabric.design: bom for plan, bom in comparison.built}
    shown = [design for design in designs if design in boms]
    for part in dict.fromkeys(part for design in shown for part in boms[design].unpriced):
        counts = ", ".join(f"{_bought(boms[design], part):,} as {design}" for design in shown)
        yield f"{part} ({counts})"


def _bought(bom: Bom, part: str) -> int:
    """Return the order of a part without a price, or of one length of it."""
    return sum(line.order for line in bom.unpriced_lines if part in (line.part, line.item))

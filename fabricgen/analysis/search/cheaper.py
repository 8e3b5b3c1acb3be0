"""A cheaper mapping of the same cluster: other rails, and as many of them on a leaf as fit.

Owns the comparison of a plan with the numbers of rails that its HB domain allows. Most are sized
only; `search` also varies switches, tiers and all that an inventory can state.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.search.fewer_switches import drafts_with_fewer_switches
from fabricgen.analysis.search.part_counts import count, endpoints
from fabricgen.analysis.search.switch_counts import switch_counts
from fabricgen.bom.comparison import bound, saving_pct
from fabricgen.bom.priced_bill import make_bom, priced
from fabricgen.bom.summary import number
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.document import Document
from fabricgen.core.terms import Design
from fabricgen.planning.excluded_hosts import resolve_positions
from fabricgen.planning.plan import complete

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.bill import Bom
    from fabricgen.bom.comparison import Bound, Comparison
    from fabricgen.bom.summary import PlanSummary
    from fabricgen.core.arrays import BoolArray
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.plan import Plan


@dataclass(frozen=True, kw_only=True)
class CheaperMapping(Document):
    """A mapping that takes fewer switches and less money, with what it trades.

    `set` are the lines to write into the inventory. `cost` is None where a part of it has no price
    and the plan has no such part. `leaf_lost_pct` is the bandwidth that a failed leaf takes.
    """

    set: list[str]
    rails: int
    rails_per_switch: int
    tiers: int
    switches: int
    switches_now: int
    currency: str
    cost: float | None
    cost_now: float | None
    cost_saved_pct: float | None
    cost_bound: Bound
    leaf_lost_pct: float
    leaf_lost_pct_now: float

    def __str__(self) -> str:
        """Describe the lines, their figures and the trade in one sentence."""
        lines = " and ".join(f"`{line}`" for line in self.set)
        cost = (
            ""
            if self.cost is None or self.cost_now is None
            else f" and {self.currency} {self.cost:,.0f} instead of {self.cost_now:,.0f}"
            f" ({_LESS[self.cost_bound].format(self.cost_saved_pct)})"
        )
        return (
            f"{lines} {'takes' if len(self.set) == 1 else 'take'} {self.switches:,}"
            f" switch{'es' * (self.switches > 1)} instead of {self.switches_now:,}{cost};"
            f" a failed leaf then takes {self.leaf_lost_pct:.3g} % of the bandwidth instead of"
            f" {self.leaf_lost_pct_now:.3g} %"
        )


_LESS: dict[Bound, str] = {
    "exact": "{} % less",
    "at least": "at least {} % less",
    "at most": "at most {} % less",
    "of priced parts": "{} % less by priced parts",
}


def cheaper_mapping(plan: Plan, bom: Bom) -> CheaperMapping | None:
    """Return the cheapest mapping of the same GPUs with fewer switches, in no more tiers.

    None where there is none.
    """
    for draft in sorted(drafts_with_fewer_switches(plan), key=_order):
        found = _measured(plan, bom, draft)
        if found:
            return found
    return None


def _order(draft: Draft) -> tuple[float, float]:
    """Return the sort key of a draft: its cost, then what a failed leaf takes."""
    used = endpoints(draft)
    cost = priced(draft, switch_counts(draft.mapping), count(draft, used)).cost()
    return inf if cost is None else float(cost), leaf_lost_pct(draft, used)


def leaf_lost_pct(draft: Draft, used: BoolArray | None = None) -> float:
    """Return the percentage of the bandwidth that the failure of the fullest leaf takes.

    `used` are its `endpoints`, where they are known.
    """
    used = endpoints(draft) if used is None else used
    served = int(used.sum(axis=1).max()) * draft.mapping.segment_blocks
    return 100 * served / (draft.fabric.planned_gpus * draft.fabric.planes)


def _measured(plan: Plan, bom: Bom, draft: Draft) -> CheaperMapping | None:
    """Plan a draft in full, and return it with its figures if it is cheaper."""
    try:
        resolve_positions(draft.spec, plan.catalog)
        other = complete(draft)
    except Refusal:
        return None
    bill = make_bom(other)
    comparable = set(bill.unpriced) <= set(bom.unpriced)
    cost, now = number(bill.cost()) if comparable else None, number(bom.cost())
    if cost is not None and now is not None and cost >= now:
        return None
    return CheaperMapping(
        set=list(_lines(plan.spec, other)),
        rails=other.fabric.rails,
        rails_per_switch=other.mapping.per_switch,
        tiers=other.sizing.tiers,
        switches=other.switch_count(),
        switches_now=plan.switch_count(),
        currency=bill.book.currency,
        cost=cost,
        cost_now=now,
        cost_saved_pct=saving_pct(cost, now),
        cost_bound=bound(ours_unpriced=bool(bill.unpriced), theirs_unpriced=bool(bom.unpriced)),
        leaf_lost_pct=round(leaf_lost_pct(other), 6),
        leaf_lost_pct_now=round(leaf_lost_pct(plan), 6),
    )


def _lines(spec: FabricSpec, other: Plan) -> Iterator[str]:
    """Yield the keys to write into the inventory for another mapping."""
    own = spec.rails.count or spec.hb_domain.gpus
    if other.fabric.rails != own:
        yield f"rails.count: {other.fabric.rails}"
    if spec.rails.per_switch not in ("auto", other.mapping.per_switch):
        yield "rails.per_switch: auto"


@dataclass(frozen=True)
class AdvisedPlan(Document):
    """The figures of a plan with a cheaper mapping of its cluster: `plan --json`."""

    summary: PlanSummary
    cheaper: CheaperMapping

    def document(self) -> dict[str, Any]:
        """Return the summary with the cheaper mapping."""
        return self.summary.document() | {"cheaper": self.cheaper.document()}


@dataclass(frozen=True)
class CheaperSavings(Document):
    """What a cheaper mapping saves against the fat-tree, in per cent; None if unknown."""

    switches_pct: float | None
    cost_pct: float | None
    cost_bound: Bound

    def __str__(self) -> str:
        """Describe the savings that are known."""
        cost = _OF_COST[self.cost_bound].format(self.cost_pct)
        return f"{self.switches_pct} % of the switches" + (
            "" if self.cost_pct is None else f" and {cost}"
        )


_OF_COST: dict[Bound, str] = {
    "exact": "{} % of the cost",
    "at least": "at least {} % of the cost",
    "at most": "at most {} % of the cost",
    "of priced parts": "{} % of the cost of priced parts",
}


@dataclass(frozen=True)
class AdvisedComparison(Document):
    """The designs side by side with a cheaper mapping of the first: `compare --json`."""

    comparison: Comparison
    cheaper: CheaperMapping

    @property
    def savings(self) -> CheaperSavings | None:
        """The savings against the fat-tree; None if it cannot be built."""
        baseline = self.comparison.summary_of(Design.FAT_TREE)
        if baseline is None:
            return None
        return CheaperSavings(
            saving_pct(self.cheaper.switches, baseline.switches.total),
            saving_pct(self.cheaper.cost, baseline.cost.total),
            bound(
                ours_unpriced=self.cheaper.cost_bound == "of priced parts",
                theirs_unpriced=bool(baseline.cost.unpriced),
            ),
        )

    def document(self) -> dict[str, Any]:
        """Return the comparison with the cheaper mapping."""
        savings = self.savings and self.savings.document()
        cheaper = self.cheaper.document() | {"savings": savings}
        return self.comparison.document() | {"cheaper": cheaper}

    def __str__(self) -> str:
        """Describe the cheaper mapping, and what it saves against the fat-tree."""
        design = self.comparison.built[0][0].fabric.design
        against = f"; against the fat-tree it saves {self.savings}" if self.savings else ""
        return f"cheaper as {design}: {self.cheaper}{against}"

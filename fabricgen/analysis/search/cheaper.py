"""A cheaper mapping of the same cluster: other rails, and as many of them on a leaf as fit.

Owns the comparison of a plan with the numbers of rails that its HB domain allows. Most are sized
only; `search` also varies switches, tiers and all that an inventory can state.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.analysis.search.fewer_switches import drafts_with_fewer_switches
from fabricgen.analysis.search.part_counts import count, endpoints
from fabricgen.analysis.search.switch_counts import switch_counts
from fabricgen.bom.comparison import bound, saving_pct
from fabricgen.bom.priced_bill import make_bom, priced
from fabricgen.bom.summary import number
from fabricgen.core.count_text import counted
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.document import Document
from fabricgen.core.terms import Design
from fabricgen.planning.excluded_hosts import resolve_positions
from fabricgen.planning.plan import complete

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.bom.bill import Bom
    from fabricgen.bom.comparison import Bound, Comparison
    from fabricgen.bom.summary import PlanSummary
    from fabricgen.core.arrays import BoolArray
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.plan import Plan

WORTHWHILE_PCT = 2
"""The part of the cost, or of unpriced switches, that a mapping has to save to be named."""


@dataclass(frozen=True, kw_only=True)
class CheaperMapping(Document):
    """A mapping that takes fewer switches and less money, with what it trades.

    `set` are the lines to write into the inventory. `cost` is None where a part of it has no price
    and the plan has no such part. `leaf_lost_pct` is the bandwidth that a failed leaf takes, and
    `domains_on_leaf` are the HB domains whose GPUs of one rank share a leaf.
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
    domains_on_leaf: int
    domains_on_leaf_now: int

    def __str__(self) -> str:
        """Describe the lines, their figures and the trades in one sentence."""
        lines = " and ".join(f"`{line}`" for line in self.set)
        cost = (
            ""
            if self.cost is None or self.cost_now is None
            else f" and {self.currency} {self.cost:,.0f} instead of {self.cost_now:,.0f}"
            f" ({_LESS[self.cost_bound].format(self.cost_saved_pct)})"
        )
        return "; ".join(
            (
                (
                    f"{lines} {'takes' if len(self.set) == 1 else 'take'} {self.switches:,}"
                    f" switch{'es' * (self.switches > 1)} instead of {self.switches_now:,}{cost}"
                ),
                *self._trades(),
            )
        )

    def _trades(self) -> Iterator[str]:
        """Yield what is worse than in the plan."""
        lost, now = f"{self.leaf_lost_pct:.3g}", f"{self.leaf_lost_pct_now:.3g}"
        if lost != now:
            yield f"a failed leaf then takes {lost} % of the bandwidth instead of {now} %"
        if self.domains_on_leaf < self.domains_on_leaf_now:
            apart = "4" if self.tiers == 2 else "4 or 6"  # noqa: PLR2004 - the second tier
            number = self.rails if "rails.count: 1" in self.set else self.rails_per_switch
            rails = f"{counted(number, 'rail')} on a leaf" if number > 1 else "one rail"
            yield (
                f"with {rails}, it serves a rank of {self.domains_on_leaf:,} instead of"
                f" {self.domains_on_leaf_now:,} HB domains, and GPUs of one rank on two leaves are"
                f" {apart} links apart over a spine instead of 2 over one leaf"
            )

    def saves(self, switches: int, cost: float | None) -> bool:
        """Return whether it saves enough of a cost, or of switches where a cost is not known."""
        known = cost is not None and self.cost is not None
        saved = saving_pct(self.cost, cost) if known else saving_pct(self.switches, switches)
        return saved is not None and saved >= WORTHWHILE_PCT


_LESS: dict[Bound, str] = {
    "exact": "{} % less",
    "at least": "at least {} % less",
    "at most": "at most {} % less",
    "of priced parts": "{} % less by priced parts",
}


def cheaper_mappings(plan: Plan, bom: Bom) -> list[CheaperMapping]:
    """Return cheaper mappings of the same GPUs with fewer switches, in no more tiers.

    Rail-optimized they are the cheapest that keeps GPUs of one rank on one leaf, then the cheapest
    that does not, if that saves more; else the cheapest alone. None saves less than
    `WORTHWHILE_PCT`.
    """
    found: list[CheaperMapping] = []
    drafts = sorted(drafts_with_fewer_switches(plan), key=_order)
    if not drafts:
        return []
    now, striped = _domains_on_leaf(plan), plan.fabric.design is Design.RAIL_OPTIMIZED
    own = [draft for draft in drafts if _domains_on_leaf(draft) >= now]
    others = [draft for draft in drafts if draft not in own]
    for group in [own, others] if striped else [drafts]:
        every = (_measured(plan, bom, draft) for draft in group)
        best = next((each for each in every if each), None)
        if best and all(best.saves(each.switches, each.cost) for each in found):
            found.append(best)
    return found


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
    mapping = CheaperMapping(
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
        domains_on_leaf=_domains_on_leaf(other),
        domains_on_leaf_now=_domains_on_leaf(plan),
    )
    return mapping if mapping.saves(plan.switch_count(), now) else None


def _domains_on_leaf(draft: Draft) -> int:
    """Return the most HB domains whose GPUs of one rank share a leaf."""
    gpu = draft.mapping.pattern()
    slots = np.flatnonzero((gpu >= 0) & (draft.fabric.coordinates.rank(gpu) == 0))
    return int(np.bincount(slots // draft.sizing.leaf_down).max())


def _lines(spec: FabricSpec, other: Plan) -> Iterator[str]:
    """Yield the keys to write into the inventory for another mapping."""
    own = spec.rails.count or spec.hb_domain.gpus
    if other.fabric.rails != own:
        yield f"rails.count: {other.fabric.rails}"
    asked = other.spec.rails.per_switch
    if spec.rails.per_switch not in (asked, other.mapping.per_switch):
        yield f"rails.per_switch: {asked}"
    unit, now = other.spec.scalable_unit, spec.scalable_unit
    if unit and now and unit.uplinks != now.uplinks:
        yield f"scalable_unit.uplinks: {unit.uplinks}"


@dataclass(frozen=True)
class AdvisedPlan(Document):
    """The figures of a plan with cheaper mappings of its cluster: `plan --json`."""

    summary: PlanSummary
    mappings: list[CheaperMapping]

    def document(self) -> dict[str, Any]:
        """Return the summary with the cheaper mappings."""
        return self.summary.document() | _keys(each.document() for each in self.mappings)


def _keys(mappings: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the keys of cheaper mappings, which has one more where there are several."""
    first, *others = mappings
    return {"cheaper": first} | ({"cheaper_others": others} if others else {})


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
    """The designs side by side with cheaper mappings of the first: `compare --json`."""

    comparison: Comparison
    mappings: list[CheaperMapping]

    def _savings(self, cheaper: CheaperMapping) -> CheaperSavings | None:
        """Return the savings against the fat-tree; None if it cannot be built."""
        baseline = self.comparison.summary_of(Design.FAT_TREE)
        if baseline is None:
            return None
        return CheaperSavings(
            saving_pct(cheaper.switches, baseline.switches.total),
            saving_pct(cheaper.cost, baseline.cost.total),
            bound(
                ours_unpriced=cheaper.cost_bound == "of priced parts",
                theirs_unpriced=bool(baseline.cost.unpriced),
            ),
        )

    def document(self) -> dict[str, Any]:
        """Return the comparison with the cheaper mappings."""
        return self.comparison.document() | _keys(self.rows())

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each cheaper mapping with what it saves against the fat-tree."""
        for each in self.mappings:
            saved = self._savings(each)
            yield each.document() | {"savings": saved and saved.document()}

    def __str__(self) -> str:
        """Describe the cheaper mappings, and what each saves against the fat-tree."""
        design = self.comparison.built[0][0].fabric.design
        lines = []
        for each in self.mappings:
            saved = self._savings(each)
            against = f"; against the fat-tree it saves {saved}" if saved else ""
            lines.append(f"cheaper as {design}: {each}{against}")
        return "\n".join(lines)

"""The result of a search, in figures.

Owns the keys of `search --json`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.analysis.search.switch_counts import switch_counts
from fabricgen.bom.summary import number
from fabricgen.core.count_text import counted
from fabricgen.core.document import Document
from fabricgen.core.terms import Design, Role, ratio_text
from fabricgen.planning.worst_permutation import worst_permutation_pct

if TYPE_CHECKING:
    from fabricgen.analysis.search.score import Judged
    from fabricgen.analysis.search.search import Found
    from fabricgen.catalog.models.workload import Workload
    from fabricgen.planning.draft import Draft


@dataclass(frozen=True)
class SwitchTotals(Document):
    """Switches by role; a role that the fabric lacks has no key."""

    OPTIONAL = frozenset({"leaf", "spine", "core"})

    leaf: int | None
    spine: int | None
    core: int | None
    total: int


@dataclass(frozen=True)
class WorstFailure(Document):
    """The worst effect of one failed switch."""

    gpus_cut_off: int
    bandwidth_lost_pct: float


@dataclass(frozen=True)
class SearchRow(Document):
    """A design that no other dominates; `alike` have equal figures, and None is unknown.

    Where a part has no price, `cost` is the least that it can be, `cost_is_known` is false, and the
    row is not ranked by it: only one of all prices is `cheapest`.
    """

    pick: int
    cheapest: bool
    design: str
    switch: str
    breakout: str
    alike: list[str]
    tiers: int
    host: str | None
    hb_domain_gpus: int
    rails: int
    planes: int
    rails_per_box: int | None
    oversubscription: str
    spread: str
    worst_permutation_pct: float | None
    unit_uplinks: str | None
    switches: SwitchTotals
    cables: int
    cost: float | None
    cost_is_known: bool
    unpriced: list[str]
    power_w: float | None
    power_unknown: list[str]
    across_gbps: float | None
    iteration_s: float | None
    relative: float | None
    worst: WorstFailure


@dataclass(frozen=True)
class SearchResult(Document):
    """The designs by cost, and the fate of every other combination: `search --json`."""

    name: str
    gpus: int
    llm: str | None
    currency: str
    book: str
    tried: int
    refused: dict[str, int]
    same: int
    beyond: dict[str, int]
    feasible: int
    more: int
    designs: list[SearchRow]


def search_result(found: Found, llm: Workload | None) -> SearchResult:
    """Return the result of a search in figures."""
    first = found.rows[0][0]
    return SearchResult(
        name=found.spec.name,
        gpus=first.draft.fabric.gpus,
        llm=llm.name if llm else None,
        currency=first.bom.book.currency,
        book=first.bom.book.name,
        tried=found.pool.tried,
        refused=dict(found.pool.refused.most_common()),
        same=found.pool.same,
        beyond=dict(found.beyond.most_common()),
        feasible=len(found.pool.sized),
        more=found.more,
        designs=[_row(found, place, row) for place, row in enumerate(found.rows, start=1)],
    )


def _row(found: Found, place: int, row: tuple[Judged, ...]) -> SearchRow:
    """Return one row."""
    judged, *others = row
    draft, fabric = judged.draft, judged.draft.fabric
    return SearchRow(
        pick=place,
        cheapest=judged.is_priced and judged.bom.cost() == found.rows[0][0].bom.cost(),
        design=fabric.design.value,
        switch=_boxes(judged),
        breakout=_breakouts(judged),
        alike=[_words(other) for other in others],
        tiers=draft.sizing.tiers,
        host=fabric.host.model if fabric.host else None,
        hb_domain_gpus=fabric.domain_gpus,
        rails=fabric.rails,
        planes=fabric.planes,
        rails_per_box=None if fabric.design is Design.FAT_TREE else draft.mapping.per_switch,
        oversubscription=ratio_text(draft.spec.oversubscription),
        spread=draft.spec.spread,
        worst_permutation_pct=worst_permutation_pct(draft),
        unit_uplinks=_unit_uplinks(draft),
        switches=_switches(judged),
        cables=judged.cables,
        cost=number(judged.bom.cost()),
        cost_is_known=judged.is_priced,
        unpriced=judged.bom.unpriced,
        power_w=number(judged.bom.power_w),
        power_unknown=judged.bom.unknown_power,
        across_gbps=number(float(judged.across_gbps)),
        iteration_s=judged.times and judged.times.iteration_s,
        relative=judged.times and judged.times.relative,
        worst=WorstFailure(*judged.worst),
    )


def _switches(judged: Judged) -> SwitchTotals:
    """Return the number of switches by role."""
    counts = switch_counts(judged.draft.mapping)
    leaf, spine, core = (counts.get(role) for role in (Role.LEAF, Role.SPINE, Role.CORE))
    return SwitchTotals(leaf, spine, core, judged.switches)


def _boxes(judged: Judged) -> str:
    """Return the switch models from the leaf up, each once."""
    return " + ".join(
        dict.fromkeys(
            judged.draft.fabric.port_layouts[role].model.model for role in judged.draft.roles
        )
    )


def _breakouts(judged: Judged) -> str:
    """Return the breakouts that face down, from the leaf up, each once."""
    layouts = judged.draft.fabric.port_layouts
    return " + ".join(dict.fromkeys(layouts[role].down.name for role in judged.draft.roles))


def _unit_uplinks(draft: Draft) -> str | None:
    """Return the rule for the uplinks of a scalable unit, where there is one."""
    unit = draft.spec.scalable_unit
    return str(unit.uplinks) if unit and draft.sizing.tiers > 1 else None


def _words(judged: Judged) -> str:
    """Return a candidate as one line of text."""
    draft, fabric = judged.draft, judged.draft.fabric
    tiers = counted(draft.sizing.tiers, "tier")
    words = [fabric.design.value, f"{_boxes(judged)} {_breakouts(judged)}", tiers]
    words += [f"{fabric.planes} planes"] * (fabric.planes > 1)
    if fabric.design is not Design.FAT_TREE:
        words.append(counted(fabric.rails, "rail"))
        words += [f"{draft.mapping.per_switch} of them a box"] * (draft.mapping.per_switch > 1)
    if uplinks := _unit_uplinks(draft):
        words.append(f"scalable_unit.uplinks {uplinks}")
    if (worst := worst_permutation_pct(draft)) is not None:
        words.append(f"spread minimal, worst permutation of leaves {worst:g} %")
    return ", ".join(words)

"""The figures of phases.

Owns the keys of `phases --json`. `phases` divides a plan by planes, rails and spines, and
`growth_ways` plans phases by GPUs.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate
from typing import TYPE_CHECKING

from fabricgen.bom.counts import part_of
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import number
from fabricgen.core.document import Document
from fabricgen.core.terms import CLOS_KINDS, LinkKind, ratio_text
from fabricgen.lifecycle.change.growth_ways import installed_switches

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.lifecycle.change.growth_ways import GrowthPhase, Way, Ways
    from fabricgen.lifecycle.change.phases import Stage
    from fabricgen.planning.plan import Plan


@dataclass(frozen=True)
class PhaseOfNetwork(Document):
    """What a phase adds to a network, and the installed cables that it moves there."""

    switches: int
    cables: int
    cables_moved: int


@dataclass(frozen=True, kw_only=True)
class PhaseSummary(Document):
    """The figures of a phase: what it adds, without spares, and the fabric at its end.

    `links`, bandwidth and oversubscription are of the compute fabric, all other figures of the
    whole cluster.
    """

    OPTIONAL = frozenset({"changed", "networks"})

    name: str
    gpus: int
    """GPUs installed by then."""
    links: dict[str, int]
    switches: int
    cables: int
    cables_moved: int
    parts: dict[str, int]
    cost: float | None
    unpriced: list[str]
    switches_by_then: int
    cables_by_then: int
    cost_by_then: float | None
    nic_gbps_by_then: int
    gpus_without_nic_by_then: int
    oversubscription_by_then: str | None
    changed: list[str] | None = None
    """Numbers of installed devices that change, in a sentence each; phases by GPUs only."""
    networks: dict[str, PhaseOfNetwork] | None = None
    """What the phase adds to each network beside compute; phases by GPUs only."""


@dataclass(frozen=True, kw_only=True)
class WaySummary(Document):
    """One way to grow: its phases, and the parts that it leaves over in the end."""

    phases: list[PhaseSummary]
    cables_moved: int
    cost: float | None
    left_over: dict[str, int]


@dataclass(frozen=True)
class RefusedWay(Document):
    """A way that cannot be planned."""

    way: str
    code: str
    fact: str


@dataclass(frozen=True, kw_only=True)
class PhaseList(Document):
    """The phases of a fabric: `phases --json`. By GPUs they are those of the recommended way."""

    OPTIONAL = frozenset({"recommended", "ways", "refused"})

    name: str
    currency: str
    book: str
    phases: list[PhaseSummary]
    recommended: str | None = None
    ways: dict[str, WaySummary] | None = None
    refused: list[RefusedWay] | None = None


def summarize_phases(plan: Plan, stages: list[Stage]) -> PhaseList:
    """Count what each phase buys and cables, and the bandwidth after it."""
    cables = {joint.cable.model for joint in plan.candidates}
    models = {plan.fabric.port_layouts[role].model.model for role in plan.roles}
    switches, pulled = (
        [_count(stage.parts, names) for stage in stages] for names in (models, cables)
    )
    costs = running_costs(stage.cost for stage in stages)
    book = make_bom(plan).book
    rows = zip(
        stages, switches, accumulate(switches), pulled, accumulate(pulled), costs, strict=True
    )
    phases = [
        PhaseSummary(
            name=stage.name,
            gpus=plan.fabric.gpus,
            links={kind.key: count for kind, count in stage.links.items()},
            switches=boxes,
            cables=pieces,
            cables_moved=0,
            parts=stage.parts,
            cost=number(stage.cost),
            unpriced=list(stage.unpriced),
            switches_by_then=boxes_by_then,
            cables_by_then=pieces_by_then,
            cost_by_then=number(cost_by_then),
            nic_gbps_by_then=stage.nic_gbps,
            gpus_without_nic_by_then=stage.bare_gpus,
            oversubscription_by_then=None
            if stage.oversubscription is None
            else ratio_text(stage.oversubscription),
        )
        for stage, boxes, boxes_by_then, pieces, pieces_by_then, cost_by_then in rows
    ]
    return PhaseList(name=plan.spec.name, currency=book.currency, book=book.name, phases=phases)


def _count(parts: dict[str, int], models: Iterable[str]) -> int:
    """Count the items of some models."""
    wanted = {*models}
    return sum(count for item, count in parts.items() if part_of(item) in wanted)


def summarize_ways(ways: Ways) -> PhaseList:
    """Count what each way to grow buys, cables and moves."""
    best = ways.recommended
    summaries: dict[str, WaySummary] = {way.name: _way(way) for way in ways.found}
    return PhaseList(
        name=best.phases[-1].plan.spec.name,
        currency=best.bom.book.currency,
        book=best.bom.book.name,
        phases=summaries[best.name].phases,
        recommended=best.name,
        ways=summaries,
        refused=[RefusedWay(name, finding.code, finding.fact) for name, finding in ways.refused],
    )


def _way(way: Way) -> WaySummary:
    """Return the figures of a way."""
    costs = running_costs(phase.cost for phase in way.phases)
    return WaySummary(
        phases=[_growth_phase(phase, cost) for phase, cost in zip(way.phases, costs, strict=True)],
        cables_moved=way.moved,
        cost=number(costs[-1]),
        left_over=way.left_over,
    )


def _growth_phase(phase: GrowthPhase, cost_by_then: Decimal | None) -> PhaseSummary:
    """Return the figures of a phase by GPUs."""
    plan, before = phase.plan, phase.before
    links = {kind.key: plan.link_count(kind) for kind in CLOS_KINDS}
    was = {kind.key: before.link_count(kind) if before else 0 for kind in CLOS_KINDS}
    host = plan.link_parts[LinkKind.HOST]
    return PhaseSummary(
        name=phase.name,
        gpus=plan.fabric.gpus,
        links={key: count - was[key] for key, count in links.items()},
        switches=installed_switches(plan) - (installed_switches(before) if before else 0),
        cables=phase.cables,
        cables_moved=phase.growth.moved_in_all if phase.growth else 0,
        parts=phase.parts,
        cost=number(phase.cost),
        unpriced=list(phase.unpriced),
        switches_by_then=installed_switches(plan),
        cables_by_then=sum(own.cables for own in plan.cluster),
        cost_by_then=number(cost_by_then),
        nic_gbps_by_then=links["host"] * host.speed_gbps,
        gpus_without_nic_by_then=0,
        oversubscription_by_then=ratio_text(plan.spec.oversubscription)
        if plan.sizing.tiers > 1
        else None,
        changed=phase.growth.changed if phase.growth else [],
        networks={name: _of_network(phase, name) for name in plan.networks} or None,
    )


def _of_network(phase: GrowthPhase, name: str) -> PhaseOfNetwork:
    """Return what a phase adds to a network."""
    own, before = phase.plan.networks[name], phase.before and phase.before.networks.get(name)
    moves = phase.growth.networks if phase.growth and phase.growth.networks else {}
    counts = (sum(map(own.switch_count, own.roles)), own.cables)
    was = (sum(map(before.switch_count, before.roles)), before.cables) if before else (0, 0)
    moved = moves[name]["moved"] if name in moves else 0
    return PhaseOfNetwork(counts[0] - was[0], counts[1] - was[1], moved)


def running_costs(costs: Iterable[Decimal | None]) -> list[Decimal | None]:
    """Return the cost by the end of each phase; None while no part has a price.

    >>> running_costs([None, Decimal(2), None, Decimal(3)])
    [None, Decimal('2'), Decimal('2'), Decimal('5')]
    """
    sums: list[Decimal | None] = []
    for cost in costs:
        before = sums[-1] if sums else None
        sums.append(before if cost is None else cost + (before or Decimal(0)))
    return sums

"""A fabric that is bought and cabled in phases: what each adds, and the bandwidth after it.

Owns `phase_in`, for phases by planes, rails and spines; `growth_ways` plans those by GPUs. A phase
is a part of the final plan (the first planes, rails or spines) and includes the previous phase. So
ports, names and addresses are final from the start, and every cable is pulled once. Spares are not
counted, as they belong to no phase.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.bom.priced_bill import make_bom
from fabricgen.core.arrays import distinct, distinct_columns
from fabricgen.core.terms import LinkKind, Role
from fabricgen.lifecycle.change.phase_parts import parts_of
from fabricgen.lifecycle.change.phase_sizes import sizes_of
from fabricgen.planning.direct_conflicts import require_switches
from fabricgen.planning.fabric_links import wiring_of
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.bill import Bom
    from fabricgen.core.arrays import BoolArray
    from fabricgen.planning.fabric_links import Wiring
    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView


class Stage(NamedTuple):
    """One phase: its additions and the state after it; `rows` are its links in `wiring_of`."""

    name: str
    rows: BoolArray
    links: dict[LinkKind, int]
    parts: dict[str, int]
    """Parts to buy, without spares."""
    cost: Decimal | None
    unpriced: tuple[str, ...]
    nic_gbps: int
    """Total bandwidth of the NIC ports cabled so far, in one direction."""
    bare_gpus: int
    """GPUs without a cabled NIC port so far, which reach the fabric through their HB domain only.
    """
    oversubscription: Fraction | None
    """Down to up at the worst leaf so far; None for one tier."""


def phase_in(plan: Plan) -> list[Stage]:
    """Divide a plan into the phases of its inventory, or into one.

    Raises Refusal `bad-phases` where they do not build on each other.
    """
    require_switches(plan.spec, "phases")
    sizes = sizes_of(plan)
    wiring, bom = wiring_of(plan), make_bom(plan)
    stages: list[Stage] = []
    before = np.zeros(len(wiring.kind), dtype=bool)
    bought: Counter[str] = Counter()
    for name, size in sizes:
        installed = _installed(plan, wiring, size)
        parts = parts_of(plan, wiring, installed)
        stages.append(_stage(plan, wiring, name, (before, installed), parts - bought, bom))
        before, bought = installed, parts
    return stages


def _installed(plan: Plan, wiring: Wiring, size: dict[str, int]) -> BoolArray:
    """Return which links exist with so many planes, rails and spines.

    A leaf without an endpoint does not exist yet.
    """
    # one Boolean per link; each key clears the links that a smaller number leaves out
    mapping, sizing, boxes = plan.mapping, plan.sizing, len(plan.naming.boxes)
    host = wiring.kind == LinkKind.HOST
    installed: BoolArray = mapping.plane(wiring.segment) < size["planes"]
    rail = plan.fabric.coordinates.rail(wiring.lower)
    if not mapping.spans_rails:
        rail = mapping.segment_rail(wiring.segment) + wiring.block
        installed &= rail < size["rails"]
    installed &= ~host | (rail < size["rails"])
    index = np.tile([box.index for box in plan.naming.boxes], mapping.segments)
    for kind, spine in (
        (LinkKind.LEAF_SPINE, wiring.upper),
        (LinkKind.SPINE_CORE, np.where(host, 0, wiring.lower)),
    ):
        installed &= (wiring.kind != kind) | (
            index[spine] % max(sizing.pod_spines, 1) < size["spines"]
        )
    if size["rails"] < plan.fabric.rails and mapping.spans_rails:
        served = np.zeros(boxes * mapping.segments, dtype=bool)
        served[wiring.upper[installed & host]] = True
        installed &= (wiring.kind != LinkKind.LEAF_SPINE) | served[np.where(host, 0, wiring.lower)]
    return installed


def _stage(
    plan: Plan,
    wiring: Wiring,
    name: str,
    rows: tuple[BoolArray, BoolArray],
    parts: Counter[str],
    bom: Bom,
) -> Stage:
    """Return the phase that leads from one state to the next."""
    before, installed = rows
    prices = {line.item: line.unit_price for line in bom.lines}
    priced = [price * count for part, count in parts.items() if (price := prices[part]) is not None]
    pulled = installed & ~before
    host = installed & (wiring.kind == LinkKind.HOST)
    return Stage(
        name=name,
        rows=pulled,
        links={kind: int(np.count_nonzero(pulled & (wiring.kind == kind))) for kind in plan.kinds},
        parts={part: count for part, count in parts.items() if count},
        cost=sum(priced, Decimal(0)) if priced else None,
        unpriced=tuple(bom.unpriced_of(parts)),
        nic_gbps=int(np.count_nonzero(host)) * plan.link_parts[LinkKind.HOST].speed_gbps,
        bare_gpus=plan.fabric.gpus - len(distinct(wiring.lower[host])),
        oversubscription=_oversubscription(plan, wiring, installed),
    )


def _oversubscription(plan: Plan, wiring: Wiring, installed: BoolArray) -> Fraction | None:
    """Return down to up at the worst leaf of any block."""
    if plan.sizing.tiers == 1:
        return None
    down, up = (installed & (wiring.kind == kind) for kind in (LinkKind.HOST, LinkKind.LEAF_SPINE))
    blocks, count = (
        plan.mapping.segment_blocks,
        len(plan.naming.boxes) * plan.mapping.segments * plan.mapping.segment_blocks,
    )
    # downlinks and uplinks of every leaf; leaves repeat, so the ratio is taken of distinct pairs
    have, carry = (
        np.bincount(leaf.astype(np.int64) * blocks + wiring.block[rows], minlength=count)
        for leaf, rows in ((wiring.upper[down], down), (wiring.lower[up], up))
    )
    speeds = (
        plan.link_parts[LinkKind.HOST].speed_gbps,
        plan.fabric.port_layouts[Role.SPINE].down.speed_gbps,
    )
    pairs = distinct_columns(np.stack([have[carry > 0], carry[carry > 0]])).T.tolist()
    return max(Fraction(low * speeds[0], high * speeds[1]) for low, high in pairs)


def cables_of(plan: Plan, stage: Stage) -> Iterator[CableView]:
    """Yield the rows of the cable list that a phase adds, in their order."""
    views, size = Views(plan), len(plan.segment.kind)
    many = plan.link_cables(plan.segment.kind)
    for segment in range(plan.mapping.segments):
        wanted = np.repeat(stage.rows[segment * size : (segment + 1) * size], many)
        yield from (
            view
            for view, pulled in zip(views.cables(segment), wanted.tolist(), strict=True)
            if pulled
        )

"""A fabric that is bought and cabled in phases: what each adds, and the bandwidth after it.

Owns `phase_in`. A phase is a part of the final plan (the first planes, rails or spines) and
includes the previous phase. So ports, names and addresses are final from the start, and every cable
is pulled once. Spares are not counted, as they belong to no phase.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.bom.bill import make_bom
from fabricgen.bom.summary import number
from fabricgen.core.arrays import distinct, distinct_columns
from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.core.document import Document
from fabricgen.core.terms import Design, LinkKind, Role, ratio_text
from fabricgen.lifecycle.change.phase_parts import parts_of
from fabricgen.planning.fabric_links import wiring_of
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.bill import Bom
    from fabricgen.core.arrays import BoolArray
    from fabricgen.inventory.sizing import Phase
    from fabricgen.planning.fabric_links import Wiring
    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView


KEYS = ("planes", "rails", "spines")


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


@dataclass(frozen=True)
class PhaseSummary(Document):
    """The figures of a phase: what it adds, and the bandwidth at its end."""

    name: str
    links: dict[str, int]
    cables: int
    parts: dict[str, int]
    cost: float | None
    unpriced: list[str]
    nic_gbps_by_then: int
    gpus_without_nic_by_then: int
    oversubscription_by_then: str | None


@dataclass(frozen=True)
class PhaseList(Document):
    """The phases of a plan: `phases --json`."""

    name: str
    phases: list[PhaseSummary]


def phase_in(plan: Plan) -> list[Stage]:
    """Divide a plan into the phases of its inventory, or into one.

    Raises Refusal `bad-phases` where they do not build on each other.
    """
    sizes = sizes_of(plan)
    wiring, bom = wiring_of(plan), make_bom(plan)
    stages: list[Stage] = []
    before = np.zeros(len(wiring.kind), dtype=bool)
    bought: Counter[str] = Counter()
    for name, size in sizes:
        stands = _standing(plan, wiring, size)
        parts = parts_of(plan, wiring, stands)
        stages.append(_stage(plan, wiring, name, (before, stands), parts - bought, bom))
        before, bought = stands, parts
    return stages


def sizes_of(plan: Plan) -> list[tuple[str, dict[str, int]]]:
    """Return the installed planes, rails and spines after each phase. Raises Refusal `bad-phases`.

    A last phase completes the fabric where the stated ones do not.
    """
    full = {
        "planes": plan.fabric.planes,
        "rails": plan.fabric.rails,
        "spines": plan.sizing.pod_spines,
    }
    stated = [
        (phase.name, {key: getattr(phase, key) or full[key] for key in KEYS})
        for phase in plan.spec.phases
    ]
    findings = [*_findings(plan, plan.spec.phases, full), *_shrinking(stated)]
    if findings:
        raise Refusal(findings)
    return (
        stated
        if stated and stated[-1][1] == full
        else [*stated, ("rest" if stated else "all", full)]
    )


def _findings(plan: Plan, phases: tuple[Phase, ...], full: dict[str, int]) -> Iterator[Finding]:
    """Yield findings for phases that ask for more than the fabric has."""
    for index, phase in enumerate(phases):
        for key in KEYS:
            asked = getattr(phase, key)
            if asked is None:
                continue
            path = ("phases", index, key)
            if key == "rails" and plan.fabric.design is Design.FAT_TREE:
                yield Finding(
                    "bad-phases",
                    "a fat-tree has no rails to begin with",
                    path,
                    ("its leaves serve hosts in a row",),
                    "phase it by `planes` or `spines`",
                )
            elif asked > full[key]:
                where = (
                    "a pod"
                    if key == "spines" and plan.sizing.core
                    else "a block"
                    if key == "spines"
                    else "the fabric"
                )
                yield Finding(
                    "bad-phases",
                    f"phase `{phase.name}` has {asked} {key}",
                    path,
                    (f"{where} has {full[key]}",),
                    f"use at most {full[key]}, or leave it out",
                )
    twice = [name for name, count in Counter(phase.name for phase in phases).items() if count > 1]
    if twice:
        yield Finding(
            "bad-phases",
            f"two phases are called `{twice[0]}`",
            ("phases",),
            (),
            "give each phase a name of its own",
        )


def _shrinking(stated: list[tuple[str, dict[str, int]]]) -> Iterator[Finding]:
    """Yield findings for phases that remove something or add nothing."""
    for index, ((earlier, before), (name, after)) in enumerate(pairwise(stated), start=1):
        less = next((key for key in KEYS if after[key] < before[key]), None)
        if less:
            because = (
                f"`{earlier}` has {before[less]} {less}, and `{name}` has {after[less]}",
                "a phase adds to the previous one, so that no cable is pulled twice",
            )
            yield Finding(
                "bad-phases",
                f"phase `{name}` removes something",
                ("phases", index),
                because,
                f"give it {before[less]} {less} or more",
            )
        elif before == after:
            yield Finding(
                "bad-phases",
                f"phase `{name}` adds nothing to `{earlier}`",
                ("phases", index),
                (),
                "leave it out, or give it more planes, rails or spines",
            )


def _standing(plan: Plan, wiring: Wiring, size: dict[str, int]) -> BoolArray:
    """Return which links exist with so many planes, rails and spines.

    A leaf without an endpoint does not exist yet.
    """
    # one Boolean per link; each key clears the links that a smaller number leaves out
    mapping, sizing, boxes = plan.mapping, plan.sizing, len(plan.naming.boxes)
    host = wiring.kind == LinkKind.HOST
    stands: BoolArray = mapping.plane(wiring.segment) < size["planes"]
    rail = plan.fabric.coordinates.rail(wiring.lower)
    if not mapping.spans_rails:
        rail = mapping.segment_rail(wiring.segment) + wiring.block
        stands &= rail < size["rails"]
    stands &= ~host | (rail < size["rails"])
    index = np.tile([box.index for box in plan.naming.boxes], mapping.segments)
    for kind, spine in (
        (LinkKind.LEAF_SPINE, wiring.upper),
        (LinkKind.SPINE_CORE, np.where(host, 0, wiring.lower)),
    ):
        stands &= (wiring.kind != kind) | (
            index[spine] % max(sizing.pod_spines, 1) < size["spines"]
        )
    if size["rails"] < plan.fabric.rails and mapping.spans_rails:
        served = np.zeros(boxes * mapping.segments, dtype=bool)
        served[wiring.upper[stands & host]] = True
        stands &= (wiring.kind != LinkKind.LEAF_SPINE) | served[np.where(host, 0, wiring.lower)]
    return stands


def _stage(
    plan: Plan,
    wiring: Wiring,
    name: str,
    rows: tuple[BoolArray, BoolArray],
    parts: Counter[str],
    bom: Bom,
) -> Stage:
    """Return the phase that leads from one state to the next."""
    before, stands = rows
    prices = {line.part: line.unit_price for line in bom.lines}
    priced = [price * count for part, count in parts.items() if (price := prices[part]) is not None]
    pulled = stands & ~before
    host = stands & (wiring.kind == LinkKind.HOST)
    return Stage(
        name=name,
        rows=pulled,
        links={kind: int(np.count_nonzero(pulled & (wiring.kind == kind))) for kind in plan.kinds},
        parts={part: count for part, count in parts.items() if count},
        cost=sum(priced, Decimal(0)) if priced else None,
        unpriced=tuple(part for part in parts if prices[part] is None),
        nic_gbps=int(np.count_nonzero(host)) * plan.link_parts[LinkKind.HOST].speed_gbps,
        bare_gpus=plan.fabric.gpus - len(distinct(wiring.lower[host])),
        oversubscription=_oversubscription(plan, wiring, stands),
    )


def _oversubscription(plan: Plan, wiring: Wiring, stands: BoolArray) -> Fraction | None:
    """Return down to up at the worst leaf of any block."""
    if plan.sizing.tiers == 1:
        return None
    down, up = (stands & (wiring.kind == kind) for kind in (LinkKind.HOST, LinkKind.LEAF_SPINE))
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


def summarize_phases(plan: Plan, stages: list[Stage]) -> PhaseList:
    """Count what each phase buys and cables, and the bandwidth after it."""
    cables = {joint.cable.model for joint in plan.candidates}
    return PhaseList(
        plan.spec.name,
        [
            PhaseSummary(
                name=stage.name,
                links={kind.key: count for kind, count in stage.links.items()},
                cables=sum(stage.parts.get(cable, 0) for cable in cables),
                parts=stage.parts,
                cost=number(stage.cost),
                unpriced=list(stage.unpriced),
                nic_gbps_by_then=stage.nic_gbps,
                gpus_without_nic_by_then=stage.bare_gpus,
                oversubscription_by_then=None
                if stage.oversubscription is None
                else ratio_text(stage.oversubscription),
            )
            for stage in stages
        ],
    )


def cables_of(plan: Plan, stage: Stage) -> Iterator[CableView]:
    """Yield the rows of the cable list that a phase adds, in their order."""
    views, size = Views(plan), len(plan.segment.kind)
    many = np.array([0, *(plan.link_parts[kind].cables for kind in plan.kinds)])[plan.segment.kind]
    for segment in range(plan.mapping.segments):
        wanted = np.repeat(stage.rows[segment * size : (segment + 1) * size], many)
        yield from (
            view
            for view, pulled in zip(views.cables(segment), wanted.tolist(), strict=True)
            if pulled
        )

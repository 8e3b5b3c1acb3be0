"""The law of the rule: each link joins the ports that sizing and design require.

The planner goes from positions to GPUs and from tier to tier over one segment. This law goes the
other way, from each GPU, leaf port and spine port of the whole fabric to its far end, and shares no
code with the planner. The rule of a plan that keeps the cables of another is its baseline; that of
any other plan is arithmetic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, Violations, violations
from fabricgen.core.count_text import counted
from fabricgen.core.terms import Design, LinkKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.mapping import Mapping


class _Way(NamedTuple):
    """The upper ends that links must have, as columns; `upper` is a box of the segment."""

    segment: IntArray
    block: IntArray
    upper: IntArray
    upper_port: IntArray
    slot: IntArray
    number: IntArray


def wired_as_planned(evidence: Evidence) -> Verdict:
    """Every link joins its lower end to the upper end of the rule, and none is missing."""
    wiring = evidence.wiring
    found: list[Violations] = []
    for kind in evidence.plan.kinds:
        rows = np.flatnonzero(wiring.kind == kind)
        way = _WAYS[kind](
            evidence, wiring.lower[rows].astype(np.int64), wiring.lower_port[rows].astype(np.int64)
        )
        upper = (way.segment * evidence.boxes + way.upper, way.upper_port)
        planned = (way.segment, way.block, *upper, way.slot, way.number)
        wired = (
            wiring.segment,
            wiring.block,
            wiring.upper,
            wiring.upper_port,
            wiring.slot,
            wiring.number,
        )
        wrong = np.zeros(len(rows), dtype=bool)
        for want, have in zip(planned, wired, strict=True):
            wrong |= want != have[rows]

        def describe(
            one: int,
            rows: IntArray = rows,
            upper: tuple[IntArray, IntArray] = upper,
            number: IntArray = way.number,
        ) -> Violation:
            row = int(rows[one])
            port = evidence.port(int(upper[0][one]), int(upper[1][one]))
            return Violation(
                f"{evidence.link(row)} is not as planned",
                (
                    (
                        f"the rule leads from {evidence.lower(row)} to {port}, as cable"
                        f" {int(number[one])} of its block"
                    ),
                ),
            )

        found.append(violations(np.flatnonzero(wrong), describe))
    found += _missing(evidence)
    return Verdict(
        f"{counted(len(wiring.kind), 'link')} of"
        f" {counted(evidence.plan.mapping.segments, 'segment')}, each computed again",
        tuple(found),
    )


def _host(evidence: Evidence, gpu: IntArray, plane: IntArray) -> _Way:
    """Return the leaf port of each NIC port."""
    plan = evidence.plan
    fabric, mapping, sizing = plan.fabric, plan.mapping, plan.sizing
    domain, rank = np.divmod(gpu, fabric.domain_gpus)
    if fabric.domain_positions:
        domain = np.array(fabric.domain_positions)[domain]
    turn, rail = np.divmod(rank, fabric.rails)
    group, block = (
        (np.zeros_like(rail), np.zeros_like(rail))
        if mapping.spans_rails
        else mapping.place_of_rail(rail)
    )
    endpoints = mapping.baseline.endpoints if mapping.baseline else None
    if endpoints is not None:
        at = np.argsort(endpoints, kind="stable")
        slot: IntArray = at[
            np.searchsorted(endpoints[at], gpu - (0 if mapping.spans_rails else rail))
        ]
    elif fabric.design is Design.RAIL_ONLY:
        slot = _in_order(mapping, domain * fabric.ranks_per_rail + turn)
    elif fabric.design is Design.FAT_TREE or sizing.leaf == 1:
        slot = _in_order(mapping, domain * fabric.domain_gpus + rank)
    else:
        mates = mapping.per_switch * fabric.ranks_per_rail
        stripe, place = (
            mapping.packing.leaf_of(domain, sizing.leaf_down)
            if mapping.packing
            else np.divmod(domain, sizing.leaf_down // mates)
        )
        switch, offset = mapping.place_of_rail(rail)
        leaf = stripe * mapping.leaf_groups + switch
        slot = leaf * sizing.leaf_down + place * mates + turn * mapping.per_switch + offset
    upper, port = np.divmod(slot, sizing.leaf_down)
    slot = mapping.kept_slots(gpu, slot)
    shared = fabric.shared_leaves
    single = shared and shared.in_compute  # devices in no other network
    return _Way(
        group * fabric.planes + plane,
        block,
        upper,
        port * mapping.segment_blocks + block,
        slot,
        gpu + 1 if single else slot + 1,
    )


def _in_order(mapping: Mapping, endpoint: IntArray) -> IntArray:
    """Return the position of each endpoint of a block that takes them in order."""
    if mapping.packing is None:
        return endpoint
    group, within = np.divmod(endpoint, mapping.packing.group)
    leaf, place = mapping.packing.leaf_of(group, mapping.sizing.leaf_down)
    return leaf * mapping.sizing.leaf_down + place * mapping.packing.group + within


def _leaf_spine(evidence: Evidence, switch: IntArray, port: IntArray) -> _Way:
    """Return the spine port of each uplink of a leaf."""
    sizing, blocks = evidence.plan.sizing, evidence.plan.mapping.segment_blocks
    segment, leaf = np.divmod(switch, evidence.boxes)
    uplink, block = np.divmod(evidence.plan.mapping.uplink_of(leaf, port), blocks)
    spine: IntArray
    upper_port: IntArray
    if kept := _kept(evidence, LinkKind.LEAF_SPINE):
        spine, upper_port = (column[leaf * sizing.leaf_up + uplink] for column in kept)
    elif sizing.core:
        pod, within = np.divmod(leaf, sizing.pod_leaves)
        spine, upper_port = _in_turn(within, uplink, sizing.leaf_up, sizing.pod_spines)
        spine = pod * sizing.pod_spines + spine
    elif sizing.leaf_uplinks:
        runs = np.array(sizing.leaf_uplinks) // sizing.spine
        spine, offset = np.divmod(uplink, runs[leaf])
        upper_port = np.cumsum(runs)[leaf] - runs[leaf] + offset
    else:
        spine, upper_port = _in_turn(leaf, uplink, sizing.leaf_up, sizing.spine)
    first = sizing.leaf + block * (sizing.spine + sizing.core)
    return _Way(
        segment,
        block,
        first + spine,
        upper_port,
        np.full_like(leaf, -1),
        leaf * sizing.leaf_up + uplink + 1,
    )


def _spine_core(evidence: Evidence, switch: IntArray, port: IntArray) -> _Way:
    """Return the core port of each uplink of a spine."""
    sizing = evidence.plan.sizing
    segment, box = np.divmod(switch, evidence.boxes)
    block, spine = np.divmod(box - sizing.leaf, sizing.spine + sizing.core)
    pod, group = np.divmod(spine, sizing.pod_spines)
    uplink = port - sizing.spine_down
    core, upper_port = _in_turn(pod, uplink, sizing.spine_up, sizing.group_cores)
    if kept := _kept(evidence, LinkKind.SPINE_CORE):
        core, upper_port = (column[spine * sizing.spine_up + uplink] for column in kept)
        core = core - group * sizing.group_cores
    first = sizing.leaf + block * (sizing.spine + sizing.core) + sizing.spine
    return _Way(
        segment,
        block,
        first + group * sizing.group_cores + core,
        upper_port,
        np.full_like(spine, -1),
        spine * sizing.spine_up + uplink + 1,
    )


def _peer(evidence: Evidence, switch: IntArray, port: IntArray) -> _Way:
    """Return the port of a later leaf of a group of peers for each one of an earlier leaf."""
    mapping, sizing = evidence.plan.mapping, evidence.plan.sizing
    links, size = mapping.peer_links, mapping.peer_group
    segment, leaf = np.divmod(switch, evidence.boxes)
    group, own = np.divmod(leaf, size)
    far, place = np.divmod(mapping.uplink_of(leaf, port) - sizing.leaf_up, links)
    before = own * size - own * (own + 1) // 2 + far - own
    return _Way(
        segment,
        np.zeros_like(leaf),
        group * size + far + 1,
        port + (own - far) * links,
        np.full_like(leaf, -1),
        (group * (size * (size - 1) // 2) + before) * links + place + 1,
    )


def _kept(evidence: Evidence, kind: LinkKind) -> tuple[IntArray, IntArray] | None:
    """Return the upper switch and port of each uplink of a block that a baseline keeps."""
    baseline = evidence.plan.mapping.baseline
    return baseline.wired.get(kind) if baseline else None


_WAYS = {
    LinkKind.HOST: _host,
    LinkKind.LEAF_SPINE: _leaf_spine,
    LinkKind.SPINE_CORE: _spine_core,
    LinkKind.PEER: _peer,
}


def _in_turn(
    lower: IntArray, uplink: IntArray, uplinks: int, uppers: int
) -> tuple[IntArray, IntArray]:
    """Return the upper switch and its port for each uplink.

    They are equal runs where the upper switches divide the uplinks, else one after the other.
    """
    if uplinks % uppers == 0:
        run = uplinks // uppers
        return uplink // run, lower * run + uplink % run
    turn = lower * uplinks + uplink
    return turn % uppers, turn // uppers


def _missing(evidence: Evidence) -> Iterator[Violations]:
    """Yield switches with fewer uplinks than the rule gives them.

    All leaves have uplinks; with vacant positions those that serve a GPU, in three tiers by whole
    pods.
    """
    plan, vertices = evidence.plan, evidence.vertices
    sizing = plan.sizing
    served = np.zeros(sizing.leaf, dtype=bool)
    served[vertices.leaf // vertices.blocks % evidence.boxes] = True
    pod = np.arange(sizing.leaf) // sizing.pod_leaves
    pods = np.isin(np.arange(sizing.pods), pod[served])
    leaves = (
        np.ones_like(served)
        if plan.fabric.planned_gpus == plan.fabric.gpus
        else pods[pod]
        if sizing.core
        else served
    )
    of_leaves = sizing.leaf_uplinks or [sizing.leaf_up] * sizing.leaf
    for kind, wired, uplinks in (
        (LinkKind.LEAF_SPINE, leaves, of_leaves),
        (
            LinkKind.SPINE_CORE,
            np.repeat(pods, sizing.pod_spines),
            [sizing.spine_up] * sizing.spine,
        ),
    ):
        if kind not in plan.kinds:
            continue
        rows = evidence.wiring.kind == kind
        have = np.bincount(vertices.lower[rows], minlength=vertices.count)
        lowers = _vertices_of(evidence, kind, np.flatnonzero(wired))
        wanted = np.zeros_like(have)
        wanted[_vertices_of(evidence, kind, np.arange(len(wired)))] = np.tile(
            np.array(uplinks), plan.mapping.segments * vertices.blocks
        )

        def describe(low: int, have: IntArray = have, wanted: IntArray = wanted) -> Violation:
            return Violation(
                f"{evidence.domain_name(low)} has {have[low]} of its {wanted[low]} uplinks"
            )

        yield violations(lowers[have[lowers] != wanted[lowers]], describe)
    yield _missing_peers(evidence)


def _missing_peers(evidence: Evidence) -> Violations:
    """Return the leaves with fewer links to later peers than the inventory asks."""
    rows, mapping = evidence.wiring.kind == LinkKind.PEER, evidence.plan.mapping
    leaves, size = np.arange(evidence.plan.sizing.leaf), mapping.peer_group
    have = np.bincount(evidence.wiring.lower[rows], minlength=len(leaves))[: len(leaves)]
    later = size - 1 - leaves % size

    def describe(leaf: int) -> Violation:
        peers = map(evidence.switch, range(leaf + 1, leaf + 1 + int(later[leaf])))
        return Violation(
            f"{evidence.switch(leaf)} has {have[leaf]} of its {later[leaf] * mapping.peer_links}"
            f" links to {', '.join(peers)}"
        )

    return violations(np.flatnonzero(have != later * mapping.peer_links), describe)


def _vertices_of(evidence: Evidence, kind: LinkKind, index: IntArray) -> IntArray:
    """Return the vertices of the leaves or spines with these numbers in every block."""
    mapping, sizing = evidence.plan.mapping, evidence.plan.sizing
    blocks = np.arange(mapping.segment_blocks)[:, None]
    box = index[None, :] + (
        0 if kind is LinkKind.LEAF_SPINE else sizing.leaf + blocks * (sizing.spine + sizing.core)
    )
    segments = np.arange(mapping.segments)[:, None, None] * evidence.boxes
    vertices: IntArray = ((segments + box[None]) * mapping.segment_blocks + blocks[None]).ravel()
    return vertices

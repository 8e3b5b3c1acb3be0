"""The links of one segment: the blocks that share switches, as columns.

Owns the links of a block, repeated for each block of the segment and filtered to what is installed.
All segments have the same links; names, addresses and racks differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind
from fabricgen.planning.baseline.baseline import kept_links
from fabricgen.planning.block_links import leaf_spine, spine_core

if TYPE_CHECKING:
    from fabricgen.core.arrays import BoolArray, Int32Array, IntArray
    from fabricgen.planning.block_links import TierLinks
    from fabricgen.planning.mapping import Mapping


class Segment(NamedTuple):
    """The installed links of one segment as columns, ordered by block, kind, lower end and port.

    `kind` is a LinkKind; `block` counts within the segment. `lower` is a switch of the segment, or
    the GPU at a host link, as if each block served the first rail: `Mapping.lower_gpu` returns the
    GPU of a block; so are both ends of a direct link. `slot` is the endpoint position of a host
    link, in a network that has grown the older one; ports index `Plan.ports` of the role, or the
    links of a split NIC port; `number` counts cables of a kind within a block, from 1.
    """

    kind: Int32Array
    block: Int32Array
    lower: Int32Array
    lower_port: Int32Array
    upper: Int32Array
    upper_port: Int32Array
    slot: IntArray
    number: Int32Array


def wire_segment(mapping: Mapping, installed_gpus: int) -> Segment:
    """Wire one segment: all kinds of link, for each of its blocks, as far as they are installed."""
    gpu = mapping.pattern()
    if mapping.topology:
        return _kept_numbers(mapping, _direct(mapping.topology.links, gpu))
    present = (gpu >= 0) & (gpu < installed_gpus)
    slots = np.flatnonzero(present).astype(np.int32)
    leaves = _installed_leaves(mapping, slots)
    blocks = [_block(mapping, block, gpu, slots, leaves) for block in range(mapping.segment_blocks)]
    segment = Segment(*(np.concatenate(columns) for columns in zip(*blocks, strict=True)))
    shared = mapping.fabric.shared_leaves
    if shared and shared.in_compute:
        return segment._replace(number=segment.lower + np.int32(1))
    return segment


def _direct(wired: TierLinks, gpu: Int32Array) -> Segment:
    """Return the links between the GPUs of a rail; their NIC ports are split."""
    same = np.zeros_like(wired.lower)
    number = np.arange(1, len(same) + 1, dtype=np.int32)
    return Segment(
        same + np.int32(LinkKind.DIRECT),
        same,
        gpu[wired.lower],
        wired.lower_port,
        gpu[wired.upper],
        wired.upper_port,
        np.full_like(same, -1),
        number,
    )


def _kept_numbers(mapping: Mapping, links: Segment) -> Segment:
    """Return links of paired devices with the numbers that their cables keep of an older plan."""
    kept = mapping.fabric.network.kept if mapping.fabric.network else None
    if kept is None or len(kept.slot) != mapping.fabric.gpus:
        return links
    return links._replace(number=np.array(kept.slot, dtype=np.int32)[links.lower] + np.int32(1))


def switches_with_links(segment: Segment, boxes: int) -> list[bool]:
    """Return whether each switch of a segment has a link, in the order of `DeviceNames.boxes`."""
    has = np.zeros(boxes, dtype=bool)
    has[segment.upper[segment.kind >= LinkKind.HOST]] = True
    has[segment.lower[segment.kind > LinkKind.HOST]] = True
    return [bool(value) for value in has]


def _installed_leaves(mapping: Mapping, slots: Int32Array) -> BoolArray:
    """Return which leaves are wired: those that serve an installed GPU.

    In three tiers a pod is wired as a whole.
    """
    sizing = mapping.sizing
    if mapping.fabric.planned_gpus == mapping.fabric.gpus:
        return np.ones(sizing.leaf, dtype=bool)
    serves = np.zeros(sizing.leaf, dtype=bool)
    serves[slots // sizing.leaf_down] = True
    return (
        np.repeat(sizing.by_pod(serves).any(axis=1), sizing.pod_leaves)[: sizing.leaf]
        if sizing.core
        else serves
    )


def _block(
    mapping: Mapping, block: int, gpu: Int32Array, slots: Int32Array, leaves: BoolArray
) -> Segment:
    """Wire one block of a segment.

    On a shared leaf the ports of its blocks alternate, so that the two ports of a cage serve two
    rails of one host.
    """
    sizing, shares = mapping.sizing, mapping.segment_blocks
    spines = np.int32(sizing.leaf + block * (sizing.spine + sizing.core))
    leaf, down = np.divmod(slots, np.int32(sizing.leaf_down))
    known = mapping.kept_slots(gpu[slots], slots)
    hosts = (
        gpu[slots],
        np.zeros_like(slots),
        leaf,
        down * np.int32(shares) + np.int32(block),
        known,
        known + 1,
    )
    parts: list[tuple[LinkKind, tuple[IntArray, ...]]] = [(LinkKind.HOST, hosts)]
    if sizing.tiers > 1:
        parts.append((LinkKind.LEAF_SPINE, _leaf_uplinks(mapping, block, leaves, spines)))
    if sizing.spine_up:
        parts.append((LinkKind.SPINE_CORE, _spine_uplinks(mapping, leaves, spines)))
    if mapping.peer_links:
        parts.append((LinkKind.PEER, _peers(mapping)))
    stacked = [
        (
            np.full(len(columns[0]), kind, dtype=np.int32),
            np.full(len(columns[0]), block, dtype=np.int32),
            *columns,
        )
        for kind, columns in parts
    ]
    columns = Segment(*map(np.concatenate, zip(*stacked, strict=True)))
    links = Segment(*(column.astype(np.int32) for column in columns))
    # slots of devices on leaves of compute count over all blocks: more than 32 bits with IPv6
    return links._replace(slot=columns.slot) if mapping.fabric.shared_leaves else links


def _leaf_uplinks(
    mapping: Mapping, block: int, leaves: BoolArray, spines: np.int32
) -> tuple[Int32Array, ...]:
    """Wire the installed leaves of a block to its spines, of which the first is `spines`."""
    sizing, shares = mapping.sizing, mapping.segment_blocks
    wired = tier_links(mapping, LinkKind.LEAF_SPINE)
    ports = np.int32(sizing.leaf_down * shares + block) + wired.lower_port * np.int32(shares)
    if mapping.upward is not None:
        ports = mapping.upward[wired.lower, wired.lower_port]
    return _columns(wired, leaves[wired.lower], np.int32(0), ports, spines, sizing.leaf_up)


def _spine_uplinks(mapping: Mapping, leaves: BoolArray, spines: np.int32) -> tuple[Int32Array, ...]:
    """Wire the spines of pods with an installed leaf to the cores, which follow all spines."""
    sizing, wired = mapping.sizing, tier_links(mapping, LinkKind.SPINE_CORE)
    has_leaf = sizing.by_pod(leaves)[:, 0][wired.lower // sizing.pod_spines]
    ports, cores = np.int32(sizing.spine_down) + wired.lower_port, spines + np.int32(sizing.spine)
    return _columns(wired, has_leaf, spines, ports, cores, sizing.spine_up)


def _peers(mapping: Mapping) -> tuple[Int32Array, ...]:
    """Return the links between the leaves of each group of peers as columns of a segment.

    A leaf has those to the others in their order, above the uplinks.
    """
    sizing, links, size = mapping.sizing, mapping.peer_links, mapping.peer_group
    low, high = (np.repeat(side, links) for side in np.triu_indices(size, 1))
    groups, at = sizing.leaf // size, np.tile(np.arange(links), len(low) // links)
    first = np.repeat(np.arange(groups) * size, len(low))
    ends = (
        (first + np.tile(own, groups), np.tile(place * links + at, groups))
        for own, place in ((low, high - 1), (high, low))
    )
    columns = [
        column for leaf, place in ends for column in (leaf, _peer_port(mapping, leaf, place))
    ]
    number = np.arange(len(first))
    return (*(each.astype(np.int32) for each in (*columns, np.full_like(number, -1), number + 1)),)


def _peer_port(mapping: Mapping, leaf: IntArray, place: IntArray) -> IntArray:
    """Return the port of each link of a leaf to its peers, counted from 0."""
    sizing = mapping.sizing
    if mapping.upward is None:
        return sizing.leaf_down + sizing.leaf_up + place
    found: IntArray = mapping.upward[leaf, sizing.leaf_up + place]
    return found


def tier_links(mapping: Mapping, kind: LinkKind) -> TierLinks:
    """Return the links between two tiers of a block: those of the baseline, else by the rule."""
    kept = mapping.baseline.wired.get(kind) if mapping.baseline else None
    if kept:
        return kept_links(kind, kept, mapping.sizing)
    return leaf_spine(mapping.sizing) if kind is LinkKind.LEAF_SPINE else spine_core(mapping.sizing)


def _columns(
    wired: TierLinks,
    keep: BoolArray,
    lower: np.int32,
    ports: Int32Array,
    upper: np.int32,
    uplinks: int,
) -> tuple[Int32Array, ...]:
    """Return the links between two tiers as columns of a segment, as far as they are installed."""
    number = wired.lower * np.int32(uplinks) + wired.lower_port + np.int32(1)
    columns = (
        wired.lower + lower,
        ports,
        wired.upper + upper,
        wired.upper_port,
        np.full_like(number, -1),
        number,
    )
    return tuple(column[keep] for column in columns)

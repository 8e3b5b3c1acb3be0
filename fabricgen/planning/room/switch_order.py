"""The order of switches in a room: each near the hosts below it.

A network beside the compute fabric follows the same rule: its leaves are near the hosts on them, or
near the switches on them where they serve no host.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import Role
from fabricgen.planning.networks.attachments import HOSTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabricgen.core.arrays import Int64Array
    from fabricgen.planning.naming import DeviceNames
    from fabricgen.planning.networks.attachments import Attachments


def ordered(naming: DeviceNames, networks: Sequence[DeviceNames] = ()) -> Int64Array:
    """Sort the switches of the fabric, numbered segment * boxes of a segment + box.

    Those of networks have the numbers after these, network by network. The order is that of the
    middle of the hosts below, then tier, segment and number.
    """
    mapping = naming.mapping
    last = mapping.fabric.planned_gpus
    middles, tiers = [_compute_middles(naming, last)], [_tiers(naming)]
    known = dict(zip(_names(naming), middles[0].tolist(), strict=True)) if networks else {}
    for network in networks:
        rules = network.mapping.fabric.network
        place = _places(rules.attached, mapping.fabric.host_gpus, known) if rules else None
        middles.append(_middles(network, place, last))
        tiers.append(_tiers(network))
        known |= zip(_names(network), middles[-1].tolist(), strict=True)
    key = np.concatenate(middles)
    order: Int64Array = np.lexsort((np.arange(key.size), np.concatenate(tiers), key))
    return order


def _compute_middles(naming: DeviceNames, last: int) -> Int64Array:
    """Return the middle of the GPUs below each switch of the compute fabric."""
    if not naming.boxes:
        return np.zeros(0, dtype=np.int64)
    mapping, below = naming.mapping, _middles(naming, None, last)
    blocks = np.array([max(box.block, 0) for box in naming.boxes], dtype=np.int64)
    rails = np.stack([mapping.first_rail(each, blocks) for each in range(mapping.segments)])
    middles: Int64Array = (rails + below).ravel()
    return middles


def _tiers(naming: DeviceNames) -> Int64Array:
    """Return the tier of each switch."""
    tiers = np.array([box.role.tier for box in naming.boxes], dtype=np.int64)
    return np.tile(tiers, naming.mapping.segments)


def _names(naming: DeviceNames) -> list[str]:
    """Name the switches in the order of their numbers."""
    return [*chain.from_iterable(map(naming.switches, range(naming.mapping.segments)))]


def _places(attached: Attachments, host_gpus: int, known: Mapping[str, int]) -> Int64Array:
    """Return the first GPU of the device of each port; -1 where it has no place yet.

    A switch has the place in `known`.
    """
    columns = [np.zeros(0, dtype=np.int64)]
    for group in attached.groups:
        own = (
            np.arange(len(group.names), dtype=np.int64) * host_gpus
            if group.kind == HOSTS
            else np.array([known.get(name, -1) for name in group.names], dtype=np.int64)
        )
        columns.append(np.repeat(own, len(group.interfaces)))
    return np.concatenate(columns)


def _middles(naming: DeviceNames, place: Int64Array | None, last: int) -> Int64Array:
    """Return for each box of a segment the mean of the GPUs below it on a block of rail 0.

    `place` has the GPU that stands for each port of a network, or -1; a box without any below it
    has `last`.
    """
    mapping, sizing = naming.mapping, naming.mapping.sizing
    gpu = mapping.pattern().astype(np.int64)
    leaf = np.arange(len(gpu)) // sizing.leaf_down
    if place is not None:
        gpu = np.where(gpu >= 0, place[gpu], gpu)
    held = gpu >= 0
    counts, sums = np.zeros((2, sizing.leaf), dtype=np.int64)
    np.add.at(counts, leaf[held], 1)
    np.add.at(sums, leaf[held], gpu[held])
    of_pods = (sizing.by_pod(counts).sum(axis=1), sizing.by_pod(sums).sum(axis=1))
    whole = [(counts, sums), of_pods, (counts.sum(keepdims=True), sums.sum(keepdims=True))]
    means = [np.where(count > 0, total // np.maximum(count, 1), last) for count, total in whole]
    scope = {Role.LEAF: 1, Role.SPINE: max(sizing.pod_spines, 1), Role.CORE: max(sizing.core, 1)}
    return np.array(
        [means[box.role.tier - 1][box.index // scope[box.role]] for box in naming.boxes],
        dtype=np.int64,
    )

"""The order of switches in a room: each near the hosts below it.

A network beside the compute fabric follows the same rule: its leaves are near the hosts on them, or
near the switches on them where they serve no host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import Role
from fabricgen.planning.room.equipment import numbers_of

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int64Array
    from fabricgen.planning.naming import DeviceNames
    from fabricgen.planning.room.equipment import Equipment


def ordered(naming: DeviceNames, equipment: Equipment) -> Int64Array:
    """Sort the switches of the fabric, numbered segment * boxes of a segment + box.

    Those of networks have the numbers after these, network by network. The order is that of the
    middle of the hosts below, then tier, segment and number.
    """
    mapping = naming.mapping
    hosts, last = mapping.fabric.coordinates.planned_hosts, mapping.fabric.planned_gpus
    middles, tiers = [_compute_middles(naming, last)], [_tiers(naming)]
    # the place of each device of the room, a switch's once it is known
    place = np.concatenate([np.arange(hosts) * mapping.fabric.host_gpus, middles[0]])
    place = np.concatenate([place, np.full(len(equipment.names), -1)])
    for network in equipment.networks:
        # its leaves are those of compute, or it has none
        if not network.boxes or network.mapping.fabric.shared_leaves:
            continue
        number, switches = numbers_of(equipment, network), len(network.boxes)
        ports = place[number[:-switches]].repeat(network.mapping.fabric.domain_gpus)
        middles.append(_middles(network, ports, last))
        place[number[-switches:]] = middles[-1]
        tiers.append(_tiers(network))
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

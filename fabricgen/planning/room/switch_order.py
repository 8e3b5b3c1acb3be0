"""The order of switches in a room: each near the hosts below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import Role

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int64Array
    from fabricgen.planning.naming import DeviceNames


def ordered(naming: DeviceNames) -> Int64Array:
    """Sort the switches of the fabric, numbered segment * boxes of a segment + box.

    The order is that of the middle of the hosts below, then tier, segment and number.
    """
    mapping = naming.mapping
    if not naming.boxes:
        return np.zeros(0, dtype=np.int64)
    below = _middles(naming)
    blocks = np.array([max(box.block, 0) for box in naming.boxes], dtype=np.int64)
    rails = np.stack([mapping.first_rail(each, blocks) for each in range(mapping.segments)])
    tiers = np.tile([box.role.tier for box in naming.boxes], mapping.segments)
    order: Int64Array = np.lexsort((np.arange(rails.size), tiers, (rails + below).ravel()))
    return order


def _middles(naming: DeviceNames) -> Int64Array:
    """Return for each box of a segment the mean of the GPUs below it on a block of rail 0."""
    mapping, sizing = naming.mapping, naming.mapping.sizing
    gpu = mapping.pattern().astype(np.int64)
    leaf = np.arange(len(gpu)) // sizing.leaf_down
    held = gpu >= 0
    counts, sums = np.zeros((2, sizing.leaf), dtype=np.int64)
    np.add.at(counts, leaf[held], 1)
    np.add.at(sums, leaf[held], gpu[held])
    of_pods = (sizing.by_pod(counts).sum(axis=1), sizing.by_pod(sums).sum(axis=1))
    whole = [(counts, sums), of_pods, (counts.sum(keepdims=True), sums.sum(keepdims=True))]
    means = [
        np.where(count > 0, total // np.maximum(count, 1), mapping.fabric.planned_gpus)
        for count, total in whole
    ]
    scope = {Role.LEAF: 1, Role.SPINE: max(sizing.pod_spines, 1), Role.CORE: max(sizing.core, 1)}
    return np.array(
        [means[box.role.tier - 1][box.index // scope[box.role]] for box in naming.boxes],
        dtype=np.int64,
    )

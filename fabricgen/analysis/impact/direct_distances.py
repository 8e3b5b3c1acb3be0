"""The lengths of the shortest paths between all nodes of a graph, in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int32Array, IntArray


def distances(nodes: int, lower: IntArray, upper: IntArray) -> Int32Array:
    """Return the links of the shortest path between each two nodes; 0 where there is none.

    >>> distances(4, np.array([0, 1]), np.array([1, 2])).tolist()
    [[0, 1, 2, 0], [1, 0, 1, 0], [2, 1, 0, 0], [0, 0, 0, 0]]
    """
    found = np.zeros((nodes, nodes), dtype=np.int32)
    reached, links = np.eye(nodes, dtype=bool), 0
    ends = np.unique(np.stack([np.r_[lower, upper], np.r_[upper, lower]]), axis=1)
    starts = np.searchsorted(ends[0], np.arange(nodes + 1))
    # one step at a time, for all nodes at once: a node reaches what its neighbours reached
    degree = int(np.diff(starts).max(initial=0))
    slots = starts[:-1, None] + np.arange(degree)
    near = np.where(
        slots < starts[1:, None],
        np.append(ends[1], 0)[np.minimum(slots, len(ends[1]))],
        np.arange(nodes)[:, None],
    )
    while True:
        links, before = links + 1, reached
        reached = before.copy()
        for column in near.T:
            reached |= before[column]
        fresh = reached & ~before
        if not fresh.any():
            return found
        found[fresh] = links

"""The maximum flow through a small network with integer capacities, by Dinic's algorithm.

Nodes are any hashable values. The tests compare it with networkx.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    Residual = dict[Hashable, dict[Hashable, int]]


def max_flow(
    edges: Iterable[tuple[Hashable, Hashable, int]], source: Hashable, sink: Hashable
) -> int:
    """Return the maximum flow over directed edges with integer capacities; parallel edges add up.

    >>> max_flow([("a", "b", 3), ("a", "b", 1), ("b", "c", 5)], "a", "c")
    4
    """
    residual: Residual = {source: {}, sink: {}}
    for low, high, capacity in edges:
        residual.setdefault(low, {})
        residual.setdefault(high, {}).setdefault(low, 0)
        residual[low][high] = residual[low].get(high, 0) + capacity
    flow = 0
    while sink in (levels := _levels(residual, source)):
        flow += _blocking(residual, levels, source, sink)
    return flow


def _levels(residual: Residual, source: Hashable) -> dict[Hashable, int]:
    """Return the distance of each node from the source along edges with capacity left."""
    levels, queue = {source: 0}, deque([source])
    while queue:
        node = queue.popleft()
        for after, room in residual[node].items():
            if room and after not in levels:
                levels[after] = levels[node] + 1
                queue.append(after)
    return levels


def _blocking(
    residual: Residual, levels: dict[Hashable, int], source: Hashable, sink: Hashable
) -> int:
    """Saturate the shortest paths and return the flow that was added.

    `after[node]` lists the next nodes that may still lead to the sink.
    """
    after = {
        node: [high for high in residual[node] if levels.get(high) == level + 1]
        for node, level in levels.items()
    }
    sent, path = 0, [source]
    while path:
        node = path[-1]
        if node == sink:
            steps = list(pairwise(path))
            room = min(residual[low][high] for low, high in steps)
            for low, high in steps:
                residual[low][high] -= room
                residual[high][low] += room
            sent, path = sent + room, [source]
            continue
        while after[node] and not residual[node][after[node][-1]]:
            after[node].pop()
        if after[node]:
            path.append(after[node][-1])
        else:
            path.pop()
            if path:
                after[path[-1]].pop()
    return sent

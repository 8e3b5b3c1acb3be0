"""The load of the links of a rail if GPUs send the same amount to each other GPU of their group.

Packets take shortest paths, and each GPU divides them evenly among its links that lead nearer. The
load of the busiest link bounds the time of an all-to-all over relays.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST_NODES = 256
"""Nodes above which targets are sampled, and the mean of all links stands for the busiest."""


def busiest_link(nodes: int, links: Iterable[tuple[int, int]], groups: Sequence[int]) -> float:
    """Return the pairs of nodes whose data the busiest link carries, in one direction.

    `groups` has the group of each node. A mean is a lower bound, and exact where all links are
    alike, as those of a ring. Raises ValueError where links do not join a group.

    >>> busiest_link(4, [(0, 1), (1, 2), (2, 3), (0, 3)], [0] * 4)
    2.0
    """
    ends: list[list[tuple[int, int]]] = [[] for _ in range(nodes)]
    count = 0
    for lower, upper in links:
        ends[lower].append((upper, count))
        ends[upper].append((lower, count + 1))
        count += 2
    step = -(-nodes // MOST_NODES)
    load, targets = [0.0] * count, range(0, nodes, step)
    for target in targets:
        _send(target, ends, groups, load)
    if step == 1:
        return max(load, default=0.0)
    return sum(load) / count * nodes / len(targets)


def _send(
    target: int, ends: list[list[tuple[int, int]]], groups: Sequence[int], load: list[float]
) -> None:
    """Add to each directed link what all nodes of its group send to a target."""
    distance, queue = {target: 0}, deque([target])
    while queue:
        at = queue.popleft()
        for peer, _ in ends[at]:
            if peer not in distance:
                distance[peer] = distance[at] + 1
                queue.append(peer)
    held = [float(group == groups[target]) for group in groups]
    if any(amount and at not in distance for at, amount in enumerate(held)):
        raise ValueError(f"no path leads to node {target} from all of its group")
    for at in sorted(distance, key=lambda node: -distance[node])[:-1]:
        if held[at]:
            nearer = [(peer, row) for peer, row in ends[at] if distance[peer] < distance[at]]
            for peer, row in nearer:
                load[row] += held[at] / len(nearer)
                held[peer] += held[at] / len(nearer)

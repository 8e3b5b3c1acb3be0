"""What waits for what: the circles in a graph of numbers, and an order of what has none.

Owns both searches. What waits, and why, is the caller's.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence


def in_order(
    behind: Sequence[Collection[int]], wanted: Sequence[tuple[object, ...]]
) -> Iterator[int]:
    """Go through nodes so that each comes before those behind it; where there is a choice, what sorts first in `wanted` is taken.

    >>> list(in_order([{2}, {2}, set()], [(5,), (3,), (0,)]))
    [1, 0, 2]
    """
    blocked = [0] * len(behind)
    for others in behind:
        for other in others:
            blocked[other] += 1
    ready = [(wanted[node], node) for node, count in enumerate(blocked) if not count]
    heapify(ready)
    while ready:
        _, node = heappop(ready)
        yield node
        for other in behind[node]:
            blocked[other] -= 1
            if not blocked[other]:
                heappush(ready, (wanted[other], other))


def strong_components(after: list[list[int]]) -> tuple[list[list[int]], list[int]]:
    """Find what waits for each other in a circle, as Kosaraju does: the groups of nodes, and the group of each node.

    >>> strong_components([[1], [2], [1], [0]])
    ([[3], [0], [1, 2]], [1, 2, 2, 0])
    """
    before: list[list[int]] = [[] for _ in after]
    for node, others in enumerate(after):
        for other in others:
            before[other].append(node)
    groups: list[list[int]] = []
    of = [-1] * len(after)
    for root in reversed(_finished(after)):
        if of[root] < 0:
            groups.append(_gathered(root, before, of, len(groups)))
    return groups, of


def _finished(after: list[list[int]]) -> list[int]:
    """List the nodes in the order in which a search in depth leaves them."""
    seen, left = [False] * len(after), []
    for root in range(len(after)):
        trail = [] if seen[root] else [(root, iter(after[root]))]
        seen[root] = True
        while trail:
            node, others = trail[-1]
            new = next((other for other in others if not seen[other]), None)
            if new is None:
                left.append(node)
                trail.pop()
            else:
                seen[new] = True
                trail.append((new, iter(after[new])))
    return left


def _gathered(root: int, before: list[list[int]], of: list[int], group: int) -> list[int]:
    """Collect the nodes from which `root` can be reached and that have no group yet; they get this one."""
    of[root] = group
    found = [root]
    for node in found:  # which grows on the way
        for other in before[node]:
            if of[other] < 0:
                of[other] = group
                found.append(other)
    return found

"""The parts that links join, and the nodes that hold them together.

Nodes are numbers. These two questions are asked of every network, and graphs of networkx would take
longer to import than the networks of a small cluster to examine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Neighbors = dict[int, list[int]]
"""The neighbors of each node."""


def pieces(nodes: Iterable[int], links: Iterable[tuple[int, int]]) -> list[set[int]]:
    """Return the groups of nodes that links join; a link of a node that is not there joins nothing.

    >>> pieces([1, 2, 3], [(1, 2), (3, 4), (4, 1)])
    [{1, 2}, {3}]
    """
    neighbors, found = _neighbors(nodes, links), list[set[int]]()
    seen = set[int]()
    for first in neighbors:
        if first not in seen:
            piece, waiting = {first}, [first]
            while waiting:
                new = {*neighbors[waiting.pop()]} - piece
                piece |= new
                waiting += new
            seen |= piece
            found.append(piece)
    return found


def dividing(nodes: Iterable[int], links: Iterable[tuple[int, int]]) -> set[int]:
    """Return the nodes whose loss divides the others: all where they are divided already.

    A node divides the others if a part behind it has no link to a node before it (Tarjan).

    >>> dividing([1, 2, 3, 4], [(1, 2), (2, 3), (3, 4), (4, 2)])
    {2}
    """
    neighbors = _neighbors(nodes, links)
    if not neighbors:
        return set()
    root = next(iter(neighbors))
    depth, highest = {root: 0}, {root: 0}
    path, found, branches = [(root, iter(neighbors[root]))], set[int](), 0
    while path:
        node, others = path[-1]
        for other in others:
            if other not in depth:
                depth[other] = highest[other] = len(path)
                path.append((other, iter(neighbors[other])))
                break
            highest[node] = min(highest[node], depth[other])
        else:
            path.pop()
            above = path[-1][0] if path else root
            highest[above] = min(highest[above], highest[node])
            branches += above == root != node
            if above != root and highest[node] >= depth[above]:
                found.add(above)
    if len(depth) < len(neighbors):
        return {*neighbors}
    return found | {root} if branches > 1 else found


def _neighbors(nodes: Iterable[int], links: Iterable[tuple[int, int]]) -> Neighbors:
    """Return the neighbors of each node."""
    found: Neighbors = {node: [] for node in nodes}
    for low, high in links:
        if low in found and high in found:
            found[low].append(high)
            found[high].append(low)
    return found

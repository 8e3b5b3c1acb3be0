"""The paths without a common edge between any two nodes of a large graph, by augmenting paths.

Each flow is found by searches from both ends, which meet early in an expander.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    Edge = tuple[int, int]
    Parents = dict[int, int]


def edge_connectivity(nodes: int, edges: Iterable[Edge]) -> int:
    """Return the fewest edges that separate two nodes of a graph.

    A cut of fewer edges than the least degree has a node of any dominating set on either side
    (Esfahanian, "Connectivity algorithms", 2013), so flows between those decide.

    >>> edge_connectivity(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    2
    """
    near: list[list[int]] = [[] for _ in range(nodes)]
    for one, other in edges:
        near[one].append(other)
        near[other].append(one)
    first, *others = _dominating(near)
    least = min(map(len, near))
    for other in others:
        least = min(least, _disjoint(near, first, other, least))
    return least


def _dominating(near: list[list[int]]) -> list[int]:
    """Return nodes such that each node is one of them or has one as a neighbour."""
    found, covered = list[int](), set[int]()
    for node, neighbours in enumerate(near):
        if node not in covered:
            found.append(node)
            covered.update((node, *neighbours))
    return found


def _disjoint(near: list[list[int]], source: int, target: int, enough: int) -> int:
    """Return how many paths without a common edge join two nodes, up to `enough`."""
    used: set[Edge] = set()
    for count in range(enough):
        path = _augmenting(near, source, target, used)
        if not path:
            return count
        for step in path:
            if step[::-1] in used:
                used.remove(step[::-1])
            else:
                used.add(step)
    return enough


def _augmenting(near: list[list[int]], source: int, target: int, used: set[Edge]) -> list[Edge]:
    """Return the steps of a path over edges that are not used in its direction."""
    ahead, behind = {source: source}, {target: target}
    tips, tails = [source], [target]
    while tips and tails:
        if len(tips) <= len(tails):
            tips = _grown(near, tips, ahead, used, forward=True)
            meeting = next((node for node in tips if node in behind), None)
        else:
            tails = _grown(near, tails, behind, used, forward=False)
            meeting = next((node for node in tails if node in ahead), None)
        if meeting is not None:
            before = [(one, other) for other, one in _walked(ahead, meeting)]
            return [*before, *_walked(behind, meeting)]
    return []


def _grown(
    near: list[list[int]], tips: list[int], known: Parents, used: set[Edge], *, forward: bool
) -> list[int]:
    """Return the nodes that are one step beyond others, and keep from where each was reached."""
    found = []
    for node in tips:
        for other in near[node]:
            if other not in known and ((node, other) if forward else (other, node)) not in used:
                known[other] = node
                found.append(other)
    return found


def _walked(parents: Parents, node: int) -> list[Edge]:
    """Return the steps from a node back to where a search began."""
    found = []
    while parents[node] != node:
        found.append((node, parents[node]))
        node = parents[node]
    return found

"""The links of the graphs that join the GPUs of a rail directly, as columns.

A graph is regular: each node has the same ports, each port one link. A ring uses port 0 to the next
node and port 1 from the previous one; further dimensions and rings follow with two ports each.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.planning.block_links import TierLinks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.core.arrays import Int32Array

    Edge = tuple[int, int]

SWAPS_PER_EDGE = 10
"""Exchanges of neighbours for each edge until a regular graph counts as random; Milo et al.,
"On the uniform generation of random graphs with prescribed degree sequences", use 100 for networks
of any shape."""


def circulant(nodes: int, strides: Sequence[int]) -> TierLinks:
    """Join node `i` to `i + stride` modulo the nodes, for each stride: a ring where it is coprime.

    >>> [column.tolist() for column in circulant(3, [1])]
    [[0, 1, 2], [0, 0, 0], [1, 2, 0], [1, 1, 1]]
    """
    node = np.arange(nodes, dtype=np.int32)
    return _stacked([(node, 2 * k, (node + s) % nodes, 2 * k + 1) for k, s in enumerate(strides)])


def torus(dimensions: Sequence[int]) -> TierLinks:
    """Join the neighbours of a grid that wraps around; the last dimension varies fastest.

    A dimension of two has one link instead of two, so that only twos make a hypercube.

    >>> torus([2, 2]).lower.tolist(), torus([2, 2]).upper.tolist()
    ([0, 0, 1, 2], [2, 1, 3, 3])
    """
    nodes, port, step = int(np.prod(dimensions)), 0, int(np.prod(dimensions))
    node, parts = np.arange(nodes, dtype=np.int32), []
    for size in dimensions:
        step //= size
        at = node // step % size
        lower = node[at == 0] if size == 2 else node  # noqa: PLR2004 - a pair has one link
        there = lower + ((at[lower] + 1) % size - at[lower]) * step
        back = port if size == 2 else port + 1  # noqa: PLR2004 - as above
        parts.append((lower, port, there, back))
        port = back + 1
    return _stacked(parts)


def full_mesh(nodes: int) -> TierLinks:
    """Join every node to every other."""
    lower, upper = (column.astype(np.int32) for column in np.triu_indices(nodes, 1))
    return TierLinks(lower, upper - np.int32(1), upper, lower)


def expander(nodes: int, degree: int, seed: int) -> TierLinks:
    """Join nodes at random to `degree` others each; one seed gives one graph on every machine.

    It starts from a circulant graph and exchanges the ends of random pairs of edges, as long as no
    edge is repeated; a random regular graph is an expander (Friedman, 2008). It is connected.
    """
    random, edges = Random(seed), _circulant_edges(nodes, degree)  # noqa: S311 - no secret
    known = set(edges)
    while True:
        for _ in range(SWAPS_PER_EDGE * len(edges)):
            _exchange(edges, known, random)
        if connected(nodes, np.array(edges, dtype=np.int32)):
            return _with_ports(nodes, sorted(edges))


def connected(nodes: int, edges: Int32Array) -> bool:
    """Return whether a path joins every node to node 0; `edges` has shape (edges, 2)."""
    reached = np.arange(nodes) == 0
    while True:
        before = int(reached.sum())
        for near, far in (edges.T, edges.T[::-1]):
            reached[far[reached[near]]] = True
        if int(reached.sum()) == before:
            return before == nodes


def in_parallel(links: TierLinks, times: int) -> TierLinks:
    """Repeat every link, each on ports of its own, with its lower node first, in their order."""
    each = np.tile(np.arange(times, dtype=np.int32), len(links.lower))
    lower, lower_port, upper, upper_port = (np.repeat(column, times) for column in links)
    nodes = np.stack([lower, upper])
    ports = np.stack([lower_port, upper_port]) * np.int32(times) + each
    ends = np.argsort(nodes, axis=0)
    nodes, ports = (np.take_along_axis(column, ends, axis=0) for column in (nodes, ports))
    order = np.lexsort((ports[0], nodes[0]))
    return TierLinks(*(column[order] for column in (nodes[0], ports[0], nodes[1], ports[1])))


def _stacked(parts: Sequence[tuple[Int32Array, int, Int32Array, int]]) -> TierLinks:
    """Join links whose ports are the same in each part, ordered by the lower node."""
    columns = [
        (lower, np.full_like(lower, low), upper, np.full_like(upper, high))
        for lower, low, upper, high in parts
    ]
    stacked = [np.concatenate(column).astype(np.int32) for column in zip(*columns, strict=True)]
    order = np.lexsort((stacked[1], stacked[0]))
    return TierLinks(*(column[order] for column in stacked))


def _circulant_edges(nodes: int, degree: int) -> list[Edge]:
    """List the edges of a circulant graph of a degree; an odd one has the diameters too."""
    strides = [*range(1, degree // 2 + 1), *([nodes // 2] if degree % 2 else [])]
    found = {_edge(node, (node + stride) % nodes) for stride in strides for node in range(nodes)}
    return sorted(found)


def _exchange(edges: list[Edge], known: set[Edge], random: Random) -> None:
    """Exchange the far ends of two random edges where that gives two new ones."""
    # `Random.random` alone is the same in every version of Python
    one, other = (int(random.random() * len(edges)) for _ in range(2))
    (a, b), (c, d) = edges[one], edges[other]
    if random.random() < 0.5:  # noqa: PLR2004 - either direction of the second edge
        c, d = d, c
    new = _edge(a, d), _edge(c, b)
    if len({a, b, c, d}) < 4 or known & {*new}:  # noqa: PLR2004 - four ends
        return
    known -= {edges[one], edges[other]}
    known |= {*new}
    edges[one], edges[other] = new


def _edge(one: int, other: int) -> Edge:
    """Return the edge between two nodes, the lower one first."""
    return (one, other) if one < other else (other, one)


def _with_ports(nodes: int, edges: list[Edge]) -> TierLinks:
    """Give each edge the next port of both of its nodes."""
    used, rows = [0] * nodes, []
    for one, other in edges:
        rows.append((one, used[one], other, used[other]))
        used[one] += 1
        used[other] += 1
    return TierLinks(*np.array(rows, dtype=np.int32).T)

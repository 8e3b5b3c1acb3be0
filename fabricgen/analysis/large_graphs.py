"""The figures of the graph of a direct rail that is too large for networkx.

In a ring, a torus, a hypercube and a full mesh every GPU has the same place: moved by one place
along a dimension, the cables are the same cables. That is verified on the cables, and then one GPU
represents all: such a graph has as many edge-disjoint paths as neighbours (Mader, 1971), and its
eigenvalues are the Fourier transform of the neighbours of one GPU (Lovász, 1975). Other graphs are
searched from every GPU, and their second eigenvalue is found by the iteration of Lanczos (1950).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.direct_graphs import SEED, GraphFigures, PathFigures, halves
from fabricgen.analysis.edge_connectivity import edge_connectivity
from fabricgen.core.arrays import distinct

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int64Array, IntArray
    from fabricgen.planning.direct.topology import DirectTopology

AT_ONCE = 4096
"""GPUs from which a search starts at once; each has a bit at every GPU that it reached."""

STEPS = 300
"""Steps of the iteration of Lanczos; as many again change that of 65,536 GPUs by a millionth."""

CONVERGED = 1e-9
"""The length of a remaining vector below which the iteration has found every eigenvalue."""


def large_figures(topology: DirectTopology, lower: IntArray, upper: IntArray) -> GraphFigures:
    """Return the figures of the graph of some links."""
    nodes, pairs = topology.nodes, np.minimum(lower, upper).astype(np.int64) * topology.nodes
    edges, many = np.unique(pairs + np.maximum(lower, upper), return_counts=True)
    ends = np.divmod(edges, nodes)
    degrees = np.bincount(np.concatenate(ends), minlength=nodes)
    alike = bool(translations(topology)) and not changed_dimensions(topology, lower, upper)
    return GraphFigures(
        (int(degrees.min()), int(degrees.max())),
        (int(many.min()), int(many.max())),
        _longest_path(nodes, *ends, 1 if alike else nodes),
    )


def large_paths(topology: DirectTopology, lower: IntArray, upper: IntArray) -> PathFigures:
    """Return the paths of the graph of some links; it is connected, and moves do not change it."""
    low, high = np.divmod(_edges(topology.nodes, lower, upper), topology.nodes)
    if translations(topology):
        near = _of_first(low, high)
        disjoint, second = len(near), _second_eigenvalue(topology, near)
    else:
        pairs = zip(low.tolist(), high.tolist(), strict=True)
        disjoint = edge_connectivity(topology.nodes, pairs)
        second = second_by_lanczos(_neighbours(topology.nodes, low, high))
    half = topology.nodes // 2 * (topology.nodes - topology.nodes // 2) / topology.nodes
    cuts = halves(topology, lower, upper)
    most = min(int(np.count_nonzero(cut[low] != cut[high])) for cut in cuts)
    return PathFigures(disjoint, int(np.ceil(second * half - 1e-6)), most)


def translations(topology: DirectTopology) -> tuple[int, ...]:
    """Return the sizes of the dimensions along which a graph can be moved; empty for others."""
    if topology.kind == "hypercube":
        return (2,) * topology.degree
    return () if topology.kind == "expander" else topology.dimensions or (topology.nodes,)


def changed_dimensions(topology: DirectTopology, lower: IntArray, upper: IntArray) -> list[int]:
    """Return the dimensions along which a move by one place changes the cables."""
    nodes, sizes = topology.nodes, translations(topology)
    if not sizes:
        return []
    place = np.arange(nodes).reshape(sizes)
    before = _edges(nodes, lower, upper)
    moves = (np.roll(place, -1, axis).ravel() for axis in range(place.ndim))
    return [
        axis
        for axis, move in enumerate(moves)
        if not np.array_equal(_edges(nodes, move[lower], move[upper]), before)
    ]


def _second_eigenvalue(topology: DirectTopology, near: IntArray) -> float:
    """Return the second eigenvalue of the Laplacian, by the neighbours of the first GPU."""
    joined = np.zeros(topology.nodes)
    joined[near] = 1
    spectrum = np.sort(np.fft.fftn(joined.reshape(translations(topology))).real.ravel())
    return float(len(near) - spectrum[-2])


def second_by_lanczos(near: Int64Array) -> float:
    """Return the second eigenvalue of the Laplacian of a connected graph, by its neighbours.

    `near` has shape (GPUs, degree). Every vector is kept apart from that of the first eigenvalue,
    which is the same at all GPUs; the start is seeded, so that the figure is the same each time.
    """
    vector = np.random.default_rng(SEED).standard_normal(len(near))
    before, beta, diagonal, beside = np.zeros(len(near)), 0.0, list[float](), list[float]()
    for _ in range(min(STEPS, len(near) - 1)):
        vector -= vector.mean()
        beta = float(np.linalg.norm(vector))
        if beta < CONVERGED:
            break
        vector /= beta
        beside.append(beta)
        after = vector[near].sum(axis=1) - (beta * before if diagonal else 0)
        diagonal.append(float(after @ vector))
        before, vector = vector, after - diagonal[-1] * vector
    apart = np.array(beside[1:])
    reduced = np.diag(diagonal) + np.diag(apart, 1) + np.diag(apart, -1)
    return float(near.shape[1] - np.linalg.eigvalsh(reduced)[-1])


def _longest_path(nodes: int, low: IntArray, high: IntArray, sources: int) -> int | None:
    """Return the links of the longest shortest path from the first GPUs; None if one has none."""
    near = _neighbours(nodes, low, high)
    found = 0
    for first in range(0, sources, AT_ONCE):
        own = np.arange(first, min(first + AT_ONCE, sources))
        reached = np.zeros((nodes, len(own)), dtype=bool)
        reached[own, own - first] = True
        bits, links = np.packbits(reached, axis=1), 0
        every = np.packbits(np.ones((1, len(own)), dtype=bool), axis=1)
        while not (bits == every).all():
            before, links = bits, links + 1
            bits = before.copy()
            for column in near.T:
                bits |= before[column]
            if np.array_equal(before, bits):
                return None
        found = max(found, links)
    return found


def _neighbours(nodes: int, low: IntArray, high: IntArray) -> Int64Array:
    """Return the neighbours of each GPU, and itself where it has fewer; shape (GPUs, degree)."""
    ends = np.concatenate([low, high]), np.concatenate([high, low])
    order = np.argsort(ends[0], kind="stable")
    start, after = ends[0][order], ends[1][order]
    slot = np.arange(len(start)) - np.searchsorted(start, start)
    near = np.tile(np.arange(nodes)[:, None], (1, int(slot.max(initial=-1)) + 1))
    near[start, slot] = after
    return near


def _of_first(low: IntArray, high: IntArray) -> IntArray:
    """Return the neighbours of the first GPU."""
    return np.concatenate([high[low == 0], low[high == 0]])


def _edges(nodes: int, lower: IntArray, upper: IntArray) -> Int64Array:
    """Return the pairs of neighbours as sorted numbers, parallel links once."""
    low, high = np.minimum(lower, upper).astype(np.int64), np.maximum(lower, upper)
    return distinct(low * nodes + high)

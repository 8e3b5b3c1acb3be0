"""The figures of the graph of a direct rail, as networkx judges them.

Owns degree, diameter, edge-disjoint paths, cuts into halves and the bounds of the bisection. Nodes
are the GPUs of a rail; an edge stands for all links between two of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import networkx as nx
import numpy as np

if TYPE_CHECKING:
    from fabricgen.core.arrays import BoolArray, IntArray
    from fabricgen.planning.direct.topology import DirectTopology

MOST_NODES = 512
"""Nodes above which networkx takes minutes for paths and cuts: see `large_graphs`."""

SEED = 1


class GraphFigures(NamedTuple):
    """The figures of a graph; `diameter` is None where no path joins two nodes."""

    degrees: tuple[int, int]
    """The least and the greatest degree."""
    parallel: tuple[int, int]
    """The least and the greatest number of links of an edge."""
    diameter: int | None


class PathFigures(NamedTuple):
    """The paths of a graph: how many share no edge, and the edges between two halves.

    `most` is a cut that was found; no cut into halves has fewer edges than `least`.
    """

    disjoint: int
    least: int
    most: int


def figures_of(nodes: int, lower: IntArray, upper: IntArray) -> GraphFigures:
    """Return the figures of the graph of some links."""
    made, many = _graph(nodes, lower, upper)
    degrees = [degree for _, degree in made.degree]
    diameter = nx.diameter(made) if nx.is_connected(made) else None
    return GraphFigures(
        (min(degrees), max(degrees)), (min(many, default=0), max(many, default=0)), diameter
    )


def paths_of(nodes: int, lower: IntArray, upper: IntArray) -> PathFigures:
    """Return the paths of the graph of some links.

    The second eigenvalue of its Laplacian bounds every cut into halves from below (Fiedler, 1973;
    Mohar, 1989: at least nodes / 4 times it); the heuristic of Kernighan and Lin finds one.
    """
    made, _ = _graph(nodes, lower, upper)
    laplacian = np.diag([made.degree[node] for node in range(nodes)]) - nx.to_numpy_array(
        made, nodelist=range(nodes)
    )
    half = nodes // 2 * (nodes - nodes // 2) / nodes
    least = int(np.ceil(np.linalg.eigvalsh(laplacian)[1] * half - 1e-6))
    cuts = [*_found_halves(made), set(range(nodes // 2)), {*range(0, nodes, 2)}]
    most = min(
        int(nx.cut_size(made, cut)) for cut in cuts if nodes // 2 <= len(cut) <= nodes - nodes // 2
    )
    return PathFigures(int(nx.edge_connectivity(made)), least, most)


def halves(topology: DirectTopology, lower: IntArray, upper: IntArray) -> list[BoolArray]:
    """Return cuts of a graph into halves, each as the nodes of the first half.

    A torus and a ring are cut across each of their dimensions at every place; in other graphs the
    heuristic of Kernighan and Lin finds more, up to `MOST_NODES`.
    """
    nodes, sizes = topology.nodes, topology.dimensions or (topology.nodes,)
    places = np.unravel_index(np.arange(nodes), sizes)
    found = [
        (place - shift) % size < size // 2
        for place, size in zip(places, sizes, strict=True)
        for shift in range(size)
        if size % 2 == 0 or len(sizes) == 1
    ] or [np.arange(nodes) < nodes // 2]
    if not topology.dimensions and nodes <= MOST_NODES:
        made, _ = _graph(nodes, lower, upper)
        found += [np.isin(np.arange(nodes), [*cut]) for cut in _found_halves(made)]
    return found


def _found_halves(made: nx.Graph[int]) -> list[set[int]]:
    """Return halves that the heuristic of Kernighan and Lin finds."""
    cut = nx.community.kernighan_lin_bisection
    return [cut(made, seed=SEED + each)[0] for each in range(3)]


def _graph(nodes: int, lower: IntArray, upper: IntArray) -> tuple[nx.Graph[int], list[int]]:
    """Build the graph of some links, and return how many links each edge stands for."""
    pair = np.minimum(lower, upper).astype(np.int64) * nodes + np.maximum(lower, upper)
    found, many = np.unique(pair, return_counts=True)
    made: nx.Graph[int] = nx.Graph()
    made.add_nodes_from(range(nodes))
    made.add_edges_from(zip(*(column.tolist() for column in np.divmod(found, nodes)), strict=True))
    return made, many.tolist()

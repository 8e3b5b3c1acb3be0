"""The figures of the graph of a direct rail, as networkx judges them.

Owns degree, diameter, edge-disjoint paths and the bounds of the bisection. Nodes are the GPUs of a
rail; an edge stands for all links between two of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import networkx as nx
import numpy as np

if TYPE_CHECKING:
    from fabricgen.core.arrays import IntArray

MOST_NODES = 512
"""Nodes above which paths and cuts are not computed: both take minutes."""

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
    cuts = [nx.community.kernighan_lin_bisection(made, seed=SEED + each)[0] for each in range(3)]
    cuts += [set(range(nodes // 2)), {node for node in range(nodes) if node % 2 == 0}]
    most = min(
        int(nx.cut_size(made, cut)) for cut in cuts if nodes // 2 <= len(cut) <= nodes - nodes // 2
    )
    return PathFigures(int(nx.edge_connectivity(made)), least, most)


def _graph(nodes: int, lower: IntArray, upper: IntArray) -> tuple[nx.Graph[int], list[int]]:
    """Build the graph of some links, and return how many links each edge stands for."""
    pair = np.minimum(lower, upper).astype(np.int64) * nodes + np.maximum(lower, upper)
    found, many = np.unique(pair, return_counts=True)
    made: nx.Graph[int] = nx.Graph()
    made.add_nodes_from(range(nodes))
    made.add_edges_from(zip(*(column.tolist() for column in np.divmod(found, nodes)), strict=True))
    return made, many.tolist()

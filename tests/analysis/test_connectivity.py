"""The parts that links join, and the nodes that hold them together, against networkx."""

from __future__ import annotations

from random import Random

import networkx as nx

from fabricgen.analysis.connectivity import dividing, pieces


def test_parts_and_dividing_nodes_are_those_of_networkx() -> None:
    """Of small graphs with links of missing nodes, of a node to itself, and given twice."""
    random = Random(5)  # noqa: S311 - no secret
    for _ in range(300):
        nodes = random.sample(range(12), random.randrange(9))
        links = [(random.randrange(12), random.randrange(12)) for _ in range(random.randrange(14))]
        made: nx.Graph[int] = nx.Graph()
        made.add_nodes_from(nodes)
        made.add_edges_from(link for link in links if {*link} <= {*nodes})
        assert pieces(nodes, links) == [*nx.connected_components(made)]
        joined = not nodes or nx.is_connected(made)
        assert dividing(nodes, links) == {*(nx.articulation_points(made) if joined else nodes)}

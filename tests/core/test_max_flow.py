"""The maximum flow that the law of bisection uses, compared with networkx."""

from __future__ import annotations

import random

import networkx as nx
import pytest

from fabricgen.core.max_flow import max_flow

Edges = list[tuple[str | int, str | int, int]]


def test_the_flow_uses_every_path() -> None:
    """Parallel edges add up, and vertices that are not connected have no flow between them."""
    assert (
        max_flow(
            [("s", "a", 3), ("s", "b", 2), ("a", "t", 2), ("b", "t", 1), ("b", "t", 4)], "s", "t"
        )
        == 4
    )
    assert max_flow([("s", "a", 3)], "s", "t") == 0
    assert max_flow([], "s", "t") == 0


def test_the_flow_is_rerouted() -> None:
    """The first shortest path s-a-b-t blocks both others until it is undone."""
    assert (
        max_flow(
            [
                ("s", "a", 1),
                ("a", "b", 1),
                ("b", "t", 1),
                ("s", "c", 1),
                ("c", "d", 1),
                ("d", "b", 1),
                ("a", "e", 1),
                ("e", "f", 1),
                ("f", "t", 1),
            ],
            "s",
            "t",
        )
        == 2
    )


@pytest.mark.parametrize("seed", range(40))
def test_the_flow_equals_that_of_networkx(seed: int) -> None:
    """On random networks with cycles, parallel edges and dead ends."""
    drawn = random.Random(seed)  # noqa: S311 - not used for cryptography
    nodes = range(drawn.randint(2, 12))
    edges: Edges = [
        (drawn.choice(nodes), drawn.choice(nodes), drawn.randint(0, 9))
        for _ in range(drawn.randint(0, 40))
    ]
    edges = [edge for edge in edges if edge[0] != edge[1]]
    made: nx.DiGraph[str | int] = nx.DiGraph()
    made.add_nodes_from((0, nodes[-1]))
    for low, high, capacity in edges:
        made.add_edge(
            low,
            high,
            capacity=capacity + made.get_edge_data(low, high, {"capacity": 0})["capacity"],
        )
    assert max_flow(edges, 0, nodes[-1]) == nx.maximum_flow_value(made, 0, nodes[-1])

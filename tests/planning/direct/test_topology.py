"""Direct rails: every shape has the degree, the diameter and the cut of its formula."""

from __future__ import annotations

from itertools import permutations
from math import gcd, prod

import networkx as nx
import numpy as np
import pytest

from fabricgen.api import plan_inventory
from fabricgen.core.terms import LinkKind
from fabricgen.inventory.sizing import RailTopology
from fabricgen.planning.direct.graphs import connected, expander
from fabricgen.planning.direct.topology import DirectTopology, make_topology
from fabricgen.views.factory import Views
from tests.mutations.test_direct import TORUS


def topology(kind: str, nodes: int, ports: int, **keys: object) -> DirectTopology:
    """Join the nodes of a rail."""
    return make_topology(RailTopology(kind=kind, **keys), nodes, (ports, 100))  # type: ignore[arg-type]  # a word


def graph_of(made: DirectTopology) -> nx.Graph[int]:
    """Return the graph of a topology."""
    return nx.Graph(zip(made.links.lower.tolist(), made.links.upper.tolist(), strict=True))


SHAPES = [
    ("ring", 7, 2, {}),
    ("multi-ring", 16, 4, {}),
    ("multi-ring", 9, 6, {"rings": 3}),
    ("torus-2d", 16, 4, {}),
    ("torus-2d", 6, 4, {}),
    ("torus-3d", 24, 6, {}),
    ("torus-3d", 27, 6, {"dimensions": (3, 3, 3)}),
    ("hypercube", 32, 5, {}),
    ("expander", 15, 4, {"seed": 3}),
    ("expander", 16, 3, {}),
    ("full-mesh", 6, 5, {}),
    ("full-mesh", 2, 1, {}),
]


@pytest.mark.parametrize(("kind", "nodes", "ports", "keys"), SHAPES)
def test_a_shape_is_what_it_claims(
    kind: str, nodes: int, ports: int, keys: dict[str, object]
) -> None:
    """Degree and diameter, as networkx computes them, and each port with at most one link."""
    made = topology(kind, nodes, ports, **keys)
    graph = graph_of(made)
    assert set(dict(graph.degree).values()) == {made.degree}
    assert nx.is_connected(graph)
    assert made.diameter in (None, nx.diameter(graph))
    ends = [*zip(made.links.lower.tolist(), made.links.lower_port.tolist(), strict=True)]
    ends += zip(made.links.upper.tolist(), made.links.upper_port.tolist(), strict=True)
    assert len(set(ends)) == len(ends) == nodes * made.degree * made.parallel
    assert all(0 <= port < ports for _, port in ends)
    assert made.idle == ports - made.degree * made.parallel


def test_ports_that_neighbours_leave_make_parallel_links() -> None:
    """A ring over five ports has two links to each neighbour, and one idle port."""
    made = topology("ring", 5, 5)
    assert (made.degree, made.parallel, made.idle, len(made.links.lower)) == (2, 2, 1, 10)


def test_the_rings_of_a_multi_ring_each_pass_every_gpu() -> None:
    """Strides are coprime to the number of GPUs, and differ."""
    made = topology("multi-ring", 64, 8)
    assert len(set(made.strides)) == 4
    assert all(gcd(stride, 64) == 1 for stride in made.strides)


def test_an_expander_follows_its_seed() -> None:
    """One seed gives one graph, another seed another one; the first edges are recorded."""
    one, same, other = (expander(12, 3, seed) for seed in (1, 1, 2))
    assert [column.tolist() for column in one] == [column.tolist() for column in same]
    assert one.upper.tolist() != other.upper.tolist()
    assert [*zip(one.lower[:5].tolist(), one.upper[:5].tolist(), strict=True)] == RECORDED


RECORDED = [(0, 2), (0, 3), (0, 5), (1, 4), (1, 8)]


def test_two_pieces_are_not_connected() -> None:
    """A graph of two triangles is refused as an expander."""
    edges = np.array([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)], dtype=np.int32)
    assert not connected(6, edges)
    assert connected(3, edges[:3])


def test_a_direct_fabric_has_links_between_hosts_and_no_switches() -> None:
    """Both ends of a cable are split NIC ports of hosts, on the rail of its label."""
    plan = plan_inventory(TORUS)
    assert (plan.kinds, plan.roles, plan.links, list(plan.switches())) == (
        [LinkKind.DIRECT],
        [],
        64,
        [],
    )
    cable = next(iter(Views(plan).cables(1)))
    assert (cable.cable, cable.a_device, cable.a_interface) == ("r1-d00001", "host-01", "nic1s0")
    assert (cable.b_device, cable.b_interface, cable.speed) == ("host-05", "nic1s1", "100G")


@pytest.mark.parametrize("sizes", [(4, 4), (6, 5), (2, 4, 3), (4, 7), (3, 2)])
def test_no_halves_of_a_torus_are_joined_by_fewer_links_than_it_claims(
    sizes: tuple[int, ...],
) -> None:
    """Halves are the first nodes by each order of the dimensions, so that some meet at a step."""
    nodes = prod(sizes)
    made = topology(f"torus-{len(sizes)}d", nodes, 2 * len(sizes), dimensions=sizes)
    places = np.array(np.unravel_index(np.arange(nodes), sizes))
    found = []
    for order in permutations(range(len(sizes))):
        half = np.lexsort(places[[*order]])[: nodes // 2]
        crossing = np.isin(made.links.lower, half) != np.isin(made.links.upper, half)
        found.append(int(crossing.sum()) // made.parallel)
    assert made.bisection is None if max(sizes) % 2 else made.bisection == min(found)

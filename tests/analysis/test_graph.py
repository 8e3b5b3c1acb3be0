"""The graphs have every node and link of the plan.

Rails meet only in HB domains, and JSON and GraphML hold the same graph.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import networkx as nx
import pytest
from hypothesis import given

from fabricgen.analysis.cluster_graph import cluster_nodes
from fabricgen.analysis.graph import graph, graphml, node_link, switch_graph
from fabricgen.analysis.graph_files import GraphFiles
from fabricgen.core.diagnostics import Refusal
from fabricgen.planning.coordinates import gpu_name
from fabricgen.views.factory import Views
from tests.fabrics import CLUSTER, cables_of, cluster_cables, plan_of
from tests.laws.drawing import Inventory, inventories

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan

SMALL: Inventory = {"gpus": 64, "hb_domain": {"gpus": 8, "bandwidth": "3.6Tbps"}, "radix": 4}
SHARED: Inventory = {**SMALL, "radix": 16, "rails": {"planes": 2, "per_switch": 2, "tiers": 2}}
FABRICS: dict[str, Inventory] = {
    "two tiers": SMALL,
    "three tiers": {**SMALL, "rails": {"count": 4}},
    "one tier": {"gpus": 16, "hb_domain": {"gpus": 4, "hosts": 2}, "radix": 16},
    "rail-optimized": {**SMALL, "radix": 16, "design": "rail-optimized"},
    "fat-tree on two planes": {**SMALL, "radix": 16, "design": "fat-tree", "rails": {"planes": 2}},
    "shared boxes on two planes": SHARED,
    "shared boxes with a reserve": {**SHARED, "reserve": {"gpus": 128}},
    "uneven spines": {**SMALL, "gpus": 80, "radix": 12, "rails": {"count": 2}, "spread": "minimal"},
    "two cables a link": {
        "gpus": 64,
        "hb_domain": {"gpus": 8},
        "host": {"model": "dgx-b300"},
        "switches": {"leaf": {"model": "sn5600", "breakout": "1x800G"}},
    },
    "faster spines": {
        "gpus": 64,
        "hb_domain": {"gpus": 8},
        "rails": {"tiers": 2},
        "switches": {
            "leaf": {"model": "sn5600", "breakout": "2x400G"},
            "spine": {"model": "sn5600", "breakout": "1x800G"},
        },
    },
}


@pytest.fixture(params=list(FABRICS.values()), ids=list(FABRICS), scope="module")
def plan(request: pytest.FixtureRequest) -> Plan:
    """Plan each of the fabrics."""
    return plan_of(**request.param)


def without(made: nx.MultiGraph[str], *kinds: str) -> nx.MultiGraph[str]:
    """Remove the nodes of some kinds from a graph."""
    made.remove_nodes_from([node for node, shown in made.nodes.items() if shown["kind"] in kinds])
    return made


def switches(made: nx.Graph[str]) -> set[str]:
    """Return the nodes of switches."""
    return {node for node, shown in made.nodes.items() if "switch" in shown}


def test_every_node_and_link_is_there() -> None:
    """64 GPUs on 8 rails of four leaves and two spines."""
    plan = plan_of(**SMALL)
    made = graph(plan)
    assert Counter(shown["kind"] for shown in made.nodes.values()) == {
        "gpu": 64,
        "nic": 64,
        "hb-domain": 8,
        "leaf": 32,
        "spine": 16,
    }
    cabled = [edge for *_, edge in made.edges(data=True) if "cable" in edge]
    assert len(cabled) == sum(plan.link_count(kind) for kind in plan.kinds)
    assert {edge["capacity_gbps"] for edge in cabled} == {400}
    assert {
        edge["capacity_gbps"] for *_, edge in made.edges(data=True) if edge["kind"] == "hb"
    } == {3600}


def test_the_fabrics_cover_every_difference_of_graphs() -> None:
    """All tiers, shared boxes, pairs with unequal numbers of links, and a reserve.

    Links have two cables, or two speeds.
    """
    plans = {name: plan_of(**keys) for name, keys in FABRICS.items()}
    assert {plan.sizing.tiers for plan in plans.values()} == {1, 2, 3}
    assert plans["shared boxes on two planes"].mapping.segment_blocks == 2
    assert (
        len({edge["links"] for *_, edge in switch_graph(plans["uneven spines"]).edges(data=True)})
        == 2
    )
    assert {joint.cables for joint in plans["two cables a link"].link_parts.values()} == {2}
    assert {joint.speed_gbps for joint in plans["faster spines"].link_parts.values()} == {400, 800}
    assert not all(plans["shared boxes with a reserve"].installed)


def nic_ports(plan: Plan) -> dict[tuple[str, str], str]:
    """Return the node of each NIC port by its host and its interface."""
    request = plan.fabric
    return {
        (
            plan.hosts[gpu // request.host_gpus],
            plan.naming.interface(gpu % request.host_gpus, plane),
        ): f"{gpu_name(*divmod(gpu, request.domain_gpus))}/{plane}"
        for gpu in range(request.gpus)
        for plane in range(request.planes)
    }


def test_an_edge_is_the_cable_of_the_cabling_plan(plan: Plan) -> None:
    """Both ends, rail, plane and speed are those of the sheet.

    The cables of one link are one edge.
    """
    _views, ports = Views(plan), nic_ports(plan)
    letters = "ab" if any(joint.cables > 1 for joint in plan.link_parts.values()) else ""
    wanted = {
        cable.cable.rstrip(letters): (
            {ports.get((cable.a_device, cable.a_interface), cable.a_device), cable.b_device},
            cable.rail,
            cable.plane,
            cable.speed,
        )
        for cable in cables_of(plan)
    }
    made = graph(plan)
    box = {node: shown.get("switch", node) for node, shown in made.nodes.items()}
    found = {
        edge["cable"]: (
            {box[low], box[high]},
            str(edge.get("rail", "")),
            edge["plane"],
            f"{edge['capacity_gbps']}G",
        )
        for low, high, edge in made.edges(data=True)
        if "cable" in edge
    }
    assert found == wanted


def test_a_nic_port_has_the_rail_and_plane_of_its_link(plan: Plan) -> None:
    """Its GPU has the same rail and the same host."""
    made = graph(plan)
    nodes = made.nodes
    for low, high, edge in made.edges(data=True):
        if edge["kind"] == "host":
            assert (nodes[low]["rail"], nodes[low]["plane"]) == (edge["rail"], edge["plane"])
        elif edge["kind"] == "nic":
            assert (nodes[low]["rail"], nodes[low]["host"]) == (
                nodes[high]["rail"],
                nodes[high]["host"],
            )


def test_a_switch_node_is_a_routing_instance(plan: Plan) -> None:
    """A box that rails share has a node for each VRF of its configuration.

    Any other box is one node.
    """
    views = Views(plan)
    wanted = {
        (
            f"{switch.name}/{instance.vrf}" if instance.vrf else switch.name,
            switch.name,
            switch.role,
            switch.plane,
            instance.rail,
        )
        for segment in range(plan.mapping.segments)
        for switch in views.switches(segment)
        for instance in switch.instances
    }
    made = switch_graph(plan)
    assert {
        (node, shown["switch"], shown["kind"], shown["plane"], str(shown.get("rail", "")))
        for node, shown in made.nodes.items()
    } == wanted
    assert switches(graph(plan)) == set(made)


def test_keys_identify_edges(plan: Plan) -> None:
    """A key is unique in the graph, as GraphML requires of an edge's id.

    It is the cable where there is one.
    """
    made = graph(plan)
    assert len({key for *_, key in made.edges(keys=True)}) == made.number_of_edges()
    assert all(edge.get("cable", key) == key for *_, key, edge in made.edges(keys=True, data=True))


def test_gpu_edges_have_rail_plane_and_capacity(plan: Plan) -> None:
    """They have those of their NIC port.

    An edge into an HB domain has the bandwidth of the inventory or the host, or none.
    """
    made, request = graph(plan), plan.fabric
    for low, high, edge in made.edges(data=True):
        if edge["kind"] == "nic":
            assert (edge["rail"], edge["plane"], edge["capacity_gbps"]) == (
                made.nodes[high]["rail"],
                made.nodes[high]["plane"],
                request.speed_gbps,
            )
        elif edge["kind"] == "hb":
            assert edge == {"kind": "hb"} | (
                {"capacity_gbps": request.hb_bandwidth_gbps} if request.hb_bandwidth_gbps else {}
            )
            assert low.startswith("hb:")
    assert (
        Counter(edge["kind"] for *_, edge in made.edges(data=True))["nic"]
        == request.gpus * request.planes
    )


@pytest.mark.parametrize(
    ("design", "rails", "parts"),
    [
        ("rail-only", {}, 8),
        ("rail-only", {"per_switch": 2, "tiers": 2}, 8),
        ("rail-only", {"per_switch": "auto", "planes": 2}, 16),
        ("rail-optimized", {}, 1),
        ("fat-tree", {}, 1),
    ],
)
def test_rails_meet_only_in_hb_domains(design: str, rails: dict[str, Any], parts: int) -> None:
    """Without HB domains a rail-only fabric divides into its rails, on shared boxes too.

    GPUs join planes, so GPUs are removed as well.
    """
    plan = plan_of(**{**SMALL, "radix": 16, "design": design, "rails": rails})
    made = without(graph(plan), "hb-domain", "gpu")
    groups = list(nx.connected_components(made))
    assert len(groups) == parts
    assert all(len({made.nodes[node]["plane"] for node in group}) == 1 for group in groups)
    if design == "rail-only":
        assert all(len({made.nodes[node]["rail"] for node in group}) == 1 for group in groups)
    folded = switch_graph(plan)
    assert {frozenset(group & switches(made)) for group in groups} == set(
        map(frozenset, nx.connected_components(folded))
    )


def test_a_shared_box_has_no_path_between_its_rails() -> None:
    """The path to another rail uses an HB domain, although both rails' ports are on one box."""
    made = graph(plan_of(**SHARED))
    path = nx.shortest_path(made, "d0-g0", "d1-g1")
    assert {"hb:0", "hb:1"} & set(path)
    (leaf,) = (node for node in made["d0-g0/0"] if "switch" in made.nodes[node])
    (other,) = (node for node in made["d0-g1/0"] if "switch" in made.nodes[node])
    assert leaf != other
    assert made.nodes[leaf]["switch"] == made.nodes[other]["switch"]


def folded(made: nx.MultiGraph[str]) -> nx.Graph[str]:
    """Merge the endpoints of the full graph, edge by edge."""
    few: nx.Graph[str] = nx.Graph(**made.graph)
    own = switches(made)
    few.add_nodes_from(
        (node, {**made.nodes[node], "endpoints": 0, "endpoint_gbps": 0})
        for node in made
        if node in own
    )
    for low, high, edge in made.edges(data=True):
        ends = {low, high} & own
        if edge["kind"] == "host":
            (node,) = ends
            few.nodes[node]["endpoints"] += 1
            few.nodes[node]["endpoint_gbps"] += edge["capacity_gbps"]
        elif ends:
            before = few.get_edge_data(low, high, {"links": 0, "capacity_gbps": 0})
            kept = {key: edge[key] for key in ("kind", "rail", "plane") if key in edge}
            few.add_edge(
                low,
                high,
                **kept,
                links=before["links"] + 1,
                capacity_gbps=before["capacity_gbps"] + edge["capacity_gbps"],
            )
    return few


def test_the_switch_graph_is_the_graph_without_endpoints(plan: Plan) -> None:
    """Counted edge by edge from the full graph, it is the same."""
    assert exact(switch_graph(plan)) == exact(folded(graph(plan)))


@given(inventories())
def test_the_switch_graph_of_any_fabric_is_its_graph_without_endpoints(
    inventory: Inventory,
) -> None:
    """The same for drawn inventories."""
    try:
        plan = plan_of(**inventory)
    except Refusal:
        return
    assert exact(switch_graph(plan)) == exact(folded(graph(plan)))


def test_edges_of_the_switch_graph_are_independent(plan: Plan) -> None:
    """A weight given to one edge does not appear on another."""
    made = switch_graph(plan)
    assert len({id(edge) for *_, edge in made.edges(data=True)}) == made.number_of_edges()


def exact(made: nx.Graph[str]) -> tuple[object, ...]:
    """Return the whole contents of a graph with the types.

    Unlike ==, repr distinguishes 1 from 1.0, from True and from "1".
    """

    def typed(shown: dict[str, Any]) -> str:
        return repr(sorted(shown.items()))

    edges: list[tuple[Any, ...]] = (
        list(made.edges(keys=True, data=True))
        if isinstance(made, nx.MultiGraph)
        else list(made.edges(data=True))
    )
    defaults = {"node_default", "edge_default"}  # what networkx adds to any GraphML that it reads
    return (
        type(made).__name__,
        typed({key: value for key, value in made.graph.items() if key not in defaults}),
        [(node, typed(shown)) for node, shown in made.nodes.items()],
        sorted((*sorted(edge[:2]), *map(repr, edge[2:-1]), typed(edge[-1])) for edge in edges),
    )


def test_the_files_of_a_build_are_those_that_networkx_writes(plan: Plan) -> None:
    """`graph_files` writes both without networkx, byte for byte the same."""
    made, files = graph(plan), GraphFiles(plan)
    assert files.node_link == node_link(made)
    assert "".join(files.graphml()) == graphml(made)
    files.node_link += "&"  # as if a text had to be escaped
    assert "".join(files.graphml()) == graphml(made)


def test_the_files_of_a_cluster_have_the_links_of_all_networks() -> None:
    """Each link is one edge with its network; switches have theirs, and a device is one node."""
    plan = plan_of(**CLUSTER)
    made = nx.node_link_graph(json.loads(GraphFiles(plan).node_link), edges="edges")
    assert isinstance(made, nx.MultiGraph)
    again = nx.read_graphml(
        io.BytesIO("".join(GraphFiles(plan).graphml()).encode()), edge_key_type=str
    )
    assert exact(again) == exact(made)
    planned = {
        cable.cable: (name, cable)
        for name, cables in cluster_cables(plan).items()
        for cable in cables
    }
    links = {
        key: (low, high, shown)
        for low, high, key, shown in made.edges(keys=True, data=True)
        if "cable" in shown
    }
    assert links.keys() == planned.keys()
    for label, (low, high, shown) in links.items():
        name, cable = planned[label]
        assert shown["network"] == name
        if name != "compute":
            assert {low, high} == {cable.a_device, cable.b_device}
    kinds = {node: (shown["kind"], shown.get("network")) for node, shown in made.nodes.items()}
    assert kinds["host-1"] == ("host", None)
    assert kinds["mgmt-1"] == ("device", None)
    assert kinds["oob-1"] == ("leaf", "oob")
    assert {network for kind, network in kinds.values() if kind == "gpu"} == {"compute"}


def test_links_of_several_cables_have_the_label_of_the_link() -> None:
    """A link of 800G between switches takes two cables; its edge has no letter, as in compute."""
    switches = {"leaf": {"model": "sn5600"}, "spine": {"model": "sn5600"}}
    plan = plan_of(
        gpus=16,
        hb_domain={"gpus": 8},
        switches={"leaf": {"model": "sn5600"}},
        networks={"storage": {"switches": switches, "speed": "800G"}},
        devices=[{"name": "target-{n}", "count": 80, "ports": {"storage": 2}}],
    )
    cables = {cable.cable for cable in cluster_cables(plan)["storage"]}
    assert {"storage-u00001a", "storage-u00001b"} <= cables
    edges = json.loads(GraphFiles(plan).node_link)["edges"]
    labels = [edge["cable"] for edge in edges if edge.get("network") == "storage"]
    assert len(labels) == plan.networks["storage"].links
    assert {label[-1].isdigit() for label in labels} == {True}


def test_a_management_port_is_that_of_the_switch_that_rails_share() -> None:
    """A box that is a node for each rail has one more for its management port."""
    keys = CLUSTER | {"design": "rail-only", "rails": {"per_switch": 2}}
    nodes = dict(cluster_nodes(plan_of(**keys)))
    boxes = {shown["switch"] for shown in nodes.values() if shown["kind"] == "leaf"}
    assert boxes <= nodes.keys()


def test_node_link_json_round_trips(plan: Plan) -> None:
    """The result has the same nodes, links, keys and attributes, of the same types."""
    for made in (graph(plan), switch_graph(plan)):
        assert exact(nx.node_link_graph(json.loads(node_link(made)), edges="edges")) == exact(made)


def test_graphml_round_trips(plan: Plan) -> None:
    """The result is the same graph."""
    for made in (graph(plan), switch_graph(plan)):
        again = nx.read_graphml(
            io.BytesIO(graphml(made).encode()),
            edge_key_type=str,
            force_multigraph=made.is_multigraph(),
        )
        assert exact(again) == exact(made)


def test_the_comparison_distinguishes_types() -> None:
    """A number differs from its text, and from the same number of another type."""
    shapes = [
        exact(nx.Graph([("a", "b", {"capacity_gbps": value})])) for value in (1, 1.0, True, "1")
    ]
    assert all(one != other for number, one in enumerate(shapes) for other in shapes[:number])

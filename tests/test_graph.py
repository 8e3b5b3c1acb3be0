"""The graph: every node and link of the plan, unchanged by JSON and by GraphML, and rails that meet only in HB domains."""

from __future__ import annotations

import io
import json
from collections import Counter
from typing import TYPE_CHECKING

import networkx as nx
import pytest

from fabricgen.graph import graph, graphml, node_link
from tests.planned import planned

if TYPE_CHECKING:
    from fabricgen.planner import Plan

SMALL = {"gpus": 64, "hb_domain": {"gpus": 8, "bandwidth": "3.6Tbps"}, "radix": 4}


def without(made: nx.MultiGraph[str], *kinds: str) -> nx.MultiGraph[str]:
    """Take the nodes of some kinds out of a graph."""
    made.remove_nodes_from([node for node, shown in made.nodes.items() if shown["kind"] in kinds])
    return made


def test_every_node_and_link_is_there() -> None:
    """64 GPUs on 8 rails of four leaves and two spines."""
    plan = planned(**SMALL)
    made = graph(plan)
    assert Counter(shown["kind"] for shown in made.nodes.values()) == {"gpu": 64, "nic": 64, "hb-domain": 8, "leaf": 32, "spine": 16}
    cabled = [edge for *_, edge in made.edges(data=True) if "cable" in edge]
    assert len(cabled) == sum(plan.link_count(kind) for kind in plan.kinds)
    assert {edge["capacity_gbps"] for edge in cabled} == {400}
    assert {edge["capacity_gbps"] for *_, edge in made.edges(data=True) if edge["kind"] == "hb"} == {3600}


def test_rails_meet_only_in_hb_domains() -> None:
    """Without HB domains a rail-only fabric falls into its rails, and a rail-optimized one does not."""
    for design, parts in (("rail-only", 8), ("rail-optimized", 1), ("fat-tree", 1)):
        made = graph(planned(design=design, **{**SMALL, "radix": 16}))
        assert nx.number_connected_components(without(made, "hb-domain")) == parts


def test_planes_share_no_switch() -> None:
    """Without the GPUs, the planes of a fabric are apart."""
    made = graph(planned(design="fat-tree", rails={"planes": 2}, **{**SMALL, "radix": 16}))
    assert nx.number_connected_components(without(made, "gpu", "hb-domain")) == 2


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Plan a fabric with planes and shared boxes."""
    return planned(rails={"planes": 2, "per_switch": 2, "tiers": 2}, **{**SMALL, "radix": 16})


def test_node_link_json_round_trips(plan: Plan) -> None:
    """Reading it back gives the same nodes, links and attributes."""
    made = graph(plan)
    again = nx.node_link_graph(json.loads(node_link(made)), edges="edges")
    assert nx.utils.graphs_equal(made, again)


def test_graphml_round_trips(plan: Plan) -> None:
    """GraphML keeps types as well: ranks and capacities stay numbers."""
    made = graph(plan)
    again = nx.read_graphml(io.BytesIO(graphml(made).encode()), force_multigraph=True)
    assert dict(made.nodes.items()) == dict(again.nodes.items())
    plain = [sorted((*sorted(ends[:2]), json.dumps(ends[2], sort_keys=True)) for ends in one.edges(data=True)) for one in (made, again)]
    assert plain[0] == plain[1]

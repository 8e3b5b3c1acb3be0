"""The equations against flows on the planned graph.

Every pair of GPUs is a flow, links are shared max-min fairly, and time runs until all is sent.

Flows use the graph alone: shortest paths, spread at each hop over all links towards the target, as
perfect ECMP does. They share with the equations only the volume of each pair.

Where network and pattern are even, the two agree to rounding: one tier, two tiers without blocking,
any of the designs, and inside HB domains. They differ where leaves are oversubscribed, and the
tests state by how much:

* the equations know one bandwidth between HB domains, so `search` uses the oversubscribed one for
  all of it; flows below one leaf do not cross it. Of a group of D, with m on each leaf, the share
  (D - m)/(D - 1) crosses when all send to all, and the time falls to it;
* in a ring only one member of each leaf sends across it, so no link is short of bandwidth, and the
  NIC alone sets the time;
* the uplinks of a partially filled leaf are not oversubscribed, and its members finish sooner; the
  last of all are those of a full leaf.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import networkx as nx
import pytest

from fabricgen.analysis.graph import graph
from fabricgen.analysis.search.score import judge
from fabricgen.analysis.workload.collectives import Groups
from fabricgen.analysis.workload.equations import iterate
from fabricgen.analysis.workload.machine import BYTES_S, find_llm, machine_of
from fabricgen.planning.coordinates import gpu_name
from tests.fabrics import CATALOG, plan_of

if TYPE_CHECKING:
    from fabricgen.analysis.workload.collectives import Collective
    from fabricgen.planning.plan import Plan

Edge = tuple[str, str]

LLM = find_llm(CATALOG, "gpt3")
BASE: dict[str, Any] = {"gpus": 64, "hb_domain": {"gpus": 4, "bandwidth": "3.6Tbps"}}
EVEN: dict[str, dict[str, Any]] = {
    "one tier": {**BASE, "radix": 16},
    "two tiers": {**BASE, "radix": 8},
    "two tiers, two planes": {**BASE, "radix": 8, "rails": {"planes": 2}},
    "two tiers, shared leaves": {**BASE, "radix": 16, "rails": {"per_switch": 2, "tiers": 2}},
    "three tiers": {**BASE, "radix": 4},
    "rail-optimized": {**BASE, "radix": 16, "design": "rail-optimized"},
    "fat-tree": {**BASE, "radix": 16, "design": "fat-tree"},
    "three tiers of a fat-tree": {**BASE, "radix": 6, "gpus": 32, "design": "fat-tree"},
}


def directed(plan: Plan, *, inside: bool) -> nx.DiGraph[str]:
    """Return the planned graph of HB domains or the network.

    It has two edges for each pair of neighbours, with the capacity of all links between them in
    bytes/s.
    """
    made: nx.DiGraph[str] = nx.DiGraph()
    for low, high, facts in graph(plan).edges(data=True):
        if (facts["kind"] == "hb") is inside:
            for one, other in ((low, high), (high, low)):
                known = made.get_edge_data(one, other, {"capacity": 0.0})["capacity"]
                made.add_edge(one, other, capacity=known + facts["capacity_gbps"] * BYTES_S)
    return made


def spread(
    network: nx.DiGraph[str], source: str, target: str, nearer: dict[str, int]
) -> dict[Edge, float]:
    """Return the share of a flow on each edge.

    `nearer` is the distance of every node to the target.
    """
    at, used = {source: 1.0}, {}
    for _ in range(nearer[source]):
        reached: dict[str, float] = defaultdict(float)
        for node, share in at.items():
            onward = {
                hop: network.edges[node, hop]["capacity"]
                for hop in network[node]
                if nearer[hop] == nearer[node] - 1
            }
            for hop, capacity in onward.items():
                used[node, hop] = share * capacity / sum(onward.values())
                reached[hop] += used[node, hop]
        at = reached
    assert at == {target: pytest.approx(1.0)}
    return used


def fair(network: nx.DiGraph[str], flows: dict[Edge, dict[Edge, float]]) -> dict[Edge, float]:
    """Return max-min fair rates in bytes/s.

    All flows are filled alike until an edge is full; those that cross it are fixed, and the others
    go on.
    """
    left = {edge: float(network.edges[edge]["capacity"]) for edge in network.edges}
    rates: dict[Edge, float] = {}
    level, wants = 0.0, defaultdict[Edge, float](float)
    for used in flows.values():
        for edge, share in used.items():
            wants[edge] += share
    while len(rates) < len(flows):
        step = min(left[edge] / want for edge, want in wants.items() if want > 1e-9)
        full = {
            edge
            for edge, want in wants.items()
            if want > 1e-9 and left[edge] / want <= step * (1 + 1e-9)
        }
        level += step
        for edge, want in wants.items():
            left[edge] -= step * want
        for pair, used in flows.items():
            if pair not in rates and not full.isdisjoint(used):
                rates[pair] = level
                for edge, share in used.items():
                    wants[edge] -= share
    return rates


def finished(network: nx.DiGraph[str], pairs: list[Edge], each_bytes: float) -> float:
    """Return when the last flow has sent its bytes.

    Finished flows leave their bandwidth to the others.
    """
    away = {
        target: nx.single_source_shortest_path_length(network, target)
        for target in {target for _, target in pairs}
    }
    flows = {
        (source, target): spread(network, source, target, away[target]) for source, target in pairs
    }
    owed, now = dict.fromkeys(flows, each_bytes), 0.0
    while owed:
        rates = fair(network, {pair: flows[pair] for pair in owed})
        step = min(owed[pair] / rate for pair, rate in rates.items())
        now += step
        owed = {
            pair: bytes_left
            for pair, rate in rates.items()
            if (bytes_left := owed[pair] - step * rate) > 1e-6 * each_bytes
        }
    return now


def timed(plan: Plan, name: str, collective: Collective = "direct", n_m: int = 2) -> float:
    """Send one class of traffic of an iteration over the planned graph, and return its duration."""
    groups = Groups(LLM, machine_of(plan.fabric, CATALOG), n_m, collective)
    sent, size = groups.classes[name], plan.fabric.domain_gpus
    columns = [groups.peers(sent, domain) for domain in range(groups.domains)]
    pairs = [
        (gpu_name(*divmod(one, size)), gpu_name(*divmod(other, size)))
        for source, target in columns
        for one, other in zip(source.tolist(), target.tolist(), strict=True)
    ]
    return finished(directed(plan, inside=sent.inside), pairs, sent.bytes_per_pair)


@pytest.mark.parametrize("name", EVEN)
def test_across_hb_domains_the_equations_equal_the_flows(name: str) -> None:
    """Without blocking the NIC sets the time, whichever spine a flow crosses."""
    plan = plan_of(**EVEN[name])
    expected = iterate(LLM, machine_of(plan.fabric, CATALOG), 2).dp_across_s
    assert timed(plan, "dp_across") == pytest.approx(expected)
    assert plan.sizing.tiers == (1 if name == "one tier" else 3 if name.startswith("three") else 2)


@pytest.mark.parametrize("n_m", [2, 4])
def test_inside_hb_domains_the_equations_equal_the_flows(n_m: int) -> None:
    """An HB domain is a switch between its GPUs.

    This holds for the model-parallel groups and for the rest of data parallelism.
    """
    plan = plan_of(**EVEN["one tier"])
    expected = iterate(LLM, machine_of(plan.fabric, CATALOG), n_m)
    assert timed(plan, "mp", n_m=n_m) == pytest.approx(expected.mp_s)
    if n_m < plan.fabric.domain_gpus:
        assert timed(plan, "dp_within", n_m=n_m) == pytest.approx(expected.dp_within_s)


@pytest.mark.parametrize("ratio", ["2:1", "3:1"])
def test_oversubscribed_leaves_slow_only_what_crosses_them(ratio: str) -> None:
    """The search assumes that all traffic crosses, the worst order of GPUs.

    Flows are faster by the share that does not.
    """
    plan = plan_of(
        **{**BASE, "gpus": 4 * 12}, radix=8 if ratio == "3:1" else 9, oversubscription=ratio
    )
    members, on_leaf = plan.fabric.gpus // plan.fabric.rails, plan.sizing.leaf_down
    assert members % on_leaf == 0
    machine = machine_of(plan.fabric, CATALOG)
    slowed = replace(machine, nic_bytes_s=machine.nic_bytes_s * plan.sizing.leaf_up / on_leaf)
    printed, free = iterate(LLM, slowed, 2).dp_across_s, iterate(LLM, machine, 2).dp_across_s
    assert timed(plan, "dp_across") == pytest.approx(printed * (members - on_leaf) / (members - 1))
    estimated = judge(plan, LLM).times
    assert estimated
    assert estimated.dp_across_s == pytest.approx(printed)
    assert timed(plan, "dp_across", "ring") == pytest.approx(free)


def test_a_partially_filled_leaf_finishes_sooner() -> None:
    """Two leaves of six and one of four, 3:1.

    Members of a full leaf finish last, with the traffic that crosses it.
    """
    plan = plan_of(**{**BASE, "gpus": 4 * 16}, radix=8, oversubscription="3:1")
    members, (full, up) = (
        plan.fabric.gpus // plan.fabric.rails,
        (plan.sizing.leaf_down, plan.sizing.leaf_up),
    )
    assert members % full
    machine = machine_of(plan.fabric, CATALOG)
    printed = iterate(
        LLM, replace(machine, nic_bytes_s=machine.nic_bytes_s * up / full), 2
    ).dp_across_s
    assert timed(plan, "dp_across") == pytest.approx(printed * (members - full) / (members - 1))

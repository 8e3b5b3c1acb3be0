"""Paths between GPUs: their kinds, their hops in the graph, the balance of relays and uplinks."""

from __future__ import annotations

import json
from collections import Counter
from ipaddress import ip_network
from itertools import pairwise, permutations, product
from math import sqrt
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.analysis.forwarding.ecmp_hash import flow_of, spread
from fabricgen.analysis.forwarding.failures import find_failures, find_gpu
from fabricgen.analysis.forwarding.gpu_routes import gpu_view, hb_address
from fabricgen.analysis.forwarding.path_names import PathNames
from fabricgen.analysis.forwarding.path_selection import PathSelector
from fabricgen.analysis.forwarding.paths import Routing
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.analysis.forwarding.relay_rules import Exit, RelayOrder, exits, landings, relay_order
from fabricgen.analysis.forwarding.tables import ForwardingTables
from fabricgen.analysis.graph import graph
from fabricgen.api import plan_file
from fabricgen.build.run import build
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import LinkKind
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.addressing import address_text
from fabricgen.planning.coordinates import gpu_name
from tests import ROOT
from tests.fabrics import build_job, plan_of
from tests.laws.drawing import Inventory, inventories

if TYPE_CHECKING:
    import random
    from pathlib import Path

    import networkx as nx

    from fabricgen.analysis.forwarding.paths import Path as Route
    from fabricgen.planning.plan import Plan

SMALL: dict[str, Any] = {"gpus": 64, "hb_domain": {"gpus": 8}, "radix": 8}
TURNS: dict[str, Any] = {"gpus": 96, "hb_domain": {"gpus": 12}, "rails": {"count": 3}, "radix": 16}
"""Four GPUs of a domain share each rail."""


def ready(name: str) -> Plan:
    """Plan a ready inventory."""
    return plan_file(ROOT / "inventories" / f"{name}.yaml")


def routes(plan: Plan, source: str, target: str, *failed: str) -> list[Route]:
    """Return a path of each kind."""
    routing = Routing(Reach(plan, find_failures(plan, failed)))
    ends = find_gpu(plan, source), find_gpu(plan, target)
    return [routing.path(*ends, way) for way in routing.choice.each_kind(*ends)]


# --- kinds of path


@pytest.mark.parametrize(
    ("source", "target", "failed", "kinds"),
    [
        ("d0-g0", "d0-g3", (), ["direct"]),
        ("d0-g0", "d7-g0", (), ["direct", "third-rail-relay"]),
        ("d0-g0", "d7-g3", (), ["source-relay", "destination-relay", "third-rail-relay"]),
        ("d0-g0", "d7-g3", ("rail:3",), ["destination-relay", "third-rail-relay"]),
        ("d0-g0", "d7-g3", ("rail:3", "rail:0"), ["third-rail-relay"]),
        ("d0-g0", "d7-g3", ("hb:0",), ["destination-relay"]),
        ("d0-g0", "d7-g3", ("hb:7",), ["source-relay"]),
        ("d0-g0", "d7-g3", ("hb:0", "hb:7"), ["third-domain-relay"]),
        ("d0-g0", "d0-g3", ("hb:0",), ["third-domain-relay"]),
        ("d0-g0", "d7-g3", ("gpu:d0-g3",), ["destination-relay", "third-rail-relay"]),
        ("d0-g0", "d7-g3", ("nic:d7-g3",), ["destination-relay", "third-rail-relay"]),
        ("d0-g0", "d7-g3", ("plane:0",), []),
        ("d0-g0", "d7-g3", ("gpu:d7-g3",), []),
    ],
)
def test_the_kinds_of_a_rail_only_fabric(
    source: str, target: str, failed: tuple[str, ...], kinds: list[str]
) -> None:
    """The default comes first, then the valid ones of the others."""
    assert [path.kind for path in routes(ready("lab-64"), source, target, *failed)] == kinds


@pytest.mark.parametrize("design", ["rail-optimized", "fat-tree"])
def test_the_spine_comes_first_where_blocks_span_rails(design: str) -> None:
    """The relay is listed beside it, and is used when the GPU's NIC is down."""
    plan = plan_of(design=design, **{**SMALL, "radix": 16})
    assert [path.kind for path in routes(plan, "d0-g0", "d7-g3")] == [
        "direct",
        "destination-relay",
        "source-relay",
        "third-rail-relay",
    ]
    assert routes(plan, "d0-g0", "d7-g3", "nic:d0-g0")[0].relays == ("d0-g3",)


def test_a_relay_of_many_has_the_same_turn() -> None:
    """NVL72 on four rails: the relay is in the sender's own tray.

    The other kinds use the rails of their names.
    """
    paths = routes(ready("gb200-nvl72-four-rails"), "d0-g5", "d9-g70")
    assert [(path.kind, path.relays) for path in paths] == [
        ("source-relay", ("d0-g6",)),
        ("destination-relay", ("d9-g69",)),
        ("third-rail-relay", ("d0-g7", "d9-g71")),
    ]
    travelled = [{hop.rail for hop in path.hops if hop.kind in ("leaf", "spine")} for path in paths]
    assert travelled == [{2}, {1}, {3}]


# --- every hop is an edge of the graph


def check_hops(made: nx.MultiGraph[str], path: Route) -> None:
    """Find each step of a path in the graph, by its cable or its kind, and count the cables."""
    for before, hop in pairwise(path.hops):
        assert made.nodes[hop.node]["kind"] == hop.kind
        assert made.nodes[hop.node].get("switch", hop.device) == hop.device
        edges = made.get_edge_data(before.node, hop.node).values()
        assert hop.via in (
            {edge.get("cable") for edge in edges}
            | {edge["kind"] for edge in edges if "cable" not in edge}
        )
    assert path.links == sum(hop.via not in ("hb", "nic", None) for hop in path.hops)
    assert path.hops[0].via is None


def test_paths_of_random_fabrics_are_walks_in_the_graph() -> None:
    """Every kind over one crossing, every plane and flow, with and without a failed switch.

    No node occurs twice.
    """
    kinds: Counter[str] = Counter()

    @settings(max_examples=100)
    @given(inventories(), st.randoms(use_true_random=False), st.booleans())
    def hold(inventory: Inventory, draw: random.Random, broken: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
        try:
            plan = plan_of(**inventory)
        except Refusal:
            return
        made, failed = (
            graph(plan),
            [f"switch:{draw.choice(list(plan.switches()))}"] if broken else [],
        )
        routing = Routing(Reach(plan, find_failures(plan, failed)))
        for _ in range(10 if plan.fabric.gpus > 1 else 0):
            source, target = draw.sample(range(plan.fabric.gpus), 2)
            for way in routing.choice.each_kind(source, target):
                path = routing.path(source, target, way, flow_of(draw.randrange(10**6)))
                assert (path.hops[0].node, path.hops[-1].node) == (
                    routing.ends.gpu(source),
                    routing.ends.gpu(target),
                )
                check_hops(made, path)
                if len(way.legs) <= 1:
                    assert len({hop.node for hop in path.hops}) == len(path.hops)
                kinds[path.kind] += 1

    hold()
    assert set(kinds) >= {"direct", "source-relay", "destination-relay", "third-rail-relay"}, kinds


def test_a_path_over_other_domains_visits_no_gpu_twice() -> None:
    """Its GPUs reach each other through the domain with the next number."""
    plan = ready("lab-64")
    made, routing = graph(plan), Routing(Reach(plan, find_failures(plan, ["hb:5"])))
    for source, target in permutations(range(40, 48), 2):
        (way,) = routing.choice.each_kind(source, target)
        path = routing.path(source, target, way)
        check_hops(made, path)
        gpus = [hop.node for hop in path.hops if hop.kind == "gpu"]
        assert path.kind == "third-domain-relay"
        assert gpus == [
            f"d5-g{source - 40}",
            f"d6-g{source - 40}",
            f"d6-g{target - 40}",
            f"d5-g{target - 40}",
        ]


# --- balance


def carried(plan: Plan, *failed: str) -> Counter[int]:
    """Count the pairs that each GPU relays."""
    choice, load = (
        PathSelector(Reach(plan, find_failures(plan, failed))),
        Counter(dict.fromkeys(range(plan.fabric.gpus), 0)),
    )
    for source, target in permutations(range(plan.fabric.gpus), 2):
        way = choice.way(source, target)
        assert way is not None
        load.update(gpu for leg in way.legs for gpu in leg if gpu not in (source, target))
    return load


@pytest.mark.parametrize("keys", [SMALL, TURNS], ids=["rails", "turns"])
def test_every_gpu_relays_equally(keys: dict[str, Any]) -> None:
    """Each relays the packets of one GPU of every other rail of its domain."""
    plan = plan_of(**keys)
    request = plan.fabric
    pairs = (request.rails - 1) * request.ranks_per_rail * (request.gpus // request.domain_gpus - 1)
    assert set(carried(plan).values()) == {pairs}


@pytest.mark.parametrize("keys", [SMALL, TURNS], ids=["rails", "turns"])
def test_a_lost_rail_is_shared_by_all_others(keys: dict[str, Any]) -> None:
    """The load of a lost rail is spread over the others, to within what one domain sends."""
    plan = plan_of(**keys)
    request, load = plan.fabric, Counter[int]()
    for gpu, pairs in carried(plan, "rail:1").items():
        load[gpu % request.domain_gpus % request.rails] += pairs
    assert load.pop(1) == 0
    one_domain = 2 * request.ranks_per_rail * (request.gpus - request.domain_gpus) // request.rails
    assert max(load.values()) - min(load.values()) <= one_domain


@pytest.mark.parametrize(
    ("keys", "flows"),
    [
        ({**SMALL, "radix": 4}, 20_000),
        ({"gpus": 4096, "hb_domain": {"gpus": 8}, "radix": 64}, 60_000),
        ({"gpus": 2048, "hb_domain": {"gpus": 8}, "radix": 16}, 60_000),
        ({"gpus": 1000, "hb_domain": {"gpus": 10}, "rails": {"count": 1}, "radix": 20}, 60_000),
    ],
    ids=["lab", "two tiers", "three tiers", "ten uplinks"],
)
def test_flows_spread_over_the_uplinks(keys: dict[str, Any], flows: int) -> None:
    """Every uplink has its share within 5 sigma.

    That includes spines, which see only what leaves have chosen for them.
    """
    plan = plan_of(**keys)
    counts = spread(plan, 0, flows)
    assert list(counts) == plan.kinds[1:]
    for kind, found in counts.items():
        expected = flows / len(found)
        assert found.sum() == flows
        assert abs(found - expected).max() <= 5 * sqrt(expected), kind
    assert len(counts[LinkKind.LEAF_SPINE]) == plan.sizing.leaf_up


def test_nothing_spreads_where_there_is_no_uplink() -> None:
    """One tier has no choice to make."""
    assert spread(plan_of(gpus=16, hb_domain={"gpus": 8}, radix=16), 0, 100) == {}


def test_equal_paths_are_counted_and_all_are_used() -> None:
    """The lab: two spines with two links each way are eight paths between two leaves.

    Flows use them all.
    """
    routing = Routing(Reach(ready("lab-64")))
    way = next(routing.choice.ways(0, 56))
    paths = [routing.path(0, 56, way, flow_of(number)) for number in range(200)]
    assert {path.equal for path in paths} == {8}
    assert len({path.hops for path in paths}) == 8


# --- documents


@pytest.mark.parametrize("links", ["numbered", "unnumbered"])
def test_prefixes_cover_exactly_what_is_installed(links: str) -> None:
    """A spine has the positions below each leaf.

    Here they are five of eight on two leaves, a power of two and another number.
    """
    plan = plan_of(
        gpus=40,
        hb_domain={"gpus": 8},
        reserve={"gpus": 64},
        radix=8,
        rails={"tiers": 2},
        addressing={"host_links": links},
    )
    switches = dict(ForwardingTables(plan).switches(3))
    (spine,) = (
        switches[name]["instances"]
        for name in switches
        if switches[name]["role"] == "spine" and name.endswith("1")
    )
    sizes = [
        sum(ip_network(prefix).num_addresses for prefix in route["prefixes"])
        for route in spine[0]["routes"]
    ]
    assert sizes == ([8, 2] if links == "numbered" else [4, 1])


@pytest.mark.parametrize(
    ("group", "sentence"),
    [
        ("forwarding", "forwarding tables: 131,072 entries"),
        ("lab", "lab/: 8,192 GPUs are more than 1,024"),
    ],
)
def test_large_tables_are_written_on_request_only(group: str, sentence: str) -> None:
    """For eight thousand GPUs the build explains that, unless the group is named."""
    plan = plan_of(gpus=8192, hb_domain={"gpus": 8}, radix=64)
    unasked, asked = (
        build_job(plan, Packs(), (group,)),
        build_job(plan, Packs(), (group,), frozenset({group})),
    )
    assert (unasked.tasks, len(unasked.skipped)) == ([], 1)
    assert all("clabernetes" in reason for reason in asked.skipped), "Kubernetes holds 1,400 nodes"
    assert unasked.skipped[0].startswith(sentence)
    assert asked.tasks


def test_a_lab_without_ip_is_not_written() -> None:
    """InfiniBand switches route by LID, and a request for the group is answered so."""
    job = build_job(ready("dgx-h100-superpod-1su"), Packs(), ("lab",), frozenset({"lab"}))
    assert (job.tasks, job.skipped) == ([], ["lab/: on InfiniBand nothing routes by IP"])


def test_the_pack_of_the_lab_is_found() -> None:
    """Its group holds the script of a GPU."""
    assert [
        output.path
        for pack in Packs().group("lab")
        for output in pack.outputs
        if output.each == "gpu"
    ] == ["lab/gpus/{gpu}.sh"]


def test_a_build_writes_the_tables_of_every_device(tmp_path: Path) -> None:
    """The files are those announced, and the same in a second build."""
    plan = plan_of(**SMALL)
    outs = [tmp_path / name for name in ("one", "two")]
    for out in outs:
        build(build_job(plan, Packs(), ("forwarding", "lab")), out)
    one, two = (
        {path.relative_to(out): path.read_bytes() for path in out.rglob("*") if path.is_file()}
        for out in outs
    )
    assert one == two
    assert {path.as_posix() for path in one} == set(
        build_job(plan, Packs(), ("forwarding", "lab")).paths()
    )
    switches = [
        json.loads(text)
        for path, text in one.items()
        if path.parts[0] == "forwarding" and path.stem != "domains"
    ]
    assert {switch["switch"] for switch in switches} == set(plan.switches())


@pytest.mark.parametrize("design", ["rail-only", "fat-tree"])
def test_the_routes_of_a_gpu_follow_the_relay_rules(design: str) -> None:
    """On each plane the others of the HB domain come first.

    Then every GPU of it is an exit, in the order of the rules.
    """
    plan = plan_of(design=design, **{**TURNS, "rails": {"count": 3, "planes": 2}})
    ends = PathNames(Reach(plan))
    for gpu, plane in product((0, 16, 95), range(2)):
        first, rail = gpu // 12 * 12, gpu % 12 % 3
        address = ends.address(gpu, plane)
        source = address_text(address)
        beside = [
            (f"{address_text(ends.address(other, plane))}/32", other, 1)
            for other in range(first, first + 12)
            if other != gpu
        ]
        by_rail = [[*landings(plan.fabric, gpu, each)] for each in range(3)]
        orders = (
            by_rail
            if design == "rail-only"
            else [[*exits(plan.fabric, gpu, rail, spans_rails=True)]]
        )
        beyond = [
            (ends.prefix(other, plane), other, metric)
            for order in orders
            for metric, other in enumerate(order, start=1)
        ]
        ways = {
            other: (hb_address(other - first, 32), "hb0") for other in range(first, first + 12)
        } | {gpu: (address_text(ends.nic(gpu, plane).gateway), f"nic{plane}")}
        found = [route for route in gpu_view(ends, gpu).routes if route.source == source]
        assert found == [
            (prefix, *ways[other], source, metric) for prefix, other, metric in [*beside, *beyond]
        ]


def test_the_order_of_relays() -> None:
    """The target's rail comes first, then the own, then the third ones, turn by turn.

    Where blocks span rails the GPUs themselves come before all.
    """
    fabric = plan_of(gpus=12, hb_domain={"gpus": 6}, rails={"count": 3}, radix=16).fabric
    apart = RelayOrder(
        (
            Exit("target", 0), Exit("target", 1), Exit("source", 0), Exit("source", 1),
            Exit("third", 0, 0), Exit("third", 1, 0), Exit("third", 0, 1), Exit("third", 1, 1),
        ),
        (0, 1),
    )  # fmt: skip
    assert relay_order(fabric, spans_rails=False) == apart
    assert relay_order(fabric, spans_rails=True) == RelayOrder(
        (Exit("itself"), *apart.exits), (None, 0, 1)
    )
    assert list(exits(fabric, 10, 2)) == [11, 8, 10, 7, 9, 6]
    assert list(exits(fabric, 10, 2, spans_rails=True)) == [10, 11, 8, 7, 9, 6]
    assert list(landings(fabric, 10, 1)) == [10, 7]


@pytest.mark.parametrize("domain_gpus", [8, 64])
def test_the_table_of_a_gpu_is_as_long_as_its_hb_domain(domain_gpus: int) -> None:
    """Each GPU of an HB domain is named once among the relays of each other.

    Rails are ordered once for all.
    """
    plan = plan_of(gpus=128, hb_domain={"gpus": domain_gpus}, radix=32)
    tables = ForwardingTables(plan)
    (gpu, *_) = json.loads("".join(tables.host(0)))["gpus"]
    relays = [name for names in gpu["relays"].values() for name in names]
    assert sorted(relays) == sorted(gpu_name(0, rank) for rank in range(domain_gpus))
    orders = tables.domains()["domains"][-1]["third_rails"]
    assert {rail: sorted([*thirds, int(rail)]) for rail, thirds in orders.items()} == {
        str(rail): [*range(domain_gpus)] for rail in range(domain_gpus)
    }
    assert tables.entries == 128 * domain_gpus + 128 // domain_gpus * domain_gpus**2

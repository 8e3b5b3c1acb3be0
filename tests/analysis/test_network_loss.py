"""Who is cut off from which network, compared with a search in a graph of the whole cluster."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import networkx as nx
import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.analysis.forwarding.failures import find_failures
from fabricgen.analysis.impact.compare import cluster_impact
from fabricgen.analysis.impact.network_loss import NetworkFailures, NetworkLoss, sentence
from fabricgen.core.diagnostics import Refusal
from fabricgen.views.factory import Views
from tests.fabrics import plan_of
from tests.lifecycle.change.test_network_diff import CLUSTER

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan

UPLINK = {"network": "inband", "ports": 2}
NETWORKS: dict[str, Any] = {
    "storage": CLUSTER["networks"]["storage"],
    "inband": {"switches": {"leaf": {"model": "sn4600c"}}, "speed": "100G"},
    "oob": CLUSTER["networks"]["oob"],
}


@cache
def planned(*, uplink: bool) -> Plan:
    """Plan a cluster of three networks, whose `oob` has uplinks or not."""
    oob = NETWORKS["oob"] | ({"uplink": UPLINK} if uplink else {})
    pdus = {"name": "pdu-{n}", "count": 60, "ports": {"oob": 1}}
    devices = [*CLUSTER["devices"][:1], pdus]
    return plan_of(**CLUSTER | {"networks": NETWORKS | {"oob": oob}, "devices": devices})


def searched(plan: Plan, network: str, dead: str) -> set[str]:
    """Return the devices without a path to the most others, by a search over all cables."""
    graph: nx.Graph[str] = nx.Graph()
    asked = plan.spec.networks.each()[network]
    attached = set()
    for name in {network, asked.uplink.network} if asked.uplink else {network}:
        for view in Views(plan.networks[name]).cables(0):
            through = view.tier > 1 or (view.a_device.startswith("oob-") and name != network)
            # a device forwards nothing, so it is a node for each of its cables
            node = view.a_device if through else f"{view.a_device}/{view.cable}"
            graph.add_edge(node, view.b_device)
            if name == network and view.tier == 1 and view.a_device != dead:
                attached.add((view.a_device, node))
    if network == "oob" and not asked.uplink:
        graph.add_edges_from(("site", switch) for switch in plan.networks["oob"].switches())
    graph.remove_nodes_from([node for node in graph if node.partition("/")[0] == dead])
    parts = [*nx.connected_components(graph)]
    best = max(parts, key=lambda part: sum(node in part for _, node in attached))
    alive = {device for device, node in attached if node in best}
    return {device for device, _ in attached} - alive


@pytest.mark.parametrize("uplink", [True, False])
def test_the_devices_cut_off_are_those_of_a_search(*, uplink: bool) -> None:
    """For the loss of every switch of every network."""
    plan = planned(uplink=uplink)
    failures, lost = NetworkFailures(plan), 0
    for own in plan.networks.values():
        for switch in own.switches():
            losses = {loss.network: loss for loss in failures.losses([f"switch:{switch}"])}
            for network in plan.networks:
                found = set(losses[network].cut_off) if network in losses else set()
                assert found == searched(plan, network, switch), (switch, network)
                lost += len(found)
    assert lost


@pytest.mark.parametrize("network", ["storage", "inband"])
def test_uplinks_of_leaves_that_route_do_not_join_them(network: str) -> None:
    """Two devices that each have lost another leaf of two are apart, at both ends of uplinks."""
    leaf = {"switches": {"leaf": {"model": "sn4600c"}}, "speed": "100G"}
    networks = {"storage": leaf | {"uplink": UPLINK}, "inband": leaf}
    plan = plan_of(gpus=64, hb_domain={"gpus": 8}, radix=64, networks=networks)
    rows = [*Views(plan.networks[network]).cables(0)]
    first, second = (
        next(view for view in rows if view.a_device == host and view.b_device.endswith(leaf))
        for host, leaf in (("host-1", "1"), ("host-2", "2"))
    )
    losses = NetworkFailures(plan).losses([f"link:{first.cable}", f"link:{second.cable}"])
    assert [len(loss.cut_off) for loss in losses if loss.network == network] == [1]


def test_the_largest_loss_is_that_of_the_law() -> None:
    """`switch-loss` prints the most devices that one switch cuts off."""
    plan = planned(uplink=True)
    (figure,) = (one.figure for one in check(plan).judgements if one.law.code == "switch-loss")
    failures = NetworkFailures(plan)
    for network, own in plan.networks.items():
        counts = [
            len(loss.cut_off)
            for switch in own.switches()
            for loss in failures.losses([f"switch:{switch}"])
            if loss.network == network
        ]
        stated = re.search(rf"{network} (?:none|at most (\d+))", figure)
        assert stated
        assert max(counts) == int(stated[1] or 0)


def test_a_cable_and_a_switch_fail_together() -> None:
    """The second cable of a bond is the last one, and a part of compute is measured beside."""
    plan = planned(uplink=True)
    views = [*Views(plan.networks["storage"]).cables(0)]
    one, other = (view for view in views if view.a_device == "target-1")
    names = [f"switch:{one.b_device}", f"link:{other.cable}", "gpu:d0-g0"]
    found = cluster_impact(plan, names, compared=False)
    assert found.networks
    (storage,) = (loss for loss in found.networks if loss.network == "storage")
    assert storage.cut_off == ["target-1"]
    assert "1 of 20 devices is cut off: target-1; " in sentence(storage)
    assert (found.impact.failed, found.impact.gpus_dead) == (names, 1)
    assert found.document()["networks"][0].keys() == {"network", "devices", "cut_off", "degraded"}


def test_a_failed_device_is_none_of_the_devices_left() -> None:
    """Nor is a failed host; the failure of a device alone takes nothing from others."""
    plan = planned(uplink=True)
    alone = cluster_impact(plan, ["device:target-1"], compared=False)
    assert alone.networks == (NetworkLoss(network="storage", devices=19, cut_off=[], degraded=0),)
    assert alone.impact.gpus_cut_off == 0
    cables = Views(plan.networks["storage"]).cables(0)
    bond = [f"link:{view.cable}" for view in cables if view.a_device == "host-01"]
    names = ["host:host-01", *bond]
    (storage,) = NetworkFailures(plan).losses(names)
    assert (storage.devices, storage.cut_off) == (19, [])


def test_a_rack_fails_with_all_that_it_contains() -> None:
    """Hosts, switches of every network and devices, as if each had failed by its name."""
    plan = planned(uplink=True)
    assert plan.lengths
    room, failures = plan.lengths.room, NetworkFailures(plan)
    kinds = dict.fromkeys(plan.hosts, "host") | dict.fromkeys(plan.cluster_switches(), "switch")
    racks = room.positions.rack.tolist()
    for number, rack in enumerate(room.names):
        inside = [room.device(at) for at, where in enumerate(racks) if where == number]
        parts = [f"{kinds.get(name, 'device')}:{name}" for name in inside]
        compute, losses = failures.split([f"rack:{rack}"])
        own, others = failures.split(parts)
        assert losses == others
        assert find_failures(plan, compute) == find_failures(plan, own)
    assert [rack for rack in room.names if not failures.split([f"rack:{rack}"])[0]]
    with pytest.raises(Refusal):
        failures.split(["rack:nowhere"])


def test_parts_of_networks_are_refused_where_paths_between_gpus_are_asked_for() -> None:
    """A switch, a cable and a device; a mistyped name of a network is recognized."""
    plan = planned(uplink=True)
    (cable,) = Views(plan.networks["storage"]).cables(0)[:1]
    for name in ("switch:storage-leaf-1", f"link:{cable.cable}", "device:target-1"):
        with pytest.raises(Refusal, match=f"no path between GPUs uses .*{name.partition(':')[2]}"):
            find_failures(plan, [name])
    with pytest.raises(Refusal) as caught:
        find_failures(plan, ["switch:storge-leaf-1"])
    assert caught.value.findings[0].hint == "did you mean `storage-leaf-1`?"


def test_either_cable_of_a_link_fails_the_link() -> None:
    """As in the compute fabric: here the one link that joins two leaves of 800G."""
    leaf = {"model": "sn5600", "breakout": "1x800G"}
    storage = {"switches": {"leaf": leaf}, "speed": "800G", "peer_links": 1}
    keys = {"host": {"model": "dgx-b300"}, "design": "rail-only", "switches": {"leaf": leaf}}
    plan = plan_of(**CLUSTER | keys | {"networks": {"storage": storage}, "devices": ()})
    failures, cables = NetworkFailures(plan), [*Views(plan.networks["storage"]).cables(0)]
    near, far = (
        next(f"link:{each.cable}" for each in cables if (each.a_device, each.b_device) == ends)
        for ends in (("host-01", "storage-leaf-1"), ("host-02", "storage-leaf-2"))
    )
    labels = [view.cable for view in cables if view.tier > 1]
    assert labels == ["storage-p00001a", "storage-p00001b"]
    assert not failures.losses([near, far])[0].cut_off
    lost = [failures.losses([near, far, f"link:{each}"]) for each in (*labels, labels[0][:-1])]
    assert lost[0] == lost[1] == lost[2]
    assert len(lost[0][0].cut_off) == 1
    assert not failures.has("link:storage-p00001c")


def test_other_names_are_refused() -> None:
    """A switch that no network has; and a fabric without networks has no key for them."""
    with pytest.raises(Refusal):
        cluster_impact(planned(uplink=True), ["switch:storage-leaf-99"], compared=False)
    alone = plan_of(**CLUSTER | {"networks": {}, "devices": ()})
    assert "networks" not in cluster_impact(alone, ["gpu:d0-g0"], compared=False).document()


@pytest.mark.parametrize(("keys", "cut_off"), [({}, 1), ({"peer_links": 2}, 0)])
def test_a_link_between_leaves_joins_their_devices(keys: dict[str, int], cut_off: int) -> None:
    """Of two devices with one port left, on different leaves, one is cut off without such links."""
    inband = NETWORKS["inband"] | keys
    plan = plan_of(**CLUSTER | {"networks": NETWORKS | {"inband": inband}})
    assert not plan.networks["inband"].sizing.spine
    cables = [view for view in Views(plan.networks["inband"]).cables(0) if view.tier == 1]
    first = next(view for view in cables if view.b_device == "inband-leaf-1")
    other = next(
        view
        for view in cables
        if view.b_device == "inband-leaf-2" and view.a_device != first.a_device
    )
    failed = [f"link:{first.cable}", f"link:{other.cable}"]
    (loss,) = NetworkFailures(plan).losses(failed)
    assert len(loss.cut_off) == cut_off

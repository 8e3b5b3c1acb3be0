"""Devices that are joined in pairs, without a switch."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.checks.laws import check
from fabricgen.analysis.impact.network_loss import NetworkFailures
from fabricgen.bom.cluster_bill import cluster_bom
from fabricgen.core.terms import PEERS
from fabricgen.inventory.fields import KEY_EXAMPLE
from fabricgen.lifecycle.change.expand import grow
from fabricgen.outputs.drawings.build import Drawings
from fabricgen.views.factory import Views
from tests.fabrics import SMALL, plan_of, refusal_codes
from tests.mutations.cluster import CLUSTER

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan


@cache
def paired(appliances: int = 4) -> Plan:
    """Plan a cluster with pairs of two kinds, of one cable and of two."""
    groups: list[dict[str, Any]] = [
        {"name": "ufm-{n}", "count": appliances, "ports": {"oob": 1}, "peer_links": 1},
        {"name": "head-{n}", "count": 2, "ports": {"inband": 2}, "peer_links": 2},
    ]
    return plan_of(**CLUSTER | {"devices": [*CLUSTER["devices"], *groups]})


def labelled(plan: Plan) -> dict[str, tuple[str, str, str, str]]:
    """Return the ports that each cable between paired devices joins, by its label."""
    return {
        view.cable: (view.a_device, view.a_interface, view.b_device, view.b_interface)
        for view in Views(plan.networks[PEERS]).cables(0)
    }


def test_neighbours_of_a_group_are_pairs() -> None:
    """The first and the second, the third and the fourth; every cable has ports of its own."""
    assert labelled(paired()) == {
        "peers-d00001": ("ufm-1", "peer0", "ufm-2", "peer0"),
        "peers-d00002": ("ufm-3", "peer0", "ufm-4", "peer0"),
        "peers-d00003": ("head-1", "peer0", "head-2", "peer0"),
        "peers-d00004": ("head-1", "peer1", "head-2", "peer1"),
    }
    assert check(paired()).ok


def test_a_law_of_some_networks_names_these() -> None:
    """The links of pairs have few laws of a network, and the others keep theirs."""
    figures = {each.law.code: each.figure for each in check(paired()).judgements}
    assert figures["links-even"].endswith("; so too in storage, inband and oob")
    assert figures["labels"].endswith("; so too in storage, inband, oob and peers")


def test_their_cables_are_those_of_the_access_network() -> None:
    """They are twisted pairs, in the bill and as long as the room makes them."""
    peers = paired().networks[PEERS]
    assert (peers.cables, {each.cable.model for each in peers.candidates}) == (4, {"cat5e"})
    purposes = [each for line in cluster_bom(paired()).lines for each in line.purposes]
    assert sum(count for purpose, count in purposes if purpose == "direct (peers)") == 4


def test_growth_keeps_the_labels() -> None:
    """New pairs take the free numbers, also those of a group before others."""
    grown = grow(paired(), paired(6).spec, paired().catalog)
    assert labelled(paired()).items() <= labelled(grown).items()
    assert labelled(grown)["peers-d00005"] == ("ufm-5", "peer0", "ufm-6", "peer0")
    assert check(grown).ok


def test_a_failed_device_leaves_its_peer_alone() -> None:
    """One of two cables leaves a pair joined."""
    failures = NetworkFailures(paired())
    lost = {each.network: each for each in failures.losses(["device:ufm-1"])}
    assert (lost[PEERS].cut_off, lost[PEERS].degraded) == (["ufm-2"], 0)
    lost = {each.network: each for each in failures.losses(["link:peers-d00003"])}
    assert (lost[PEERS].cut_off, lost[PEERS].degraded) == ([], 2)


def test_the_drawing_has_the_ports() -> None:
    """It has a box for each port, and no GPU."""
    composed = Drawings(paired().networks[PEERS]).compose("network-peers")
    devices = [f"ufm-{number}" for number in range(1, 5)]
    assert composed.tiers[0].names == [*devices, "head-1", "head-1", "head-2", "head-2"]
    assert "0 switches, 4 links" in composed.head.subtitle


def test_console_servers_give_them_no_speed() -> None:
    """Pairs are cabled like management ports, and a console server has serial ports alone."""
    networks = {"console": {"switches": {"leaf": {"model": "cm8148"}}}}
    group = {"name": "ufm-{n}", "count": 2, "ports": {}, "peer_links": 1}
    assert refusal_codes(**SMALL | {"networks": networks, "devices": [group]}) == ["bad-peer-links"]


def test_management_has_no_address_for_them() -> None:
    """A network without switches takes none of the pool."""
    user = {"name": "ops", "key": KEY_EXAMPLE}
    plan = plan_of(
        **SMALL,
        networks={"oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"}},
        devices=[{"name": "ufm-{n}", "count": 2, "ports": {"oob": 1}, "peer_links": 1}],
        management={"pool": "10.200.0.0/24", "ntp": ["10.200.0.123"], "users": [user]},
    )
    counts = {
        name: network.management.switches.size
        for name, network in plan.networks.items()
        if network.management
    }
    assert counts["oob"]
    assert PEERS not in counts

"""The networks beside the compute fabric: who is on them, their leaves, and published counts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from fabricgen.analysis.checks.laws import check, judge
from fabricgen.analysis.checks.optics import optics_match
from fabricgen.analysis.checks.plan_evidence import evidence_of
from fabricgen.analysis.checks.ports import ports_exist
from fabricgen.core.terms import LinkKind, Role
from fabricgen.outputs.dcim.interfaces import InterfaceRows
from fabricgen.planning.networks.leaf_groups import GroupedLeaves
from fabricgen.views.factory import Views
from fabricgen.views.hosts.network_ports import network_ports
from tests.fabrics import cables_of, plan_of
from tests.mutations.breaking import dropped, rewired, rows, swapped, with_joint
from tests.published.tables import table

if TYPE_CHECKING:
    from fabricgen.analysis.checks.law import CheckResult
    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView

SUPERPOD = table("dgx-h100-superpod")
"""NVIDIA's DGX H100 SuperPOD of 4 SU and 127 nodes, whose counts are compared with the tables."""


@pytest.fixture(scope="module")
def superpod() -> Plan:
    """Plan the SuperPOD with its networks."""
    return plan_of(**SUPERPOD.fabric)


@pytest.fixture(scope="module")
def cables(superpod: Plan) -> dict[str, list[CableView]]:
    """Return the cables of each network."""
    return {
        name: list(Views(network, kept=True).cables(0))
        for name, network in superpod.networks.items()
    }


def test_every_law_holds_in_every_network(superpod: Plan) -> None:
    """The laws of a fabric are those of its networks."""
    result = check(superpod)
    assert result.ok, result.findings
    assert result.judgements[0].figure.endswith("; so too in storage, inband, oob and devices")


def test_the_members_of_a_bond_are_on_two_leaves(cables: dict[str, list[CableView]]) -> None:
    """Each device of a network with bonds has its ports on two leaves of one stripe."""
    for name in ("storage", "inband"):
        leaves: dict[str, set[str]] = {}
        for cable in cables[name]:
            if cable.tier == LinkKind.HOST:
                leaves.setdefault(cable.a_device, set()).add(cable.b_device)
        assert {len(each) for each in leaves.values()} == {2}


def test_a_port_is_in_one_place(cables: dict[str, list[CableView]]) -> None:
    """No port of a device or switch has two cables, over all networks."""
    ends = Counter(
        end
        for rows in cables.values()
        for cable in rows
        for end in ((cable.a_device, cable.a_interface), (cable.b_device, cable.b_interface))
    )
    assert set(ends.values()) == {1}


def test_parts_fit_the_ports_of_devices(cables: dict[str, list[CableView]]) -> None:
    """Their catalog files name the cages: QSFP112 takes modules of its own, and QSFP28 plugs."""
    found = {
        name: {
            (cable.a_device.split("-")[0], cable.part, cable.a_transceiver)
            for cable in cables[name]
            if cable.tier == LinkKind.HOST
        }
        for name in ("storage", "inband")
    }
    assert found["storage"] == {
        ("host", "mfp7e10", "mma1z00-ns400"),
        ("target", "mfa7u10", ""),
        ("mgmt", "mfa7u10", ""),
        ("storage", "mfp7e20", "mma4z00-ns400"),
    }
    known = {(device, "mfa1a00", "") for device in ("host", "mgmt", "nfs", "oob")}
    assert found["inband"] == known | {("edge", "generic-fibre", "generic-100g")}


def test_the_law_of_optics_knows_the_ports_of_devices(superpod: Plan) -> None:
    """A module of the switch does not fit the port of a device."""
    evidence = evidence_of(superpod.networks["storage"])
    finned = evidence.link_parts[LinkKind.HOST].upper
    verdict = optics_match(with_joint(evidence, LinkKind.HOST, lower=finned))
    (found,) = verdict.violations
    assert any("does not fit a port of a device" in one.fact for one in found.first)


def test_links_of_a_speed_have_the_parts_of_their_ports() -> None:
    """A device whose ports are unknown has a generic module, beside hosts with known ones."""
    plan = plan_of(
        gpus=64,
        hb_domain={"gpus": 8},
        host={"model": "dgx-h100"},
        switches={"leaf": {"model": "qm9700"}},
        networks={"storage": {"switches": {"leaf": {"model": "qm9700"}}}},
        devices=[{"name": "box-{n}", "count": 2, "ports": {"storage": 2}}],
    )
    rows = Views(plan.networks["storage"], kept=True).cables(0)
    modules = {(cable.a_device.split("-")[0], cable.a_transceiver) for cable in rows}
    assert modules == {("host", "mma1z00-ns400"), ("box", "generic-400g")}


def test_access_switches_have_uplinks_of_their_own_cages(
    cables: dict[str, list[CableView]],
) -> None:
    """The uplinks of an SN2201 are its last two cages of 100G, on two leaves above."""
    uplinks = [cable for cable in cables["inband"] if cable.a_device == "oob-8"]
    assert [cable.a_interface for cable in uplinks] == ["swp51", "swp52"]
    assert len({cable.b_device for cable in uplinks}) == 2


def test_uplinks_have_the_speed_of_the_leaves_above() -> None:
    """It may follow from the breakout of the leaves alone."""
    networks = {
        "inband": {"switches": {"leaf": {"model": "sn4600c", "breakout": "1x100G"}}},
        "oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G", "uplink": {}},
    }
    plan = plan_of(gpus=64, hb_domain={"gpus": 8}, radix=64, networks=networks)
    assert "oob-1" in plan.networks["inband"].hosts


def test_uplinks_take_no_port_of_a_device() -> None:
    """A switch of eight ports of one speed has six for devices and its last two for uplinks."""
    leaf = {"leaf": {"generic": {"radix": 8, "speed": "100G"}}}
    networks = {
        "inband": {"switches": leaf, "speed": "100G"},
        "oob": {"switches": leaf, "speed": "100G", "uplink": {"network": "inband"}},
    }
    plan = plan_of(gpus=64, hb_domain={"gpus": 8}, radix=64, networks=networks)
    rows = [
        cable for network in plan.networks.values() for cable in Views(network, kept=True).cables(0)
    ]
    ends = [(cable.a_device, cable.a_interface) for cable in rows]
    ends += [(cable.b_device, cable.b_interface) for cable in rows]
    assert max(Counter(ends).values()) == 1
    oob = plan.networks["oob"]
    assert oob.sizing.leaf == -(-oob.links // 6)


@pytest.mark.parametrize(
    ("own", "bonding"),
    [
        ({"leaf_groups": [{"devices": ["target-{n}"], "leaves": 2}]}, {}),
        ({"peer_links": 2}, {}),
        ({"peer_links": 2}, {"bonding": "lacp", "peer_links": 2}),
    ],
)
def test_uplinks_of_leaves_that_route_have_cages_of_their_own(
    own: dict[str, Any], bonding: dict[str, Any]
) -> None:
    """The last ones of leaves alone, above their links to spines or to the other leaf."""
    leaf = {"model": "sn5600", "breakout": "4x200G"}
    spine = {"model": "sn5600", "breakout": "1x800G"}
    uplink = {"network": "inband", "speed": "400G"}
    storage = {"switches": {"leaf": leaf, "spine": spine}, "uplink": uplink}
    inband = {"switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}}}
    plan = plan_of(
        gpus=64,
        hb_domain={"gpus": 8},
        radix=64,
        networks={"storage": storage | own, "inband": inband | bonding},
        devices=[{"name": "target-{n}", "count": 4, "ports": {"storage": 2}}],
    )
    assert check(plan).findings == []
    names = {*plan.networks["storage"].switches()}
    rows = Views(plan.networks["inband"], kept=True).cables(0)
    uplinks = [cable for cable in rows if cable.a_device in names]
    leaves = [*Views(plan.networks["storage"]).switches(0, (Role.LEAF,))]
    assert len(uplinks) == 2 * len(leaves)
    assert {cable.a_device for cable in uplinks} == {each.name for each in leaves}
    for each in leaves:
        joined = [port for port in each.router_ports if port.uplink]
        ends = {cable.a_interface for cable in uplinks if cable.a_device == each.name}
        assert max(port.cage for port in each.ports if port.interface not in ends) == 63
        assert [(port.cage, port.speed) for port in joined] == [(64, "400G")] * 2
        assert {port.interface for port in joined} == ends
        assert not ends & {port.interface for port in each.idle_ports}


def test_two_leaves_need_no_spine() -> None:
    """Where the ports fit on one pair, no spine is built, and a bond still spans two leaves."""
    small = {"inband": {"switches": {"leaf": {"generic": {"radix": 32}}}, "speed": "100G"}}
    plan = plan_of(gpus=64, hb_domain={"gpus": 8}, radix=64, networks=small)
    sizing = plan.networks["inband"].sizing
    assert (sizing.tiers, sizing.leaf, sizing.spine) == (1, 2, 0)
    assert check(plan).ok


def test_bonds_are_spread_evenly() -> None:
    """131 bonds over four stripes are 33, 33, 33 and 32."""
    leaves = GroupedLeaves(2, ((131,),), (4,), (24,))
    assert leaves.used() == 33
    assert leaves.leaves() == 8
    assert leaves.leaf_uplinks() == ()


MIXED: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "radix": 64,
    "networks": {
        "inband": {"switches": {"leaf": {"model": "ds5000", "breakout": "4x200G"}}},
        "oob": {
            "switches": {"leaf": {"model": "sn2201"}},
            "speed": "1G",
            "uplink": {"speed": "100G"},
        },
    },
    "devices": [
        {"name": "mgmt-{n}", "count": 3, "ports": {"inband": {"count": 2, "speed": "100G"}}},
        {"name": "target-{n}", "count": 5, "ports": {"inband": {"count": 2, "speed": "400G"}}},
        {"name": "login-{n}", "count": 2, "ports": {"inband": 2}},
    ],
}
"""Hosts at 200G, targets at 400G, and management nodes and uplinks of switches at 100G."""


def test_devices_of_several_speeds_share_a_leaf() -> None:
    """Each has ports of its own speed, in cages of their own, and every law holds."""
    plan = plan_of(**MIXED)
    network = plan.networks["inband"]
    rows = [*Views(network, kept=True).cables(0)]
    speeds = {cable.a_device.rstrip("0123456789"): cable.speed for cable in rows}
    assert speeds == {
        "host-": "200G",
        "mgmt-": "100G",
        "target-": "400G",
        "login-": "200G",
        "oob-": "100G",
    }
    assert (network.sizing.leaf, network.sizing.spine) == (2, 0)
    cages: dict[tuple[str, str], set[str]] = {}
    for cable in rows:
        cages.setdefault((cable.b_device, cable.b_port.split("/")[0]), set()).add(cable.speed)
    assert {len(each) for each in cages.values()} == {1}
    result = check(plan)
    assert result.ok, result.findings


@pytest.mark.parametrize("hosts", [8, 61, 200, 517])
def test_leaves_of_several_speeds_hold_their_devices(hosts: int) -> None:
    """Their uplinks carry what all speeds bring, also below spines."""
    networks = {"inband": MIXED["networks"]["inband"]}
    plan = plan_of(**{**MIXED, "gpus": 8 * hosts, "networks": networks, "design": "fat-tree"})
    assert judge(evidence_of(plan.networks["inband"], Views(plan.networks["inband"]))).ok


@pytest.fixture(scope="module")
def apart() -> Plan:
    """Plan hosts at 200G, targets at 800G and backup nodes at 100G, each on leaves of their own."""
    spine = {"model": "sn5600", "breakout": "1x800G"}
    leaf = {"model": "sn5600", "breakout": "4x200G"}
    groups = [
        {"devices": ["target-{n}"], "uplinks": 32},
        {"devices": ["backup-{n}"], "uplinks": 8},
    ]
    storage = {"switches": {"leaf": leaf, "spine": spine}, "uplinks": 16, "leaf_groups": groups}
    ports = {"target-{n}": (32, "800G"), "backup-{n}": (90, "100G")}
    devices = [
        {"name": name, "count": count, "ports": {"storage": {"count": 2, "speed": speed}}}
        for name, (count, speed) in ports.items()
    ]
    keys = {"networks": {"storage": storage}, "devices": devices}
    return plan_of(gpus=800, hb_domain={"gpus": 8}, radix=128, **keys)


def test_groups_of_leaves_have_ports_of_their_own(apart: Plan) -> None:
    """A cage has another split on the leaves of another group, and each leaf has room for all."""
    network = apart.networks["storage"]
    result = check(apart)
    assert result.ok, result.findings
    splits: dict[int, set[str]] = {}
    for leaf, view in enumerate(Views(network).switches(0, roles=(Role.LEAF,))):
        used = {port.cage: port.breakout for port in view.ports}
        assert {cage.cage: cage.breakout for cage in view.cages}.items() >= used.items()
        assert len(view.ports) + len(view.idle_ports) == sum(cage.count for cage in view.cages)
        splits.setdefault(leaf // 2, set()).add(used[1])
    assert [*splits.values()] == [{"4x200G"}, {"1x800G"}, {"4x100G"}]
    assert network.sizing.leaf_uplinks == (16, 16, 32, 32, 8, 8)


def test_the_law_of_ports_knows_those_of_each_group(apart: Plan) -> None:
    """A cable at a port that only the leaves of targets have is found on a leaf of hosts."""
    evidence = evidence_of(apart.networks["storage"])
    (row,), (other,) = (rows(evidence, LinkKind.HOST, upper=leaf)[:1] for leaf in (0, 2))
    port = int(evidence.wiring.upper_port[other])
    verdict = ports_exist(rewired(evidence, row, upper_port=port))
    facts = [one.fact for found in verdict.violations for one in found.first]
    assert any("storage-leaf-1" in fact and "takes no such link" in fact for fact in facts)


def test_groups_of_leaves_are_bought_and_listed_apart(apart: Plan) -> None:
    """The tables for NetBox have the ports of each leaf as its cages are split."""
    network = apart.networks["storage"]
    interfaces = InterfaceRows(network, Views(network))
    found = [*interfaces.rows()]
    assert len(found) == interfaces.count
    each = Counter(row.device for row in found)
    views = {view.name: view for view in Views(network).switches(0)}
    assert all(each[name] == len(view.ports) + len(view.idle_ports) for name, view in views.items())


def test_each_domain_has_switches_of_its_own() -> None:
    """The hosts of a rack are on its two switches, and other devices on shared ones before them."""
    oob = {**MIXED["networks"]["oob"], "uplink": None, "host_ports": 5, "per": "domain"}
    racks = {"gpus": 216, "hb_domain": {"gpus": 72, "hosts": 18}, "radix": 256}
    devices = [{"name": "pdu-{n}", "count": 9, "ports": {"oob": 1}}]
    plan = plan_of(**racks, networks={"oob": oob}, devices=devices)
    on: dict[int, set[str]] = {}
    for cable in Views(plan.networks["oob"], kept=True).cables(0):
        own = cable.a_device.startswith("host-")
        domain = (int(cable.a_device[5:]) - 1) // 18 if own else -1
        on.setdefault(domain, set()).add(cable.b_device)
    assert on == {
        -1: {"oob-1", "oob-2"},
        0: {"oob-3", "oob-4"},
        1: {"oob-5", "oob-6"},
        2: {"oob-7", "oob-8"},
    }
    result = check(plan)
    assert result.ok, result.findings


def test_a_carried_network_has_a_vlan_and_a_prefix_of_its_own() -> None:
    """Its subnet is the second half of its prefix, as large as that of the leaves."""
    own = {"network": "inband", "vlan": 310, "host_pool": "10.40.0.0/16"}
    leaf = {"switches": {"leaf": {"model": "sn4600c"}}, "speed": "100G", "peer_links": 2}
    storage = {**leaf, "bonding": "lacp", "carries": [own]}
    plan = plan_of(gpus=64, hb_domain={"gpus": 8}, radix=64, networks={"storage": storage})
    addresses = {port.network: port.address for port in network_ports(plan)}
    assert addresses == {"storage": "10.192.2.8", "inband": "10.40.2.8"}
    assert {port.vlan for port in network_ports(plan)} == {400, 310}
    assert check(plan).ok


def test_a_network_carries_another() -> None:
    """Its switches have the ports of both, and each device is in the networks of its ports."""
    storage = {**MIXED["networks"]["inband"], "carries": ["inband"]}
    networks = {"storage": storage, "oob": MIXED["networks"]["oob"]}
    both = {"storage": 2, "inband": {"count": 2, "speed": "100G"}, "oob": 1}
    edge = {"name": "edge-{n}", "count": 2, "ports": {"inband": 2}, "edge": True}
    devices = [*MIXED["devices"], {"name": "nfs-{n}", "count": 1, "ports": both}, edge]
    plan = plan_of(**{**MIXED, "networks": networks, "devices": devices})
    assert [*plan.networks] == ["storage", "oob"]
    rules = plan.networks["storage"].fabric.network
    assert rules
    groups = [group for group in rules.attached.groups if group.interfaces]
    assert {(group.kind, group.networks) for group in groups} == {
        ("host", ("storage", "inband")),
        ("mgmt-{n}", ("inband",)),
        ("target-{n}", ("inband",)),
        ("login-{n}", ("inband",)),
        ("nfs-{n}", ("storage",)),
        ("nfs-{n}", ("inband",)),
        ("edge-{n}", ("inband",)),
        ("oob leaf", ("inband",)),
    }
    assert [group.kind for group in groups if group.routed] == ["edge-{n}"]
    result = check(plan)
    assert result.ok, result.findings


def _pairs(hosts: int) -> Plan:
    """Plan a network of pairs of leaves with three links between the two of each."""
    inband = {**MIXED["networks"]["inband"], "peer_links": 3, "uplinks": 16}
    fabric = {**MIXED, "gpus": 8 * hosts, "networks": {"inband": inband}, "design": "fat-tree"}
    return plan_of(**fabric).networks["inband"]


@pytest.mark.parametrize(("hosts", "leaves", "spines"), [(8, 2, False), (517, 6, True)])
def test_links_join_the_leaves_of_a_pair(hosts: int, leaves: int, *, spines: bool) -> None:
    """The two leaves of each pair are joined, without spines too, and every law holds."""
    plan = _pairs(hosts)
    assert (plan.sizing.leaf, bool(plan.sizing.spine)) == (leaves, spines)
    rows = [cable for cable in Views(plan, kept=True).cables(0) if cable.tier == LinkKind.PEER]
    joined = Counter((cable.a_device, cable.b_device) for cable in rows)
    names = [*plan.switches()]
    assert joined == dict.fromkeys(zip(names[0:leaves:2], names[1:leaves:2], strict=True), 3)
    result = judge(evidence_of(plan, Views(plan, kept=True)))
    assert result.ok, result.findings


def test_a_missing_or_crossed_link_of_a_pair_is_found() -> None:
    """Both violate the rule of the wiring, whose finding names the leaf or the cable."""
    evidence = evidence_of(_pairs(517), Views(_pairs(517), kept=True))
    own = rows(evidence, LinkKind.PEER)
    lost = judge(dropped(evidence, own[:1]))
    assert "inband-leaf-1 has 2 of its 3 links to inband-leaf-2" in _facts(lost)
    crossed = judge(swapped(evidence, (own[0], own[3])))
    assert "cable inband-p00001" in _facts(crossed)


def _facts(result: CheckResult) -> str:
    """Return the findings as text."""
    assert not result.ok
    return "; ".join(finding.fact for finding in result.findings)


def test_places_and_bonds_of_several_speeds_agree() -> None:
    """The two directions of the arithmetic agree."""
    leaves = GroupedLeaves(2, ((131, 5), (24, 0), (3, 7)), (4, 2, 3), (24, 12, 12), together=(1, 1))
    bonds = np.arange(131 + 5 + 24 + 10)
    stripe, place = leaves.leaf_of(bonds, 0)
    at = stripe.astype(np.int32), place.astype(np.int32)
    assert leaves.group_at(*at, 0).tolist() == bonds.tolist()
    assert leaves.speed_of(place).tolist() == [0] * 131 + [1] * 5 + [0] * 27 + [1] * 7


def test_passive_panels_have_no_cable_to_management_and_console() -> None:
    """Hosts, and the switches of other networks, have theirs; boxes that move light have too."""
    keys: dict[str, Any] = {
        "gpus": 64,
        "hb_domain": {"gpus": 8},
        "nic": {"speed": "400G"},
        "networks": {
            "oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"},
            "console": {"switches": {"leaf": {"model": "cm8148"}}},
        },
    }
    for medium, model, cabled in (("patch-panel", "patch-144", 0), ("ocs", "polatis-384", 8)):
        leaf = {"model": model, "breakout": "1x400G"}
        plan = plan_of(**keys, rails={"medium": medium}, switches={"leaf": leaf})
        for name in ("oob", "console"):
            joined = {cable.a_device for cable in cables_of(plan.networks[name])}
            assert len(joined & {*plan.switches()}) == cabled
        assert check(plan).ok


def test_a_compute_fabric_has_no_networks() -> None:
    """Without the key there is none, and the figures have no key of it."""
    assert plan_of(gpus=64, hb_domain={"gpus": 8}, radix=64).networks == {}


def alternating(**keys: Any) -> Plan:  # noqa: ANN401 - keys of a network
    """Plan 8 hosts and 11 PDUs on out-of-band switches, where the devices of a kind alternate."""
    oob = {
        "switches": {"leaf": {"generic": {"radix": 16}}},
        "speed": "400G",
        "distribution": "alternating",
    }
    return plan_of(
        gpus=64,
        hb_domain={"gpus": 8},
        radix=64,
        networks={"oob": oob | keys},
        devices=[{"name": "pdu-{n}", "count": 11, "ports": {"oob": 1}}],
    )


def test_devices_of_a_kind_take_the_leaves_in_turn() -> None:
    """Each kind begins at the first leaf: 8 leaves of compute, 8 hosts and 11 PDUs."""
    plan = alternating().networks["oob"]
    found = {cable.a_device: (cable.b_device, cable.b_port) for cable in Views(plan).cables(0)}
    assert plan.sizing.leaf == 2
    assert [found[f"host-{n}"] for n in (1, 2, 3)] == [
        ("oob-1", "1"),
        ("oob-2", "1"),
        ("oob-1", "2"),
    ]
    assert [found[f"pdu-{n}"] for n in (1, 2, 3)] == [
        ("oob-1", "9"),
        ("oob-2", "9"),
        ("oob-1", "10"),
    ]
    assert check(alternating()).ok


def test_the_management_ports_of_a_device_stay_on_one_leaf() -> None:
    """Five of each host are 20 on either of two switches, beside the switch and the PDUs."""
    plan = alternating(host_ports=5, switch_ports=0, switches={"leaf": {"generic": {"radix": 32}}})
    leaves: dict[str, set[str]] = {}
    for cable in Views(plan.networks["oob"]).cables(0):
        leaves.setdefault(cable.a_device, set()).add(cable.b_device)
    assert len(leaves) == 8 + 11
    assert {len(each) for each in leaves.values()} == {1}
    assert check(plan).ok


def test_leaves_that_devices_alternate_between_hold_the_fullest() -> None:
    """The first of two leaves has 4 + 4 + 6 of 27 ports, the first of three 3 + 3 + 4."""
    for radix, leaves in ((14, 2), (13, 3), (10, 3), (9, 4)):
        switches = {"leaf": {"generic": {"radix": radix}}}
        assert alternating(switches=switches).networks["oob"].sizing.leaf == leaves


SPLIT: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "qm9700"}},
    "networks": {"storage": {"switches": {"leaf": {"model": "qm9700"}}}},
    "devices": [
        {
            "name": "target-{n}",
            "count": 3,
            "model": "storage-node",
            "ports": {"storage": {"count": 4, "breakout": "2x200G"}},
        },
        {
            "name": "ufm-{n}",
            "count": 2,
            "model": "ufm-appliance",
            "ports": {"storage": {"count": 2, "breakout": "4x200G"}},
        },
        {
            "name": "box-{n}",
            "count": 1,
            "ports": {"storage": {"count": 2, "speed": "200G"}},
            "footprint": {"units": 1},
        },
    ],
}
"""Splitter cables with ends of their own, splitter fibres, and a device that states a speed."""


@pytest.mark.parametrize("site", [None, {}, "unknown"], ids=["generated", "described", "unknown"])
def test_the_links_of_a_split_cage_lie_in_one_cable(site: object) -> None:
    """Each target has a cable with two far ends on either leaf, and both appliances share one."""
    plan = plan_of(**SPLIT, **({} if site is None else {"site": site}))
    network = plan.networks["storage"]
    pieces: dict[str, list[str]] = {}
    for cable in Views(network).cables(0):
        if cable.piece:
            pieces.setdefault(cable.piece, []).append(f"{cable.a_device} {cable.a_interface}")
    targets = [(f"target-{number}", first) for number in (1, 2, 3) for first in (0, 1)]
    assert sorted(pieces.values()) == [
        *([f"{name} storage{first}", f"{name} storage{first + 2}"] for name, first in targets),
        ["ufm-1 storage0", "ufm-2 storage0"],
        ["ufm-1 storage1", "ufm-2 storage1"],
    ]
    assert (network.links, network.cables) == (16 + 12 + 4 + 2, 16 + 6 + 2 + 2)
    result = check(plan)
    assert result.ok, result.findings


def test_ports_of_one_speed_are_split_in_two_ways() -> None:
    """Ports of 200G take cages of two and of four ports, and NetBox has the lanes of each."""
    network = plan_of(**SPLIT).networks["storage"]
    found = {
        (row.device.partition("-")[0], row.type)
        for row in InterfaceRows(network, Views(network)).rows()
        if row.speed_kbps == 200 * 10**6 and row.enabled == "true"
    }
    assert found == {
        ("target", "infiniband-hdr"),
        ("ufm", "infiniband-ndr"),
        ("box", "infiniband-ndr"),
        ("storage", "infiniband-hdr"),
        ("storage", "infiniband-ndr"),
    }

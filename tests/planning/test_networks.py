"""The networks beside the compute fabric: who is on them, their leaves, and published counts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.core.terms import LinkKind
from fabricgen.planning.networks.leaf_groups import GroupedLeaves
from fabricgen.views.factory import Views
from tests.fabrics import plan_of

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView

SUPERPOD: dict[str, Any] = {
    "gpus": 1016,
    "design": "rail-optimized",
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "qm9700"}},
    "networks": {
        "storage": {
            "switches": {"leaf": {"model": "qm9700"}},
            "speed": "400G",
            "uplinks": 24,
            "leaf_groups": [{"devices": ["target-{n}"], "uplinks": 12, "leaves": 4}],
        },
        "inband": {"switches": {"leaf": {"model": "sn4600c"}}, "speed": "100G", "uplinks": 4},
        "oob": {
            "switches": {"leaf": {"model": "sn2201"}},
            "speed": "1G",
            "fill": 85,
            "uplink": {"network": "inband", "ports": 2},
        },
    },
    "devices": [
        {"name": "mgmt-{n}", "count": 4, "ports": {"inband": 2, "oob": 1}},
        {"name": "ufm-{n}", "count": 4, "ports": {"oob": 1}},
        {"name": "storage-ufm-{n}", "count": 2, "ports": {"storage": 2}},
        {"name": "target-{n}", "count": 24, "ports": {"storage": 2}},
        {"name": "nfs-{n}", "count": 4, "ports": {"inband": 2}},
        {"name": "pdu-{n:03}", "count": 108, "ports": {"oob": 1}},
    ],
}
"""NVIDIA's DGX H100 SuperPOD of 4 SU and 127 nodes: RA-11333-001 V11, Tables 7 and 8. How its 16
storage switches divide is not published; 8 and 4 leaves below 4 spines give every figure."""


@pytest.fixture(scope="module")
def superpod() -> Plan:
    """Plan the SuperPOD with its networks."""
    return plan_of(**SUPERPOD)


@pytest.fixture(scope="module")
def cables(superpod: Plan) -> dict[str, list[CableView]]:
    """Return the cables of each network."""
    return {
        name: list(Views(network, kept=True).cables(0))
        for name, network in superpod.networks.items()
    }


def _ports(network: Plan) -> dict[str, int]:
    """Count the ports of each kind of device that has any."""
    assert network.fabric.network
    groups = network.fabric.network.attached.groups
    counted = {each.kind: len(each.names) * len(each.interfaces) for each in groups}
    return {kind: count for kind, count in counted.items() if count}


def test_the_published_switches_and_cables(superpod: Plan) -> None:
    """Every row of the tables: 48 and 16 QM9700, 8 SN4600C, 8 SN2201, and the cables of each."""
    found = {name: network.sizing for name, network in superpod.networks.items()}
    assert sum(superpod.switch_count(role) for role in superpod.roles) == 48
    assert {name: (each.leaf, each.spine) for name, each in found.items()} == {
        "storage": (12, 4),
        "inband": (6, 2),
        "oob": (8, 0),
    }
    storage, inband, oob = superpod.networks.values()
    assert _ports(storage) == {"host": 254, "storage-ufm-{n}": 4, "target-{n}": 48}
    assert storage.link_count(LinkKind.LEAF_SPINE) == 240  # 254 + 240 = 494
    assert _ports(inband) == {"host": 254, "mgmt-{n}": 8, "nfs-{n}": 8, "oob leaf": 16}
    assert inband.link_count(LinkKind.LEAF_SPINE) == 24
    switches = {"compute": 48, "storage": 16, "inband": 8}
    managed = _ports(oob)
    assert {
        name: sum(count for kind, count in managed.items() if kind.startswith(f"{name} "))
        for name in switches
    } == switches
    assert (managed["host"], managed["pdu-{n:03}"]) == (127, 108)
    # the table has 317: two cables between the appliances of a UFM pair, without a switch
    assert oob.links == 315 == 127 + 64 + 8 + 8 + 108


def test_every_law_holds_in_every_network(superpod: Plan) -> None:
    """The laws of a fabric are those of its networks."""
    result = check(superpod)
    assert result.ok, result.findings
    assert result.judgements[0].figure.endswith("; so too in storage, inband and oob")


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


def test_access_switches_have_uplinks_of_their_own_cages(
    cables: dict[str, list[CableView]],
) -> None:
    """The uplinks of an SN2201 are its last two cages of 100G, on two leaves above."""
    uplinks = [cable for cable in cables["inband"] if cable.a_device == "oob-8"]
    assert [cable.a_interface for cable in uplinks] == ["swp51", "swp52"]
    assert len({cable.b_device for cable in uplinks}) == 2


def test_two_leaves_need_no_spine() -> None:
    """Where the ports fit on one pair, no spine is built, and a bond still spans two leaves."""
    small = {"inband": {"switches": {"leaf": {"generic": {"radix": 32}}}, "speed": "100G"}}
    plan = plan_of(gpus=64, hb_domain={"gpus": 8}, radix=64, networks=small)
    sizing = plan.networks["inband"].sizing
    assert (sizing.tiers, sizing.leaf, sizing.spine) == (1, 2, 0)
    assert check(plan).ok


def test_bonds_are_spread_evenly() -> None:
    """131 bonds over four stripes are 33, 33, 33 and 32."""
    leaves = GroupedLeaves(2, (131,), (4,), (24,))
    assert leaves.used() == 33
    assert leaves.leaves() == 8
    assert leaves.leaf_uplinks() == ()


def test_a_compute_fabric_has_no_networks() -> None:
    """Without the key there is none, and the figures have no key of it."""
    assert plan_of(gpus=64, hb_domain={"gpus": 8}, radix=64).networks == {}

"""Networks on leaves of the compute fabric: ports, VRFs and addresses, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from fabricgen.analysis.checks.laws import check, judge
from fabricgen.analysis.checks.plan_evidence import evidence_of
from fabricgen.analysis.impact.network_loss import NetworkFailures
from fabricgen.api import plan_file
from fabricgen.bom.cluster_bill import cluster_bom
from fabricgen.build.run import build
from fabricgen.cli import run
from fabricgen.core.terms import LinkKind, Role
from fabricgen.outputs.dcim.bonds import Bonds
from fabricgen.outputs.dcim.cluster_interfaces import ClusterInterfaces
from fabricgen.outputs.dcim.interfaces import InterfaceRows
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.factory import Views
from fabricgen.views.hosts.router_sessions import router_sessions
from tests.fabrics import build_job, cables_of, plan_of, refusal_codes
from tests.mutations.breaking import dropped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView
    from fabricgen.views.switches.view import SwitchView

RAILS: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "rails": {"per_switch": 4},
    "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
}
"""Two leaves, each of four rails in VRFs."""

SPINES: dict[str, Any] = RAILS | {"design": "rail-optimized", "rails": {}, "gpus": 512}
"""Eight leaves whose spines join all rails."""

STORAGE: dict[str, Any] = {
    "converged_with": "compute",
    "cages": "20,22,24,26",
    "speed": "200G",
}
TARGETS = {"name": "target-{n}", "count": 3, "ports": {"storage": 2}}


def converged(base: dict[str, Any] = RAILS, **keys: Any) -> Plan:  # noqa: ANN401 - keys of an inventory
    """Plan a fabric with storage on its leaves; `keys` are those of the network."""
    return plan_of(**base, networks={"storage": STORAGE | keys}, devices=[TARGETS])


def ends(plan: Plan) -> list[str]:
    """List both ends of the cables of storage."""
    cables = cables_of(plan.networks["storage"])
    return [f"{each.a_device} {each.a_interface} {each.b_device} {each.b_port}" for each in cables]


def test_a_bond_is_spread_over_two_leaves() -> None:
    """Devices take the cages in the order given, on both leaves alike."""
    found = ends(converged())
    assert found[:11] == [
        *(f"host-{n + 1} storage0 leaf-1 {cage}/{n % 4 + 1}" for n, cage in pairs(20, 22)),
        *(f"target-{n + 1} storage0 leaf-1 24/{n + 1}" for n in range(3)),
    ]
    assert found[11:] == [each.replace("storage0 leaf-1", "storage1 leaf-2") for each in found[:11]]


def pairs(*cages: int) -> list[tuple[int, int]]:
    """Return the places of cages with four ports each."""
    return [(number, cages[number // 4]) for number in range(4 * len(cages))]


def test_groups_are_divided_over_stripes() -> None:
    """With one leaf for a bond, the first leaf has half of each group, and the odd device."""
    found = ends(converged(bond=1, host_ports=2, leaves=2))
    assert [each for each in found if "target" in each] == [
        "target-1 storage0 leaf-1 24/1",
        "target-1 storage1 leaf-1 24/2",
        "target-2 storage0 leaf-1 24/3",
        "target-2 storage1 leaf-1 24/4",
        "target-3 storage0 leaf-2 24/1",
        "target-3 storage1 leaf-2 24/2",
    ]
    assert [each for each in found if "host-5" in each] == [
        "host-5 storage0 leaf-2 20/1",
        "host-5 storage1 leaf-2 20/2",
    ]


@pytest.mark.parametrize("base", [RAILS, SPINES])
def test_every_law_holds(base: dict[str, Any]) -> None:
    """On leaves of several rails, and below spines."""
    keys = {"cages": "20-31", "leaves": 4} if base is SPINES else {}
    plan = converged(base, **keys)
    assert [each.law.code for each in check(plan).judgements if each.ok is False] == []


def test_a_leaf_has_the_network_in_a_vrf() -> None:
    """Its instance has the devices alone, with addresses of the network and the AS of the leaf."""
    plan = converged()
    (leaf,) = Views(plan).switches(0, boxes=[0])
    *rails, storage = leaf.instances
    assert [each.vrf for each in leaf.vrfs] == [*(each.vrf for each in rails), "storage"]
    assert {each.peer_device for each in storage.host_ports} == {
        *plan.hosts,
        "target-1",
        "target-2",
        "target-3",
    }
    assert not storage.fabric_ports
    assert storage.asn == rails[0].asn
    assert storage.host_prefix.startswith("10.192.0.0/")
    assert [each.address for each in storage.host_ports][:2] == ["10.192.0.0/31", "10.192.0.2/31"]
    assert storage.table not in {each.table for each in rails}
    assert {each.cage: each.breakout for each in leaf.cages}[24] == "4x200G"


def test_the_default_instance_stays_below_spines() -> None:
    """Compute keeps the default instance with the spines, and has no port of storage."""
    leaf = next(Views(converged(SPINES, leaves=16)).switches(0, boxes=[0]))
    compute, storage = leaf.instances
    assert (compute.vrf, storage.vrf) == ("", "storage")
    assert (compute.policy_name, storage.policy_name) == ("FABRIC", "STORAGE")
    assert compute.fabric_ports
    assert not {each.interface for each in compute.own_ports} & {
        each.interface for each in storage.own_ports
    }


def test_cages_are_left_free_by_compute() -> None:
    """No link of GPUs is in them, whatever compute would take."""
    plan = converged(RAILS | {"gpus": 256}, cages="1,2,50-64")
    assert {port.cage for port in plan.ports[Role.LEAF]} & {1, 2, *range(50, 65)} == set()
    assert ends(plan)[0] == "host-01 storage0 leaf-1 1/1"


def test_without_cages_ports_are_those_that_compute_leaves_free() -> None:
    """`spare_ports` of leaves keep cages free, which the network then has."""
    plan = converged(RAILS | {"spare_ports": {"leaf": 6}}, cages=None)
    used = {port.cage for port in plan.ports[Role.LEAF]}
    own = {port.cage for port in plan.networks["storage"].ports[Role.LEAF]}
    assert own
    assert not used & own


def test_devices_on_compute_leave_the_cages_of_networks() -> None:
    """A device with ports in compute has others."""
    ufm = {"name": "ufm-{n}", "count": 2, "ports": {"compute": {"count": 2, "speed": "200G"}}}
    plan = plan_of(**RAILS, networks={"storage": STORAGE}, devices=[TARGETS, ufm])
    cages = {int(each.b_port.split("/")[0]) for each in cables_of(plan.networks["devices"])}
    assert cages
    assert not cages & {20, 22, 24, 26}
    assert check(plan).ok


def test_the_bill_has_modules_and_no_switches_more() -> None:
    """A module of a leaf serves four devices, and each end of a device has one."""
    bills = [
        {
            purpose: sum(
                count
                for line in cluster_bom(plan).lines
                for own, count in line.purposes
                if own == purpose
            )
            for purpose in ("leaf", "leaf (storage)", "host (storage)")
        }
        for plan in (plan_of(**RAILS), converged())
    ]
    assert bills[0]["leaf (storage)"] == 0
    assert bills[1]["leaf (storage)"] > 0
    assert bills[1]["leaf"] == bills[0]["leaf"]


def test_routers_have_sessions_in_the_vrf() -> None:
    """Each port of a router has one with the leaf, which accepts the default route there."""
    edge = {"name": "edge-{n}", "count": 1, "edge": True, "bgp": {"asn": 65100}}
    plan = plan_of(
        **RAILS, networks={"storage": STORAGE}, devices=[edge | {"ports": {"storage": 2}}]
    )
    assert [(each.leaf, each.leaf_asn, each.network) for each in router_sessions(plan)] == [
        ("leaf-1", 4200000000, "storage"),
        ("leaf-2", 4200000009, "storage"),
    ]
    leaf = next(Views(plan).switches(0))
    assert [each.prefix for each in leaf.instances[-1].accepted] == ["0.0.0.0/0"]
    assert not leaf.instances[0].accepted


def no_vrf(leaf: SwitchView) -> None:
    """Take the VRF away."""
    leaf.instances.pop()


def rail_has_it(leaf: SwitchView) -> None:
    """Put a port of the network into a rail."""
    port = leaf.instances[-1].host_ports.pop()
    leaf.instances[0].host_ports.append(port)


def other_prefix(leaf: SwitchView) -> None:
    """Announce the addresses of a rail."""
    leaf.instances[-1].host_prefix = leaf.instances[0].host_prefix


def uplink(leaf: SwitchView) -> None:
    """Join the VRF to other switches."""
    leaf.instances[-1].fabric_ports.append(leaf.instances[-1].host_ports[0])


@pytest.mark.parametrize("fault", [no_vrf, rail_has_it, other_prefix, uplink])
def test_the_law_of_routes_sees_the_vrf(fault: Callable[[SwitchView], None]) -> None:
    """A leaf that joins the network to anything else breaks it."""
    plan = converged()
    views = Views(plan, kept=True)
    fault(next(views.switches(0, boxes=[0])))
    assert [each.law.code for each in check(plan, views).judgements if each.ok is False] == [
        "routes-apart"
    ]


def test_a_port_that_is_left_out_is_seen() -> None:
    """The law of outputs knows the ports of networks on a leaf."""
    plan = converged()
    views = Views(plan, kept=True)
    next(views.switches(0, boxes=[0])).ports.pop()
    codes = [each.law.code for each in check(plan, views).judgements if each.ok is False]
    assert codes == ["outputs-agree"]


@pytest.mark.parametrize(
    ("base", "keys"),
    [
        ({}, {"uplinks": 4}),
        ({}, {"kind": "access"}),
        ({}, {"bonding": "lacp"}),
        ({}, {"addressing": {"mtu": 1500}}),
        ({}, {"cages": "20,19-21"}),
        ({}, {"cages": "65"}),
        ({}, {"speed": "50G"}),
        ({}, {"bond": 1, "host_ports": 2, "cages": "20-22"}),
        (
            {"switches": {"leaf": {"model": "qm9700"}}, "rails": {}},
            {"cages": None, "speed": "400G"},
        ),
        ({"addressing": {"host_links": "unnumbered"}}, {}),
    ],
)
def test_what_cannot_be_combined_is_refused(base: dict[str, Any], keys: dict[str, Any]) -> None:
    """With the reason, each by the same code."""
    given = RAILS | base | {"networks": {"storage": STORAGE | keys}, "devices": [TARGETS]}
    assert set(refusal_codes(**given)) == {"bad-convergence"}


@pytest.mark.parametrize("keys", [{"cages": "20"}, {"leaves": 4}, {"cages": None}])
def test_ports_have_to_be_free(keys: dict[str, Any]) -> None:
    """Devices that find none are refused: too few ports of a leaf, or too few leaves."""
    given = RAILS | {"networks": {"storage": STORAGE | keys}, "devices": [TARGETS]}
    assert refusal_codes(**given) == ["no-free-ports"]


ZONED: dict[str, Any] = RAILS | {
    "switches": {
        "leaf": {
            "model": "sn5600",
            "breakout": "2x400G",
            "zones": {"down": "1-16", "up": "30,33-64"},
        },
        "spine": {"model": "sn5600", "breakout": "1x800G"},
    },
}
"""The same leaves, with cages for links to other switches."""

FOUR: dict[str, Any] = ZONED | {"rails": {"per_switch": 2}}
"""Four leaves, each of two rails."""


def peers(plan: Plan) -> list[CableView]:
    """List the cables between leaves."""
    return [each for each in cables_of(plan.networks["storage"]) if each.tier == LinkKind.PEER]


def cages(cable: CableView) -> tuple[str, int, str, int]:
    """Return both devices of a cable, each with its cage."""
    near, far = (int(port.split("/")[0]) for port in (cable.a_port, cable.b_port))
    return cable.a_device, near, cable.b_device, far


def test_links_join_the_leaves_in_the_vrf() -> None:
    """They take the first cages for uplinks, and BGP on them is in the VRF alone."""
    plan = converged(ZONED, peer_links=2)
    assert {*map(cages, peers(plan))} == {
        ("leaf-1", 30, "leaf-2", 30),
        ("leaf-1", 33, "leaf-2", 33),
    }
    leaf = next(Views(plan).switches(0))
    assert [port.cage for port in leaf.instances[-1].fabric_ports] == [30, 33]
    assert not [port for each in leaf.instances[:-1] for port in each.fabric_ports]
    assert check(plan).ok


def test_four_leaves_are_joined_each_with_each() -> None:
    """A leaf has the links to the others in their order, three of each number."""
    plan = converged(FOUR, bond=1, leaves=4, peer_links=1, speed="200G", host_ports=2)
    assert {*map(cages, peers(plan))} == {
        ("leaf-1", 30, "leaf-2", 30),
        ("leaf-1", 33, "leaf-3", 30),
        ("leaf-1", 34, "leaf-4", 30),
        ("leaf-2", 33, "leaf-3", 33),
        ("leaf-2", 34, "leaf-4", 33),
        ("leaf-3", 34, "leaf-4", 34),
    }
    assert check(plan).ok


def test_leaves_that_are_joined_are_as_many_as_devices_need() -> None:
    """Without links, more than one stripe is refused unless asked for."""
    keys = {"bond": 1, "host_ports": 2, "cages": "20,21,22"}
    assert len(converged(ZONED, **keys, peer_links=1).networks["storage"].naming.boxes) == 2


def test_a_leaf_without_its_link_is_seen() -> None:
    """The law of the rule counts the links between leaves of one network."""
    evidence = evidence_of(converged(ZONED, peer_links=2).networks["storage"])
    (last,) = np.flatnonzero(evidence.wiring.kind == LinkKind.PEER)[-1:]
    result = judge(dropped(evidence, [int(last)]))
    assert "leaf-1 has 1 of its 2 links to leaf-2" in [each.fact for each in result.findings]


def test_the_vrf_without_the_links_is_seen() -> None:
    """A leaf that leaves them out cuts the devices of the other off."""
    plan = converged(ZONED, peer_links=2)
    views = Views(plan, kept=True)
    next(views.switches(0, boxes=[0])).instances[-1].fabric_ports.pop()
    codes = [each.law.code for each in check(plan, views).judgements if each.ok is False]
    assert codes == ["routes-apart"]


@pytest.mark.parametrize(
    ("base", "keys", "code"),
    [
        (RAILS, {"peer_links": 2}, "no-free-ports"),
        (ZONED, {"peer_links": 2, "bond": 1, "host_ports": 1}, "bad-peer-links"),
    ],
)
def test_links_need_cages_and_a_second_leaf(
    base: dict[str, Any], keys: dict[str, Any], code: str
) -> None:
    """GPUs have all cages of a leaf without zones, and one leaf has no other."""
    given = base | {"networks": {"storage": STORAGE | keys}, "devices": [TARGETS]}
    assert refusal_codes(**given) == [code]


def test_netbox_has_both_ends_of_the_links() -> None:
    """The port of each leaf is in use, with the far end as its description."""
    plan = converged(ZONED, peer_links=1)
    every = [Views(each) for each in plan.cluster]
    rows = [row for row in ClusterInterfaces(every, Bonds(plan, {})).rows() if row.label == "30"]
    assert [(row.device, row.enabled) for row in rows] == [("leaf-1", "true"), ("leaf-2", "true")]


def test_a_plan_file_keeps_the_ports_of_devices_when_hosts_are_added(tmp_path: Path) -> None:
    """It has the network; new hosts take free ports, and no cable moves."""
    file = tmp_path / "fabric.yaml"
    keys = {"name": "day-one", **RAILS, "networks": {"storage": STORAGE}, "devices": [TARGETS]}
    file.write_text(json.dumps(keys))
    assert run(["plan", str(file), "-o", str(tmp_path / "day-one.json")]) == 0
    grown = f"--from {tmp_path}/day-one.json --set gpus=80 -o {tmp_path}/day-two.json"
    assert run(["plan", *grown.split()]) == 0
    plan = plan_file(tmp_path / "day-two.json")
    assert set(ends(converged())) < set(ends(plan))
    assert "host-9 storage0 leaf-1 24/4" in ends(plan)


def test_a_failed_leaf_concerns_the_devices_on_it() -> None:
    """With one leaf for a bond, the devices of the first are cut off; with two, none is."""
    alone, both = converged(bond=1, host_ports=2, leaves=2), converged()
    (loss,) = NetworkFailures(alone).split(["switch:leaf-1"])[1] or ()
    assert loss.cut_off == ["host-1", "host-2", "host-3", "host-4", "target-1", "target-2"]
    (loss,) = NetworkFailures(both).split(["switch:leaf-1"])[1] or ()
    assert (loss.cut_off, loss.degraded) == ([], 11)


def test_netbox_has_the_ports_of_cages_that_are_split_for_a_network() -> None:
    """A leaf has four of 200G in each such cage, of which devices have some."""
    plan = converged()
    views = Views(plan)
    rows = [*InterfaceRows(plan, views).rows()]
    cage = [row for row in rows if row.device == "leaf-1" and row.label.startswith("20/")]
    assert [row.speed_kbps for row in cage] == [200_000_000] * 4
    assert len(rows) == InterfaceRows(plan, views).count


def test_a_build_lists_leaves_that_nothing_joins() -> None:
    """Their VRFs are apart, which is the site's to change."""
    keys: dict[str, Any] = {"bond": 1, "host_ports": 2, "leaves": 2}
    plans = converged(), converged(**keys)
    listed = [build_job(plan, Packs(), ("configs",)).skipped for plan in plans]
    assert [len([each for each in own if "of storage" in each]) for own in listed] == [0, 1]


def test_the_law_of_addresses_judges_the_network() -> None:
    """Two devices with one address break it."""
    network = converged().networks["storage"]
    evidence = evidence_of(network, Views(network))
    nic = evidence.addresses.nic.copy()
    nic[1] = nic[0]
    broken = replace(evidence, addresses=evidence.addresses._replace(nic=nic))
    assert [each.law.code for each in judge(broken).judgements if each.ok is False] == ["addresses"]


@pytest.mark.slow
def test_links_of_the_network_run_through_panels(tmp_path: Path) -> None:
    """Its channels are judged, and its jumpers are on the sheets of the racks."""
    keys = RAILS | {
        "host": {"model": "dgx-h100"},
        "site": {"rack": {"units": 48}},
        "cabling": {
            "panels": [{"connector": "mpo12"}],
            "trunks": {"fibres": 144, "polarity": "B", "spare": 10},
            "where": {"host": "structured"},
            "networks": ["storage"],
        },
    }
    plan = plan_of(**keys, networks={"storage": STORAGE | {"speed": "400G"}})
    assert plan.networks["storage"].channels
    assert check(plan).ok
    build(build_job(plan, Packs(), ("cabling",)), tmp_path / "out")
    sheets = (tmp_path / "out" / "cabling" / "pull-sheets").glob("*.html")
    assert any("storage-h00001" in sheet.read_text(encoding="utf-8") for sheet in sheets)


def test_devices_alternate_between_leaves() -> None:
    """Each group begins at the first leaf, and the law counts its devices there."""
    plan = converged(ZONED, bond=1, leaves=2, peer_links=1, distribution="alternating")
    found = {
        each.split()[0]: each.split()[2] for each in ends(plan) if "leaf" not in each.split()[0]
    }
    assert [found[f"host-{n}"] for n in (1, 2, 3)] == ["leaf-1", "leaf-2", "leaf-1"]
    assert [found[f"target-{n}"] for n in (1, 2, 3)] == ["leaf-1", "leaf-2", "leaf-1"]
    result = check(plan)
    assert result.ok
    assert result.judgements[-1].figure == "kinds of devices: 2 in storage"


def test_two_networks_share_a_leaf() -> None:
    """Each has cages, a VRF, a routing table and addresses of its own, beside single devices."""
    ports = {"storage": 2, "inband": 2, "compute": 2}
    plan = plan_of(
        **RAILS | {"spare_ports": {"leaf": 40}},
        networks={
            "storage": {"converged_with": "compute", "speed": "200G"},
            "inband": {"converged_with": "compute", "speed": "100G"},
        },
        devices=[{"name": "mgmt-{n}", "count": 2, "ports": ports}],
    )
    assert check(plan).ok
    leaf = next(Views(plan).switches(0))
    storage, inband = leaf.instances[-2:]
    assert (storage.vrf, inband.vrf) == ("storage", "inband")
    assert len({each.table for each in leaf.instances}) == len(leaf.instances)
    assert storage.host_prefix != inband.host_prefix
    cages = [{port.cage for port in each.own_ports} for each in (storage, inband)]
    assert not cages[0] & cages[1]

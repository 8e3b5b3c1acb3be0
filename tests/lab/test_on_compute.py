"""Networks and devices on switches of the compute fabric in a lab, and paired devices."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.lab.networks.choose import EVERY, lay_out_networks
from fabricgen.lab.slice import lay_out
from tests.fabrics import ON_COMPUTE, plan_of

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan
    from tests.lab.conftest import Machine

NETWORKS = ON_COMPUTE["networks"]
CLUSTER: dict[str, Any] = ON_COMPUTE | {
    "name": "small",
    "networks": NETWORKS
    | {
        "oob": NETWORKS["oob"] | {"leaves": 2},
        "console": {"switches": {"leaf": {"model": "cm8148"}}},
    },
    "devices": [
        {"name": "target-{n}", "count": 3, "ports": {"storage": 2, "oob": 1}},
        {"name": "ufm-{n}", "count": 4, "ports": {"compute": 2, "oob": 1}, "peer_links": 2},
    ],
}
"""Two leaves of two rails each; storage in VRFs that links join, uplinks in others, two pairs."""


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Return the plan of the cluster."""
    return plan_of(**CLUSTER)


def test_a_vrf_is_a_node(plan: Plan) -> None:
    """Each network on a leaf has a namespace of its own beside those of rails."""
    layout = lay_out_networks(plan, EVERY)
    assert [each.name for each in layout.switches if each.switch == "leaf-1"] == [
        "leaf-1:rail0",
        "leaf-1:rail1",
        "leaf-1:storage",
        "leaf-1:uplinks",
    ]
    assert layout.shared_switches == ["leaf-1", "leaf-2"]
    far = {(wire.a, wire.a_interface): wire.b for wire in layout.wires}
    assert far["host-1", "storage0"] == "leaf-1:storage"
    assert far["oob-1", "swp51"] == "leaf-1:uplinks"
    assert far["ufm-1", "compute0"] == "leaf-1:rail0"
    assert far["leaf-1:storage", "swp26"] == "leaf-2:storage"
    assert {far["ufm-1", "peer0"], far["ufm-3", "peer1"]} == {"ufm-2", "ufm-4"}
    assert len(layout.nodes) == len(set(layout.nodes)) == layout.size.nodes


def test_what_is_not_booted_is_listed(plan: Plan) -> None:
    """With all networks those that cannot boot, and without them each of them."""
    layout = lay_out_networks(plan, EVERY)
    assert layout.not_booted() == "not booted: console has console servers"
    assert layout.left_out() == (
        "a slice of 4 of 6 hosts, 8 of 12 ports in storage, 4 of 4 ports in uplinks, 8 of 8 ports"
        " in devices, 12 of 17 ports in oob, 4 of 4 links in peers; the rest counts as failed"
    )
    names = "oob, console, storage, uplinks, devices, peers"
    alone = f"not booted: the networks {names}; `--network all` boots those it can"
    assert lay_out(plan).not_booted() == alone
    leaf = {"leaf": {"generic": {"radix": 16}}}
    storage = {"switches": leaf, "bonding": "lacp", "peer_links": 2, "nos": "frr"}
    bonded = plan_of(**CLUSTER | {"networks": {"storage": storage}, "devices": []})
    layout = lay_out_networks(bonded, EVERY)
    assert (layout.routed, layout.not_booted()) == (
        (),
        "not booted: storage has bonds of LACP, which the kernel of a lab may not have",
    )


def test_the_leaf_of_a_device_is_in_a_slice() -> None:
    """Devices in compute take free ports of the last leaves, which no HB domain of a slice has."""
    plan = plan_of(
        gpus=256,
        hb_domain={"gpus": 2},
        rails={"count": 2},
        nos="frr",
        switches={"leaf": {"generic": {"radix": 16}}},
        devices=[{"name": "ufm-{n}", "count": 2, "ports": {"compute": 8}}],
        spare_ports={"leaf": 1},
    )
    layout = lay_out_networks(plan, EVERY)
    assert layout.width
    assert layout.left_out().endswith("16 of 16 ports in devices; the rest counts as failed")


@pytest.mark.slow
def test_all_of_them_boot_and_answer(machine: Machine) -> None:
    """All ports answer, networks stay apart, and a leaf fails with all its VRFs."""
    keys = machine.write(**CLUSTER)
    done = machine.run("lab", "run", keys, "--network", "all", "--failures", "single", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    trials = json.loads(done.stdout)["trials"]
    figures = {trial["code"]: trial["figure"] for trial in trials}
    assert figures["sessions"] == "2 of 2"
    assert figures["networks"] == (
        "storage 52 of 52 pairs, uplinks 2 of 2 pairs, devices 72 of 72 pairs"
    )
    assert figures["peers"] == "8 of 8 ends of cables"
    assert figures["managed-ports"].startswith("12 of 12")
    assert figures["networks-apart"] == "8 tables, and packets from 8 leaves"
    assert figures["network-losses"].startswith(
        "4 switches; devices cut off: storage at most 4, uplinks at most 0, devices at most 0, oob"
    )
    assert machine.left() == []


FAULTS = {
    "configs/leaf-1/frr.conf": (
        (" ip address 10.192.0.2/31\n", ""),
        (" ip address 10.0.0.12/31\n", " ip address 10.192.0.2/31\n"),
    ),
    "configs/leaf-2/frr.conf": ((" neighbor swp28 interface v6only peer-group FABRIC\n", ""),),
}
"""Of each file, the words that are changed, and what is there instead."""


@pytest.mark.slow
def test_faults_on_compute_leaves_are_named(machine: Machine) -> None:
    """A port of storage without an address, one of compute with it, and a lost session."""
    fabric, out = machine.write(**CLUSTER), machine.place / "out"
    named = "configs,forwarding,lab,hosts"
    assert machine.run("build", fabric, "--only", named, "-o", out).returncode == 0
    for name, changes in FAULTS.items():
        text = (out / name).read_text(encoding="utf-8")
        for good, bad in changes:
            assert text.count(good) == 1
            text = text.replace(good, bad)
        (out / name).write_text(text, encoding="utf-8")
    done = machine.run("lab", "run", fabric, "--network", "all", "-o", out, "--json")
    assert done.returncode == 1
    found = {trial["code"]: trial["findings"] for trial in json.loads(done.stdout)["trials"]}
    assert found["sessions"] == [
        "leaf-1:storage: 1 of 2 sessions are up",
        "leaf-2:storage: 1 of 2 sessions are up",
    ]
    assert "leaf-1:rail0: has the route 10.192.0.2/31" in found["networks-apart"]
    assert "storage: host-2 storage0 does not answer host-1 storage0" in found["networks"]
    assert "devices: ufm-1 compute0 does not answer d0-g0 nic0" in found["networks"]
    assert {fault.partition(":")[0] for fault in found["networks"]} == {"storage", "devices"}
    assert found["peers"] == []

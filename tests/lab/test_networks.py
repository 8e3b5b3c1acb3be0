"""Networks beside the compute fabric in a lab: all of them boot together, answer and stay apart."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest

from fabricgen.build.context import BuildContext
from fabricgen.build.job import make_job
from fabricgen.build.selection import GroupSelection
from fabricgen.cli import run
from fabricgen.lab import daemon
from fabricgen.lab.expected_routes import Clos
from fabricgen.lab.networks.access import AccessNetworks
from fabricgen.lab.networks.choose import EVERY, lay_out_networks
from fabricgen.lab.networks.devices import read_netplan
from fabricgen.lab.registry import LabRegistry
from fabricgen.lab.session import LabRequest
from fabricgen.lab.topology import ROUTER, Wire
from fabricgen.views.hosts.network_ports import network_ports
from tests.fabrics import plan_of
from tests.nos.switch_files import PACKS
from tests.outputs.packs.managed import LEAST

if TYPE_CHECKING:
    from pathlib import Path
    from typing import NoReturn

    from fabricgen.planning.plan import Plan
    from tests.lab.conftest import Machine

CLUSTER: dict[str, Any] = {
    "name": "small",
    "gpus": 12,
    "hb_domain": {"gpus": 2},
    "design": "rail-optimized",
    "rails": {"count": 2},
    "switches": {"leaf": {"generic": {"radix": 16}}},
    "nos": "frr",
    "networks": {
        "storage": {
            "switches": {"leaf": {"generic": {"radix": 10}}},
            "uplink": {"network": "inband"},
        },
        "inband": {"switches": {"leaf": {"generic": {"radix": 24}}}, "peer_links": 2},
        "oob": {"switches": {"leaf": {"generic": {"radix": 24}}}, "speed": "1G", "leaves": 2},
    },
    "devices": [
        {"name": "target-{n}", "count": 4, "ports": {"storage": 2}},
        {"name": "mgmt-{n}", "count": 3, "ports": {"inband": 2, "oob": 1}},
        {"name": "pdu-{n}", "count": 1, "ports": {"oob": 1}},
    ],
    "management": LEAST | {"device_pool": "10.200.1.0/25", "subnet": "10.200.0.0/23"},
}
"""Six hosts; storage with spines and uplinks to a joined pair of in-band leaves, two out-of-band
switches."""


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Return the plan of the cluster."""
    return plan_of(**CLUSTER)


def wires(*ends: str) -> list[Wire]:
    """Make wires from names such as `a1-s1`; interfaces have the name of the far end."""
    pairs = [end.split("-") for end in ends]
    return [Wire("/".join(pair), pair[0], pair[1], pair[1], pair[0]) for pair in pairs]


TIERS = {"a1": 1, "a2": 1, "b1": 1, "b2": 1, "s1": 2, "s2": 2}
PAIRS = wires("a1-a2", "b1-b2", "a1-s1", "a1-s2", "a2-s1", "a2-s2", "b1-s1", "b1-s2", "b2-s1")


def test_a_peer_is_nearer_than_a_spine() -> None:
    """Its addresses are reached over their link, those of all other leaves over the spines."""
    ways = Clos(TIERS, PAIRS).ways_to("a2")
    assert ways == {
        "a1": {"a2"},
        "s1": {"a2"},
        "s2": {"a2"},
        "b1": {"s1", "s2"},
        "b2": {"s1"},
    }


def test_a_leaf_without_uplinks_is_reached_by_its_peer() -> None:
    """Both ways, and a spine that lost the leaf takes its peer; equal paths are both taken."""
    dead = ["a1/s1", "a1/s2"]
    assert Clos(TIERS, PAIRS, dead).ways_to("b1")["a1"] == {"a2"}
    assert Clos(TIERS, PAIRS, dead).ways_to("a1") == {
        "a2": {"a1"},
        "s1": {"a2"},
        "s2": {"a2"},
        "b1": {"s1", "s2"},
        "b2": {"s1"},
    }
    assert Clos(TIERS, PAIRS, ["b1/s1", "a1/s2"]).ways_to("a1")["b1"] == {"b2", "s2"}


def test_no_spine_reaches_another_over_peers() -> None:
    """Spines have one AS number, so a path with two of them is dropped; a leaf takes its peer."""
    assert "s2" not in Clos(TIERS, PAIRS).ways_to("s1")
    assert Clos(TIERS, PAIRS, ["a1/s1"]).ways_to("s1")["a1"] == {"a2"}


UPLINKS = [
    Wire(f"{low}/{high}", low, high, high, low, numbered=True)
    for low, high in (("a1", "c1"), ("b1", "c2"))
]
"""From two leaves of that network to two leaves of another one, which a spine joins."""
JOINED = (TIERS | {"c1": 1, "c2": 1, "t1": 2}, [*PAIRS, *wires("c1-t1", "c2-t1"), *UPLINKS])


def test_a_network_is_reached_over_uplinks() -> None:
    """The nearest ones, and by a leaf that has one; no path leads through another network."""
    clos = Clos(*JOINED)
    assert clos.ways_to("a1").keys().isdisjoint({"c1", "c2", "t1"})
    assert clos.ways_from_beyond("c1") == {
        "a1": {"c1"},
        "a2": {"a1"},
        "s1": {"a1"},
        "s2": {"a1"},
        "b1": {"c2", "s1", "s2"},
        "b2": {"s1"},
    }
    assert clos.ways_from_beyond("a2") == {"c1": {"a1"}, "t1": {"c1"}, "c2": {"b1"}}


def test_the_loss_of_an_uplink_leaves_the_other_one() -> None:
    """A leaf without one goes by a spine to a leaf that has one."""
    clos = Clos(*JOINED, ["a1/c1"])
    assert clos.ways_from_beyond("c1")["a1"] == {"s1", "s2"}
    assert clos.ways_from_beyond("a2") == {"c2": {"b1"}, "t1": {"c2"}, "c1": {"t1"}}


def test_four_hosts_with_all_networks(plan: Plan) -> None:
    """A host is one node; its management port and those of switches are nodes behind a bridge."""
    layout = lay_out_networks(plan, EVERY)
    assert layout.host_names == ("host-1", "host-2", "host-3", "host-4")
    assert [part.name for part in (*layout.routed, *layout.access)] == ["storage", "inband", "oob"]
    assert {*layout.host_names, "target-1", "mgmt-3", "host-4:oob0", "pdu-1:oob0", ROUTER} <= {
        *layout.nodes
    }
    assert "mgmt-2" not in layout.nodes
    assert len(layout.nodes) == len(set(layout.nodes)) == layout.size.nodes
    ports = {wire.a_interface for wire in layout.wires if wire.a == "host-1"}
    assert ports == {"storage0", "storage1", "inband0", "inband1"}
    managed = {wire.a for part in layout.access for wire in part.wires}
    assert {each.switch for each in layout.switches} == {
        *(name for name, node in layout.management.items() if node in managed)
    }
    assert layout.left_out().startswith("a slice of 4 of 6 hosts, 12 of 20 ports in storage")


def test_management_ports_have_the_addresses_of_the_plan(plan: Plan) -> None:
    """A node of a BMC has that of its port, and the node of a switch that of its first one."""
    layout = lay_out_networks(plan, EVERY)
    ports = AccessNetworks(Mock(), layout).ports
    planned = {f"{port.device}:{port.interface}": port.address for port in network_ports(plan)}
    planned |= {
        node: layout.management_addresses[switch] for switch, node in layout.management.items()
    }
    assert {port.node: port.address for port in ports} == {
        port.node: planned[port.node] for port in ports
    }
    assert planned["host-1:oob0"] == "10.200.1.1"


def test_one_network_alone(plan: Plan) -> None:
    """Neither GPUs nor switches of the compute fabric are booted with it."""
    layout = lay_out_networks(plan, "storage")
    assert (layout.gpus, layout.access, len(layout.routed)) == ({}, (), 1)
    assert {each.switch.partition("-")[0] for each in layout.switches} == {"storage"}
    assert layout.scope.networks.keys() == {"storage"}
    assert layout.scope.boxes == ()
    groups = GroupSelection(("configs",))
    job = make_job(BuildContext(plan, PACKS, groups, scope=layout.scope))
    paths = [path for path in job.paths() if path.startswith("configs/")]
    assert {path.split("/")[1].partition("-")[0] for path in paths} == {"storage"}


def test_what_runs_on_infiniband_is_left_out() -> None:
    """The compute fabric of a SuperPOD runs over ibsim, not here."""
    keys = {key: value for key, value in CLUSTER.items() if key not in ("nos", "management")}
    networks = {"oob": CLUSTER["networks"]["oob"] | {"nos": "frr"}}
    changed = {"switches": {"leaf": {"model": "qm9700"}}, "networks": networks, "devices": []}
    layout = lay_out_networks(plan_of(**keys | changed), EVERY)
    assert layout.gpus == {}
    assert layout.not_booted() == "not booted: compute runs on InfiniBand"


def test_uplinks_of_routed_leaves_into_compute_are_left_out() -> None:
    """They are cables alone; the network below them boots."""
    layout = lay_out_networks(
        plan_of(
            gpus=16,
            hb_domain={"gpus": 4},
            design="rail-optimized",
            rails={"per_switch": 2, "tiers": 2},
            switches={"leaf": {"generic": {"radix": 16}}},
            spare_ports={"spine": 4},
            nos="frr",
            networks={
                "storage": {
                    "switches": {"leaf": {"generic": {"radix": 16}}},
                    "uplink": {"network": "compute"},
                }
            },
        ),
        EVERY,
    )
    assert [part.name for part in layout.routed] == ["storage"]
    assert layout.not_booted() == (
        "not booted: uplinks has ports of leaves that route, without addresses and sessions"
    )


def test_the_netplan_of_a_host_is_read() -> None:
    """Addresses and routes of each port; a port without either has none."""
    text = (
        "network:\n  ethernets:\n    storage0:\n      addresses: [10.192.0.1/31]\n"
        "      routes:\n        - {to: 10.192.0.0/22, via: 10.192.0.0, metric: 100}\n"
        "    idle:\n      optional: true\n"
    )
    assert read_netplan(text) == [
        ("storage0", ["10.192.0.1/31"], ["10.192.0.0/22 via 10.192.0.0 metric 100"]),
        ("idle", [], []),
    ]


def test_a_lab_of_networks_that_is_up_refuses_the_failures_that_run_refuses(
    plan: Plan,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`lab up` records that a lab is one of networks, and `lab test` reads the record."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))

    def boot(*_: object, **__: object) -> NoReturn:
        for failures in ("clocked", "all"):
            assert run(["lab", "test", "--name", "up", "--failures", failures]) == 2
            assert "a lab of networks fails switches; use --failures single" in (
                capsys.readouterr().err
            )
        raise InterruptedError

    monkeypatch.setattr(daemon, "start", boot)
    with pytest.raises(InterruptedError):
        daemon.put_up(LabRequest(plan, network="storage"), LabRegistry("up"), lambda _: None)


def trials(output: str) -> dict[str, dict[str, Any]]:
    """Return the trials of a lab by their codes."""
    return {trial["code"]: trial for trial in json.loads(output)["trials"]}


@pytest.mark.slow
def test_all_networks_of_four_hosts(machine: Machine) -> None:
    """All ports answer, over uplinks too; others stay apart, and each switch fails as planned."""
    keys = machine.write(**CLUSTER)
    done = machine.run("lab", "run", keys, "--network", "all", "--failures", "single", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    figures = {code: trial["figure"] for code, trial in trials(done.stdout).items()}
    assert figures["networks"] == "storage 120 of 120 pairs, inband 120 of 120 pairs"
    assert figures["network-uplinks"] == "32 pairs over 12 uplinks, and without the first"
    assert figures["managed-ports"].startswith("20 of 20")
    assert figures["network-losses"].startswith(
        "12 switches; devices cut off: storage at most 0, inband at most 0, oob at most 10"
    )
    assert machine.left() == []


FAULTS = {
    "configs/storage-leaf-1/frr.conf": (
        " ip address 10.192.0.0/31\n",
        " ip address 10.192.0.0/31\n ip address 10.244.0.9/29\n",
    ),
    "configs/oob-1/interfaces": ("    bridge-access 200\n", ""),
    "hosts/host-2/netplan/61-networks.yaml": ("{to: 10.192.0.0/22", "{to: 10.192.0.0/30"),
}
"""Of each file, the words whose first place is changed, and what is there instead."""


@pytest.mark.slow
def test_faults_of_files_are_named(machine: Machine) -> None:
    """A leaf in another network, a port outside the VLAN, and a host without a route."""
    keys = {key: value for key, value in CLUSTER.items() if key != "management"}
    fabric, out = machine.write(**keys), machine.place / "out"
    named = "configs,forwarding,lab,hosts"
    assert machine.run("build", fabric, "--only", named, "-o", out).returncode == 0
    for name, (good, bad) in FAULTS.items():
        text = (out / name).read_text(encoding="utf-8")
        assert good in text
        (out / name).write_text(text.replace(good, bad, 1), encoding="utf-8")
    done = machine.run("lab", "run", fabric, "--network", "all", "-o", out, "--json")
    assert done.returncode == 1
    found = {code: trial["findings"] for code, trial in trials(done.stdout).items()}
    assert found["networks-apart"] == ["storage-leaf-1: has the route 10.244.0.8/29"]
    assert found["managed-ports"] == ["host-1:oob0 oob0 does not answer at 198.19.0.2 behind oob-1"]
    assert "storage: host-3 storage0 does not answer host-2 storage0" in found["networks"]
    assert all(each.endswith("does not answer host-2 storage0") for each in found["networks"])
    assert machine.left() == []

"""Leaves whose devices have bonds of LACP: EVPN multihoming, and a VRF for each network."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from ruamel.yaml import YAML

from fabricgen.build.run import build
from fabricgen.core.diagnostics import Refusal
from fabricgen.inventory.networks import VLANS
from fabricgen.outputs.packs.nos_packs import nos_packs
from fabricgen.outputs.packs.render import Packs
from tests.conftest import SYSTEM_PATH
from tests.fabrics import build_job
from tests.nos import junos_overlay, nxos_overlay, sonic_overlay, srlinux_overlay
from tests.nos.model_variants import LARGEST_OF_EOS, MODELS
from tests.nos.nvue import expanded, flattened
from tests.nos.overlay import ONE_BRIDGE, Overlay, planned
from tests.nos.statements import Grammar
from tests.nos.switch_files import ROUTING_FILES, render_switches
from tests.nos.verifiers import Verifiers
from tests.outputs.packs.managed import LEAST
from tests.outputs.packs.netplan import assert_networkd_agrees, generated
from tests.outputs.packs.test_access_switches import (
    ACCESS_MODELS,
    eos_facts,
    eos_faults,
    nxos_faults,
)
from tests.outputs.packs.test_network_switches import cluster
from tests.outputs.packs.test_nxos import OVERLAY, SOURCES, nxos_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from fabricgen.planning.plan import Plan
    from tests.nos.switch_files import SwitchFiles

ROUTERS: dict[str, Any] = {
    "name": "edge-bgp-{n}",
    "count": 2,
    "ports": {"inband": 2},
    "edge": True,
    "bgp": {"asn": 65100},
}
FAKE_IP = """#!/bin/sh
# prints what it is asked, and knows a link after it was made or has become a member
case "$*" in
"link show dev"*" master "*) grep -qx "$4 $6" "$MADE" 2>/dev/null && echo "$4" ;;
"link show"*) grep -qx "$4" "$MADE" 2>/dev/null ;;
*)
    case "$*" in
    "link add link "*) echo "$6" >>"$MADE" ;;
    "link add "*) echo "$3" >>"$MADE" ;;
    *" master "*) echo "$4 $6" >>"$MADE" ;;
    esac
    echo "$*" ;;
esac
"""
"""A stand-in for iproute2: namespaces of a container may have no bonds."""

DEVICES = [
    {"name": "mgmt-{n}", "count": 2, "ports": {"inband": 2}},
    {"name": "edge-{n}", "count": 2, "ports": {"inband": 2}, "edge": True},
]


BOND_SWITCHES: dict[str, dict[str, Any]] = {
    "junos": {"switches": {"leaf": {"model": "qfx5130", "breakout": "4x100G"}}},
    "srlinux": {
        "switches": {"leaf": {"model": "7220-ixr-d5", "breakout": "2x200G"}},
        "fill": 20,
    },
}
"""The switches of a network with bonds, where those of compute have none."""


def bonded(nos: str, devices: Sequence[dict[str, Any]] = DEVICES) -> Plan:
    """Plan a fabric whose storage network carries the in-band network on bonds."""
    of_nos = cluster(nos).spec.networks
    assert of_nos.storage
    storage = of_nos.storage.model_dump(mode="json", exclude_none=True)
    own = {"bonding": "lacp", "carries": ["inband"], **BOND_SWITCHES.get(nos, {})}
    return cluster(nos, networks={"storage": storage | own}, devices=[*devices])


@cache
def leaves(nos: str) -> list[SwitchFiles]:
    """Render the switches of the network."""
    return render_switches(bonded(nos).networks["storage"])


@pytest.mark.parametrize("nos", sorted({*ROUTING_FILES} - {"nxos"}))
def test_the_tools_accept_bonds(
    nos: str, tool: Callable[[str], str], oracles: Path, tmp_path: Path
) -> None:
    """A leaf, the leaf of the routers and a spine."""
    found = leaves(nos)
    routers = next(
        one
        for one in found
        if one.switch.overlay and any(own.ports for own in one.switch.overlay.tenants)
    )
    verifiers = Verifiers(tool, oracles, tmp_path)
    assert verifiers.complaints([found[0], routers, found[-1]]) == []


OVERLAYS: dict[str, Callable[[Mapping[str, str]], Overlay]] = {
    "junos": junos_overlay.read,
    "nxos": nxos_overlay.read,
    "sonic": sonic_overlay.read,
    "srlinux": srlinux_overlay.read,
}
"""The reader of the overlay of each NOS."""


def test_cisco_documents_bonds() -> None:
    """On a leaf, on the leaf of the routers and on a spine."""
    found = [*leaves("nxos"), *render_switches(bonded("nxos", [ROUTERS]).networks["storage"])]
    grammar = Grammar(SOURCES + OVERLAY, modes=True)
    for one in found:
        bonds = one.switch.vtep.bonds if one.switch.vtep else []
        words = nxos_words(one) | {
            "bond": {f"port-channel{bond.number}" for bond in bonds},
            "svi": {f"Vlan{vlan}" for vlan in (300, 400, 3001, 3002)},
        }
        assert grammar.findings(one.files["nxos.cfg"], words) == []


SEGMENTS: dict[str, Callable[[str], list[tuple[str, str]]]] = {
    "eos": lambda text: re.findall(
        r"interface Port-Channel(\d+)\n(?:   .*\n)*?      identifier 03(.{17})", text
    ),
    "frr": lambda text: re.findall(r"evpn mh es-id (\d+)\n evpn mh es-sys-mac (\S+)", text),
    "sonic": lambda text: re.findall(r"evpn mh es-id (\d+)\n evpn mh es-sys-mac (\S+)", text),
    "junos": lambda text: re.findall(r"interfaces ae(\d+) esi 03:(.{17}):", text),
    "nxos": lambda text: [
        (number, system) for system, number in re.findall(r"    esi system-mac (\S+) (\d+)\n", text)
    ],
    "srlinux": lambda text: re.findall(r'"name": "lag(\d+)", .*"esi": "03:(.{17}):', text),
    "nvue": lambda text: re.findall(r"local-id (\d+)\nnv set .* segment mac-address (\S+)\n", text),
}
"""The number and the system of each bond, read back from the file of a NOS."""


@pytest.mark.parametrize("nos", ROUTING_FILES)
def test_a_bond_has_one_segment_on_two_leaves(nos: str) -> None:
    """Each Ethernet segment is on two leaves, and no two bonds have one."""
    found = Counter(
        segment for one in leaves(nos) for segment in SEGMENTS[nos](one.files[ROUTING_FILES[nos]])
    )
    assert set(found.values()) == {2}
    assert len(found) == 32 + 2


@pytest.mark.parametrize("nos", OVERLAYS)
def test_the_files_of_leaves_have_the_overlay_of_the_plan(nos: str) -> None:
    """Every bond, VLAN and VRF, read back; the laws judge those of the plan."""
    plan = bonded(nos, [*DEVICES, ROUTERS])
    for one in render_switches(plan.networks["storage"]):
        if one.switch.vtep:
            assert OVERLAYS[nos](one.files) == planned(one.switch.vtep, nos)


MUTATIONS = {
    "junos": {
        "a segment of another bond": (r"(esi 03:.{17}:00:00:)01", r"\g<1>02"),
        "another system": (r"(system-id .*)1\n", r"\g<1>2\n"),
        "a VLAN of another network": (r"vlan members inband", "vlan members storage"),
        "routes of another network": (r"target:13001:13001", "target:13002:13002"),
    },
    "nxos": {
        "a segment of another bond": (r"(esi system-mac .*) 1\n", r"\g<1> 2\n"),
        "another system": (r"(esi system-mac .*)1 ", r"\g<1>2 "),
        "a VLAN of another network": (r"trunk allowed vlan 300,400", "trunk allowed vlan 300"),
        "routes of another network": (r"both 13001:13001", "both 13002:13002"),
    },
    "sonic": {
        "a segment of another bond": (r"es-id 1\n", "es-id 2\n"),
        "another system": (r"(es-sys-mac .*)1\n", r"\g<1>2\n"),
        "a VNI of another network": (r" vni 13001\n", " vni 13002\n"),
        "routes of another network": (r"both 13001:13001", "both 13002:13002"),
    },
    "srlinux": {
        "a segment of another bond": (r'("esi": "03:.{17}:00:00:)01"', r'\g<1>02"'),
        "another system": (r'("system-id-mac": ".*)1"', r'\g<1>2"'),
        "a VLAN of another network": (r'"vlan-id": 300', '"vlan-id": 400'),
        "routes of another network": (r'"target:13001:13001"', '"target:13002:13002"'),
    },
}
"""Faults of a leaf, by regular expressions."""


@pytest.mark.parametrize(
    ("nos", "fault"), [(nos, it) for nos in MUTATIONS for it in MUTATIONS[nos]]
)
def test_faults_of_overlays_are_found(nos: str, fault: str) -> None:
    """A leaf that differs from its plan is read as such, or not at all."""
    one = leaves(nos)[0]
    text, edits = re.subn(*MUTATIONS[nos][fault], one.files[ROUTING_FILES[nos]], count=1)
    assert edits
    assert one.switch.vtep
    try:
        found = OVERLAYS[nos](one.files | {ROUTING_FILES[nos]: text})
    except (AssertionError, KeyError, ValueError):
        return
    assert found != planned(one.switch.vtep, nos)


TARGETS = (
    r'(?:both|import evpn|target import|from-evpn route-target|"import-rt":|vrf-target)'
    r' "?(?:target:)?(\d+:\d+)\b(?!:)'
)
"""The route targets that a switch imports, in the syntax of any NOS."""


@pytest.mark.parametrize("nos", ROUTING_FILES)
def test_numbers_of_networks_are_unique(nos: str) -> None:
    """VNIs and route targets are the same on all leaves, route distinguishers on none."""
    text = "\n".join(one.files[ROUTING_FILES[nos]] for one in leaves(nos))
    words = re.findall(r'\b(?:rd|route-distinguisher)"?:? "?([\d.]+:\d+)', text)
    each = 3 if nos in ONE_BRIDGE else 4
    count = each * sum("leaf" in one.switch.name for one in leaves(nos))
    assert len(words) == len(set(words)) == count
    targets = {*re.findall(TARGETS, text)}
    assert targets == {"10300:10300", "10400:10400", "13001:13001", "13002:13002"}


def test_the_commands_of_bonds_equal_startup_yaml() -> None:
    """As in all other files of NVUE."""
    for one in (leaves("nvue")[0], leaves("nvue")[-1]):
        stored = {line for line in flattened(one.files["startup.yaml"]) if "type" not in line}
        commands = {
            (*line, "state", "enable") if line[-1] == "pfc-watchdog" else line
            for line in expanded(one.files["commands.txt"])
            if "type" not in line
        }
        assert stored == commands


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the files of hosts and switches."""
    folder = tmp_path_factory.mktemp("bonds") / "out"
    build(build_job(bonded("nvue"), Packs(), ("configs", "hosts")), folder)
    return folder


def test_hosts_and_switches_agree(out: Path) -> None:
    """A bond of a host has the ports, addresses and gateways of the table and of its leaves."""
    with (out / "hosts" / "addresses.csv").open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["device"] == "host-01"]
    assert [row["network"] for row in rows] == ["storage", "inband"] * 2
    found = YAML(typ="safe").load(out / "hosts" / "host-01" / "netplan" / "61-networks.yaml")
    network = found["network"]
    assert network["bonds"]["bond0"]["interfaces"] == [rows[0]["interface"], rows[2]["interface"]]
    assert network["bonds"]["bond0"]["mtu"] == LARGEST_OF_EOS["mtu"] - 50
    assert {*network["ethernets"]} == {row["interface"] for row in rows}
    for row in rows:
        vlan = network["vlans"][f"bond0.{VLANS[row['network']]}"]
        assert vlan["addresses"] == [row["address"]]
        text = (out / "configs" / row["switch"] / "commands.txt").read_text(encoding="utf-8")
        gateway = f"{row['gateway']}/{row['address'].partition('/')[2]}"
        assert f"vlan{vlan['id']} ipv4 vrr address {gateway}" in text
        (bond,) = re.findall(rf"interface (bond\d+) bond member {row['switch_interface']}\n", text)
        assert f"{bond} bridge domain br_default vlan {vlan['id']}\n" in text
    (default,) = network["vlans"]["bond0.300"]["routes"]
    assert (default["to"], default["via"]) == ("0.0.0.0/0", rows[1]["gateway"])


def test_addresses_of_bonds_are_unique(out: Path) -> None:
    """Both members of a bond have its address in each network, and no other port has it."""
    with (out / "hosts" / "addresses.csv").open(encoding="utf-8", newline="") as stream:
        rows = [*csv.DictReader(stream)]
    found = Counter(row["address"] for row in rows)
    routed = {row["address"] for row in rows if row["device"].startswith("edge-")}
    assert {found[each] for each in routed} == {1}
    assert {count for each, count in found.items() if each not in routed} == {2}


def test_netplan_generates_bonds(out: Path, tool: Callable[[str], str], tmp_path: Path) -> None:
    """Its own generator accepts bonds and VLANs."""
    made = generated(tool("netplan"), out / "hosts" / "host-01", tmp_path)
    assert "Mode=802.3ad" in (made / "10-netplan-bond0.netdev").read_text(encoding="utf-8")
    assert_networkd_agrees(made, out / "hosts" / "host-01", 8)


def test_the_script_makes_bonds(out: Path, tool: Callable[[str], str], tmp_path: Path) -> None:
    """It makes the bond and its VLANs once, and gives addresses and routes each time."""
    script = (out / "hosts" / "host-01" / "networks.sh").read_text(encoding="utf-8")
    (tmp_path / "ip").write_text(FAKE_IP, encoding="utf-8")
    (tmp_path / "ip").chmod(0o755)
    runs = [
        subprocess.run(
            [tool("sh"), "-s"],
            input=script,
            capture_output=True,
            text=True,
            check=True,
            env={"PATH": f"{tmp_path}:{SYSTEM_PATH}", "MADE": str(tmp_path / "made")},
        ).stdout.splitlines()
        for _ in range(2)
    ]
    once = [line for line in runs[0] if line not in runs[1]]
    assert [line.split()[:3] for line in once] == [
        ["link", "add", "bond0"],
        *([["link", "set", "dev"]] * 4),
        ["link", "add", "link"],
        ["link", "add", "link"],
    ]
    found = YAML(typ="safe").load(out / "hosts" / "host-01" / "netplan" / "61-networks.yaml")
    for name, vlan in found["network"]["vlans"].items():
        assert f"address replace {vlan['addresses'][0]} dev {name}" in runs[1]
        for to in vlan.get("routes", []):
            line = f"route replace {to['to']} via {to['via']} dev {name} metric {to['metric']}"
            assert line in runs[1]


def test_ifupdown2_knows_bonds(tool: Callable[[str], str], tmp_path: Path) -> None:
    """It reads the interfaces of a leaf, and knows the name of every attribute."""
    path, text = tmp_path / "interfaces", leaves("frr")[0].files["interfaces"]
    path.write_text(text, encoding="utf-8")

    def ask(*options: str) -> str:
        command = [tool("ifquery"), *options]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    read = json.loads(ask("--all", "--interfaces", str(path), "--format", "json"))
    assert {each["name"] for each in read} == {*re.findall(r"^iface (\S+)", text, re.MULTILINE)}
    known = {*re.findall(r"^  (\S+)$", ask("--syntax-help"), re.MULTILINE)}
    assert {key for each in read for key in each["config"]} <= known


def test_a_pack_without_bonds_is_refused(tmp_path: Path) -> None:
    """A pack of one's own that does not name bonds of leaves."""
    own = tmp_path / "srlinux" / "pack.yaml"
    own.parent.mkdir()
    text = (Packs().home / "srlinux" / "pack.yaml").read_text(encoding="utf-8")
    own.write_text(re.sub(r"^bonds: .*\n", "", text, flags=re.MULTILINE), encoding="utf-8")
    with pytest.raises(Refusal) as refused:
        nos_packs(bonded("srlinux").networks["storage"], Packs([tmp_path]))
    (finding,) = refused.value.findings
    assert (finding.code, finding.path) == ("no-pack", ("networks", "storage", "bonding"))
    assert "(eos, frr, junos, nvue, nxos, sonic)" in (finding.hint or "")


@pytest.mark.parametrize("nos", ["nxos", "srlinux"])
def test_a_leaf_without_multihoming_is_refused(nos: str) -> None:
    """Its catalog file does not have the fact; a spine needs none."""
    leaf = {"leaf": {"model": MODELS[nos], "breakout": "2x400G"}}
    own = {"switches": leaf, "nos": nos, "bonding": "lacp", "peer_links": 2}
    plan = cluster(nos, networks={"inband": own}).networks["inband"]
    with pytest.raises(Refusal) as refused:
        nos_packs(plan, Packs())
    (finding,) = refused.value.findings
    assert (finding.code, finding.path) == ("pack-needs-fact", ("networks", "inband", "bonding"))


UPLINKED: dict[str, tuple[str, str, str, str]] = {
    "eos": ("sn4700", ACCESS_MODELS["eos"], "1G", "25G"),
    "srlinux": ("sn4600c", "7220-ixr-d5", "100G", "100G"),
}
"""The leaf of `inband`, the access switch, the speed of its ports and that of its uplinks."""


@cache
def oob(nos: str) -> SwitchFiles:
    """Render the first switch of an out-of-band network with uplinks to leaves of bonds."""
    usual = ("sn4600c", ACCESS_MODELS[nos], "1G", "100G")
    above, model, speed, uplinks = UPLINKED.get(nos, usual)
    leaf = {"leaf": {"model": above}}
    plan = cluster(
        "nvue",
        networks={
            "inband": {"switches": leaf, "speed": "100G", "bonding": "lacp", "peer_links": 2},
            "oob": {
                "switches": {"leaf": {"model": model}},
                "nos": nos,
                "speed": speed,
                "uplink": {"speed": uplinks},
            },
        },
        devices=DEVICES[:1],
        management=LEAST,
    )
    return render_switches(plan.networks["oob"])[0]


UPLINKS = {
    "nvue": "nv set interface uplink bond member swp51,swp52\n",
    "frr": "    bond-slaves swp51 swp52\n    bond-mode 802.3ad\n    bridge-access 200\n",
    "sonic": '"PortChannel1|Ethernet56": {}, "PortChannel1|Ethernet60": {}',
    "srlinux": '"admin-state": "enable", "ethernet": {"aggregate-id": "lag1"}},\n',
    "junos": "set interfaces et-0/1/1 ether-options 802.3ad ae0\n",
}


@pytest.mark.parametrize("nos", UPLINKS)
def test_uplinks_of_access_switches_are_a_bond(
    nos: str, tool: Callable[[str], str], oracles: Path, tmp_path: Path
) -> None:
    """They carry the VLAN of the access network into the leaves."""
    one = oob(nos)
    assert any(UPLINKS[nos] in text for text in one.files.values())
    assert Verifiers(tool, oracles, tmp_path).complaints([one]) == []


def test_arista_and_cisco_know_the_bonds_of_uplinks() -> None:
    """A port channel of LACP in the VLAN of the network; no uplink has a line of its own for it."""
    arista, cisco = oob("eos"), oob("nxos")
    text = arista.files["startup-config.cfg"]
    (address,) = re.findall(r"interface Vlan200\n(?:   .*\n)*?   ip address (\S+)", text)
    assert eos_faults(arista, eos_facts(arista, 200, address)) == []
    assert nxos_faults(cisco, 200) == []
    for one, file in ((arista, "startup-config.cfg"), (cisco, "nxos.cfg")):
        assert one.switch.access
        found = re.findall(
            r"interface (\S+)\n(?: +(?!channel).*\n)* +channel-group 1 mode active", one.files[file]
        )
        assert (*found,) == one.switch.access.uplinks
        assert len(found) == 2

"""The switches of out-of-band networks: one VLAN with all ports, and an address in it."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.core.diagnostics import Refusal
from fabricgen.outputs.packs.nos_packs import nos_packs
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import plan_of
from tests.nos import eos_avd
from tests.nos.eos import lines_of
from tests.nos.statements import Grammar
from tests.nos.switch_files import render_switches
from tests.nos.verifiers import Verifiers
from tests.outputs.packs.managed import FULL, LEAST
from tests.outputs.packs.test_nxos import MANAGEMENT, SOURCES, nxos_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from fabricgen.planning.plan import Plan
    from tests.nos.switch_files import SwitchFiles
    from tests.outputs.packs.managed import Keys

ACCESS_MODELS = {
    "nvue": "sn2201",
    "frr": "sn2201",
    "sonic": "sn2201",
    "eos": "7010tx-48",
    "nxos": "n9k-c9348gc-fxp",
    "srlinux": "7220-ixr-d1",
    "junos": "ex4400-48t",
}
VLAN = 123
BRIDGE = """
# Cisco Nexus 9000 NX-OS, Layer 2 Switching Configuration Guide: VLANs, edge ports
vlan <n:1-4094>
  name <word>
interface <port>
  switchport
  switchport access vlan <n:1-4094>
  spanning-tree port type edge
  channel-group <n:1-4096> mode active
# the same series, Interfaces Configuration Guide: port channels; each is a Layer 2 interface
feature lacp
interface <port-channel>
  switchport
  switchport access vlan <n:1-4094>
# the same series, Interfaces Configuration Guide: VLAN interfaces
feature interface-vlan
interface <svi>
  no shutdown
  ip address <address>
# the same series, Unicast Routing Configuration Guide: static routes
ip route 0.0.0.0/0 <ip>
"""


def oob_plan(nos: str, management: Keys = LEAST) -> Plan:
    """Plan a small fabric with an out-of-band network whose switches run a NOS."""
    oob = {
        "switches": {"leaf": {"model": ACCESS_MODELS[nos]}},
        "nos": nos,
        "vlan": VLAN,
    }
    return plan_of(
        gpus=64,
        hb_domain={"gpus": 8},
        switches={"leaf": {"generic": {"radix": 64}}},
        networks={"oob": oob | {"speed": "1G"}},
        management=management,
    )


@cache
def access_switch(nos: str) -> SwitchFiles:
    """Render the first out-of-band switch."""
    return render_switches(oob_plan(nos).networks["oob"])[0]


@cache
def managed_switch(nos: str) -> SwitchFiles:
    """Render it with everything that `management` has."""
    return render_switches(oob_plan(nos, FULL).networks["oob"])[0]


def _blocks(text: str, pattern: str) -> set[str]:
    """Return the interfaces whose block has a line, as EOS, NX-OS and ifupdown2 write blocks."""
    found = set()
    for block in re.split(r"\n(?=interface |iface |auto |vlan )", text):
        name = re.match(r"(?:interface|iface) (\S+)", block)
        if name and re.search(pattern, block, re.MULTILINE):
            found.add(name[1])
    return found


def _srlinux_ports(files: Mapping[str, str]) -> set[str]:
    config = json.loads(files["config.json"])
    (bridge,) = (
        each
        for each in config["srl_nokia-network-instance:network-instance"]
        if each["type"] == "srl_nokia-network-instance:mac-vrf"
    )
    inside = {each["name"] for each in bridge["interface"]}
    return {
        port["name"]
        for port in config["srl_nokia-interfaces:interface"]
        for unit in port.get("subinterface", ())
        if f"{port['name']}.{unit['index']}" in inside
        and unit.get("type") == "srl_nokia-interfaces:bridged"
        and not port.get("srl_nokia-interfaces-vlans:vlan-tagging")
    }


def _junos_ports(files: Mapping[str, str]) -> set[str]:
    text = files["junos.set"]
    (vlan,) = re.findall(rf"set vlans (\S+) vlan-id {VLAN}\n", text)
    unit = r"set interfaces (\S+) unit 0 family ethernet-switching"
    return {*re.findall(rf"{unit} interface-mode access\n", text)} & {
        *re.findall(rf"{unit} vlan members {vlan}\n", text)
    }


def _sonic_ports(files: Mapping[str, str]) -> set[str]:
    members = json.loads(files["config_db.json"])["VLAN_MEMBER"]
    return {
        key.split("|")[1]
        for key, value in members.items()
        if key.startswith(f"Vlan{VLAN}|") and value == {"tagging_mode": "untagged"}
    }


BRIDGED: dict[str, Callable[[Mapping[str, str]], set[str]]] = {
    "nvue": lambda files: {
        *re.findall(
            rf"interface (\S+) bridge domain br_default access {VLAN}", files["commands.txt"]
        )
    },
    "frr": lambda files: _blocks(files["interfaces"], rf"^ +bridge-access {VLAN}$"),
    "sonic": _sonic_ports,
    "eos": lambda files: _blocks(
        files["startup-config.cfg"], rf"^ +switchport access vlan {VLAN}$"
    ),
    "nxos": lambda files: _blocks(files["nxos.cfg"], rf"^ +switchport access vlan {VLAN}$"),
    "srlinux": _srlinux_ports,
    "junos": _junos_ports,
}
"""The ports in the VLAN, read back from the files of each NOS."""


@pytest.mark.parametrize("nos", ACCESS_MODELS)
def test_all_ports_are_in_one_vlan(nos: str) -> None:
    """Each port in use is an access port of the VLAN, and nothing routes."""
    one = access_switch(nos)
    assert BRIDGED[nos](one.files) == {port.interface for port in one.switch.ports}
    assert not any("router bgp" in text or "10.224." in text for text in one.files.values())


@pytest.mark.parametrize("nos", ACCESS_MODELS)
def test_the_address_is_that_of_the_vlan(nos: str) -> None:
    """It is managed in the network that it serves, by an address of `management.pool`."""
    texts = "\n".join(access_switch(nos).files.values())
    assert "10.200.0.192/24" in texts
    assert "10.200.0.1" in texts.replace("10.200.0.192", "").replace("10.200.0.123", "")
    assert re.search(rf"(?i)\b(vlan *|vlan-id |irb0\.){VLAN}\b", texts)


@pytest.mark.parametrize(
    ("nos", "interface"), [("nvue", "vlan123"), ("srlinux", "irb0"), ("junos", "irb")]
)
def test_without_management_it_only_bridges(nos: str, interface: str) -> None:
    """The VLAN has no address then."""
    plan = oob_plan(nos)
    spec = plan.spec.model_copy(update={"management": None})
    bare = plan_of(**spec.model_dump(mode="json", exclude_none=True))
    files = render_switches(bare.networks["oob"])[0].files
    assert BRIDGED[nos](files)
    assert not any(interface in text for text in files.values())


def test_a_pack_without_bridges_is_refused(tmp_path: Path) -> None:
    """Nothing is written of a NOS whose pack, here one of one's own, has no access switches."""
    own = tmp_path / "junos" / "pack.yaml"
    own.parent.mkdir()
    text = (Packs().home / "junos" / "pack.yaml").read_text(encoding="utf-8")
    own.write_text(text.replace("access: access.j2, ", ""), encoding="utf-8")
    with pytest.raises(Refusal) as refused:
        nos_packs(oob_plan("junos").networks["oob"], Packs([tmp_path]))
    (finding,) = refused.value.findings
    assert finding.code == "no-pack"
    assert finding.path == ("networks", "oob", "nos")
    assert "(eos, frr, nvue, nxos, sonic, srlinux)" in (finding.hint or "")


@pytest.mark.parametrize("nos", ["frr", "junos", "nvue", "sonic", "srlinux"])
def test_the_tools_accept_access_switches(
    nos: str, tool: Callable[[str], str], oracles: Path, tmp_path: Path
) -> None:
    """The vendors' models, parsers and saved files know each statement, or the pack records it."""
    verifiers = Verifiers(tool, oracles, tmp_path)
    assert verifiers.complaints([access_switch(nos), managed_switch(nos)]) == []


@pytest.mark.parametrize(
    ("nos", "service", "elsewhere"),
    [
        ("junos", r"set system (?:ntp server|syslog host|tacplus-server) \S+", "mgmt_|re0:"),
        ("srlinux", r'"network-instance": (?:\[\{"name": )?"default"', r'"mgmt0?"'),
    ],
)
def test_services_are_in_the_instance_of_the_address(
    nos: str, service: str, elsewhere: str
) -> None:
    """That of `irb`, and not that of the management port, which has no cable."""
    text = "\n".join(managed_switch(nos).files.values())
    assert len(re.findall(service, text)) >= 5
    assert not re.search(elsewhere, text)


def eos_facts(one: SwitchFiles, vlan: int, address: str) -> dict[str, Any]:
    """Describe an access switch in the keys of `eos_cli_config_gen`."""
    assert one.switch.access
    uplinks = one.switch.access.uplinks
    facts: dict[str, Any] = {
        "hostname": one.switch.name,
        "vlans": [{"id": vlan, "name": "oob"}],
        "ethernet_interfaces": [
            *(
                {
                    "name": port.interface,
                    "description": f"{port.peer_device}:{port.peer_interface} {port.cable}",
                    "switchport": {"access_vlan": vlan},
                    "spanning_tree_portfast": "edge",
                }
                for port in one.switch.ports
            ),
            *({"name": uplink, "channel_group": {"id": 1, "mode": "active"}} for uplink in uplinks),
            *(
                {"name": port.interface, "shutdown": True}
                for port in one.switch.idle_ports
                if port.interface not in uplinks
            ),
        ],
        "vlan_interfaces": [{"name": f"Vlan{vlan}", "vrf": "mgmt", "ip_address": address}],
    }
    if uplinks:
        facts["port_channel_interfaces"] = [
            {"name": "Port-Channel1", "switchport": {"access_vlan": vlan}}
        ]
    return facts


def eos_faults(one: SwitchFiles, facts: dict[str, Any]) -> list[str]:
    """List what Arista's schema refuses, and lines of ports that pyavd does not render alike."""
    known = {*lines_of(eos_avd.rendered(facts))} - {("no enable password",), ("no aaa root",)}
    ours = {*lines_of(one.files["startup-config.cfg"])}
    ports = {line for line in ours if line[0].startswith(("interface Eth", "interface Port"))}
    return [
        *eos_avd.complaints(facts),
        *(" / ".join(line) for line in (known - ours) | (ports - known)),
    ]


def nxos_faults(one: SwitchFiles, vlan: int) -> list[str]:
    """List the statements of an access switch that the grammar of NX-OS does not know."""
    words = {
        **nxos_words(one),
        "svi": {f"Vlan{vlan}"},
        "vrf": {"default"},
        "port-channel": {"port-channel1"},
    }
    grammar = Grammar(SOURCES + MANAGEMENT + BRIDGE, modes=True)
    return grammar.findings(one.files["nxos.cfg"], words)


def test_arista_renders_the_same_lines() -> None:
    """Every line but those of management is one that pyavd renders."""
    one = access_switch("eos")
    assert eos_faults(one, eos_facts(one, VLAN, "10.200.0.192/24")) == []


def test_cisco_documents_each_statement() -> None:
    """The grammar of NX-OS knows the statements of a bridge."""
    assert nxos_faults(access_switch("nxos"), VLAN) == []

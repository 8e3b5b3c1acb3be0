"""Reads the bonds, VLANs and VRFs of a leaf with NX-OS back, from the running-config alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.nos.nxos import blocks
from tests.nos.overlay import Bond, Overlay, Vlan, Vrf

if TYPE_CHECKING:
    from collections.abc import Mapping


def read(files: Mapping[str, str]) -> Overlay:
    """Read a leaf."""
    top = blocks(files["nxos.cfg"])
    interfaces = {
        line.removeprefix("interface "): lines
        for line, lines in top.items()
        if line.startswith("interface ")
    }
    vlans = {
        int(_value(lines, "vn-segment")): int(line.removeprefix("vlan "))
        for line, lines in top.items()
        if line.startswith("vlan ")
    }
    tunnel = "\n".join(interfaces["nve1"]) + "\n"
    bridged = {int(vni) for vni in re.findall(r"member vni (\d+)\n  ingress-rep", tunnel)}
    routed = {int(vni) for vni in re.findall(r"member vni (\d+) associate-vrf\n", tunnel)}
    assert bridged | routed == vlans.keys()
    (bgp,) = (
        blocks("\n".join(lines) + "\n")
        for line, lines in top.items()
        if line.startswith("router bgp ")
    )
    contexts = {
        line.removeprefix("vrf context "): lines
        for line, lines in top.items()
        if line.startswith("vrf context ") and any(own.startswith("vni ") for own in lines)
    }
    return Overlay(
        {
            int(name.removeprefix("port-channel")): _bond(name, interfaces)
            for name in interfaces
            if name.startswith("port-channel")
        },
        {vlans[vni]: Vlan(vni, *numbers) for vni, numbers in _bridges(top["evpn"]).items()},
        {
            name: _vrf(name, lines, interfaces, vlans, bgp[f"vrf {name}"])
            for name, lines in contexts.items()
        },
    )


def _value(lines: list[str], words: str) -> str:
    """Return the rest of the only line that starts with some words."""
    (found,) = (line for line in lines if line.startswith(f"{words} "))
    return found.removeprefix(f"{words} ")


def _bridges(lines: list[str]) -> dict[int, tuple[str, str]]:
    """Return the route distinguisher and the route target of each VNI that is bridged."""
    found = {}
    for line, own in blocks("\n".join(lines) + "\n").items():
        target = _value(own, "route-target import")
        assert target == _value(own, "route-target export")
        found[int(line.split()[1])] = (_value(own, "rd"), target)
    return found


def _bond(name: str, interfaces: dict[str, list[str]]) -> Bond:
    """Read a port channel; its member is in the same VLANs."""
    own, number = interfaces[name], name.removeprefix("port-channel")
    (member,) = (
        port for port, lines in interfaces.items() if f"channel-group {number} mode active" in lines
    )
    switching = [line for line in own if line.startswith("switchport")]
    assert switching == [line for line in interfaces[member] if line.startswith("switchport")]
    dotted, discriminator = _value(own, "  esi system-mac").split()
    system = bytes.fromhex(dotted.replace(".", "")).hex(":")
    tagged = "switchport mode trunk" in own
    vlans = _value(own, "switchport trunk allowed vlan" if tagged else "switchport access vlan")
    segment = f"03:{system}:{int(discriminator).to_bytes(3, 'big').hex(':')}"
    return Bond(member, system, segment, frozenset(map(int, vlans.split(","))), tagged=tagged)


def _vrf(
    name: str,
    lines: list[str],
    interfaces: dict[str, list[str]],
    vlans: dict[int, int],
    bgp: list[str],
) -> Vrf:
    """Read a VRF, its gateway, and the VLAN of its VNI."""
    vni = int(_value(lines, "vni"))
    inside = {
        port: own
        for port, own in interfaces.items()
        if port.startswith("Vlan") and f"vrf member {name}" in own
    }
    carrier = inside.pop(f"Vlan{vlans[vni]}")
    assert "ip forward" in carrier
    ((gateway, own),) = inside.items()
    assert "fabric forwarding mode anycast-gateway" in own
    (target,) = {line.split()[2] for line in lines if line.startswith("  route-target both")}
    return Vrf(
        int(gateway.removeprefix("Vlan")),
        _value(own, "ip address"),
        vni,
        _value(lines, "rd"),
        target,
        frozenset(line.removeprefix("neighbor ") for line in bgp if line.startswith("neighbor ")),
    )

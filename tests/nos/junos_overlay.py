"""Reads the bonds, VLANs and VRFs of a leaf with Junos back, from the set commands alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.nos.junos import under, words_of
from tests.nos.overlay import Bond, Overlay, Vlan, Vrf

if TYPE_CHECKING:
    from collections.abc import Mapping


def read(files: Mapping[str, str]) -> Overlay:
    """Read a leaf with Junos, whose VLANs have one bridge and its route distinguisher."""
    lines = words_of(files["junos.set"])
    instances = dict.fromkeys(line[0] for line in under(lines, "routing-instances"))
    (bridge,) = (
        name
        for name in instances
        if _value(lines, "routing-instances", name, "instance-type") == "mac-vrf"
    )
    own = under(lines, "routing-instances", bridge)
    ids = {name: int(line[1]) for name, *line in under(own, "vlans") if line[0] == "vlan-id"}
    gateways = {
        line[1]: ids[name] for name, *line in under(own, "vlans") if line[0] == "l3-interface"
    }
    (rd,) = (line[0] for line in under(own, "route-distinguisher"))
    bonds = [line for line in under(lines, "interfaces") if line[0].startswith("ae")]
    assert {f"{line[0]}.0" for line in bonds} == {line[0] for line in under(own, "interface")}
    vlans = {}
    for name, vlan in ids.items():
        vni = _value(own, "vlans", name, "vxlan", "vni")
        (target,) = under(own, "protocols", "evpn", "vni-options", "vni", vni, "vrf-target")
        vlans[vlan] = Vlan(int(vni), rd, target[0].removeprefix("target:"))
    return Overlay(
        {
            int(name.removeprefix("ae")): _bond(lines, name, ids)
            for name in dict.fromkeys(line[0] for line in bonds)
        },
        vlans,
        {name: _vrf(lines, name, gateways) for name in instances if name != bridge},
    )


def _value(lines: list[list[str]], *words: str) -> str:
    """Return the last word of the only line that starts with some words."""
    ((value,),) = under(lines, *words)
    return value


def _bond(lines: list[list[str]], name: str, ids: dict[str, int]) -> Bond:
    """Read an aggregated interface."""
    (member,) = (
        port
        for port, *words in under(lines, "interfaces")
        if words == ["ether-options", "802.3ad", name]
    )
    own = under(lines, "interfaces", name)
    segment, mode = (line[0] for line in under(own, "esi"))
    assert mode == "all-active"
    switching = under(own, "unit", "0", "family", "ethernet-switching")
    return Bond(
        member,
        _value(own, "aggregated-ether-options", "lacp", "system-id"),
        segment,
        frozenset(ids[line[0]] for line in under(switching, "vlan", "members")),
        tagged=_value(switching, "interface-mode") == "trunk",
    )


def _vrf(lines: list[list[str]], name: str, gateways: dict[str, int]) -> Vrf:
    """Read a VRF, and its gateway in the bridge."""
    own = under(lines, "routing-instances", name)
    (gateway,) = (line[0] for line in under(own, "interface") if line[0].startswith("irb"))
    evpn = under(own, "protocols", "evpn", "ip-prefix-routes")
    sessions = under(own, "protocols", "bgp", "group", "EDGE", "neighbor")
    unit = gateway.removeprefix("irb.")
    return Vrf(
        gateways[gateway],
        _value(lines, "interfaces", "irb", "unit", unit, "family", "inet", "address"),
        int(_value(evpn, "vni")),
        _value(own, "route-distinguisher"),
        _value(own, "vrf-target").removeprefix("target:"),
        frozenset(line[0] for line in sessions),
    )

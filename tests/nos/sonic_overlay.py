"""Reads the bonds, VLANs and VRFs of a leaf with SONiC back, from ConfigDB and FRR's file."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tests.nos.overlay import Bond, Overlay, Vlan, Vrf

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.nos.sonic import ConfigDb


def read(files: Mapping[str, str]) -> Overlay:
    """Read a leaf; both files have the numbers of bonds and VRFs, and they agree."""
    tables: ConfigDb = json.loads(files["config_db.json"])
    frr = files["frr.conf"]
    segments = {
        int(number): (int(identifier), system)
        for number, identifier, system in re.findall(
            r"interface PortChannel(\d+)\n description .*\n"
            r" evpn mh es-id (\d+)\n evpn mh es-sys-mac (\S+)\n",
            frr,
        )
    }
    assert {f"PortChannel{number}" for number in segments} == {*tables["EVPN_ETHERNET_SEGMENT"]}
    vnis = {
        int(one["vlan"].removeprefix("Vlan")): int(one["vni"])
        for one in tables["VXLAN_TUNNEL_MAP"].values()
    }
    numbers = {
        int(vni): (rd, target)
        for vni, rd, target in re.findall(
            r"  vni (\d+)\n   rd (\S+)\n   route-target both (\S+)\n", frr
        )
    }
    vrfs = {name: _vrf(name, tables, frr) for name in tables["VRF"]}
    assert all(vnis.pop(vlan) == own.vni for vlan, own in vrfs.values())
    return Overlay(
        {number: _bond(number, *segments[number], tables) for number in segments},
        {vlan: Vlan(vni, *numbers[vni]) for vlan, vni in vnis.items()},
        {name.removeprefix("Vrf"): own for name, (_, own) in vrfs.items()},
    )


def _bond(number: int, identifier: int, system: str, tables: ConfigDb) -> Bond:
    """Read a port channel, whose segment SONiC and FRR make of its system and its number."""
    name = f"PortChannel{number}"
    row = tables["PORTCHANNEL"][name]
    assert (row["system_mac"], number) == (system, identifier)
    assert tables["EVPN_ETHERNET_SEGMENT"][name] == {"esi": "AUTO", "type": "TYPE_3_MAC_BASED"}
    members = (key.split("|") for key in tables["PORTCHANNEL_MEMBER"])
    (member,) = (port for bond, port in members if bond == name)
    vlans = {
        int(key.partition("|")[0].removeprefix("Vlan")): one["tagging_mode"]
        for key, one in tables["VLAN_MEMBER"].items()
        if key.endswith(f"|{name}")
    }
    (mode,) = {*vlans.values()}
    segment = f"03:{system}:{identifier.to_bytes(3, 'big').hex(':')}"
    return Bond(member, system, segment, frozenset(vlans), tagged=mode == "tagged")


def _vrf(name: str, tables: ConfigDb, frr: str) -> tuple[int, Vrf]:
    """Read a VRF, and the VLAN of its VNI."""
    vni = int(tables["VRF"][name]["vni"])
    assert f"vrf {name}\n vni {vni}\n" in frr
    inside = {
        key: row for key, row in tables["VLAN_INTERFACE"].items() if row.get("vrf_name") == name
    }
    (carrier,) = (key for key, row in inside.items() if "static_anycast_gateway" not in row)
    (vlan,) = inside.keys() - {carrier}
    (gateway,) = (key for key in tables["VLAN_INTERFACE"] if key.startswith(f"{vlan}|"))
    (bgp,) = re.findall(rf"^router bgp \d+ vrf {name}\n(.*?)^exit\n", frr, re.DOTALL | re.MULTILINE)
    (rd,) = re.findall(r"^  rd (\S+)$", bgp, re.MULTILINE)
    (target,) = re.findall(r"^  route-target both (\S+)$", bgp, re.MULTILINE)
    neighbors = frozenset(re.findall(r"^ neighbor (\S+) remote-as", bgp, re.MULTILINE))
    number = int(vlan.removeprefix("Vlan"))
    own = Vrf(number, gateway.partition("|")[2], vni, rd, target, neighbors)
    return int(carrier.removeprefix("Vlan")), own

"""Reads the bonds, VLANs and VRFs of a leaf with SR Linux back, from config.json alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.nos.overlay import Bond, Overlay, Vlan, Vrf

if TYPE_CHECKING:
    from collections.abc import Mapping

Node = dict[str, Any]


def read(files: Mapping[str, str]) -> Overlay:
    """Read a leaf with SR Linux."""
    tree: Node = json.loads(files["config.json"])
    interfaces = {one["name"]: one for one in tree["srl_nokia-interfaces:interface"]}
    vnis = {
        f"vxlan1.{one['index']}": one["ingress"]["vni"]
        for one in tree["srl_nokia-tunnel-interfaces:tunnel-interface"][0]["vxlan-interface"]
    }
    instances = tree["srl_nokia-network-instance:network-instance"]
    bridges = [one for one in instances if one["type"].endswith("mac-vrf")]
    vrfs = [one for one in instances if "vxlan-interface" in one and one not in bridges]
    evpn = tree["srl_nokia-system:system"]["srl_nokia-system-network-instance:network-instance"]
    (segments,) = evpn["protocols"]["evpn"][
        "srl_nokia-system-network-instance-bgp-evpn-ethernet-segments:ethernet-segments"
    ]["bgp-instance"]
    esis = {
        one["interface"][0]["ethernet-interface"]: one["esi"]
        for one in segments["ethernet-segment"]
    }
    vlan_of = {int(_evpn(one)["evi"]): one for one in bridges}
    carried = {bound["name"]: vlan for vlan, one in vlan_of.items() for bound in one["interface"]}
    return Overlay(
        {
            int(name.removeprefix("lag")): _bond(name, interfaces, esis[name], carried)
            for name in esis
        },
        {
            vlan: Vlan(vnis[one["vxlan-interface"][0]["name"]], *_targets(one))
            for vlan, one in vlan_of.items()
        },
        {one["name"]: _vrf(one, interfaces, vnis, carried) for one in vrfs},
    )


def _evpn(instance: Node) -> Node:
    """Return the EVPN instance of a network instance, whose VXLAN interface is its own."""
    (found,) = instance["protocols"]["bgp-evpn"]["srl_nokia-bgp-evpn:bgp-instance"]
    assert found["vxlan-interface"] == instance["vxlan-interface"][0]["name"]
    own: Node = found
    return own


def _targets(instance: Node) -> tuple[str, str]:
    """Return the route distinguisher and the route target of a network instance."""
    (found,) = instance["protocols"]["srl_nokia-bgp-vpn:bgp-vpn"]["bgp-instance"]
    targets = found["route-target"]
    assert targets["import-rt"] == targets["export-rt"]
    return found["route-distinguisher"]["rd"], targets["import-rt"].removeprefix("target:")


def _bond(name: str, interfaces: dict[str, Node], esi: str, carried: dict[str, int]) -> Bond:
    """Read a bond; each of its VLANs is in the bridge of that VLAN."""
    own = interfaces[name]
    (member,) = (
        port
        for port, one in interfaces.items()
        if one.get("ethernet", {}).get("aggregate-id") == name
    )
    tagged = own["srl_nokia-interfaces-vlans:vlan-tagging"]
    for inner in own["subinterface"]:
        tag = inner.get("srl_nokia-interfaces-vlans:vlan", {}).get("encap", {})
        vlan = tag.get("single-tagged", {}).get("vlan-id")
        assert vlan == (carried[f"{name}.{inner['index']}"] if tagged else None)
    vlans = frozenset(carried[f"{name}.{inner['index']}"] for inner in own["subinterface"])
    system = own["srl_nokia-interfaces-lag:lag"]["srl_nokia-lacp:lacp"]["system-id-mac"]
    return Bond(member, system.lower(), esi, vlans, tagged=tagged)


def _vrf(
    instance: Node, interfaces: dict[str, Node], vnis: dict[str, int], carried: dict[str, int]
) -> Vrf:
    """Read a VRF: its gateway is a part of the bridge of its VLAN."""
    (gateway,) = (one["name"] for one in instance["interface"] if one["name"] in carried)
    name, _, index = gateway.partition(".")
    (inner,) = (one for one in interfaces[name]["subinterface"] if one["index"] == int(index))
    (address,) = inner["ipv4"]["address"]
    assert address["anycast-gw"]
    _evpn(instance)
    bgp = instance["protocols"].get("srl_nokia-bgp:bgp", {})
    return Vrf(
        carried[gateway],
        address["ip-prefix"],
        vnis[instance["vxlan-interface"][0]["name"]],
        *_targets(instance),
        frozenset(one["peer-address"] for one in bgp.get("neighbor", ())),
    )

"""Reads the files of the pack `srlinux` back, from config.json alone."""

from __future__ import annotations

import json
from ipaddress import ip_interface, ip_network
from typing import Any

from tests.nos.frr import Box, Instance, Permit, port_of

Node = dict[str, Any]


def read(config: str) -> Box:
    """Read the configuration of one switch."""
    tree: Node = json.loads(config)
    box = Box(tree["srl_nokia-system:system"]["srl_nokia-system-name:name"]["host-name"])
    interfaces = {one["name"]: one for one in tree["srl_nokia-interfaces:interface"]}
    policies = _policies(tree["srl_nokia-routing-policy:routing-policy"])
    probed = {one["id"] for one in tree.get("srl_nokia-bfd:bfd", {}).get("subinterface", ())}
    for one in tree["srl_nokia-network-instance:network-instance"]:
        vrf = "" if one["name"] == "default" else one["name"]
        for bound in one["interface"]:
            _bind(box, vrf, interfaces[bound["name"].removesuffix(".0")])
        box.instances[vrf] = _instance(one["protocols"]["srl_nokia-bgp:bgp"], policies, probed)
    assert set(box.ports) == {name for name, one in interfaces.items() if "description" in one}, (
        "a port is in no network-instance"
    )
    return box


def _bind(box: Box, vrf: str, interface: Node) -> None:
    """Read one interface of a network instance: a loopback, or a port."""
    (inner,) = interface["subinterface"]
    addresses = [
        ip_interface(one["ip-prefix"])
        for family in ("ipv4", "ipv6")
        for one in inner.get(family, {}).get("address", ())
    ]
    if "description" not in interface:
        (box.loopbacks[vrf],) = addresses
        return
    advertises = "srl_nokia-interfaces-router-adv:router-advertisement" in inner.get("ipv6", {})
    assert bool(addresses) != advertises
    port = port_of(interface["description"], addresses[0] if addresses else None)
    port.vrf, port.mtu = vrf, inner["ip-mtu"]
    assert interface["mtu"] >= port.mtu + 14, (
        "an Ethernet header does not fit around the largest packet"
    )
    assert interface["name"] not in box.ports, "a port is in two network-instances"
    box.ports[interface["name"]] = port


def _policies(tree: Node) -> dict[str, tuple[Permit, ...]]:
    """Return what each policy permits; everything else it must reject."""
    sets = {
        one["name"]: [_permit(prefix) for prefix in one["prefix"]] for one in tree["prefix-set"]
    }
    found = {}
    for policy in tree["policy"]:
        assert policy["default-action"] == {"policy-result": "reject"}
        assert all(
            statement["action"] == {"policy-result": "accept"} for statement in policy["statement"]
        )
        found[policy["name"]] = tuple(
            permit
            for statement in policy["statement"]
            for permit in sets[statement["match"]["prefix"]["prefix-set"]]
        )
    return found


def _permit(prefix: Node) -> Permit:
    """Read one prefix of a set."""
    shortest, longest = prefix["mask-length-range"].split("..")
    return Permit(ip_network(prefix["ip-prefix"]), int(shortest), int(longest))


def _instance(bgp: Node, policies: dict[str, tuple[Permit, ...]], probed: set[str]) -> Instance:
    """Read one BGP instance.

    The export policy announces connected routes, as there is no redistribution.
    """
    (family,) = bgp["afi-safi"]
    if family["afi-safi-name"] == "srl_nokia-common:ipv4-unicast":
        assert family["ipv4-unicast"] == {
            "advertise-ipv6-next-hops": True,
            "receive-ipv6-next-hops": True,
        }
    assert bgp["ebgp-default-policy"] == {"import-reject-all": True, "export-reject-all": True}
    instance = Instance(
        bgp["autonomous-system"],
        bgp["router-id"],
        ecmp=family["multipath"]["maximum-paths"],
        family=int(family["afi-safi-name"].partition("ipv")[2].removesuffix("-unicast")),
    )
    groups = {one["group-name"]: one for one in bgp["group"]}
    for one in bgp["dynamic-neighbors"]["interface"]:
        name = one["interface-name"].removesuffix(".0")
        assert name not in instance.neighbours
        instance.neighbours[name] = kind = _kind(one["peer-group"])
        if kind == "HOSTS":
            (importing,) = groups[one["peer-group"]]["import-policy"]
            instance.filters[f"{name} in"] = policies[importing]
        (instance.peer_asns[name],) = map(int, one["allowed-peer-as"])
    for name, group in groups.items():
        (importing,), (exporting,) = group["import-policy"], group["export-policy"]
        kind = _kind(name)
        # where the path is left as it is, whether it is sent is not documented
        if not group.get("as-path-options", {}).get("replace-peer-as"):
            instance.withholds.add(kind)
        if kind in instance.neighbours.values():
            instance.filters[f"{kind} out"] = policies[exporting]
        if kind == "FABRIC":
            instance.filters["connected"] = policies[exporting]
            if kind in instance.neighbours.values():
                instance.filters["FABRIC in"] = policies[importing]
    faced = {f"{name}.0" for name, group in instance.neighbours.items() if group == "FABRIC"}
    instance.bfd = groups["FABRIC"].get("failure-detection", {}).get("enable-bfd", False)
    assert not instance.bfd or faced <= probed
    return instance


def _kind(group: str) -> str:
    """Return the role of a peer group, in the term that every reader uses."""
    return "FABRIC" if group == "FABRIC" else "HOSTS"

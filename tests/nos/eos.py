"""Reads the files of the pack `eos` back, from the startup-config alone.

The text is a stack of indented blocks.
"""

from __future__ import annotations

import re
from ipaddress import ip_interface, ip_network
from typing import TYPE_CHECKING

from tests.nos.fabric import IPV4
from tests.nos.frr import Box, Instance, Permit, port_of

if TYPE_CHECKING:
    from collections.abc import Iterator

Line = tuple[str, ...]
"""A line with its enclosing lines, the outermost first."""


def lines_of(text: str) -> list[Line]:
    """List the lines with their enclosing lines.

    `!` and comments are skipped, and three blanks indent a level.
    """
    found: list[Line] = []
    for row in text.splitlines():
        depth, odd = divmod(len(row) - len(row.lstrip()), 3)
        if row.strip() and not row.lstrip().startswith("!"):
            assert not odd, row
            found.append((*(found[-1] if found else ())[:depth], row.strip()))
    return found


def read(startup_config: str) -> Box:
    """Read the startup-config of one switch."""
    lines = lines_of(startup_config)
    (name,) = _after(lines, (), "hostname ")
    box = Box(name)
    for interface in _after(lines, (), "interface "):
        _interface(
            box,
            interface,
            [line[1] for line in lines if line[0] == f"interface {interface}" and len(line) == 2],
        )
    maps = _route_maps(lines)
    (asn,) = _after(lines, (), "router bgp ")
    for vrf in _after(lines, (), "vrf instance ") or [""]:
        where = (f"router bgp {asn}", f"vrf {vrf}") if vrf else (f"router bgp {asn}",)
        box.instances[vrf] = _instance(int(asn), lines, where, maps)
        routed = "ip routing ipv6 interfaces", "ipv6 unicast-routing"
        wanted = routed if box.loopbacks[vrf].version == IPV4 else routed[1:]
        top = [line[0] for line in lines]
        assert all(f"{line}{' vrf ' * bool(vrf)}{vrf}" in top for line in wanted)
    return box


def _at(block: list[str], address: str) -> int:
    """Return the place of the line with an address."""
    return next(at for at, line in enumerate(block) if line.endswith(f" address {address}"))


def _after(lines: list[Line], where: Line, start: str) -> list[str]:
    """Return the text after a word in the lines directly below others."""
    return [
        line[-1].removeprefix(start)
        for line in lines
        if line[:-1] == where and line[-1].startswith(start)
    ]


def _interface(box: Box, name: str, block: list[str]) -> None:
    """Read one interface; one that is shut, or has no address and no IPv6, has no link."""
    vrf = next((line.removeprefix("vrf ") for line in block if line.startswith("vrf ")), "")
    address = next(
        (
            ip_interface(line.split()[-1])
            for line in block
            if line.startswith(("ip address ", "ipv6 address "))
        ),
        None,
    )
    if vrf and address:
        assert block.index(f"vrf {vrf}") < _at(block, str(address)), (
            "moving an interface into a VRF takes its addresses away"
        )
    if name.startswith("Loopback"):
        assert address is not None
        box.loopbacks[vrf] = address
    elif block != ["shutdown"]:
        assert "no switchport" in block
        assert (address is None) == ("ipv6 enable" in block)
        port = port_of(
            next(line for line in block if line.startswith("description ")).removeprefix(
                "description "
            ),
            address,
        )
        port.vrf, port.mtu = (
            vrf,
            int(next(line for line in block if line.startswith("mtu ")).removeprefix("mtu ")),
        )
        box.ports[name] = port


def _route_maps(lines: list[Line]) -> dict[str, tuple[Permit, ...]]:
    """Return what each route map and prefix list permits.

    The keys are `route-map NAME` and `prefix-list NAME`.
    """
    lists = {
        name: tuple(_permits(lines, f"{ip} prefix-list {name}"))
        for ip in ("ip", "ipv6")
        for name in _after(lines, (), f"{ip} prefix-list ")
    }
    found: dict[str, list[Permit]] = {}
    for header, match in (
        line for line in lines if line[0].startswith("route-map ") and len(line) == 2
    ):
        name = " ".join(header.split()[:2])
        found.setdefault(name, []).extend(
            lists.get(re.sub("^match ipv?6? address prefix-list ", "", match), ())
        )
    return {name: tuple(permits) for name, permits in found.items()} | {
        f"prefix-list {name}": permits for name, permits in lists.items()
    }


def _permits(lines: list[Line], header: str) -> Iterator[Permit]:
    """Read a prefix list."""
    for block in _after(lines, (header,), "seq "):
        found = re.fullmatch(r"\d+ permit (\S+) eq (\d+)", block)
        assert found is not None
        yield Permit(ip_network(found[1]), int(found[2]), int(found[2]))


def _instance(
    asn: int, lines: list[Line], where: Line, maps: dict[str, tuple[Permit, ...]]
) -> Instance:
    """Read one routing instance; its peer groups are described once for all of them."""
    process = where[:1]
    (router_id,), (paths,) = (
        _after(lines, where, "router-id "),
        _after(lines, where, "maximum-paths "),
    )
    instance = Instance(asn, router_id, ecmp=int(paths.split()[0]))
    (family,) = (line for line in _after(lines, process, "") if line.startswith("address-family"))
    instance.family = int(family.removeprefix("address-family ipv"))
    # IPv6 is redistributed in the family, which a VRF has of its own
    (connected,) = _after(
        lines, where if family.endswith("ipv4") else (*where, family), "redistribute connected "
    )
    instance.filters["connected"] = maps[connected]
    activated = {
        block.split()[0]
        for block in _after(lines, (*process, family), "neighbor ")
        if block.endswith(" activate")
    }
    groups = set()
    for block in _after(lines, where, "neighbor interface "):
        interface, _, named, _, peer_asn = block.split()
        assert named in activated
        assert interface not in instance.neighbours
        instance.neighbours[interface] = kind = _kind(named)
        instance.peer_asns[interface] = int(peer_asn)
        groups.add((named, kind, interface if kind == "HOSTS" else kind))
    for group, kind, source in groups:
        statements = [
            *_after(lines, process, f"neighbor {group} "),
            *_after(lines, (*process, family), f"neighbor {group} "),
        ]
        originates = "next-hop address-family ipv6 originate" in statements
        assert originates == family.endswith("ipv4")
        filters = {
            way: [
                maps[" ".join(line.split()[:2])]
                for line in statements
                if re.fullmatch(rf"(route-map|prefix-list) \S+ {way}", line)
            ]
            for way in ("in", "out")
        }
        instance.filters |= {
            f"{source if way == 'in' else kind} {way}": tuple(
                dict.fromkeys(permit for passed in found for permit in passed)
            )
            for way, found in filters.items()
            if found
        }
        instance.bfd |= "bfd" in statements
    return instance


def _kind(group: str) -> str:
    """Return the role of a peer group, in the term that every reader uses."""
    return (
        "HOSTS"
        if re.match("HOST-[0-9]", group)
        else {"SWITCHES": "FABRIC"}[group.rpartition("-")[2]]
    )

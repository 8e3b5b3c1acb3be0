"""Reads the files of the pack `frr` back, without the plan."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from ipaddress import (
    IPv4Interface,
    IPv4Network,
    IPv6Interface,
    IPv6Network,
    ip_interface,
    ip_network,
)
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


Address = IPv4Interface | IPv6Interface
Prefix = IPv4Network | IPv6Network


@dataclass(frozen=True)
class Permit:
    """One line of a prefix list.

    It permits prefixes inside `network` with lengths of `shortest` to `longest`.
    """

    network: Prefix
    shortest: int
    longest: int

    def allows(self, prefix: Prefix) -> bool:
        """Return whether a prefix passes."""
        inside = self.network.overlaps(prefix) and prefix.prefixlen >= self.network.prefixlen
        return inside and self.shortest <= prefix.prefixlen <= self.longest


@dataclass
class Port:
    """One port as it is configured."""

    peer: str
    peer_interface: str
    cable: str
    address: Address | None = None
    vrf: str = ""
    mtu: int = 0


@dataclass
class Instance:
    """One BGP instance."""

    asn: int
    router_id: str = ""
    neighbours: dict[str, str] = field(default_factory=dict)
    """The peer group of each interface."""
    peer_asns: dict[str, int] = field(default_factory=dict)
    """The AS number expected behind each interface, where the NOS requires one."""
    filters: dict[str, tuple[Permit, ...]] = field(default_factory=dict)
    """Permitted prefixes, by `GROUP in`, `GROUP out`, `connected` and, of a host, `PORT in`."""
    ecmp: int = 1
    bfd: bool = False
    family: int = 0
    """The version of IP whose routes it announces."""
    withholds: set[str] = field(default_factory=set)
    """The peer groups to which it sends no route whose path begins with their own AS number.

    FRR, NVUE, SONiC and EOS never do so."""


@dataclass
class Box:
    """One switch as its files describe it."""

    name: str
    ports: dict[str, Port] = field(default_factory=dict)
    loopbacks: dict[str, Address] = field(default_factory=dict)
    """By VRF; the default instance is the empty one."""
    instances: dict[str, Instance] = field(default_factory=dict)


def read(frr_conf: str, interfaces: str) -> Box:
    """Read frr.conf and the interfaces file of one switch."""
    box = read_routing(frr_conf)
    vrfs = set(re.findall(r"^iface (\S+)\n    vrf-table \d+$", interfaces, re.MULTILINE))
    for name, lines in _blocks(frr_conf, "interface"):
        address = next(
            (
                ip_interface(line.split()[-1])
                for line in lines
                if line.startswith(("ip address ", "ipv6 address "))
            ),
            None,
        )
        if name == "lo" or name in vrfs:
            assert address is not None
            box.loopbacks["" if name == "lo" else name] = address
        else:
            described = next(line for line in lines if line.startswith("description "))
            box.ports[name] = port_of(described.removeprefix("description "), address)
    for name, words in re.findall(r"^iface (\S+)\n((?:    .+\n)+)", interfaces, re.MULTILINE):
        if name in box.ports:
            settings = dict(line.split(maxsplit=1) for line in words.splitlines())
            assert port_of(settings["alias"], box.ports[name].address) == box.ports[name]
            box.ports[name].vrf, box.ports[name].mtu = settings.get("vrf", ""), int(settings["mtu"])
    return box


def port_of(description: str, address: Address | None) -> Port:
    """Read a port's description."""
    peer, cable = description.split(" ")
    device, interface = peer.split(":", 1)
    return Port(device, interface, cable, address)


def read_routing(frr_conf: str) -> Box:
    """Read the routing part of frr.conf."""
    hostname = re.search(r"^hostname (\S+)$", frr_conf, re.MULTILINE)
    assert hostname is not None
    lists = _prefix_lists(frr_conf)
    maps: dict[str, list[Permit]] = {}
    for name, lines in _blocks(frr_conf, "route-map"):
        (match,) = lines
        maps.setdefault(name.split()[0], []).extend(
            lists[re.sub("^match ipv?6? address prefix-list ", "", match)]
        )
    named = {f"route-map {name}": tuple(permits) for name, permits in maps.items()}
    named |= {f"prefix-list {name}": tuple(permits) for name, permits in lists.items()}
    box = Box(hostname[1])
    for header, lines in _blocks(frr_conf, "router"):
        _, asn, *vrf = header.split()
        box.instances[vrf[1] if vrf else ""] = _instance(int(asn), lines, named)
    return box


def _blocks(text: str, word: str) -> list[tuple[str, list[str]]]:
    """List the blocks that start with a word: the text after the word, and the lines to `exit`."""
    found = re.findall(rf"^{word} (.+)\n((?: .*\n)*)exit$", text, re.MULTILINE)
    return [(header, [line.strip() for line in body.splitlines()]) for header, body in found]


def _prefix_lists(text: str) -> dict[str, list[Permit]]:
    """Read the prefix lists.

    A missing length is the network's own at the low end, and that of an address beside a `ge`.
    """
    lists: dict[str, list[Permit]] = {}
    for name, prefix, shortest, longest in re.findall(
        r"^ip(?:v6)? prefix-list (\S+) seq \d+ permit (\S+)(?: ge (\d+))?(?: le (\d+))?$",
        text,
        re.MULTILINE,
    ):
        network = ip_network(prefix)
        low = int(shortest) if shortest else network.prefixlen
        lists.setdefault(name, []).append(
            Permit(
                network,
                low,
                int(longest) if longest else network.max_prefixlen if shortest else low,
            )
        )
    return lists


def _instance(asn: int, lines: list[str], named: dict[str, tuple[Permit, ...]]) -> Instance:
    """Read one `router bgp`."""
    instance = Instance(asn)
    activated = {line.split()[1] for line in lines if re.fullmatch(r"neighbor \S+ activate", line)}
    for line in lines:
        if found := re.fullmatch(r"bgp router-id (\S+)", line):
            instance.router_id = found[1]
        elif found := re.fullmatch(r"neighbor (\S+) interface v6only peer-group (\S+)", line):
            assert found[1] not in instance.neighbours
            assert found[2] in activated
            instance.neighbours[found[1]] = found[2]
        elif found := re.fullmatch(
            r"neighbor (\S+) ((?:route-map|prefix-list) \S+) (in|out)", line
        ):
            instance.filters[f"{found[1]} {found[3]}"] = named[found[2]]
        elif found := re.fullmatch(r"redistribute connected (route-map \S+)", line):
            instance.filters["connected"] = named[found[1]]
        elif found := re.fullmatch(r"address-family ipv(\d) unicast", line):
            instance.family = int(found[1])
        elif found := re.fullmatch(r"maximum-paths (\d+)", line):
            instance.ecmp = int(found[1])
        elif re.fullmatch(r"neighbor FABRIC bfd profile \S+", line):
            instance.bfd = True
    return instance


def validate(program: str, text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Parse an frr.conf with vtysh in an empty folder. It returns 0, or 2 with the invalid line."""
    (folder / "vtysh.conf").touch()
    path = folder / "frr.conf"
    path.write_text(text, encoding="utf-8")
    return subprocess.run(
        [program, "--config_dir", folder, "-C", "-f", path],
        capture_output=True,
        text=True,
        check=False,
    )

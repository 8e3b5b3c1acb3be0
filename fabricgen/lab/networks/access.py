"""The access networks of a lab: their switches as bridges, and a node for each management port.

A switch joins the ports that its emitted `interfaces` puts into the bridge; a kernel may have no
VLANs, and all ports are in one. BMCs and PDUs have the addresses of `management.device_pool`, or
without it addresses of the lab. The site joins the switches by its router, as it does where no
uplinks are planned.
"""

from __future__ import annotations

import re
from functools import cached_property, partial
from ipaddress import IPv4Network, ip_interface
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.lab.boot import BRIDGE
from fabricgen.lab.iproute import batch
from fabricgen.lab.management.emitted import read_interfaces
from fabricgen.lab.networks.layout import SITE
from fabricgen.lab.topology import ROUTER
from fabricgen.planning.addressing import address_text
from fabricgen.views.hosts.network_ports import managed_device_ports

if TYPE_CHECKING:
    from fabricgen.lab.boot import Machines
    from fabricgen.lab.networks.layout import ClusterLayout

STUBS = IPv4Network("198.19.0.0/16")
"""Addresses of BMCs and PDUs that the plan has none for (RFC 2544); the router has the first."""

BRIDGE_LINE = f"link add {BRIDGE} type bridge forward_delay 0 stp_state 0 mcast_snooping 0"


class Managed(NamedTuple):
    """A management port: its node, its interface, its access switch, and its address."""

    node: str
    interface: str
    switch: str
    address: str


class AccessNetworks:
    """The access networks of one lab."""

    def __init__(self, machines: Machines, layout: ClusterLayout) -> None:
        """Keep the lab; nothing is booted before `boot`."""
        self.machines, self.layout = machines, layout

    @cached_property
    def ports(self) -> list[Managed]:
        """Every management port on an access switch."""
        addresses = {
            self.layout.management[switch]: address
            for switch, address in self.layout.management_addresses.items()
        }
        addresses |= {
            f"{port.device}:{port.interface}": port.address
            for port in managed_device_ports(self.layout.plan)
        }
        wires = [wire for part in self.layout.access for wire in part.wires]
        stubs = (str(STUBS[number]) for number in range(2, STUBS.num_addresses))
        return [
            Managed(wire.a, wire.a_interface, wire.b, addresses.get(wire.a) or next(stubs))
            for wire in wires
        ]

    def boot(self) -> None:
        """Boot the router's bridge, the switches, and the nodes of management ports."""
        inside = self.machines.networks.inside
        inside(ROUTER, self._router)
        for switch, _ in self.layout.access_switches:
            inside(switch, partial(self._switch, switch))
        booted = set(self.layout.management.values())
        for port in self.ports:
            if port.node not in booted:
                inside(port.node, partial(_stub, port, self._length))

    @property
    def _length(self) -> int:
        """The length of the prefix of the addresses of BMCs and PDUs."""
        planned, asked = self.layout.plan.management, self.layout.plan.spec.management
        return (
            planned.subnet.prefixlen if planned and asked and asked.device_pool else STUBS.prefixlen
        )

    def _router(self) -> None:
        """Give the router's bridge its address, and make it where `management` has made none."""
        bridge = [BRIDGE_LINE, f"link set {BRIDGE} up"]
        ports = [f"link set {port} master {BRIDGE} up" for port in self.machines.ends[ROUTER]]
        planned = self.layout.plan.management
        if planned:
            length = planned.subnet.prefixlen
            ports.append(f"address add {address_text(planned.gateway)}/{length} dev {BRIDGE}")
        lines = [] if self.layout.management else [*bridge, *ports]
        batch([*lines, f"address add {STUBS[1]}/{STUBS.prefixlen} dev {BRIDGE}"], ROUTER)

    def _switch(self, name: str) -> None:
        """Join the ports of a switch as its `interfaces` does; its address is the bridge's."""
        path = self.machines.out / "configs" / name / "interfaces"
        text = path.read_text(encoding="utf-8")
        booted = self.machines.ends[name]
        joined = [port for port in bridged_ports(text) if port in booted]
        found = [each.address for each in read_interfaces(text).values() if each.address]
        addresses = [each for each in found if not ip_interface(each).is_loopback]
        batch(
            [
                BRIDGE_LINE,
                f"link set {BRIDGE} up",
                *(f"link set {port} master {BRIDGE} up" for port in (*joined, SITE)),
                *(f"address add {each} dev {BRIDGE}" for each in addresses),
                "link set lo up",
            ],
            name,
        )


def bridged_ports(text: str) -> list[str]:
    r"""Return the ports of a bridge of interfaces(5) that are in its VLAN.

    >>> bridged_ports("    bridge-ports a b\n    bridge-vids 2\niface a\n    bridge-access 2\n")
    ['a']
    """
    ports = re.findall(r"^ +bridge-ports (.+)$", text, re.MULTILINE)
    vlans = re.findall(r"^ +bridge-vids (.+)$", text, re.MULTILINE)
    stanzas = re.findall(r"^iface (\S+)((?:\n +.+)*)", text, re.MULTILINE)
    access = {name: re.findall(r"bridge-access (\S+)", lines) for name, lines in stanzas}
    return [
        port for line in ports for port in line.split() if access.get(port) in [[v] for v in vlans]
    ]


def _stub(port: Managed, length: int) -> None:
    """Give a management port its address, in whose namespace the thread is."""
    lines = [f"address add {port.address}/{length} dev {port.interface}"]
    batch([*lines, f"link set {port.interface} up", "link set lo up"], port.node)

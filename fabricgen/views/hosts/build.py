"""From a plan to the views of its hosts: each NIC port with its rail, addresses, routes and leaf.

Owns `Hosts` and how a host routes. An address of the fabric reaches its own rail and plane and
nothing else: each NIC port has its own routing table, and a rule selects it for packets from the
port's address. For a socket without an address, the main table selects the NIC on the rail of the
destination. `view` owns the shapes, `nccl` the settings of NCCL.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import Design, Role
from fabricgen.planning.addressing import address_text
from fabricgen.views.hosts.nccl import rail_ranges, settings
from fabricgen.views.hosts.network_links import network_links
from fabricgen.views.hosts.network_ports import network_bonds, network_ports
from fabricgen.views.hosts.view import MAIN_TABLE, HostView, NicView, RouteView, RuleView
from fabricgen.views.link_ends import HostLinks
from fabricgen.views.protocols import LinkSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.planning.plan import Plan
    from fabricgen.views.hosts.view import NetworkPortView
    from fabricgen.views.link_ends import NicLink

FIRST_TABLE = 1000
"""Routing table of rank 0, plane 0; distributions use the tables below it."""

RULE_PRIORITY = 1000
"""Before the main table, which the kernel reads at 32766.

All rules share it: an address has one rule, or two at this priority and the next.
"""

NIC_METRIC, LAST_METRIC = 100, 1_000_000_000
"""Metrics in the main table: of a host's first NIC on a rail, and of the last route."""

EVERYWHERE = {"ipv4": "0.0.0.0/0", "ipv6": "::/0"}
"""All addresses; netplan 0.106 fails at `default` for a route without a gateway."""

KERNEL = {
    "ipv4": [("arp_ignore", 1), ("arp_announce", 2), ("rp_filter", 2)],
    "ipv6": [("accept_ra", 0)],
}
"""Kernel settings of every NIC port, because several NICs of a host are in one fabric.

With IPv4 each answers ARP for its own address only, and asks with it, so that a leaf learns the
right NIC. A source is verified against all routes, not against the one back. The kernel takes the
larger of this and the setting of `all`. With IPv6 a port answers for its own addresses by itself;
the routes are those of the plan, and none comes from a leaf's router advertisement.
"""


class _Cabled(NamedTuple):
    """The leaf port that a NIC port is cabled to, and the addresses of both ends."""

    leaf: str
    leaf_interface: str
    leaf_alias: str
    cable: str
    address: str
    gateway: str
    rail_prefix: str


class Hosts:
    """Makes the views of one plan's hosts; what they share is computed once."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan; no view is made yet."""
        self.plan = plan
        self._names: dict[int, tuple[list[str], list[tuple[str, str]]]] = {}
        self._prefixes: dict[int, str] = {}

    @cached_property
    def ports(self) -> list[tuple[int, int, str]]:
        """The NIC ports of every host: the place in it, the plane, and the interface's name."""
        fabric = self.plan.fabric
        ports = ((gpu, plane) for gpu in range(fabric.host_gpus) for plane in range(fabric.planes))
        return [(gpu, plane, self.plan.naming.interface(gpu, plane)) for gpu, plane in ports]

    @cached_property
    def ethernet(self) -> bool:
        """Whether the hosts' links speak Ethernet."""
        return self.plan.fabric.port_layouts[Role.LEAF].model.transport == "ethernet"

    @cached_property
    def _leaf_ports(self) -> dict[str, list[tuple[str, str]]]:
        """The interface and the printed name of each port of a leaf, by the NOS that it runs."""
        port_layouts, ports = self.plan.fabric.nos_variants(Role.LEAF), self.plan.ports[Role.LEAF]
        return {
            port_layout.nos: [
                (port_layout.interface(port), port_layout.model.alias(port_layout.nos, *port) or "")
                for port in ports
            ]
            for port_layout in port_layouts
        }

    @cached_property
    def settings(self) -> LinkSettings:
        """The settings that every host shares with its leaves."""
        return LinkSettings.of(self.plan.spec)

    @cached_property
    def _links(self) -> HostLinks:
        """The link of each NIC port."""
        return HostLinks(self.plan)

    @cached_property
    def _network_ports(self) -> dict[str, list[NetworkPortView]]:
        """The ports of each device that have an address in the networks beside compute."""
        found: dict[str, list[NetworkPortView]] = {}
        if self.plan.routed:
            for port in network_ports(self.plan):
                network = self.plan.networks.get(port.network)
                if network is None or network.fabric.is_routed:
                    found.setdefault(port.device, []).append(port)
        return found

    @cached_property
    def _scope(self) -> str:
        """What an address of the fabric reaches, in words."""
        parts = [] if self.plan.mapping.spans_rails else ["rail"]
        return " and ".join(
            [*parts, "plane"] if self.plan.fabric.planes > 1 or not parts else parts
        )

    def prepare(self) -> None:
        """Compute now what all hosts share; workers that are forked afterwards inherit it."""
        _ = self.ports, self._leaf_ports, self._links, self.plan.hosts, self._network_ports

    def link_names(self, host: int, *, made: bool) -> list[str]:
        """Name the interfaces of a host in the networks beside compute.

        With `made`, only those that its operating system makes: bonds and VLANs.
        """
        ports = self._network_ports.get(self.plan.hosts[host], [])
        links = network_links([port for port in ports if not port.bond], network_bonds(ports))
        return [link.name for link in links if link.kind or not made]

    def views(self, hosts: Iterable[int]) -> Iterator[HostView]:
        """Make the views of these installed hosts, counted from 0 over all HB domains."""
        return (self._host(host) for host in hosts)

    def _host(self, host: int) -> HostView:
        """Make the view of one host."""
        plan, fabric, spec = self.plan, self.plan.fabric, self.plan.spec
        nics, ports = self._nics(host), self._network_ports.get(plan.hosts[host], [])
        routed, bonds = [port for port in ports if not port.bond], network_bonds(ports)
        placeholders = not fabric.nics_named
        return HostView(
            name=plan.hosts[host],
            fabric=spec.name,
            design=spec.design.value,
            transport="ethernet" if self.ethernet else "infiniband",
            domain=fabric.coordinates.domain_of_host(host),
            numbered=plan.addresses.numbered,
            placeholders=placeholders,
            notes=self._notes(nics, placeholders=placeholders),
            speed_mbps=fabric.speed_gbps * 1000,
            mtu=self.settings.mtu,
            timers=self.settings.timers,
            bgp=self.settings.bgp,
            roce=self.settings.roce,
            nic=fabric.nic.model if fabric.nic else "",
            roce_tools=(fabric.nic.roce_tools or "") if fabric.nic else "",
            nics=nics,
            family=plan.addresses.family,
            address_bits=plan.addresses.hosts.bits,
            kernel=KERNEL[plan.addresses.family],
            addresses=[],
            routes=self._routes() if self.ethernet else [],
            rules=[],
            rails=[],
            asn=plan.addresses.host_asn,
            router_id=plan.addresses.host_router_id(host) or nics[0].address,
            library=fabric.library.title,
            library_file=fabric.library.file,
            nccl=settings(fabric, nics, tiers=len(plan.roles)),
            network_ports=routed,
            network_bonds=bonds,
            network_links=network_links(routed, bonds),
            vars=dict(spec.vars),
        )

    def _notes(self, nics: list[NicView], *, placeholders: bool) -> list[str]:
        """Return the notes on a host for readers of its files."""
        fabric, notes = self.plan.fabric, []
        if placeholders:
            notes.append(
                "Interface names are placeholders: list the real ones as `host: {nics: [...]}` of"
                " the inventory, and build again."
            )
        here = {nic.rail for nic in nics}
        away = [rail for rail in range(fabric.rails) if rail not in here]
        if away and fabric.design is Design.RAIL_ONLY:
            notes.append(
                f"No NIC here is on rails {rail_ranges(away)}: the way there is the HB"
                " interconnect, which IP does not see."
            )
        if self.ethernet and not self.plan.addresses.numbered:
            notes.append(
                "Routes to the rails are learnt by BGP: FRR has to run with frr.conf."
                " Install networkd.conf, or systemd-networkd removes them."
            )
        return notes

    def _nics(self, host: int) -> list[NicView]:
        """Make the views of a host's NIC ports."""
        slots, planes, interfaces = zip(*self.ports, strict=True)
        gpus = [self.plan.fabric.coordinates.host_gpu(host, slot) for slot in slots]
        views, seen = [], dict[str, int]()
        links = self._links.of(gpus, planes)
        for gpu, plane, interface, link in zip(gpus, planes, interfaces, links, strict=True):
            cabled = self._cabled(link)
            order = seen[cabled.rail_prefix] = seen.get(cabled.rail_prefix, -1) + 1
            views.append(self._nic(gpu, plane, interface, cabled, order))
        return views

    def _nic(self, gpu: int, plane: int, interface: str, cabled: _Cabled, order: int) -> NicView:
        """Make the view of a NIC port, the `order`th of its host on the same rail and plane."""
        fabric, coordinates = self.plan.fabric, self.plan.fabric.coordinates
        slot, rank = coordinates.host_slot(gpu), coordinates.rank(gpu)
        port = fabric.host.port(slot, plane) if fabric.host else None
        table = FIRST_TABLE + coordinates.nic(rank, plane)
        return NicView(
            gpu=coordinates.name(gpu),
            rail=coordinates.rail(gpu),
            plane=plane,
            interface=interface,
            label=self.plan.naming.label(slot, plane),
            rdma=fabric.rdma(slot, plane),
            pci=_pci((port and port.pci) or ""),
            address=cabled.address,
            prefix_length=self.plan.addresses.host_length,
            gateway=cabled.gateway,
            leaf=cabled.leaf,
            leaf_interface=cabled.leaf_interface,
            leaf_alias=cabled.leaf_alias,
            cable=cabled.cable,
            rail_prefix=cabled.rail_prefix,
            table=table,
            routes=self._nic_routes(cabled, table, order),
            rules=self._nic_rules(cabled, table),
        )

    def _cabled(self, link: NicLink) -> _Cabled:
        """Name both ends of the link of a NIC port."""
        switches, ports = self._leaves(link.segment)
        address, gateway, prefix = "", "", ""
        if self.ethernet:
            address = address_text(link.address)
            gateway = address_text(link.address - 1) if self.plan.addresses.numbered else ""
            prefix = self._prefix(link.segment, link.block)
        interface, alias = ports[link.leaf_port]
        return _Cabled(switches[link.leaf], interface, alias, link.cable, address, gateway, prefix)

    def _leaves(self, segment: int) -> tuple[list[str], list[tuple[str, str]]]:
        """Return the switches of a segment, and interface and printed name of a leaf's ports."""
        if segment not in self._names:
            nos, names = self.plan.port_layouts(segment)[Role.LEAF].nos, self.plan.naming
            self._names[segment] = names.switches(segment), self._leaf_ports[nos]
        return self._names[segment]

    def _prefix(self, segment: int, block: int) -> str:
        """Return the prefix of the hosts' addresses on a block."""
        number = segment * self.plan.mapping.segment_blocks + block
        if number not in self._prefixes:
            self._prefixes[number] = self.plan.addresses.hosts.prefix(number)
        return self._prefixes[number]

    def _routes(self) -> list[RouteView]:
        """Reject the rest of the fabric's addresses, which the management network must not get."""
        mapping = self.plan.mapping
        pool = self.plan.addresses.hosts.cover(mapping.segments * mapping.segment_blocks)
        why = (
            "the rest of the fabric, and a rail whose link is down: fail at once, and never leave"
            " by the management network"
        )
        return [RouteView(pool, "", "", MAIN_TABLE, LAST_METRIC, why)]

    def _nic_routes(self, cabled: _Cabled, table: int, order: int) -> list[RouteView]:
        """Route by this NIC port; `order` counts the host's ports of the same rail and plane."""
        if not self.ethernet:
            return []
        scope, spans = self._scope, self.plan.mapping.spans_rails
        rest = RouteView(
            EVERYWHERE[self.plan.addresses.family],
            "",
            "",
            table,
            0,
            f"all else fails at once: this address reaches its own {scope} and nothing more",
        )
        if not cabled.gateway:
            return [rest]
        reach, gateway, own = cabled.rail_prefix, cabled.gateway, cabled.address
        nic = "the first NIC that works" if spans else "the NIC on the rail of the destination"
        unbound = f"from no address yet: by {nic}"
        return [
            RouteView(reach, gateway, own, table, 0, f"from this address: its own {scope}"),
            rest,
            RouteView(reach, gateway, own, MAIN_TABLE, NIC_METRIC + order, unbound),
        ]

    def _nic_rules(self, cabled: _Cabled, table: int) -> list[RuleView]:
        """Select the table for packets from this NIC port's address.

        Where BGP fills the main table, routes to the port's own rail are there.
        """
        if not self.ethernet:
            return []
        if cabled.gateway:
            return [RuleView(cabled.address, "", table, RULE_PRIORITY)]
        return [
            RuleView(cabled.address, cabled.rail_prefix, MAIN_TABLE, RULE_PRIORITY),
            RuleView(cabled.address, "", table, RULE_PRIORITY + 1),
        ]


def _pci(address: str) -> str:
    """Write a PCI address with its domain, as the kernel does.

    >>> _pci("18:00.0")
    '0000:18:00.0'
    """
    return f"0000:{address}" if address and address.count(":") == 1 else address

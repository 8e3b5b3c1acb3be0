"""The hosts of direct rails: each forwards for the others, and learns its rails by BGP.

Owns what differs from hosts on leaves. A link has an address at each end, for RDMA between
neighbours; a GPU has an address on the loopback interface, which BGP announces over the links of
its rail and plane, and no other. Rules keep what is on one rail and plane there, forwarded or not.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.planning.addressing import address_text
from fabricgen.views.direct_links import DirectLinks
from fabricgen.views.hosts.build import EVERYWHERE, FIRST_TABLE, RULE_PRIORITY, Hosts
from fabricgen.views.hosts.view import MAIN_TABLE, DirectRailView, NicView, RouteView, RuleView
from fabricgen.views.link_ends import cable_label

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan
    from fabricgen.views.direct_links import DirectLink
    from fabricgen.views.hosts.view import HostView

FORWARDING = ("forwarding", 1)
"""The kernel setting by which a NIC port's packets for others are passed on."""

RELAYS = (
    "This host forwards packets of other hosts: the GPUs of a rail are joined by cables alone. FRR"
    " has to run with frr.conf, after the addresses are there. Install networkd.conf, or"
    " systemd-networkd removes its routes."
)
REACH = (
    "RDMA reaches the neighbour of a link, by the addresses of the link. Other traffic of a rail"
    " goes by sockets, from the address of a GPU to that of another."
)


class DirectHosts(Hosts):
    """Makes the views of the hosts of one plan with direct rails."""

    @cached_property
    def ports(self) -> list[tuple[int, int, str]]:
        """The links of the NIC ports of every host: the place in it, the plane, the interface."""
        return [(*place, name) for place, names in self._interfaces.items() for name in names]

    @cached_property
    def _interfaces(self) -> dict[tuple[int, int], list[str]]:
        """The interfaces of the links of each NIC port, by its place in the host and its plane."""
        fabric, name, links = self.plan.fabric, self.plan.naming.interface, self._direct_links
        return {
            (slot, plane): [name(slot, plane, link.port) for link in links.of(slot, plane)]
            for slot in range(fabric.host_gpus)
            for plane in range(fabric.planes)
        }

    @cached_property
    def _direct_links(self) -> DirectLinks:
        """The links of each NIC port."""
        return DirectLinks(self.plan)

    def prepare(self) -> None:
        """Compute now what all hosts share; workers that are forked afterwards inherit it."""
        _ = self.ports, self._direct_links, self.plan.hosts

    def _host(self, host: int) -> HostView:
        """Make the view of one host."""
        view, rails = super()._host(host), self._rails(host)
        bits = view.address_bits
        return replace(
            view,
            speed_mbps=self.plan.fabric.link_gbps * 1000,
            kernel=[*view.kernel, FORWARDING],
            asn=self.plan.addresses.as_numbers.of_host(host),
            addresses=[f"{address}/{bits}" for rail in rails for address in rail.addresses],
            routes=[*view.routes, *map(self._rest, rails)],
            rules=[rule for rail in rails for rule in _rules(rail)],
            rails=rails,
        )

    def _notes(self, nics: list[NicView], *, placeholders: bool) -> list[str]:
        """Return the notes on a host for readers of its files."""
        return [*super()._notes(nics, placeholders=placeholders), RELAYS, REACH]

    def _nics(self, host: int) -> list[NicView]:
        """Make the view of each link of a host's NIC ports."""
        fabric = self.plan.fabric
        return [
            self._link(gpu, plane, link)
            for gpu in fabric.coordinates.host_range(host)
            for plane in range(fabric.planes)
            for link in self._direct_links.of(gpu, plane)
        ]

    def _link(self, gpu: int, plane: int, link: DirectLink) -> NicView:
        """Make the view of one link."""
        plan, coordinates = self.plan, self.plan.fabric.coordinates
        slot, peer_slot = coordinates.host_slot(gpu), coordinates.host_slot(link.peer)
        rdma = plan.fabric.rdma(slot, plane) if plan.fabric.split == 1 else ""
        return NicView(
            gpu=coordinates.name(gpu),
            rail=coordinates.rail(gpu),
            plane=plane,
            interface=plan.naming.interface(slot, plane, link.port),
            label=plan.naming.label(slot, plane, link.port),
            rdma=rdma,
            pci="",
            address=address_text(link.address),
            prefix_length=plan.addresses.host_length,
            gateway=address_text(link.peer_address),
            leaf=plan.hosts[coordinates.host(link.peer)],
            leaf_interface=plan.naming.interface(peer_slot, plane, link.peer_port),
            leaf_alias="",
            cable=cable_label(plan, link.segment, link.row),
            rail_prefix=plan.addresses.loopbacks.prefix(link.block),
            table=self._table(gpu, plane),
            routes=[],
            rules=[],
        )

    def _table(self, gpu: int, plane: int) -> int:
        """Return the routing table of a rail on a plane: that of its first rank."""
        coordinates = self.plan.fabric.coordinates
        return FIRST_TABLE + coordinates.nic(coordinates.rail(gpu), plane)

    def _rails(self, host: int) -> list[DirectRailView]:
        """Return the rails and planes of a host, in order."""
        plan, coordinates = self.plan, self.plan.fabric.coordinates
        found: dict[int, DirectRailView] = {}
        for gpu in coordinates.host_range(host):
            for plane in range(plan.fabric.planes):
                segment, place = plan.mapping.home(gpu, plane)
                block = segment * plan.mapping.segment_blocks + place
                rail = found.setdefault(block, self._rail(block, gpu, plane))
                rail.gpus.append(coordinates.name(gpu))
                rail.addresses.append(plan.addresses.direct_gpu(gpu, plane))
                rail.interfaces += self._interfaces[coordinates.host_slot(gpu), plane]
        return [found[block] for block in sorted(found)]

    def _rail(self, block: int, gpu: int, plane: int) -> DirectRailView:
        """Return the view of a rail and plane, before its GPUs have addresses."""
        addresses, rail = self.plan.addresses, self.plan.fabric.coordinates.rail(gpu)
        return DirectRailView(
            name=f"rail{rail}" + (f"-plane{plane}" if self.plan.fabric.planes > 1 else ""),
            rail=rail,
            plane=plane,
            gpus=[],
            addresses=[],
            interfaces=[],
            prefix=addresses.loopbacks.prefix(block),
            link_prefix=addresses.hosts.prefix(block),
            table=self._table(gpu, plane),
        )

    def _routes(self) -> list[RouteView]:
        """Reject the rest of the fabric's addresses, of links and of GPUs."""
        mapping = self.plan.mapping
        pool = self.plan.addresses.loopbacks.cover(mapping.segments * mapping.segment_blocks)
        (links,) = super()._routes()
        return [links, replace(links, destination=pool)]

    def _rest(self, rail: DirectRailView) -> RouteView:
        """Reject what leaves a rail and plane."""
        why = f"what is from {rail.name} stays there: all else fails at once"
        return RouteView(EVERYWHERE[self.plan.addresses.family], "", "", rail.table, 0, why)


def _rules(rail: DirectRailView) -> list[RuleView]:
    """Keep packets from the GPUs and the links of a rail and plane there."""
    own = rail.prefix, rail.link_prefix
    return [
        *(RuleView(each, each, MAIN_TABLE, RULE_PRIORITY) for each in own),
        *(RuleView(each, "", rail.table, RULE_PRIORITY + 1) for each in own),
    ]


def hosts_of(plan: Plan) -> Hosts:
    """Return what makes the views of the hosts of a plan."""
    return DirectHosts(plan) if plan.mapping.topology else Hosts(plan)

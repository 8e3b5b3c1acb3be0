"""The uplinks of a network's leaves into another network, as the leaves have them.

A link has its cable and its addresses in the network above: the leaf there has the first address of
its prefix, and the leaf below the second.
"""

from __future__ import annotations

from functools import cached_property
from ipaddress import ip_interface
from typing import TYPE_CHECKING

from fabricgen.core.terms import Role
from fabricgen.planning.network_edges import leaf_links
from fabricgen.views.switches.port_views import PortViews
from fabricgen.views.switches.ports import Ports, SegmentLabels, facts_of
from fabricgen.views.switches.view import RouterPort

if TYPE_CHECKING:
    from fabricgen.planning.port_layout import Port
    from fabricgen.views.switches.view import PortView


class UplinkPorts:
    """Makes the uplinks of the leaves of one plan; none where the plan has no network above."""

    def __init__(self, own: PortViews) -> None:
        """Keep the ports of the plan; nothing is made yet."""
        self.plan, self._own = own.plan, own

    def places(self, role: Role) -> tuple[Port, ...]:
        """Return the ports of a switch that are such uplinks."""
        own = role is Role.LEAF and self.plan.above
        return self.plan.fabric.port_layouts[role].outward if own else ()

    def on(self, leaf: str) -> list[RouterPort]:
        """Return the uplinks of a leaf, in the order of its ports."""
        return self._ports.get(leaf, [])

    @cached_property
    def _ports(self) -> dict[str, list[RouterPort]]:
        """The uplinks of each leaf."""
        above, found = self.plan.above, dict[str, list[RouterPort]]()
        if above is None:
            return found
        layout, ports = self.plan.fabric.port_layouts[Role.LEAF], Ports(above)
        places = {layout.interface(port): port for port in self.places(Role.LEAF)}
        labels, mine = SegmentLabels(ports, 0), {*self.plan.naming.switches(0)}
        leaves = leaf_links(above)
        for leaf, views in zip(leaves, PortViews(ports).of(leaves, labels), strict=True):
            box = above.naming.boxes[leaf]
            name, asn = labels.ends.switches[leaf], above.addresses.asn(0, box)
            for port in views:
                if port.peer_device in mine:
                    place = places[port.peer_interface]
                    found.setdefault(port.peer_device, []).append(
                        self._made(port, place, name, asn)
                    )
        for each in found.values():
            each.sort(key=lambda port: (port.cage, port.subport))
        return found

    def _made(self, far: PortView, place: Port, leaf: str, asn: int) -> RouterPort:
        """Make an uplink; `far` is its other end, on a leaf above with this name and AS number."""
        facts = facts_of(self.plan.fabric.port_layouts[Role.LEAF], place)
        own, keys = ip_interface(far.address), self.plan.spec.addressing
        names = self.plan.fabric.network_name if self.plan.fabric.has_bonds else ""
        return RouterPort(
            **facts._asdict(),
            peer_device=leaf,
            peer_interface=far.interface,
            cable=far.cable,
            address=f"{own.ip + 1}/{own.network.prefixlen}",
            to_host=True,
            vrf=names,
            rail="",
            length_m=far.length_m,
            headroom_bytes=self._own.headroom(facts.speed_mbps, far.length_m),
            lane_count=place.breakout.lanes,
            peer_asn=asn,
            peer_address=str(own.ip),
            bfd=keys.bfd,
            password=keys.bgp.password or "",
            key_name=UPLINK_KEY if keys.bgp.password else "",
            uplink=True,
        )


UPLINK_KEY = "EDGE-UPLINK"
"""The name of the key of sessions over uplinks: a leaf below has no other routers with it."""

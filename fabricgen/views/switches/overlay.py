"""The overlay of switches whose devices have bonds of LACP: VLANs, VRFs, bonds and their numbers.

`planning.networks.tenants` owns the VLANs and addresses; here they become those of one leaf.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.addressing import address_text
from fabricgen.planning.network_bonds import bond_members
from fabricgen.planning.networks.tenants import PAIRS, mac_text, overlay_mtu
from fabricgen.planning.tenant_addresses import (
    gateway_of,
    leaf_address,
    prefix_length,
    prefix_text,
    subnet_of,
)
from fabricgen.views.switches.view import BondView, OverlayPeer, OverlayView, TenantView

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.planning.naming import Box
    from fabricgen.planning.network_bonds import BondMember
    from fabricgen.planning.networks.tenants import Tenant
    from fabricgen.planning.plan import Plan
    from fabricgen.views.switches.edges import Edges
    from fabricgen.views.switches.ports import PortFacts
    from fabricgen.views.switches.view import PortView

TABLES_BELOW = 2000
"""The routing table of a VRF is its VLAN less this: 1001 and up, as ifupdown2 takes."""


class Overlays:
    """Makes the overlay of each switch of a network."""

    def __init__(self, plan: Plan, edges: Edges) -> None:
        """Keep the plan and its routers of the site; nothing is made yet."""
        self.plan, self._edges = plan, edges
        network = plan.fabric.network
        self.tenants: tuple[Tenant, ...] = network.tenants if network else ()

    def view(
        self, box: Box, number: int, facts: Sequence[PortFacts], used: list[PortView]
    ) -> OverlayView | None:
        """Make the overlay of a switch; None without one.

        Members of bonds lose their addresses, and other ports to devices get their VRF. `facts` are
        the ports of the role, `used` those in use.
        """
        if not self.tenants:
            return None
        leaf, by_name = box.role is Role.LEAF, {port.interface: port for port in used}
        ports = {
            at: by_name[fact.interface]
            for at, fact in enumerate(facts)
            if fact.interface in by_name
        }
        members = self._members.get(number, {})
        for at, member in members.items():
            if member.number:
                ports[at].address, ports[at].bonded = "", True
            else:
                ports[at].vrf = member.network
        loopback = address_text(self.plan.addresses.loopback(0, 0, box))
        return OverlayView(
            source=loopback,
            anycast_mac=mac_text(PAIRS),
            mtu=overlay_mtu(self.plan.spec.addressing.mtu),
            peers=[*self._peers(number)],
            tenants=[self._tenant(each, box, used) for each in self.tenants if leaf],
            bonds=[
                BondView(
                    number=member.number,
                    port=ports[port],
                    system_mac=mac_text(member.pair),
                    esi=member.esi,
                    vlan=0 if member.vlans[1:] else member.vlans[0],
                    tagged_vlans=[*member.vlans] if member.vlans[1:] else [],
                )
                for port, member in sorted(members.items())
                if member.number
            ],
            uplinks=[port for port in used if not port.to_host],
        )

    def _tenant(self, tenant: Tenant, box: Box, used: list[PortView]) -> TenantView:
        """Make the view of a network on one leaf."""
        addresses, routed = self.plan.addresses, bool(tenant.vrf_vlan)
        router = address_text(addresses.router_id(0, 0, box))
        subnet = subnet_of(tenant, addresses)
        gateway, own = gateway_of(subnet), leaf_address(subnet, box.index)
        return TenantView(
            name=tenant.name,
            vlan=tenant.vlan,
            vni=tenant.vni,
            rd=f"{router}:{tenant.vni}",
            target=f"{tenant.vni}:{tenant.vni}",
            vrf_vlan=tenant.vrf_vlan,
            vrf_vni=tenant.vrf_vni if routed else 0,
            table=tenant.vrf_vlan - TABLES_BELOW if routed else 0,
            vrf_rd=f"{router}:{tenant.vrf_vni}" if routed else "",
            vrf_target=f"{tenant.vrf_vni}:{tenant.vrf_vni}" if routed else "",
            prefix=subnet.prefix(0) if routed else "",
            prefix_length=prefix_length(subnet) if routed else 0,
            address=prefix_text(own, subnet) if routed else "",
            gateway=prefix_text(gateway, subnet) if routed else "",
            ports=[port for port in used if port.vrf == tenant.name],
            accepted=self._edges.accepted(tenant.name),
        )

    def _peers(self, number: int) -> Iterator[OverlayPeer]:
        """Yield the switches that have links to a switch."""
        addresses, boxes = self.plan.addresses, self.plan.naming.boxes
        for other in sorted(self._neighbors[number]):
            loopback = address_text(addresses.loopback(0, 0, boxes[other]))
            yield OverlayPeer(address=loopback, asn=addresses.asn(0, boxes[other]))

    @cached_property
    def _neighbors(self) -> dict[int, set[int]]:
        """The switches that have links to each switch."""
        segment, found = self.plan.segment, defaultdict[int, set[int]](set)
        between = segment.kind != LinkKind.HOST
        pairs = zip(segment.lower[between].tolist(), segment.upper[between].tolist(), strict=True)
        for lower, upper in pairs:
            found[lower].add(upper)
            found[upper].add(lower)
        return found

    @cached_property
    def _members(self) -> dict[int, dict[int, BondMember]]:
        """The links to devices of each leaf, by port."""
        found: dict[int, dict[int, BondMember]] = {}
        for member in bond_members(self.plan):
            found.setdefault(member.leaf, {})[member.port] = member
        return found

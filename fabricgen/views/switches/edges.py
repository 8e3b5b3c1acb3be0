"""The BGP sessions of leaves with the site's routers, and what all switches accept from them."""

from __future__ import annotations

from functools import cached_property
from ipaddress import ip_interface
from typing import TYPE_CHECKING

from fabricgen.planning.network_edges import accepted_prefixes, edge_links
from fabricgen.views.switches.view import AcceptedPrefix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.planning.plan import Plan
    from fabricgen.views.switches.ports import PortFacts
    from fabricgen.views.switches.view import PortView


class Edges:
    """The routers of the site on the leaves of one network."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan; nothing is made yet."""
        self.plan = plan

    @cached_property
    def _numbers(self) -> dict[tuple[int, int], int]:
        """The AS number of the router at each port of each leaf."""
        if self.plan.fabric.network is None:
            return {}
        return {(link.leaf, link.port): link.asn for link in edge_links(self.plan)}

    @cached_property
    def _accepted(self) -> dict[str, list[AcceptedPrefix]]:
        """What switches accept from routers, by network."""
        if self.plan.fabric.network is None:
            return {}
        return {
            name: [
                AcceptedPrefix(number=number, prefix=str(prefix), length=prefix.prefixlen)
                for number, prefix in enumerate(prefixes, 1)
            ]
            for name, prefixes in accepted_prefixes(self.plan).items()
        }

    def accepted(self, tenant: str = "") -> list[AcceptedPrefix]:
        """Return what is accepted from the routers of a tenant, or of all where there is none."""
        every = [self._accepted.get(tenant, [])] if tenant else [*self._accepted.values()]
        found = {own.prefix: own for prefixes in every for own in prefixes}
        return [
            AcceptedPrefix(number=number, prefix=own.prefix, length=own.length)
            for number, own in enumerate(found.values(), 1)
        ]

    def set_peers(self, leaf: int, facts: Sequence[PortFacts], used: list[PortView]) -> None:
        """Set the far ends of the sessions of a leaf; `facts` are the ports of its role."""
        if not self._numbers:
            return
        at = {fact.interface: number for number, fact in enumerate(facts)}
        for port in used:
            asn = self._numbers.get((leaf, at[port.interface])) if port.to_host else None
            if asn:
                port.peer_asn = asn
                port.peer_address = str(ip_interface(port.address).ip + 1)

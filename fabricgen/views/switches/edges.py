"""The BGP sessions of leaves with the site's routers, and what all switches accept from them."""

from __future__ import annotations

from functools import cached_property
from ipaddress import ip_interface
from typing import TYPE_CHECKING

from fabricgen.planning.network_edges import accepted_prefixes, edge_links
from fabricgen.views.switches.view import PORT_COLUMNS, AcceptedPrefix, RouterPort

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.inventory.devices import EdgeBgp
    from fabricgen.planning.plan import Plan
    from fabricgen.views.switches.ports import PortFacts
    from fabricgen.views.switches.view import PortView


class Edges:
    """The routers of the site on the leaves of one network."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan; nothing is made yet."""
        self.plan = plan

    @cached_property
    def _sessions(self) -> dict[tuple[int, int], EdgeBgp]:
        """The session with the router at each port of each leaf."""
        if self.plan.fabric.network is None:
            return {}
        return {(link.leaf, link.port): link.bgp for link in edge_links(self.plan)}

    @cached_property
    def _key_names(self) -> dict[str | None, str]:
        """A name of each key of the network's routers."""
        keys = dict.fromkeys(bgp.password for bgp in self._sessions.values() if bgp.password)
        return {key: f"EDGE-{number}" for number, key in enumerate(keys, 1)}

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
        if not self._sessions:
            return
        at = {fact.interface: number for number, fact in enumerate(facts)}
        for place, port in enumerate(used):
            bgp = self._sessions.get((leaf, at[port.interface])) if port.to_host else None
            if bgp:
                used[place] = self._with_session(port, bgp)

    def _with_session(self, port: PortView, bgp: EdgeBgp) -> RouterPort:
        """Return a port with the far end of its session."""
        session = RouterPort(*(getattr(port, column) for column in PORT_COLUMNS))
        session.peer_asn, session.bfd = bgp.asn, bgp.bfd
        session.peer_address = str(ip_interface(port.address).ip + 1)
        session.password = bgp.password or ""
        session.key_name = self._key_names.get(bgp.password, "")
        return session

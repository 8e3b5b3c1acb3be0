"""The BGP sessions of leaves with the site's routers, and what all switches accept from them."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from ipaddress import ip_interface
from itertools import count
from typing import TYPE_CHECKING

from fabricgen.planning.network_edges import accepted_prefixes, edge_links
from fabricgen.views.switches.view import PORT_COLUMNS, AcceptedPrefix, RouterPort

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabricgen.planning.network_edges import EdgeLink
    from fabricgen.planning.plan import Plan
    from fabricgen.views.switches.ports import PortFacts
    from fabricgen.views.switches.view import PortView


class Edges:
    """The routers of the site on the leaves of one network."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan; nothing is made yet."""
        self.plan = plan

    @cached_property
    def _sessions(self) -> dict[tuple[int, int], EdgeLink]:
        """The session with the router at each port of each leaf."""
        if self.plan.fabric.network is None:
            return {}
        return {(link.leaf, link.port): link for link in edge_links(self.plan)}

    @cached_property
    def _key_names(self) -> dict[str | None, str]:
        """A name of each key of the network's routers."""
        keys = dict.fromkeys(link.password for link in self._sessions.values() if link.password)
        return {key: f"EDGE-{number}" for number, key in enumerate(keys, 1)}

    @cached_property
    def _accepted(self) -> dict[str, list[AcceptedPrefix]]:
        """What switches accept from routers, by network."""
        if self.plan.fabric.network is None:
            return {}
        return {
            name: _numbered(
                AcceptedPrefix(
                    number=0,
                    prefix=own.prefix,
                    length=own.length,
                    parts=not own.prefix.endswith(f"/{own.length}"),
                    uplink=own.uplink,
                )
                for own in prefixes
            )
            for name, prefixes in accepted_prefixes(self.plan).items()
        }

    def accepted(self, tenant: str = "") -> list[AcceptedPrefix]:
        """Return what is accepted from the routers of a tenant, or of all where there is none."""
        every = [self._accepted.get(tenant, [])] if tenant else [*self._accepted.values()]
        found = {(own.prefix, own.uplink): own for prefixes in every for own in prefixes}
        return _numbered(found.values())

    def set_peers(self, leaf: int, facts: Sequence[PortFacts], used: list[PortView]) -> None:
        """Set the far ends of the sessions of a leaf; `facts` are the ports of its role."""
        if not self._sessions:
            return
        at = {fact.interface: number for number, fact in enumerate(facts)}
        for place, port in enumerate(used):
            link = self._sessions.get((leaf, at[port.interface])) if port.to_host else None
            if link:
                used[place] = self._with_session(port, link)

    def _with_session(self, port: PortView, link: EdgeLink) -> RouterPort:
        """Return a port with the far end of its session."""
        session = RouterPort(*(getattr(port, column) for column in PORT_COLUMNS))
        session.peer_asn, session.bfd, session.uplink = link.asn, link.bfd, link.uplink
        session.peer_address = str(ip_interface(port.address).ip + 1)
        session.password = link.password or ""
        session.key_name = self._key_names.get(link.password, "")
        return session


def _numbered(prefixes: Iterable[AcceptedPrefix]) -> list[AcceptedPrefix]:
    """Return prefixes with numbers from 1, those of each kind of router apart."""
    numbers = {True: count(1), False: count(1)}
    return [replace(own, number=next(numbers[own.uplink])) for own in prefixes]

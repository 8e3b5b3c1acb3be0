"""The links of a network to the site's routers that speak BGP, and the routes taken from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ipaddress import IPv4Network

    from fabricgen.inventory.devices import EdgeBgp
    from fabricgen.planning.plan import Plan


class EdgeLink(NamedTuple):
    """One link between a leaf and a router of the site."""

    row: int
    """The row of the link in `Plan.segment`."""
    leaf: int
    port: int
    """The port of the leaf, by its number in `Plan.ports`."""
    bgp: EdgeBgp
    """The session, as the inventory has it."""
    network: str


def edge_links(plan: Plan) -> Iterator[EdgeLink]:
    """Yield the links of a network to routers with a BGP session."""
    network, segment = plan.fabric.network, plan.segment
    groups = network.attached.groups if network else ()
    if network is None or not any(group.bgp for group in groups):
        return
    rows = np.flatnonzero(segment.kind == LinkKind.HOST)
    group = network.attached.group_of(segment.lower[rows] // network.attached.bond)
    for row, number in zip(rows.tolist(), group.tolist(), strict=True):
        own = groups[number]
        if own.bgp:
            leaf, port = int(segment.upper[row]), int(segment.upper_port[row])
            yield EdgeLink(row, leaf, port, own.bgp, own.networks[0])


def accepted_prefixes(plan: Plan) -> dict[str, list[IPv4Network]]:
    """Return the prefixes that switches accept from routers with ports on them, by network."""
    found: dict[str, list[IPv4Network]] = {}
    for group in plan.fabric.network.attached.groups if plan.fabric.network else ():
        if group.bgp and group.names and group.interfaces:
            found.setdefault(group.networks[0], []).extend(group.bgp.accept)
    return {name: [*dict.fromkeys(prefixes)] for name, prefixes in found.items()}

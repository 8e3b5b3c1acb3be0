"""The links of a network's leaves with BGP to other routers, and the routes taken from them.

Such a router is one of the site, or a leaf of another network: uplinks join two networks whose
leaves route. Each end accepts the other network's devices, and announces its own alone, so that
neither is a way from one third network to another.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind
from fabricgen.planning.tenant_addresses import subnet_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.networks.attachments import AttachedDevices
    from fabricgen.planning.plan import Plan


class EdgeLink(NamedTuple):
    """One link between a leaf and a router with a BGP session on it."""

    row: int
    """The row of the link in `Plan.segment`."""
    leaf: int
    port: int
    """The port of the leaf, by its number in `Plan.ports`."""
    network: str
    asn: int
    """The AS number of the router."""
    password: str | None
    """The reference to the key of TCP MD5."""
    bfd: bool
    uplink: bool
    """Whether the router is a leaf of another network."""


class Accepted(NamedTuple):
    """Prefixes that switches accept from routers: all of a length within one prefix."""

    prefix: str
    length: int
    uplink: bool = True
    """Whether they are of another network, not of the site's routers."""


class _RouterEnd(NamedTuple):
    """One link to a router: its row, the port of the leaf, and the router."""

    row: int
    leaf: int
    port: int
    group: AttachedDevices
    device: str


def edge_links(plan: Plan) -> Iterator[EdgeLink]:
    """Yield the links of a network to routers with a BGP session."""
    asns, keys = _leaf_asns(plan), plan.spec.addressing
    for row, leaf, port, group, device in _router_ends(plan):
        link = partial(EdgeLink, row, leaf, port, group.networks[0])
        if group.bgp:
            yield link(group.bgp.asn, group.bgp.password, group.bgp.bfd, uplink=False)
        else:
            yield link(asns[device], keys.bgp.password, keys.bfd, uplink=True)


def _router_ends(plan: Plan) -> Iterator[_RouterEnd]:
    """Yield the links of a network to routers."""
    network, segment = plan.fabric.network, plan.segment
    groups = network.attached.groups if network else ()
    if network is None or not any(group.bgp or group.leaves_of for group in groups):
        return
    rows = np.flatnonzero(segment.kind == LinkKind.HOST)
    bonds = segment.lower[rows] // network.attached.bond
    numbers, devices = network.attached.group_of(bonds), network.attached.devices
    for row, bond, number in zip(rows.tolist(), bonds.tolist(), numbers.tolist(), strict=True):
        own, leaf, port = groups[number], segment.upper[row], segment.upper_port[row]
        if own.bgp or own.leaves_of:
            yield _RouterEnd(row, int(leaf), int(port), own, devices[bond])


def _leaf_asns(plan: Plan) -> dict[str, int]:
    """Return the AS number of each switch of the networks with uplinks to this one."""
    return {
        name: lower.addresses.asn(0, box)
        for lower in plan.below
        for name, box in zip(lower.naming.switches(0), lower.naming.boxes, strict=True)
    }


def leaf_links(plan: Plan) -> list[int]:
    """Return the leaves with links to leaves of another network."""
    return sorted({end.leaf for end in _router_ends(plan) if end.group.leaves_of})


def announced(plan: Plan, network: str) -> Accepted:
    """Return what leaves announce to routers of a network on them.

    It is the subnet of a VLAN where bonds use LACP, else each link to a device.
    """
    rules, addresses = plan.fabric.network, plan.addresses
    for tenant in rules.tenants if rules else ():
        if tenant.name == network:
            prefix = subnet_of(tenant, addresses).prefix(0)
            return Accepted(prefix, int(prefix.partition("/")[2]))
    return Accepted(addresses.hosts.prefix(0), addresses.host_length)


def accepted_prefixes(plan: Plan) -> dict[str, list[Accepted]]:
    """Return what switches accept from routers, by network, each once."""
    found: dict[str, list[Accepted]] = {}
    for group in plan.fabric.network.attached.groups if plan.fabric.network else ():
        if group.bgp and group.names and group.interfaces:
            found.setdefault(group.networks[0], []).extend(
                Accepted(str(prefix), prefix.prefixlen, uplink=False) for prefix in group.bgp.accept
            )
    for uplinks in joined_networks(plan):
        found.setdefault(uplinks.network, []).append(announced(uplinks.plan, uplinks.far))
    return {name: [*dict.fromkeys(each)] for name, each in found.items()}


class Joined(NamedTuple):
    """A network that uplinks of leaves join with one of a plan, and the plan that it is of."""

    network: str
    far: str
    plan: Plan


def joined_networks(plan: Plan) -> list[Joined]:
    """Return the networks that uplinks join with those of a plan."""
    own = plan.fabric.network_name
    below = [(lower.fabric.network_name, lower) for lower in plan.below]
    above = [Joined(own, _above(plan.above, own), plan.above)] if plan.above else []
    every = [*(Joined(_above(plan, name), name, lower) for name, lower in below), *above]
    return [*dict.fromkeys(every)]


def _above(plan: Plan, lower: str) -> str:
    """Return the network of some switches that the uplinks of a lower network are in."""
    groups = plan.fabric.network.attached.groups if plan.fabric.network else ()
    return next(group.networks[0] for group in groups if group.leaves_of == lower)

"""The BGP sessions of the site's routers, as their operators have to configure them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import Role
from fabricgen.planning.network_edges import edge_links
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan
    from fabricgen.views.switches.view import SwitchView


DIRECT_TTL = 255
"""The TTL of a packet from a direct neighbour (RFC 5082)."""


class RouterSession(NamedTuple):
    """One session: the router's end, the leaf's end, and the prefixes of both directions."""

    router: str
    interface: str
    network: str
    address: str
    """Of the router, with the length of its prefix."""
    asn: int
    leaf: str
    leaf_interface: str
    leaf_address: str
    leaf_asn: int
    announces: str
    """The prefixes that the leaf accepts, separated by spaces."""
    receives: str
    """The prefix that the leaf announces, or whose links it announces."""
    key: str
    """The reference to the key of TCP MD5, or nothing."""
    bfd_interval_ms: int | str
    """Between packets of BFD, sent and expected; empty without BFD."""
    bfd_multiplier: int | str
    ttl: int | str
    """The TTL of packets from the router where `addressing.bgp.ttl_security` is set; else empty."""


def has_sessions(plan: Plan) -> bool:
    """Return whether routers of the site have BGP sessions with leaves."""
    return bool(plan.networks) and any(devices.bgp for devices in plan.spec.devices)


def router_sessions(plan: Plan) -> Iterator[RouterSession]:
    """Yield the sessions of all networks of a plan."""
    for network in plan.networks.values():
        for leaf in _leaves(plan, network):
            yield from _of_leaf(network.fabric.network_name, leaf)


def _leaves(plan: Plan, network: Plan) -> Iterator[SwitchView]:
    """Yield the leaves of a network with sessions; a network may be on those of compute."""
    leaves = sorted({link.leaf for link in edge_links(network) if not link.uplink})
    if shared := network.fabric.shared_leaves:
        for segment, box in map(shared.leaves.__getitem__, leaves):
            yield from Views(plan).switches(segment, (Role.LEAF,), [box])
    elif leaves:
        yield from Views(network).switches(0, (Role.LEAF,), leaves)


def _of_leaf(network: str, leaf: SwitchView) -> Iterator[RouterSession]:
    """Yield the sessions of a leaf with routers."""
    own = next((each for each in leaf.instances if each.vrf == network), leaf.instances[0])
    groups = [(network, own.host_prefix, own.accepted, own.edge_ports)]
    groups += [
        (own.name, own.prefix, own.accepted, own.edge_ports)
        for own in (leaf.vtep.vrfs if leaf.vtep else [])
    ]
    for name, prefix, accepted, ports in groups:
        for port in (port for port in ports if not port.uplink):
            address, _, length = port.address.partition("/")
            yield RouterSession(
                router=port.peer_device,
                interface=port.peer_interface,
                network=name,
                address=f"{port.peer_address}/{length}",
                asn=port.peer_asn,
                leaf=leaf.name,
                leaf_interface=port.interface,
                leaf_address=address,
                leaf_asn=leaf.asn,
                announces=" ".join(own.prefix for own in accepted if not own.uplink),
                receives=prefix,
                key=port.password,
                bfd_interval_ms=leaf.timers.bfd_interval_ms if port.bfd else "",
                bfd_multiplier=leaf.timers.bfd_multiplier if port.bfd else "",
                ttl=DIRECT_TTL if leaf.bgp.ttl_security else "",
            )

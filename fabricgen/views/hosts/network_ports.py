"""The ports of hosts and devices in the networks beside compute, with addresses and routes.

A port of a routed network shares a /31 with its switch. The default route of a host is that of the
in-band network, by its first port that works, so that nothing leaves by compute.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.addressing import address_text
from fabricgen.views.hosts.view import MAIN_TABLE, NetworkPortView, RouteView
from fabricgen.views.switches.ports import Ports

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan

DEFAULT = "inband"
"""The network of the default route."""
FIRST_METRIC = 100
"""The metric of a route by the first port of a device in a network."""


def network_ports(plan: Plan) -> Iterator[NetworkPortView]:
    """Yield the ports of all devices in the networks beside compute, network by network."""
    managed = _management_addresses(plan)
    for name, network in plan.networks.items():
        routed = is_routed(network)
        ends = Ports(network).link_ends.of_segment(0)
        rows = np.flatnonzero(network.segment.kind == LinkKind.HOST).astype(np.int32)
        links = ends.columns(rows)
        blocks, slots = links.block.tolist(), links.slot.tolist()
        order: Counter[str] = Counter()
        for row, device in enumerate(links.lower_device.tolist()):
            (own,) = network.addresses.host_addresses(blocks[row], [slots[row]])
            address, gateway = (
                (address_text(own), address_text(own - 1)) if routed else managed.get(device, _NONE)
            )
            yield NetworkPortView(
                device=device,
                interface=links.lower_port[row].interface,
                network=name,
                address=address,
                prefix_length=_length(plan, network, address),
                gateway=gateway,
                mtu=network.spec.addressing.mtu,
                switch=links.upper_device[row],
                switch_interface=links.upper_port[row].interface,
                cable=links.cables[row],
                routes=_routes(network, gateway, order[device]) if routed else [],
            )
            order[device] += 1


_NONE = ("", "")


def is_routed(network: Plan) -> bool:
    """Return whether the devices of a network have addresses of its own."""
    rules = network.fabric.network
    ethernet = network.fabric.port_layouts[Role.LEAF].model.transport == "ethernet"
    return ethernet and rules is not None and not rules.vlan


def _management_addresses(plan: Plan) -> dict[str, tuple[str, str]]:
    """Return the management address and the gateway of every switch of a cluster."""
    return {
        name: (own.management.switch(segment, at), address_text(own.management.gateway))
        for own in plan.cluster
        if own.management
        for segment in range(own.mapping.segments)
        for at, name in enumerate(own.naming.switches(segment))
    }


def _length(plan: Plan, network: Plan, address: str) -> int:
    """Return the length of the prefix of a port's address; 0 without one."""
    if not address:
        return 0
    if is_routed(network):
        return network.addresses.host_length
    return plan.management.subnet.prefixlen if plan.management else 0


def _routes(network: Plan, gateway: str, order: int) -> list[RouteView]:
    """Return the routes by a port, the `order`th of its device in a network."""
    name = network.fabric.network_name
    if name == DEFAULT:
        reach, why = "0.0.0.0/0", "all that no other route is for: by the first port that works"
    else:
        reach, why = network.addresses.hosts.prefix(0), f"the devices of {name}"
    return [RouteView(reach, gateway, "", MAIN_TABLE, FIRST_METRIC + order, why)]

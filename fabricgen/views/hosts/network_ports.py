"""The ports of hosts and devices in the networks beside compute, with addresses and routes.

A port of a routed network shares a /31 with its switch; the members of a bond of LACP share the
address that the bond has in the VLAN of each network. The default route of a host is that of the
in-band network, by its first port that works, so that nothing leaves by compute. A device reaches a
network that it has no port in over the uplinks between two networks.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from fabricgen.core.terms import PEERS, LinkKind
from fabricgen.planning.addressing import address_text
from fabricgen.planning.network_bonds import bond_members
from fabricgen.planning.network_edges import announced, joined_networks
from fabricgen.planning.networks.tenants import overlay_mtu
from fabricgen.planning.tenant_addresses import bond_address, gateway_of, prefix_length, subnet_of
from fabricgen.views.cables.view import turned
from fabricgen.views.factory import Views
from fabricgen.views.hosts.network_links import network_links
from fabricgen.views.hosts.view import (
    MAIN_TABLE,
    DeviceView,
    NetworkBondView,
    NetworkPortView,
    RouteView,
)
from fabricgen.views.managed_ports import managed_ports
from fabricgen.views.switches.ports import Ports

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from fabricgen.planning.network_bonds import BondMember
    from fabricgen.planning.plan import Plan
    from fabricgen.views.link_ends import LinkColumns

DEFAULT = "inband"
"""The network of the default route."""
FIRST_METRIC = 100
"""The metric of a route by the first port of a device in a network."""


def network_ports(plan: Plan) -> Iterator[NetworkPortView]:
    """Yield the ports of all devices in the networks beside compute but consoles, in turn."""
    managed, numbers = _management_addresses(plan), BondNumbers()
    for name, network in plan.networks.items():
        if network.fabric.is_serial:
            continue
        routed = network.fabric.is_routed
        ends = Ports(network).link_ends.of_segment(0)
        rows = np.flatnonzero(network.segment.kind == LinkKind.HOST).astype(np.int32)
        links = ends.columns(rows)
        blocks, slots = links.block.tolist(), links.slot.tolist()
        order: Counter[str] = Counter()
        members = {member.row: member for member in bond_members(network)}
        beyond = _beyond(network)
        for row, device in enumerate(links.lower_device.tolist()):
            member = members.get(int(rows[row]))
            if member and member.number:
                yield from _bonded(network, member, _LinkEnd.of(links, row), numbers, beyond)
                continue
            (own,) = network.addresses.host_addresses(blocks[row], [slots[row]])
            address, gateway = (
                (address_text(own), address_text(own - 1))
                if routed
                else managed.get((device, links.lower_port[row].interface))
                or _device_address(network, slots[row])
            )
            yield NetworkPortView(
                device=device,
                interface=links.lower_port[row].interface,
                network=member.network if member else name,
                address=address,
                prefix_length=_length(plan, network, address),
                gateway=gateway,
                mtu=network.spec.addressing.mtu,
                switch=links.upper_device[row],
                switch_interface=links.upper_port[row].interface,
                cable=links.cables[row],
                routes=[
                    *_routes(network, gateway, order[device], name, own),
                    *_routes_beyond(beyond, device, name, gateway, order[device]),
                ]
                if routed
                else [],
            )
            order[device] += 1


def device_views(plan: Plan, networks: Collection[str]) -> list[DeviceView]:
    """Return the hosts and devices with their ports in some networks; switches are none of them."""
    switches = {name for own in plan.cluster for name in own.switches()}
    found: dict[str, DeviceView] = {}
    paired = _paired_ports(plan.networks[PEERS]) if PEERS in networks else ()
    for port in (*network_ports(plan), *paired):
        if port.network in networks and port.device not in switches:
            own = found.setdefault(port.device, DeviceView(port.device, plan.spec.name, [], []))
            own.ports.append(port)
    for own in found.values():
        own.bonds = network_links([], network_bonds(own.ports))
        own.ports = [port for port in own.ports if not port.bond]
    return [*found.values()]


def managed_device_ports(plan: Plan) -> list[NetworkPortView]:
    """List the ports with an address of `management.device_pool`."""
    asked, network = plan.spec.management, plan.spec.networks.management
    if asked is None or asked.device_pool is None or network is None:
        return []
    return [port for own in device_views(plan, {network}) for port in own.ports]


def _paired_ports(network: Plan) -> Iterator[NetworkPortView]:
    """Yield the ports of paired devices at both ends of their cables; no address is planned."""
    for cable in Views(network).cables(0):
        for end in (cable, turned(cable)):
            yield NetworkPortView(
                device=end.a_device,
                interface=end.a_interface,
                network=PEERS,
                address="",
                prefix_length=0,
                gateway="",
                mtu=network.spec.addressing.mtu,
                switch=end.b_device,
                switch_interface=end.b_interface,
                cable=end.cable,
                routes=[],
            )


def _device_address(network: Plan, slot: int) -> tuple[str, str]:
    """Return the address of a device's management port and its gateway; empty without a pool."""
    given = network.management
    address = given.device(slot) if given else ""
    return address, address_text(given.gateway) if given and address else ""


def network_bonds(ports: Sequence[NetworkPortView]) -> list[NetworkBondView]:
    """Return the bonds that the ports of a device are members of."""
    found: dict[str, list[NetworkPortView]] = {}
    for port in ports:
        if port.bond:
            found.setdefault(port.bond, []).append(port)
    return [
        NetworkBondView(
            name=name,
            mtu=own[0].mtu,
            members=[*{port.interface: port for port in own}.values()],
            addresses=[*{port.network: port for port in reversed(own)}.values()][::-1],
        )
        for name, own in found.items()
    ]


class _LinkEnd(NamedTuple):
    """The device and the switch at the ends of a link, with their ports."""

    device: str
    interface: str
    switch: str
    switch_interface: str
    cable: str

    @classmethod
    def of(cls, links: LinkColumns, row: int) -> Self:
        """Take them from columns."""
        return cls(
            links.lower_device[row],
            links.lower_port[row].interface,
            links.upper_device[row],
            links.upper_port[row].interface,
            links.cables[row],
        )


class BondNumbers:
    """The numbers of the bonds of each device, counted over all networks."""

    def __init__(self) -> None:
        """Begin without bonds."""
        self._known: dict[tuple[str, str, int], int] = {}
        self._count: Counter[str] = Counter()

    def number(self, device: str, network: str, bond: int) -> int:
        """Return the number of a bond on its device, from 0."""
        key = device, network, bond
        if key not in self._known:
            self._known[key] = self._count[device]
            self._count[device] += 1
        return self._known[key]


def _bonded(
    network: Plan,
    member: BondMember,
    end: _LinkEnd,
    numbers: BondNumbers,
    beyond: Sequence[_Beyond],
) -> Iterator[NetworkPortView]:
    """Yield the member of a bond, once for each network that the bond is in."""
    rules, addresses = network.fabric.network, network.addresses
    number = numbers.number(end.device, network.fabric.network_name, member.bond)
    for tenant in rules.tenants if rules else ():
        if tenant.vlan not in member.vlans:
            continue
        routed, subnet = bool(tenant.vrf_vlan), subnet_of(tenant, addresses)
        gateway = address_text(gateway_of(subnet))
        own = address_text(bond_address(subnet, member.slot))
        routes = [
            *(_routes(network, gateway, number, DEFAULT) if tenant.name == DEFAULT else ()),
            *_routes_beyond(beyond, end.device, tenant.name, gateway, number),
        ]
        yield NetworkPortView(
            **end._asdict(),
            network=tenant.name,
            address=own if routed else "",
            prefix_length=prefix_length(subnet) if routed else 0,
            gateway=gateway if routed else "",
            mtu=overlay_mtu(network.spec.addressing.mtu),
            routes=routes if routed else [],
            bond=f"bond{number}",
            vlan=tenant.vlan if len(member.vlans) > 1 else 0,
        )


class _Beyond(NamedTuple):
    """A network that uplinks join with another one: its name, addresses and devices."""

    network: str
    far: str
    prefix: str
    devices: frozenset[str]


def _beyond(network: Plan) -> list[_Beyond]:
    """Return the networks that uplinks join with one."""
    found = []
    for network_name, far, plan in joined_networks(network):
        rules = plan.fabric.network
        devices = frozenset(rules.attached.devices if rules else ())
        found.append(_Beyond(network_name, far, announced(plan, far).prefix, devices))
    return found


def _routes_beyond(
    beyond: Sequence[_Beyond], device: str, name: str, gateway: str, order: int
) -> Iterator[RouteView]:
    """Yield the routes of a port in a network to others in which its device has no port."""
    for each in beyond if name != DEFAULT else ():
        if each.network == name and device not in each.devices:
            why = f"the devices of {each.far}, over uplinks"
            yield RouteView(each.prefix, gateway, "", MAIN_TABLE, FIRST_METRIC + order, why)


def _management_addresses(plan: Plan) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the address and the gateway of the management ports of every switch of a cluster."""
    return {
        (port.switch, port.interface): (
            address_text(port.address),
            address_text(own.management.gateway),
        )
        for own in plan.cluster
        if own.management
        for port in managed_ports(own)
    }


def _length(plan: Plan, network: Plan, address: str) -> int:
    """Return the length of the prefix of a port's address; 0 without one."""
    if not address:
        return 0
    if network.fabric.is_routed:
        return network.addresses.host_length
    return plan.management.subnet.prefixlen if plan.management else 0


def _routes(
    network: Plan, gateway: str, order: int, name: str, own: int | None = None
) -> list[RouteView]:
    """Return the routes by a port, the `order`th of its device, in the network of a name.

    `own` is its address; a port in compute reaches the addresses of its rail.
    """
    if name == DEFAULT:
        reach, why = "0.0.0.0/0", "all that no other route is for: by the first port that works"
    else:
        hosts = network.addresses.hosts
        block = 0 if own is None else (own - hosts.base) // hosts.size
        reach, why = hosts.prefix(block), f"the devices of {name}"
    return [RouteView(reach, gateway, "", MAIN_TABLE, FIRST_METRIC + order, why)]

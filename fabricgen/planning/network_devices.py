"""The devices that have ports on a network: hosts, devices of the inventory, and switches."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import COMPUTE, Role
from fabricgen.inventory.networks import CONSOLE
from fabricgen.planning.lanes import port_lanes
from fabricgen.planning.management_ports import (
    cabled_ports,
    named_interfaces,
)
from fabricgen.planning.naming import spare_leaf_names
from fabricgen.planning.network_uplinks import uplink_ports
from fabricgen.planning.networks.attachments import HOSTS, AttachedDevices
from fabricgen.planning.port_counts import device_ports, host_ports

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.base import PortGroup
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.networks import Network
    from fabricgen.planning.naming import DeviceNames
    from fabricgen.planning.port_layout import PortLayout
    from fabricgen.planning.resolve import ResolvedFabric


class SwitchGroup(NamedTuple):
    """The switches of one role in a network."""

    network: str
    names: tuple[str, ...]
    layout: PortLayout
    spare: bool = False
    """Whether they are spare leaves, which have management ports alone."""

    @property
    def kind(self) -> str:
        """The kind of attached devices that they are."""
        return f"{'spare' if self.spare else self.network} {self.layout.role}"


def spare_group(naming: DeviceNames) -> SwitchGroup:
    """Return the spare leaves of the compute fabric, segment by segment."""
    layout = naming.mapping.fabric.port_layouts[Role.LEAF]
    return SwitchGroup(COMPUTE, tuple(spare_leaf_names(naming)), layout, spare=True)


def switch_groups(naming: DeviceNames, installed: list[bool]) -> list[SwitchGroup]:
    """Return the installed switches of a network by role; `installed` covers a segment."""
    mapping = naming.mapping
    names: dict[Role, list[str]] = {}
    for segment in range(mapping.segments):
        switches = zip(naming.boxes, naming.switches(segment), installed, strict=True)
        for box, name, has in switches:
            if has:
                names.setdefault(box.role, []).append(name)
    return [
        SwitchGroup(mapping.fabric.network_name, tuple(each), mapping.fabric.port_layouts[role])
        for role, each in names.items()
    ]


def attached_devices(
    compute: ResolvedFabric,
    name: str,
    hosts: Sequence[str],
    switches: Sequence[SwitchGroup],
    catalog: Catalog,
) -> Iterator[AttachedDevices]:
    """Yield the devices on a network that have ports there."""
    if name == CONSOLE:
        yield from _consoles(switches)
        return
    networks = compute.spec.networks.every()
    network, host = networks[name], compute.host
    interfaces = named_interfaces(name, host_ports(host, network))
    connector = _connector(host.front if host else None, network)
    on = (name, *network.carried)
    yield AttachedDevices(
        kind=HOSTS, names=hosts, interfaces=interfaces, networks=on, connector=connector
    )
    if network.kind == "access":
        for group in switches:
            if group.network in {COMPUTE, CONSOLE} or networks[group.network].kind == "clos":
                ports = cabled_ports(group.layout, network.switch_ports)
                yield AttachedDevices(
                    kind=group.kind, names=group.names, interfaces=ports, networks=on
                )
    for own in on:
        yield from _devices(compute.spec, network, own, catalog)
    for group in switches:
        lower = networks[group.network] if group.network != COMPUTE else None
        uplink = lower.uplink if lower and group.layout.role is Role.LEAF else None
        if lower and uplink and compute.spec.networks.carrier(uplink.network) == name:
            uplinks = uplink_ports(compute.spec, group.network, group.layout)
            routed, speaks = lower.kind == "clos", group.layout.model.transport
            # a bond of LACP carries the VLAN of the access network, a routed port that of the leaf
            bonded = network.bonding == "lacp" and not routed
            yield AttachedDevices(
                kind=group.kind,
                names=group.names,
                interfaces=tuple(map(group.layout.interface, uplinks)),
                networks=(group.network if bonded else uplink.network,),
                speed_gbps=uplink.speed,
                connector=group.layout.model.form_factor_of(uplinks[0].breakout),
                lanes=port_lanes(group.layout.model, uplinks[0].breakout),
                routed=routed,
                leaves_of=group.network if routed and speaks == "ethernet" else "",
            )


def _consoles(switches: Sequence[SwitchGroup]) -> Iterator[AttachedDevices]:
    """Yield the switches with their console ports; console servers and panels have none there."""
    for group in switches:
        if group.network != CONSOLE and not group.layout.model.passive:
            yield AttachedDevices(
                kind=group.kind, names=group.names, interfaces=(CONSOLE,), networks=(CONSOLE,)
            )


def _devices(
    spec: FabricSpec, network: Network, own: str, catalog: Catalog
) -> Iterator[AttachedDevices]:
    """Yield the devices of an inventory with their ports in one of the networks of switches."""
    for devices in spec.devices:
        ports = device_ports(devices, own, spec.networks, catalog)
        model = catalog.device(devices.model)
        yield AttachedDevices(
            kind=devices.name,
            names=devices.names,
            interfaces=named_interfaces(own, ports.count),
            networks=(own,),
            speed_gbps=ports.gbps,
            breakout=ports.breakout or "",
            connector=_connector(model.front or model.fabric if model else None, network),
            own=True,
            routed=devices.edge,
            bgp=devices.bgp,
        )


def _connector(ports: PortGroup | None, network: Network) -> str:
    """Return the form factor of the ports of a device on a network; empty where it is unknown.

    In a network of kind `access`, twisted pairs have one plug at both of their ends.
    """
    return ports.connector if ports and network.kind == "clos" else ""

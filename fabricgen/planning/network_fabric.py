"""A network as a fabric to plan: its inventory, and the devices on it.

Owns which devices have ports on a network. A network is one more fabric, so everything after this
is the planning of any fabric.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.core.terms import COMPUTE, DEVICES, Design, Role, speed_text
from fabricgen.inventory.networks import Networks, Uplink
from fabricgen.inventory.settings import Nos
from fabricgen.inventory.sizing import HbDomain, NicChoice, Rails, SparePorts
from fabricgen.planning.naming import spare_leaf_names
from fabricgen.planning.network_conflicts import host_ports
from fabricgen.planning.networks.addressing import network_addressing
from fabricgen.planning.networks.attachments import (
    HOSTS,
    AttachedDevices,
    Attachments,
    ports_of,
)
from fabricgen.planning.networks.rules import NetworkRules, ReservedSize, ServedPorts
from fabricgen.planning.networks.tenants import tenants_of
from fabricgen.planning.resolve import resolve
from fabricgen.planning.switch_choice import DEFAULT_SPEED_GBPS, stated_speed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.base import PortGroup
    from fabricgen.catalog.models.switch import Breakout
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.networks import Leaves, Network
    from fabricgen.planning.baseline.kept_bonds import KeptBonds
    from fabricgen.planning.naming import DeviceNames
    from fabricgen.planning.port_layout import PortLayout
    from fabricgen.planning.resolve import ResolvedFabric

_OF_NETWORK = ("switches", "oversubscription", "addressing")
"""The keys that a network has as the whole inventory does."""


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


def network_fabric(
    compute: ResolvedFabric,
    name: str,
    hosts: Sequence[str],
    switches: Sequence[SwitchGroup],
    catalog: Catalog,
    kept: KeptBonds | None = None,
    reserved: ReservedSize | None = None,
) -> ResolvedFabric:
    """Return a network of an inventory as a fabric.

    `hosts` are the names of the compute hosts, `switches` those of all networks. `kept` applies to
    the devices that it was made for. Raises Refusal, with places in the network's entry.
    """
    spec = compute.spec
    network = spec.networks.each()[name]
    devices = [*_attached(compute, name, hosts, switches, catalog)]
    bond = network.bond or 1
    try:
        fabric = resolve(_network_spec(spec, name, bond, ports_of(devices)), catalog)
    except Refusal as refusal:
        raise placed(refusal, name) from None
    leaf = _without_uplinks(spec, name, fabric.port_layouts[Role.LEAF])
    modes = modes_of(name, leaf, devices)
    speeds = (leaf.down.speed_gbps, *(mode.speed_gbps for mode in modes))
    groups = _served(network, devices, speeds, compute)
    every = chain.from_iterable(own for _, by_speed in groups for own in by_speed)
    return replace(
        fabric,
        port_layouts={**fabric.port_layouts, Role.LEAF: leaf},
        network=NetworkRules(
            name=name,
            attached=Attachments(tuple(every), bond),
            served=tuple(ServedPorts(tuple(map(ports_of, own)), keys) for keys, own in groups),
            joined=network.kind == "clos",
            modes=modes,
            vlan=0 if network.kind == "clos" else (network.vlan or 0),
            tenants=tenants_of(spec.networks, name),
            uplinks=_bonded_uplinks(spec, name, fabric.port_layouts[Role.LEAF]),
            peer_links=network.peer_links or 0,
            lossless=bool(network.lossless),
            kept=kept,
            reserved=reserved,
        ),
    )


def _served(
    network: Network,
    attached: list[AttachedDevices],
    speeds: tuple[int, ...],
    compute: ResolvedFabric,
) -> list[tuple[Leaves, list[list[AttachedDevices]]]]:
    """Return the devices of each group of leaves by speed, those of the network first."""
    own = {name: group for group in network.leaf_groups for name in group.devices}
    apart = [each for each in attached if network.per == "domain" and each.kind == HOSTS]
    groups: list[tuple[Leaves, list[AttachedDevices]]] = [
        (keys, [each for each in attached if own.get(each.kind, network) is keys])
        for keys in (network, *network.leaf_groups)
    ]
    if apart:
        groups[0] = network, [each for each in groups[0][1] if each.kind != HOSTS]
        keys = network.model_copy(update={"leaves": None})
        groups += [(keys, [domain]) for hosts in apart for domain in _by_domain(hosts, compute)]
    return [
        (
            keys,
            [[each for each in own if (each.speed_gbps or speeds[0]) == gbps] for gbps in speeds],
        )
        for keys, own in groups
        if ports_of(own)
    ]


def _by_domain(hosts: AttachedDevices, compute: ResolvedFabric) -> list[AttachedDevices]:
    """Divide attached hosts by HB domain."""
    domains: dict[int, list[str]] = {}
    for host, name in enumerate(hosts.names):
        domains.setdefault(compute.coordinates.domain_of_host(host), []).append(name)
    return [hosts._replace(names=names) for names in domains.values()]


def modes_of(name: str, leaf: PortLayout, attached: list[AttachedDevices]) -> tuple[Breakout, ...]:
    """Return the breakouts of the leaf for devices of another speed than the network's.

    The fastest comes first. Raises Refusal `no-port-speed` where no cage has one of the speeds.
    """
    stated = {each.speed_gbps for each in attached if each.speed_gbps and ports_of([each])}
    speeds = stated - {leaf.down.speed_gbps}
    found = []
    for speed in sorted(speeds, reverse=True):
        mode = leaf.model.mode_at(speed)
        if mode is None:
            devices = next(each for each in attached if each.speed_gbps == speed)
            raise _no_port_speed(name, leaf, devices)
        found.append(mode)
    return tuple(found)


def _no_port_speed(name: str, leaf: PortLayout, devices: AttachedDevices) -> Refusal:
    """Return the refusal of devices whose speed no port of the leaf has."""
    speed = speed_text(devices.speed_gbps or 0)
    offered = ", ".join(mode.name for mode in leaf.model.breakouts)
    return refuse(
        "no-port-speed",
        f"no leaf of the network `{name}` has ports of {speed} for `{devices.kind}`",
        path=("devices",) if name == DEVICES else ("networks", name, "switches", "leaf"),
        because=(f"the cages of {leaf.model.model} offer {offered}",),
        hint="choose a leaf that has them, or another `speed` for these ports",
    )


def _network_spec(spec: FabricSpec, name: str, bond: int, ports: int) -> FabricSpec:
    """Return the inventory of a network: a rail for each member of a bond."""
    network = spec.networks.each()[name]
    scope = name if network.kind == "access" else f"{name}-leaf"
    return type(spec).model_construct(
        name=f"{spec.name}-{name}",
        design=Design.RAIL_OPTIMIZED,
        gpus=ports,
        hb_domain=HbDomain.model_construct(gpus=bond, hosts=1),
        nic=NicChoice.model_construct(speed=network.speed),
        rails=Rails.model_construct(count=bond, tiers="auto" if network.kind == "clos" else 1),
        switches=network.switches,
        oversubscription=network.oversubscription,
        networks=Networks.model_construct(),
        addressing=network_addressing(spec.addressing, name, network),
        nos=Nos.model_construct(leaf=network.nos, versions=spec.nos.versions),
        roce=spec.roce,
        management=spec.management,
        vars=spec.vars,
        overrides=spec.overrides,
        naming=spec.naming.model_copy(
            update={
                "leaf": f"{scope}-{{n}}",
                "spine": f"{name}-spine-{{n}}",
                "core": f"{name}-core-{{n}}",
            }
        ),
        spare_ports=SparePorts.model_construct(),
        site=spec.site,
        cabling=spec.cabling if spec.cabling and name in spec.cabling.networks else None,
        prices=spec.prices,
        spares=spec.spares,
    )


def _attached(
    compute: ResolvedFabric,
    name: str,
    hosts: Sequence[str],
    switches: Sequence[SwitchGroup],
    catalog: Catalog,
) -> Iterator[AttachedDevices]:
    """Yield the devices on a network that have ports there."""
    networks = compute.spec.networks.each()
    network, host = networks[name], compute.host
    interfaces = named_interfaces(name, host_ports(host, network))
    connector = _connector(host.front if host else None, network)
    on = (name, *network.carries)
    yield AttachedDevices(
        kind=HOSTS, names=hosts, interfaces=interfaces, networks=on, connector=connector
    )
    if network.kind == "access":
        for group in switches:
            if group.network == COMPUTE or networks[group.network].kind == "clos":
                ports = _management_ports(group.layout)
                yield AttachedDevices(
                    kind=group.kind, names=group.names, interfaces=ports, networks=on
                )
    for own in on:
        yield from _devices(compute.spec, network, own, catalog)
    for group in switches:
        uplink = networks[group.network].uplink if group.network != COMPUTE else None
        if uplink and compute.spec.networks.carrier(uplink.network) == name:
            layout = _uplink_layout(compute.spec, group.network, group.layout)
            uplinks = tuple(layout.interface(port) for port in layout.ports(0, uplink.ports))
            connector = layout.model.form_factor_of(layout.up)
            # a bond of LACP carries the VLAN of the access network, a routed port that of the leaf
            joined = (group.network if network.bonding == "lacp" else uplink.network,)
            yield AttachedDevices(
                kind=group.kind,
                names=group.names,
                interfaces=uplinks,
                networks=joined,
                speed_gbps=uplink.speed,
                connector=connector,
            )


def _devices(
    spec: FabricSpec, network: Network, own: str, catalog: Catalog
) -> Iterator[AttachedDevices]:
    """Yield the devices of an inventory with their ports in one of the networks of switches."""
    for devices in spec.devices:
        ports = devices.ports.of(own)
        model = catalog.device(devices.model)
        yield AttachedDevices(
            kind=devices.name,
            names=devices.names,
            interfaces=named_interfaces(own, ports.count),
            networks=(own,),
            speed_gbps=ports.speed,
            connector=_connector(model.front or model.fabric if model else None, network),
            own=True,
            edge=devices.edge,
            bgp=devices.bgp,
        )


def _management_ports(layout: PortLayout) -> tuple[str, ...]:
    """Return the management ports of a switch; one where the catalog does not have them."""
    facts = layout.model.management
    count = facts.count if facts else 1
    return ("mgmt",) if count == 1 else named_interfaces("mgmt", count)


def _connector(ports: PortGroup | None, network: Network) -> str:
    """Return the form factor of the ports of a device on a network; empty where it is unknown.

    In a network of kind `access`, twisted pairs have one plug at both of their ends.
    """
    return ports.connector if ports and network.kind == "clos" else ""


def _without_uplinks(spec: FabricSpec, name: str, layout: PortLayout) -> PortLayout:
    """Return the layout of a network's leaf, whose uplinks into another network stay free."""
    uplink = spec.networks.each()[name].uplink
    if uplink is None:
        return layout
    above = _uplink_layout(spec, name, layout)
    down = max(down for down in range(layout.usable + 1) if above.fits(down, uplink.ports))
    return replace(layout, spare=layout.usable - down)


def _bonded_uplinks(spec: FabricSpec, name: str, layout: PortLayout) -> tuple[str, ...]:
    """Return the uplinks of a switch of a network that are a bond of LACP."""
    networks = spec.networks.each()
    uplink = networks[name].uplink
    if uplink is None or networks[spec.networks.carrier(uplink.network)].bonding != "lacp":
        return ()
    above = _uplink_layout(spec, name, layout)
    return tuple(above.interface(port) for port in above.ports(0, uplink.ports))


def _uplink_layout(spec: FabricSpec, name: str, layout: PortLayout) -> PortLayout:
    """Return a layout with the cages of its uplinks as the network above has them.

    Raises Refusal `no-uplink-speed` where no cage has their speed.
    """
    networks = spec.networks.each()
    uplink = networks[name].uplink or Uplink.model_construct()
    upper = networks[spec.networks.carrier(uplink.network)]
    speed = uplink.speed or upper.speed or stated_speed(upper.switches.leaf) or DEFAULT_SPEED_GBPS
    modes = [mode for mode in layout.model.breakouts if mode.speed_gbps == speed]
    for mode in sorted(modes, key=lambda each: each.count):
        above = replace(layout, up=mode, spare=0)
        if above.fits(1, uplink.ports):
            return above
    offered = ", ".join(mode.name for mode in layout.model.breakouts)
    raise refuse(
        "no-uplink-speed",
        f"a switch of the network `{name}` has no {uplink.ports} ports of {speed_text(speed)} for"
        " its uplinks",
        path=("networks", name, "uplink"),
        because=(f"the cages of {layout.model.model} offer {offered}",),
        hint="choose a model that has them, or leave `uplink` out",
    )


def named_interfaces(prefix: str, ports: int) -> tuple[str, ...]:
    """Name the interfaces of a device on a network."""
    return tuple(f"{prefix}{number}" for number in range(ports))


def placed(refusal: Refusal, name: str) -> Refusal:
    """Return a refusal of a network's inventory with the places that its keys have."""
    return Refusal(
        replace(finding, path=("networks", name, *finding.path))
        if finding.path and finding.path[0] in _OF_NETWORK
        else replace(finding, path=("networks", name))
        for finding in refusal.findings
    )

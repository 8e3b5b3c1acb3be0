"""A network as a fabric to plan: its inventory, and the rules of its leaves.

A network is one more fabric, so everything after this is the planning of any fabric.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from fabricgen.catalog.models.base import ANY_LANES
from fabricgen.core.diagnostics import Refusal, nearest, refuse
from fabricgen.core.terms import DEVICES, Design, Role, speed_text
from fabricgen.inventory.networks import CONSOLE, Networks
from fabricgen.inventory.settings import Nos
from fabricgen.inventory.sizing import HbDomain, NicChoice, Rails, SparePorts
from fabricgen.planning.management_ports import most_cabled
from fabricgen.planning.network_devices import attached_devices
from fabricgen.planning.network_uplinks import bonded_uplinks, without_uplinks
from fabricgen.planning.networks.addressing import network_addressing
from fabricgen.planning.networks.attachments import (
    HOSTS,
    AttachedDevices,
    Attachments,
    CageSplit,
    ports_of,
    split_of,
)
from fabricgen.planning.networks.rules import (
    DeviceBonds,
    NetworkRules,
    ReservedSize,
    ServedPorts,
)
from fabricgen.planning.networks.tenants import tenants_of
from fabricgen.planning.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.networks import Leaves, Network
    from fabricgen.planning.baseline.kept_bonds import KeptBonds
    from fabricgen.planning.lanes import Lanes
    from fabricgen.planning.network_devices import SwitchGroup
    from fabricgen.planning.port_layout import PortLayout
    from fabricgen.planning.resolve import ResolvedFabric

_OF_NETWORK = ("switches", "oversubscription", "addressing")
"""The keys that a network has as the whole inventory does."""


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
    devices = [*attached_devices(compute, name, hosts, switches, catalog)]
    if not ports_of(devices):
        raise _without_ports(name)
    bond = network.bond or 1
    try:
        network_spec = _network_spec(spec, name, bond, ports_of(devices))
        fabric = resolve(network_spec, catalog, partial(_lanes, devices))
    except Refusal as refusal:
        raise placed(refusal, name) from None
    leaf = without_uplinks(spec, name, fabric.port_layouts[Role.LEAF])
    devices = [each.on(leaf, catalog) for each in devices]
    splits = splits_of(spec, name, leaf, devices)
    groups = _served(network, devices, leaf, splits, compute)
    every = chain.from_iterable(own for _, by_split in groups for own in by_split)
    return replace(
        fabric,
        port_layouts={**fabric.port_layouts, Role.LEAF: leaf},
        network=NetworkRules(
            name=name,
            attached=Attachments(tuple(every), bond),
            served=tuple(served_in(network, own, keys) for keys, own in groups),
            joined=network.kind == "clos",
            splits=splits,
            together=(1, *(split.mode.count if split.stated else 1 for split in splits)),
            vlan=0 if network.kind == "clos" else (network.vlan or 0),
            tenants=tenants_of(spec.networks, name),
            managed_ports=most_cabled(spec.networks, name),
            uplinks=bonded_uplinks(spec, name, fabric.port_layouts[Role.LEAF]),
            peer_links=network.peer_links or 0,
            lossless=bool(network.lossless),
            kept=kept,
            reserved=reserved,
        ),
    )


def _lanes(devices: Sequence[AttachedDevices], speed_gbps: int) -> Lanes:
    """Return the lanes that the devices of a network have in common; else those of the first."""
    own = [
        each.lanes_at(speed_gbps)
        for each in devices
        if not each.breakout and each.speed_gbps in {None, speed_gbps}
    ]
    return (own[0].intersection(*own) or own[0]) if own else ANY_LANES


def _without_ports(name: str) -> Refusal:
    """Return the refusal of a network that nothing is on."""
    return refuse(
        "unknown-network",
        f"nothing has a port in the network `{name}`",
        path=("networks", name),
        because=("hosts, devices and the switches of other networks have none there",),
        hint="give `host_ports` or `switch_ports`, or leave the network out",
    )


def _served(
    network: Network,
    attached: list[AttachedDevices],
    leaf: PortLayout,
    splits: tuple[CageSplit, ...],
    compute: ResolvedFabric,
) -> list[tuple[Leaves, list[list[AttachedDevices]]]]:
    """Return the devices of each group of leaves by split, that of the network first."""
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
            [
                [each for each in own if split_of(each, leaf) == split]
                for split in (CageSplit(leaf.down), *splits)
            ],
        )
        for keys, own in groups
        if ports_of(own)
    ]


def served_in(network: Network, by_split: list[list[AttachedDevices]], keys: Leaves) -> ServedPorts:
    """Return the ports of devices that share leaves."""
    ports, bond = tuple(map(ports_of, by_split)), network.bond or 1
    if network.distribution == "consecutive":
        return ServedPorts(ports, keys)
    kinds = (
        tuple(DeviceBonds(len(own.names), len(own.interfaces) // bond) for own in devices)
        for devices in by_split
    )
    return ServedPorts(ports, keys, tuple(kinds))


def _by_domain(hosts: AttachedDevices, compute: ResolvedFabric) -> list[AttachedDevices]:
    """Divide attached hosts by HB domain."""
    domains: dict[int, list[str]] = {}
    for host, name in enumerate(hosts.names):
        domains.setdefault(compute.coordinates.domain_of_host(host), []).append(name)
    return [hosts._replace(names=names) for names in domains.values()]


def splits_of(
    spec: FabricSpec, name: str, leaf: PortLayout, attached: list[AttachedDevices]
) -> tuple[CageSplit, ...]:
    """Return the splits of the leaf's cages for devices that do not share those of the network.

    The fastest comes first. Raises Refusal `unknown-breakout` or `no-port-speed` where no cage has
    one of them.
    """
    found = set()
    for devices in attached:
        if ports_of([devices]):
            split = split_of(devices, leaf)
            if split is None:
                raise (
                    _unknown_breakout(spec, leaf, devices)
                    if devices.breakout
                    else _no_port_speed(name, leaf, devices)
                )
            found.add(split)
    others = found - {CageSplit(leaf.down)}
    return tuple(
        sorted(others, key=lambda each: (-each.mode.speed_gbps, -each.mode.count, *each[1:]))
    )


def one_speed(name: str, leaf: PortLayout, asked: str) -> Refusal:
    """Return the refusal of ports of a network on compute leaves that its cages do not have.

    `asked` is their speed or their breakout.
    """
    offered = ", ".join(mode.name for mode in leaf.model.breakouts)
    return refuse(
        "bad-convergence",
        f"the network `{name}` has no ports of {asked} on leaves of the compute fabric",
        path=("networks", name, "speed"),
        because=(f"its cages have one breakout; those of {leaf.model.model} offer {offered}",),
        hint="give all its ports a `speed` that they offer, or the network `switches` of its own",
    )


def _unknown_breakout(spec: FabricSpec, leaf: PortLayout, devices: AttachedDevices) -> Refusal:
    """Return the refusal of a breakout that the cages of the leaf do not have."""
    at = [each.name for each in spec.devices].index(devices.kind)
    own = "compute" if devices.networks == (DEVICES,) else devices.networks[0]
    names = [mode.name for mode in leaf.model.breakouts]
    alike = leaf.model.mode_at(devices.speed_gbps or 0)
    near = alike.name if alike else nearest(devices.breakout, names)
    return refuse(
        "unknown-breakout",
        f"a cage of {leaf.model.model} cannot be split {devices.breakout}",
        path=("devices", at, "ports", own, "breakout"),
        because=(f"a cage of {leaf.model.model} offers {', '.join(names)}",),
        hint=f"use `breakout: {near or names[-1]}`",
    )


def _no_port_speed(name: str, leaf: PortLayout, devices: AttachedDevices) -> Refusal:
    """Return the refusal of devices whose speed no port of the leaf has."""
    speed = speed_text(devices.speed_gbps or 0)
    offered = ", ".join(mode.name for mode in leaf.model.breakouts)
    fabric = "compute fabric" if name == DEVICES else f"network `{name}`"
    return refuse(
        "no-port-speed",
        f"no leaf of the {fabric} has ports of {speed} for `{devices.kind}`",
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
        nic=NicChoice.model_construct(speed=0 if name == CONSOLE else network.speed),
        rails=Rails.model_construct(count=bond, tiers="auto" if network.kind == "clos" else 1),
        switches=network.switches,
        oversubscription=network.oversubscription,
        leaf_ports=spec.leaf_rule,
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


def placed(refusal: Refusal, name: str) -> Refusal:
    """Return a refusal of a network's inventory with the places that its keys have."""
    return Refusal(
        replace(finding, path=("networks", name, *finding.path))
        if finding.path and finding.path[0] in _OF_NETWORK
        else replace(finding, path=("networks", name))
        for finding in refusal.findings
    )

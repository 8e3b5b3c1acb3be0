"""What the laws of a whole cluster examine: the links of the networks beside the compute fabric.

Owns `ClusterEvidence`, in which a device and an interface have one number in all networks. It
judges nothing; any field can be replaced by a broken one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import COMPUTE, PEERS, UPLINKS, LinkKind, Role
from fabricgen.inventory.networks import CONSOLE
from fabricgen.planning.fabric_links import wiring_of
from fabricgen.planning.naming import spare_leaf_names
from fabricgen.planning.network_edges import leaf_links
from fabricgen.planning.port_counts import device_ports, host_ports
from fabricgen.planning.power_cords import plan_power
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fabricgen.core.arrays import BoolArray, IntArray
    from fabricgen.inventory.networks import Network
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import PortLayout
    from fabricgen.planning.power_cords import PowerPlan
    from fabricgen.views.switches.view import OverlayView, SwitchView


NO_DOMAIN = -1
"""The HB domain of a device that is no host."""


class NetworkLinks(NamedTuple):
    """The links of a network as columns of devices and of ports; a port has the number of its name.

    The lower end is a device on the network, or a switch below another.
    """

    lower: IntArray
    lower_port: IntArray
    upper: IntArray
    upper_port: IntArray
    bond: IntArray
    """The bond of which a link is a member; -1 between switches."""

    @property
    def attached(self) -> BoolArray:
        """Whether each link leads to a device on the network."""
        found: BoolArray = self.bond >= 0
        return found

    @property
    def ports(self) -> PortsInUse:
        """The ports at both ends."""
        device = np.concatenate([self.lower, self.upper])
        return PortsInUse(device, np.concatenate([self.lower_port, self.upper_port]))


class PortsInUse(NamedTuple):
    """Ports in use, as the device and the name of each."""

    device: IntArray
    port: IntArray

    def where(self, kept: BoolArray) -> PortsInUse:
        """Return some of the ports."""
        return PortsInUse(self.device[kept], self.port[kept])

    @property
    def pairs(self) -> set[tuple[int, int]]:
        """The device and the name of each."""
        return {*zip(self.device.tolist(), self.port.tolist(), strict=True)}


class SpineReserve(NamedTuple):
    """The leaves of a network with all devices of the reserve, and the ports of a spine."""

    leaves: int
    ports: int


@dataclass(frozen=True, kw_only=True)
class ClusterEvidence:
    """The networks of a plan, and the ports that they must not share."""

    plan: Plan
    devices: list[str]
    """The names of all devices, by their number."""
    interfaces: list[str]
    """The names of ports, by their number."""
    compute: PortsInUse
    """The ports that the compute fabric uses."""
    links: dict[str, NetworkLinks]
    """The links of each network with switches, or on those of compute."""
    peers: NetworkLinks | None
    """The links between the devices of pairs; None without any."""
    managed: IntArray
    """How many management ports each device has; none where no network is of kind `access`."""
    domains: IntArray
    """The HB domain of each device; `NO_DOMAIN` of one that is no host."""
    consoles: IntArray
    """How many console ports each device has: one of each switch but console servers."""
    overlays: dict[str, dict[str, OverlayView]]
    """The overlay of each leaf of the networks whose devices have bonds of LACP."""
    joined: list[SwitchView]
    """The leaves with uplinks between two networks whose leaves route."""
    power: PowerPlan | None
    """The PDUs and the cords of all devices; None where no PDU is known."""
    reserves: dict[str, SpineReserve]
    """The reserve of each network of leaves and spines; three tiers grow by whole pods."""

    def members(self, network: str) -> int:
        """Return the members of a bond in a network."""
        return self.plan.networks[network].fabric.domain_gpus

    def by_domain(self, network: str) -> bool:
        """Return whether each HB domain has leaves of its own in a network."""
        asked = self.plan.spec.networks.each().get(network)
        return asked is not None and asked.per == "domain"

    def joined_outside(self, network: str) -> bool:
        """Return whether no link of a network joins its switches: an access one, or on compute."""
        rules = self.plan.networks[network].fabric.network
        if rules and rules.shared:
            return not rules.peer_links
        return rules is not None and not rules.joined

    def uplink(self, network: str) -> str | None:
        """Return the network that joins the switches of an access network, if there is one.

        Leaves that route are joined by their own links.
        """
        asked = self.plan.spec.networks.each().get(network)
        uplink = asked.uplink if asked and asked.kind == "access" else None
        if uplink and uplink.network == COMPUTE:
            return UPLINKS
        return self.plan.spec.networks.carrier(uplink.network) if uplink else None

    def port(self, device: int, port: int) -> str:
        """Return the name of a port with its device."""
        return f"{self.devices[device]} {self.interfaces[port]}"


class _Numbers:
    """Numbers for names, from 0, in the order in which they are first asked for."""

    def __init__(self) -> None:
        self.of: dict[str, int] = {}

    def __call__(self, names: Iterable[str]) -> IntArray:
        """Return the numbers of names."""
        return np.array([self.of.setdefault(name, len(self.of)) for name in names], dtype=np.int64)


def cluster_evidence(
    plan: Plan, power: Callable[[Plan], PowerPlan | None] | None = None
) -> ClusterEvidence:
    """Collect the evidence about the networks of a plan.

    `power` plans the power cords where the caller keeps them.
    """
    devices, interfaces = _Numbers(), _Numbers()
    compute = _compute_ports(plan, devices, interfaces)
    links = {
        name: _network_links(network, devices, interfaces)
        for name, network in plan.networks.items()
        if name != PEERS
    }
    paired = plan.networks.get(PEERS)
    peers = _peer_links(paired, devices, interfaces) if paired else None
    managed = np.zeros(len(devices.of), dtype=np.int64)
    for names, ports in _managed(plan):
        known = [devices.of[name] for name in names if name in devices.of]
        managed[known] = ports
    domains = np.full(len(devices.of), NO_DOMAIN, dtype=np.int64)
    domains[devices(plan.hosts)] = plan.fabric.coordinates.domain_of_host(
        np.arange(len(plan.hosts))
    )
    return ClusterEvidence(
        plan=plan,
        devices=[*devices.of],
        interfaces=[*interfaces.of],
        compute=compute,
        links=links,
        peers=peers,
        managed=managed,
        domains=domains,
        consoles=np.isin(np.array([*devices.of]), [*_with_console(plan)]).astype(np.int64),
        overlays={
            name: _overlays(own) for name, own in plan.networks.items() if own.fabric.has_bonds
        },
        joined=[view for own in plan.networks.values() for view in _joined(own)],
        power=(power or plan_power)(plan),
        reserves=dict(_reserves(plan)),
    )


def _reserves(plan: Plan) -> Iterator[tuple[str, SpineReserve]]:
    """Yield the reserve of each network of leaves and spines."""
    for name, network in plan.networks.items():
        rules = network.fabric.network
        if rules and rules.reserved and network.roles == [Role.LEAF, Role.SPINE]:
            ports = network.fabric.port_layouts[Role.SPINE].usable
            yield name, SpineReserve(rules.reserved.leaves, ports)


def _overlays(network: Plan) -> dict[str, OverlayView]:
    """Return the overlay of each leaf of a network."""
    leaves = Views(network).switches(0, (Role.LEAF,))
    return {leaf.name: leaf.overlay for leaf in leaves if leaf.overlay}


def _joined(network: Plan) -> Iterator[SwitchView]:
    """Yield the leaves of a network with uplinks to another one, or from it."""
    leaves = leaf_links(network) if network.below else None
    if network.above or leaves:
        yield from Views(network).switches(0, (Role.LEAF,), None if network.above else leaves)


def _compute_ports(plan: Plan, devices: _Numbers, interfaces: _Numbers) -> PortsInUse:
    """Return the NIC ports of all hosts, and the ports of all switches that have a link."""
    fabric, gpus = plan.fabric, np.arange(plan.fabric.gpus)
    hosts = devices(plan.hosts)[fabric.coordinates.host(gpus)]
    columns, links = [], _switch_ends(plan)
    for plane in range(fabric.planes):
        nics = interfaces(fabric.interface(slot, plane) for slot in range(fabric.interface_count))
        columns.append((hosts, nics[fabric.interface_index(gpus)]))
    for segment in range(plan.mapping.segments):
        ports = {role: interfaces(names) for role, names in plan.interfaces(segment).items()}
        switches = devices(plan.naming.switches(segment))
        for role, ends in links.items():
            columns.append((switches[ends[0]], ports[role][ends[1]]))
    device, port = zip(*columns, strict=True)
    return PortsInUse(np.concatenate(device), np.concatenate(port))


def _switch_ends(plan: Plan) -> dict[Role, IntArray]:
    """Return the switch and the port of each end of a segment's links, by the role of switch."""
    links, found = plan.segment, {}
    for role in plan.roles:
        above = np.isin(links.kind, [kind for kind in plan.kinds if kind.role("upper") is role])
        below = np.isin(links.kind, [kind for kind in plan.kinds if kind.role("lower") is role])
        switch = np.concatenate([links.upper[above], links.lower[below]])
        port = np.concatenate([links.upper_port[above], links.lower_port[below]])
        found[role] = np.stack([switch, port])
    return found


def _network_links(network: Plan, devices: _Numbers, interfaces: _Numbers) -> NetworkLinks:
    """Return the links of a network."""
    rules, wiring = network.fabric.network, wiring_of(network)
    assert rules, "a network has its rules"  # noqa: S101 - every plan in `Plan.networks` is one
    switches = devices(network.naming.switches(0))
    roles = [box.role for box in network.naming.boxes]
    ports = {role: interfaces(names) for role, names in network.interfaces(0).items()}
    own, names = devices(rules.attached.devices), interfaces(rules.attached.interfaces)
    attached = wiring.kind == LinkKind.HOST
    bond = np.where(attached, wiring.lower // rules.attached.bond, -1)
    lower, lower_port = np.empty(len(bond), np.int64), np.empty(len(bond), np.int64)
    lower[attached] = own[bond[attached]]
    lower_port[attached] = names[rules.attached.interface_index(wiring.lower[attached])]
    upper_port = np.empty(len(bond), np.int64)
    for role, numbers in ports.items():
        of_role = np.array([each is role for each in roles])
        above = of_role[wiring.upper]
        upper_port[above] = numbers[wiring.upper_port[above]]
        below = ~attached & of_role[np.where(attached, 0, wiring.lower)]
        lower[below] = switches[wiring.lower[below]]
        lower_port[below] = numbers[wiring.lower_port[below]]
    return NetworkLinks(lower, lower_port, switches[wiring.upper], upper_port, bond)


def _peer_links(network: Plan, devices: _Numbers, interfaces: _Numbers) -> NetworkLinks:
    """Return the links between the devices of pairs."""
    rules, wiring = network.fabric.network, wiring_of(network)
    assert rules, "a network has its rules"  # noqa: S101 - every plan in `Plan.networks` is one
    own, names = devices(rules.attached.devices), interfaces(rules.attached.interfaces)
    index = rules.attached.interface_index
    return NetworkLinks(
        own[wiring.lower],
        names[index(wiring.lower)],
        own[wiring.upper],
        names[index(wiring.upper)],
        np.full(len(wiring.kind), -1),
    )


def _managed(plan: Plan) -> Iterator[tuple[Iterable[str], int]]:
    """Yield the management ports of all devices, by the inventory and the catalog alone."""
    networks = plan.spec.networks.each()
    name = plan.spec.networks.management
    if name is None:
        return
    yield plan.hosts, host_ports(plan.fabric.host, networks[name])
    for group in plan.spec.devices:
        yield group.names, device_ports(group, name, plan.spec.networks, plan.catalog).count
    leaf = plan.fabric.port_layouts[Role.LEAF]
    yield spare_leaf_names(plan.naming), _switch_ports(leaf, networks[name])
    for other, fabric in {COMPUTE: plan, **plan.networks}.items():
        if other not in networks or other == CONSOLE or networks[other].kind == "clos":
            for role in fabric.roles:
                switches = zip(fabric.switches(), _roles(fabric), strict=True)
                yield (
                    [switch for switch, own in switches if own is role],
                    _switch_ports(fabric.fabric.port_layouts[role], networks[name]),
                )


def _with_console(plan: Plan) -> Iterator[str]:
    """Yield the switches that console servers have a cable to."""
    layouts = plan.fabric.port_layouts
    if not layouts[Role.LEAF].model.passive:
        yield from spare_leaf_names(plan.naming)
        yield from plan.switches()
    for name, fabric in plan.networks.items():
        if name != CONSOLE:
            yield from fabric.switches()


def _switch_ports(layout: PortLayout, network: Network) -> int:
    """Return the management ports of a switch that a network has cables to."""
    facts, asked = layout.model.management, network.switch_ports
    has = facts.count if facts else int(not layout.model.passive)
    return has if asked is None else min(asked, has)


def _roles(plan: Plan) -> list[Role]:
    """Return the role of each installed switch, in the order of `Plan.switches`."""
    boxes = zip(plan.naming.boxes, plan.installed, strict=True)
    return [box.role for box, has in boxes if has] * plan.mapping.segments

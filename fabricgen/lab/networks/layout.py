"""The contents of a lab of several networks: hosts and devices, and the switches that serve them.

Each network is a part with the layout of any fabric. A host or device is one node with its ports in
all networks of leaves and spines; each of its management ports is a node of its own, as a BMC is.
The GPUs of the compute fabric are nodes as in every lab.
"""

from __future__ import annotations

from collections import ChainMap
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Network
from itertools import chain, product
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.build.selection import BuildScope
from fabricgen.core.terms import PEERS
from fabricgen.lab.management.emitted import PORT
from fabricgen.lab.topology import OPERATOR, ROUTER, LabLayout, Size, Wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabricgen.core.terms import Family
    from fabricgen.lab.booted_part import LabSwitch

SITE = "site"
"""The interface of an access switch towards the site, which joins all access switches."""


@dataclass(frozen=True)
class NetworkLayout(LabLayout):
    """The part of a network that a lab boots: the bonds of some devices and what joins them."""

    managed: Mapping[str, str] = field(default_factory=dict)
    """The nodes of the management ports of switches, by switch; for access networks."""

    @property
    def name(self) -> str:
        """The name of the network."""
        return self.plan.fabric.network_name

    def _port(self, gpu: int, plane: int) -> tuple[str, str]:
        """Return the device of a port and its interface; a management port is its own node."""
        fabric, rules = self.plan.fabric, self.plan.fabric.network
        assert rules is not None  # noqa: S101 - the plan is that of a network
        device = rules.attached.devices[fabric.coordinates.domain(gpu)]
        index = fabric.interface_index(gpu)
        interface = fabric.interface(index, plane)
        if rules.joined:
            return device, interface
        if device in self.managed and interface in FIRST_PORTS:
            return self.managed[device], PORT
        return f"{device}:{interface}", interface

    @cached_property
    def wires(self) -> list[Wire]:
        """The cables of the network."""
        return [*self._cables()]

    @cached_property
    def owners(self) -> dict[str, str]:
        """The device of each node on this network: itself, or that of a management port.

        Leaves of another network are none, although they have ports here.
        """
        fabric, rules = self.plan.fabric, self.plan.fabric.network
        assert rules is not None  # noqa: S101 - the plan is that of a network
        devices, domain = rules.attached.devices, fabric.coordinates.domain
        leaves = {name for below in self.plan.below for name in below.switches()}
        found = {self._port(gpu, 0)[0]: devices[domain(gpu)] for gpu in self.gpus}
        return {node: device for node, device in found.items() if device not in leaves}

    @cached_property
    def prefixes(self) -> list[str]:
        """The addresses that the hosts and switches of the network have."""
        return [str(space) for space in address_space(self)]

    @cached_property
    def device_ports(self) -> dict[str, list[Wire]]:
        """The ports of each device, in order."""
        found: dict[str, list[Wire]] = {name: [] for name in self.owners}
        for wire in self.wires:
            if wire.a in found:
                found[wire.a].append(wire)
        return found

    @cached_property
    def pairs(self) -> list[tuple[Wire, Wire]]:
        """The ordered pairs of ports of different devices."""
        ports = [*chain.from_iterable(self.device_ports.values())]
        return [(near, far) for near, far in product(ports, ports) if near.a != far.a]

    @property
    def port_count(self) -> int:
        """The number of booted ports of devices."""
        return len(self.gpus)

    @cached_property
    def compute_boxes(self) -> list[tuple[int, int]]:
        """The segments and boxes of the compute switches that it is on; none with its own."""
        return []

    @property
    def apart(self) -> bool:
        """Whether a device loses a part of its network with a port, as on rails that never meet."""
        return False

    def block(self, _wire: Wire) -> tuple[int, int]:
        """Return the part of the network that a port is in, beyond which it reaches nothing."""
        return 0, 0

    def reach(self, _wire: Wire) -> list[str]:
        """Return the addresses that a device reaches by a port."""
        return self.prefixes


FIRST_PORTS = ("mgmt", "mgmt0")
"""The management port of a switch, or the first of several."""


class AccessSwitch(NamedTuple):
    """A switch of an access network: its name, and its planned management address if any."""

    name: str
    address: str


@dataclass(frozen=True)
class ClusterLayout(LabLayout):
    """The lab of several networks; the fields of the compute fabric boot no domain without it."""

    routed: tuple[NetworkLayout, ...] = ()
    """The networks of leaves and spines."""
    access: tuple[NetworkLayout, ...] = ()
    host_names: tuple[str, ...] = ()
    """The hosts of the lab."""
    skipped: tuple[str, ...] = ()
    """The networks that the lab cannot boot, with the reason."""
    peers: tuple[Wire, ...] = ()
    """The cables between the two devices of each pair."""

    @cached_property
    def compute(self) -> LabLayout:
        """The part of the compute fabric, alone."""
        return LabLayout(self.plan, self.rails, self.domains, self.width, leaves=self.leaves)

    @property
    def parts(self) -> tuple[LabLayout, ...]:
        """The compute fabric, each network of leaves and spines, and those in VRFs."""
        return self.compute, *self.routed

    @cached_property
    def uplinks(self) -> list[Wire]:
        """The uplinks between two networks, which are wires of the upper one."""
        return [wire for wire in self.wires if wire.numbered and wire.a in self.tiers]

    def beyond(self, part: NetworkLayout, device: str) -> list[NetworkLayout]:
        """Return the networks that a device of one reaches over uplinks: it has no port there."""
        return [far for far in self.routed if part.joins(far) and device not in far.owners]

    @cached_property
    def switches(self) -> list[LabSwitch]:
        """The switches that run BGP, network by network."""
        return [*chain.from_iterable(part.switches for part in self.parts)]

    @cached_property
    def shared_switches(self) -> list[str]:
        """The switches of compute that networks or devices are on."""
        nodes = self.switch_nodes
        leaves = (wire.b for part in self.routed if part.compute_boxes for wire in part.wires)
        return [*dict.fromkeys(nodes[name].switch for name in leaves)]

    @cached_property
    def access_switches(self) -> list[AccessSwitch]:
        """The switches of access networks."""
        return [
            AccessSwitch(each.name, part.management_addresses.get(each.name, ""))
            for part in self.access
            for each in part.switches
        ]

    @cached_property
    def wires(self) -> list[Wire]:
        """The wires of all parts, and one from each access switch to the site."""
        parts = (*self.parts, *self.access)
        site = [
            Wire("", each.name, SITE, ROUTER, f"access{number}")
            for number, each in enumerate(self.access_switches)
        ]
        return [*chain.from_iterable(part.wires for part in parts), *self.peers, *site]

    @cached_property
    def devices(self) -> list[str]:
        """The hosts and devices with ports in networks of leaves and spines."""
        paired = chain.from_iterable((wire.a, wire.b) for wire in self.peers)
        owners = chain.from_iterable(part.owners for part in self.routed)
        return [*dict.fromkeys([*owners, *paired])]

    @cached_property
    def nodes(self) -> list[str]:
        """Every namespace of the lab."""
        every = [
            *(each.name for each in self.switches),
            *self.gpus.values(),
            *self.bridges.values(),
            *self.management.values(),
            *self.devices,
            *(each.name for each in self.access_switches),
            *chain.from_iterable(part.owners for part in self.access),
            *((ROUTER,) if self.access else ()),
            *((ROUTER, OPERATOR) if self.management else ()),
        ]
        return [*dict.fromkeys(every)]

    @cached_property
    def tiers(self) -> dict[str, int]:
        """The tier of each switch."""
        return dict(ChainMap(*(part.tiers for part in reversed(self.parts))))

    @cached_property
    def loopbacks(self) -> dict[str, str]:
        """The loopback of each switch."""
        return {name: own for part in self.parts for name, own in part.loopbacks.items()}

    @cached_property
    def management_addresses(self) -> dict[str, str]:
        """The planned management address of each switch; empty without `management`."""
        return {name: own for part in self.parts for name, own in part.management_addresses.items()}

    @property
    def family(self) -> Family:
        """The family of all addresses: that of the compute fabric, or without it of a network."""
        own = self.routed[0] if self.routed and not self.domains else self
        return own.plan.addresses.family

    @cached_property
    def size(self) -> Size:
        """The size of the lab."""
        sizes = [part.size for part in self.parts]
        servers = len(self.management)
        return Size(
            len(self.gpus),
            len(self.switches),
            len(self.nodes),
            sum(size.sessions for size in sizes) + len(self.uplinks),
            servers,
        )

    @property
    def hosts(self) -> list[str]:
        """The names of the hosts with a GPU of the lab."""
        return self.compute.hosts

    @property
    def scope(self) -> BuildScope:
        """The part of the cluster that must be built for this lab."""
        coordinates, hosts = self.plan.fabric.coordinates, set(self.host_names)
        numbers = [number for number, name in enumerate(self.plan.hosts) if name in hosts]
        gpus = frozenset(chain.from_iterable(map(coordinates.host_range, numbers)))
        compute = self.compute.scope
        every = (*self.routed, *self.access)
        places = [place for part in every for place in part.compute_boxes]
        segments = {*compute.segments, *(segment for segment, _ in places)}
        boxes = {*compute.boxes, *(box for _, box in places)}
        networks = {part.name: part.scope for part in every if any(part.plan.installed)}
        booted = tuple(sorted(segments)), tuple(sorted(boxes))
        return BuildScope(*booted, gpus | self.gpus.keys(), networks)

    @property
    def host_packs(self) -> frozenset[str]:
        """The packs whose files the hosts of the lab need."""
        return super().host_packs | {"netplan"}

    def not_booted(self) -> str:
        """Return which networks are not booted, and why."""
        return f"not booted: {'; '.join(self.skipped)}" if self.skipped else ""

    def left_out(self) -> str:
        """Return what of the cluster is not booted; empty where all of it is."""
        hosts = f"{len(self.host_names):,} of {len(self.plan.hosts):,} hosts"
        ports = [
            f"{part.port_count:,} of {part.plan.fabric.gpus:,} ports in {part.name}"
            for part in (*self.routed, *self.access)
        ]
        if self.peers:
            every = len(self.plan.networks[PEERS].segment.kind)
            ports.append(f"{len(self.peers):,} of {every:,} links in {PEERS}")
        return f"a slice of {', '.join([hosts, *ports])}; the rest counts as failed"


def address_space(layout: LabLayout) -> list[IPv4Network]:
    """Return the prefixes of the hosts and of the loopbacks of a part; none without switches."""
    addresses, mapping = layout.plan.addresses, layout.plan.mapping
    blocks = mapping.segments * mapping.segment_blocks
    if not layout.switches:
        return []
    pools = (addresses.hosts, addresses.loopbacks)
    return [IPv4Network(pool.cover(blocks), strict=False) for pool in pools]

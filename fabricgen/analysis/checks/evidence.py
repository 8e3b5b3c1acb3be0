"""What the laws examine: the wiring, names, addresses and outputs of a plan.

Owns `Evidence`, any field of which can be replaced by a broken one, and the names of devices, ports
and links in findings. It judges nothing. Expensive values (views, graph) are functions that make
them, one segment at a time or all at once; the others are computed before the first law.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.checks.routing_domains import RoutingDomains
from fabricgen.core.terms import ROLES, LinkKind, Role
from fabricgen.planning.switch_ports import port_set_of, port_sets

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Sequence
    from ipaddress import IPv4Network

    from fabricgen.analysis.circuits.schedule import Schedule
    from fabricgen.bom.bill import Bom
    from fabricgen.bom.summary import PlanSummary
    from fabricgen.core.arrays import BoolArray, IntArray
    from fabricgen.planning.cabling.compatibility import LinkParts
    from fabricgen.planning.cabling.lengths import Lengths
    from fabricgen.planning.channels.channels import Channels
    from fabricgen.planning.fabric_links import Wiring
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import Port
    from fabricgen.views.cables.view import CableView
    from fabricgen.views.protocols import LinkSettings
    from fabricgen.views.switches.view import SwitchView

    """An array of whole numbers of any width."""


class Addresses(NamedTuple):
    """The addresses and AS numbers of a fabric, as columns.

    Blocks are counted over the whole fabric, switches as in `Wiring`. Addresses count from the
    `origin` of their slices, so that IPv6 fits 64 bits; IPv4 addresses count from 0.
    """

    nic: IntArray
    nic_block: IntArray
    """The NIC port's address of each host link, in wiring order, and its block."""
    loopback: IntArray
    loopback_block: IntArray
    """The loopbacks of installed switches, one for each block that a switch serves; that block."""
    router_id: IntArray
    """The BGP router IDs, in the order of the loopbacks."""
    asn: IntArray
    """The AS number of each planned switch."""


class DeviceSettings(NamedTuple):
    """Settings of all devices as columns: each device has the index of its value in `values`."""

    values: tuple[LinkSettings, ...]
    switch: IntArray
    """Of each planned switch."""
    host: IntArray


class ManagementFacts(NamedTuple):
    """What the management of the switches consists of."""

    subnet: IPv4Network
    gateway: int
    switches: IntArray
    """The address of each planned switch."""
    further: dict[str, int]
    """The address of each management port with a cable after the first, by its name."""
    devices: dict[str, int]
    """The address of each port on the out-of-band network that is of no switch, by its name."""
    admins: tuple[str, ...]
    """The users of role `admin` with a key, who need no secret."""
    clocks: tuple[str, ...]
    """The time servers."""
    allow: tuple[IPv4Network, ...] | None
    """The prefixes from which switches are managed; None for all."""
    hosts: IntArray
    """The address of each host; empty without a pool for them."""
    named: dict[int, str]
    """The addresses that the inventory gives to other machines, each with its key."""
    outside: int
    """The number of switches without a CPU: no file configures them."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """A plan and the values derived from it; `dataclasses.replace` exchanges any of them."""

    plan: Plan
    wiring: Wiring
    ports: dict[Role, list[Port]]
    """The planned ports of a box of each role, by the port numbers of the wiring."""
    idle: dict[Role, list[Port]]
    """The ports of a box of each role that are not planned."""
    candidates: tuple[LinkParts, ...]
    """The parts that links may take."""
    candidate: IntArray
    """The index in `candidates` of the parts of each link."""
    switches: list[str]
    """The name of each planned switch."""
    hosts: list[str]
    prefixes: dict[tuple[int, int, int], str]
    """The text before the number on a cable's label, by segment, block and kind of link."""
    addresses: Addresses
    bom: Bom
    cables: Callable[[int, int, int], Sequence[CableView]]
    """The cable list of a segment, from one link to another."""
    configs: Callable[[int, range], Iterable[SwitchView]]
    """The views that the configurations of some boxes of a segment are rendered from."""
    settings: DeviceSettings
    """The settings of each device that the far ends of its links share."""
    management: ManagementFacts | None
    """The management of the switches; None where the inventory has none."""
    lengths: Lengths | None
    """The position of every device and the length of every cable; None without a room."""
    channels: Channels | None
    """The links that run through panels; None where none does."""
    schedules: tuple[Schedule, ...]
    """The circuits of jobs of all GPUs; none where leaves forward packets."""
    flows: Callable[[int], dict[LinkKind, IntArray]]
    """How many of some flows each uplink of the first leaf and of its pod's spines carries."""
    edges: Callable[[], dict[str, tuple[str, str]]]
    """The two devices that each link of the graph joins, by label."""
    summary: PlanSummary
    """The summary that `plan --json` prints."""
    racks: Callable[[], dict[str, Counter[str]]]
    """How many of each part are in each rack; empty without a room."""

    def port_sets(self, role: Role) -> list[tuple[list[Port], list[Port]]]:
        """Return the planned and the idle ports of each set that boxes of a role may have."""
        ports, layout = self.ports[role], self.plan.fabric.port_layouts[role]
        sets = port_sets(self.plan.mapping, role, len(self.plan.ports[role]))
        if len(sets) == 1:
            return [(ports, self.idle[role])]
        planned = [[ports[number] for number in own] for own in sets]
        return [(own, layout.idle(own)) for own in planned]

    @cached_property
    def port_counts(self) -> list[tuple[int, int]]:
        """The number of planned and of idle ports of each box of a segment."""
        sizes = {
            role: [(len(used), len(idle)) for used, idle in self.port_sets(role)]
            for role in self.plan.roles
        }
        boxes = self.plan.naming.boxes
        sets = port_set_of(self.plan.mapping, boxes)
        return [sizes[box.role][number] for box, number in zip(boxes, sets, strict=True)]

    @property
    def link_parts(self) -> dict[LinkKind, LinkParts]:
        """The first candidate of each kind of link."""
        return {parts.kind: parts for parts in reversed(self.candidates)}

    @property
    def boxes(self) -> int:
        """The number of boxes of a segment, planned ones included."""
        return len(self.plan.naming.boxes)

    @property
    def segments(self) -> int:
        """The number of segments."""
        return self.plan.mapping.segments

    @cached_property
    def box_tier(self) -> IntArray:
        """The tier of each box of a segment: 1 leaf, 2 spine, 3 core."""
        return np.array([box.role.tier for box in self.plan.naming.boxes])

    @cached_property
    def tier(self) -> IntArray:
        """The tier of each planned switch."""
        return np.tile(self.box_tier, self.plan.mapping.segments)

    @cached_property
    def box_index(self) -> IntArray:
        """The number of each box of a segment in its role and block, from 0."""
        return np.array([box.index for box in self.plan.naming.boxes])

    @cached_property
    def box_block(self) -> IntArray:
        """The block that each box of a segment serves, -1 where blocks share it."""
        return np.array([box.block for box in self.plan.naming.boxes])

    @property
    def has_host(self) -> BoolArray:
        """Whether each link leads to a host."""
        return self.vertices.has_host

    @cached_property
    def links_of(self) -> IntArray:
        """The number of link ends at each planned switch."""
        low = self.wiring.lower[self.wiring.kind > LinkKind.HOST]
        high = self.wiring.upper[self.wiring.kind >= LinkKind.HOST]
        ends: IntArray = np.bincount(high, minlength=len(self.switches)) + np.bincount(
            low, minlength=len(self.switches)
        )
        return ends

    @cached_property
    def vertices(self) -> RoutingDomains:
        """The forwarding domains of the switches."""
        return RoutingDomains(self.plan, self.wiring, len(self.switches))

    def domain_name(self, domain: int) -> str:
        """Return the name of a forwarding domain: the switch, and the rail if several share it."""
        blocks = self.vertices.blocks
        switch = domain // blocks
        name = self.switch(switch)
        if blocks == 1 or self.role(switch) is not Role.LEAF:
            return name
        return f"{name} ({self.block(int(self.vertices.block[domain]))})"

    def speed_gbps(self, kind: LinkKind) -> int:
        """Return the speed of a kind of link, by the upper switch's ports."""
        if kind is LinkKind.DIRECT:
            return self.plan.fabric.link_gbps
        return self.plan.fabric.port_layouts[kind.upper].down.speed_gbps

    def role(self, switch: int) -> Role:
        """Return the role of a switch by its number."""
        return ROLES[int(self.tier[switch]) - 1]

    def switch(self, switch: int) -> str:
        """Return the name of a switch, or a text for a number that no switch has."""
        return (
            self.switches[switch] if 0 <= switch < len(self.switches) else f"switch number {switch}"
        )

    def port(self, switch: int, port: int) -> str:
        """Return the name of a port: its interface, or its number if the box has no such port."""
        if not 0 <= switch < len(self.switches):
            return f"port {port} of {self.switch(switch)}"
        role = self.role(switch)
        ports = self.ports[role]
        interface = (
            self.plan.port_layouts(switch // self.boxes)[role].interface(ports[port])
            if 0 <= port < len(ports)
            else f"port {port}"
        )
        return f"{self.switch(switch)} {interface}"

    def nic(self, gpu: int, plane: int) -> str:
        """Return the name of a NIC port as in failures: GPU, and plane if there are several."""
        name = self.plan.fabric.coordinates.name(gpu)
        return f"{name}/{plane}" if self.plan.fabric.planes > 1 else name

    def interfaces(self, segment: int, role: Role) -> list[str]:
        """Return the interface names of a role's planned ports in the NOS of a segment."""
        port_layout = self.plan.port_layouts(segment)[role]
        if (role, port_layout.nos) not in self._interfaces:
            self._interfaces[role, port_layout.nos] = [
                port_layout.interface(port) for port in self.ports[role]
            ]
        return self._interfaces[role, port_layout.nos]

    @cached_property
    def _interfaces(self) -> dict[tuple[Role, str], list[str]]:
        """A cache of the interface names."""
        return {}

    def block(self, number: int) -> str:
        """Return the name of a block of the fabric: its rail and its plane."""
        segment, block = divmod(number, self.plan.mapping.segment_blocks)
        rail, planes = self.plan.mapping.rail(segment, block), self.plan.fabric.planes
        plane = f"plane {self.plan.mapping.plane(segment)}"
        if rail is None:
            return plane if planes > 1 else "the fabric"
        return f"rail {rail} on {plane}" if planes > 1 else f"rail {rail}"

    def label(self, row: int) -> str:
        """Return the label of a link's cable."""
        wiring = self.wiring
        prefix = self.prefixes.get(
            (int(wiring.segment[row]), int(wiring.block[row]), int(wiring.kind[row])), "?-"
        )
        return f"{prefix}{int(wiring.number[row]):0{self.plan.label_width}}"

    def lower(self, row: int) -> str:
        """Return the name of the lower end of a link."""
        lower, port = int(self.wiring.lower[row]), int(self.wiring.lower_port[row])
        return self.nic(lower, port) if self.has_host[row] else self.port(lower, port)

    def upper(self, row: int) -> str:
        """Return the name of the upper end of a link."""
        return self.port(int(self.wiring.upper[row]), int(self.wiring.upper_port[row]))

    def link(self, row: int) -> str:
        """Return the name of a link: its cable and both ends."""
        return f"cable {self.label(row)} ({self.lower(row)} - {self.upper(row)})"

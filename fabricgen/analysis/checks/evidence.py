"""What the laws examine: the wiring, names, addresses and outputs of a plan.

Owns `Evidence`, any field of which can be replaced by a broken one, and the names of devices, ports
and links in findings. It judges nothing. Expensive values (views, graph) are functions that make
them, one segment at a time or all at once; the others are computed before the first law.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.checks.routing_domains import RoutingDomains
from fabricgen.analysis.forwarding.ecmp_hash import spread
from fabricgen.analysis.graph_elements import link_edges, nodes
from fabricgen.bom.bill import Bom, make_bom
from fabricgen.bom.breakdown.breakdown import racks_of
from fabricgen.bom.summary import summarize
from fabricgen.core.terms import ROLES, LinkKind, Role
from fabricgen.planning.fabric_links import Wiring, wiring_of
from fabricgen.views.factory import Views
from fabricgen.views.protocols import LinkSettings

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable

    from fabricgen.bom.summary import PlanSummary
    from fabricgen.core.arrays import BoolArray, IntArray
    from fabricgen.planning.cabling.compatibility import LinkParts
    from fabricgen.planning.cabling.lengths import Lengths
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import Port
    from fabricgen.views.cables.view import CableView
    from fabricgen.views.switches.view import SwitchView

    """An array of whole numbers of any width."""


class Addresses(NamedTuple):
    """The addresses and AS numbers of a fabric, as columns.

    Blocks are counted over the whole fabric, switches as in `Wiring`.
    """

    nic: IntArray
    nic_block: IntArray
    """The NIC port's address of each host link, in wiring order, and its block."""
    loopback: IntArray
    loopback_block: IntArray
    loopback_switch: IntArray
    """The loopbacks of installed switches: one for each block that a switch serves."""
    asn: IntArray
    """The AS number of each planned switch."""


class DeviceSettings(NamedTuple):
    """Settings of all devices as columns: each device has the index of its value in `values`."""

    values: tuple[LinkSettings, ...]
    switch: IntArray
    """Of each planned switch."""
    host: IntArray


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
    cables: Callable[[int, int, int], Iterable[CableView]]
    """The cable list of a segment, from one link to another."""
    configs: Callable[[int, range], Iterable[SwitchView]]
    """The views that the configurations of some boxes of a segment are rendered from."""
    settings: DeviceSettings
    """The settings of each device that the far ends of its links share."""
    lengths: Lengths | None
    """The position of every device and the length of every cable; None without a room."""
    flows: Callable[[int], dict[LinkKind, IntArray]]
    """How many of some flows each uplink of the first leaf and of its pod's spines carries."""
    edges: Callable[[], dict[str, tuple[str, str]]]
    """The two devices that each link of the graph joins, by label."""
    summary: PlanSummary
    """The summary that `plan --json` prints."""
    racks: Callable[[], dict[str, Counter[str]]]
    """How many of each part are in each rack; empty without a room."""

    @property
    def link_parts(self) -> dict[LinkKind, LinkParts]:
        """The first candidate of each kind of link."""
        return {parts.kind: parts for parts in reversed(self.candidates)}

    @property
    def boxes(self) -> int:
        """The number of boxes of a segment, planned ones included."""
        return len(self.plan.naming.boxes)

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
        low = self.wiring.lower[~self.has_host]
        ends: IntArray = np.bincount(self.wiring.upper, minlength=len(self.switches)) + np.bincount(
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


def evidence_of(plan: Plan, views: Views | None = None) -> Evidence:
    """Return the evidence about a plan and its views.

    Raises the Refusal of a price book that does not exist.
    """
    segments, blocks, views, bom = (
        range(plan.mapping.segments),
        range(plan.mapping.segment_blocks),
        views or Views(plan),
        make_bom(plan),
    )
    return Evidence(
        plan=plan,
        wiring=wiring_of(plan),
        ports=plan.ports,
        idle={
            role: plan.fabric.port_layouts[role].idle(ports) for role, ports in plan.ports.items()
        },
        candidates=plan.candidates,
        candidate=np.concatenate([plan.candidate[segment] for segment in segments]),
        switches=list(chain.from_iterable(plan.naming.switches(segment) for segment in segments)),
        hosts=plan.hosts,
        prefixes={
            (segment, block, int(kind)): plan.label(kind, segment, block)
            for segment in segments
            for block in blocks
            for kind in plan.kinds
        },
        addresses=_addresses(plan),
        bom=bom,
        cables=views.cables,
        configs=lambda segment, boxes: views.switches(segment, boxes=boxes),
        settings=_settings(plan, views),
        lengths=plan.lengths,
        flows=lambda count: dict(spread(plan, 0, count)),
        edges=lambda: _edges(plan),
        summary=summarize(plan, bom),
        racks=lambda: {name: rack.parts for name, rack in racks_of(plan).items()},
    )


def _settings(plan: Plan, views: Views) -> DeviceSettings:
    """Collect the settings of all devices: those of a segment's switches are one value."""
    switches = [views.settings(segment) for segment in range(plan.mapping.segments)]
    hosts = LinkSettings.of(plan.spec)
    values = tuple(dict.fromkeys([hosts, *switches]))
    each = np.array([values.index(found) for found in switches])
    return DeviceSettings(
        values,
        np.repeat(each, len(plan.naming.boxes)),
        np.full(len(plan.hosts), values.index(hosts)),
    )


def _addresses(plan: Plan) -> Addresses:
    """Return every address and AS number of the address plan."""
    segment, boxes, segments, blocks = (
        plan.segment,
        plan.naming.boxes,
        plan.mapping.segments,
        plan.mapping.segment_blocks,
    )
    slots = [
        segment.slot[(segment.kind == LinkKind.HOST) & (segment.block == block)].tolist()
        for block in range(blocks)
    ]
    nics = [
        plan.addresses.host_addresses(number, slots[number % blocks])
        for number in range(segments * blocks)
    ]
    served = [
        (index, block)
        for index, box in enumerate(boxes)
        if plan.installed[index]
        for block in (range(blocks) if box.block < 0 else [box.block])
    ]
    loopbacks = [
        plan.addresses.loopback(number, block, boxes[index])
        for number in range(segments)
        for index, block in served
    ]
    leaf_blocks = np.array(served).reshape(-1, 2)
    every = np.arange(segments)[:, None]
    return Addresses(
        np.array(list(chain.from_iterable(nics)), dtype=np.int64),
        np.repeat(np.arange(segments * blocks), [len(found) for found in nics]),
        np.array(loopbacks, dtype=np.int64),
        (leaf_blocks[:, 1] + every * blocks).ravel(),
        (leaf_blocks[:, 0] + every * len(boxes)).ravel(),
        np.array(
            [plan.addresses.asn(number, box) for number in range(segments) for box in boxes],
            dtype=np.int64,
        ),
    )


def _edges(plan: Plan) -> dict[str, tuple[str, str]]:
    """Return the ends of the links of the graph.

    A NIC port is replaced by its host, and a rail's part of a shared box by the box.
    """
    devices = {
        node: shown.get("switch") or shown.get("host") or node for node, shown in nodes(plan)
    }
    links = chain.from_iterable(
        link_edges(plan, segment) for segment in range(plan.mapping.segments)
    )
    return {shown["cable"]: (devices[low], devices[high]) for low, high, _, shown in links}

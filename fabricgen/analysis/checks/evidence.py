"""What the laws look at: the wiring, the names, the numbers and the outputs of a plan, each of which can be replaced by a broken one.

Owns `Evidence` and the words for what is found in it. It judges nothing. What is dear (views,
graph) is a function that makes it, segment by segment or at once; the rest is made before any law is
asked.
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
from fabricgen.views.hosts.build import Hosts

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
    from fabricgen.views.hosts.view import HostView
    from fabricgen.views.switches.view import SwitchView

    """An array of whole numbers of any width."""


class Addresses(NamedTuple):
    """The addresses of a fabric as columns, and AS numbers. Blocks count over the whole fabric, switches as in `Wiring`."""

    nic: IntArray
    nic_block: IntArray
    """The NIC port's address of each host link, in the order of the wiring, and its block."""
    loopback: IntArray
    loopback_block: IntArray
    loopback_switch: IntArray
    """The loopbacks of installed switches: one for each block that a switch serves."""
    asn: IntArray
    """The AS number of each planned switch."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """A plan and what follows from it. `dataclasses.replace` puts something else in the place of any of it."""

    plan: Plan
    wiring: Wiring
    ports: dict[Role, list[Port]]
    """The planned ports of a box of each role, as the wiring counts them."""
    idle: dict[Role, list[Port]]
    """The ports that are left beside those."""
    candidates: tuple[LinkParts, ...]
    """The parts that links may take."""
    candidate: IntArray
    """Which of them each link takes."""
    switches: list[str]
    """The name of each planned switch."""
    hosts: list[str]
    prefixes: dict[tuple[int, int, int], str]
    """What stands before the number on the label of a cable, by segment, block and kind of link."""
    addresses: Addresses
    bom: Bom
    cables: Callable[[int, int, int], Iterable[CableView]]
    """The cable list of a segment, from one of its links to another."""
    configs: Callable[[int, range], Iterable[SwitchView]]
    """What configurations are rendered from, of some boxes of a segment."""
    host_views: Callable[[Iterable[int]], Iterable[HostView]]
    """What the files of some hosts are rendered from."""
    lengths: Lengths | None
    """Where everything stands, and how long every cable is; None where nothing is placed."""
    flows: Callable[[int], dict[LinkKind, IntArray]]
    """How many of so many flows each uplink of the first leaf, and of the spines of its pod, carries."""
    edges: Callable[[], dict[str, tuple[str, str]]]
    """The two devices that each link of the graph joins, by label."""
    summary: PlanSummary
    """What `plan --json` says."""
    racks: Callable[[], dict[str, Counter[str]]]
    """How many of each part are in each rack; empty where nothing is placed."""

    @property
    def link_parts(self) -> dict[LinkKind, LinkParts]:
        """The first candidate for each kind of link."""
        return {joint.kind: joint for joint in reversed(self.candidates)}

    @property
    def boxes(self) -> int:
        """Switches of a segment, with those that are only planned."""
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
        """The link ends at each planned switch."""
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
        """Name a forwarding domain: the switch, and the rail where several share it."""
        blocks = self.vertices.blocks
        switch = domain // blocks
        name = self.switch(switch)
        if blocks == 1 or self.role(switch) is not Role.LEAF:
            return name
        return f"{name} ({self.block(int(self.vertices.block[domain]))})"

    def speed_gbps(self, kind: LinkKind) -> int:
        """Return the speed of a kind of link as the upper switch's ports have it."""
        return self.plan.fabric.port_layouts[kind.upper].down.speed_gbps

    def role(self, switch: int) -> Role:
        """Return the role of a switch."""
        return ROLES[int(self.tier[switch]) - 1]

    def switch(self, switch: int) -> str:
        """Name a switch, or say that there is none of that number."""
        return (
            self.switches[switch] if 0 <= switch < len(self.switches) else f"switch number {switch}"
        )

    def port(self, switch: int, port: int) -> str:
        """Name a port of a switch: its interface, or its number where the box has no such port."""
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
        """Name a NIC port as failures do: its GPU, and its plane where there are several."""
        name = self.plan.fabric.coordinates.name(gpu)
        return f"{name}/{plane}" if self.plan.fabric.planes > 1 else name

    def interfaces(self, segment: int, role: Role) -> list[str]:
        """Name the planned ports of a role's box as the NOS of a segment does."""
        port_layout = self.plan.port_layouts(segment)[role]
        if (role, port_layout.nos) not in self._interfaces:
            self._interfaces[role, port_layout.nos] = [
                port_layout.interface(port) for port in self.ports[role]
            ]
        return self._interfaces[role, port_layout.nos]

    @cached_property
    def _interfaces(self) -> dict[tuple[Role, str], list[str]]:
        """The names that were asked for."""
        return {}

    def block(self, number: int) -> str:
        """Name a block of the fabric by its rail and its plane."""
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
        """Name the lower end of a link."""
        lower, port = int(self.wiring.lower[row]), int(self.wiring.lower_port[row])
        return self.nic(lower, port) if self.has_host[row] else self.port(lower, port)

    def upper(self, row: int) -> str:
        """Name the upper end of a link."""
        return self.port(int(self.wiring.upper[row]), int(self.wiring.upper_port[row]))

    def link(self, row: int) -> str:
        """Name a link: its cable and both ends."""
        return f"cable {self.label(row)} ({self.lower(row)} - {self.upper(row)})"


def evidence_of(plan: Plan, views: Views | None = None) -> Evidence:
    """Gather the evidence about a plan and its views. Raises the Refusal of a price book that is not there."""
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
        host_views=Hosts(plan).views,
        lengths=plan.lengths,
        flows=lambda count: dict(spread(plan, 0, count)),
        edges=lambda: _edges(plan),
        summary=summarize(plan, bom),
        racks=lambda: {name: rack.parts for name, rack in racks_of(plan).items()},
    )


def _addresses(plan: Plan) -> Addresses:
    """Ask the address plan for every address and AS number."""
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
    seats = np.array(served).reshape(-1, 2)
    every = np.arange(segments)[:, None]
    return Addresses(
        np.array(list(chain.from_iterable(nics)), dtype=np.int64),
        np.repeat(np.arange(segments * blocks), [len(found) for found in nics]),
        np.array(loopbacks, dtype=np.int64),
        (seats[:, 1] + every * blocks).ravel(),
        (seats[:, 0] + every * len(boxes)).ravel(),
        np.array(
            [plan.addresses.asn(number, box) for number in range(segments) for box in boxes],
            dtype=np.int64,
        ),
    )


def _edges(plan: Plan) -> dict[str, tuple[str, str]]:
    """Read the links back from the graph; a NIC port stands for its host, and a rail's part of a shared box for the box."""
    devices = {
        node: shown.get("switch") or shown.get("host") or node for node, shown in nodes(plan)
    }
    links = chain.from_iterable(
        link_edges(plan, segment) for segment in range(plan.mapping.segments)
    )
    return {shown["cable"]: (devices[low], devices[high]) for low, high, _, shown in links}

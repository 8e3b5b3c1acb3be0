"""The contents of a lab: switches, GPUs and HB domains, and the wires between them.

Owns `LabLayout`; `slice` chooses the part of a fabric that is booted. Files are used as emitted: in
a slice the cables to other parts are absent, as if they had failed. It starts nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.forwarding.failures import Failures
from fabricgen.analysis.forwarding.gpu_routes import HB_DEVICE, hb_address
from fabricgen.analysis.forwarding.path_names import PathNames
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.build.selection import BuildScope
from fabricgen.core.terms import LinkKind, Role
from fabricgen.lab.frr_parts import part_of_gpu
from fabricgen.planning.addressing import address_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.terms import Family
    from fabricgen.planning.plan import Plan


ROUTER, OPERATOR = "management:router", "management:operator"
"""The nodes of the management network beside the switches' own: its router with the bridge, and the
operator, who is beyond the router."""


class Wire(NamedTuple):
    """A cable of the lab, or a GPU's port to its HB domain.

    `label` is the cable's, empty for an HB domain. Addresses are empty where an end has none.
    """

    label: str
    a: str
    a_interface: str
    b: str
    b_interface: str
    a_address: str = ""
    b_address: str = ""
    numbered: bool = False
    """Whether both addresses are of one prefix, as those of a host and its leaf usually are."""


class Size(NamedTuple):
    """The number of GPUs, switches, namespaces, BGP sessions between switches, and SSH servers."""

    gpus: int
    switches: int
    nodes: int
    sessions: int
    servers: int


class LabSwitch(NamedTuple):
    """A switch of the lab, or its VRF of one rail where rails share it.

    The name of its node; its segment, block and box in the plan; the switch, and its VRF if any.
    """

    name: str
    segment: int
    block: int
    box: int
    switch: str
    vrf: str


@dataclass(frozen=True)
class LabLayout:
    """The part of a plan that a lab boots: some rails and HB domains.

    It has at most `width` spines of a pod and cores of a group, or all with 0.
    """

    plan: Plan
    rails: frozenset[int]
    domains: tuple[int, ...]
    width: int = 0
    in_turn: bool = False
    """Whether the other rails are booted before or after this one, each alone."""

    @cached_property
    def gpus(self) -> dict[int, str]:
        """The name of each GPU, in order."""
        coordinates = self.plan.fabric.coordinates
        return {
            gpu: coordinates.name(gpu)
            for domain in self.domains
            for gpu in coordinates.domain_range(domain)
            if coordinates.rail(gpu) in self.rails
        }

    @cached_property
    def segments(self) -> list[int]:
        """The segments with a rail of the lab."""
        mapping = self.plan.mapping
        return [segment for segment in range(mapping.segments) if self._blocks(segment)]

    def _blocks(self, segment: int, box: int | None = None) -> list[int]:
        """Return the booted blocks of a segment: all, or those that a box serves."""
        mapping = self.plan.mapping
        own = -1 if box is None else self.plan.naming.boxes[box].block
        return [
            block
            for block in (range(mapping.segment_blocks) if own < 0 else (own,))
            if mapping.spans_rails or mapping.rail(segment, block) in self.rails
        ]

    @cached_property
    def boxes(self) -> list[int]:
        """The booted boxes of a segment: in a slice its leaves and the switches above."""
        plan, sizing = self.plan, self.plan.sizing
        if not self.domains:
            return []
        leaves = set(plan.segment.upper[self._host_rows].tolist())
        pods = {leaf // sizing.pod_leaves for leaf in leaves}

        def wanted(index: int) -> bool:
            box = plan.naming.boxes[index]
            if box.role is Role.LEAF:
                return index in leaves
            if box.role is Role.SPINE:
                pod, spine = divmod(box.index, sizing.pod_spines)
                return pod in pods and spine < self.width
            return max(divmod(box.index, sizing.group_cores)) < self.width

        return [
            index
            for index, has in enumerate(plan.installed)
            if has and (not self.width or wanted(index))
        ]

    @cached_property
    def _host_rows(self) -> list[int]:
        """The rows of `Plan.segment` of the GPUs' host links.

        Where a block serves one rail, GPUs are numbered by those of rail 0.
        """
        plan = self.plan
        own = {plan.mapping.pattern_gpu(gpu) for gpu in self.gpus}
        rows: list[int] = np.flatnonzero(
            (plan.segment.kind == LinkKind.HOST) & np.isin(plan.segment.lower, list(own))
        ).tolist()
        return rows

    @cached_property
    def _rows(self) -> list[int]:
        """The rows of `Plan.segment` of the links between booted switches."""
        segment = self.plan.segment
        there = np.isin(segment.lower, self.boxes) & np.isin(segment.upper, self.boxes)
        rows: list[int] = np.flatnonzero((segment.kind != LinkKind.HOST) & there).tolist()
        return rows

    @cached_property
    def switches(self) -> list[LabSwitch]:
        """The switches, in order of segment and box."""
        names = PathNames(Reach(self.plan))
        found = []
        for segment, box in product(self.segments, self.boxes):
            for block in self._blocks(segment, box):
                switch, _, vrf = names.node(segment, block, box).partition("/")
                name = f"{switch}:{vrf}" if vrf else switch
                found.append(LabSwitch(name, segment, block, box, switch, vrf))
        return found

    @cached_property
    def switch_nodes(self) -> dict[str, LabSwitch]:
        """The switches by the names of their nodes."""
        return {switch.name: switch for switch in self.switches}

    @cached_property
    def tiers(self) -> dict[str, int]:
        """The tier of each switch."""
        boxes = self.plan.naming.boxes
        return {each.name: boxes[each.box].role.tier for each in self.switches}

    @cached_property
    def loopbacks(self) -> dict[str, str]:
        """The loopback of each switch."""
        addresses, boxes = self.plan.addresses, self.plan.naming.boxes
        return {
            each.name: address_text(addresses.loopback(each.segment, each.block, boxes[each.box]))
            for each in self.switches
        }

    @cached_property
    def _node_names(self) -> dict[tuple[int, int, int], str]:
        """The name of each node, by segment, block and box."""
        return {(each.segment, each.block, each.box): each.name for each in self.switches}

    @cached_property
    def size(self) -> Size:
        """The size of the lab, counted without naming anything, as it may be too large."""
        coordinates = self.plan.fabric.coordinates
        servers = len(self.segments) * len(self.boxes) if self.plan.management else 0
        management = servers + len((ROUTER, OPERATOR)) if servers else 0
        gpus = len(self.domains) * sum(
            coordinates.rail(gpu) in self.rails for gpu in coordinates.domain_range(0)
        )
        switches = sum(len(self._blocks(*place)) for place in product(self.segments, self.boxes))
        sessions = sum(len(self._rows_of(segment)) for segment in self.segments)
        nodes = switches + gpus + len(self.domains) + management
        return Size(gpus, switches, nodes, sessions, servers)

    def _rows_of(self, segment: int) -> list[int]:
        """Return the rows of `Plan.segment` of the links between booted switches of a segment."""
        booted = np.isin(self.plan.segment.block[self._rows], self._blocks(segment))
        return [row for row, there in zip(self._rows, booted.tolist(), strict=True) if there]

    @cached_property
    def bridges(self) -> dict[int, str]:
        """The node of each HB domain."""
        return {domain: f"hb:{domain}" for domain in self.domains}

    @cached_property
    def management(self) -> dict[str, str]:
        """The node of each switch's VRF of management; empty without `management`."""
        asked = self.plan.spec.management
        switches = dict.fromkeys(each.switch for each in self.switches)
        return {name: f"{name}:{asked.vrf}" for name in switches} if asked else {}

    @cached_property
    def management_addresses(self) -> dict[str, str]:
        """The planned management address of each switch; empty without `management`."""
        planned = self.plan.management
        every = self.switches if planned else []
        return {each.switch: planned.switch(each.segment, each.box) for each in every if planned}

    def first_node(self, switch: str) -> str:
        """Return the node of a switch; the one of its first VRF where rails share it."""
        return next(each.name for each in self.switches if each.switch == switch)

    @cached_property
    def nodes(self) -> list[str]:
        """Every namespace of the lab."""
        return [
            *(each.name for each in self.switches),
            *self.gpus.values(),
            *self.bridges.values(),
            *self.management.values(),
            *((ROUTER, OPERATOR) if self.management else ()),
        ]

    @cached_property
    def hosts(self) -> list[str]:
        """The names of the hosts with a GPU of the lab."""
        return [
            self.plan.hosts[host]
            for host in sorted({self.plan.fabric.coordinates.host(gpu) for gpu in self.gpus})
        ]

    @property
    def family(self) -> Family:
        """The family of all addresses."""
        return self.plan.addresses.family

    @property
    def numbered(self) -> bool:
        """Whether a NIC port and its leaf port share a prefix; else hosts speak BGP."""
        return self.plan.addresses.numbered

    @cached_property
    def speakers(self) -> dict[str, str]:
        """The host of each GPU that runs FRR: of all where links are unnumbered, else of none."""
        host = self.plan.fabric.coordinates.host
        gpus = {} if self.numbered else self.gpus
        return {name: self.plan.hosts[host(gpu)] for gpu, name in gpus.items()}

    def frr_part(self, text: str, node: str) -> str:
        """Return the part of a host's frr.conf that a GPU runs."""
        return part_of_gpu(text, self.nic_ports(node))

    def nic_ports(self, gpu: str) -> dict[tuple[str, str], str]:
        """Return the interfaces of a GPU's NIC ports, by leaf and leaf port."""
        return {
            (self.switch_nodes[wire.b].switch, wire.b_interface): wire.a_interface
            for wire in self._wires_of[gpu]
            if wire.label
        }

    @cached_property
    def _wires_of(self) -> dict[str, list[Wire]]:
        """The wires with a node at their lower end."""
        found: dict[str, list[Wire]] = {}
        for wire in self.wires:
            found.setdefault(wire.a, []).append(wire)
        return found

    @cached_property
    def wires(self) -> list[Wire]:
        """Every cable, and every GPU's port to its HB domain; a link is one wire."""
        return [*self._cables(), *self._hb_wires()]

    def _cables(self) -> Iterator[Wire]:
        """Yield the cables."""
        plan, ends = self.plan, PathNames(Reach(self.plan))
        block = plan.segment.block.tolist()
        for segment in self.segments:
            plane = plan.mapping.plane(segment)
            for row in self._host_rows:
                lower = int(plan.segment.lower[row])
                gpu = plan.mapping.lower_gpu(segment, lower, block[row])
                if gpu not in self.gpus:
                    continue
                nic = ends.nic(gpu, plane)
                yield Wire(
                    nic.cable,
                    *self._port(gpu, plane),
                    self._node_names[segment, block[row], int(plan.segment.upper[row])],
                    nic.switch_interface,
                    address_text(nic.address),
                    address_text(nic.gateway),
                    self.numbered,
                )
            for row in self._rows_of(segment):
                low, high = (
                    self._node_names[segment, block[row], int(column[row])]
                    for column in (plan.segment.lower, plan.segment.upper)
                )
                yield Wire(
                    ends.cable(segment, row),
                    low,
                    ends.interface(segment, row, upper=False),
                    high,
                    ends.interface(segment, row, upper=True),
                )

    def _port(self, gpu: int, plane: int) -> tuple[str, str]:
        """Return the node and the interface at the lower end of a host link."""
        return self.gpus[gpu], f"nic{plane}"

    def _hb_wires(self) -> Iterator[Wire]:
        """Yield the GPUs' ports to their HB domains."""
        coordinates = self.plan.fabric.coordinates
        for gpu, name in self.gpus.items():
            rank = coordinates.rank(gpu)
            yield Wire(
                "",
                name,
                HB_DEVICE,
                self.bridges[coordinates.domain(gpu)],
                f"gpu{rank}",
                hb_address(rank, self.plan.addresses.hosts.bits),
            )

    @property
    def host_packs(self) -> frozenset[str]:
        """The packs whose files the hosts of the lab need."""
        return frozenset(() if self.numbered else ("host-frr",))

    @property
    def parts(self) -> tuple[LabLayout, ...]:
        """The fabrics of the lab: this one alone, where no networks are beside it."""
        return (self,)

    @property
    def scope(self) -> BuildScope:
        """The part of the fabric that must be built for this lab."""
        return BuildScope(tuple(self.segments), tuple(self.boxes), frozenset(self.gpus))

    @cached_property
    def missing(self) -> Failures:
        """The parts that are left out, as failures of the plan.

        A link between two switches exists where both do.
        """
        plan, boxes = self.plan, set(self.boxes)
        out = [index for index, has in enumerate(plan.installed) if has and index not in boxes]
        return Failures(
            gpus=frozenset(range(plan.fabric.gpus)) - self.gpus.keys(),
            switches=frozenset((segment, index) for segment in self.segments for index in out),
        )

    def left_out(self) -> str:
        """Return what of the fabric is not booted; empty where all of it is."""
        fabric, sizing = self.plan.fabric, self.plan.sizing
        counts = [
            (fabric.rails if self.in_turn else len(self.rails), fabric.rails, "rails"),
            (len(self.domains), fabric.coordinates.domains, "HB domains"),
        ]
        if self.width:
            of_pod = " of each pod" if sizing.core else ""
            counts += [
                (self.width, sizing.pod_spines, f"spines{of_pod}"),
                (self.width, sizing.group_cores, "cores of each group"),
            ]
        left = [f"{have:,} of {every:,} {what}" for have, every, what in counts if have < every]
        alone = (
            [f"rail {min(self.rails)} alone, the other rails in their turn"] if self.in_turn else []
        )
        return "; ".join(
            [
                *alone,
                *([f"a slice of {', '.join(left)}; the rest counts as failed"] if left else []),
            ]
        )

"""The part of a plan that a lab boots: its GPUs, switches and links, and what is left out.

`slice` chooses it. A link exists where both of its ends do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.forwarding.failures import Failures
from fabricgen.analysis.forwarding.path_names import PathNames
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.build.selection import BuildScope
from fabricgen.core.terms import LinkKind, Role

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan


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
class BootedPart:
    """The part of a plan that a lab boots: some rails and HB domains.

    It has at most `width` spines of a pod and cores of a group, or all with 0.
    """

    plan: Plan
    rails: frozenset[int]
    domains: tuple[int, ...]
    width: int = 0
    in_turn: bool = False
    """Whether the other rails are booted before or after this one, each alone."""
    leaves: frozenset[int] = frozenset()
    """Further boxes of leaves in a slice, which devices of the lab are on."""

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
        leaves = {*plan.segment.upper[self._host_rows].tolist(), *self.leaves}
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
    def node_names(self) -> dict[tuple[int, int, int], str]:
        """The name of each node, by segment, block and box."""
        return {(each.segment, each.block, each.box): each.name for each in self.switches}

    def _rows_of(self, segment: int) -> list[int]:
        """Return the rows of `Plan.segment` of the links between booted switches of a segment."""
        booted = np.isin(self.plan.segment.block[self._rows], self._blocks(segment))
        return [row for row, there in zip(self._rows, booted.tolist(), strict=True) if there]

    def first_node(self, switch: str) -> str:
        """Return the node of a switch; the one of its first VRF where rails share it."""
        return next(each.name for each in self.switches if each.switch == switch)

    @cached_property
    def hosts(self) -> list[str]:
        """The names of the hosts with a GPU of the lab."""
        return [
            self.plan.hosts[host]
            for host in sorted({self.plan.fabric.coordinates.host(gpu) for gpu in self.gpus})
        ]

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

"""The contents of the drawing of a block: its GPUs or devices, and its switches tier by tier."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import LinkKind, Role, speed_text
from fabricgen.outputs.drawings.attached import attached_tier
from fabricgen.outputs.drawings.merged_tiers import Strand, Tier
from fabricgen.planning.segment_links import switches_with_links

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.core.arrays import BoolArray, Int32Array, IntArray
    from fabricgen.planning.plan import Plan


class BlockContents:
    """The contents of the drawings of all blocks of a plan."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan; nothing is made before it is needed."""
        self.plan = plan

    def of(self, segment: int, block: int) -> tuple[list[Tier], list[Strand], Strand | None]:
        """Return the tiers of a block, the links between them, and those of pairs."""
        plan = self.plan
        ends, lowest = self._lowest(segment, block)
        tiers, strands = [ends], []
        rail = plan.mapping.rail(segment, block)
        below: IntArray = np.zeros(0, dtype=np.int32)
        for kind in plan.tier_kinds:
            rows = (plan.segment.kind == kind) & (plan.segment.block == block)
            boxes = self.boxes(kind.upper, block)
            lower = (
                lowest
                if kind is LinkKind.HOST
                else np.searchsorted(below, plan.segment.lower[rows])
            )
            rails = (
                plan.fabric.coordinates.rail(gpus_of(plan, segment, rows))
                if kind is LinkKind.HOST and not plan.fabric.network
                else np.full(len(lower), -1 if rail is None else rail)
            )
            served = rails_of(plan, boxes, np.flatnonzero(rows), rails)
            tiers.append(self._switches(segment, block, boxes, kind.upper, served))
            upper = np.searchsorted(boxes, plan.segment.upper[rows])
            cables = self._cables(kind, segment, block, plan.segment.number[rows])
            strands.append(Strand(lower, upper, rails, speed_of(plan, kind), cables))
            below = boxes
        return tiers, strands, self._peers(segment, block)

    def _peers(self, segment: int, block: int) -> Strand | None:
        """Return the links between the leaves of pairs; None where there are none."""
        wired = self.plan.segment
        if LinkKind.PEER not in self.plan.kinds:
            return None
        rows = (wired.kind == LinkKind.PEER) & (wired.block == block)
        boxes = self.boxes(LinkKind.PEER.upper, block)
        lower, upper = (
            np.searchsorted(boxes, column[rows]) for column in (wired.lower, wired.upper)
        )
        cables = self._cables(LinkKind.PEER, segment, block, wired.number[rows])
        return Strand(
            lower, upper, np.full(len(lower), -1), speed_of(self.plan, LinkKind.PEER), cables
        )

    def _lowest(self, segment: int, block: int) -> tuple[Tier, IntArray]:
        """Return what a block joins, and the place there of the lower end of each host link."""
        network = self.plan.fabric.network
        if network:
            return attached_tier(self.plan, network.attached)
        gpus = self._endpoints(segment, block)
        return gpus, np.arange(len(gpus.names))

    def _endpoints(self, segment: int, block: int) -> Tier:
        """Return the GPUs of a block in the order of its endpoints, grouped by leaf."""
        wired, coordinates = self.plan.segment, self.plan.fabric.coordinates
        rows = (wired.kind == LinkKind.HOST) & (wired.block == block)
        gpus = gpus_of(self.plan, segment, rows).tolist()
        names = [coordinates.name(gpu) for gpu in gpus]
        hosts = [self.plan.hosts[coordinates.host(gpu)] for gpu in gpus]
        rails = [str(coordinates.rail(gpu)) for gpu in gpus]
        return Tier("GPUs", names, hosts, rails, wired.upper[rows], switch=False)

    def boxes(self, role: Role, block: int) -> IntArray:
        """Return the switches of a role with links in a block, by index in a segment."""
        every = enumerate(zip(self.plan.naming.boxes, self._linked, strict=True))
        return np.array(
            [
                index
                for index, (box, has) in every
                if has and box.role is role and box.block in (-1, block)
            ],
            dtype=np.int32,
        )

    @cached_property
    def _linked(self) -> list[bool]:
        """Whether each switch of a segment has a link: those of devices are of compute."""
        return switches_with_links(self.plan.segment, len(self.plan.naming.boxes))

    def _switches(
        self, segment: int, block: int, boxes: IntArray, role: Role, rails: list[str]
    ) -> Tier:
        """Return the switches of a tier of a block, grouped by pod or by spines in common."""
        plan, sizing = self.plan, self.plan.sizing
        names, every = plan.naming.switches(segment), plan.naming.boxes
        sizes = {
            Role.LEAF: sizing.pod_leaves,
            Role.SPINE: sizing.pod_spines,
            Role.CORE: sizing.group_cores,
        }
        index = np.array([every[box].index for box in boxes.tolist()])
        together = index // sizes[role] if sizing.core else index
        others = [rail for other, rail in enumerate(plan.mapping.rails(segment)) if other != block]
        beside = (
            f"also rail {others[0]}, apart"
            if len(others) == 1
            else f"also {len(others)} rails, apart"
        )
        notes = [beside if every[box].block < 0 else "" for box in boxes.tolist()]
        return Tier(
            f"{role} switches", [names[box] for box in boxes.tolist()], notes, rails, together
        )

    def _cables(
        self, kind: LinkKind, segment: int, block: int, numbers: Int32Array
    ) -> Callable[[int], str]:
        """Return a function that names a link of a block."""
        prefix, width = self.plan.label(kind, segment, block), self.plan.label_width
        return lambda row: f"{prefix}{int(numbers[row]):0{width}}"


def gpus_of(plan: Plan, segment: int, rows: BoolArray) -> Int32Array:
    """Return the GPU of each of some host links of a segment."""
    wired = plan.segment
    return plan.mapping.lower_gpu(segment, wired.lower[rows], wired.block[rows])


def speed_of(plan: Plan, kind: LinkKind) -> str:
    """Return the speed of a kind of link."""
    return speed_text(plan.link_parts[kind].speed_gbps)


def rails_of(plan: Plan, boxes: IntArray, rows: IntArray, rails: IntArray) -> list[str]:
    """Return the rail of each switch by the links below it; empty where there are several."""
    upper = plan.segment.upper[rows]
    low, high = (
        np.full(int(boxes.max()) + 1, start, dtype=np.int64)
        for start in (np.iinfo(np.int32).max, -1)
    )
    np.minimum.at(low, upper, rails)
    np.maximum.at(high, upper, rails)
    return [str(high[box]) if low[box] == high[box] >= 0 else "" for box in boxes.tolist()]

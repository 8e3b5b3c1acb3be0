"""Which parts of a fabric are equivalent, so that one can be measured for all.

Owns the classes. `surroundings` owns what makes a difference; as segments and their blocks are
alike, only block 0 of segment 0 is examined, and the result multiplied.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.impact.direct_parts import direct_gpus, direct_links
from fabricgen.analysis.impact.part_kinds import CABLES
from fabricgen.analysis.impact.surroundings import Surroundings, numbered
from fabricgen.core.terms import ROLES, LinkKind, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.plan import Plan

FEW = 8
"""Parts of a class that are named."""


class PartGroup(NamedTuple):
    """Equivalent parts: the names of a few, as `--fail` accepts them, and their number."""

    names: list[str]
    size: int


class EquivalenceClasses(NamedTuple):
    """The class of every box and every link of a segment, as indices of `examples`.

    A box that is not installed has -1; links are in the order of `Plan.segment`. `examples` has the
    name of one part of each class, as `--fail` accepts it. All segments are alike.
    """

    boxes: Int32Array
    links: Int32Array
    examples: list[str]


@dataclass(frozen=True)
class Parts:
    """The parts of a plan in equivalence classes."""

    plan: Plan

    @cached_property
    def _surroundings(self) -> Surroundings:
        """The classes of switches and rails."""
        return Surroundings(self.plan)

    def groups(self, kind: str) -> list[PartGroup]:
        """Return the classes of a kind; for `switch` and `cable`, those of every role or tier."""
        fabric = self.plan.fabric
        if kind in ("switch", "cable"):
            return [
                group
                for each in (ROLES if kind == "switch" else CABLES)
                for group in self.groups(each)
            ]
        if kind in CABLES:
            return self._cables(CABLES[kind]) if CABLES[kind] in self.plan.kinds else []
        if kind in ("nic", "gpu"):
            return self._gpus(kind)
        if kind == "hb":
            return self._grouped("hb", [0] * fabric.coordinates.domains, str)
        if kind == "plane":
            return self._grouped("plane", [0] * fabric.planes, str)
        if kind == "rail":
            return self._grouped(
                "rail", [self._surroundings.rail(rail) for rail in range(fabric.rails)], str
            )
        return self._switches(Role(kind)) if kind in self.plan.roles else []

    def _grouped(
        self, kind: str, likes: Iterable[Hashable], name: Callable[[int], str], times: int = 1
    ) -> list[PartGroup]:
        """Group parts, numbered from 0, by their likeness; each is one of `times` equal parts."""
        found: dict[Hashable, list[int]] = {}
        for part, like in enumerate(likes):
            found.setdefault(like, []).append(part)
        return [
            PartGroup([f"{kind}:{name(part)}" for part in parts[:FEW]], len(parts) * times)
            for parts in found.values()
        ]

    def of_segment(self, *, links: bool = True) -> EquivalenceClasses:
        """Return the classes of the boxes and the links of a segment.

        Without `links`, only boxes are classified, and each link has -1.
        """
        plan, segment = self.plan, self.plan.segment
        found = EquivalenceClasses(
            np.full(len(plan.naming.boxes), -1, dtype=np.int32),
            np.full(len(segment.kind), -1, dtype=np.int32),
            [],
        )
        for role in plan.roles:
            boxes, likes = self._installed(role)
            for block in range(1 if role is Role.LEAF else plan.mapping.segment_blocks):
                found.boxes[boxes + block * (plan.sizing.spine + plan.sizing.core)] = likes + len(
                    found.examples
                )
            found.examples.extend(group.names[0] for group in self._switches(role))
        for kind in plan.kinds if links else ():
            _, likes = self._links(kind)
            for block in range(plan.mapping.segment_blocks):
                found.links[(segment.kind == kind) & (segment.block == block)] = likes + len(
                    found.examples
                )
            found.examples.extend(group.names[0] for group in self._cables(kind))
        return found

    def _installed(self, role: Role) -> tuple[Int32Array, Int32Array]:
        """Return the installed switches of a role in block 0, and their classes.

        The switches are boxes of the segment; classes are numbered from 0 in order of appearance.
        """
        sizing = self.plan.sizing
        likes = {
            Role.LEAF: self._surroundings.leaves,
            Role.SPINE: self._surroundings.spines.reshape(-1),
            Role.CORE: self._surroundings.cores,
        }[role]
        first = {Role.LEAF: 0, Role.SPINE: sizing.leaf, Role.CORE: sizing.leaf + sizing.spine}[role]
        has = np.flatnonzero(self.plan.installed[first : first + len(likes)]).astype(np.int32)
        return has + np.int32(first), numbered(likes[has].tolist())

    def _switches(self, role: Role) -> list[PartGroup]:
        """Group the installed switches of a role in block 0."""
        boxes, likes = self._installed(role)
        names = self.plan.naming.switches(0)
        times = self.plan.mapping.segments * (
            1 if role is Role.LEAF else self.plan.mapping.segment_blocks
        )
        return self._grouped("switch", likes.tolist(), lambda part: names[int(boxes[part])], times)

    def _links(self, kind: LinkKind) -> tuple[Int32Array, Int32Array]:
        """Return the links of a kind in block 0, as rows of the segment, and their classes.

        A class is that of both ends, and the number of parallel links.
        """
        plan, segment, sizing = self.plan, self.plan.segment, self.plan.sizing
        rows = np.flatnonzero((segment.kind == kind) & (segment.block == 0)).astype(np.int32)
        if kind is LinkKind.DIRECT:
            return rows, numbered(direct_links(plan).tolist())
        low, high = segment.lower[rows], segment.upper[rows]
        if kind is LinkKind.HOST:
            return rows, numbered(self._surroundings.leaves[high].tolist())
        beside = np.unique(
            low.astype(np.int64) * len(plan.naming.boxes) + high,
            return_inverse=True,
            return_counts=True,
        )
        ends = (
            (self._surroundings.leaves, self._surroundings.spines.reshape(-1))
            if kind is LinkKind.LEAF_SPINE
            else (self._surroundings.spines.reshape(-1), self._surroundings.cores)
        )
        below = 0 if kind is LinkKind.LEAF_SPINE else sizing.leaf
        above = sizing.leaf if kind is LinkKind.LEAF_SPINE else sizing.leaf + sizing.spine
        likes = np.column_stack([ends[0][low - below], ends[1][high - above], beside[2][beside[1]]])
        return rows, numbered(map(tuple, likes.tolist()))

    def _cables(self, kind: LinkKind) -> list[PartGroup]:
        """Group the cables of a kind in block 0."""
        plan, (rows, likes) = self.plan, self._links(kind)
        letter = "a" if plan.link_parts[kind].cables > 1 else ""
        times = plan.mapping.segments * plan.mapping.segment_blocks * plan.link_parts[kind].cables

        def name(part: int) -> str:
            number = int(plan.segment.number[rows[part]])
            return f"{plan.label(kind, 0, 0)}{number:0{plan.label_width}}{letter}"

        return self._grouped("link", likes.tolist(), name, times)

    def _gpus(self, kind: str) -> list[PartGroup]:
        """Group the GPUs of block 0, or their NICs, by their leaf, or by their place in a graph."""
        if self.plan.mapping.topology:
            gpus, likes = direct_gpus(self.plan)
        else:
            gpus = self._surroundings.endpoints
            likes = self._surroundings.leaves[self._surroundings.fabric.leaf[gpus]]
        coordinates = self.plan.fabric.coordinates
        return self._grouped(
            kind,
            likes.tolist(),
            lambda part: coordinates.name(int(gpus[part])),
            coordinates.gpus // len(gpus),
        )

"""The equal-cost paths over one block, from leaf to leaf, and the one that a flow takes.

Owns ECMP: a path goes up as far as needed and then down, and the candidates of every tier are all
working links that lead to the target; `ecmp_hash` selects one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.forwarding.ecmp_hash import flow_hash
from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from fabricgen.analysis.forwarding.ecmp_hash import Flow
    from fabricgen.analysis.forwarding.reachability import Reach


class Step(NamedTuple):
    """One link between two switches of a block: its row in `Plan.segment`, and its direction."""

    row: int
    up: bool


class EcmpPaths:
    """The working links of one block, for the paths between two leaves."""

    def __init__(self, reach: Reach, segment: int, block: int) -> None:
        """Find the working links of a block."""
        self.reach, self.segment, self.block = reach, segment, block
        plan, failures, columns = reach.plan, reach.failures, reach.plan.segment
        alive = (columns.block == block) & (columns.kind != LinkKind.HOST)
        dead = [index for of, index in failures.switches if of == segment]
        alive &= ~np.isin(columns.upper, dead) & ~np.isin(columns.lower, dead)
        alive[[row for of, row in failures.links if of == segment]] = False
        self.rows = np.flatnonzero(alive).astype(np.int32)
        self.lower, self.upper = columns.lower[self.rows], columns.upper[self.rows]
        self.plan = plan

    def walk(
        self, low: int, high: int, addresses: tuple[int, int], flow: Flow
    ) -> tuple[list[Step], int]:
        """Return the links from one leaf up and down to another, chosen by the flow's hash."""
        down = self._down(high)
        ways = self._count(low, down)
        steps: list[Step] = []
        box, rising = low, True
        while box != high:
            if box in down:
                rising = False
            links = self._onwards(box, down, rising=rising)
            row = links[flow_hash(self._seed(box), *addresses, flow) % len(links)]
            steps.append(Step(row, rising))
            box = int((self.plan.segment.upper if rising else self.plan.segment.lower)[row])
        return steps, ways

    def _down(self, high: int) -> dict[int, set[int]]:
        """Return the switches above a leaf that reach it downwards, each with its next switches."""
        found: dict[int, set[int]] = {}
        level = {high}
        while level:
            above: set[int] = set()
            for lower, upper in zip(*self._under(level), strict=True):
                found.setdefault(upper, set()).add(lower)
                above.add(upper)
            level = above
        return found

    def _under(self, level: set[int]) -> tuple[list[int], list[int]]:
        """Return both ends of the links whose lower end is in a level."""
        near = np.isin(self.lower, list(level))
        return self.lower[near].tolist(), self.upper[near].tolist()

    def _onwards(self, box: int, down: dict[int, set[int]], *, rising: bool) -> list[int]:
        """Return the rows of the links that lead to the leaf, in order of interface."""
        segment = self.plan.segment
        if rising:
            rows = self.rows[self.lower == box]
            useful = [row for row in rows.tolist() if self._leads(int(segment.upper[row]), down)]
            return sorted(useful, key=lambda row: int(segment.lower_port[row]))
        rows = self.rows[(self.upper == box) & np.isin(self.lower, list(down[box]))]
        return sorted(rows.tolist(), key=lambda row: int(segment.upper_port[row]))

    def _leads(self, box: int, down: dict[int, set[int]]) -> bool:
        """Return whether a switch above reaches the leaf downwards, or after one more step up."""
        return box in down or any(upper in down for upper in self.upper[self.lower == box].tolist())

    def _count(self, box: int, down: dict[int, set[int]]) -> int:
        """Return the number of paths from a switch upwards and down again."""
        if box in down:
            return self._descents(box, down)
        rows = self._onwards(box, down, rising=True)
        uppers, times = np.unique(self.plan.segment.upper[rows], return_counts=True)
        return sum(
            int(often) * self._count(int(upper), down)
            for upper, often in zip(uppers, times, strict=True)
        )

    def _descents(self, box: int, down: dict[int, set[int]]) -> int:
        """Return the number of paths from a switch down to the leaf."""
        if box not in down:
            return 1
        lowers, times = np.unique(
            self.lower[(self.upper == box) & np.isin(self.lower, list(down[box]))],
            return_counts=True,
        )
        return sum(
            int(often) * self._descents(int(lower), down)
            for lower, often in zip(lowers, times, strict=True)
        )

    def _seed(self, index: int) -> int:
        """Return the loopback of a switch in this block."""
        return self.plan.addresses.router_id(
            self.segment, self.block, self.plan.naming.boxes[index]
        )

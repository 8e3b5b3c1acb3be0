"""The law of bisection: one half of a block can send to the other what its sizing promises.

Measures the wiring. The *claim* of `bisection_of` is arithmetic on the sizing. The *formula* is the
narrowest of the cuts at leaves, spines and cores, an upper bound of any flow. The *flow* is the
maximum flow over the wired links, up and then down as routing goes. Even spreading reaches the
formula exactly: each leaf sends the same share over each uplink, so each switch above receives the
same share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, violations
from fabricgen.core.max_flow import max_flow
from fabricgen.core.terms import CLOS_KINDS
from fabricgen.planning.bisection_width import bisection_of, halves_of, leaf_endpoints

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import BoolArray, IntArray

FLOW_LINKS = 50_000
"""Links up to which the maximum flow of every block is computed, in less than a second."""


def bisection(evidence: Evidence) -> Verdict:
    """Verify that the maximum flow between the halves of a block is what the design claims.

    Networks beside the compute fabric claim none: their traffic is not between halves.
    """
    if evidence.plan.fabric.network:
        return Verdict("no claim of a network beside the compute fabric")
    cut, claim = _Cut(evidence), bisection_of(evidence.plan)
    exact = len(evidence.wiring.kind) <= FLOW_LINKS
    formula = cut.formula()
    flows = (
        np.array([cut.flow(block) for block in range(len(formula))])
        if exact
        else np.minimum(formula, claim.flow)
    )
    wrong = np.flatnonzero((formula != claim.cut) | (flows > claim.cut) | (flows < claim.flow))
    blocks = len(formula)

    def describe(block: int) -> Violation:
        got = f"the narrowest cut carries {int(formula[block]):,} Gbps" + (
            f", the maximum flow is {int(flows[block]):,} Gbps" if exact else ""
        )
        promised = f"the size of a block promises {claim.cut:,} Gbps" + (
            "" if claim.flow == claim.cut else f", or at least {claim.flow:,}"
        )
        return Violation(
            f"the halves of {evidence.block(block)} are joined by {int(flows[block]):,} Gbps",
            (got, promised),
        )

    share = (
        f", {100 * int(flows.min()) / claim.half:.0f}% of what a half can send"
        if claim.half
        else ""
    )
    each = f"{blocks:,} x {int(flows.min()):,} Gbps between halves{share}"
    how = " (maximum flow and narrowest cut)" if exact else ""
    return Verdict(
        each + how,
        (violations(wrong, describe),),
        (
            ""
            if exact
            else f"the narrowest cut of each block, measured on {len(evidence.wiring.kind):,} links"
        ),
    )


class _Cut:
    """The blocks of a fabric, cut in two."""

    def __init__(self, evidence: Evidence) -> None:
        """Count the ports and uplinks of each vertex, and assign each leaf to one of the halves."""
        plan, vertices = evidence.plan, evidence.vertices
        self.evidence, self.vertices, self.sizing = evidence, vertices, plan.sizing
        kind, size = evidence.wiring.kind, vertices.count
        self.between = [kind == each for each in CLOS_KINDS]
        self.speeds = [
            evidence.speed_gbps(each) if each in plan.kinds else 0 for each in CLOS_KINDS
        ]
        self.endpoints = np.bincount(vertices.upper[self.between[0]], minlength=size)
        self.up = [np.bincount(vertices.lower[rows], minlength=size) for rows in self.between[1:]]
        self.blocks = plan.mapping.segments * vertices.blocks
        index = np.repeat(evidence.box_index, vertices.blocks)
        self.index = np.tile(index, plan.mapping.segments)
        self.pod = self.index // np.repeat(
            np.tile(_pod_sizes(evidence), plan.mapping.segments), vertices.blocks
        )
        self.pods, self.first = halves_of(plan.sizing, leaf_endpoints(plan))
        self.near = self.pod < self.first if self.pods > 1 else self.index < self.first

    def formula(self) -> IntArray:
        """Return the narrowest cut of each block, Gbps."""
        if not self.first:
            return self._sum(self.endpoints // 2 * self.speeds[0], np.ones_like(self.near))
        leaf = np.minimum(self.endpoints * self.speeds[0], self.up[0] * self.speeds[1])
        if self.pods == 1:
            return self._least(
                self._sum(leaf, self.near), self._sum(leaf, ~self.near), self._meeting(1)
            )
        pods = self.sizing.pods
        down = np.bincount(self.vertices.upper[self.between[1]], minlength=self.vertices.count)
        spine = np.minimum(down * self.speeds[1], self.up[1] * self.speeds[2])
        keys = self.vertices.block * pods + np.minimum(self.pod, pods - 1)
        both = [
            np.bincount(keys, part, minlength=self.blocks * pods).astype(np.int64)
            for part in (leaf, spine)
        ]
        pod = np.minimum(*both).reshape(self.blocks, pods)
        return self._least(
            pod[:, : self.first].sum(axis=1), pod[:, self.first :].sum(axis=1), self._meeting(2)
        )

    def _least(self, *cuts: IntArray) -> IntArray:
        """Return the narrowest of some cuts, block by block."""
        narrowest: IntArray = np.minimum.reduce(cuts)
        return narrowest

    def _sum(self, amounts: IntArray, where: BoolArray) -> IntArray:
        """Add up the amounts of the vertices of each block."""
        return np.bincount(self.vertices.block, amounts * where, minlength=self.blocks).astype(
            np.int64
        )

    def _meeting(self, tier: int) -> IntArray:
        """Return what the switches at which the halves meet can forward between them, per block."""
        rows = self.between[tier]
        low, high = self.vertices.lower[rows], self.vertices.upper[rows]
        near = self.near[low]
        sides = [np.bincount(high[side], minlength=self.vertices.count) for side in (near, ~near)]
        return self._sum(np.minimum(*sides) * self.speeds[tier], np.ones_like(self.near))

    def flow(self, block: int) -> int:
        """Return the maximum flow between the halves of a block, Gbps."""
        if not self.first:
            return int(self.formula()[block])
        return max_flow(self._edges(block), "near", "far")

    def _edges(self, block: int) -> Iterator[tuple[str | int, str | int, int]]:
        """Yield the edges of a block with their capacity: up in one half, down in the other."""
        leaves = np.flatnonzero((self.vertices.block == block) & (self.endpoints > 0)).tolist()
        for leaf in leaves:
            capacity = int(self.endpoints[leaf]) * self.speeds[0]
            yield ("near", leaf, capacity) if self.near[leaf] else (leaf, "far", capacity)
        for tier in (1, 2) if self.pods > 1 else (1,):
            rows = self.between[tier] & (self.vertices.block[self.vertices.upper] == block)
            pairs, links = np.unique(
                self.vertices.lower[rows] * self.vertices.count + self.vertices.upper[rows],
                return_counts=True,
            )
            for pair, count in zip(pairs.tolist(), links.tolist(), strict=True):
                low, high = divmod(pair, self.vertices.count)
                ends = (low, high) if self.near[low] else (high, low)
                yield (*ends, count * self.speeds[tier])


def _pod_sizes(evidence: Evidence) -> IntArray:
    """Return for each box of a segment how many boxes of its role make a pod.

    A core belongs to no pod; all cores count as one.
    """
    sizing = evidence.plan.sizing
    return np.array([0, sizing.pod_leaves, max(sizing.pod_spines, 1), max(sizing.core, 1)])[
        evidence.box_tier
    ]

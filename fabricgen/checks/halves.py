"""The law of bisection: what one half of a block can send to the other is what its size promises.

Owns the cut of a block in two, the claim, the formula and the flow. The cut runs between pods in three tiers, between leaves in two, and through
the one leaf of the smallest blocks. The *claim* is arithmetic on the sizing. The *formula* measures the narrowest of the cuts at leaves,
spines and cores on the wiring, so it is an upper bound of any flow. The *flow* is the maximum flow over the wired links, up and
then down as routing goes. Even spreading reaches the formula exactly: each leaf sends the same share over each uplink, so each switch above
gets the same, and none is fuller than another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.checks.flow import max_flow
from fabricgen.checks.judging import Objection, Verdict, against
from fabricgen.terms import LinkKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.checks.evidence import Evidence, Whole
    from fabricgen.clos import Bools, Sizing

FLOW_LINKS = 50_000
"""Up to so many links the maximum flow of every block is computed; that takes less than a second."""


class _Claim(NamedTuple):
    """What the size of a block promises, in Gbps: at least `low`, and what the formula gives, `high`. They differ only where links are spread unevenly."""

    low: int
    high: int
    half: int
    """What the endpoints of the smaller half can send."""


def bisection(evidence: Evidence) -> Verdict:
    """Between the halves of every block flows what the design claims."""
    cut, claim = _Cut(evidence), _claim(evidence)
    exact = len(evidence.wiring.kind) <= FLOW_LINKS
    formula = cut.formula()
    flows = np.array([cut.flow(block) for block in range(len(formula))]) if exact else formula
    wrong = np.flatnonzero((formula != claim.high) | (flows > claim.high) | (flows < claim.low))
    blocks = len(formula)

    def tell(block: int) -> Objection:
        got = f"the narrowest cut carries {int(formula[block]):,} Gbps" + (f", the maximum flow is {int(flows[block]):,} Gbps" if exact else "")
        promised = f"the size of a block promises {claim.high:,} Gbps" + ("" if claim.low == claim.high else f", or at least {claim.low:,}")
        return Objection(f"the halves of {evidence.block(block)} are joined by {int(flows[block]):,} Gbps", (got, promised))

    share = f", {100 * int(flows.min()) / claim.half:.0f}% of what a half can send" if claim.half else ""
    each = f"{blocks:,} x {int(flows.min()):,} Gbps between halves{share}"
    how = " (maximum flow and narrowest cut)" if exact else ""
    return Verdict(each + how, (against(wrong, tell),), "" if exact else f"the narrowest cut of each block, measured on {len(evidence.wiring.kind):,} links")


class _Cut:
    """The blocks of a fabric, cut in two."""

    def __init__(self, evidence: Evidence) -> None:
        """Count what endpoints, leaves and spines have, and say which side each leaf is on."""
        plan, vertices = evidence.plan, evidence.vertices
        self.evidence, self.vertices, self.sizing = evidence, vertices, plan.sizing
        kind, size = evidence.wiring.kind, vertices.count
        self.between = [kind == each for each in LinkKind]
        self.speeds = [evidence.speed_gbps(each) if each in plan.kinds else 0 for each in LinkKind]
        self.endpoints = np.bincount(vertices.upper[self.between[0]], minlength=size)
        self.up = [np.bincount(vertices.lower[rows], minlength=size) for rows in self.between[1:]]
        self.blocks = plan.mapping.units * vertices.blocks
        index = np.repeat(evidence.box_index, vertices.blocks)
        self.index = np.tile(index, plan.mapping.units)
        self.pod = self.index // np.repeat(np.tile(_pod_sizes(evidence), plan.mapping.units), vertices.blocks)
        self.pods, self.first = _halves(evidence)
        self.near = self.pod < self.first if self.pods > 1 else self.index < self.first

    def formula(self) -> Whole:
        """Return the narrowest cut of each block, Gbps."""
        if not self.first:
            return self._sum(self.endpoints // 2 * self.speeds[0], np.ones_like(self.near))
        leaf = np.minimum(self.endpoints * self.speeds[0], self.up[0] * self.speeds[1])
        if self.pods == 1:
            return self._least(self._sum(leaf, self.near), self._sum(leaf, ~self.near), self._meeting(1))
        pods = self.sizing.pods
        down = np.bincount(self.vertices.upper[self.between[1]], minlength=self.vertices.count)
        spine = np.minimum(down * self.speeds[1], self.up[1] * self.speeds[2])
        keys = self.vertices.block * pods + np.minimum(self.pod, pods - 1)
        both = [np.bincount(keys, part, minlength=self.blocks * pods).astype(np.int64) for part in (leaf, spine)]
        pod = np.minimum(*both).reshape(self.blocks, pods)
        return self._least(pod[:, : self.first].sum(axis=1), pod[:, self.first :].sum(axis=1), self._meeting(2))

    def _least(self, *cuts: Whole) -> Whole:
        """Return the narrowest of some cuts, block by block."""
        narrowest: Whole = np.minimum.reduce(cuts)
        return narrowest

    def _sum(self, amounts: Whole, where: Bools) -> Whole:
        """Add up the amounts of the vertices of each block."""
        return np.bincount(self.vertices.block, amounts * where, minlength=self.blocks).astype(np.int64)

    def _meeting(self, tier: int) -> Whole:
        """Add up, over the switches at which the halves meet, what can pass each from one half to the other."""
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
        """Yield the edges of a block with their capacity: up in the half that sends, down in the other."""
        leaves = np.flatnonzero((self.vertices.block == block) & (self.endpoints > 0)).tolist()
        for leaf in leaves:
            capacity = int(self.endpoints[leaf]) * self.speeds[0]
            yield ("near", leaf, capacity) if self.near[leaf] else (leaf, "far", capacity)
        for tier in (1, 2) if self.pods > 1 else (1,):
            rows = self.between[tier] & (self.vertices.block[self.vertices.upper] == block)
            pairs, links = np.unique(self.vertices.lower[rows] * self.vertices.count + self.vertices.upper[rows], return_counts=True)
            for pair, count in zip(pairs.tolist(), links.tolist(), strict=True):
                low, high = divmod(pair, self.vertices.count)
                ends = (low, high) if self.near[low] else (high, low)
                yield (*ends, count * self.speeds[tier])


def _pod_sizes(evidence: Evidence) -> Whole:
    """Return, for each box of a unit, how many boxes of its role make a pod; a core is in none, and counts as its own."""
    sizing = evidence.plan.sizing
    return np.array([0, sizing.pod_leaves, max(sizing.pod_spines, 1), max(sizing.core, 1)])[evidence.box_tier]


def _seats(evidence: Evidence) -> Whole:
    """Return how many installed endpoints each leaf of a block is sized for, by the mapping alone."""
    plan = evidence.plan
    gpu = plan.mapping.pattern()
    slots = np.flatnonzero((gpu >= 0) & (gpu < plan.request.gpus))
    return np.bincount(slots // plan.sizing.leaf_down, minlength=plan.sizing.leaf)


def _halves(evidence: Evidence) -> tuple[int, int]:
    """Return the pods that have endpoints, and how many pods, or leaves where there is one pod, make the first half; 0 is half of one leaf."""
    sizing, seats = evidence.plan.sizing, _seats(evidence)
    pods = int(np.count_nonzero(_of_pods(sizing, seats)))
    return pods, (pods if pods > 1 else int(np.count_nonzero(seats))) // 2


def _claim(evidence: Evidence) -> _Claim:
    """Work out what the sizing promises for a block: the smaller half's endpoints, behind their leaves' uplinks, through the switches between."""
    plan, sizing, seats = evidence.plan, evidence.plan.sizing, _seats(evidence)
    speeds = [evidence.speed_gbps(kind) for kind in plan.kinds]
    pods, first = _halves(evidence)
    if not first:
        half = int(seats.max(initial=0)) // 2 * speeds[0]
        return _Claim(half, half, half)
    split = first * (sizing.pod_leaves if pods > 1 else 1)
    half = min(int(seats[:split].sum()), int(seats[split:].sum())) * speeds[0]
    if pods == 1:
        lowers = int(np.count_nonzero(seats)) if sizing.tiers == 2 else len(sizing.leaves_of_pod(0))  # noqa: PLR2004 - the second tier
        least, most = (np.minimum(seats * speeds[0], width * speeds[1]) for width in (sizing.leaf_up // sizing.pod_spines * sizing.pod_spines, sizing.leaf_up))
        ends = [min(int(leaf[:split].sum()), int(leaf[split:].sum())) for leaf in (least, most)]
        return _Claim(ends[0], min(ends[1], _met(first, lowers, sizing.leaf_up, sizing.pod_spines) * speeds[1]), half)
    leaf = _of_pods(sizing, np.minimum(seats * speeds[0], sizing.leaf_up * speeds[1]))
    ends = []
    for up in (sizing.spine_up // sizing.group_cores * sizing.group_cores, sizing.spine_up):
        pod = np.minimum(leaf, sizing.pod_spines * up * speeds[2])
        ends.append(min(int(pod[:first].sum()), int(pod[first:].sum())))
    through = sizing.pod_spines * _met(first, pods, sizing.spine_up, sizing.group_cores) * speeds[2]
    return _Claim(ends[0], min(ends[1], through), half)


def _of_pods(sizing: Sizing, leaves: Whole) -> Whole:
    """Add up, pod by pod, what the leaves of a block have."""
    sums: Whole = np.add.reduceat(leaves, np.arange(0, sizing.leaf, sizing.pod_leaves))
    return sums


def _met(first: int, lowers: int, uplinks: int, uppers: int) -> int:
    """Return how many links can pass from the first lowers to the rest, where each of `lowers` gives its uplinks to the uppers in turn.

    >>> _met(1, 2, 4, 2), _met(1, 2, 3, 2)
    (4, 2)
    """
    if uplinks % uppers == 0:
        return uplinks * min(first, lowers - first)
    near = [len(range(upper, first * uplinks, uppers)) for upper in range(uppers)]
    every = [len(range(upper, lowers * uplinks, uppers)) for upper in range(uppers)]
    return sum(min(one, both - one) for one, both in zip(near, every, strict=True))

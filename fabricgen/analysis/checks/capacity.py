"""The laws of uplinks: they are spread evenly, and oversubscription is at most what was asked.

Each public function is a law of `laws`. Capacities are whole Gbps in one direction.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, Violations, violations
from fabricgen.core.arrays import distinct_columns
from fabricgen.core.count_text import counted
from fabricgen.core.terms import LinkKind, Role, ratio_text
from fabricgen.planning.worst_permutation import worst_permutation_pct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import BoolArray, IntArray


def links_even(evidence: Evidence) -> Verdict:
    """Every switch has the same number of links to every switch above it.

    `spread: minimal` allows a difference of one.
    """
    found: list[Violations] = []
    figures = []
    for kind in evidence.plan.tier_kinds[1:]:
        pairs = _Pairs(evidence, kind)
        found += pairs.violations()
        figures.append(
            f"each of {pairs.lowers:,} {kind.lower} switches is joined to {pairs.reached}"
            f" {kind.upper} switches, by {pairs.width} each"
        )
    return Verdict("; ".join(figures) or "one tier: no links between switches", tuple(found))


class _Pairs:
    """The links of one kind, counted by the two switches that they join."""

    def __init__(self, evidence: Evidence, kind: LinkKind) -> None:
        """Count the links; a leaf box counts once for each rail that shares it."""
        self.evidence, sizing = evidence, evidence.plan.sizing
        rows = evidence.wiring.kind == kind
        vertices = evidence.vertices
        pairs, self.links = np.unique(
            vertices.lower[rows] * vertices.count + vertices.upper[rows], return_counts=True
        )
        self.low, self.high = np.divmod(pairs, vertices.count)
        self.met = np.bincount(self.low, minlength=vertices.count)
        self.total = np.bincount(self.low, self.links, minlength=vertices.count).astype(np.int64)
        self.reached = sizing.pod_spines if kind is LinkKind.LEAF_SPINE else sizing.group_cores
        usual = int(np.bincount(self.links).argmax()) if len(self.links) else 0
        self.usual = np.full(len(self.links), usual)
        if sizing.leaf_uplinks:  # leaves of a network, which differ in their uplinks
            self.usual = np.array(sizing.leaf_uplinks)[self.low] // self.reached
        self.even = evidence.plan.spec.spread == "even"

    @property
    def lowers(self) -> int:
        """The number of lower switches."""
        return int(np.count_nonzero(self.met))

    @property
    def width(self) -> str:
        """The number of links of a pair, as text."""
        least, most = (int(self.links.min()), int(self.links.max())) if len(self.links) else (0, 0)
        return counted(least, "link") if least == most else f"{least} to {most} links"

    def violations(self) -> Iterator[Violations]:
        """Yield pairs with more or fewer links than others, and switches joined unevenly.

        The latter are not joined to every switch above, or have more uplinks than others.
        """
        name = self.evidence.domain_name
        some = np.flatnonzero(self.met)
        missing = some[self.met[some] != self.reached]
        yield violations(
            missing,
            lambda low: Violation(
                f"{name(low)} is joined to {self.met[low]} switches above instead of {self.reached}"
            ),
        )
        if self.even:
            odd = np.flatnonzero(self.links != self.usual)
            yield violations(
                odd, lambda pair: self._odd(pair, f"other pairs have {self.usual[pair]}")
            )
            return
        order = np.searchsorted(self.low, some)
        least, most = np.minimum.reduceat(self.links, order), np.maximum.reduceat(self.links, order)
        uneven = order[most - least > 1]
        yield violations(
            uneven, lambda pair: self._odd(pair, "the pairs of one switch differ by more than one")
        )
        usual = int(np.bincount(self.total[some]).argmax()) if len(some) else 0
        unlike = some[self.total[some] != usual]
        yield violations(
            unlike,
            lambda low: Violation(
                f"{name(low)} has {self.total[low]} uplinks, and other switches of its tier have"
                f" {usual}"
            ),
        )

    def _odd(self, pair: int, rule: str) -> Violation:
        """Describe a pair of switches with a wrong number of links."""
        name = self.evidence.domain_name
        low, high = int(self.low[pair]), int(self.high[pair])
        uplinks = (
            f"{self.total[low]} uplinks over {self.reached} switches above are"
            f" {Fraction(int(self.total[low]), self.reached)} each"
        )
        return Violation(
            f"{name(low)} and {name(high)} are joined by {counted(int(self.links[pair]), 'link')}",
            (rule, uplinks),
        )


def oversubscription(evidence: Evidence) -> Verdict:
    """Verify that endpoints of a leaf bring at most the asked multiple of its uplinks.

    At a spine, the capacity below is at most the capacity above.
    """
    plan = evidence.plan
    if plan.sizing.tiers == 1:
        return Verdict("one tier: there is no uplink to share")
    ports = [np.bincount(end, minlength=evidence.vertices.count) for end in _upper_ends(evidence)]
    found, figures = [], []
    for below, above in pairwise(plan.tier_kinds):
        asked = plan.spec.oversubscription if below is LinkKind.HOST else Fraction(1)
        judged = _judged(evidence) if below is LinkKind.HOST else True
        own = below is LinkKind.HOST and plan.fabric.network
        down = _device_gbps(evidence) if own else ports[below - 1] * evidence.speed_gbps(below)
        rows = evidence.wiring.kind == above
        up = np.bincount(
            evidence.vertices.lower[rows], minlength=evidence.vertices.count
        ) * evidence.speed_gbps(above)
        over = np.flatnonzero((down * asked.denominator > up * asked.numerator) & judged)

        def describe(
            vertex: int, down: IntArray = down, up: IntArray = up, asked: Fraction = asked
        ) -> Violation:
            sums = (
                f"{int(down[vertex]):,} Gbps down, {int(up[vertex]):,} Gbps up, and"
                f" {ratio_text(asked)} was asked"
            )
            return Violation(f"{evidence.domain_name(vertex)} is oversubscribed", (sums,))

        found.append(violations(over, describe))
        figures.append(
            f"{_worst(down, up)} at the worst {below.upper}, {ratio_text(asked)}"
            f" {'asked' if below is LinkKind.HOST else 'allowed'}"
        )
    worst = worst_permutation_pct(plan)
    figures += [] if worst is None else [f"worst permutation of leaves {worst:g} %"]
    return Verdict("; ".join(figures), tuple(found))


def _judged(evidence: Evidence) -> BoolArray:
    """Return whether the uplinks of each switch follow from the oversubscription of its plan.

    Leaves of a network may have a number of uplinks, or a ratio of their own.
    """
    network, mapping = evidence.plan.fabric.network, evidence.plan.mapping
    judged = np.ones(evidence.vertices.count, dtype=bool)
    if network and (packing := mapping.network_leaves):
        ratio = evidence.plan.spec.oversubscription
        asked = [
            served.keys.uplinks is None and served.keys.oversubscription == ratio
            for served in network.served
        ]
        judged[: packing.leaves()] = np.array(asked)[packing.leaf_group()]
    return judged


def _device_gbps(evidence: Evidence) -> IntArray:
    """Return what the devices of each leaf of a network bring, by the ports that they are on."""
    rows = evidence.has_host
    speeds = np.array([port.breakout.speed_gbps for port in evidence.ports[Role.LEAF]])
    brought = speeds[evidence.wiring.upper_port[rows]]
    size = evidence.vertices.count
    return np.bincount(evidence.vertices.upper[rows], brought, size).astype(np.int64)


def _upper_ends(evidence: Evidence) -> Iterator[IntArray]:
    """Return the vertices at the upper ends of the links of each kind."""
    kinds = evidence.plan.tier_kinds
    return (evidence.vertices.upper[evidence.wiring.kind == kind] for kind in kinds)


def _worst(down: IntArray, up: IntArray) -> str:
    """Return the largest ratio of any switch that has both."""
    pairs = distinct_columns(np.stack([down[up > 0], up[up > 0]])).T.tolist()
    return ratio_text(max((Fraction(low, high) for low, high in pairs), default=Fraction(0)))

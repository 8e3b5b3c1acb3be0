"""The bandwidth that a failure takes from each GPU, each rail, and the bisection of the fabric.

Owns the shares and the cut formula. A GPU's bandwidth is the sum over its planes of the NIC port's
speed times the share of its leaf's upward capacity that is left. In three tiers an uplink counts by
the share of its spine's uplinks that are left. Failures near the far end reduce the bisection only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.core.arrays import distinct
from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabricgen.analysis.forwarding.reachability import Tiers
    from fabricgen.analysis.impact.surviving import SurvivingFabric
    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.plan import Plan

    Floats = NDArray[np.float64]


class Sides(NamedTuple):
    """The halves of a block, as boundaries.

    Leaves, and pods, below them are in the first half; 0 for a block that cannot be halved.
    """

    leaves: int
    pods: int


def sides_of(plan: Plan, endpoints: Int32Array) -> Sides:
    """Halve a block between pods, or between leaves if it has one pod, by endpoints.

    `endpoints` are those of each leaf; leaves without endpoints do not count. Leaves that no spines
    join, such as the two of a small network, have no links to cut.
    """
    sizing = plan.sizing
    if not sizing.spine:
        return Sides(0, 0)
    leaves = int(np.flatnonzero(endpoints).max(initial=0)) + 1
    pods = -(-leaves // sizing.pod_leaves)
    if pods > 1:
        return Sides(pods // 2 * sizing.pod_leaves, pods // 2)
    return Sides(leaves // 2, 0)


@dataclass(frozen=True)
class Capacity:
    """The bandwidth of a surviving fabric, compared with the same fabric without failures."""

    living: SurvivingFabric

    @cached_property
    def _whole(self) -> Tiers:
        """The links of any block before the failure; all blocks are alike."""
        return Reach(self.living.reach.plan).tiers(0, 0)

    @cached_property
    def lost(self) -> Floats:
        """The share of its bandwidth that each GPU has lost; shape (GPUs,)."""
        living, planes = self.living, len(self.living.ports)
        damaged = living.reach.affected - living.reach.failures.blocks
        left = np.zeros(len(living.gpu))
        for plane, ports in enumerate(living.ports):
            share = ports.astype(np.float64)
            for scope in range(living.scopes):
                if (home := living.reach.home(scope, plane)) in damaged:
                    here = living.scope == scope
                    share[here] *= self._upward(*home)[living.leaf[here]]
            left += share
        return 1 - left / planes

    def _upward(self, segment: int, block: int) -> Floats:
        """Return the share of each leaf's upward capacity that is left; shape (leaves,)."""
        whole, now = self._whole, self.living.reach.tiers(segment, block)
        if not whole.leaf.size:
            return np.ones(len(whole.alive))
        onward = (
            _share(now.spine.sum(axis=2), whole.spine.sum(axis=2))
            if whole.spine.size
            else np.ones((len(whole.leaf), whole.leaf.shape[2]))
        )
        return _share((now.leaf * onward[:, None, :]).sum(axis=2), whole.leaf.sum(axis=2)).reshape(
            -1
        )[: len(whole.alive)]

    @cached_property
    def bisection_left(self) -> float:
        """The share of the bisection that is left, over all blocks; 1 if there was none."""
        living = self.living
        here = living.scope == 0
        endpoints = np.bincount(living.leaf[here], minlength=living.reach.plan.sizing.leaf).astype(
            np.int32
        )
        sides = sides_of(living.reach.plan, endpoints)
        before = self._cut(self._whole, endpoints, sides)
        left, blocks = 0, living.scopes * len(living.ports)
        touched = np.zeros((living.scopes, len(living.ports)), dtype=bool)
        for plane, ports in enumerate(living.ports):
            touched[living.scope[~ports], plane] = True
        for scope, plane in np.ndindex(touched.shape):
            home = living.reach.home(scope, plane)
            if touched[scope, plane] or home in living.reach.affected:
                ports = np.bincount(
                    living.leaf[(living.scope == scope) & living.ports[plane]],
                    minlength=len(endpoints),
                ).astype(np.int32)
                left += self._cut(living.reach.tiers(*home), ports, sides) - before
        return 1 + left / (before * blocks) if before else 1.0

    def _cut(self, tiers: Tiers, endpoints: Int32Array, sides: Sides) -> int:
        """Return the least of the cuts through a block, Gbps.

        These are its ports, its leaves, and its spines or cores; without spines only its ports. A
        layer of switches is cut at the smaller of the incoming and the outgoing bandwidth of each.
        """
        link_parts = self.living.reach.plan.link_parts
        speeds = {kind: joint.speed_gbps for kind, joint in link_parts.items()}
        if not sides.leaves:
            return int(endpoints.sum()) * speeds[LinkKind.HOST]
        first = np.arange(len(endpoints)) < sides.leaves
        up = tiers.uplinks.sum(axis=1) * speeds[LinkKind.LEAF_SPINE]
        leaves = np.minimum(endpoints * speeds[LinkKind.HOST], up)
        cuts = [leaves[first].sum(), leaves[~first].sum()]
        if sides.pods:
            onward = tiers.spine * speeds[LinkKind.SPINE_CORE]
            spines = np.minimum(
                tiers.leaf.sum(axis=1) * speeds[LinkKind.LEAF_SPINE], onward.sum(axis=2)
            )
            cuts += [spines[: sides.pods].sum(), spines[sides.pods :].sum()]
            cuts.append(
                np.minimum(onward[: sides.pods].sum(axis=0), onward[sides.pods :].sum(axis=0)).sum()
            )
        else:
            links = tiers.leaf[0] * speeds[LinkKind.LEAF_SPINE]
            cuts.append(
                np.minimum(
                    links[: sides.leaves].sum(axis=0), links[sides.leaves :].sum(axis=0)
                ).sum()
            )
        return int(min(cuts))

    def by_rail(self) -> dict[int, float]:
        """Return the share of its bandwidth that each affected rail has lost."""
        return {
            rail: float(self.lost[self.living.rail == rail].mean())
            for rail in distinct(self.living.rail[self.lost > 0]).tolist()
        }


def _share(now: Floats | Int32Array, whole: Int32Array) -> Floats:
    """Divide; zero of zero is the whole."""
    return np.divide(now, whole, out=np.ones(whole.shape), where=whole > 0)

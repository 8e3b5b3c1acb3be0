"""The surroundings of the parts of a fabric, as numbers: parts with equal ones are equivalent.

Owns what makes a difference: the devices below a part's leaf, how its links are spread, how full
its pod is, and its half of the fabric. Segments are alike, and so are the blocks of a segment; so
only block 0 of segment 0 is examined.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.analysis.impact.bandwidth import sides_of
from fabricgen.analysis.impact.surviving import SurvivingFabric

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from fabricgen.analysis.forwarding.reachability import Tiers
    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.plan import Plan


@dataclass(frozen=True)
class Surroundings:
    """The class of each leaf, spine, core and rail of a plan, by its surroundings."""

    plan: Plan

    def rail(self, rail: int) -> Hashable:
        """Return a comparable value of a rail.

        It is how many of its GPUs are on which leaves where blocks span rails; otherwise all rails
        are alike.
        """
        if not self.plan.mapping.spans_rails:
            return 0
        leaves, counts = np.unique(self.fabric.leaf[self.fabric.rail == rail], return_counts=True)
        return _bag(self.leaves[leaves], counts.astype(np.int32))

    @cached_property
    def fabric(self) -> SurvivingFabric:
        """The whole fabric without a failure."""
        return SurvivingFabric(Reach(self.plan))

    @cached_property
    def tiers(self) -> Tiers:
        """The links of a block."""
        return self.fabric.reach.tiers(0, 0)

    @cached_property
    def endpoints(self) -> Int32Array:
        """The GPUs of block 0."""
        return np.flatnonzero(self.fabric.scope == 0).astype(np.int32)

    @cached_property
    def _pods(self) -> Int32Array:
        """The class of each pod: by leaves, half, and the GPUs of each domain and rail below it."""
        sizing = self.plan.sizing
        side = np.arange(sizing.pods) < sides_of(self.plan, self._counts).pods
        leaves = sizing.by_pod(self.tiers.alive).sum(axis=1)
        return numbered(
            zip(
                side.tolist(),
                leaves.tolist(),
                *self._holds(sizing.pod_leaves, sizing.pods),
                strict=True,
            )
        )

    def _holds(self, leaves: int, places: int) -> list[Iterator[bytes]]:
        """Return the number of GPUs per domain, and per rail, below each run of `leaves` leaves."""
        living, gpus = self.fabric, self.endpoints
        return [
            _bags(living.leaf[gpus] // np.int32(leaves), column[gpus], places)
            for column in (living.domain, living.rail)
        ]

    @cached_property
    def _counts(self) -> Int32Array:
        """The endpoints of each leaf."""
        return np.bincount(
            self.fabric.leaf[self.endpoints], minlength=self.plan.sizing.leaf
        ).astype(np.int32)

    @cached_property
    def leaves(self) -> Int32Array:
        """The class of each leaf.

        It depends on pod, half, the GPUs of each domain and rail below the leaf, and the number of
        links to each spine.
        """
        sizing = self.plan.sizing
        side = np.arange(sizing.leaf) < sides_of(self.plan, self._counts).leaves
        up = self.tiers.uplinks
        pods = np.repeat(self._pods, sizing.pod_leaves)[: sizing.leaf].tolist()
        return numbered(
            zip(
                pods,
                side.tolist(),
                *self._holds(1, sizing.leaf),
                (row.tobytes() for row in up),
                strict=True,
            )
        )

    @cached_property
    def spines(self) -> Int32Array:
        """The class of each spine; shape (pods, spines of a pod).

        It depends on the pod, the leaves below the spine, and the number of links to each core.
        """
        down, up = self.tiers.leaf, self.tiers.spine
        leaves = self.plan.sizing.by_pod(self.leaves)
        likes = [
            (
                int(self._pods[pod]),
                _bag(leaves[pod], down[pod, :, spine]),
                up[pod, spine].tobytes() if up.size else b"",
            )
            for pod in range(len(down))
            for spine in range(down.shape[2])
        ]
        return numbered(likes).reshape(len(down), -1)

    @cached_property
    def cores(self) -> Int32Array:
        """The class of each core, by the spines below it; in order of core group."""
        _, groups, members = self.tiers.spine.shape
        return numbered(
            _bag(self.spines[:, group], self.tiers.spine[:, group, member])
            for group in range(groups)
            for member in range(members)
        )


def _bag(likes: Int32Array, times: Int32Array) -> bytes:
    """Return the numbers of a part's neighbors, each with its count, in a comparable form."""
    order = np.lexsort((times, likes))
    return np.column_stack([likes[order], times[order]]).tobytes()


def _bags(where: Int32Array, what: Int32Array, places: int) -> Iterator[bytes]:
    """Yield for each position how often each thing occurs at it, in order of size."""
    size = int(what.max(initial=0)) + 1
    keys, counts = np.unique(where.astype(np.int64) * size + what, return_counts=True)
    order = np.lexsort((counts, keys // size))
    bounds = np.searchsorted(keys // size, np.arange(1, places))
    yield from (part.tobytes() for part in np.split(counts[order], bounds))


def numbered(likes: Iterable[Hashable]) -> Int32Array:
    """Return numbers of things in order of appearance; equal ones have the same number.

    >>> numbered("abba").tolist()
    [0, 1, 1, 0]
    """
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(like, len(known)) for like in likes], dtype=np.int32)

"""What is left of direct rails with failures: working links, joined GPUs, bandwidth, path lengths.

Owns these counts for graphs of GPUs; `measure` makes an impact of them, as it does for switches.
A GPU that failed forwards for no other, and its links are lost for its neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, combinations
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.connectivity import pieces
from fabricgen.analysis.impact.bandwidth import Capacity
from fabricgen.analysis.impact.direct_distances import distances
from fabricgen.analysis.impact.pair_counts import Pairs
from fabricgen.analysis.impact.surviving import SurvivingFabric
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabricgen.core.arrays import BoolArray, Int32Array, Int64Array, IntArray
    from fabricgen.planning.plan import Plan

MOST_NODES = 2048
"""GPUs of a rail above which path lengths are not computed: there are four million pairs."""


@dataclass(frozen=True)
class PathLengths(Document):
    """The links of the shortest paths between two GPUs of a rail, before and after a failure.

    The means and the longest are of the pairs that their rail still joins, over all rails;
    `pairs_longer` are ordered pairs whose path has more links than before.
    """

    pairs_longer: int
    mean_before: float
    mean_after: float
    longest_before: int
    longest_after: int


@dataclass(frozen=True)
class DirectSurvivors(SurvivingFabric):
    """The working part of direct rails."""

    @cached_property
    def working(self) -> BoolArray:
        """Whether each link works; shape (segments, links of a segment)."""
        plan, down = self.reach.plan, self.reach.failures
        wired, mapping = plan.segment, plan.mapping
        working = np.ones((mapping.segments, len(wired.kind)), dtype=bool)
        ports = np.tile(self.alive, (plan.fabric.planes, 1))
        for gpu, plane in down.ports:
            ports[plane, gpu] = False
        for segment in range(mapping.segments):
            own, rail = ports[mapping.plane(segment)], mapping.segment_rail(segment)
            working[segment] = own[wired.lower + rail] & own[wired.upper + rail]
        for segment, _ in down.blocks:
            working[segment] = False
        for segment, row in down.links:
            working[segment, row] = False
        return working

    @cached_property
    def parts(self) -> Int64Array:
        """The lowest GPU that a GPU reaches over its rail alone; shape (planes, GPUs)."""
        plan = self.reach.plan
        found = np.tile(self.rail.astype(np.int64), (plan.fabric.planes, 1))
        for segment, links in enumerate(self.working):
            if not links.all():
                gpus = np.flatnonzero(self.rail == plan.mapping.segment_rail(segment))
                own = found[plan.mapping.plane(segment)]
                ends = (column[links].tolist() for column in _nodes(plan))
                for piece in pieces(range(len(gpus)), zip(*ends, strict=True)):
                    members = gpus[sorted(piece)]
                    own[members] = members[0]
        return found

    @cached_property
    def component(self) -> Int32Array:
        """The component of each GPU: GPUs that any path connects have the same number.

        A step is a hop inside a working HB domain, or a path over a rail on one plane.
        """
        label = self.gpu.copy()
        whole = np.flatnonzero(self.hb)
        meeting: list[tuple[IntArray, IntArray]] = [(whole, self.domain[whole])]
        meeting += [(self.gpu, parts) for parts in self.parts]
        while True:
            before = label.copy()
            for members, places in meeting:
                lowest = np.full(len(label), len(label), dtype=np.int32)
                np.minimum.at(lowest, places, label[members])
                label[members] = lowest[places]
            if np.array_equal(before, label):
                return label

    def path_lengths(self) -> PathLengths | None:
        """Return the path lengths before and after; None for rails of too many GPUs."""
        plan = self.reach.plan
        rails, planes = plan.fabric.rails, plan.fabric.planes
        nodes = plan.fabric.coordinates.rail_gpus
        if nodes > MOST_NODES:
            return None
        lower, upper = _nodes(plan)
        whole = _intact(plan)
        sums, pairs, longer, longest = [0, 0], 0, 0, 0
        home = plan.mapping.home
        for rail in range(rails):
            segments = [int(home(rail, plane)[0]) for plane in range(planes)]
            if any(self.working[segment].all() for segment in segments):
                now = whole
            else:
                each = (self.working[segment] for segment in segments)
                now = _shortest([distances(nodes, lower[on], upper[on]) for on in each])
            joined = now > 0
            pairs += int(np.count_nonzero(joined))
            sums[0] += int(whole[joined].sum())
            sums[1] += int(now[joined].sum())
            longer += int(np.count_nonzero(now > whole))
            longest = max(longest, int(now.max()))
        before, after = (round(total / pairs, 4) if pairs else 0.0 for total in sums)
        return PathLengths(longer, before, after, int(whole.max()), longest)


class DirectPairs(Pairs):
    """The ordered pairs of GPUs on direct rails; a pair needs no relay that its rail joins."""

    living: DirectSurvivors

    @cached_property
    def _newly_across(self) -> int:
        """The newly relayed pairs in different HB domains."""
        living, alive = self.living, np.flatnonzero(self.living.alive).astype(np.int32)
        reached = self._sharing(alive, living.scope, living.component) - self._sharing(
            alive, living.scope, living.component, living.domain
        )
        return reached - self._on_rail(alive) + self._on_rail(alive, living.domain)

    @cached_property
    def _newly_inside(self) -> int:
        """The newly relayed pairs of one HB domain."""
        return self.inside_by_network - self._on_rail(self.stranded, self.living.domain)

    def _on_rail(self, gpus: Int32Array, *labels: Int32Array) -> int:
        """Return the number of pairs that a rail joins on any plane, and that share all labels.

        Pairs that several planes join are counted once: by inclusion and exclusion.
        """
        planes = range(len(self.living.parts))
        chosen = chain.from_iterable(combinations(planes, size + 1) for size in planes)
        return sum(
            (-1) ** (len(some) + 1)
            * self._sharing(gpus, *labels, *(self.living.parts[plane] for plane in some))
            for some in chosen
        )


class DirectCapacity(Capacity):
    """The bandwidth of direct rails, compared with the same rails without failures."""

    living: DirectSurvivors

    @cached_property
    def lost(self) -> NDArray[np.float64]:
        """The share of its links that each GPU has lost; shape (GPUs,)."""
        living, plan = self.living, self.living.reach.plan
        left = np.zeros(len(living.gpu))
        every = np.zeros(len(living.gpu))
        for segment, links in enumerate(living.working):
            rail = plan.mapping.segment_rail(segment)
            for end in (plan.segment.lower + rail, plan.segment.upper + rail):
                every += np.bincount(end, minlength=len(every))
                left += np.bincount(end[links], minlength=len(left))
        return np.asarray(1 - left / every)

    @cached_property
    def bisection_left(self) -> float:
        """The share of the bisection that is left, over all rails, of the cuts that are known."""
        across, working = _across(self.living.reach.plan), self.living.working
        before = int(across.sum(axis=1).min())
        damaged = working[~working.all(axis=1)]
        left = sum(int((across & links).sum(axis=1).min()) - before for links in damaged)
        return 1 + left / (before * len(working))


def _nodes(plan: Plan) -> tuple[IntArray, IntArray]:
    """Return the places on their rail of the GPUs at both ends of each link of a segment."""
    coordinates, wired = plan.fabric.coordinates, plan.segment
    return coordinates.rail_index(wired.lower), coordinates.rail_index(wired.upper)


@lru_cache(maxsize=1)
def _intact(plan: Plan) -> Int32Array:
    """Return the path lengths of a rail without failures; many failures are measured in a row."""
    return distances(plan.fabric.coordinates.rail_gpus, *_nodes(plan))


@lru_cache(maxsize=1)
def _across(plan: Plan) -> BoolArray:
    """Return which links each known cut into halves cuts; shape (cuts, links of a segment)."""
    from fabricgen.analysis.direct_graphs import halves  # noqa: PLC0415 - as above

    assert plan.mapping.topology, "the rails are direct"  # noqa: S101 - measure verifies it
    lower, upper = _nodes(plan)
    return np.array(
        [cut[lower] != cut[upper] for cut in halves(plan.mapping.topology, lower, upper)]
    )


def _shortest(every: list[Int32Array]) -> Int32Array:
    """Return the shortest of paths on several planes; 0 where no plane has one."""
    far = np.iinfo(np.int32).max
    found = np.min([np.where(each > 0, each, far) for each in every], axis=0)
    return np.where(found == far, 0, found).astype(np.int32)

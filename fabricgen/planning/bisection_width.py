"""The bandwidth between the halves of a block, computed from its size.

Owns the cut of a block in two: between pods in three tiers, between leaves in two, and through the
only leaf of the smallest blocks. It reads no links; the law `bisection` verifies the wiring against
these figures.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.max_flow import max_flow

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.clos import Sizing
    from fabricgen.planning.draft import Draft

MOST_EDGES = 200_000
"""The most edges between classes of switches for which the flow is computed: half a second."""


class Bisection(NamedTuple):
    """The bandwidth from one half of a block to the other, in Gbps.

    `half` is the bandwidth of the endpoints of the smaller half, `even` the part of it that their
    leaves and spines carry upwards, and `cut` the narrowest cut. `flow` is the maximum flow where
    it is `exact`, and a lower bound where there are too many classes of switches to compute it. The
    last three differ only where uplinks are spread unevenly.
    """

    half: int
    even: int
    cut: int
    flow: int
    exact: bool = True


class _Lowers(NamedTuple):
    """The leaves of the only pod, or the pods, and their links to the switches above.

    `supply` is the bandwidth that each can send, in Gbps. Its `uplinks` go to the `uppers` in turn;
    `link` is the bandwidth of one uplink, or of that uplink of every spine of a pod, because core
    groups are alike.
    """

    supply: IntArray
    uplinks: int
    uppers: int
    link: int


def leaf_endpoints(draft: Draft) -> IntArray:
    """Count the installed endpoints of each leaf of a block, by the mapping alone."""
    gpu, sizing = draft.mapping.pattern(), draft.sizing
    slots = np.flatnonzero((gpu >= 0) & (gpu < draft.fabric.gpus))
    return np.bincount(slots // sizing.leaf_down, minlength=sizing.leaf)


def halves_of(sizing: Sizing, endpoints: IntArray) -> tuple[int, int]:
    """Return the number of pods that have endpoints, and of those in the first half.

    With one pod, the first half is a number of leaves; 0 means half of one leaf.
    """
    pods = int(np.count_nonzero(_of_pods(sizing, endpoints)))
    return pods, (pods if pods > 1 else int(np.count_nonzero(endpoints))) // 2


def bisection_of(draft: Draft) -> Bisection:
    """Compute the bisection of a block."""
    speeds = [draft.fabric.port_layouts[kind.upper].down.speed_gbps for kind in draft.kinds]
    return bisection(draft.sizing, leaf_endpoints(draft), speeds)


def bisection(sizing: Sizing, endpoints: IntArray, speeds: Sequence[int]) -> Bisection:
    """Compute the bisection of a block by the endpoints of each leaf and the speed of each tier."""
    pods, first = halves_of(sizing, endpoints)
    if not first:
        half = int(endpoints.max(initial=0)) // 2 * speeds[0]
        return Bisection(half, half, half, half)
    split = first * (sizing.pod_leaves if pods > 1 else 1)
    lowers = _lowers(sizing, endpoints, pods, speeds)
    even = _smaller(lowers.supply, first)
    met = _met(first, len(lowers.supply), lowers.uplinks, lowers.uppers) * lowers.link
    return Bisection(
        _smaller(endpoints * speeds[0], split), even, min(even, met), *_flow(lowers, first)
    )


def _lowers(sizing: Sizing, endpoints: IntArray, pods: int, speeds: Sequence[int]) -> _Lowers:
    """Return what the cut divides: pods, or the leaves of the only pod."""
    leaf: IntArray = np.minimum(endpoints * speeds[0], sizing.leaf_up * speeds[1])
    if pods > 1:
        link = sizing.pod_spines * speeds[2]
        pod = np.minimum(_of_pods(sizing, leaf)[:pods], sizing.spine_up * link)
        return _Lowers(pod, sizing.spine_up, sizing.group_cores, link)
    lowers = len(sizing.leaves_of_pod(0)) if sizing.core else int(np.count_nonzero(endpoints))
    return _Lowers(leaf[:lowers], sizing.leaf_up, sizing.pod_spines, speeds[1])


def _of_pods(sizing: Sizing, leaves: IntArray) -> IntArray:
    """Add up the figures of the leaves of a block, pod by pod."""
    sums: IntArray = np.add.reduceat(leaves, np.arange(0, sizing.leaf, sizing.pod_leaves))
    return sums


def _smaller(amounts: IntArray, first: int) -> int:
    """Return the smaller of two sums: that of the first amounts, and that of the rest."""
    return min(int(amounts[:first].sum()), int(amounts[first:].sum()))


def _met(first: int, lowers: int, uplinks: int, uppers: int) -> int:
    """Return how many links lead from the first lower switches through the uppers to the rest.

    >>> _met(1, 2, 4, 2), _met(1, 2, 3, 2)
    (4, 2)
    """
    if uplinks % uppers == 0:
        return uplinks * min(first, lowers - first)
    near = [len(range(upper, first * uplinks, uppers)) for upper in range(uppers)]
    every = [len(range(upper, lowers * uplinks, uppers)) for upper in range(uppers)]
    return sum(min(one, both - one) for one, both in zip(near, every, strict=True))


def _flow(lowers: _Lowers, first: int) -> tuple[int, bool]:
    """Return the flow from the first lowers to the rest, and whether it is the maximum.

    Even spreading carries all that either half can send. Otherwise lowers of one side that can send
    the same and begin at the same upper form a class: they are interchangeable, so that some
    maximum flow is equal at all of them, and one node represents their sum.
    """
    supply, uplinks, uppers, link = lowers
    if uplinks % uppers == 0:
        return _smaller(supply, first), True
    begins = np.arange(len(supply)) * uplinks % uppers
    near = (np.arange(len(supply)) < first).tolist()
    classes = Counter(zip(near, begins.tolist(), supply.tolist(), strict=True))
    if len(classes) * uppers > MOST_EDGES:
        return _smaller(np.minimum(supply, uplinks // uppers * uppers * link), first), False
    return max_flow(_edges(classes, lowers), "near", "far"), True


def _edges(
    classes: Counter[tuple[bool, int, int]], lowers: _Lowers
) -> Iterator[tuple[Hashable, Hashable, int]]:
    """Yield the edges between classes of lowers and the uppers, each with its capacity."""
    _, uplinks, uppers, link = lowers
    run, more = divmod(uplinks, uppers)
    for one, count in classes.items():
        near, begin, supply = one
        yield ("near", one, count * supply) if near else (one, "far", count * supply)
        for upper in range(uppers):
            capacity = count * link * (run + ((upper - begin) % uppers < more))
            if capacity:
                yield (one, upper, capacity) if near else (upper, one, capacity)

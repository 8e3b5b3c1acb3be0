"""What the halves of a block can send each other, computed from its size.

Owns the cut of a block in two, between pods in three tiers, between leaves in two and through the
one leaf of the smallest blocks, and the bandwidth over it. It reads no links: the law of bisection
holds the wiring to these figures.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.max_flow import max_flow

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.clos import Sizing
    from fabricgen.planning.plan import Plan

MOST_EDGES = 200_000
"""Up to so many edges between classes of switches the flow is computed, in half a second."""


class Bisection(NamedTuple):
    """What one half of a block can send to the other, in Gbps.

    `half` is what the endpoints of the smaller half can send, `even` what of that their leaves and
    spines carry upwards, and `cut` the narrowest cut. `flow` is the maximum flow where it is
    `exact`; where there are too many classes of switches to compute it, it is a lower bound. These
    three differ only where uplinks are spread unevenly.
    """

    half: int
    even: int
    cut: int
    flow: int
    exact: bool = True


class _Lowers(NamedTuple):
    """The leaves of the only pod, or the pods, and how they meet at the switches above.

    `supply` is what each can send, Gbps. It gives its `uplinks` to the `uppers` in turn; `link` is
    the Gbps of one uplink, or of that uplink of every spine of a pod, because core groups are
    alike.
    """

    supply: IntArray
    uplinks: int
    uppers: int
    link: int


def seats_of(plan: Plan) -> IntArray:
    """Count the installed endpoints that each leaf of a block is sized for, by the mapping alone."""
    gpu = plan.mapping.pattern()
    slots = np.flatnonzero((gpu >= 0) & (gpu < plan.fabric.gpus))
    return np.bincount(slots // plan.sizing.leaf_down, minlength=plan.sizing.leaf)


def halves_of(sizing: Sizing, seats: IntArray) -> tuple[int, int]:
    """Return the pods that have endpoints, and how many pods make the first half.

    Where there is one pod, the half is of leaves; 0 is half of one leaf.
    """
    pods = int(np.count_nonzero(_of_pods(sizing, seats)))
    return pods, (pods if pods > 1 else int(np.count_nonzero(seats))) // 2


def bisection_of(plan: Plan) -> Bisection:
    """Compute the bisection of a block."""
    sizing, seats = plan.sizing, seats_of(plan)
    speeds = [plan.fabric.port_layouts[kind.upper].down.speed_gbps for kind in plan.kinds]
    pods, first = halves_of(sizing, seats)
    if not first:
        half = int(seats.max(initial=0)) // 2 * speeds[0]
        return Bisection(half, half, half, half)
    split = first * (sizing.pod_leaves if pods > 1 else 1)
    lowers = _lowers(sizing, seats, pods, speeds)
    even = _smaller(lowers.supply, first)
    met = _met(first, len(lowers.supply), lowers.uplinks, lowers.uppers) * lowers.link
    return Bisection(
        _smaller(seats * speeds[0], split), even, min(even, met), *_flow(lowers, first)
    )


def _lowers(sizing: Sizing, seats: IntArray, pods: int, speeds: list[int]) -> _Lowers:
    """Say what the cut runs between: pods, or leaves where there is one."""
    leaf: IntArray = np.minimum(seats * speeds[0], sizing.leaf_up * speeds[1])
    if pods > 1:
        link = sizing.pod_spines * speeds[2]
        pod = np.minimum(_of_pods(sizing, leaf)[:pods], sizing.spine_up * link)
        return _Lowers(pod, sizing.spine_up, sizing.group_cores, link)
    lowers = len(sizing.leaves_of_pod(0)) if sizing.core else int(np.count_nonzero(seats))
    return _Lowers(leaf[:lowers], sizing.leaf_up, sizing.pod_spines, speeds[1])


def _of_pods(sizing: Sizing, leaves: IntArray) -> IntArray:
    """Add up, pod by pod, what the leaves of a block have."""
    sums: IntArray = np.add.reduceat(leaves, np.arange(0, sizing.leaf, sizing.pod_leaves))
    return sums


def _smaller(amounts: IntArray, first: int) -> int:
    """Return the smaller of two sums: of the first amounts, and of the rest."""
    return min(int(amounts[:first].sum()), int(amounts[first:].sum()))


def _met(first: int, lowers: int, uplinks: int, uppers: int) -> int:
    """Return how many links can pass from the first lowers to the rest, at the uppers where they meet.

    >>> _met(1, 2, 4, 2), _met(1, 2, 3, 2)
    (4, 2)
    """
    if uplinks % uppers == 0:
        return uplinks * min(first, lowers - first)
    near = [len(range(upper, first * uplinks, uppers)) for upper in range(uppers)]
    every = [len(range(upper, lowers * uplinks, uppers)) for upper in range(uppers)]
    return sum(min(one, both - one) for one, both in zip(near, every, strict=True))


def _flow(lowers: _Lowers, first: int) -> tuple[int, bool]:
    """Return the flow from the first lowers to the rest, and whether it is the greatest.

    Even spreading carries all that either half can send. Otherwise lowers that are on one side, can
    send as much and begin at the same upper are one class: exchanging them changes nothing, so that
    some greatest flow is the same at each of them, and the class stands for their sum.
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
    """Yield the edges between classes of lowers and the uppers, with their capacity."""
    _, uplinks, uppers, link = lowers
    run, more = divmod(uplinks, uppers)
    for one, count in classes.items():
        near, begin, supply = one
        yield ("near", one, count * supply) if near else (one, "far", count * supply)
        for upper in range(uppers):
            capacity = count * link * (run + ((upper - begin) % uppers < more))
            if capacity:
                yield (one, upper, capacity) if near else (upper, one, capacity)

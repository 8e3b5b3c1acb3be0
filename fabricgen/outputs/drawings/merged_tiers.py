"""Which devices of a drawing share a box, and which links a line.

A tier with more devices than fit is drawn in groups: of related devices (a leaf's GPUs, a pod's
leaves), or else of neighbors. `layout` owns their positions.
"""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fabricgen.core.arrays import IntArray

MOST_LINES, MOST_BOXES = 128, (32, 16, 8)
"""Maximum lines between two tiers, and boxes of a tier: the first that keeps within the lines."""


LEAST_BOXES = 8
"""Minimum boxes of a merged tier; without it one rail on one leaf would be a single line."""


class Tier(NamedTuple):
    """The devices of a tier, numbered.

    Each has its rail (empty where several) and its group.
    """

    what: str
    names: Sequence[str]
    notes: Sequence[str]
    """The text below the name of a device that is drawn alone."""
    rails: Sequence[str]
    together: IntArray
    switch: bool = True


class Strand(NamedTuple):
    """The links between two tiers as columns.

    The indices in both tiers, and the rail, which is -1 where a link carries several.
    """

    lower: IntArray
    upper: IntArray
    rail: IntArray
    speed: str
    cable: Callable[[int], str]
    """The name of a link, by its row in the columns."""


class Line(NamedTuple):
    """A line: the boxes at both ends, the rail, which is -1 for several, and its links."""

    lower: int
    upper: int
    rail: int
    links: IntArray


class MergedTiers(NamedTuple):
    """The box of each device of a tier, and the lines between tiers with their links."""

    places: list[IntArray]
    lines: list[list[Line]]


def merge_tiers(tiers: list[Tier], strands: list[Strand]) -> MergedTiers:
    """Merge devices and links as little as keeps the lines readable.

    Links of different rails are separate lines if any merging leaves room for that.
    """
    for apart, most in product((True, False), MOST_BOXES):
        places = [_places(tier, most) for tier in tiers]
        gaps = list(zip(strands, pairwise(places), strict=True))
        if all(_count(strand, low, up, apart=apart) <= MOST_LINES for strand, (low, up) in gaps):
            break
    return MergedTiers(
        places, [lines_between(strand, low, up, apart=apart) for strand, (low, up) in gaps]
    )


def _count(strand: Strand, low: IntArray, up: IntArray, *, apart: bool) -> int:
    """Return the number of lines between two tiers."""
    ends = low[strand.lower].astype(np.int64) * (int(up.max(initial=0)) + 1) + up[strand.upper]
    lines = np.sort(
        ends * (int(strand.rail.max(initial=0)) + 2) + strand.rail + 1 if apart else ends
    )
    return int(np.count_nonzero(np.diff(lines))) + bool(lines.size)


def _places(tier: Tier, most: int) -> IntArray:
    """Return the box of each device.

    It is its own, that of its group, of a part of the group, or of several neighbouring groups.
    """
    if len(tier.names) <= most:
        return np.arange(len(tier.names))
    _, first, number, size = np.unique(
        tier.together, return_index=True, return_inverse=True, return_counts=True
    )
    parts = np.minimum(max(1, LEAST_BOXES // len(size)), size)[number]
    places: IntArray = number // -(-len(size) // most)
    if int(parts.max()) > 1:
        places = (
            number * LEAST_BOXES + (np.arange(len(number)) - first[number]) * parts // size[number]
        )
    return np.unique(places, return_inverse=True)[1]


def lines_between(strand: Strand, low: IntArray, up: IntArray, *, apart: bool) -> list[Line]:
    """Return the lines between two tiers, or in one, in order of their ends."""
    lower, upper = low[strand.lower], up[strand.upper]
    order = np.lexsort((strand.rail, upper, lower))
    columns = np.stack([lower, upper, strand.rail])[:, order]
    differs = (columns[: 3 if apart else 2, 1:] != columns[: 3 if apart else 2, :-1]).any(axis=0)
    cuts = [0, *(np.flatnonzero(differs) + 1).tolist(), len(order)] if len(order) else []
    found = []
    for start, stop in pairwise(cuts):
        a, b, rail = columns[:, start].tolist()
        found.append(
            Line(
                a,
                b,
                rail if (columns[2, start:stop] == rail).all() else -1,
                np.sort(order[start:stop]),
            )
        )
    return found

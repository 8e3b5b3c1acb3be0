"""Which candidate each link takes by its length.

Owns `assign_parts`. A module serves every link of its cage, so links that share a cage take the
same candidate: the one that the longest of them needs. The module works on numbers only: runs, and
the longest run that each candidate serves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.core.arrays import BoolArray, IntArray


class PartChoice(NamedTuple):
    """The candidates of one kind of link, each serving longer runs than the one before.

    `limits_mm` is the longest run that each serves; `paired` whether it joins two cages that share
    all their links, because it is one piece at both ends.
    """

    limits_mm: Sequence[int]
    paired: Sequence[bool]


def first_of(kinds: Sequence[int], link: IntArray) -> IntArray:
    """Return the first candidate of each link's kind; `kinds` are those of the candidates.

    >>> first_of([1, 1, 2], np.array([2, 1, 1])).tolist()
    [2, 0, 0]
    """
    first = np.zeros(max(kinds) + 1, dtype=np.int8)
    for number, kind in reversed(list(enumerate(kinds))):
        first[kind] = number
    return first[link]


def assign_parts(
    run_mm: IntArray, cages: tuple[IntArray, IntArray], choice: PartChoice
) -> IntArray:
    """Return a candidate for each link of a kind; the last one takes what none serves.

    >>> ways = np.array([2000, 2500, 9000, 2000])
    >>> cages = (np.array([0, 1, 2, 3]), np.array([0, 0, 1, 1]))
    >>> assign_parts(ways, cages, PartChoice([3000, 50_000], [False, False])).tolist()
    [0, 0, 1, 1]
    """
    last = len(choice.limits_mm) - 1
    found = np.minimum(np.searchsorted(choice.limits_mm, run_mm), last)
    if last == 0:
        return found
    pairs, needs = _pairs(cages), np.array(choice.paired)
    while True:
        found = _levelled(found, cages)
        wrong = needs[found] & ~pairs & (found < last)
        if not wrong.any():
            return found
        found[wrong] += 1


def unassignable(
    found: IntArray, cages: tuple[IntArray, IntArray], choice: PartChoice
) -> BoolArray:
    """Return which links have a candidate that is one piece at both ends without two own cages.

    Such a link shares one of its cages with other links.
    """
    unfit: BoolArray = np.array(choice.paired)[found] & ~_pairs(cages)
    return unfit


def _levelled(found: IntArray, cages: tuple[IntArray, IntArray]) -> IntArray:
    """Raise every link to the highest candidate of any link in its cages, until none changes."""
    while True:
        before = found
        for each in cages:
            highest = np.zeros(int(each.max(initial=0)) + 1, dtype=found.dtype)
            np.maximum.at(highest, each, found)
            found = highest[each]
        if np.array_equal(before, found):
            return found


def _pairs(cages: tuple[IntArray, IntArray]) -> BoolArray:
    """Return for each link whether the two cages that it joins share all their links."""
    alone = np.ones(len(cages[0]), dtype=bool)
    for here, there in (cages, cages[::-1]):
        size = int(here.max(initial=0)) + 1
        low, high = np.full(size, np.iinfo(np.int64).max), np.full(size, -1, dtype=np.int64)
        np.minimum.at(low, here, there)
        np.maximum.at(high, here, there)
        alone &= (low == high)[here]
    return alone

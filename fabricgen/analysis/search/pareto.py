"""Which of several things no other dominates.

Owns the order of figures: smaller is better in each. An unknown figure is infinite: it is no better
and no worse than a known one, so things are compared where they lack the same figures. It is
independent of fabrics.
"""

from __future__ import annotations

from itertools import accumulate
from math import inf
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Figures = tuple[float, ...]

T = TypeVar("T")


def front(things: Iterable[T], figures_of: Callable[[T], Figures]) -> list[list[T]]:
    """Return the things that no other dominates, sorted by their figures.

    Those with the same figures are together, in their original order. One dominates another if it
    is no worse in any figure and better in one, and both lack the same figures. What dominates a
    thing sorts before it, and is itself kept or dominated by a kept one; so each thing is compared
    only with those that are kept already.

    >>> front(["ab", "ba", "bb", "ab"], lambda word: tuple(map(ord, word)))
    [['ab', 'ab'], ['ba']]
    >>> front([(1, 9), (2, inf)], lambda figures: figures)
    [[(1, 9)], [(2, inf)]]
    """
    alike: dict[Figures, list[T]] = {}
    for thing in things:
        alike.setdefault(figures_of(thing), []).append(thing)
    kept: list[Figures] = []
    for figures in sorted(alike):
        if not any(
            all(
                ours <= theirs and (ours == inf) == (theirs == inf)
                for ours, theirs in zip(other, figures, strict=True)
            )
            for other in kept
        ):
            kept.append(figures)
    return [alike[figures] for figures in kept]


def worthwhile(
    things: list[T], figures_of: Callable[[T], Figures], first: int, most: int
) -> list[T]:
    """Return at most so many things, sorted by their cost, which is the first figure.

    Those that no cheaper one equals in the figure `first` come before others. Of the rest one is
    worth its cost if, beside each cheaper one that is returned, some figure is better by at least
    the factor by which its cost is higher; an unknown cost is worth nothing, and an unknown figure
    is not better.

    >>> worthwhile([(2, 9, 9), (3, 9, 8), (4, 9, 4), (8, 8, 9)], lambda figures: figures, 1, 10)
    [(2, 9, 9), (4, 9, 4), (8, 8, 9)]
    """
    figures = [figures_of(thing) for thing in things]
    least = accumulate((each[first] for each in figures), min, initial=inf)
    ahead = [each[first] < bar for each, bar in zip(figures, least, strict=False)]
    kept = [at for at, best in enumerate(ahead) if best][:most]
    for at, each in enumerate(figures):
        if len(kept) < most and at not in kept:
            kept += [at] * all(_repays(each, figures[other]) for other in kept if other < at)
    return [things[at] for at in sorted(kept)]


def _repays(dearer: Figures, cheaper: Figures) -> bool:
    """Return whether a higher cost buys as much of some other figure."""
    cost = _factor(dearer[0], cheaper[0])
    gains = (_factor(*pair) for pair in zip(cheaper[1:], dearer[1:], strict=True))
    known = (inf not in pair for pair in zip(cheaper[1:], dearer[1:], strict=True))
    return cost < inf and any(gain >= cost for gain, both in zip(gains, known, strict=True) if both)


def _factor(larger: float, smaller: float) -> float:
    """Return how many times larger a figure is; 1 where both are the same, 0 or unknown."""
    if larger == smaller:
        return 1
    return larger / smaller if smaller and smaller < inf else (0 if smaller == inf else inf)

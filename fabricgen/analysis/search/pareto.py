"""Which of several things no other dominates.

Owns the order of figures: smaller is better in each, and an unknown figure counts as the worst. It
is independent of fabrics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Figures = tuple[float, ...]

T = TypeVar("T")


def front(things: Iterable[T], figures_of: Callable[[T], Figures]) -> list[list[T]]:
    """Return the things that no other dominates, sorted by their figures.

    Those with the same figures are together, in their original order. One dominates another if it
    is no worse in any figure and better in one. What dominates a thing sorts before it, and is
    itself kept or dominated by a kept one; so each thing is compared only with those that are kept
    already.

    >>> front(["ab", "ba", "bb", "ab"], lambda word: tuple(map(ord, word)))
    [['ab', 'ab'], ['ba']]
    """
    alike: dict[Figures, list[T]] = {}
    for thing in things:
        alike.setdefault(figures_of(thing), []).append(thing)
    kept: list[Figures] = []
    for figures in sorted(alike):
        if not any(
            all(ours <= theirs for ours, theirs in zip(other, figures, strict=True))
            for other in kept
        ):
            kept.append(figures)
    return [alike[figures] for figures in kept]

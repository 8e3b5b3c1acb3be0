"""Which of several things no other beats.

Owns the order of figures: smaller is better in each, and what nobody knows counts as the worst. It
knows no fabric.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Figures = tuple[float, ...]

T = TypeVar("T")


def front(things: Iterable[T], figures_of: Callable[[T], Figures]) -> list[list[T]]:
    """Return the things that no other beats, sorted by their figures; those with the same figures together, in the order in which they came.

    One beats another where it is no worse in any figure and better in one. Whoever beats a thing
    sorts before it, and is kept or beaten by one that is; so a thing need only be held against
    those that are kept already.

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

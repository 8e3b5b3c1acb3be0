"""Names of halls, rows and racks, and the numbers that they stand for.

A site lists its names in their order, or a table of positions uses names whose numbers are plain:
`3`, `DH3` and `C` are the third. Numbers decide on distances, names on what is printed. Owns both
directions; `room` names racks.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.inventory.site import Site

LEVELS = ("hall", "row", "rack")
KEYS = {"hall": "halls", "row": "rows", "rack": "racks_per_row"}
"""The key of `site` that lists the names of a level."""

MOST = 999
"""The highest number of a hall, a row or a rack."""

_OTHER = r"[^\x00-\x7f]*"
_NUMBERED = re.compile(rf"(?:.*[^0-9])?([0-9]{{1,3}}){_OTHER}")
_LETTERS = re.compile(rf"{_OTHER}([A-Za-z]{{1,2}}){_OTHER}")


def hall_name(hall: int) -> str:
    """Name a hall by letters.

    >>> [hall_name(hall) for hall in (0, 25, 26, 701, 702)]
    ['A', 'Z', 'AA', 'ZZ', 'AAA']
    """
    before, last = divmod(hall, 26)
    return (hall_name(before - 1) if before else "") + chr(ord("A") + last)


def plain_names(hall: int, row: int, at: int) -> tuple[str, str, str]:
    """Name a place by its numbers: halls have letters.

    >>> plain_names(0, 2, 13)
    ('A', '3', '14')
    """
    return hall_name(hall), str(row + 1), str(at + 1)


@cache
def number_of(name: str, listed: tuple[str, ...] = ()) -> int | None:
    """Return the number of a hall, a row or a rack, from 0; None where its name has none.

    A name of a list has its position there. Other names end in a number, or are letters; letters
    outside ASCII may surround either.

    >>> [number_of(name) for name in ("1", "DH3", "K14", "B", "AA", "main", "0")]
    [0, 2, 13, 1, 26, None, None]
    >>> [number_of(name) for name in ("机柜12", "第3排", "机房B", "机房")]
    [11, 2, 1, None]
    >>> number_of("main", ("annex", "main")), number_of("1", ("annex", "main"))
    (1, None)
    """
    if listed:
        return listed.index(name) if name in listed else None
    if letters := _LETTERS.fullmatch(name):
        number = 0
        for letter in letters[1].upper():
            number = 26 * number + ord(letter) - 64
        return number - 1
    found = _NUMBERED.fullmatch(name)
    return int(found[1]) - 1 if found and 1 <= int(found[1]) <= MOST else None


def listed_names(
    site: Site, places: Iterable[tuple[int, int, int]]
) -> tuple[tuple[str, str, str], ...]:
    """Return the names that a site lists for the places of racks; none where it lists none."""
    lists = [site.names(KEYS[level]) for level in LEVELS]
    if not any(lists):
        return ()
    return tuple(
        (
            lists[0][place[0]] if lists[0] else plain[0],
            lists[1][place[1]] if lists[1] else plain[1],
            lists[2][place[2]] if lists[2] else plain[2],
        )
        for place in places
        for plain in (plain_names(*place),)
    )

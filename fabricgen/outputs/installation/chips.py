"""The colours of rails on sheets and drawings, also of what serves several rails."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from fabricgen.core.colours import HUES, colour


@dataclass(slots=True)
class Chip:
    """A rail in its colour: its number, the colour's name, its fill and its text colour.

    What serves several rails is pale.
    """

    rail: str
    colour: str
    fill: str
    text: str


SEVERAL = Chip("", "", "#ECEFF1", "#000000")
"""What has no rail's colour."""


@cache
def chip(rail: str) -> Chip:
    """Return the colour of a rail; no colour where a cable or a box serves several.

    >>> chip("13").colour, chip("").colour
    ('orange, 1 ring', '')
    """
    if not rail:
        return SEVERAL
    hue = HUES[int(rail) % len(HUES)]
    return Chip(rail, colour(int(rail)), hue.fill, hue.text)

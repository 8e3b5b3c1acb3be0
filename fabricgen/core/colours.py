"""The colours of rails, the same on screens, on paper and in workbooks.

Owns the colour and the colour name of a rail. Each kind of drawing decides what it colours.
"""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.core.count_text import counted


class Hue(NamedTuple):
    """A fibre colour, and the colour of a text that is readable on it."""

    name: str
    fill: str
    text: str


HUES = (
    Hue("blue", "#0B5CAD", "#FFFFFF"),
    Hue("orange", "#FF8C1A", "#000000"),
    Hue("green", "#1B7A33", "#FFFFFF"),
    Hue("brown", "#7A4419", "#FFFFFF"),
    Hue("slate", "#5F6B76", "#FFFFFF"),
    Hue("white", "#FFFFFF", "#000000"),
    Hue("red", "#C62828", "#FFFFFF"),
    Hue("black", "#000000", "#FFFFFF"),
    Hue("yellow", "#FFD91A", "#000000"),
    Hue("violet", "#6A3D9A", "#FFFFFF"),
    Hue("rose", "#F4A7C3", "#000000"),
    Hue("aqua", "#7FDBE6", "#000000"),
)
"""The twelve fibre colours, in the order of TIA-598."""


def colour(rail: int) -> str:
    """Name the colour of a rail.

    >>> colour(0), colour(13), colour(24)
    ('blue', 'orange, 1 ring', 'blue, 2 rings')
    """
    rings, hue = divmod(rail, len(HUES))
    return HUES[hue].name + (f", {counted(rings, 'ring')}" if rings else "")

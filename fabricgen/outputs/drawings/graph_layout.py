"""The positions in a drawing of a direct rail: GPUs on a grid or a circle, and lines between them.

A torus is a grid, layer behind layer; any other graph is a circle. No line passes below a third
box. `layout` makes the boxes and the lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, cos, hypot, pi, sin
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.outputs.drawings.layout import (
    LEFT,
    LINE,
    MARGIN,
    TOP,
    Head,
    box_width,
    drawing_of,
    line_notes,
    lines_of,
    make_boxes,
    place_box,
)
from fabricgen.outputs.drawings.merged_tiers import Strand, Tier, lines_between
from fabricgen.outputs.drawings.view import Bend, Drawing, DrawnTier, Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabricgen.core.arrays import IntArray
    from fabricgen.outputs.drawings.view import DrawnBox, Stroke

MOST_BOXES = 64
"""Maximum boxes of a graph; GPUs that follow each other on a rail share one in a larger graph."""

GAP, APART, RISE = 48, 26, 44
"""Pixels: the space between rows or columns, between layers, and below the middle of a curve."""


class GraphShape(NamedTuple):
    """The shape of a graph: the dimensions of a torus, empty for others, and texts beside it."""

    dimensions: Sequence[int]
    figures: Sequence[str]


class _Spot(NamedTuple):
    """The middle of a box, relative to the other boxes, and its coordinates in a torus."""

    x: int
    y: int
    place: tuple[int, ...] = ()
    end: tuple[int, int] = (0, 0)
    """Where lines end, relative to the middle."""


def arrange_graph(head: Head, gpus: Tier, links: Strand, shape: GraphShape) -> Drawing:
    """Lay out the GPUs of a rail and the links between them."""
    count = len(gpus.names)
    places = _places(count)
    boxes = make_boxes(0, gpus, places)
    size = _Size(box_width([boxes]), 10 + LINE * max(len(box.texts) for box in boxes))
    whole = len(boxes) == count
    spots = size.grid(shape.dimensions) if shape.dimensions and whole else size.circle(len(boxes))
    width, bottom = _place(boxes, spots, size)
    spot_of = {box.id: spot for box, spot in zip(boxes, spots, strict=True)}
    strokes = [*_strokes(boxes, links, places, spot_of)]
    each = line_notes(strokes, links)[1:]  # those inside a box have no line
    words = [gpus.what, f"{count:,}", f"{len(links.lower):,} x {links.speed}", *each]
    words += shape.figures
    texts = [Text(MARGIN, TOP + 15 * at, text) for at, text in enumerate(words)]
    row = DrawnTier("t0", f"{count:,} {gpus.what}", texts, boxes)
    return drawing_of(head, [row], strokes, [], (width, max(bottom, texts[-1].y)))


@dataclass(frozen=True)
class _Size:
    """The size of the boxes, in pixels."""

    width: int
    height: int

    def grid(self, dimensions: Sequence[int]) -> list[_Spot]:
        """Return the spots of a torus: the last dimension is a row, the first of three a layer.

        Layers go up to the right, so that no two of their boxes share a row or a column.
        """
        layers, rows, columns = (1, *dimensions)[-3:]
        across, down = self.width + APART, self.height + APART
        return [
            _Spot(
                column * (layers * across + GAP) + layer * across,
                row * (layers * down + GAP) - layer * down,
                (layer, row, column),
            )
            for layer in range(layers)
            for row in range(rows)
            for column in range(columns)
        ]

    def circle(self, count: int) -> list[_Spot]:
        """Return the spots on a circle on which boxes do not touch, from the top."""
        radius = max(140, ceil(count * (self.width + APART) / (2 * pi)))
        return [self._on_circle(radius, 2 * pi * at / count - pi / 2) for at in range(count)]

    def _on_circle(self, radius: int, turn: float) -> _Spot:
        """Return a spot whose lines end at the side of the box that faces the middle of the circle.

        So a line between two boxes passes beside the one between them.
        """
        x, y = cos(turn), sin(turn)
        reach = min(
            self.width / 2 / max(abs(x), 1e-9),
            self.height / 2 / max(abs(y), 1e-9),
        )
        end = round(-x * reach), round(-y * reach)
        return _Spot(round(radius * x), round(radius * y), (), end)


def _places(count: int) -> IntArray:
    """Return the box of each GPU: its own, or one for equally many that follow each other."""
    each = -(-count // MOST_BOXES)
    return np.arange(count) // each


def _place(boxes: list[DrawnBox], spots: list[_Spot], size: _Size) -> tuple[int, int]:
    """Set the position of every box; return the width of the drawing, and the lowest point."""
    left = LEFT + size.width + RISE // 2 - min(spot.x for spot in spots)
    top = TOP + size.height + RISE // 2 - min(spot.y for spot in spots)
    for box, spot in zip(boxes, spots, strict=True):
        place_box(box, spot.x + left, spot.y + top, size.width, size.height)
    return (
        max(box.x + box.width for box in boxes) + MARGIN,
        max(box.y + box.height for box in boxes),
    )


def _strokes(
    boxes: list[DrawnBox], links: Strand, places: IntArray, spots: Mapping[str, _Spot]
) -> Iterator[Stroke]:
    """Yield the lines between boxes; none inside a box."""
    lines = lines_between(links, places, places, apart=False)
    outside = [line for line in lines if line.lower != line.upper]
    for stroke in lines_of(0, (boxes, boxes), links, outside):
        low, up = spots[stroke.lower.id], spots[stroke.upper.id]
        stroke.x1, stroke.y1 = _end(stroke.lower, low)
        stroke.x2, stroke.y2 = _end(stroke.upper, up)
        stroke.bend = _bend(stroke, low, up)
        if stroke.shown:
            stroke.shown.x = stroke.x1 + (stroke.x2 - stroke.x1) * 3 // 10
            stroke.shown.y = stroke.y1 + (stroke.y2 - stroke.y1) * 3 // 10 + 4
        yield stroke


def _bend(stroke: Stroke, low: _Spot, up: _Spot) -> Bend | None:
    """Return where a line bends that goes around a torus, so that it passes beside other boxes.

    Between neighbours in a grid, and on a circle, a line is straight.
    """
    if sum(abs(one - other) for one, other in zip(low.place, up.place, strict=True)) <= 1:
        return None
    across, down = stroke.x2 - stroke.x1, stroke.y2 - stroke.y1
    long, box = hypot(across, down), stroke.lower
    aside = (down / long, -across / long)  # at a right angle: up, or to the left
    pull = (-1 if down > 0 else 1) * (abs(aside[0]) * box.width + abs(aside[1]) * box.height + RISE)
    return Bend(
        round((stroke.x1 + stroke.x2) / 2 + aside[0] * pull),
        round((stroke.y1 + stroke.y2) / 2 + aside[1] * pull),
    )


def _end(box: DrawnBox, spot: _Spot) -> tuple[int, int]:
    """Return where the lines of a box end."""
    x, y = spot.end
    return box.centre_x + x, box.y + box.height // 2 + y

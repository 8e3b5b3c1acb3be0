"""The positions in a drawing: tiers in rows, boxes side by side, and the lines between them.

`build` decides what is drawn, and `merged_tiers` which devices share a box and which links a line.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.outputs.drawings.merged_tiers import Line, Strand, Tier, lines_between, merge_tiers
from fabricgen.outputs.drawings.view import Drawing, DrawnBox, DrawnTier, LegendEntry, Stroke, Text
from fabricgen.outputs.installation.chips import SEVERAL, Chip, chip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.arrays import IntArray


LETTER, LINE, MARGIN, LEFT, BODY = 7, 14, 16, 168, 480
"""Pixels: width of a letter, height of a line, margins, space beside the tiers, minimum width."""

TOP, LEAST_GAP, MOST_GAP, KEY, KEYS = 84, 110, 240, 148, 24
"""Pixels: the first tier, the space between two, a legend entry; and the maximum of entries."""

NUMBERED, NAMED = 48, 2
"""Maximum lines between two tiers with numbers, and maximum links that a line names."""


class Head(NamedTuple):
    """The text above a drawing."""

    fabric: str
    name: str
    title: str
    subtitle: str
    railed: bool = True
    """Whether its links belong to rails."""


def arrange(
    head: Head, tiers: list[Tier], strands: list[Strand], peers: Strand | None = None
) -> Drawing:
    """Lay out tiers, the lowest first, and the links between each two.

    `peers` are links between switches of the second tier.
    """
    merged = merge_tiers(tiers, strands)
    boxes = [
        make_boxes(number, tier, places)
        for number, (tier, places) in enumerate(zip(tiers, merged.places, strict=True))
    ]
    width = _width(boxes)
    rows, bottom = _rows(tiers, boxes, width)
    strokes: list[Stroke] = []
    notes: list[Text] = []
    for low, strand, lines in zip(pairwise(boxes), strands, merged.lines, strict=True):
        drawn = [*lines_of(len(strokes), low, strand, lines)]
        strokes += drawn
        notes += _notes(low, strand, drawn)
    if peers is not None:
        strokes += _peer_strokes(len(strokes), boxes[1], peers, merged.places[1])
        last = rows[1].head[-1]
        rows[1].head.append(
            Text(MARGIN, last.y + 15, f"{len(peers.lower):,} x {peers.speed} between")
        )
    return drawing_of(head, rows[::-1], strokes, notes, (width, bottom))


def drawing_of(
    head: Head,
    rows: list[DrawnTier],
    strokes: list[Stroke],
    notes: list[Text],
    end: tuple[int, int],
) -> Drawing:
    """Return a drawing with its legend; `end` is the width, and where boxes and texts end."""
    width, bottom = end
    keys, foot = legend(strokes, bottom + 34, width, railed=head.railed)
    height = foot[-1].y + MARGIN
    for box in (box for row in rows for box in row.boxes):
        box.centre_y = height - box.y - box.height // 2
    return Drawing(
        fabric=head.fabric,
        name=head.name,
        title=head.title,
        subtitle=head.subtitle,
        width=width,
        height=height,
        rows=rows,
        strokes=strokes,
        notes=notes,
        keys=keys,
        foot=foot,
    )


def make_boxes(number: int, tier: Tier, places: IntArray) -> list[DrawnBox]:
    """Return the boxes of a tier, without positions."""
    ends = np.flatnonzero(np.diff(places, append=-1)) + 1
    boxes = []
    for place, (start, stop) in enumerate(pairwise([0, *ends.tolist()])):
        first, last, members, rails = (
            tier.names[start],
            tier.names[stop - 1],
            stop - start,
            {*tier.rails[start:stop]},
        )
        lines = (
            [first, tier.notes[start]]
            if members == 1
            else [first, f"to {last}", f"{members:,} {tier.what}"]
        )
        texts = [Text(0, 0, line) for line in lines if line]
        name = first if members == 1 else f"{first} to {last}"
        colour = chip(rails.pop()) if len(rails) == 1 else SEVERAL
        label = "<br/>".join(map(mermaid, (text.text for text in texts)))
        boxes.append(
            DrawnBox(
                id=f"n{number}x{place}",
                members=members,
                name=name,
                texts=texts,
                label=label,
                chip=colour,
                switch=tier.switch,
                x=0,
                y=0,
                width=0,
                height=0,
                centre_x=0,
                centre_y=0,
                width_in="",
                height_in="",
            )
        )
    return boxes


def mermaid(text: str) -> str:
    """Escape a text for a label of Mermaid, which parses quotes and angle brackets as syntax.

    >>> mermaid("r0-leaf-1"), mermaid('<b>"')
    ('r0-leaf-1', '#60;b#62;#34;')
    """
    return "".join(
        sign if sign.isalnum() or sign in " -_.,:()" else f"#{ord(sign)};" for sign in text
    )


def box_width(boxes: list[list[DrawnBox]]) -> int:
    """Return the width that holds the longest text of any box."""
    return max(
        56, *(LETTER * len(text.text) + 12 for row in boxes for box in row for text in box.texts)
    )


def _width(boxes: list[list[DrawnBox]]) -> int:
    """Return the width of a drawing."""
    return LEFT + max(BODY, max(map(len, boxes)) * (box_width(boxes) + 10)) + MARGIN


def _rows(
    tiers: list[Tier], boxes: list[list[DrawnBox]], width: int
) -> tuple[list[DrawnTier], int]:
    """Set the position of every box, tier by tier from the top.

    Return the tiers, the lowest first, and the height that they take.
    """
    body, wide, y, rows = width - LEFT - MARGIN, box_width(boxes), TOP, []
    gap = min(MOST_GAP, max(LEAST_GAP, body // 7))
    for number in range(len(tiers) - 1, -1, -1):
        tier, row = tiers[number], boxes[number]
        high = 10 + LINE * max(len(box.texts) for box in row)
        for place, box in enumerate(row):
            middle = LEFT + (2 * place + 1) * body // (2 * len(row))
            place_box(box, middle, y, wide, high)
        words = [
            Text(MARGIN, y + high // 2 - 3, tier.what),
            Text(MARGIN, y + high // 2 + 12, f"{len(tier.names):,}"),
        ]
        rows.append(DrawnTier(f"t{number}", f"{len(tier.names):,} {tier.what}", words, row))
        y += high + gap
    return rows[::-1], y - gap


def place_box(box: DrawnBox, middle: int, y: int, width: int, height: int) -> None:
    """Place one box and the texts in it."""
    box.x, box.y, box.width, box.height = middle - width // 2, y, width, height
    box.centre_x, box.width_in, box.height_in = middle, f"{width / 72:.3f}", f"{height / 72:.3f}"
    first = y + (height - LINE * len(box.texts)) // 2 + 11
    for number, text in enumerate(box.texts):
        text.x, text.y = middle, first + number * LINE


def lines_of(
    drawn: int, rows: tuple[list[DrawnBox], list[DrawnBox]], strand: Strand, lines: list[Line]
) -> Iterator[Stroke]:
    """Yield the lines between two tiers; those between the same two boxes are side by side."""
    lower, upper = rows
    parallel: dict[tuple[int, int], int] = {}
    for a, b, *_ in lines:
        parallel[a, b] = parallel.get((a, b), 0) + 1
    numbered = len({len(links) for *_, links in lines}) > 1 and len(lines) <= NUMBERED
    drawn_between: dict[tuple[int, int], int] = {}
    for number, (a, b, rail, links) in enumerate(lines, start=drawn):
        low, up, many = lower[a], upper[b], len(links)
        at = drawn_between[a, b] = drawn_between.get((a, b), -1) + 1
        step = min(8, (low.width - 8) // parallel[a, b])
        offset = (2 * at - parallel[a, b] + 1) * step // 2
        x1, y1, x2, y2 = low.centre_x + offset, low.y, up.centre_x + offset, up.y + up.height
        shown = (
            Text(x1 + (x2 - x1) * 3 // 10, y1 + (y2 - y1) * 3 // 10 + 4, f"{many:,}")
            if numbered
            else None
        )
        cables = (
            ", ".join(map(strand.cable, links.tolist()))
            if many <= NAMED
            else f"{strand.cable(int(links[0]))} and {many - 1:,} more"
        )
        colour = chip(str(rail)) if rail >= 0 else SEVERAL
        label = f"{many:,} x {strand.speed}" if many > 1 else strand.speed
        yield Stroke(
            id=f"e{number}",
            lower=low,
            upper=up,
            links=many,
            speed=strand.speed,
            cables=cables,
            chip=colour,
            ink=ink(colour),
            label=label,
            shown=shown,
            x1=x1,
            y1=y1,
            x2=x2,
            y2=y2,
        )


def _peer_strokes(
    drawn: int, row: list[DrawnBox], peers: Strand, places: IntArray
) -> Iterator[Stroke]:
    """Yield the lines between boxes of a row, from side to side; none inside a box."""
    lines = [
        line._replace(rail=-1)
        for line in lines_between(peers, places, places, apart=False)
        if line.lower != line.upper
    ]
    for stroke in lines_of(drawn, (row, row), peers, lines):
        low, up = stroke.lower, stroke.upper
        stroke.x1, stroke.x2, stroke.shown = low.x + low.width, up.x, None
        stroke.y1 = stroke.y2 = low.y + low.height // 2
        yield stroke


def ink(colour: Chip) -> str:
    """Return the colour of a line on white paper: grey for white and for lines without a rail.

    >>> ink(chip("0")), ink(chip("5"))
    ('#0B5CAD', '#90A4AE')
    """
    return "#90A4AE" if colour.fill in (chip("5").fill, SEVERAL.fill) else colour.fill


def _notes(
    rows: tuple[list[DrawnBox], list[DrawnBox]], strand: Strand, strokes: list[Stroke]
) -> list[Text]:
    """Return the numbers of links as notes beside the lines."""
    lower, upper = rows
    y = (lower[0].y + upper[0].y + upper[0].height) // 2
    texts = line_notes(strokes, strand)
    return [Text(MARGIN, y + 15 * at, text) for at, text in enumerate(texts)]


def line_notes(strokes: list[Stroke], strand: Strand) -> list[str]:
    """Return the number of links as text: of all lines, and of each."""
    counts = sorted({stroke.links for stroke in strokes})
    if not counts:
        return []
    total = sum(stroke.links for stroke in strokes)
    each = f"{counts[0]:,}" if counts[:1] == counts[-1:] else f"{counts[0]:,} to {counts[-1]:,}"
    return [f"{total:,} x {strand.speed}", f"{each} to a line"]


def legend(
    strokes: list[Stroke], y: int, width: int, *, railed: bool
) -> tuple[list[LegendEntry], list[Text]]:
    """Return the legend of colours and lines, below the tiers."""
    rails = sorted({int(stroke.chip.rail) for stroke in strokes if stroke.chip.rail})
    words = [(chip(str(rail)), f"rail {rail}, {chip(str(rail)).colour}") for rail in rails[:KEYS]]
    if railed and any(not stroke.chip.rail for stroke in strokes):
        words.append((SEVERAL, "several rails"))
    columns = max(1, (width - 2 * MARGIN) // KEY)
    keys = []
    for number, (colour, text) in enumerate(words):
        x, top = MARGIN + number % columns * KEY, y + number // columns * 20
        keys.append(LegendEntry(x, top, colour, Text(x + 22, top + 11, text)))
    more = f"; {len(rails) - KEYS} more rails are drawn" if len(rails) > KEYS else ""
    low = (keys[-1].y if keys else y) + 36
    apart = f", or those of one rail{more}" if railed else ""
    return keys, [
        Text(MARGIN, low, f"A line is all links between two boxes{apart}."),
        Text(MARGIN, low + 15, 'A box with "to" in it is a bundle of devices.'),
    ]

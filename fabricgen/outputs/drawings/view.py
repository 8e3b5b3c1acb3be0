"""What the templates of drawings see: boxes with their places, lines between them, and a legend.

Places are whole pixels from the top left, one to a point of print; DOT counts them from the bottom.
`build` decides what is drawn, `layout` where.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.template_api import for_templates

if TYPE_CHECKING:
    from fabricgen.outputs.installation.chips import Chip


TITLE_HEIGHT, LINE_HEIGHT = 62, 18
"""The pixels of title and subtitle, and of a line of the legend."""


@dataclass(slots=True)
class Text:
    """A line of text and its place."""

    x: int
    y: int
    text: str


@dataclass(slots=True, kw_only=True)
class DrawnBox:
    """One device, or several of a kind that are drawn as one."""

    id: str
    """A letter and a number, unique in the drawing."""
    members: int
    """The number of devices in the box."""
    name: str
    """The device; of several the first and the last."""
    texts: list[Text]
    """The text of the box, line by line."""
    label: str
    """The same, escaped for Mermaid."""
    chip: Chip
    """The rail of the devices, where it is one."""
    switch: bool
    x: int
    y: int
    width: int
    height: int
    centre_x: int
    centre_y: int
    """The vertical place in DOT, from the bottom."""
    width_in: str
    height_in: str


class Bend(NamedTuple):
    """The control point of a quadratic curve: where a line would bend that passes beside boxes."""

    x: int
    y: int


@dataclass(slots=True, kw_only=True)
class Stroke:
    """The links between two boxes, or those of one rail where they are drawn apart."""

    id: str
    lower: DrawnBox
    upper: DrawnBox
    links: int
    speed: str
    cables: str
    """The names of its links, where they are few."""
    chip: Chip
    ink: str
    """The colour on white paper, where white is drawn as grey."""
    label: str
    """The number and speed of its links."""
    shown: Text | None
    """The number of links, where lines differ in it and there is room; else it is a note."""
    x1: int
    y1: int
    x2: int
    y2: int
    bend: Bend | None = None
    """None where the line is straight."""


@dataclass(slots=True)
class DrawnTier:
    """One tier: its title and its boxes."""

    id: str
    name: str
    head: list[Text]
    boxes: list[DrawnBox]


@dataclass(slots=True)
class LegendEntry:
    """One entry of the legend."""

    x: int
    y: int
    chip: Chip
    text: Text


@dataclass(slots=True, kw_only=True)
class Drawing:
    """A drawing of one rail, or of one stripe; `rows` from the top."""

    fabric: str
    name: str
    title: str
    subtitle: str
    width: int
    height: int
    rows: list[DrawnTier]
    strokes: list[Stroke]
    notes: list[Text]
    """Numbers of links between two tiers, beside the lines."""
    keys: list[LegendEntry]
    foot: list[Text]
    """The legend."""
    titled: bool = True
    """Whether title, subtitle and legend are drawn; a paper has a caption of its own."""

    def untitled(self) -> Drawing:
        """Return the drawing without them, from the first row to the colours."""
        return replace(self, titled=False)

    @property
    @for_templates
    def top(self) -> int:
        """Where the picture begins."""
        return 0 if self.titled else TITLE_HEIGHT

    @property
    @for_templates
    def shown_height(self) -> int:
        """The height of what is shown."""
        return (self.height if self.titled else self.foot[0].y - LINE_HEIGHT) - self.top

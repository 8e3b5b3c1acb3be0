"""Layouts of printed labels: the sheet, the label, and the lines on it.

Owns the file `layouts.yaml` of the pack `cabling` and the check that the lines of a layout fit its
label. `pages` makes the pages.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import ValidationError

from fabricgen.catalog.models.base import Amount, Count, Facts, Positive, Text, Texts
from fabricgen.core.diagnostics import Finding, Place, Refusal, refuse, suggest
from fabricgen.core.yaml_text import load_facts
from fabricgen.views.cables.labels import LINE

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Line = Literal["cable", "end", "rail", "device", "peer", "near", "far", "length"]

PAPERS = {"A4": (210.0, 297.0), "Letter": (215.9, 279.4)}
"""Sizes in mm."""

POINT_MM, CHARACTER, LEADING = 0.3528, 0.6021, 1.18
"""A point, the width of a character of a monospaced font, and the height of a line, in its size."""

PAD_X_MM, PAD_Y_MM = 1.5, 1.1
"""The empty border of a label; `labels.css.j2` has the same."""

ENDS = ("near", "far")
"""The lines in the size `line_pt`."""

WHOLE = ("cable", *ENDS)
"""Lines that continue in a second row where they are too long; others are cut."""


class LayoutFacts(Facts):
    """A layout as it is written in a file."""

    use: Text
    source: Texts
    paper: Literal["A4", "Letter"]
    columns: Count
    rows: Count
    left_mm: Amount
    top_mm: Amount
    width_mm: Positive
    height_mm: Positive
    pitch_x_mm: Positive
    pitch_y_mm: Positive
    panels: Count = 1  # that are alike, side by side, or `stacked` one above the other
    stacked: bool = False
    gap_mm: Amount = 0  # between panels, where a flag folds round the cable
    code_mm: Positive  # the side of the QR code
    text_pt: Positive
    line_pt: Positive  # of `near` and `far`
    beside: tuple[Line, ...]  # lines at the right of the code
    below: tuple[Line, ...] = ()  # lines below it


class Layout(NamedTuple):
    """A layout as templates see it; sizes are in mm."""

    name: str
    paper: str
    paper_width: float
    paper_height: float
    columns: int
    rows: int
    left: float
    top: float
    width: float
    height: float
    gap_x: float
    pitch_y: float
    stacked: bool
    fold: float
    sides: tuple[int, ...]
    """The numbers of its panels, from 0."""
    code_side: float
    text_pt: float
    line_pt: float
    beside: tuple[str, ...]
    below: tuple[str, ...]

    @property
    def per_page(self) -> int:
        """Labels of a page."""
        return self.columns * self.rows

    def characters(self, line: str) -> int:
        """Return how many characters a row of a line holds."""
        width = self._panel[0] - 2 * PAD_X_MM
        if line in self.beside:
            width -= self.code_side + PAD_X_MM
        return max(int(width / (self._points(line) * POINT_MM * CHARACTER)), 1)

    @property
    def used_mm(self) -> float:
        """The height of a panel that its code and lines take, near and far end at their longest."""
        beside, below = (sum(map(self._height, lines)) for lines in (self.beside, self.below))
        return max(self.code_side, beside) + below + 2 * PAD_Y_MM

    @property
    def panel_height(self) -> float:
        """The height of a panel."""
        return self._panel[1]

    @property
    def _panel(self) -> tuple[float, float]:
        """Width and height of a panel."""
        panels = len(self.sides)
        gaps = self.fold * (panels - 1)
        if self.stacked:
            return self.width, (self.height - gaps) / panels
        return (self.width - gaps) / panels, self.height

    def _points(self, line: str) -> float:
        """Return the font size of a line."""
        return self.line_pt if line in ENDS else self.text_pt

    def _height(self, line: str) -> float:
        """Return the height of a line with all its rows."""
        rows = math.ceil(LINE / self.characters(line)) if line in WHOLE else 1
        return rows * self._points(line) * POINT_MM * LEADING


def choose_layout(name: str, paths: Iterable[Path]) -> Layout:
    """Return a layout by its name; earlier files shadow later ones.

    Raises Refusal `bad-label-layout` where it is unknown, wrong, or its lines do not fit.
    """
    known: dict[str, None] = {}
    for path in paths:
        found = load_facts(path, "bad-label-layout")
        if name in found:
            return _checked(name, found[name], path)
        known.update(dict.fromkeys(found))
    raise refuse(
        "bad-label-layout",
        f"there is no layout of labels `{name}`",
        path=("labels", "layout"),
        hint=suggest(name, known, f"layouts: {', '.join(known)}"),
    )


def _checked(name: str, values: object, path: Path) -> Layout:
    """Return the layout of a file. Raises Refusal."""
    try:
        facts = LayoutFacts.model_validate(values)
    except ValidationError as error:
        raise Refusal(
            _bad(path, name, f"{'.'.join(map(str, detail['loc']))}: {detail['msg'].lower()}")
            for detail in error.errors(include_url=False)
        ) from None
    layout = _layout(name, facts)
    if layout.used_mm > layout.panel_height:
        fact = f"its code and lines take {layout.used_mm:.1f} mm of {layout.panel_height:.1f} mm"
        raise Refusal([_bad(path, name, fact, "use fewer lines, or smaller `text_pt`, `line_pt`")])
    width = layout.left + layout.columns * (layout.width + layout.gap_x) - layout.gap_x
    height = layout.top + layout.rows * layout.pitch_y - (layout.pitch_y - layout.height)
    if width > layout.paper_width or height > layout.paper_height:
        fact = f"its labels take {width:.1f} x {height:.1f} mm of a sheet"
        raise Refusal([_bad(path, name, fact, f"{facts.paper} is {_paper(facts)} mm")])
    return layout


def _bad(path: Path, name: str, fact: str, hint: str = "") -> Finding:
    """Make a finding about a layout."""
    hint = hint or "compare with a layout that ships with fabricgen"
    place = Place(str(path))
    return Finding("bad-label-layout", f"the layout `{name}`: {fact}", hint=hint, place=place)


def _paper(facts: LayoutFacts) -> str:
    """Return the size of a layout's paper as text."""
    return " x ".join(f"{side:g}" for side in PAPERS[facts.paper])


def _layout(name: str, facts: LayoutFacts) -> Layout:
    """Return the layout that templates see."""
    width, height = PAPERS[facts.paper]
    return Layout(
        name=name,
        paper=facts.paper,
        paper_width=width,
        paper_height=height,
        columns=facts.columns,
        rows=facts.rows,
        left=facts.left_mm,
        top=facts.top_mm,
        width=facts.width_mm,
        height=facts.height_mm,
        gap_x=round(facts.pitch_x_mm - facts.width_mm, 3),
        pitch_y=facts.pitch_y_mm,
        stacked=facts.stacked,
        fold=facts.gap_mm,
        sides=tuple(range(facts.panels)),
        code_side=facts.code_mm,
        text_pt=facts.text_pt,
        line_pt=facts.line_pt,
        beside=facts.beside,
        below=facts.below,
    )

"""One sheet of cables: its columns, and its rows from the top down.

Owns the look of a column and which rows are streamed. `cables` owns which sheets there are,
`workbook` the look of any sheet.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from xlsxwriter.utility import xl_range

from fabricgen.core.colours import HUES, colour
from fabricgen.outputs.workbook.cells import plain
from fabricgen.outputs.workbook.stream import is_plain, number_cell, text_cell, write_rows
from fabricgen.outputs.workbook.workbook import WIDEST, Book, SheetColumn
from fabricgen.views.cables.columns import INTEGERS, titles

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xlsxwriter.format import Format

    Cells = tuple[str | int, ...]
    Row = tuple[str, Cells]

LAST_ROW = 1_048_576
"""Maximum rows of a sheet, its header included; more continue on a second sheet."""

DONE = SheetColumn("Done")
"""The last column, for technicians to tick off rows."""

RANKS = INTEGERS | {"length_m"}
"""Columns of numbers that are not added up."""


class TabLayout:
    """The columns of a sheet: those chosen, the colour beside the rail, and one to tick off."""

    def __init__(self, names: Sequence[str]) -> None:
        """Lay out the columns of these names."""
        shown = [
            (name, SheetColumn(title, name, "rank" if name in RANKS else "text", _shade(name)))
            for name, title in zip(names, titles(names), strict=True)
        ]
        if "rail" in names and "colour" not in names:
            shown.insert(names.index("rail") + 1, ("", SheetColumn("Colour", kind="rank")))
        self.columns = [*(column for _, column in shown), DONE]
        self.shown = [
            (at, column.kind == "rank") for at, (name, column) in enumerate(shown) if name
        ]
        """The index of each value of a row, and whether it is a number that is not added up."""
        self.chips = {at for at, (name, _) in enumerate(shown) if name in {"rail", "colour", ""}}
        """The columns in the colour of the rail."""
        self.added = next((at for at, (name, _) in enumerate(shown) if not name), None)
        """The column with the name of the colour, where it was not chosen."""
        self.plane = next((at for at, (name, _) in enumerate(shown) if name == "plane"), None)


def _shade(name: str) -> str:
    """Return the shade of a title: that of its end."""
    return {"a_": "a", "b_": "b"}.get(name[:2], "plain")


class Tab:
    """One sheet of cables, written from the top down."""

    def __init__(self, book: Book, name: str, fabric: str, layout: TabLayout, rail: str) -> None:
        """Begin the sheet with its header; `rail` gives its tab a colour."""
        self.name = name
        self._book, self._layout = book, layout
        self._sheet = book.table(name, f"Cables of {fabric}", layout.columns, grid=True)
        self._rank = book.style(align="center")
        self._row = 1
        self._widths = [0] * len(layout.columns)
        self._planes: set[object] = set()
        self._chips: dict[str, tuple[Format | None, str]] = {}
        if rail:
            self._sheet.set_tab_color(HUES[int(rail) % len(HUES)].fill)

    @property
    def full(self) -> bool:
        """Whether no row is left."""
        return self._row >= LAST_ROW

    def write(self, rows: list[Row]) -> list[Row]:
        """Write as many rows as there is room for; return the rest."""
        room = LAST_ROW - self._row
        rails = [rail for rail, _ in rows[:room]]
        columns = [*zip(*(cells for _, cells in rows[:room]), strict=True)]
        usual = self._measure(columns)
        self._sheet._opt_reopen()  # noqa: SLF001 - as XlsxWriter's own packager does
        if usual:
            self._row = write_rows(self._sheet, self._row, self._streamed(rails, columns))
        else:
            for rail, row in rows[:room]:
                self._write(rail, row)
        self._sheet._opt_close()  # noqa: SLF001 - each sheet is an open file otherwise, and hundreds of rails are more than some systems allow
        return rows[room:]

    def _measure(self, columns: list[Cells]) -> bool:
        """Keep the longest text of each column; return whether all can be streamed."""
        usual = True
        for (at, _), cells in zip(self._layout.shown, columns, strict=True):
            texts = {str(cell) for cell in set(cells)}
            self._widths[at] = max(self._widths[at], *map(len, texts))
            usual = usual and all(is_plain(text) for text in texts if text)
            if at == self._layout.plane:
                self._planes.update(cells)
        return usual

    def _chip(self, rail: str) -> tuple[Format | None, str]:
        """Return the format and the name of a rail's colour."""
        if rail not in self._chips:
            self._chips[rail] = self._book.chip(rail, "center"), colour(int(rail)) if rail else ""
        return self._chips[rail]

    def _streamed(self, rails: list[str], columns: list[Cells]) -> Iterator[tuple[str, ...]]:
        """Write the rows as XML, column by column.

        XlsxWriter numbers formats as they come: those of the header, of the first row, of the rest.
        """
        for run in (slice(1), slice(1, None)):
            written = self._written(rails[run], [cells[run] for cells in columns])
            yield from zip(*written, strict=True)

    def _written(self, rails: list[str], columns: list[Cells]) -> list[list[str]]:
        """Return the columns as XML, from left to right; a cell that repeats is written once."""
        written = {
            at: self._column(rails, at, cells, rank=rank)
            for (at, rank), cells in zip(self._layout.shown, columns, strict=True)
        }
        if (added := self._layout.added) is not None:
            names = {rail: self._colour(rail, added) for rail in dict.fromkeys(rails)}
            written[added] = [names[rail] for rail in rails]
        return [written[at] for at in sorted(written)]

    def _column(self, rails: list[str], at: int, cells: Cells, *, rank: bool) -> list[str]:
        """Return a column as XML; its cells may have the colours of these rails."""
        colours = {*rails} if at in self._layout.chips else {""}
        if len(colours) == 1:
            (rail,) = colours
            known = {cell: self._cell(rail, at, cell, rank=rank) for cell in dict.fromkeys(cells)}
            return [*map(known.__getitem__, cells)]
        keys = [*zip(rails, cells, strict=True)]
        of_rails = {key: self._cell(key[0], at, key[1], rank=rank) for key in dict.fromkeys(keys)}
        return [*map(of_rails.__getitem__, keys)]

    def _colour(self, rail: str, at: int) -> str:
        """Return the cell with the name of a rail's colour as XML."""
        chip, name = self._chip(rail)
        return text_cell(at, name, chip) if rail else ""

    def _cell(self, rail: str, at: int, cell: str | int, *, rank: bool) -> str:
        """Return one cell as XML."""
        if cell == "":
            return ""
        style = self._style(rail, at, rank=rank)
        number = _number(cell) if rank else None
        return text_cell(at, str(cell), style) if number is None else number_cell(at, number, style)

    def _style(self, rail: str, at: int, *, rank: bool) -> Format | None:
        """Return the format of a cell: the colour of its rail, and numbers centred."""
        return self._chip(rail)[0] if at in self._layout.chips else self._rank if rank else None

    def _write(self, rail: str, cells: Cells) -> None:
        """Write one row by XlsxWriter's own path, which escapes texts."""
        sheet, row, added = self._sheet, self._row, self._layout.added
        self._row += 1
        chip, name = self._chip(rail)
        for (at, rank), cell in zip(self._layout.shown, cells, strict=True):
            style, number = self._style(rail, at, rank=rank), _number(cell) if rank else None
            if number is not None:
                sheet.write_number(row, at, number, style)
            elif cell != "":
                sheet.write_string(row, at, plain(str(cell)), style)
        if rail and added is not None:
            sheet.write_string(row, added, name, chip)

    def finish(self) -> None:
        """Set the widths, hide what is empty, and put a filter on the header."""
        columns, last = self._layout.columns, len(self._layout.columns) - 1
        if self._layout.added is not None:
            self._widths[self._layout.added] = max(len(name) for _, name in self._chips.values())
        if self._layout.plane is not None and self._planes <= {0}:
            self._widths[self._layout.plane] = 0
        for at, (column, width) in enumerate(zip(columns, self._widths, strict=True)):
            shown = width or at == last
            self._sheet.set_column(
                at,
                at,
                min(max(width, len(column.title) + 3) + 1, WIDEST),
                None,
                {} if shown else {"hidden": True},
            )
        self._sheet.autofilter(0, 0, max(self._row - 1, 1), last)
        self._sheet.ignore_errors({"number_stored_as_text": xl_range(0, 0, LAST_ROW - 1, last)})


def _number(cell: str | int) -> float | None:
    """Return a cell as a number; a text like a rack unit `12b` or `nan` stays a text.

    >>> _number("3"), _number("12b"), _number("nan")
    (3.0, None, None)
    """
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None

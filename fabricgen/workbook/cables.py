"""The workbook of cables: a summary, then a row for each cable, on one sheet or on one for each rail.

Owns how a column looks, how sheets are parted, and what the summary counts; which columns there are is asked for. Cables are streamed
through temporary files beside the target, so memory stays level. What a sheet looks like belongs to `book`.
"""

from __future__ import annotations

from collections import Counter
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from xlsxwriter.utility import xl_range

from fabricgen.colours import HUES, colour
from fabricgen.columns import INTEGERS, titles
from fabricgen.workbook.book import WIDEST, Book, Column, Lines, plain, write_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

    from fabricgen.views import CableSheet, Chunk

    Cells = tuple[str | int, ...]
    Row = tuple[str, Cells]

ONE_SHEET = 65_536
"""Up to so many cables stand on one sheet; more are parted by rail."""

LAST_ROW = 1_048_576
"""Rows that a sheet can hold, the header among them; what is longer goes on in a second sheet."""

SIDES = "Side A is the lower end of a cable, side B the upper one. A column without any entry is hidden."
TURNED = "Each cable has two rows, one from each of its ends: side A is the near one. A column without any entry is hidden."
LEGEND = (
    "Rails have the colours of TIA-598 in their order: " + ", ".join(hue.name for hue in HUES) + ".",
    "From rail 12 on the twelve colours repeat with one ring, from rail 24 on with two, and so on.",
)

DONE = Column("Done")
"""The last column, for who works through the list."""

TIERS = {1: "host to leaf", 2: "leaf to spine", 3: "spine to core"}


class _Layout:
    """The columns of a sheet: those that were asked for, the colour beside the rail, and one to tick off."""

    def __init__(self, names: Sequence[str]) -> None:
        shown = [(name, Column(title, name, "rank" if name in RANKS else "text", _shade(name))) for name, title in zip(names, titles(names), strict=True)]
        if "rail" in names and "colour" not in names:
            shown.insert(names.index("rail") + 1, ("", Column("Colour", kind="rank")))
        self.columns = [*(column for _, column in shown), DONE]
        self.shown = [(at, column.kind == "rank") for at, (name, column) in enumerate(shown) if name]
        """Where the values of a row go, and whether each is a number that counts nothing."""
        self.chips = {at for at, (name, _) in enumerate(shown) if name in {"rail", "colour", ""}}
        """The columns that bear the colour of the rail."""
        self.added = next((at for at, (name, _) in enumerate(shown) if not name), None)
        """The column that names the colour, where it was not asked for."""
        self.plane = next((at for at, (name, _) in enumerate(shown) if name == "plane"), None)


def _shade(name: str) -> str:
    """Return the shade of a title: that of its end."""
    return {"a_": "a", "b_": "b"}.get(name[:2], "plain")


RANKS = INTEGERS | {"length_m"}
"""Columns of numbers that nobody adds up."""


def write_cables(path: Path, fabric: str, sheet: CableSheet, chunks: Iterable[Chunk], cables: int) -> None:
    """Write the workbook of cables; `cables` is how many will come, and decides whether each rail gets a sheet of its own.

    About 11,000 rows a second: 131,072 cables take 12 s of CPU, and less than 20 MiB of memory whatever their number.
    """
    with TemporaryDirectory(prefix=".sheets-", dir=path.parent) as scratch:
        book = Book(path, scratch, fabric, f"Cables of {fabric}", constant_memory=True)
        sheets = _CableSheets(book, fabric, sheet, by_rail=cables * sheet.rows > ONE_SHEET)
        for chunk in chunks:
            sheets.add(chunk)
        sheets.finish()
        book.close()


class _CableSheets:
    """The summary and the sheets behind it; a sheet is begun when its first cable comes."""

    def __init__(self, book: Book, fabric: str, sheet: CableSheet, *, by_rail: bool) -> None:
        self._book, self._fabric, self._layout, self._by_rail = book, fabric, _Layout(sheet.columns), by_rail
        self._legend = (TURNED if sheet.both_ways else SIDES, *LEGEND)
        self._summary = book.sheet("Summary", "")
        self._tabs: dict[str, list[_Tab]] = {}
        self._tiers: Counter[int] = Counter()
        self._parts: Counter[tuple[str, str, str]] = Counter()
        self._rails: Counter[tuple[str, int]] = Counter()
        self._sheet_of: dict[str, str] = {}

    def add(self, chunk: Chunk) -> None:
        """Write and count a run of cables."""
        self._tiers.update(row.tier for row in chunk.rows)
        self._parts.update((row.part, row.medium, row.length_m) for row in chunk.rows)
        self._rails.update((row.rail, row.tier) for row in chunk.rows)
        rails = [row.rail for row in chunk.rows for _ in range(chunk.sheet.rows)]
        runs: dict[str, list[Row]] = {}
        for row in zip(rails, chunk.table(), strict=True):
            runs.setdefault(row[0] if self._by_rail else "", []).append(row)
        for rail, run in runs.items():
            self._write(rail, run)

    def _write(self, rail: str, rows: list[Row]) -> None:
        """Write the cables of a rail, and go on in another sheet where one is full."""
        while rows:
            tab = self._tab(self._name(rail), rail)
            self._sheet_of.setdefault(rail, tab.name)
            rows = tab.write(rows)

    def _name(self, rail: str) -> str:
        """Name the sheet of a rail."""
        if not self._by_rail:
            return "Cables"
        return f"Rail {rail}" if rail else "Across rails"

    def _tab(self, name: str, rail: str) -> _Tab:
        """Return the sheet that has room, or begin one."""
        tabs = self._tabs.setdefault(name, [])
        if not tabs or tabs[-1].full:
            title = f"{name} ({len(tabs) + 1})" if tabs else name
            tabs.append(_Tab(self._book, title, self._fabric, self._layout, rail if self._by_rail else ""))
        return tabs[-1]

    def finish(self) -> None:
        """Set widths and filters, and write the summary."""
        for tab in (tab for tabs in self._tabs.values() for tab in tabs):
            tab.finish()
        lines = Lines(self._book, self._summary, (16, 24, 12, 14, 14, 14, 18))
        lines.title(f"Cables of {self._fabric}")
        for line in self._legend:
            lines.note(line)
        lines.head("All", "", "Cables")
        lines.row("cables", "", self._tiers.total())
        lines.head("Tier", "Joins", "Cables")
        for tier, count in sorted(self._tiers.items()):
            lines.row(tier, TIERS.get(tier, ""), count)
        lines.head("Part", "Medium, length", "Cables")
        for (part, medium, length), count in sorted(self._parts.items(), key=lambda item: (*item[0][:2], float(item[0][2] or 0))):
            lines.row(part, f"{medium}, {length} m" if length else medium, count)
        self._list_rails(lines)

    def _list_rails(self, lines: Lines) -> None:
        """Count the cables of each rail, and point to its sheet."""
        lines.head("Rail", "Colour", "Cables", *(TIERS.get(tier, f"tier {tier}") for tier in sorted(self._tiers)), "Sheet")
        for rail in sorted({rail for rail, _ in self._rails}, key=lambda rail: (rail == "", int(rail or 0))):
            counts = [self._rails[rail, tier] for tier in sorted(self._tiers)]
            sheet = self._sheet_of[rail if self._by_rail else ""]
            lines.row(
                int(rail) if rail else "across rails", colour(int(rail)) if rail else "", sum(counts), *counts, chip=self._book.chip(rail, "left"), link=sheet
            )


class _Tab:
    """One sheet of cables, written from the top down."""

    def __init__(self, book: Book, name: str, fabric: str, layout: _Layout, rail: str) -> None:
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
        self._measure([cells for _, cells in rows[:room]])
        self._sheet._opt_reopen()  # noqa: SLF001 - as XlsxWriter's own packager does
        for rail, cells in rows[:room]:
            self._write(rail, cells)
        self._sheet._opt_close()  # noqa: SLF001 - each sheet is an open file otherwise, and hundreds of rails are more than some systems allow
        return rows[room:]

    def _measure(self, values: list[Cells]) -> None:
        """Keep the longest text of each column."""
        for (at, _), cells in zip(self._layout.shown, zip(*values, strict=True), strict=True):
            self._widths[at] = max(self._widths[at], *(len(cell) for cell in {str(cell) for cell in cells}))
            if at == self._layout.plane:
                self._planes.update(cells)

    def _write(self, rail: str, cells: Cells) -> None:
        """Write one row; this is the loop that counts."""
        sheet, row, chips, added = self._sheet, self._row, self._layout.chips, self._layout.added
        self._row += 1
        if rail not in self._chips:
            self._chips[rail] = self._book.chip(rail, "center"), colour(int(rail)) if rail else ""
        chip, name = self._chips[rail]
        for (at, rank), cell in zip(self._layout.shown, cells, strict=True):
            if cell == "":
                continue
            if rank:
                _write_number(sheet, row, at, cell, chip if at in chips else self._rank)
            else:
                sheet.write_string(row, at, plain(str(cell)), chip if at in chips else None)
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
            self._sheet.set_column(at, at, min(max(width, len(column.title) + 3) + 1, WIDEST), None, {} if shown else {"hidden": True})
        self._sheet.autofilter(0, 0, max(self._row - 1, 1), last)
        self._sheet.ignore_errors({"number_stored_as_text": xl_range(0, 0, LAST_ROW - 1, last)})


def _write_number(sheet: Worksheet, row: int, at: int, cell: str | int, style: Format | None) -> None:
    """Write a number as one; what is none, like a unit called `12b`, stays text."""
    try:
        number = float(cell)
    except ValueError:
        write_text(sheet, row, at, str(cell), style)
    else:
        sheet.write_number(row, at, number, style)

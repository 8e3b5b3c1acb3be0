"""The workbook of cables: a summary, then a row for each cable, on one sheet or on one for each rail.

Owns the columns of a cable, how its sheets are parted, and what the summary counts. Cables are streamed through temporary files beside the
target, so memory stays level. What a sheet looks like belongs to `book`.
"""

from __future__ import annotations

from collections import Counter
from operator import attrgetter
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fabricgen.workbook.book import WIDEST, Book, Column, Lines, plain, write_text
from fabricgen.workbook.colours import HUES, colour

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import Any

    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

    from fabricgen.views import CableView

ONE_SHEET = 65_536
"""Up to so many cables stand on one sheet; more are parted by rail."""

LAST_ROW = 1_048_576
"""Rows that a sheet can hold, the header among them; what is longer goes on in a second sheet."""

LEGEND = (
    "Side A is the lower end of a cable, side B the upper one. A column without any entry is hidden.",
    "Rails have the colours of TIA-598 in their order: " + ", ".join(hue.name for hue in HUES) + ".",
    "From rail 12 on the twelve colours repeat with one ring, from rail 24 on with two, and so on.",
)

CABLE_COLUMNS = (
    Column("Cable", "cable"),
    Column("Rail", "rail", "rank"),
    Column("Colour", kind="rank"),
    Column("Plane", "plane", "rank"),
    Column("Tier", "tier", "rank"),
    *(Column(f"A {key.replace('_', ' ')}", f"a_{key}", "rank" if key == "unit" else "text", "a") for key in ("device", "interface", "port", "rack", "unit")),
    *(Column(f"B {key.replace('_', ' ')}", f"b_{key}", "rank" if key == "unit" else "text", "b") for key in ("device", "interface", "port", "rack", "unit")),
    Column("Speed", "speed"),
    Column("Length m", "length_m", "rank"),
    Column("Medium", "medium"),
    Column("Part", "part"),
    Column("A transceiver", "a_transceiver", shade="a"),
    Column("B transceiver", "b_transceiver", shade="b"),
    Column("Done"),
)
_TITLES = [column.title for column in CABLE_COLUMNS]
_COLOUR, _PLANE, _DONE = _TITLES.index("Colour"), _TITLES.index("Plane"), _TITLES.index("Done")
_SHOWN = tuple((at, column.kind == "rank") for at, column in enumerate(CABLE_COLUMNS) if column.key)
_VALUES = attrgetter(*(column.key for column in CABLE_COLUMNS if column.key))
_CHIP = 1
"""The column of the rail, which bears its colour, as does the one that names the colour."""

TIERS = {1: "host to leaf", 2: "leaf to spine", 3: "spine to core"}


def write_cables(path: Path, fabric: str, chunks: Iterable[Sequence[CableView]], links: int) -> None:
    """Write the workbook of cables; `links` is how many will come, and decides whether each rail gets a sheet of its own.

    About 11,000 rows a second: 131,072 cables take 12 s of CPU, and less than 20 MiB of memory whatever their number.
    """
    with TemporaryDirectory(prefix=".sheets-", dir=path.parent) as scratch:
        book = Book(path, scratch, fabric, f"Cables of {fabric}", constant_memory=True)
        sheets = _CableSheets(book, fabric, by_rail=links > ONE_SHEET)
        for rows in chunks:
            sheets.add(rows)
        sheets.finish()
        book.close()


class _CableSheets:
    """The summary and the sheets behind it; a sheet is begun when its first cable comes."""

    def __init__(self, book: Book, fabric: str, *, by_rail: bool) -> None:
        self._book, self._fabric, self._by_rail = book, fabric, by_rail
        self._summary = book.sheet("Summary", "")
        self._tabs: dict[str, list[_Tab]] = {}
        self._tiers: Counter[int] = Counter()
        self._parts: Counter[tuple[str, str, str]] = Counter()
        self._rails: Counter[tuple[str, int]] = Counter()
        self._sheet_of: dict[str, str] = {}

    def add(self, rows: Sequence[CableView]) -> None:
        """Write and count a run of cables."""
        self._tiers.update(row.tier for row in rows)
        self._parts.update((row.part, row.medium, row.length_m) for row in rows)
        self._rails.update((row.rail, row.tier) for row in rows)
        runs: dict[str, list[CableView]] = {}
        for row in rows:
            runs.setdefault(row.rail if self._by_rail else "", []).append(row)
        for rail, run in runs.items():
            self._write(rail, run)

    def _write(self, rail: str, rows: list[CableView]) -> None:
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
            tabs.append(_Tab(self._book, title, self._fabric, rail if self._by_rail else ""))
        return tabs[-1]

    def finish(self) -> None:
        """Set widths and filters, and write the summary."""
        for tab in (tab for tabs in self._tabs.values() for tab in tabs):
            tab.finish()
        lines = Lines(self._book, self._summary, (16, 24, 12, 14, 14, 14, 18))
        lines.title(f"Cables of {self._fabric}")
        for line in LEGEND:
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

    def __init__(self, book: Book, name: str, fabric: str, rail: str) -> None:
        self.name = name
        self._book = book
        self._sheet = book.table(name, f"Cables of {fabric}", CABLE_COLUMNS, grid=True)
        self._rank = book.style(align="center")
        self._row = 1
        self._widths = [0] * len(CABLE_COLUMNS)
        self._planes: set[object] = set()
        self._chips: dict[str, tuple[Format | None, str]] = {}
        if rail:
            self._sheet.set_tab_color(HUES[int(rail) % len(HUES)].fill)

    @property
    def full(self) -> bool:
        """Whether no row is left."""
        return self._row >= LAST_ROW

    def write(self, rows: list[CableView]) -> list[CableView]:
        """Write as many cables as there is room for; return the rest."""
        room = LAST_ROW - self._row
        values = [_VALUES(row) for row in rows[:room]]
        self._measure(values)
        self._sheet._opt_reopen()  # noqa: SLF001 - as XlsxWriter's own packager does
        for cells in values:
            self._write(cells)
        self._sheet._opt_close()  # noqa: SLF001 - each sheet is an open file otherwise, and hundreds of rails are more than some systems allow
        return rows[room:]

    def _measure(self, values: list[tuple[Any, ...]]) -> None:
        """Keep the longest text of each column."""
        for (at, _), cells in zip(_SHOWN, zip(*values, strict=True), strict=True):
            self._widths[at] = max(self._widths[at], *(len(cell) for cell in {str(cell) for cell in cells}))
            if at == _PLANE:
                self._planes.update(cells)

    def _write(self, cells: tuple[Any, ...]) -> None:
        """Write one cable; this is the loop that counts."""
        sheet, row, rail = self._sheet, self._row, cells[1]
        self._row += 1
        if rail not in self._chips:
            self._chips[rail] = self._book.chip(rail, "center"), colour(int(rail)) if rail else ""
        chip, name = self._chips[rail]
        for (at, rank), cell in zip(_SHOWN, cells, strict=True):
            if cell == "":
                continue
            if rank:
                _write_number(sheet, row, at, cell, chip if at == _CHIP else self._rank)
            else:
                sheet.write_string(row, at, plain(cell))
        if rail:
            sheet.write_string(row, _COLOUR, name, chip)

    def finish(self) -> None:
        """Set the widths, hide what is empty, and put a filter on the header."""
        self._widths[_COLOUR] = max(len(name) for _, name in self._chips.values())
        if self._planes <= {0}:
            self._widths[_PLANE] = 0
        for at, (column, width) in enumerate(zip(CABLE_COLUMNS, self._widths, strict=True)):
            shown = width or at == _DONE
            self._sheet.set_column(at, at, min(max(width, len(column.title) + 3) + 1, WIDEST), None, {} if shown else {"hidden": True})
        self._sheet.autofilter(0, 0, max(self._row - 1, 1), len(CABLE_COLUMNS) - 1)
        self._sheet.ignore_errors({"number_stored_as_text": f"A1:V{LAST_ROW}"})


def _write_number(sheet: Worksheet, row: int, at: int, cell: str | int, style: Format | None) -> None:
    """Write a number as one; what is none, like a unit called `12b`, stays text."""
    try:
        number = float(cell)
    except ValueError:
        write_text(sheet, row, at, str(cell), style)
    else:
        sheet.write_number(row, at, number, style)

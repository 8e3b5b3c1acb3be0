"""The workbook of cables: a summary, then a row for each cable, on one sheet or one per rail.

Owns how sheets are divided and what the summary counts; the caller chooses the columns. Cables are
streamed through temporary files beside the target, so memory stays constant. `tab` writes a sheet
of cables; `workbook` owns the look of any sheet.
"""

from __future__ import annotations

from collections import Counter
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fabricgen.core.colours import HUES, colour
from fabricgen.outputs.workbook.tab import Tab, TabLayout
from fabricgen.outputs.workbook.table_sheet import TableSheet
from fabricgen.outputs.workbook.workbook import Book
from fabricgen.views.cables.cable_list import cells, column_of
from fabricgen.views.cables.view import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from fabricgen.outputs.workbook.tab import Row
    from fabricgen.views.cables.view import CableSheet, Chunk

ONE_SHEET = 65_536
"""Maximum cables of a single sheet; more are divided by rail."""

SIDES = (
    "Side A is the lower end of a cable, side B the upper one. A column without any entry is"
    " hidden."
)
TURNED = (
    "Each cable has two rows, one from each of its ends: side A is the near one. A column without"
    " any entry is hidden."
)
TIED = (
    "A cable that carries several links has an entry in Piece; where its links differ, a cell has"
    " the value of each."
)
LEGEND = (
    "Rails have the colours of TIA-598 in their order: "
    + ", ".join(hue.name for hue in HUES)
    + ".",
    "From rail 12 on the twelve colours repeat with one ring, from rail 24 on with two, and so on.",
)

TIERS = {1: "host to leaf", 2: "leaf to spine", 3: "spine to core", 4: "leaf to leaf"}


def write_cables(
    path: Path, fabric: str, sheet: CableSheet, chunks: Iterable[Chunk], rows: int
) -> None:
    """Write the workbook of cables.

    `rows` is how many will come, and decides whether each rail gets a sheet of its own. It writes
    about 50,000 rows a second, in less than 20 MiB of memory whatever their number.
    """
    with TemporaryDirectory(prefix=".sheets-", dir=path.parent) as scratch:
        book = Book(path, scratch, fabric, f"Cables of {fabric}", constant_memory=True)
        sheets = _CableSheets(book, fabric, sheet, by_rail=rows * sheet.rows > ONE_SHEET)
        for chunk in chunks:
            sheets.add(chunk)
        sheets.finish()
        book.close()


class _CableSheets:
    """The summary and the sheets behind it; a sheet is begun when its first cable comes."""

    def __init__(self, book: Book, fabric: str, sheet: CableSheet, *, by_rail: bool) -> None:
        self._book, self._fabric, self._layout, self._by_rail = (
            book,
            fabric,
            TabLayout(sheet.columns),
            by_rail,
        )
        self._legend = (TURNED if sheet.both_ways else SIDES, *LEGEND)
        self._summary = book.sheet("Summary", "")
        self._tabs: dict[str, list[Tab]] = {}
        self._tiers: Counter[int] = Counter()
        self._parts: Counter[tuple[str, str, str]] = Counter()
        self._rails: Counter[tuple[str, int]] = Counter()
        self._listed: set[str] = set()
        self._tied = False
        self._sheet_of: dict[str, str] = {}

    def add(self, chunk: Chunk) -> None:
        """Write and count a run of cables."""
        cables = chunk.rows  # read by columns: an object for each cable takes as long as its cells
        self._tied = self._tied or any(column_of(cables, "piece"))
        self._tiers.update(column_of(cables, "tier"))
        self._parts.update(cells(cables, ("part", "medium", "length_m")))
        self._rails.update(cells(cables, ("piece_rail", "tier")))
        for rails_of_cable in {*column_of(cables, "rail")}:
            self._listed.update(rails_of_cable.split(SEPARATOR))
        several = range(chunk.sheet.rows)
        rails = [rail for rail in column_of(cables, "piece_rail") for _ in several]
        runs: dict[str, list[Row]] = {}
        for row in zip(rails, chunk.table(), strict=True):
            runs.setdefault(row[0] if self._by_rail else "", []).append(row)
        for rail, run in runs.items():
            self._write(rail, run)

    def _write(self, rail: str, rows: list[Row]) -> None:
        """Write the cables of a rail, and continue on another sheet where one is full."""
        while rows:
            tab = self._tab(self._name(rail), rail)
            self._sheet_of.setdefault(rail, tab.name)
            rows = tab.write(rows)

    def _name(self, rail: str) -> str:
        """Name the sheet of a rail."""
        if not self._by_rail:
            return "Cables"
        return f"Rail {rail}" if rail else "Across rails"

    def _tab(self, name: str, rail: str) -> Tab:
        """Return the sheet that has room, or begin one."""
        tabs = self._tabs.setdefault(name, [])
        if not tabs or tabs[-1].full:
            title = f"{name} ({len(tabs) + 1})" if tabs else name
            tabs.append(
                Tab(self._book, title, self._fabric, self._layout, rail if self._by_rail else "")
            )
        return tabs[-1]

    def finish(self) -> None:
        """Set widths and filters, and write the summary."""
        for tab in (tab for tabs in self._tabs.values() for tab in tabs):
            tab.finish()
        lines = TableSheet(self._book, self._summary, (16, 24, 12, 14, 14, 14, 18))
        lines.title(f"Cables of {self._fabric}")
        for line in (*self._legend, *([TIED] if self._tied else [])):
            lines.note(line)
        lines.head("All", "", "Cables")
        lines.row("cables", "", self._tiers.total())
        lines.head("Tier", "Joins", "Cables")
        for tier, count in sorted(self._tiers.items()):
            lines.row(tier, TIERS.get(tier, ""), count)
        lines.head("Part", "Medium, length", "Cables")
        for (part, medium, length), count in sorted(
            self._parts.items(), key=lambda item: (*item[0][:2], float(item[0][2] or 0))
        ):
            lines.row(part, f"{medium}, {length} m" if length else medium, count)
        self._list_rails(lines)

    def _list_rails(self, lines: TableSheet) -> None:
        """Write the number of cables of each rail, with a link to its sheet."""
        lines.head(
            "Rail",
            "Colour",
            "Cables",
            *(TIERS.get(tier, f"tier {tier}") for tier in sorted(self._tiers)),
            "Sheet",
        )
        for rail in sorted(
            self._listed.union(rail for rail, _ in self._rails),
            key=lambda rail: (rail == "", int(rail or 0)),
        ):
            counts = [self._rails[rail, tier] for tier in sorted(self._tiers)]
            sheet = self._sheet_of.get(rail if self._by_rail else "", "")
            lines.row(
                int(rail) if rail else "across rails",
                colour(int(rail)) if rail else "",
                sum(counts),
                *counts,
                chip=self._book.chip(rail, "left"),
                link=sheet,
            )

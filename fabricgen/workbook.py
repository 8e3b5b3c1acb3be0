"""The spreadsheets: cables to pull and parts to buy, laid out to be worked from.

Owns columns, widths, colours, sheets and print setup, and all that touches XlsxWriter. What a row holds is decided in `views`. The same
rows give the same bytes. Every text is written as text, so that no word of a catalog or an inventory becomes a formula.

Cables are streamed through temporary files beside the target, so memory stays level.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from operator import attrgetter
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple, cast

from xlsxwriter import Workbook

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import Any

    from xlsxwriter.chart_column import ChartColumn
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

    from fabricgen.views import BomView, CableView, ComparisonView, PartView

ONE_SHEET = 65_536
"""Up to so many cables stand on one sheet; more are parted by rail."""

LAST_ROW = 1_048_576
"""Rows that a sheet can hold, the header among them; what is longer goes on in a second sheet."""

CREATED = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
"""The date that every workbook bears as its creation, so that the same plan gives the same bytes."""

WIDEST = 60
"""Characters that a column may be wide."""


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

LEGEND = (
    "Side A is the lower end of a cable, side B the upper one. A column without any entry is hidden.",
    "Rails have the colours of TIA-598 in their order: " + ", ".join(hue.name for hue in HUES) + ".",
    "From rail 12 on the twelve colours repeat with one ring, from rail 24 on with two, and so on.",
)


def colour(rail: int) -> str:
    """Name the colour of a rail.

    >>> colour(0), colour(13), colour(24)
    ('blue', 'orange, 1 ring', 'blue, 2 rings')
    """
    rings, hue = divmod(rail, len(HUES))
    return HUES[hue].name + (f", {rings} ring{'s' if rings > 1 else ''}" if rings else "")


class Column(NamedTuple):
    """One column: its title, the attribute that it shows (none for one that is worked out here), what that is, and the shade of its title."""

    title: str
    key: str = ""
    kind: str = "text"  # text, rank (a number that counts nothing), number, money, or long for a text that is wrapped
    shade: str = "plain"


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

PART_COLUMNS = (
    Column("Class", "part_class"),
    Column("Part", "part"),
    Column("Part number", "part_number"),
    Column("Description", "description", "long"),
    Column("For", "purpose", "long"),
    Column("Quantity", "quantity", "number"),
    Column("Spares", "spares", "number"),
    Column("Unit price", "unit_price", "money"),
    Column("Total", "total", "money"),
    Column("Currency", "currency"),
    Column("Power W", "power_w", "number"),
    Column("Price book", "price_book"),
    Column("Price date", "price_date"),
)
_PRICE, _QUANTITY = 7, 5
LONG = 44
"""Characters in a line of a wrapped column."""

ALIGNED = {"rank": "center", "number": "right", "money": "right"}
SHADES = {"plain": "#37474F", "a": "#0B5CAD", "b": "#00695C"}
AMBER, GREY, LINE = "#FFE9A8", "#ECEFF1", "#B0BEC5"
TIERS = {1: "host to leaf", 2: "leaf to spine", 3: "spine to core"}
CHARTS = (
    ("Switches", "", ("leaf switches", "spine switches", "core switches")),
    ("Cost", "currency", ("cost of switches", "cost of transceivers", "cost of cables", "cost of NICs")),
)
CHART_FILLS = ("#0B5CAD", "#00897B", "#FF8C1A", "#5F6B76")


class _Book:
    """A workbook with its formats; each combination is made once, in the order in which it is first asked for."""

    def __init__(self, path: Path, scratch: str, fabric: str, title: str, **options: bool) -> None:
        self._fabric = fabric
        self._book = Workbook(str(path), {"tmpdir": scratch, "strings_to_formulas": False, "use_zip64": True, **options})
        self._book.set_properties({"title": title, "created": CREATED})
        self._formats: dict[tuple[tuple[str, Any], ...], Format] = {}

    def style(self, **properties: Any) -> Format:  # noqa: ANN401 - a format's properties are texts, numbers and flags
        """Return the format with these properties."""
        key = tuple(sorted(properties.items()))
        if key not in self._formats:
            self._formats[key] = self._book.add_format({"valign": "top", **properties})
        return self._formats[key]

    def cell(self, **properties: Any) -> Format:  # noqa: ANN401 - as above
        """Return the format of a cell of a short table: a fine line below it, and its text clear of its neighbour."""
        return self.style(**{"bottom": 1, "bottom_color": LINE, "align": "left", "indent": 1, **properties})

    def chip(self, rail: str, align: str) -> Format | None:
        """Return the format of a rail's colour; None where a link carries several rails."""
        if not rail:
            return None
        hue = HUES[int(rail) % len(HUES)]
        return self.style(bottom=1, bottom_color=LINE, bg_color=hue.fill, font_color=hue.text, align=align, indent=int(align == "left"))

    def sheet(self, name: str, title: str, *, grid: bool = False) -> Worksheet:
        """Add a sheet that prints well: landscape, one page wide, with title, fabric and page on every page."""
        sheet: Worksheet = self._book.add_worksheet(name)
        sheet.set_landscape()
        sheet.set_paper(9)  # A4
        sheet.fit_to_pages(1, 0)
        sheet.set_margins(left=0.4, right=0.4, top=0.8, bottom=0.7)
        if title:
            sheet.set_header(f'&L&"-,Bold"{title}')
        sheet.set_footer(f"&L{self._fabric}&C&A&RPage &P of &N")
        sheet.hide_gridlines(0 if grid else 2)
        return sheet

    def table(self, name: str, title: str, columns: Sequence[Column], *, grid: bool = False) -> Worksheet:
        """Add a sheet with a header that stays in sight and on every page."""
        sheet = self.sheet(name, title, grid=grid)
        sheet.set_row(0, 20)
        for at, column in enumerate(columns):
            align = ALIGNED.get(column.kind, "left")
            indent = 0 if grid or align == "center" else 1
            style = self.style(bold=True, font_color="#FFFFFF", bg_color=SHADES[column.shade], valign="vcenter", align=align, indent=indent)
            sheet.write_string(0, at, column.title, style)
        sheet.freeze_panes(1, 1)
        sheet.repeat_rows(0)
        return sheet

    def chart(self, title: str) -> ChartColumn:
        """Make a chart of stacked columns."""
        chart = cast("ChartColumn", self._book.add_chart({"type": "column", "subtype": "stacked"}))
        chart.set_title({"name": title, "name_font": {"size": 12}})
        chart.set_legend({"position": "bottom"})
        chart.set_y_axis({"num_format": "#,##0", "major_gridlines": {"visible": True, "line": {"color": "#CFD8DC"}}, "line": {"none": True}})
        return chart

    def close(self) -> None:
        """Write the file."""
        self._book.close()


def write_cables(path: Path, fabric: str, chunks: Iterable[Sequence[CableView]], links: int) -> None:
    """Write the workbook of cables; `links` is how many will come, and decides whether each rail gets a sheet of its own.

    About 11,000 rows a second: 131,072 cables take 12 s of CPU, and less than 20 MiB of memory whatever their number.
    """
    with TemporaryDirectory(prefix=".sheets-", dir=path.parent) as scratch:
        book = _Book(path, scratch, fabric, f"Cables of {fabric}", constant_memory=True)
        sheets = _CableSheets(book, fabric, by_rail=links > ONE_SHEET)
        for rows in chunks:
            sheets.add(rows)
        sheets.finish()
        book.close()


class _CableSheets:
    """The summary and the sheets behind it; a sheet is begun when its first cable comes."""

    def __init__(self, book: _Book, fabric: str, *, by_rail: bool) -> None:
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
        lines = _Lines(self._book, self._summary, (16, 24, 12, 14, 14, 14, 18))
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

    def _list_rails(self, lines: _Lines) -> None:
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

    def __init__(self, book: _Book, name: str, fabric: str, rail: str) -> None:
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
                sheet.write_string(row, at, _plain(cell))
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


class _Lines:
    """A sheet of short tables, one below the other."""

    def __init__(self, book: _Book, sheet: Worksheet, widths: tuple[int, ...]) -> None:
        self._book, self._sheet, self._row = book, sheet, 0
        for at, width in enumerate(widths):
            sheet.set_column(at, at, width)

    def title(self, text: str) -> None:
        """Write the title of the sheet."""
        self._sheet.set_row(0, 26)
        self._sheet.write_string(0, 0, text, self._book.style(bold=True, font_size=16))
        self._row = 1

    def note(self, text: str) -> None:
        """Write a line of prose."""
        self._sheet.write_string(self._row, 0, text, self._book.style(italic=True, font_color="#455A64"))
        self._row += 1

    def head(self, *titles: str) -> None:
        """Begin a table, after an empty line."""
        self._row += 1
        for at, title in enumerate(titles):
            align = "right" if at > 1 and title != "Sheet" else "left"
            style = self._book.style(bold=True, font_color="#FFFFFF", bg_color=SHADES["plain"], align=align, indent=1)
            self._sheet.write_string(self._row, at, title, style)
        self._row += 1

    def row(self, *cells: str | int, chip: Format | None = None, link: str = "") -> None:
        """Write one row: what, its description, and counts; `link` names a sheet to go to."""
        for at, cell in enumerate(cells):
            style = chip if chip and at < 2 else self._book.cell()  # noqa: PLR2004 - the two cells that say what
            if not isinstance(cell, int):
                _write_text(self._sheet, self._row, at, cell, style)
            elif at:
                self._sheet.write_number(self._row, at, cell, self._book.cell(num_format="#,##0", align="right"))
            else:
                self._sheet.write_number(self._row, at, cell, chip or self._book.cell())
        if link:
            self._sheet.write_url(self._row, len(cells), f"internal:'{link}'!A1", self._book.cell(font_color="#0B5CAD", underline=1), link)
        self._row += 1


def write_bom(path: Path, bom: BomView, comparison: ComparisonView) -> None:
    """Write the workbook of parts, with the three designs side by side on its second sheet. The sums are those of bom.csv."""
    with TemporaryDirectory(prefix=".sheets-", dir=path.parent) as scratch:
        book = _Book(path, scratch, bom.fabric, f"Parts of {bom.fabric}")
        _write_parts(book, bom)
        _write_comparison(book, comparison)
        book.close()


def _write_parts(book: _Book, bom: BomView) -> None:
    """Write a row for each part, what has no price in amber, then the sums."""
    sheet = book.table("Parts", f"Parts of {bom.fabric}, {bom.design}", PART_COLUMNS)
    for row, part in enumerate(bom.parts, start=1):
        _write_part(book, sheet, row, part, **({} if part.unit_price else {"bg_color": AMBER}))
        if not part.unit_price:
            sheet.write_string(row, _PRICE, "no price", book.cell(bg_color=AMBER, align="right", italic=True))
    last = len(bom.parts)
    sheet.autofilter(0, 0, max(last, 1), len(PART_COLUMNS) - 1)
    for row, part in enumerate(bom.sums, start=last + 2):
        _write_part(book, sheet, row, part, bold=True, bg_color=GREY)
    counts = (("transceivers, one per link end, as the rail-only paper counts", bom.link_ends), ("transceiver modules as sold", bom.modules))
    for row, (text, count) in enumerate(counts, start=last + len(bom.sums) + 3):
        sheet.write_string(row, 1, text, book.style(align="left", indent=1))
        sheet.write_number(row, _QUANTITY, int(count), book.style(num_format="#,##0", align="right", indent=1))
    shown = [*bom.parts, *bom.sums]
    for at, column in enumerate(PART_COLUMNS):
        longest = max(len(getattr(part, column.key)) + (5 if column.kind in ("number", "money") else 3) for part in shown)
        sheet.set_column(at, at, min(max(longest, len(column.title) + 5), LONG if column.kind == "long" else WIDEST))


def _write_part(book: _Book, sheet: Worksheet, row: int, part: PartView, **style: Any) -> None:  # noqa: ANN401 - as in _Book.style
    """Write one part or sum."""
    sheet.set_row(row, _height(part.description, part.purpose))
    for at, column in enumerate(PART_COLUMNS):
        value = getattr(part, column.key)
        if value and column.kind in ("number", "money"):
            sheet.write_number(row, at, float(value), book.cell(num_format=_number_format(value), align="right", **style))
        else:
            _write_text(sheet, row, at, value, book.cell(text_wrap=column.kind == "long", **style))


def _write_comparison(book: _Book, comparison: ComparisonView) -> None:
    """Write a row for each figure, a column for each design, and two charts below."""
    designs = [Column(design, kind="number") for design in comparison.designs]
    columns = [Column("Figure"), Column("Unit"), *designs, Column("Saving %", kind="number"), Column("Note")]
    sheet = book.table("Comparison", f"{comparison.fabric}: the designs side by side", columns)
    sheet.fit_to_pages(1, 1)
    rows = {}
    for row, figure in enumerate(comparison.figures, start=1):
        rows[figure.figure] = row
        sheet.set_row(row, _height(figure.note))
        values = (figure.figure, figure.unit, *figure.values, figure.saving_pct, figure.note)
        for at, (column, value) in enumerate(zip(columns, values, strict=True)):
            right = {"align": "right"} if column.kind == "number" else {}
            bold = bool(figure.saving_pct)
            if value.lstrip("-").replace(".", "", 1).isdigit():
                shown = "0.0" if column.title == "Saving %" else _number_format(value)
                sheet.write_number(row, at, float(value), book.cell(num_format=shown, bold=bold, **right))
            else:
                _write_text(sheet, row, at, value, book.cell(text_wrap=column.title == "Note", bold=bold, **right))
    for at, width in enumerate((32, 8, *[17] * len(comparison.designs), 12, LONG)):
        sheet.set_column(at, at, width)
    _add_charts(book, sheet, comparison, rows)


def _add_charts(book: _Book, sheet: Worksheet, comparison: ComparisonView, rows: dict[str, int]) -> None:
    """Draw switches by tier and cost by class, stacked, for each design."""
    first, last = 2, 1 + len(comparison.designs)
    figures = {figure.figure: figure for figure in comparison.figures}
    for place, (title, unit, names) in enumerate(CHARTS):
        shown = [figures[name] for name in names if name in figures and any(value not in ("", "0") for value in figures[name].values)]
        if not shown:
            continue
        chart = book.chart(f"{title}, {shown[0].unit}" if unit else title)
        for figure, fill in zip(shown, CHART_FILLS, strict=False):
            row = rows[figure.figure]
            chart.add_series(
                {
                    "name": ["Comparison", row, 0],
                    "categories": ["Comparison", 0, first, 0, last],
                    "values": ["Comparison", row, first, row, last],
                    "fill": {"color": fill},
                    "gap": 60,
                }
            )
        chart.set_size({"width": 500, "height": 320})
        sheet.insert_chart(len(comparison.figures) + 2, 0, chart, {"x_offset": place * 520, "object_position": 3})


def _write_number(sheet: Worksheet, row: int, at: int, cell: str | int, style: Format | None) -> None:
    """Write a number as one; what is none, like a unit called `12b`, stays text."""
    try:
        number = float(cell)
    except ValueError:
        _write_text(sheet, row, at, str(cell), style)
    else:
        sheet.write_number(row, at, number, style)


def _write_text(sheet: Worksheet, row: int, at: int, text: str, style: Format | None) -> None:
    """Write a text as text; without one the cell has its looks and no content."""
    if text:
        sheet.write_string(row, at, _plain(text), style)
    else:
        sheet.write_blank(row, at, None, style)


def _height(*texts: str) -> int:
    """Return the height of a row in points, so that wrapped texts show whole; a word at a line's end takes a part of the next."""
    return 15 * max(1, *(-(-len(text) // (LONG - 4)) for text in texts))


def _number_format(text: str) -> str:
    """Return how a number is shown: with as many places as its text has."""
    places = len(text.partition(".")[2])
    return "#,##0" + (f".{'0' * places}" if places else "")


def _plain(text: str) -> str:
    """Return a text that XlsxWriter writes as it is: it takes what looks like its own rich text for ready-made XML.

    >>> _plain("<r>raw</r>")
    ' <r>raw</r>'
    """
    return f" {text}" if text.startswith("<r>") else text

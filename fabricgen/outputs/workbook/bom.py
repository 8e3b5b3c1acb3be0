"""The workbook of parts: what to buy, with sums, and the designs side by side with charts.

Owns the columns of a part, their highlights, and the charts. `views` has the finished figures;
`workbook` owns the look of a sheet.
"""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fabricgen.outputs.workbook.breakdown import write_division, write_loads, write_savings
from fabricgen.outputs.workbook.palette import AMBER, GREY
from fabricgen.outputs.workbook.workbook import WIDEST, Book, SheetColumn, number_format, write_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Any

    from xlsxwriter.worksheet import Worksheet

    from fabricgen.bom.breakdown.view import DivisionView, LoadsView, SavingsView
    from fabricgen.views.bom import BomView, ComparisonView, PartView

PART_COLUMNS = (
    SheetColumn("Class", "part_class"),
    SheetColumn("Part", "part"),
    SheetColumn("Part number", "part_number"),
    SheetColumn("Description", "description", "long"),
    SheetColumn("For", "purpose", "long"),
    SheetColumn("Quantity", "quantity", "number"),
    SheetColumn("Spares", "spares", "number"),
    SheetColumn("Pack", "pack", "number"),
    SheetColumn("List price", "list_price", "money"),
    SheetColumn("List in", "list_currency"),
    SheetColumn("Discount %", "discount_pct", "number"),
    SheetColumn("Unit price", "unit_price", "money"),
    SheetColumn("Total", "total", "money"),
    SheetColumn("Currency", "currency"),
    SheetColumn("Power W", "power_w", "number"),
    SheetColumn("Most W", "power_max_w", "number"),
    SheetColumn("Price book", "price_book"),
    SheetColumn("Price date", "price_date"),
)
ON_TERMS = {
    "pack": ("pack",),
    "list_price": ("discount_pct", "list_currency"),
    "list_currency": ("list_currency",),
    "discount_pct": ("discount_pct",),
}
"""Columns that are shown only where a part has a value in one of these."""
LONG = 44
"""Characters in a line of a wrapped column."""

CHARTS = (
    ("Switches", "", ("leaf switches", "spine switches", "core switches")),
    (
        "Cost",
        "currency",
        ("cost of switches", "cost of transceivers", "cost of cables", "cost of NICs"),
    ),
)
CHART_FILLS = ("#0B5CAD", "#00897B", "#FF8C1A", "#5F6B76")


def write_bom(
    path: Path,
    bom: BomView,
    comparison: ComparisonView,
    divisions: Sequence[DivisionView] = (),
    loads: LoadsView | None = None,
    savings: SavingsView | None = None,
) -> None:
    """Write the workbook of parts, with the three designs side by side on its second sheet.

    The sums are those of the tables beside it.
    """
    with TemporaryDirectory(prefix=".sheets-", dir=path.parent) as scratch:
        book = Book(path, scratch, bom.fabric, f"Parts of {bom.fabric}")
        _write_parts(book, bom)
        _write_comparison(book, comparison)
        if savings:
            write_savings(book, savings)
        for division in divisions:
            write_division(book, division)
        if loads:
            write_loads(book, loads)
        book.close()


def _write_parts(book: Book, bom: BomView) -> None:
    """Write a row for each part, what has no price in amber, then the sums."""
    columns = [
        column
        for column in PART_COLUMNS
        if column.key not in ON_TERMS
        or any(_says(part, key) for key in ON_TERMS[column.key] for part in bom.parts)
    ]
    price, quantity = (
        [column.key for column in columns].index(key) for key in ("unit_price", "quantity")
    )
    sheet = book.table("Parts", f"Parts of {bom.fabric}, {bom.design}", columns)
    for row, part in enumerate(bom.parts, start=1):
        _write_part(
            book, sheet, row, columns, part, **({} if part.unit_price else {"bg_color": AMBER})
        )
        if not part.unit_price:
            sheet.write_string(
                row, price, "no price", book.cell(bg_color=AMBER, align="right", italic=True)
            )
    last = len(bom.parts)
    sheet.autofilter(0, 0, max(last, 1), len(columns) - 1)
    for row, part in enumerate(bom.sums, start=last + 2):
        _write_part(book, sheet, row, columns, part, bold=True, bg_color=GREY)
    counts = (
        ("transceivers, one per link end, as the rail-only paper counts", bom.link_ends),
        ("transceiver modules as sold", bom.modules),
    )
    for row, (text, count) in enumerate(counts, start=last + len(bom.sums) + 3):
        sheet.write_string(row, 1, text, book.style(align="left", indent=1))
        sheet.write_number(
            row, quantity, int(count), book.style(num_format="#,##0", align="right", indent=1)
        )
    for row, text in enumerate(bom.terms, start=last + len(bom.sums) + 3 + len(counts)):
        sheet.write_string(row, 1, text, book.style(align="left", indent=1))
    shown = [*bom.parts, *bom.sums]
    for at, column in enumerate(columns):
        longest = max(
            len(getattr(part, column.key)) + (5 if column.kind in ("number", "money") else 3)
            for part in shown
        )
        sheet.set_column(
            at,
            at,
            min(max(longest, len(column.title) + 5), LONG if column.kind == "long" else WIDEST),
        )


def _says(part: PartView, key: str) -> bool:
    """Return whether a part has special terms.

    More than one to a pack, a discount, or a price in another currency.
    """
    return getattr(part, key) not in {"pack": ("", "1"), "list_currency": ("", part.currency)}.get(
        key, ("",)
    )


def _write_part(
    book: Book,
    sheet: Worksheet,
    row: int,
    columns: Sequence[SheetColumn],
    part: PartView,
    **style: Any,  # noqa: ANN401 - as in Book.style
) -> None:
    """Write one part or sum."""
    sheet.set_row(row, _height(part.description, part.purpose))
    for at, column in enumerate(columns):
        value = getattr(part, column.key)
        if value and column.kind in ("number", "money"):
            sheet.write_number(
                row,
                at,
                float(value),
                book.cell(num_format=number_format(value), align="right", **style),
            )
        else:
            write_text(sheet, row, at, value, book.cell(text_wrap=column.kind == "long", **style))


def _write_comparison(book: Book, comparison: ComparisonView) -> None:
    """Write a row for each figure, a column for each design, and two charts below."""
    designs = [SheetColumn(design, kind="number") for design in comparison.designs]
    columns = [
        SheetColumn("Figure"),
        SheetColumn("Unit"),
        *designs,
        SheetColumn("Saving %", kind="number"),
        SheetColumn("Note"),
    ]
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
                shown = (
                    number_format("0.0", figure.bound)
                    if column.title == "Saving %"
                    else number_format(value)
                )
                sheet.write_number(
                    row, at, float(value), book.cell(num_format=shown, bold=bold, **right)
                )
            else:
                write_text(
                    sheet,
                    row,
                    at,
                    value,
                    book.cell(text_wrap=column.title == "Note", bold=bold, **right),
                )
    for at, width in enumerate((32, 8, *[17] * len(comparison.designs), 12, LONG)):
        sheet.set_column(at, at, width)
    _add_charts(book, sheet, comparison, rows)


def _add_charts(
    book: Book, sheet: Worksheet, comparison: ComparisonView, rows: dict[str, int]
) -> None:
    """Draw switches by tier and cost by class, stacked, for each design."""
    first, last = 2, 1 + len(comparison.designs)
    figures = {figure.figure: figure for figure in comparison.figures}
    for place, (title, unit, names) in enumerate(CHARTS):
        shown = [
            figures[name]
            for name in names
            if name in figures and any(value not in ("", "0") for value in figures[name].values)
        ]
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
        sheet.insert_chart(
            len(comparison.figures) + 2, 0, chart, {"x_offset": place * 520, "object_position": 3}
        )


def _height(*texts: str) -> int:
    """Return the height of a row in points for its wrapped texts.

    A word at a line's end takes a part of the next line.
    """
    return 15 * max(1, *(-(-len(text) // (LONG - 4)) for text in texts))

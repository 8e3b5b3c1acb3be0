"""The workbook of parts: what to buy, with sums, and the designs side by side with charts.

Owns the columns of a part, their highlights, and the charts. `views` has the finished figures;
`workbook` owns the look of a sheet. Orders, totals and sums are formulas, so that a changed price
or number of spares changes them; each has its value with it, for programs that do not recalculate.
"""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from xlsxwriter.utility import xl_range, xl_rowcol_to_cell

from fabricgen.bom.bill_table import QUOTED
from fabricgen.outputs.packs.quoted_text import unmarked
from fabricgen.outputs.workbook.breakdown import (
    FIXED_PRICES,
    write_division,
    write_loads,
    write_savings,
)
from fabricgen.outputs.workbook.cells import (
    LONG,
    height_of,
    number_format,
    priced_total,
    sum_of,
    write_text,
)
from fabricgen.outputs.workbook.palette import AMBER, GREY
from fabricgen.outputs.workbook.table_sheet import write_row
from fabricgen.outputs.workbook.workbook import WIDEST, Book, SheetColumn

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from xlsxwriter.worksheet import Worksheet

    from fabricgen.bom.breakdown.view import DivisionView, LoadsView, SavingsView
    from fabricgen.views.bom import BomView, ComparisonView, PartView

PART_COLUMNS = (
    SheetColumn("Class", "part_class"),
    SheetColumn("Part", "part"),
    SheetColumn("Length m", "length_m", "number"),
    SheetColumn("Part number", "part_number"),
    SheetColumn("Description", "description", "long"),
    SheetColumn("For", "purpose", "long"),
    SheetColumn("Quantity", "quantity", "number"),
    SheetColumn("Spares", "spares", "number"),
    SheetColumn("Order", "order", "number"),
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
    SheetColumn("Supplier", "supplier"),
    SheetColumn("Item number", "item_number"),
    SheetColumn("Valid until", "valid_until"),
    SheetColumn("Lead time, days", "lead_time_days", "number"),
    SheetColumn("Support % a year", "support_pct_per_year", "number"),
)
ON_TERMS = {
    "pack": ("pack",),
    "list_price": ("discount_pct", "list_currency"),
    "list_currency": ("list_currency",),
    "discount_pct": ("discount_pct",),
    **{key: (key,) for key in ("length_m", *QUOTED)},
}
"""Columns that are shown only where a part has a value in one of these."""

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
        prices = _write_parts(book, bom)
        _write_comparison(book, comparison)
        if savings:
            write_savings(book, savings)
        for division in divisions:
            write_division(book, division, prices)
        if loads:
            write_loads(book, loads)
        book.close()


def _write_parts(book: Book, bom: BomView) -> dict[tuple[str, str], str]:
    """Write a row for each part, what has no price in amber, then the sums.

    Returns the cell of the unit price of each part and length, as other sheets name it.
    """
    columns = [
        column
        for column in PART_COLUMNS
        if column.key not in ON_TERMS
        or any(_has_terms(part, key) for key in ON_TERMS[column.key] for part in bom.parts)
    ]
    places = {column.key: at for at, column in enumerate(columns)}
    price, quantity, total = (places[key] for key in ("unit_price", "quantity", "total"))
    classes: dict[str, list[int]] = {}
    sheet = book.table("Parts", f"Parts of {bom.fabric}, {bom.design}", columns)
    for row, part in enumerate(bom.parts, start=1):
        classes.setdefault(part.part_class, []).append(row)
        cells = {key: xl_rowcol_to_cell(row, at) for key, at in places.items()}
        formulas = {
            "order": f"{cells['quantity']}+{cells['spares']}",
            "total": priced_total(cells["order"], cells["unit_price"]),
        }
        missing = {} if part.unit_price else {"bg_color": AMBER}
        sheet.set_row(row, height_of(part.description, part.purpose))
        write_row(book, sheet, row, columns, part, formulas, **missing)
        if missing:
            sheet.write_string(
                row, price, "no price", book.cell(align="right", italic=True, **missing)
            )
    last = len(bom.parts)
    sheet.autofilter(0, 0, max(last, 1), len(columns) - 1)
    for row, part in enumerate(bom.sums, start=last + 2):
        rows = classes.get(part.part_class, [1, last])
        sums = {"total": sum_of(xl_range(rows[0], total, rows[-1], total))}
        sheet.set_row(row, height_of(part.description, part.purpose))
        write_row(book, sheet, row, columns, part, sums, bold=True, bg_color=GREY)
    _write_notes(book, sheet, bom, last + len(bom.sums) + 3, quantity)
    _set_widths(sheet, bom, columns)
    return {
        (
            part.part,
            part.length_m,
        ): f"Parts!{xl_rowcol_to_cell(row, price, row_abs=True, col_abs=True)}"
        for row, part in enumerate(bom.parts, start=1)
    }


def _write_notes(book: Book, sheet: Worksheet, bom: BomView, first: int, quantity: int) -> None:
    """Write both counts of transceivers in the column of quantities, then the terms."""
    counts = (
        (
            "transceivers, one per link end with a module, as the rail-only paper counts",
            bom.link_ends,
        ),
        ("transceiver modules as sold", bom.modules),
    )
    for row, (text, count) in enumerate(counts, start=first):
        sheet.write_string(row, 1, text, book.style(align="left", indent=1))
        sheet.write_number(
            row, quantity, int(count), book.style(num_format="#,##0", align="right", indent=1)
        )
    for row, text in enumerate(bom.terms, start=first + len(counts)):
        sheet.write_string(row, 1, unmarked(text), book.style(align="left", indent=1))


def _set_widths(sheet: Worksheet, bom: BomView, columns: Sequence[SheetColumn]) -> None:
    """Make each column as wide as its longest cell, up to a limit."""
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


def _has_terms(part: PartView, key: str) -> bool:
    """Return whether a part has special terms.

    More than one to a pack, a discount, or a price in another currency.
    """
    return getattr(part, key) not in {"pack": ("", "1"), "list_currency": ("", part.currency)}.get(
        key, ("",)
    )


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
        sheet.set_row(row, height_of(figure.note))
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
    note = book.style(align="left", indent=1)
    sheet.write_string(len(comparison.figures) + 2, 0, FIXED_PRICES, note)
    for at, width in enumerate(
        (32, 8, *[17] * len(comparison.designs), _saving_width(comparison), LONG)
    ):
        sheet.set_column(at, at, width)
    _add_charts(book, sheet, comparison, rows)


def _saving_width(comparison: ComparisonView) -> int:
    """Return the width of the column of savings, whose bounds are words of a number format."""
    bounds = (figure.bound for figure in comparison.figures if figure.saving_pct)
    return 12 + max(map(len, bounds), default=0)


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
            len(comparison.figures) + 4, 0, chart, {"x_offset": place * 520, "object_position": 3}
        )

"""Further sheets of the workbook of parts: the divided bill, loads, and savings.

Owns their columns. `bom.breakdown.view` has the finished figures; `workbook` owns the look of a
sheet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xlsxwriter.utility import xl_range, xl_rowcol_to_cell

from fabricgen.outputs.packs.quoted_text import unmarked
from fabricgen.outputs.workbook.cells import LONG, height_of, priced_total, sum_of
from fabricgen.outputs.workbook.palette import AMBER, GREY
from fabricgen.outputs.workbook.table_sheet import TableSheet, write_row
from fabricgen.outputs.workbook.workbook import WIDEST, SheetColumn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xlsxwriter.worksheet import Worksheet

    from fabricgen.bom.breakdown.view import DivisionView, LoadsView, SavingsView
    from fabricgen.outputs.workbook.workbook import Book

DIVISION_COLUMNS = (
    SheetColumn("", "place"),
    SheetColumn("Class", "part_class"),
    SheetColumn("Part", "part"),
    SheetColumn("Length m", "length_m", "number"),
    SheetColumn("Part number", "part_number"),
    SheetColumn("Description", "description"),
    SheetColumn("Quantity", "quantity", "number"),
    SheetColumn("Unit price", "unit_price", "money"),
    SheetColumn("Total", "total", "money"),
    SheetColumn("Currency", "currency"),
    SheetColumn("Power W", "power_w", "number"),
    SheetColumn("Note", "note", "long"),
)
_FIGURES = (
    ("Rack units", "rack_units"),
    ("Power W", "power_w"),
    ("Most W", "power_max_w"),
    ("Heat BTU/h", "heat_btu_h"),
    ("Most BTU/h", "heat_max_btu_h"),
    ("Weight kg", "weight_kg"),
)
LOAD_COLUMNS = (
    SheetColumn("Rack or role", "place"),
    *(SheetColumn(name, name.lower(), "number") for name in ("Hosts", "Leaf", "Spine", "Core")),
    *(SheetColumn(title, key, "number", "a") for title, key in _FIGURES),
    *(SheetColumn(title, f"all_{key}", "number", "b") for title, key in _FIGURES),
    SheetColumn("Not known", "unknown", "long"),
)
FIXED_PRICES = (
    "Computed with the prices of the build: a price that is changed in the sheet Parts does not"
    " change this sheet."
)
"""The note of sheets that compare designs, whose other parts have no row in the workbook."""

SUMS = ("subtotal", "total", "role")


def write_division(
    book: Book, division: DivisionView, prices: Mapping[tuple[str, str], str]
) -> None:
    """Write a divided bill: a row per part and place, sums on grey, unpriced parts in amber.

    `prices` are the cells of unit prices, which the rows refer to.
    """
    columns = (DIVISION_COLUMNS[0]._replace(title=division.by.capitalize()), *DIVISION_COLUMNS[1:])
    sheet = book.table(f"By {division.by}", f"Parts of {division.fabric} by {division.by}", columns)
    places = {column.key: at for at, column in enumerate(columns)}
    quantity, unit_price, total = (places[key] for key in ("quantity", "unit_price", "total"))
    first = 1
    for row, part in enumerate(division.rows, start=1):
        if part.row in SUMS:
            above = 1 if part.row == "total" else first
            formulas = {"total": sum_of(xl_range(above, total, row - 1, total))}
            first = row + 1
        else:
            price = prices.get((part.part, part.length_m), "")
            cells = xl_rowcol_to_cell(row, quantity), xl_rowcol_to_cell(row, unit_price)
            formulas = {"total": priced_total(*cells)}
            formulas |= {"unit_price": f'IF(ISNUMBER({price}),{price},"")'} if price else {}
        plain = {} if part.row in SUMS or part.unit_price else {"bg_color": AMBER}
        style = {"bold": True, "bg_color": GREY} if part.row in SUMS else plain
        sheet.set_row(row, height_of(part.note))
        write_row(book, sheet, row, columns, part, formulas, **style)
        if part.row == "spares":
            sheet.write_string(row, 0, part.row, book.cell(italic=True, **plain))
    sheet.autofilter(0, 0, max(len(division.rows), 1), len(columns) - 1)
    _fit(sheet, columns, division.rows)


def write_loads(book: Book, loads: LoadsView) -> None:
    """Write the loads of racks, roles and the fabric.

    The fabric alone is in one shade, with hosts in another.
    """
    sheet = book.table("Room", f"What {loads.fabric} asks of the room", LOAD_COLUMNS)
    for row, load in enumerate(loads.rows, start=1):
        sheet.set_row(row, height_of(load.unknown))
        write_row(
            book,
            sheet,
            row,
            LOAD_COLUMNS,
            load,
            {},
            **({"bold": True, "bg_color": GREY} if load.row in SUMS else {}),
        )
    sheet.write_string(len(loads.rows), 0, "all", book.cell(bold=True, bg_color=GREY))
    texts = (
        "columns in the first shade are of the fabric alone, those in the second with hosts",
        *(note for note in loads.notes if "`all_`" not in note),
    )
    for row, text in enumerate(texts, start=len(loads.rows) + 2):
        sheet.write_string(row, 0, unmarked(text), book.style(italic=True))
    _fit(sheet, LOAD_COLUMNS, loads.rows)


def write_savings(book: Book, savings: SavingsView) -> None:
    """Write the report on savings: its sentences, and the figures side by side."""
    sheet = book.sheet("Savings", savings.title)
    lines = TableSheet(
        book, sheet, (34, 9, *[17] * len(savings.designs), *[24, 16] * len(savings.baselines))
    )
    lines.title(savings.title)
    for text in savings.headline:
        lines.prose(text)
    against = [title for design in savings.baselines for title in (f"saved on {design}", "%")]
    lines.head("Figure", "Unit", *savings.designs, *against)
    for row in savings.rows:
        lines.figures(row.figure, row.unit, *row.bounded_values)
    lines.prose(FIXED_PRICES)
    for title, texts in (
        ("What was compared", savings.compared),
        ("How it was counted", savings.counted),
        ("What is not contained", savings.left_out),
    ):
        lines.head(title)
        for text in texts:
            lines.prose(text)


def _fit(sheet: Worksheet, columns: Sequence[SheetColumn], rows: Sequence[object]) -> None:
    """Make each column as wide as its longest cell."""
    for at, column in enumerate(columns):
        longest = max(
            (
                len(getattr(row, column.key)) + (5 if column.kind in ("number", "money") else 3)
                for row in rows
            ),
            default=0,
        )
        widest = LONG if column.kind == "long" else WIDEST
        sheet.set_column(at, at, min(max(longest, len(column.title) + 4), widest))

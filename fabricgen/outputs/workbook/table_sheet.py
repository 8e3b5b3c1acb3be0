"""Sheets of short tables, and rows with formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.outputs.packs.quoted_text import unmarked
from fabricgen.outputs.workbook.cells import number_format, plain, write_text
from fabricgen.outputs.workbook.palette import SHADES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

    from fabricgen.outputs.workbook.workbook import Book, SheetColumn


class TableSheet:
    """A sheet of short tables, one below the other."""

    def __init__(self, book: Book, sheet: Worksheet, widths: tuple[int, ...]) -> None:
        """Begin at the top of a sheet with columns of these widths, in characters."""
        self._book, self._sheet, self._row, self._widths = book, sheet, 0, widths
        for at, width in enumerate(widths):
            sheet.set_column(at, at, width)

    def title(self, text: str) -> None:
        """Write the title of the sheet."""
        self._sheet.set_row(0, 26)
        self._sheet.write_string(0, 0, text, self._book.style(bold=True, font_size=16))
        self._row = 1

    def note(self, text: str) -> None:
        """Write a line of prose."""
        self._sheet.write_string(
            self._row, 0, text, self._book.style(italic=True, font_color="#455A64")
        )
        self._row += 1

    def prose(self, text: str) -> None:
        """Write a sentence across all columns, wrapped where it is long."""
        self._sheet.set_row(self._row, 15 * -(-len(text) // sum(self._widths)))
        self._sheet.merge_range(
            self._row,
            0,
            self._row,
            len(self._widths) - 1,
            plain(unmarked(text)),
            self._book.style(text_wrap=True, indent=1),
        )
        self._row += 1

    def head(self, *titles: str) -> None:
        """Begin a table, after an empty line."""
        self._row += 1
        for at, title in enumerate(titles):
            align = "right" if at > 1 and title != "Sheet" else "left"
            style = self._book.style(
                bold=True, font_color="#FFFFFF", bg_color=SHADES["plain"], align=align, indent=1
            )
            self._sheet.write_string(self._row, at, title, style)
        self._row += 1

    def figures(self, name: str, unit: str, *values: tuple[str, str]) -> None:
        """Write one row of figures, each a text and its bound; an unknown one stays empty."""
        for at, text in enumerate((name, unit)):
            write_text(self._sheet, self._row, at, text, self._book.cell())
        for at, (value, bound) in enumerate(values, start=2):
            style = self._book.cell(num_format=number_format(value, bound), align="right")
            if value:
                self._sheet.write_number(self._row, at, float(value), style)
            else:
                self._sheet.write_blank(self._row, at, None, style)
        self._row += 1

    def row(self, *cells: str | int, chip: Format | None = None, link: str = "") -> None:
        """Write one row: a name, its description, and counts; `link` names a sheet to go to."""
        for at, cell in enumerate(cells):
            style = chip if chip and at < 2 else self._book.cell()  # noqa: PLR2004 - the two cells that say what
            if not isinstance(cell, int):
                write_text(self._sheet, self._row, at, cell, style)
            elif at:
                self._sheet.write_number(
                    self._row, at, cell, self._book.cell(num_format="#,##0", align="right")
                )
            else:
                self._sheet.write_number(self._row, at, cell, chip or self._book.cell())
        if link:
            self._sheet.write_url(
                self._row,
                len(cells),
                f"internal:'{link}'!A1",
                self._book.cell(font_color="#0B5CAD", underline=1),
                link,
            )
        self._row += 1


def write_row(
    book: Book,
    sheet: Worksheet,
    row: int,
    columns: Sequence[SheetColumn],
    shown: object,
    formulas: Mapping[str, str],
    **style: Any,  # noqa: ANN401 - as in Book.style
) -> None:
    """Write one row: the texts of `shown`, and with them the formulas of columns that have one."""
    usual = book.cell(**style)
    for at, column in enumerate(columns):
        value: str = getattr(shown, column.key)
        formula = formulas.get(column.key)
        known = value and column.kind in ("number", "money")
        if not formula and not known:
            wrapped = column.kind == "long"
            text = book.cell(text_wrap=True, **style) if wrapped else usual
            write_text(sheet, row, at, value, text)
            continue
        number = book.cell(num_format=number_format(value), align="right", **style)
        if formula:
            sheet.write_formula(row, at, f"={formula}", number, float(value) if known else "")
        else:
            sheet.write_number(row, at, float(value), number)

"""A workbook and its sheets: formats, page setup, fixed headers, short tables, plain texts.

Owns what both workbooks have in common, and the use of XlsxWriter that gives the same bytes for the
same rows. `cables` and `bom` own their sheets and contents.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, NamedTuple, cast

from xlsxwriter import Workbook
from xlsxwriter.exceptions import FileCreateError

from fabricgen.core.colours import HUES
from fabricgen.outputs.workbook.palette import LINE, SHADES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from xlsxwriter.chart_column import ChartColumn
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

CREATED = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
"""The creation date of every workbook, fixed so that the same plan gives the same bytes."""

WIDEST = 60
"""Maximum characters of a column's width."""

A3, A4 = 8, 9
"""Paper sizes by their numbers in a workbook."""

ON_A4 = 12
"""Maximum columns of a page in A4; a wider table is printed on A3, at twice the size."""

ALIGNED = {"rank": "center", "number": "right", "money": "right"}


class SheetColumn(NamedTuple):
    """One column: its title, its attribute (or none), its kind, and the shade of its title."""

    title: str
    key: str = ""
    kind: str = "text"
    """text, rank (a number that is not added up), number, money, or long (a wrapped text)."""
    shade: str = "plain"


class Book:
    """A workbook with its formats; each is made once, in the order of first use."""

    def __init__(self, path: Path, scratch: str, fabric: str, title: str, **options: bool) -> None:
        """Begin the file at `path`; rows pass through `scratch`; `options` are XlsxWriter's."""
        self._fabric = fabric
        self._book = Workbook(
            str(path),
            {"tmpdir": scratch, "strings_to_formulas": False, "use_zip64": True, **options},
        )
        self._book.set_properties({"title": title, "created": CREATED})
        self._formats: dict[tuple[tuple[str, Any], ...], Format] = {}

    def style(self, **properties: Any) -> Format:  # noqa: ANN401 - a format's properties are texts, numbers and flags
        """Return the format with these properties."""
        key = tuple(sorted(properties.items()))
        if key not in self._formats:
            self._formats[key] = self._book.add_format({"valign": "top", **properties})
        return self._formats[key]

    def cell(self, **properties: Any) -> Format:  # noqa: ANN401 - as above
        """Return the format of a cell of a short table, with a fine line below it."""
        return self.style(
            **{"bottom": 1, "bottom_color": LINE, "align": "left", "indent": 1, **properties}
        )

    def chip(self, rail: str, align: str) -> Format | None:
        """Return the format of a rail's colour; None where a link carries several rails."""
        if not rail:
            return None
        hue = HUES[int(rail) % len(HUES)]
        return self.style(
            bottom=1,
            bottom_color=LINE,
            bg_color=hue.fill,
            font_color=hue.text,
            align=align,
            indent=int(align == "left"),
        )

    def sheet(self, name: str, title: str, *, grid: bool = False) -> Worksheet:
        """Add a sheet that prints well.

        It is landscape, one page wide, with title, fabric and page on every page.
        """
        sheet: Worksheet = self._book.add_worksheet(name)
        sheet.set_landscape()
        sheet.set_paper(A4)
        sheet.fit_to_pages(1, 0)
        sheet.set_margins(left=0.4, right=0.4, top=0.8, bottom=0.7)
        if title:
            sheet.set_header(f'&L&"-,Bold"{title}')
        sheet.set_footer(f"&L{self._fabric}&C&A&RPage &P of &N")
        sheet.hide_gridlines(0 if grid else 2)
        return sheet

    def table(
        self, name: str, title: str, columns: Sequence[SheetColumn], *, grid: bool = False
    ) -> Worksheet:
        """Add a sheet with a header that stays visible and is repeated on every page."""
        sheet = self.sheet(name, title, grid=grid)
        sheet.set_row(0, 20)
        for at, column in enumerate(columns):
            align = ALIGNED.get(column.kind, "left")
            indent = 0 if grid or align == "center" else 1
            style = self.style(
                bold=True,
                font_color="#FFFFFF",
                bg_color=SHADES[column.shade],
                valign="vcenter",
                align=align,
                indent=indent,
            )
            sheet.write_string(0, at, column.title, style)
        sheet.freeze_panes(1, 1)
        sheet.repeat_rows(0)
        if len(columns) > ON_A4:
            sheet.set_paper(A3)
        return sheet

    def chart(self, title: str) -> ChartColumn:
        """Make a chart of stacked columns."""
        chart = cast("ChartColumn", self._book.add_chart({"type": "column", "subtype": "stacked"}))
        chart.set_title({"name": title, "name_font": {"size": 12}})
        chart.set_legend({"position": "bottom"})
        chart.set_y_axis(
            {
                "num_format": "#,##0",
                "major_gridlines": {"visible": True, "line": {"color": "#CFD8DC"}},
                "line": {"none": True},
            }
        )
        return chart

    def close(self) -> None:
        """Write the file. Raises OSError."""
        try:
            self._book.close()
        except FileCreateError as error:  # an OSError wrapped by XlsxWriter
            raise (
                error.args[0]
                if error.args and isinstance(error.args[0], OSError)
                else OSError(str(error))
            ) from None


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
            plain(text),
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
    for at, column in enumerate(columns):
        value: str = getattr(shown, column.key)
        known: float | str = float(value) if value and column.kind in ("number", "money") else ""
        number = book.cell(num_format=number_format(value), align="right", **style)
        if column.key in formulas:
            sheet.write_formula(row, at, f"={formulas[column.key]}", number, known)
        elif known != "":
            sheet.write_number(row, at, float(known), number)
        else:
            wrapped = {"text_wrap": True} if column.kind == "long" else {}
            write_text(sheet, row, at, value, book.cell(**wrapped, **style))


def priced_total(count: str, price: str) -> str:
    """Return the formula of a total, by the cells of a count and of a price that may be missing.

    >>> priced_total("I2", "M2")
    'IF(ISNUMBER(M2),I2*M2,"")'
    """
    return f'IF(ISNUMBER({price}),{count}*{price},"")'


def sum_of(cells: str) -> str:
    """Return the formula of a sum of prices: empty where none is known, without other such sums.

    >>> sum_of("N2:N5")
    'IF(SUBTOTAL(2,N2:N5)=0,"",SUBTOTAL(9,N2:N5))'
    """
    return f'IF(SUBTOTAL(2,{cells})=0,"",SUBTOTAL(9,{cells}))'


def write_text(sheet: Worksheet, row: int, at: int, text: str, style: Format | None) -> None:
    """Write a text as text; an empty one sets only the format."""
    if text:
        sheet.write_string(row, at, plain(text), style)
    else:
        sheet.write_blank(row, at, None, style)


def plain(text: str) -> str:
    """Return a text that XlsxWriter writes as it is; it takes `<r>...</r>` for ready-made XML.

    >>> plain("<r>raw</r>")
    ' <r>raw</r>'
    """
    return f" {text}" if text.startswith("<r>") else text


def number_format(text: str, bound: str = "exact") -> str:
    """Return a number format with as many decimals as the text has, and its bound in words.

    >>> number_format("36.8"), number_format("36.8", "at least")
    ('#,##0.0', '"at least "#,##0.0')
    """
    places = len(text.partition(".")[2])
    digits = "#,##0" + (f".{'0' * places}" if places else "")
    if bound == "exact":
        return digits
    return f'{digits}" {bound}"' if bound == "of priced parts" else f'"{bound} "{digits}'

"""A workbook and its sheets: formats, page setup and fixed headers.

Owns what both workbooks have in common, and the use of XlsxWriter that gives the same bytes for the
same rows. `table_sheet` and `cells` own what is written to a sheet; `cables` and `bom` own their
sheets and contents.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast
from zipfile import ZipFile

import xlsxwriter.workbook as library
from xlsxwriter.exceptions import FileCreateError
from xlsxwriter.worksheet import Worksheet

from fabricgen.core.colours import HUES
from fabricgen.outputs.workbook.palette import LINE, SHADES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from xlsxwriter.chart_column import ChartColumn
    from xlsxwriter.format import Format

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


class _Sheet(Worksheet):
    """A sheet of which XlsxWriter searches less: the searches took a quarter of a bill's time.

    Formulas are written as they are: none has one of the thirty functions that Excel names in
    another way in its files. Numbers in attributes, such as those of formats, need no escape.
    """

    def _escape_attributes(self, attribute: object) -> Any:  # noqa: ANN401 - as the library has it
        """Return an attribute as it is written."""
        if isinstance(attribute, int):
            return attribute
        escaped: Callable[[object], Any] = super()._escape_attributes
        return escaped(attribute)

    def _prepare_formula(self, formula: str, expand_future_functions: object = None) -> str:
        """Return a formula without its equals sign."""
        del expand_future_functions
        return formula.removeprefix("=")


class _Package(ZipFile):
    """The ZIP file of a workbook, deflated at level 5.

    Level 6, which XlsxWriter leaves to zlib, takes half as long again for 2 % fewer bytes.
    """

    def __init__(self, path: str, mode: Literal["w"], **options: Any) -> None:  # noqa: ANN401 - as the library passes them
        super().__init__(path, mode, compresslevel=5, **options)


library.ZipFile = _Package  # type: ignore[attr-defined,assignment] # no option sets the level


class Book:
    """A workbook with its formats; each is made once, in the order of first use."""

    def __init__(self, path: Path, scratch: str, fabric: str, title: str, **options: bool) -> None:
        """Begin the file at `path`; rows pass through `scratch`; `options` are XlsxWriter's."""
        self._fabric = fabric
        self._book = library.Workbook(
            str(path),
            {"tmpdir": scratch, "strings_to_formulas": False, "use_zip64": True, **options},
        )
        self._book.set_properties({"title": title, "created": CREATED})
        self._formats: dict[tuple[tuple[str, Any], ...], Format] = {}
        self._cells: dict[tuple[tuple[str, Any], ...], Format] = {}

    def style(self, **properties: Any) -> Format:  # noqa: ANN401 - a format's properties are texts, numbers and flags
        """Return the format with these properties."""
        key = tuple(sorted(properties.items()))
        if key not in self._formats:
            self._formats[key] = self._book.add_format({"valign": "top", **properties})
        return self._formats[key]

    def cell(self, **properties: Any) -> Format:  # noqa: ANN401 - as above
        """Return the format of a cell of a short table, with a fine line below it."""
        key = tuple(properties.items())  # a sheet has tens of thousands of cells, and few formats
        if key not in self._cells:
            line = {"bottom": 1, "bottom_color": LINE, "align": "left", "indent": 1}
            self._cells[key] = self.style(**{**line, **properties})
        return self._cells[key]

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
        sheet: Worksheet = self._book.add_worksheet(name, _Sheet)
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

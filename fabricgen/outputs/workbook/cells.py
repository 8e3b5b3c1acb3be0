"""The contents of cells: texts, number formats and formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

LONG = 44
"""Characters in a line of a wrapped column."""


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


def height_of(*texts: str) -> int:
    """Return the height of a row in points for its wrapped texts, in columns `LONG` wide.

    A word at a line's end takes a part of the next line.

    >>> height_of("short"), height_of("short", "a text of more than forty characters, in two rows")
    (15, 30)
    """
    return 15 * max(1, *(-(-len(text) // (LONG - 4)) for text in texts))


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

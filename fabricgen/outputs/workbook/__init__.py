"""The spreadsheets: cables to pull and parts to buy, laid out to be worked from.

Owns columns, widths, colours, sheets and print setup, and all that touches XlsxWriter. What a row holds is decided in `views`. The same
rows give the same bytes. Every text is written as text, so that no word of a catalog or an inventory becomes a formula.

`colours` says which colour means what, `book` lays out a workbook and its sheets, `cables` and `bom` fill one each.
"""

from fabricgen.outputs.workbook.bom import write_bom
from fabricgen.outputs.workbook.cables import write_cables
from fabricgen.outputs.workbook.point_to_point import write_point_to_point

__all__ = ["write_bom", "write_cables", "write_point_to_point"]

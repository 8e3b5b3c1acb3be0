"""The formulas of a workbook of parts, computed from its other cells as spreadsheets do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from openpyxl import load_workbook
from openpyxl.utils.cell import rows_from_range

if TYPE_CHECKING:
    from pathlib import Path

CELL = r"(?:(\w+)!)?\$?([A-Z]+)\$?(\d+)"
ADDED = re.compile(rf"={CELL}\+{CELL}")
PRICED = re.compile(rf'=IF\(ISNUMBER\({CELL}\),(?:{CELL}\*)?{CELL},""\)')
SUM = re.compile(r'=IF\(SUBTOTAL\(2,([\w:]+)\)=0,"",SUBTOTAL\(9,([\w:]+)\)\)')
"""An order, a price or total of a price that may be missing, and a sum without other sums."""


class Formulas:
    """Computes the formulas of a workbook, as spreadsheets do, from its other cells."""

    def __init__(self, path: Path) -> None:
        """Read the formulas of every sheet."""
        self.book = load_workbook(path)

    def value(self, sheet: str, cell: str) -> object:
        """Compute a cell."""
        found = self.book[sheet][cell].value
        if not (isinstance(found, str) and found.startswith("=")):
            return found
        if added := ADDED.fullmatch(found):
            return sum(self.number(sheet, *added.groups()[at : at + 3]) for at in (0, 3))
        if priced := PRICED.fullmatch(found):
            tested, count, price = (priced.groups()[at : at + 3] for at in (0, 3, 6))
            if not isinstance(self.value(tested[0] or sheet, "".join(tested[1:])), int | float):
                return ""
            times = self.number(sheet, *count) if count[2] else 1
            return times * self.number(sheet, *price)
        sums = SUM.fullmatch(found)
        assert sums, found
        values = [
            self.value(sheet, cell)
            for (cell,) in rows_from_range(sums[2])
            if "SUBTOTAL" not in str(self.book[sheet][cell].value)
        ]
        numbers = [value for value in values if isinstance(value, int | float)]
        return sum(numbers) if numbers else ""

    def number(self, sheet: str, other: str | None, column: str, row: str) -> float:
        """Compute a cell that must be a number."""
        found = self.value(other or sheet, column + row)
        assert isinstance(found, int | float), (sheet, column, row)
        return found

    def every(self) -> dict[tuple[str, str], object]:
        """Compute every formula, by sheet and cell."""
        return {
            (sheet.title, cell.coordinate): self.value(sheet.title, cell.coordinate)
            for sheet in self.book.worksheets
            for row in sheet.iter_rows()
            for cell in row
            if cell.data_type == "f"
        }

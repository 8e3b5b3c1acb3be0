"""A user's table of positions: device, hall, row, rack, unit.

Owns the format of the file and the findings about its lines. `room` checks which devices there are
and whether they fit their racks.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.csv_text import CELLS_HINT, SHOWN, table_text
from fabricgen.core.diagnostics import Finding, Place, Refusal, suggest
from fabricgen.core.files import FileError, csv_rows

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = ("device", "hall", "row", "rack", "unit")
_HALL = re.compile(r"[A-Z]{1,2}")
_NUMBERS = {str(number): number for number in range(1, 1000)}
"""Texts that a row, a rack and a unit can be: a lookup is faster than parsing a million lines."""
_EXAMPLE = "host-1,A,1,4,17"


class Position(NamedTuple):
    """A line of the table: hall, row and rack count from 0, the lowest rack unit from 1."""

    device: str
    hall: int
    row: int
    rack: int
    rack_unit: int
    line: int


def hall_name(hall: int) -> str:
    """Name a hall by letters.

    >>> [hall_name(hall) for hall in (0, 25, 26, 701, 702)]
    ['A', 'Z', 'AA', 'ZZ', 'AAA']
    """
    before, last = divmod(hall, 26)
    return (hall_name(before - 1) if before else "") + chr(ord("A") + last)


def read_positions(path: Path, shown: str) -> list[Position]:
    """Read a table; findings call it `shown`, as the inventory does.

    Raises Refusal `bad-positions` with the first findings.
    """
    rows = csv_rows(
        table_text(
            path,
            lambda fault, hint: Finding(
                "bad-positions", f"{shown}: {fault}", ("site", "positions"), hint=hint
            ),
        )
    )
    found: list[Position] = []
    findings: list[Finding] = []
    try:
        columns = _columns([cell.strip() for cell in next(rows, (1, []))[1]], shown)
        for line, cells in rows:
            if cells and len(findings) < SHOWN:
                read = _position([cell.strip() for cell in cells], columns, line)
                if isinstance(read, Position):
                    found.append(read)
                else:
                    findings.append(
                        bad_line(shown, line).of(read, hint=f"write it like `{_EXAMPLE}`")
                    )
    except FileError as error:
        raise Refusal(
            [bad_line(shown, error.line).of(f"the line {error.fact}", hint=CELLS_HINT)]
        ) from None
    if findings:
        raise Refusal(findings)
    return found


class BadLine(NamedTuple):
    """Makes findings about one line of a table."""

    shown: str
    line: int | None

    def of(self, fact: str, *because: str, hint: str) -> Finding:
        """Make a finding."""
        return Finding(
            "bad-positions",
            f"{self.shown}: {fact}",
            (),
            because,
            hint,
            Place(self.shown, self.line, 1 if self.line else None),
        )


def bad_line(shown: str, line: int | None = None) -> BadLine:
    """Return the maker of findings about a line, or about the whole table."""
    return BadLine(shown, line)


def _columns(header: list[str], shown: str) -> list[int]:
    """Return the indices of the columns. Raises Refusal for missing, repeated or unknown ones."""
    line = bad_line(shown, 1)
    findings = [
        line.of(f"the column `{name}` is missing", hint=f"the first line is `{','.join(COLUMNS)}`")
        for name in COLUMNS
        if name not in header
    ]
    findings += [
        line.of(
            f"`{name}` is not a column",
            hint=suggest(name, COLUMNS, f"columns: {', '.join(COLUMNS)}"),
        )
        for name in header
        if name not in COLUMNS
    ]
    findings += [
        line.of(f"the column `{name}` is given twice", hint="keep one of the two")
        for name in COLUMNS
        if header.count(name) > 1
    ]
    if findings:
        raise Refusal(findings[:SHOWN])
    return [header.index(name) for name in COLUMNS]


def _position(cells: list[str], columns: list[int], line: int) -> Position | str:
    """Parse one line into a position or a finding."""
    if len(cells) != len(columns):
        return f"the line has {len(cells)} cells, and the table {len(columns)} columns"
    device, hall, *texts = [cells[column] for column in columns]
    number = _hall_number(hall)
    row, rack, rack_unit = [_NUMBERS.get(text) for text in texts]
    if not device:
        return "the line names no device"
    if number is None:
        return f"the hall `{hall}` is not a letter from A on"
    if row is None or rack is None or rack_unit is None:
        name, text = next(
            (name, text)
            for name, text in zip(COLUMNS[2:], texts, strict=True)
            if text not in _NUMBERS
        )
        return f"the {name} `{text}` is not a whole number from 1 to 999"
    return Position(device, number, row - 1, rack - 1, rack_unit, line)


@cache
def _hall_number(hall: str) -> int | None:
    """Return the number of a hall, from 0; None where the text names none."""
    if not _HALL.fullmatch(hall):
        return None
    number = 0
    for letter in hall:
        number = 26 * number + ord(letter) - 64
    return number - 1

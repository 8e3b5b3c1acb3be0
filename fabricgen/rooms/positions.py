"""A table of positions as somebody wrote it: device, hall, row, rack, unit.

Owns the file's form and what is said of a bad line. Which devices there are, and whether they fit their racks, is for `rooms`.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.diagnostics import Finding, Place, Refusal, suggest
from fabricgen.table_text import SHOWN, table_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COLUMNS = ("device", "hall", "row", "rack", "unit")
_HALL, _NUMBER = re.compile(r"[A-Z]{1,2}"), re.compile(r"[1-9]\d{0,2}")
_EXAMPLE = "host-1,A,1,4,17"


class Position(NamedTuple):
    """A line of the table: hall, row and rack count from 0, the lowest rack unit from 1."""

    device: str
    hall: int
    row: int
    rack: int
    unit: int
    line: int


def hall_name(hall: int) -> str:
    """Name a hall by letters.

    >>> [hall_name(hall) for hall in (0, 25, 26, 701, 702)]
    ['A', 'Z', 'AA', 'ZZ', 'AAA']
    """
    before, last = divmod(hall, 26)
    return (hall_name(before - 1) if before else "") + chr(ord("A") + last)


def read_positions(path: Path, shown: str) -> list[Position]:
    """Read a table; findings call it `shown`, as the inventory does. Raises Refusal `bad-positions` with the first findings."""
    text = table_text(path, _EXAMPLE, lambda fault, hint: Finding("bad-positions", f"{shown}: {fault}", ("site", "positions"), hint=hint))
    rows = csv.reader(io.StringIO(text), strict=True)
    found: list[Position] = []
    findings: list[Finding] = []
    try:
        seats = _seats([cell.strip() for cell in next(rows, [])], shown)
        for cells in rows:
            if cells and len(findings) < SHOWN:
                read = _position([cell.strip() for cell in cells], seats, bad_line(shown, rows.line_num))
                (found if isinstance(read, Position) else findings).append(read)  # type: ignore[arg-type]  # each goes to the list of its kind
    except csv.Error as error:
        raise Refusal([bad_line(shown, rows.line_num).of(f"the line is not CSV: {error}", hint="quote a cell that holds a comma or a quote")]) from None
    if findings:
        raise Refusal(findings)
    return found


class BadLine(NamedTuple):
    """Makes findings about one line of a table."""

    shown: str
    line: int | None

    def of(self, fact: str, *because: str, hint: str) -> Finding:
        """Make a finding."""
        return Finding("bad-positions", f"{self.shown}: {fact}", (), because, hint, Place(self.shown, self.line, 1 if self.line else None))


def bad_line(shown: str, line: int | None = None) -> BadLine:
    """Return what makes findings about a line, or about the whole table."""
    return BadLine(shown, line)


def _seats(header: list[str], shown: str) -> list[int]:
    """Find the columns. Raises Refusal where one is missing, twice or unknown."""
    line = bad_line(shown, 1)
    findings = [line.of(f"the column `{name}` is missing", hint=f"the first line is `{','.join(COLUMNS)}`") for name in COLUMNS if name not in header]
    findings += [line.of(f"`{name}` is not a column", hint=suggest(name, COLUMNS, f"columns: {', '.join(COLUMNS)}")) for name in header if name not in COLUMNS]
    findings += [line.of(f"the column `{name}` stands twice", hint="keep one of the two") for name in COLUMNS if header.count(name) > 1]
    if findings:
        raise Refusal(findings[:SHOWN])
    return [header.index(name) for name in COLUMNS]


def _position(cells: list[str], seats: list[int], line: BadLine) -> Position | Finding:
    """Read one line, or say what is wrong with it."""
    if len(cells) != len(seats):
        return line.of(f"the line has {len(cells)} cells, and the table {len(seats)} columns", hint=f"write it like `{_EXAMPLE}`")
    device, hall, *numbers = (cells[seat] for seat in seats)
    for fault in _faults(device, hall, numbers):
        return line.of(fault, hint=f"write it like `{_EXAMPLE}`")
    row, rack, unit = map(int, numbers)
    letters = [ord(letter) - 64 for letter in hall]
    return Position(device, sum(value * 26**power for power, value in enumerate(reversed(letters))) - 1, row - 1, rack - 1, unit, line.line or 0)


def _faults(device: str, hall: str, numbers: list[str]) -> Iterator[str]:
    """Find the cells that cannot be read."""
    if not device:
        yield "the line names no device"
    if not _HALL.fullmatch(hall):
        yield f"the hall `{hall}` is not a letter from A on"
    for name, text in zip(COLUMNS[2:], numbers, strict=True):
        if not _NUMBER.fullmatch(text):
            yield f"the {name} `{text}` is not a whole number from 1 to 999"

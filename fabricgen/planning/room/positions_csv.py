"""A user's table of positions: device, hall, row, rack, unit.

Owns the format of the file and the findings about its lines. `stated_positions` checks which
devices there are and whether they fit their racks.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.csv_text import CELLS_HINT, SHOWN, table_text
from fabricgen.core.diagnostics import Finding, Place, Refusal, suggest
from fabricgen.core.files import FileError, csv_rows
from fabricgen.inventory.fields import PLACE
from fabricgen.planning.room.place_names import KEYS, LEVELS, MOST, number_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabricgen.inventory.site import Site

COLUMNS = ("device", "hall", "row", "rack", "unit")
_LEGAL = re.compile(PLACE)
_NUMBERS = {str(number): number for number in range(1, 1000)}
"""Texts that a unit can be: a lookup is faster than parsing a million lines."""
_EXAMPLE = "host-1,A,1,4,17"


class Position(NamedTuple):
    """A line of the table: hall, row and rack count from 0, the lowest rack unit from 1.

    `names` are hall, row and rack as the table calls them.
    """

    device: str
    hall: int
    row: int
    rack: int
    rack_unit: int
    line: int
    names: tuple[str, str, str]

    @property
    def place(self) -> tuple[int, int, int]:
        """Hall, row and rack."""
        return self.hall, self.row, self.rack


def read_positions(path: Path, shown: str, site: Site) -> list[Position]:
    """Read a table; findings call it `shown`, as the inventory does.

    The lists of the site give the numbers of names. Raises Refusal `bad-positions` with the first
    findings.
    """
    rows = csv_rows(
        table_text(
            path,
            lambda fault, hint: Finding(
                "bad-positions", f"{shown}: {fault}", ("site", "positions"), hint=hint
            ),
        )
    )
    lists = [site.names(KEYS[level]) for level in LEVELS]
    found: list[Position] = []
    findings: list[Finding] = []
    try:
        columns = _columns([cell.strip() for cell in next(rows, (1, []))[1]], shown)
        for line, cells in rows:
            if cells and len(findings) < SHOWN:
                read = _position([cell.strip() for cell in cells], columns, line, lists)
                if isinstance(read, Position):
                    found.append(read)
                else:
                    fact, hint = read
                    findings.append(bad_line(shown, line).of(fact, hint=hint))
    except FileError as error:
        raise Refusal(
            [bad_line(shown, error.line).of(f"the line {error.fact}", hint=CELLS_HINT)]
        ) from None
    findings += islice(_ambiguous(found, shown), SHOWN)
    if findings:
        raise Refusal(findings[:SHOWN])
    return found


def _ambiguous(rows: list[Position], shown: str) -> Iterator[Finding]:
    """Yield a finding on each name whose number another name of the same row or hall has."""
    names: dict[tuple[int, ...], str] = {}
    for row in rows:
        for depth, (level, name) in enumerate(zip(LEVELS, row.names, strict=True), start=1):
            other = names.setdefault(row.place[:depth], name)
            if other != name:
                number = row.place[depth - 1] + 1
                yield bad_line(shown, row.line).of(
                    f"the {level}s `{other}` and `{name}` are both number {number}",
                    hint=f"list their names in order: `{KEYS[level]}: [{other}, {name}, ...]`"
                    " under `site`",
                )


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


def _position(
    cells: list[str], columns: list[int], line: int, lists: list[tuple[str, ...]]
) -> Position | tuple[str, str]:
    """Parse one line into a position, or the fact and the hint of a finding."""
    hint = f"write it like `{_EXAMPLE}`"
    if len(cells) != len(columns):
        return f"the line has {len(cells)} cells, and the table {len(columns)} columns", hint
    device, hall, row, rack, unit = [cells[column] for column in columns]
    names, rack_unit = (hall, row, rack), _NUMBERS.get(unit)
    if not device:
        return "the line names no device", hint
    numbers = [number_of(name, listed) for name, listed in zip(names, lists, strict=True)]
    for level, name, number, listed in zip(LEVELS, names, numbers, lists, strict=True):
        if number is None or not _LEGAL.fullmatch(name):
            if listed:
                known = f"names: {', '.join(listed)}"
                return f"`site.{KEYS[level]}` has no {level} `{name}`", suggest(name, listed, known)
            if name.isdecimal():
                return f"the {level} `{name}` is not a whole number from 1 to {MOST}", hint
            example = (
                f"list the names of all {level}s in order: `{KEYS[level]}: [{name or 'main'}, ...]`"
            )
            return f"the {level} `{name}` has no number", f"{example} under `site`"
    if rack_unit is None:
        return f"the unit `{unit}` is not a whole number from 1 to {MOST}", hint
    at = [number or 0 for number in numbers]
    return Position(device, at[0], at[1], at[2], rack_unit, line, names)

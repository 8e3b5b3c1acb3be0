"""A cut sheet as somebody wrote it: a table with both ends of each cable.

Owns the file's form: which column is which, whatever it is called, and what is said of a bad line.
What the names mean is for `importing`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import Finding, Place, Refusal, refuse
from fabricgen.core.files import FileError, OpenError, csv_rows, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MOST_BYTES = 2**28
"""A sheet of two million cables; a larger file is something else."""

SIDES = (
    ("a", "source", "src", "from", "local", "near"),
    ("b", "destination", "dest", "dst", "to", "remote", "far", "z", "peer", "target"),
)
DEVICES = ("device", "host", "hostname", "node", "system", "switch", "name", "")
INTERFACES = ("interface", "port", "if", "intf", "ifname", "nic")
"""What people call the two ends of a cable, a device, and an interface; a column is a side and one of these, in either order."""

LABELS = ("cable", "label", "cable_id", "cable_label", "id")


class Row(NamedTuple):
    """One cable: two devices, two interfaces, its label where the sheet has one, and its line."""

    devices: tuple[str, str]
    interfaces: tuple[str, str]
    label: str
    line: int


class CutSheet(NamedTuple):
    """The rows of a cut sheet, and the name of its file."""

    name: str
    rows: list[Row]

    def finding(
        self, line: int, fact: str, because: tuple[str, ...] = (), hint: str = ""
    ) -> Finding:
        """Make a finding about a line."""
        return Finding("cut-sheet-does-not-fit", fact, (), because, hint, Place(self.name, line, 1))


def read_cut_sheet(path: Path) -> CutSheet:
    """Read a cut sheet. Raises Refusal `bad-cut-sheet` where it is no table, or lacks a column, or a line lacks an end."""
    name = str(path)
    lines = csv_rows(_text(path, name))
    try:
        header = next(lines, (1, list[str]()))[1]
        seats = _seats(header, name)
        rows = [
            *_once(
                _row(cells, seats, line, name)
                for line, cells in lines
                if any(cell.strip() for cell in cells)
            )
        ]
    except FileError as error:
        raise _bad(
            name, error.line or 1, error.fact, "save it as CSV, with commas and quotes"
        ) from None
    if not rows:
        raise _bad(name, 1, "has no cable", "it needs a line for each cable below its header")
    return CutSheet(name, rows)


def _text(path: Path, name: str) -> str:
    """Read the file."""
    try:
        return read_text(path, MOST_BYTES)
    except OpenError as error:
        raise refuse(
            "no-such-file", f"`{name}` {error.fact}", hint="give the path of a CSV file"
        ) from None
    except FileError as error:
        raise _bad(
            name, error.line or 1, error.fact, error.hint or "give the sheet of one fabric"
        ) from None


def _bad(name: str, line: int, what: str, hint: str, because: tuple[str, ...] = ()) -> Refusal:
    """Refuse a file."""
    return Refusal(
        [Finding("bad-cut-sheet", f"{name} {what}", (), because, hint, Place(name, line, 1))]
    )


def _seats(header: list[str], name: str) -> tuple[tuple[int, int, int, int], int | None]:
    """Find the columns of both devices and both interfaces, and that of labels if there is one."""
    titles = [re.sub(r"[^a-z0-9]+", "_", title.strip().lower()).strip("_") for title in header]
    wanted = {
        f"{'ab'[side]}_{kind}": _titles(side, words)
        for kind, words in (("device", DEVICES), ("interface", INTERFACES))
        for side in range(2)
    }
    found = {
        key: next((titles.index(title) for title in names if title in titles), None)
        for key, names in wanted.items()
    }
    missing = [key for key, at in found.items() if at is None]
    if missing:
        because = (f"its columns are {', '.join(filter(None, header)) or 'none'}",)
        hint = "call them a_device, a_interface, b_device and b_interface, as in cabling/cables.csv"
        raise _bad(name, 1, f"has no column `{missing[0]}`", hint, because)
    seats = tuple(at for at in found.values() if at is not None)
    return (seats[0], seats[1], seats[2], seats[3]), next(
        (titles.index(title) for title in LABELS if title in titles), None
    )


def _once(rows: Iterator[Row]) -> Iterator[Row]:
    """Leave out rows that tell of a cable a second time, from its other end, as `build --both-ways` writes them."""
    told = set()
    for row in rows:
        devices, interfaces, label, _ = row
        if (devices[::-1], interfaces[::-1], label) not in told:
            told.add((devices, interfaces, label))
            yield row


def _titles(side: int, words: tuple[str, ...]) -> list[str]:
    """List what a column of a side may be called, the plainest first."""
    return [
        title
        for word in words
        for end in SIDES[side]
        for title in ((f"{end}_{word}", f"{word}_{end}") if word else (end,))
    ]


def _row(
    cells: list[str], seats: tuple[tuple[int, int, int, int], int | None], line: int, name: str
) -> Row:
    """Read one line."""
    padded = [cell.strip() for cell in cells] + [""] * (max(seats[0]) + 1)
    values = [padded[at] for at in seats[0]]
    if not all(values):
        raise _bad(
            name,
            line,
            "has a cable with an open end",
            "give each cable two devices and two interfaces, or leave it out",
        )
    label = padded[seats[1]] if seats[1] is not None and seats[1] < len(padded) else ""
    return Row((values[0], values[1]), (values[2], values[3]), label, line)


def first(findings: Iterator[Finding], most: int = 20) -> list[Finding]:
    """Take the first findings; who mends those learns of the rest."""
    return [finding for finding, _ in zip(findings, range(most), strict=False)]

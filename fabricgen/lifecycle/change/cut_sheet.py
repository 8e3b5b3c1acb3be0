"""A cut sheet: a table with both ends of each cable, in a format of the user's.

Owns the format: the columns under their many names, and the findings of a bad line.
`import_cut_sheet` interprets the names.
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
"""Enough for two million cables; a larger file is refused."""

SIDES = (
    ("a", "source", "src", "from", "local", "near"),
    ("b", "destination", "dest", "dst", "to", "remote", "far", "z", "peer", "target"),
)
DEVICES = ("device", "host", "hostname", "node", "system", "switch", "name", "")
INTERFACES = ("interface", "port", "if", "intf", "ifname", "nic")
"""Words for the two ends of a cable, a device and an interface; a column combines a side and one of
these in either order."""

LABELS = ("cable", "label", "cable_id", "cable_label", "id")


class Row(NamedTuple):
    """One link: two devices, two interfaces, its label if the sheet has one, and its line."""

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
        """Return a finding about a line."""
        return Finding("cut-sheet-does-not-fit", fact, (), because, hint, Place(self.name, line, 1))


def read_cut_sheet(path: Path) -> CutSheet:
    """Parse a cut sheet.

    Raises Refusal `bad-cut-sheet` where it is no table, lacks a column, or a line lacks an end.
    """
    name = str(path)
    lines = csv_rows(_text(path, name))
    try:
        header = next(lines, (1, list[str]()))[1]
        columns = _columns(header, name)
        rows = [
            *_once(
                row
                for line, cells in lines
                if any(cell.strip() for cell in cells)
                for row in _links(cells, columns, line, name)
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
    """Return the text of the file."""
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
    """Return the refusal of a file."""
    return Refusal(
        [Finding("bad-cut-sheet", f"{name} {what}", (), because, hint, Place(name, line, 1))]
    )


class SheetColumns(NamedTuple):
    """The columns of both devices and interfaces and, if there are any, of labels and pieces."""

    ends: tuple[int, int, int, int]
    label: int | None
    piece: int | None

    def cell(self, cells: list[str], at: int | None) -> str:
        """Return an optional cell of a line."""
        return cells[at].strip() if at is not None and at < len(cells) else ""


def _columns(header: list[str], name: str) -> SheetColumns:
    """Find the columns of a header."""
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
    ends = tuple(at for at in found.values() if at is not None)
    label = next((titles.index(title) for title in LABELS if title in titles), None)
    piece = titles.index("piece") if "piece" in titles else None
    return SheetColumns((ends[0], ends[1], ends[2], ends[3]), label, piece)


def _once(rows: Iterator[Row]) -> Iterator[Row]:
    """Yield rows without those that repeat a cable from its other end (`build --both-ways`)."""
    seen = set()
    for row in rows:
        devices, interfaces, label, _ = row
        if (devices[::-1], interfaces[::-1], label) not in seen:
            seen.add((devices, interfaces, label))
            yield row


def _titles(side: int, words: tuple[str, ...]) -> list[str]:
    """Return the possible titles of a column of a side, the most common first."""
    return [
        title
        for word in words
        for end in SIDES[side]
        for title in ((f"{end}_{word}", f"{word}_{end}") if word else (end,))
    ]


def _links(cells: list[str], columns: SheetColumns, line: int, name: str) -> Iterator[Row]:
    """Parse one line: a link, or with a piece the links of a cable, as cables.csv lists them."""
    padded = [cell.strip() for cell in cells] + [""] * (max(columns.ends) + 1)
    values = [padded[at] for at in columns.ends]
    if not all(values):
        raise _bad(
            name,
            line,
            "has a cable with an open end",
            "give each cable two devices and two interfaces, or leave it out",
        )
    label = columns.cell(cells, columns.label)
    if not columns.cell(cells, columns.piece):
        yield Row((values[0], values[1]), (values[2], values[3]), label, line)
        return
    several = [value.split() for value in values]
    for link in range(max(map(len, several))):
        a, b, a_port, b_port = (each[link] if link < len(each) else each[0] for each in several)
        yield Row((a, b), (a_port, b_port), "" if link else label, line)


def first(findings: Iterator[Finding], most: int = 20) -> list[Finding]:
    """Return the first findings; the rest appear once these are fixed."""
    return [finding for finding, _ in zip(findings, range(most), strict=False)]

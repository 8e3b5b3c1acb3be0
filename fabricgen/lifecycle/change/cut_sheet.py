"""A cut sheet of `import`: the rows of a cable sheet that has every end, and its findings.

`cable_sheet` owns the format, and `import_cut_sheet` interprets the names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import Finding, Place, Refusal, refuse
from fabricgen.core.files import FileError, OpenError, read_text
from fabricgen.lifecycle.cable_sheet import Row, SheetError, sheet_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

MOST_BYTES = 2**28
"""Enough for two million cables; a larger file is refused."""


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
    try:
        rows = [*_once(sheet_rows(_text(path, name)))]
    except SheetError as error:
        hint = (
            "call them a_device, a_interface, b_device and b_interface, as in cabling/cables.csv"
            if error.because
            else "save it as CSV, with commas and quotes"
        )
        raise _bad(name, error.line, error.fact, hint, error.because) from None
    if not rows:
        raise _bad(name, 1, "has no cable", "it needs a line for each cable below its header")
    for row in rows:
        if not all((*row.devices, *row.interfaces)):
            raise _bad(
                name,
                row.line,
                "has a cable with an open end",
                "give each cable two devices and two interfaces, or leave it out",
            )
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


def _once(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows without those that repeat a cable from its other end (`build --both-ways`)."""
    seen = set()
    for row in rows:
        devices, interfaces, label, _ = row
        if (devices[::-1], interfaces[::-1], label) not in seen:
            seen.add((devices, interfaces, label))
            yield row


def first(findings: Iterator[Finding], most: int = 20) -> list[Finding]:
    """Return the first findings; the rest appear once these are fixed."""
    return [finding for finding, _ in zip(findings, range(most), strict=False)]

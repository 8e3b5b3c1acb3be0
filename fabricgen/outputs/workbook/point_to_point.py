"""The point-to-point sheet: a row with both ends of every link, for validators of cabling.

Owns its columns, which are those that NVIDIA documents for the P2P file of its Cable Validation
Tool (releases 1.4 to 1.6), and when another sheet begins. Every cell is a text. `outputs.dcim`
makes the rows.
"""

from __future__ import annotations

from itertools import chain, islice, starmap
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fabricgen.outputs.workbook.cells import write_text
from fabricgen.outputs.workbook.stream import is_plain, text_cell, write_rows
from fabricgen.outputs.workbook.workbook import Book, SheetColumn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from xlsxwriter.worksheet import Worksheet

    from fabricgen.outputs.dcim.wiring_view import EndToEndView

TITLES = tuple(
    f"{side}-{title}" for side in "AZ" for title in ("Rack", "U", "Node Name", "Type", "Port")
)
"""Rack and U are for people; the tool needs the others."""

ROWS = 1_000_000
"""Maximum links of a sheet, below the limit of rows; the tool reads every sheet."""

RUN = 4096
"""Links that are written at once."""


def write_point_to_point(path: Path, fabric: str, rows: Iterable[EndToEndView]) -> None:
    """Write the workbook, with one sheet or as many as it takes."""
    with TemporaryDirectory(prefix=".sheets-", dir=path.parent) as scratch:
        book = Book(path, scratch, fabric, f"Point to point of {fabric}", constant_memory=True)
        rest, number = iter(rows), 0
        while (run := [*islice(rest, 1)]) or not number:
            number += 1
            columns = [
                SheetColumn(title, shade="a" if title.startswith("A") else "b") for title in TITLES
            ]
            sheet = book.table(
                f"P2P {number}" if number > 1 else "P2P",
                f"Point to point of {fabric}",
                columns,
                grid=True,
            )
            _write(sheet, chain(run, islice(rest, ROWS - 1)))
        book.close()


def _write(sheet: Worksheet, rows: Iterable[EndToEndView]) -> None:
    """Write the links of a sheet, run by run.

    They are streamed, or written by XlsxWriter itself where a text must be escaped.
    """
    cells, at = ((*row.a, *row.z) for row in rows), 1
    while run := [*islice(cells, RUN)]:
        if all(is_plain(text) for text in {text for row in run for text in row} if text):
            columns = starmap(_column, enumerate(zip(*run, strict=True)))
            at = write_rows(sheet, at, zip(*columns, strict=True))
            continue
        for row in run:
            for column, text in enumerate(row):
                write_text(sheet, at, column, text, None)
            at += 1


def _column(at: int, texts: Sequence[str]) -> list[str]:
    """Return a column as XML; a text that repeats is written once."""
    known = {text: text_cell(at, text, None) if text else "" for text in set(texts)}
    return [known[text] for text in texts]

"""A cable sheet: a CSV with both ends of each cable, as people and other tools write it.

Owns the format: where its header is, its separator, and the parts of a row; `cable_columns` owns
the titles. `import` and `audit` read sheets with this module, and each reports the faults.
"""

from __future__ import annotations

import csv
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.files import MOST_CELLS, FileError, csv_fault, csv_rows, csv_separator
from fabricgen.lifecycle.cable_columns import SheetColumns, ends_in, find_columns, missing

if TYPE_CHECKING:
    from collections.abc import Iterator

PLAIN = SheetColumns(((0,), (2,)), ((1,), (3,)), None, None)
"""The columns of a list without a header: device, interface, neighbor, its interface."""

ABOVE = 20
"""Lines in which a header is searched; a title or a note may be above it."""

SHOWN = 30
"""Titles that a refusal lists."""

OTHER_WORDS = (
    "wanted are a device and an interface of both ends, as a_device, a_interface, b_device and "
    "b_interface of cabling/cables.csv, or as From device, From port, To device, To port"
)


class SheetError(Exception):
    """A sheet that cannot be read: a predicate of its file, the line, and the reasons."""

    def __init__(self, fact: str, line: int, because: tuple[str, ...] = ()) -> None:
        """Keep the fact, the line and the reasons."""
        super().__init__(fact)
        self.fact, self.line, self.because = fact, line, because


class Row(NamedTuple):
    """One link: two devices, two interfaces, its label if the sheet has one, and its line.

    The second device and its interface may be empty: a port without a cable.
    """

    devices: tuple[str, str]
    interfaces: tuple[str, str]
    label: str
    line: int


def sheet_rows(text: str, device: str = "") -> Iterator[Row]:
    """Yield the links of a sheet, in which `device` has the ports where no column names one.

    Raises SheetError.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    above, columns = _header(text, own=bool(device))
    lines = text.split("\n", above)
    try:
        for number, cells in csv_rows(lines[-1]):
            line = number + above
            if columns is not PLAIN and number == 1:
                titles = cells
                continue
            cells = [cell.strip() for cell in cells]  # noqa: PLW2901 - the row as it is meant
            if not any(cells) or (cells[0].startswith("#") and _is_comment(cells, columns)):
                continue
            if len(cells) <= columns.last or (columns is PLAIN and len(cells) > columns.last + 1):
                what = (
                    f"`{titles[columns.last].strip()}` is column {columns.last + 1}"
                    if columns is not PLAIN
                    else "the columns are device, interface, neighbor and its interface"
                )
                raise SheetError(f"has a line of {len(cells)} cells, and {what}", line)
            yield from _links(cells, columns, line, device)
    except FileError as error:
        raise SheetError(error.fact, (error.line or 1) + above) from None


def _is_comment(cells: list[str], columns: SheetColumns) -> bool:
    """Return whether a row that begins with `#` is no cable with a label like `#12`."""
    whole = len(cells) > columns.last and all(cells[own[0]] for own in columns.devices if own)
    return not (whole and columns.devices[0] != (0,))


def _header(text: str, *, own: bool) -> tuple[int, SheetColumns]:
    """Return the number of lines above the header, or above the first row, and the columns."""
    found: list[tuple[int, list[str]]] = []
    lines = enumerate(islice(text.split("\n", ABOVE * 2), ABOVE * 2))
    for above, line in lines:
        if not line.strip() or line.startswith("#") or len(found) == ABOVE:
            continue
        titles = _cells(line, above + 1)
        columns = find_columns(titles) or (find_columns(titles, own=True) if own else None)
        if columns:
            return above, columns
        found.append((above, titles))
    if not found:
        return 0, PLAIN
    above, titles = max(found, key=lambda each: ends_in(each[1]))
    first, cells = found[0]
    named = [cell for cell in cells if cell]
    numbered = any(each.isdecimal() for cell in cells for each in cell)  # as interfaces are
    if (
        len(cells) == PLAIN.last + 1
        and ends_in(titles) < PLAIN.last  # a device may be called `a`
        and (numbered or len(named) <= PLAIN.last)
    ):
        return first, PLAIN
    more = f" and {len(titles) - SHOWN} more" if len(titles) > SHOWN else ""
    shown = ", ".join(filter(None, titles[:SHOWN])) or "none"
    because = (f"its columns are {shown}{more}", OTHER_WORDS)
    raise SheetError(f"has no column `{missing(titles)}`", above + 1, because)


def _cells(line: str, number: int) -> list[str]:
    """Return the cells of one line; a quoted cell that goes on in the next ends with the line."""
    try:
        cells = next(csv.reader([line], delimiter=csv_separator(line)))
    except csv.Error as error:
        raise SheetError(f"is not CSV: {csv_fault(error)}", number) from None
    if len(cells) > MOST_CELLS:
        raise SheetError(f"has more than {MOST_CELLS} cells", number)
    return [cell.strip() for cell in cells]


def _links(cells: list[str], columns: SheetColumns, line: int, device: str) -> Iterator[Row]:
    """Parse one row: a link, or with a piece the links of a cable, as cables.csv lists them."""
    values = [
        (cells[own[0]] or _second(cells, own)) if own else device
        for own in (*columns.devices, *columns.interfaces)
    ]
    label = "" if columns.label is None else _optional(cells, columns.label)
    if columns.piece is None or not _optional(cells, columns.piece):
        yield Row((values[0], values[1]), (values[2], values[3]), label, line)
        return
    several = [value.split() for value in values]
    for link in range(max(map(len, several))):
        a, b, a_port, b_port = (
            (each[link] if link < len(each) else each[0]) if each else "" for each in several
        )
        yield Row((a, b), (a_port, b_port), "" if link else label, line)


def _second(cells: list[str], own: tuple[int, ...]) -> str:
    """Return the first cell behind the best column of an end that has a value."""
    return next((cell for at in own[1:] if (cell := _optional(cells, at))), "")


def _optional(cells: list[str], at: int) -> str:
    """Return a cell of a row, which may be short."""
    return cells[at] if at < len(cells) else ""

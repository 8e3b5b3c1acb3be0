"""LLDP as a table of text: `show lldp neighbors` and its like, of any system.

Owns the layouts: columns of spaces, with or without dashes below the header, and boxes. A table is
recognized by its header, wherever that is; `cable_columns` owns the titles. Layouts as in the test
data of ntc-templates (EOS, NX-OS, Junos) and in the documentation of SONiC, Cumulus Linux, NVUE and
SR Linux. NX-OS puts a long name into a line of its own. A name that fills its column may be cut,
and gets the mark CUT.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.lifecycle.audit.neighbors import CUT, NeighborRecords, neighbor_record
from fabricgen.lifecycle.cable_columns import SheetColumns, find_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CELL = re.compile(r"\S+(?: \S+)*")
_WORD = re.compile(r"\S+")
_RULE = re.compile(r"[\s+|=_-]+")
_ELLIPSIS = re.compile(r"(?:\.{3}|\u2026)$")

GAP = 2
"""Spaces behind a cell that fills its column, at most."""

FEWEST, MOST = 3, 30
"""Titles of a header."""

RULES = 2
"""Rules of a box from its top to the end of its header."""

ABOVE = 200
"""Lines in which the first header is searched."""


class Header(NamedTuple):
    """A header: its columns, the number of its titles, and where each begins.

    There is no place where tabs or single spaces are between the cells.
    """

    columns: SheetColumns
    titles: int
    starts: Sequence[int] = ()


def read_table(text: str, device: str) -> NeighborRecords | None:
    """Parse the neighbours of a device; None where no line is the header of a table."""
    evidence, header, held = NeighborRecords(reporters={device}), None, ""
    for number, line in enumerate(_unboxed(text)):
        if header is None and number > ABOVE:
            return None
        if _RULE.fullmatch(line):
            continue
        if found := _header(line):
            header, held = found, ""
            continue
        if header is None or not line.strip():
            continue
        cells = _cells(line, header)
        local = cells[header.columns.interfaces[0][0]]
        name = next((cells[at] for at in header.columns.devices[1] if cells[at]), "")
        if not local:
            held = name
            continue
        ports = [cells[at] for at in header.columns.interfaces[1]]
        names = [cells[at] for at in header.columns.devices[1]] if name else [held]
        held = ""
        if " " in local or not any((*names, *ports)):
            continue  # a prompt, or the number of entries
        evidence.records.append(neighbor_record(device, local.rstrip(CUT), names, ports))
    return evidence if header else None


def _header(line: str) -> Header | None:
    """Return the header that a line is, if it is one: of titles, or of titles of one word."""
    if "\t" in line:
        titles = line.split("\t")
        columns = _columns(titles)
        return Header(columns, len(titles)) if columns else None
    for cell in (_CELL, _WORD):
        found = list(cell.finditer(line))
        if columns := _columns([title[0] for title in found]):
            starts = [0, *(title.start() for title in found[1:])] if "  " in line.strip() else ()
            return Header(columns, len(found), starts)
        if set(line) & set(",;"):
            break
    return None


def _columns(titles: list[str]) -> SheetColumns | None:
    """Return the columns of a table about one device; None for a sheet of several."""
    if not FEWEST <= len(titles) <= MOST:
        return None
    whole = find_columns(titles)
    if whole and whole.devices[0][0] < whole.interfaces[0][0]:
        return None
    return find_columns(titles, own=True)


def _cells(line: str, header: Header) -> list[str]:
    """Return the cells of a row, one for each title."""
    count = header.titles
    if "\t" in line or not header.starts:
        cells = line.split("\t") if "\t" in line else line.split()
        return [cell.strip() for cell in [*cells, *[""] * count][:count]]
    found = [(cell.start(), cell.end()) for cell in _CELL.finditer(line)]
    ends = [*header.starts[1:], len(line)]
    if len(found) != count and all(line[at - 1 : at] in ("", " ") for at in header.starts[1:]):
        spans = [
            (at, at + len(line[at:end].rstrip()))
            for at, end in zip(header.starts, ends, strict=True)
        ]
    elif len(found) == count:
        spans = found
    else:
        spans = _by_place(found, header.starts)
    following = [*(start for start, _ in spans[1:]), len(line) + GAP + 1]
    return [
        _marked(line[start:end].strip(), after - end if line[end:].strip() else GAP + 1)
        for (start, end), after in zip(spans, following, strict=True)
    ]


def _by_place(found: list[tuple[int, int]], starts: Sequence[int]) -> list[tuple[int, int]]:
    """Return the span of each title: of the cell that begins nearest, in the order of both."""
    spans, column = [(at, at) for at in starts], -1
    for start, end in found:
        fitting = [at for at in range(column + 1, len(starts)) if starts[at] <= start]
        column = fitting[-1] if fitting else column + 1
        if column >= len(starts):
            break
        spans[column] = (start, end)
    return spans


def _marked(cell: str, gap: int) -> str:
    """Return a cell, with the mark where it may be cut.

    >>> _marked("leaf-1", 7), _marked("storage-le...", 1) == "storage-le" + CUT
    ('leaf-1', True)
    """
    if short := _ELLIPSIS.sub("", cell):
        return short + CUT if short != cell or gap <= GAP else cell
    return ""


def _unboxed(text: str) -> Iterator[str]:
    """Yield the lines of a text, those of boxes with tabs between cells and in one line each.

    Lines of a header are joined until the rule below it, others where the first cell is empty.
    """
    rows: list[list[str]] = []
    ruled = 0
    for line in [*text.splitlines(), ""]:
        plain = line.strip()
        if plain[:1] in ("+", "|") and _RULE.fullmatch(plain):
            ruled = ruled + 1 if plain[0] == "+" else RULES
            yield from ("\t".join(row) for row in rows)
            rows = []
        elif plain.startswith("|"):
            cells = [cell.strip() for cell in plain.strip("|").split("|")]
            heading = ruled < RULES
            if rows and len(cells) == len(rows[-1]) and (heading or not cells[0]):
                mark = " " if heading else ""
                rows[-1] = [f"{a}{mark}{b}".strip() for a, b in zip(rows[-1], cells, strict=True)]
            else:
                rows.append(cells)
        else:
            yield from ("\t".join(row) for row in rows)
            rows, ruled = [], 0
            yield line

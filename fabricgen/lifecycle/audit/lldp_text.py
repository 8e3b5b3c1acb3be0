"""Neighbours as text: a CSV of four columns, and SONiC's `show lldp table`.

Owns both formats. The four columns are the device, its interface, the neighbour and its interface;
the last two are empty for a port without a neighbour. Where the first line names columns as
`cables.csv` does, only these are read.
"""

from __future__ import annotations

import csv
import re

from fabricgen.core.files import csv_fault, csv_separator
from fabricgen.lifecycle.audit.neighbors import NeighborRecords, UnreadableError, neighbor_record

COLUMNS = ("a_device", "a_interface", "b_device", "b_interface")
HEADERS = {
    "a_device",
    "device",
    "host",
    "hostname",
    "local_device",
    "switch",
    "local",
    "source",
    "from",
}
"""Possible names of the first column of a header, which no device has."""

TABLE_COLUMNS = 3
"""Columns of SONiC's table that are read besides the last: port, neighbour, its port."""

_TABLE = re.compile(r"^LocalPort\s+RemoteDevice\s+RemotePortID\b", re.MULTILINE)


def read_lines(text: str, device: str) -> NeighborRecords:
    """Parse a CSV, or SONiC's table of `device`. Raises UnreadableError with the line."""
    found = _TABLE.search(text)
    return _table(text[found.start() :], device) if found else _csv(text)


def _csv(text: str) -> NeighborRecords:
    """Parse a CSV of four columns; `#` begins a comment."""
    evidence, positions = NeighborRecords(), list(range(4))
    lines = [
        (number, line)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.startswith("#")
    ]
    sign = csv_separator(lines[0][1]) if lines else ","
    for number, line in lines:
        cells = _cells(line, number, sign)
        if not evidence.reporters and cells[0].lower().replace(" ", "_") in HEADERS | {"cable"}:
            positions = _columns(cells, number)
            continue
        plain = positions == list(range(4))
        if len(cells) <= max(positions) or (plain and len(cells) != len(positions)):
            raise UnreadableError(f"this line has {len(cells)} columns", number)
        near, interface, peer, peer_interface = (cells[position] for position in positions)
        if not near or not interface:
            raise UnreadableError("this line lacks a device and an interface", number)
        evidence.reporters.add(near)
        if peer:
            evidence.records.append(neighbor_record(near, interface, peer, [peer_interface]))
    return evidence


def _cells(line: str, number: int, sign: str) -> list[str]:
    """Return the cells of one line. Raises UnreadableError."""
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=sign))]
    except csv.Error as error:
        raise UnreadableError(f"this line is not CSV: {csv_fault(error)}", number) from None


def _columns(cells: list[str], number: int) -> list[int]:
    """Return the positions of the four columns in a header."""
    if all(name in cells for name in COLUMNS):
        return [cells.index(name) for name in COLUMNS]
    if len(cells) != len(COLUMNS):
        raise UnreadableError(
            f"this header has {len(cells)} columns, and is not the one of cables.csv", number
        )
    return list(range(4))


def _table(text: str, device: str) -> NeighborRecords:
    """Parse the output of `show lldp table`; the dashes below its header show the columns."""
    lines = text.splitlines()
    rule = next((line for line in lines[1:2] if set(line) == {"-", " "}), None)
    if rule is None:
        raise UnreadableError("the table of `show lldp table` has no dashes below its header", 2)
    starts = [found.start() for found in re.finditer("-+", rule)]
    if len(starts) < TABLE_COLUMNS:
        raise UnreadableError(
            f"the table of `show lldp table` has {len(starts)} columns "
            f"and needs at least {TABLE_COLUMNS}",
            2,
        )
    evidence = NeighborRecords(reporters={device})
    for line in lines[2:]:
        if not line.strip() or set(line.strip()) == {"-"} or line.startswith("Total entries"):
            continue
        cells = [
            line[start:end].strip() for start, end in zip(starts, [*starts[1:], None], strict=True)
        ]
        evidence.records.append(neighbor_record(device, cells[0], cells[1], [cells[2], cells[-1]]))
    return evidence

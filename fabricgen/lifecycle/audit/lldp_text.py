"""Neighbours in lines: a CSV of four columns, and the table that SONiC's `show lldp table` prints.

Owns both shapes. The four columns are the device, its interface, the device that it hears, and that
one's interface; a port that hears nobody has the last two empty. Where the first line names columns
as `cables.csv` does, only these are read.
"""

from __future__ import annotations

import csv
import re

from fabricgen.core.files import csv_fault
from fabricgen.lifecycle.audit.neighbors import NeighborRecords, UnreadableError, hear

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
"""What the first column of a header may be called; no device is."""

TABLE_COLUMNS = 3
"""Columns of SONiC's table that are read, beside the last: the port, the neighbor and its port."""

_TABLE = re.compile(r"^LocalPort\s+RemoteDevice\s+RemotePortID\b", re.MULTILINE)


def read_lines(text: str, device: str) -> NeighborRecords:
    """Read a CSV, or SONiC's table of what `device` hears. Raises UnreadableError with the line."""
    found = _TABLE.search(text)
    return _table(text[found.start() :], device) if found else _csv(text)


def _csv(text: str) -> NeighborRecords:
    """Read a CSV of four columns; `#` begins a comment."""
    evidence, seats = NeighborRecords(), list(range(4))
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = _cells(line, number)
        if not evidence.reporters and cells[0].lower().replace(" ", "_") in HEADERS | {"cable"}:
            seats = _seats(cells, number)
            continue
        if len(cells) <= max(seats) or (len(cells) != len(seats) and seats == list(range(4))):
            raise UnreadableError(f"this line has {len(cells)} columns", number)
        near, interface, peer, peer_interface = (cells[seat] for seat in seats)
        if not near or not interface:
            raise UnreadableError("this line names no device and interface of its own", number)
        evidence.reporters.add(near)
        if peer:
            evidence.heard.append(hear(near, interface, peer, [peer_interface]))
    return evidence


def _cells(line: str, number: int) -> list[str]:
    """Read the cells of one line. Raises UnreadableError."""
    try:
        return [cell.strip() for cell in next(csv.reader([line]))]
    except csv.Error as error:
        raise UnreadableError(f"this line is not CSV: {csv_fault(error)}", number) from None


def _seats(cells: list[str], number: int) -> list[int]:
    """Find the four columns in a header."""
    if all(name in cells for name in COLUMNS):
        return [cells.index(name) for name in COLUMNS]
    if len(cells) != len(COLUMNS):
        raise UnreadableError(
            f"this header has {len(cells)} columns, and is not the one of cables.csv", number
        )
    return list(range(4))


def _table(text: str, device: str) -> NeighborRecords:
    """Read the table of `show lldp table`; its columns begin where the dashes below the header do."""
    lines = text.splitlines()
    rule = next((line for line in lines[1:2] if set(line) == {"-", " "}), None)
    if rule is None:
        raise UnreadableError("the table of `show lldp table` has no dashes below its header", 2)
    starts = [found.start() for found in re.finditer("-+", rule)]
    if len(starts) < TABLE_COLUMNS:
        raise UnreadableError(
            f"the table of `show lldp table` has {len(starts)} columns, and its first {TABLE_COLUMNS} are read",
            2,
        )
    evidence = NeighborRecords(reporters={device})
    for line in lines[2:]:
        if not line.strip() or set(line.strip()) == {"-"} or line.startswith("Total entries"):
            continue
        cells = [
            line[start:end].strip() for start, end in zip(starts, [*starts[1:], None], strict=True)
        ]
        evidence.heard.append(hear(device, cells[0], cells[1], [cells[2], cells[-1]]))
    return evidence

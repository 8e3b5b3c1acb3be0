"""Neighbours as text: a table of `show lldp neighbors`, or a cable sheet.

Owns the choice. A sheet without a header has four columns: the device, its interface, the neighbour
and its interface; the last two are empty for a port without a neighbour.
"""

from __future__ import annotations

from fabricgen.lifecycle.audit.lldp_table_text import read_table
from fabricgen.lifecycle.audit.neighbors import NeighborRecords, UnreadableError, neighbor_record
from fabricgen.lifecycle.cable_sheet import SheetError, sheet_rows


def read_lines(text: str, device: str) -> NeighborRecords:
    """Parse a table of `device`, or a sheet. Raises UnreadableError with the line."""
    return read_table(text, device) or _sheet(text, device)


def _sheet(text: str, device: str) -> NeighborRecords:
    """Parse a cable sheet."""
    evidence = NeighborRecords()
    try:
        for row in sheet_rows(text, device):
            (near, peer), (interface, peer_interface) = row.devices, row.interfaces
            if not near or not interface:
                raise UnreadableError("a line lacks a device and an interface", row.line)
            evidence.reporters.add(near)
            if peer:
                evidence.records.append(neighbor_record(near, interface, peer, [peer_interface]))
    except SheetError as error:
        raise UnreadableError(f"it {error.fact}", error.line, because=error.because) from None
    return evidence

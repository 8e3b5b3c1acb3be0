"""The serial numbers of devices, as an asset list has them: a CSV with the columns device and serial.

Owns the file's form and what is said of a bad line. What is called `device` is for the caller, who knows all devices.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.diagnostics import Finding, Place, Refusal, suggest
from fabricgen.table_text import MOST_BYTES, SHOWN

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

COLUMNS = ("device", "serial")


class Line(NamedTuple):
    """A line of the list."""

    number: int
    device: str
    serial: str


def read_serials(path: Path, devices: Collection[str]) -> dict[str, str]:
    """Read the serial of each device that the list names; other columns are passed over. Raises Refusal `bad-serials` with the first findings."""
    shown = str(path)
    reader = csv.reader(io.StringIO(_text(path, shown)), strict=True)
    try:
        header = [cell.strip().lower() for cell in next(reader, [])]
        missing = [column for column in COLUMNS if column not in header]
        if missing:
            raise Refusal([_bad(shown, 1, f"has no column `{missing[0]}`", "call its columns device and serial")])
        lines = [Line(reader.line_num, *_cells(cells, header)) for cells in reader if any(cells)]
    except csv.Error as error:
        raise Refusal([_bad(shown, reader.line_num, f"is not CSV: {error}", "quote a cell that holds a comma or a quote")]) from None
    findings = [finding for finding, _ in zip(_findings(shown, lines, devices), range(SHOWN), strict=False)]
    if findings:
        raise Refusal(findings)
    return {device: serial for _, device, serial in lines}


def _cells(cells: list[str], header: list[str]) -> tuple[str, str]:
    """Return device and serial of a line; what it does not reach is empty."""
    padded = [cell.strip() for cell in cells] + [""] * len(header)
    return padded[header.index("device")], padded[header.index("serial")]


def _text(path: Path, shown: str) -> str:
    """Read the file."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise Refusal([_bad(shown, 1, f"is larger than {MOST_BYTES} bytes", "give the list of one fabric")])
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise Refusal([Finding("no-such-file", f"`{shown}` cannot be read: {error.strerror}", hint="give the path of a CSV file")]) from None
    except UnicodeDecodeError as error:
        raise Refusal([_bad(shown, 1, f"is not UTF-8 text: byte {error.start}", "save it as UTF-8")]) from None


def _findings(shown: str, lines: list[Line], devices: Collection[str]) -> Iterator[Finding]:
    """Find lines about devices that are unknown, named twice, or without a serial that can be printed, and serials that two devices bear."""
    seen: dict[str, int] = {}
    bearers: dict[str, str] = {}
    for line, device, serial in lines:
        if device not in devices:
            hint = suggest(device, devices, "devices are called as in cabling/cables.csv")
            yield _bad(shown, line, f"names `{device}`, and this fabric has no such device", hint)
        elif device in seen:
            yield _bad(shown, line, f"names `{device}` twice", "keep one of the two lines", f"it stands already in line {seen[device]}")
        elif not serial or not serial.isprintable():
            yield _bad(shown, line, f"gives `{device}` no serial that can be printed", "write it, or leave the line out")
        elif serial in bearers:
            yield _bad(shown, line, f"gives `{device}` the serial {serial}", "correct one of the two lines", f"`{bearers[serial]}` bears it already")
        seen.setdefault(device, line)
        bearers.setdefault(serial, device)


def _bad(shown: str, line: int, what: str, hint: str, *because: str) -> Finding:
    """Make a finding about a line."""
    return Finding("bad-serials", f"{shown} {what}", (), because, hint, Place(shown, line, 1))

"""The serial numbers of devices: a CSV file with the columns device and serial.

Owns the format of the file and the findings about its lines. The caller names the devices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.csv_text import CELLS_HINT, MOST_BYTES, SHOWN
from fabricgen.core.diagnostics import Finding, Place, Refusal, refuse, suggest
from fabricgen.core.files import FileError, OpenError, csv_rows, read_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

COLUMNS = ("device", "serial")


class SerialRow(NamedTuple):
    """A line of the list."""

    number: int
    device: str
    serial: str


def read_serials(path: Path, devices: Collection[str]) -> dict[str, str]:
    """Read the serial of each device in the list; other columns are ignored.

    Raises Refusal `bad-serials` with the first findings.
    """
    shown = str(path)
    rows = csv_rows(_text(path, shown))
    try:
        header = [cell.strip().lower() for cell in next(rows, (1, []))[1]]
        missing = [column for column in COLUMNS if column not in header]
        if missing:
            raise Refusal(
                [
                    _bad(
                        shown,
                        1,
                        f"has no column `{missing[0]}`",
                        "call its columns device and serial",
                    )
                ]
            )
        lines = [SerialRow(line, *_cells(cells, header)) for line, cells in rows if any(cells)]
    except FileError as error:
        raise Refusal([_bad(shown, error.line or 1, error.fact, CELLS_HINT)]) from None
    findings = [
        finding for finding, _ in zip(_findings(shown, lines, devices), range(SHOWN), strict=False)
    ]
    if findings:
        raise Refusal(findings)
    return {device: serial for _, device, serial in lines}


def _cells(cells: list[str], header: list[str]) -> tuple[str, str]:
    """Return device and serial of a line; cells that it lacks are empty."""
    padded = [cell.strip() for cell in cells] + [""] * len(header)
    return padded[header.index("device")], padded[header.index("serial")]


def _text(path: Path, shown: str) -> str:
    """Read the file."""
    try:
        return read_text(path, MOST_BYTES)
    except OpenError as error:
        raise refuse(
            "no-such-file", f"`{shown}` {error.fact}", hint="give the path of a CSV file"
        ) from None
    except FileError as error:
        raise Refusal(
            [_bad(shown, error.line or 1, error.fact, error.hint or "give the list of one fabric")]
        ) from None


def _findings(shown: str, lines: list[SerialRow], devices: Collection[str]) -> Iterator[Finding]:
    """Find unknown or repeated devices, and unprintable or repeated serials."""
    seen: dict[str, int] = {}
    bearers: dict[str, str] = {}
    for line, device, serial in lines:
        if device not in devices:
            hint = suggest(device, devices, "devices are called as in cabling/cables.csv")
            yield _bad(shown, line, f"names `{device}`, and this fabric has no such device", hint)
        elif device in seen:
            yield _bad(
                shown,
                line,
                f"names `{device}` twice",
                "keep one of the two lines",
                f"it is already in line {seen[device]}",
            )
        elif not serial or not serial.isprintable():
            yield _bad(
                shown,
                line,
                f"gives `{device}` no serial that can be printed",
                "write it, or leave the line out",
            )
        elif serial in bearers:
            yield _bad(
                shown,
                line,
                f"gives `{device}` the serial {serial}",
                "correct one of the two lines",
                f"`{bearers[serial]}` bears it already",
            )
        seen.setdefault(device, line)
        bearers.setdefault(serial, device)


def _bad(shown: str, line: int, what: str, hint: str, *because: str) -> Finding:
    """Make a finding about a line."""
    return Finding("bad-serials", f"{shown} {what}", (), because, hint, Place(shown, line, 1))

"""GUIDs: those of the hardware from a table, and deterministic placeholders until there is one.

Owns the format of the table - device, port, guid - with the findings about its lines, and the
numbers of the placeholders. `build` names the ports. A switch has no port, and a GUID for each of
its nodes in the subnet; the port of an adapter is an interface or an RDMA device of the host.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.csv_text import CELLS_HINT, SHOWN, table_text
from fabricgen.core.diagnostics import Finding, Place, Refusal, suggest
from fabricgen.core.files import FileError, csv_rows

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

COLUMNS = ("device", "port", "guid")
KEY = ("addressing", "guids")
_GUID = re.compile(r"(?:0x)?([0-9a-f]{16})")
_EXAMPLE = "host-1,mlx5_0,0x946dae0300a1b2c3"
_LOCAL = 0x02 << 56
"""The bit of an EUI-64 that marks it as locally administered, not as a manufacturer's."""


class GuidLine(NamedTuple):
    """A line of the table."""

    device: str
    port: str
    guid: int
    line: int


def switch_placeholder(tier: int, segment: int, index: int, node: int = 0) -> int:
    """Return the placeholder for the GUID of a switch, counted from 0 in its tier of a segment.

    `node` counts the nodes of one switch from 0.

    >>> guid_text(switch_placeholder(1, 2, 3))
    '0x0200000100020003'
    """
    return _LOCAL | node << 48 | tier << 32 | segment << 16 | index


def port_placeholder(number: int) -> int:
    """Return the placeholder for the GUID of a NIC port, counted from 0 over the whole fabric.

    It is odd, so that the one below is free for its node.

    >>> guid_text(port_placeholder(1))
    '0x0200000000000003'
    """
    return _LOCAL | 2 * number + 1


def guid_text(guid: int) -> str:
    """Write a GUID as every tool reads it."""
    return f"0x{guid:016x}"


def read_guids(path: Path, shown: str, nodes: Mapping[str, int]) -> list[GuidLine]:
    """Read a table; findings name it `shown`, as the inventory does.

    `nodes` has the switches that are several nodes of a subnet, and of how many.

    Raises Refusal `bad-guids` with the first findings.
    """
    rows = csv_rows(table_text(path, lambda fault, hint: bad_guid(shown, None, fault, hint=hint)))
    found: list[GuidLine] = []
    findings: list[Finding] = []
    try:
        header = [cell.strip() for cell in next(rows, (1, []))[1]]
        if sorted(header) != sorted(COLUMNS):
            raise Refusal(
                [
                    bad_guid(
                        shown,
                        1,
                        "the columns are not device, port and guid",
                        f"it is `{','.join(header)}`",
                        hint=f"write `{','.join(COLUMNS)}`",
                    )
                ]
            )
        columns = [header.index(name) for name in COLUMNS]
        for line, cells in rows:
            if cells and len(findings) < SHOWN:
                read = _line([cell.strip() for cell in cells], columns, shown, line)
                if isinstance(read, GuidLine):
                    found.append(read)
                else:
                    findings.append(read)
    except FileError as error:
        raise Refusal(
            [bad_guid(shown, error.line, f"the line {error.fact}", hint=CELLS_HINT)]
        ) from None
    findings += _twice(found, shown, nodes)
    if findings:
        raise Refusal(findings[:SHOWN])
    return found


def bad_guid(shown: str, line: int | None, fact: str, *because: str, hint: str) -> Finding:
    """Make a finding about a line of the table."""
    return Finding(
        "bad-guids",
        f"{shown}: {fact}",
        () if line else KEY,
        because,
        hint,
        Place(shown, line, 1) if line else None,
    )


def unknown_guid(shown: str, read: GuidLine, devices: list[str], ports: list[str]) -> Finding:
    """Make a finding about an unknown device or port; `ports` are those of the device, if any."""
    if read.device not in devices:
        hint = suggest(read.device, devices, "`plan.json` and `cables.csv` name every device")
        return bad_guid(
            shown, read.line, f"this fabric has no switch or host `{read.device}`", hint=hint
        )
    hint = (
        suggest(read.port, ports, f"its ports: {', '.join(ports)}")
        if ports
        else "a switch has one GUID; leave `port` empty"
    )
    return bad_guid(shown, read.line, f"`{read.device}` has no port `{read.port}`", hint=hint)


def _line(cells: list[str], columns: list[int], shown: str, line: int) -> GuidLine | Finding:
    """Read one line, or return what is wrong with it."""
    hint = f"write it like `{_EXAMPLE}`"
    if len(cells) != len(columns):
        return bad_guid(
            shown,
            line,
            f"the line has {len(cells)} cells, and the table {len(columns)} columns",
            hint=hint,
        )
    device, port, text = (cells[column] for column in columns)
    digits = _GUID.fullmatch(text.lower().replace(":", ""))
    if not digits or not int(digits[1], 16):
        return bad_guid(
            shown,
            line,
            f"`{text}` is no GUID",
            "a GUID is 16 hexadecimal digits, and not all of them 0",
            hint=hint,
        )
    return GuidLine(device, port, int(digits[1], 16), line)


def _twice(found: list[GuidLine], shown: str, nodes: Mapping[str, int]) -> list[Finding]:
    """Find GUIDs and ports that are listed twice, and switches with more GUIDs than nodes."""
    guids: dict[int, GuidLine] = {}
    ports: dict[tuple[str, str], list[GuidLine]] = {}
    findings = []
    for read in found:
        first = guids.setdefault(read.guid, read)
        if first is not read:
            because = (
                f"line {first.line} gives it to {_port(first)}, line {read.line} to {_port(read)}"
            )
            hint = (
                "read both on the machines: `ibstat -p` prints those of a host, `ibnetdiscover`"
                " every one"
            )
            findings.append(
                bad_guid(
                    shown, read.line, f"{guid_text(read.guid)} is given twice", because, hint=hint
                )
            )
        others = ports.setdefault((read.device, read.port), [])
        others.append(read)
        if (several := nodes.get(read.device, 1)) > 1 and len(others) > several:
            findings.append(
                bad_guid(
                    shown,
                    read.line,
                    f"{_port(read)} is given {len(others)} GUIDs",
                    f"its model is {several} nodes of a subnet, and each has one GUID",
                    hint="keep those that `ibnetdiscover` prints for this switch",
                )
            )
        elif several == 1 and len(others) > 1:
            other = others[0]
            because = (
                f"line {other.line} gives it {guid_text(other.guid)}, line {read.line}"
                f" {guid_text(read.guid)}"
            )
            findings.append(
                bad_guid(
                    shown,
                    read.line,
                    f"{_port(read)} is given twice",
                    because,
                    hint="keep one of the two",
                )
            )
    return findings


def _port(read: GuidLine) -> str:
    """Name a port of the table."""
    return f"`{read.device} {read.port}`" if read.port else f"`{read.device}`"

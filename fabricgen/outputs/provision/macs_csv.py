"""What identifies each switch to DHCP, from a table: its MAC address, or its OOB port.

Owns its format - name, mac, oob_switch, oob_port - with the findings about its lines.
"""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.csv_text import CELLS_HINT, SHOWN, table_text
from fabricgen.core.diagnostics import Finding, Place, Refusal, suggest
from fabricgen.core.files import FileError, csv_rows
from fabricgen.views.managed_ports import managed_ports

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.planning.plan import Plan

COLUMNS = ["name", "mac"]
PORT_COLUMNS = [*COLUMNS, "oob_switch", "oob_port"]
KEY = ("management", "macs")
_EXAMPLE = "write it like `r0-leaf-1,94:6d:ae:00:a1:b2`"
_PORT_EXAMPLE = "write it like `r0-leaf-1,,oob-1,Ethernet7`"
_MULTICAST = 0x01 << 40
_LONGEST = 120
"""Octets of an ID, so that both fit into option 82, which has 255."""


class Identity(NamedTuple):
    """What identifies a switch: its MAC address, or the IDs of DHCP option 82 (RFC 3046)."""

    mac: str = ""
    remote: bytes = b""
    """The remote ID, which names the OOB switch; empty where any switch will do."""
    circuit: bytes = b""
    """The circuit ID, which names its port."""


def identities(plan: Plan) -> dict[str, Identity]:
    """Return what identifies each switch that the table has, by name; empty without a table.

    Raises Refusal `bad-macs` with the first findings.
    """
    asked = plan.spec.management
    if asked is None or asked.macs is None:
        return {}
    ports = chain.from_iterable(map(managed_ports, plan.cluster))
    table = _Table(asked.macs, (port.name for port in ports))
    path = plan.catalog.relative_path(asked.macs)
    rows = csv_rows(table_text(path, lambda fact, hint: table.finding(None, fact, hint=hint)))
    try:
        table.read([(line, [cell.strip() for cell in cells]) for line, cells in rows if cells])
    except FileError as error:
        fact = f"the line {error.fact}"
        raise Refusal([table.finding(error.line, fact, hint=CELLS_HINT)]) from None
    return table.found


class _Table:
    """The table while it is read."""

    def __init__(self, shown: str, switches: Iterable[str]) -> None:
        """Keep its name in findings, and the names of the switches."""
        self._shown, self._switches = shown, [*switches]
        self._lines: dict[str, int] = {}
        self.found: dict[str, Identity] = {}

    def read(self, rows: list[tuple[int, list[str]]]) -> None:
        """Read the header and the lines. Raises Refusal."""
        header = rows[0][1] if rows else []
        if header not in (COLUMNS, PORT_COLUMNS):
            because = f"it is `{','.join(header)}`"
            hint = "write `name,mac`, or `name,mac,oob_switch,oob_port`"
            raise Refusal([self.finding(1, "the header is not name,mac", because, hint=hint)])
        known, width = set(self._switches), len(header)
        found = (own for line, cells in rows[1:] for own in self._line(line, cells, known, width))
        if findings := list(islice(found, SHOWN)):
            raise Refusal(findings)

    def _line(self, line: int, cells: list[str], known: set[str], width: int) -> Iterator[Finding]:
        """Keep what identifies the switch of a line, or yield what is wrong with it."""
        if len(cells) != width:
            fact = f"the line has {len(cells)} cells and not {width}"
            yield self.finding(line, fact, hint=_EXAMPLE)
            return
        name, mac, switch, port = (*cells, "", "")[:4]
        if name not in known:
            hint = suggest(name, self._switches, "`plan.json` names every switch")
            yield self.finding(line, f"this fabric has no switch `{name}`", hint=hint)
        elif switch or port:
            yield from self._wired(line, name, mac, switch, port)
        elif (address := _mac(mac)) is None:
            because = "it is 12 hexadecimal digits, and the address of one port"
            yield self.finding(line, f"`{mac}` is no MAC address", because, hint=_EXAMPLE)
        else:
            yield from self._keep(line, name, Identity(address), address)

    def _wired(self, line: int, name: str, mac: str, switch: str, port: str) -> Iterator[Finding]:
        """Keep the OOB port of a switch, or yield what is wrong with it."""
        remote, circuit = _octets(switch), _octets(port)
        if mac:
            because = "either identifies the switch, and they could disagree"
            fact = f"`{name}` has a MAC address and an OOB port"
            yield self.finding(line, fact, because, hint="leave one of the two empty")
        elif not circuit or remote is None:
            because = f"it is 1 to {_LONGEST} printable characters, or octets such as 0x0004000a"
            fact = f"`{port if not circuit else switch}` is no ID of DHCP option 82"
            yield self.finding(line, fact, because, hint=_PORT_EXAMPLE)
        else:
            yield from self._keep(line, name, Identity("", remote, circuit), f"{switch} {port}")

    def _keep(self, line: int, name: str, own: Identity, shown: str) -> Iterator[Finding]:
        """Keep what identifies a switch, or yield that the table has it twice."""
        if twice := {name, shown} & self._lines.keys():
            same = min(twice)
            because = f"line {self._lines[same]} has it as well"
            hint = "keep one of the two"
            yield self.finding(line, f"`{same}` is given twice", because, hint=hint)
        else:
            self.found[name] = own
            self._lines |= {name: line, shown: line}

    def finding(self, line: int | None, fact: str, *because: str, hint: str) -> Finding:
        """Make a finding about the table, or about a line."""
        place = Place(self._shown, line, 1) if line else None
        return Finding(
            "bad-macs", f"{self._shown}: {fact}", () if line else KEY, because, hint, place
        )


def _mac(text: str) -> str | None:
    """Return a MAC address in its usual form; None where a text is not that of one port.

    >>> _mac("946D.AE00.A1B2"), _mac("ff:ff:ff:ff:ff:ff")
    ('94:6d:ae:00:a1:b2', None)
    """
    digits = re.sub("[:.-]", "", text.lower())
    if not re.fullmatch("[0-9a-f]{12}", digits) or int(digits, 16) == 0:
        return None
    if int(digits, 16) & _MULTICAST:
        return None
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


def _octets(text: str) -> bytes | None:
    r"""Return an ID of option 82, which is text or hexadecimal digits; None where it is neither.

    >>> _octets("Ethernet7"), _octets("0x0004000A"), _octets("0x123")
    (b'Ethernet7', b'\x00\x04\x00\n', None)
    """
    if re.match("0[xX]", text):
        digits = text[2:]
        whole = re.fullmatch("(?:[0-9a-fA-F]{2})+", digits)
        found = bytes.fromhex(digits) if whole else None
    else:
        found = text.encode("ascii") if re.fullmatch("[ -~]*", text) else None
    return found if found is None or len(found) <= _LONGEST else None

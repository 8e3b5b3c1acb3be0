"""The MAC addresses of the switches' management ports, from a table.

Owns its format - name, mac - with the findings about its lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabricgen.core.csv_text import CELLS_HINT, SHOWN, table_text
from fabricgen.core.diagnostics import Finding, Place, Refusal, suggest
from fabricgen.core.files import FileError, csv_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.planning.plan import Plan

COLUMNS = ["name", "mac"]
KEY = ("management", "macs")
_EXAMPLE = "write it like `r0-leaf-1,94:6d:ae:00:a1:b2`"
_MULTICAST = 0x01 << 40


def mac_addresses(plan: Plan) -> dict[str, str]:
    """Return the MAC address of each switch that the table has, by name; empty without a table.

    Raises Refusal `bad-macs` with the first findings.
    """
    asked = plan.spec.management
    if asked is None or asked.macs is None:
        return {}
    table = _Table(asked.macs, plan.switches())
    path = plan.catalog.relative_path(asked.macs)
    rows = csv_rows(table_text(path, lambda fact, hint: table.finding(None, fact, hint=hint)))
    try:
        table.read([(line, [cell.strip() for cell in cells]) for line, cells in rows if cells])
    except FileError as error:
        fact = f"the line {error.fact}"
        raise Refusal([table.finding(error.line, fact, hint=CELLS_HINT)]) from None
    return table.macs


class _Table:
    """The table while it is read."""

    def __init__(self, shown: str, switches: Iterable[str]) -> None:
        """Keep its name in findings, and the names of the switches."""
        self._shown, self._switches = shown, [*switches]
        self._lines: dict[str, int] = {}
        self.macs: dict[str, str] = {}

    def read(self, rows: list[tuple[int, list[str]]]) -> None:
        """Read the header and the lines. Raises Refusal."""
        header = rows[0][1] if rows else []
        if header != COLUMNS:
            because, hint = f"it is `{','.join(header)}`", "write `name,mac`"
            raise Refusal([self.finding(1, "the header is not name,mac", because, hint=hint)])
        known = set(self._switches)
        findings = [own for line, cells in rows[1:] for own in self._line(line, cells, known)]
        if findings:
            raise Refusal(findings[:SHOWN])

    def _line(self, line: int, cells: list[str], known: set[str]) -> Iterator[Finding]:
        """Keep the MAC address of a line, or yield what is wrong with it."""
        if len(cells) != len(COLUMNS):
            yield self.finding(line, f"the line has {len(cells)} cells and not 2", hint=_EXAMPLE)
            return
        name, text = cells
        mac = _mac(text)
        if name not in known:
            hint = suggest(name, self._switches, "`plan.json` names every switch")
            yield self.finding(line, f"this fabric has no switch `{name}`", hint=hint)
        elif mac is None:
            because = "it is 12 hexadecimal digits, and the address of one port"
            yield self.finding(line, f"`{text}` is no MAC address", because, hint=_EXAMPLE)
        elif twice := {name, mac} & self._lines.keys():
            same = min(twice)
            because = f"line {self._lines[same]} has it as well"
            hint = "keep one of the two"
            yield self.finding(line, f"`{same}` is given twice", because, hint=hint)
        else:
            self.macs[name] = mac
            self._lines |= {name: line, mac: line}

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

"""The neighbours of lldpd as text: `lldpctl`, which is also `lldpcli show neighbors`, and keyvalue.

Owns both formats. The text has a block per neighbour that begins with `Interface:`, with the
headings Chassis and Port and one fact per line. `-f keyvalue` has a line per fact, such as
`lldp.swp1.chassis.name=host-1`; where an interface has several neighbours, the keys are repeated,
and each begins with `via`. Both as in lldpcli(8) and lldpd's own tests; SuzieQ reads the text by
the same headings (`lldpd.tfsm`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabricgen.lifecycle.audit.neighbors import NeighborRecords, neighbor_record

if TYPE_CHECKING:
    from collections.abc import Iterable

_INTERFACE = re.compile(r"^Interface:\s+([^,\s]+),\s+via:", re.MULTILINE)
_FACT = re.compile(r"\s+(SysName|PortID|PortDescr):\s+(.*?)\s*$")
_KEY = re.compile(r"lldp\.(\S+?)\.(via|rid|age|(?:chassis|port|vlan)\b[^=]*)=(.*)$")
_PORT_IDS = ("port.ifname", "port.local", "port.ifalias", "port.descr")
"""Keys that name the neighbour's port: by the kind of its ID, then the description."""

Facts = dict[str, str]
"""The fields of a neighbor record, by key."""


def is_lldpctl(text: str) -> bool:
    """Return whether a text is the output of `lldpctl`, as text or as keyvalue."""
    return bool(_INTERFACE.search(text)) or text.lstrip().startswith("lldp.")


def read_lldpctl(text: str, device: str) -> NeighborRecords:
    """Parse the neighbours of a device."""
    found = _keys(text) if text.lstrip().startswith("lldp.") else _blocks(text)
    return NeighborRecords(
        [
            neighbor_record(
                device, interface, entry.get("chassis.name"), [entry.get(key) for key in _PORT_IDS]
            )
            for interface, entry in found
        ],
        {device},
    )


def _keys(text: str) -> Iterable[tuple[str, Facts]]:
    """Parse `-f keyvalue`: the interface and the facts of each neighbour."""
    found: list[tuple[str, Facts]] = []
    for line in text.splitlines():
        match = _KEY.match(line)
        if match is None:
            continue  # a further line of a system description
        interface, key, value = match.groups()
        if not found or found[-1][0] != interface or key == "via":
            found.append((interface, {}))
        found[-1][1][key] = value
    return found


def _blocks(text: str) -> Iterable[tuple[str, Facts]]:
    """Parse the text: the interface and the facts of each neighbour."""
    starts = list(_INTERFACE.finditer(text))
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        entry: Facts = {}
        block = text[start.end() : following.start() if following else len(text)]
        for name, value in filter(None, map(_fact, block.splitlines())):
            entry.setdefault(name, value)
        yield start[1], entry


def _fact(line: str) -> tuple[str, str] | None:
    """Return the key and the value of a line, under the keys of keyvalue."""
    match = _FACT.match(line)
    if match is None:
        return None
    name, value = match.groups()
    if name == "SysName":
        return "chassis.name", value
    if name == "PortDescr":
        return "port.descr", value
    kind, _, port = value.partition(" ")
    return f"port.{kind}", port

"""LLDP as text with a fact per line: `lldpctl`, and `show lldp neighbors detail` of switches.

Owns two formats. In the text each neighbour is a block with the local interface, the chassis, the
port and the name, in the words of its system: lldpd (`lldpctl`, `lldpcli show neighbors`, `show
lldp neighbors` of SONiC, NVUE's `lldp-detail`), EOS, NX-OS and Junos; the words are those of the
test data of ntc-templates and of lldpd. `-f keyvalue` of lldpd has lines such as
`lldp.swp1.chassis.name=host-1`; where an interface has several neighbours, the keys are repeated,
and each begins with `via`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabricgen.lifecycle.audit.neighbors import NeighborRecords, neighbor_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BLOCK = re.compile(
    r"^[ \t]*(?:Interface:[ \t]+[^,\s]+[ \t]*(?:,[ \t]*via:|$)|Interface \S+ detected \d+ LLDP"
    r"|Local Port id:|Local Interface[ \t]*:)",
    re.MULTILINE | re.IGNORECASE,
)
_DETECTED = re.compile(r"Interface (\S+) detected \d+ LLDP", re.IGNORECASE)
_FACTS = {
    "interface": "local",
    "local interface": "local",
    "local port id": "local id",
    "chassis id": "chassis",
    "chassisid": "chassis",
    "port id": "port",
    "portid": "port",
    "port description": "descr",
    "portdescr": "descr",
    "system name": "name",
    "sysname": "name",
}
_KINDS = {"ifname", "local", "mac", "ifalias", "ip", "unhandled"}
"""How lldpd calls the kind of an ID, in front of it."""

_KEY = re.compile(r"lldp\.(\S+?)\.(via|rid|age|(?:chassis|port|vlan)\b[^=]*)=(.*)$")
_PORT_IDS = ("port.ifname", "port.local", "port.ifalias", "port.descr")
"""Keys that name the neighbour's port: by the kind of its ID, then the description."""

Facts = dict[str, str]
"""The fields of a neighbor record, by key."""


def is_detail(text: str) -> bool:
    """Return whether a text has a fact of a neighbour per line."""
    return text.lstrip().startswith("lldp.") or bool(_BLOCK.search(text))


def read_detail(text: str, device: str) -> NeighborRecords:
    """Parse the neighbours of a device."""
    if text.lstrip().startswith("lldp."):
        records = [
            neighbor_record(
                device, interface, entry.get("chassis.name"), [entry.get(key) for key in _PORT_IDS]
            )
            for interface, entry in _keys(text)
        ]
    else:
        records = [
            neighbor_record(device, local, entry.get("name"), (entry["port"], entry.get("descr")))
            for entry in _blocks(text)
            if (local := entry.get("local") or entry.get("local id")) and "port" in entry
        ]
    return NeighborRecords(records, {device})


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


def _blocks(text: str) -> Iterator[Facts]:
    """Parse the text: the facts of each neighbour.

    A block begins where its interface or its chassis is given again. Where an interface has two
    neighbours, EOS prints it once, in front of both.
    """
    entry = Facts()
    for line in text.splitlines():
        found = _fact(line)
        if found is None:
            continue
        key, value = found
        if key in entry and key in ("local", "local id", "chassis"):
            yield entry
            entry = {"local": entry["local"]} if key == "chassis" and "local" in entry else {}
        if key == "local":
            entry[key] = value
        entry.setdefault(key, value)
    yield entry


def _fact(line: str) -> tuple[str, str] | None:
    """Return the key and the value of a line; None for a line about something else."""
    if detected := _DETECTED.match(line):
        return "local", detected[1]
    name, _, value = line.partition(":")
    key, value = _FACTS.get(name.strip(" \t-").lower(), ""), value.strip()
    if not key:
        return None
    if key == "local":
        value = value.partition(",")[0]
    kind, _, rest = value.partition(" ")
    return key, rest.strip() if key == "port" and kind in _KINDS and rest else value

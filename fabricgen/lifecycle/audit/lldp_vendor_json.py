"""LLDP as JSON of NX-OS, Junos and SR Linux.

Owns three shapes:

- NX-OS, `show lldp neighbors detail | json` and without `detail`: TABLE_nbor_detail with rows of
  `l_port_id`, `sys_name`, `port_id` and `port_desc`; a single row is no list, and the short table
  has the name under `chassis_id`. Fields as in Cisco's NX-API and read by ONOS
  (`LinkDiscoveryCiscoImpl`) and SuzieQ (`config/lldp.yml`).
- Junos, `show lldp neighbors | display json`, also with `detail`: each value is a list of one
  `{"data": ...}`; the tags are those of the XML API reference (`lldp-neighbor-information`), and
  the JSON form is read by SuzieQ (`config/lldp.yml`).
- SR Linux, `info from state system lldp | as json`: `interface` with its `neighbor` list, whose
  leaves are those of the YANG module srl_nokia-lldp; module prefixes are optional.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabricgen.lifecycle.audit.neighbors import neighbor_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.lifecycle.audit.neighbors import NeighborRecord

    Json = Any
    """A JSON value of any shape."""

NXOS_TABLES = {"TABLE_nbor_detail": "ROW_nbor_detail", "TABLE_nbor": "ROW_nbor"}
"""Table of NX-OS -> its rows."""

JUNOS = "lldp-neighbors-information"

_NXOS_ABSENT = {"null", "not advertised"}
"""What NX-OS writes for a value that the neighbour does not send."""


def parser_of(document: dict[str, Json]) -> Callable[[Json, str], Iterator[NeighborRecord]] | None:
    """Return the function that parses a document of these shapes; None for any other one."""
    if not NXOS_TABLES.keys().isdisjoint(document):
        return read_nxos
    if JUNOS in document:
        return read_junos
    return read_srlinux if _interfaces(document) is not None else None


def read_nxos(document: dict[str, Json], device: str) -> Iterator[NeighborRecord]:
    """Parse `show lldp neighbors | json`, with or without `detail`."""
    for table, rows in NXOS_TABLES.items():
        for row in _many((document.get(table) or {}).get(rows)):
            entry = {key: "" if value in _NXOS_ABSENT else value for key, value in row.items()}
            yield neighbor_record(
                device,
                _long(str(entry["l_port_id"])),
                entry.get("sys_name") or entry.get("chassis_id"),
                (_long(str(entry.get("port_id") or "")), entry.get("port_desc")),
            )


def _long(name: str) -> str:
    """Return the full name of an interface that NX-OS abbreviates.

    >>> _long("Eth1/1/2")
    'Ethernet1/1/2'
    """
    return re.sub(r"^Eth(?=\d)", "Ethernet", name)


def read_junos(document: dict[str, Json], device: str) -> Iterator[NeighborRecord]:
    """Parse `show lldp neighbors | display json`, with or without `detail`."""
    for group in _many(document[JUNOS]):
        for entry in _many(group.get("lldp-neighbor-information")):
            local = _data(entry, "lldp-local-port-id") or _data(entry, "lldp-local-interface")
            yield neighbor_record(
                device,
                local.removesuffix(".0"),  # older releases name the logical unit
                _data(entry, "lldp-remote-system-name"),
                (
                    _data(entry, "lldp-remote-port-id"),
                    _data(entry, "lldp-remote-port-description"),
                ),
            )


def _data(entry: dict[str, Json], tag: str) -> str:
    """Return the text of a tag; "" where there is none."""
    first: Json = next(iter(_many(entry.get(tag))), {})
    return str(first.get("data") or "")


def _interfaces(document: Json) -> list[Json] | None:
    """Return the `interface` list of a document of SR Linux; None for any other one."""
    for name in ("system", "lldp", "interface"):
        if not isinstance(document, dict):
            return None
        plain = {key.rpartition(":")[2]: value for key, value in document.items()}
        document = plain.get(name, document if name != "interface" else None)
    named = isinstance(document, list) and all(
        isinstance(each, dict) and isinstance(each.get("name"), str) for each in document
    )
    return document if named else None


def read_srlinux(document: Json, device: str) -> Iterator[NeighborRecord]:
    """Parse `info from state system lldp | as json`."""
    for interface in _interfaces(document) or ():
        for entry in _many(interface.get("neighbor")):
            yield neighbor_record(
                device,
                str(interface["name"]),
                entry.get("system-name"),
                (entry.get("port-id"), entry.get("port-description")),
            )


def _many(value: Json) -> list[Json]:
    """Return a list of the elements, also of a bare one."""
    return value if isinstance(value, list) else [] if value is None else [value]

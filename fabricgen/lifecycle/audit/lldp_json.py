"""LLDP as JSON: `lldpctl` in both of its forms, NVUE, EOS, and SONiC's database.

Owns the shapes. `lldpctl -f json0` always has lists; `-f json` reduces a list of one to its
element, and keys a chassis by its name. NVUE nests neighbours below interfaces. EOS lists them, or
in detail maps them by port. SONiC dumps LLDP_ENTRY_TABLE of its APPL_DB. The shapes of NX-OS, Junos
and SR Linux are in `lldp_vendor_json`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabricgen.lifecycle.audit import lldp_vendor_json
from fabricgen.lifecycle.audit.neighbors import NeighborRecords, UnreadableError, neighbor_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.lifecycle.audit.neighbors import NeighborRecord

    Json = Any
    """A JSON value of any shape."""

SONIC = "LLDP_ENTRY_TABLE"


def read_neighbours(document: Json, device: str) -> NeighborRecords:
    """Parse the neighbours of a device. Raises UnreadableError for any other JSON."""
    parse = _parser_of(document)
    try:
        return NeighborRecords(list(parse(document, device)), {device})
    except (AttributeError, TypeError, KeyError, IndexError):
        raise UnreadableError("the JSON begins like LLDP and continues differently") from None


def _parser_of(document: Json) -> Callable[[Json, str], Iterator[NeighborRecord]]:
    """Return the function that parses a document of this shape."""
    if isinstance(document, list) and document and all(isinstance(each, dict) for each in document):
        return _answers
    if isinstance(document, dict):
        if parser := lldp_vendor_json.parser_of(document):
            return parser
        for key, parser in (("lldp", _lldpctl), ("lldpNeighbors", _eos), ("result", _answers)):
            if key in document:
                return parser
        if any(key.partition(":")[0] == SONIC for key in document):
            return _sonic
        if (
            document
            and all(isinstance(each, dict) for each in document.values())
            and any("lldp" in each for each in document.values())
        ):
            return _nvue
    raise UnreadableError("the JSON is not about LLDP")


def _many(value: Json) -> list[Json]:
    """Return a list of the elements, also of a bare one."""
    return value if isinstance(value, list) else [] if value is None else [value]


def _text(value: Json) -> str:
    """Return a text, whether it is bare, in a mapping, or in a list of one."""
    first = next(iter(_many(value)), None)
    return str(first.get("value", "") if isinstance(first, dict) else first or "")


def _lldpctl(document: Json, device: str) -> Iterator[NeighborRecord]:
    """Parse `lldpctl -f json0` and `-f json`."""
    for group in _many(document["lldp"]):
        for port in _many(group.get("interface")):
            named = (
                [(str(port["name"]), port)]
                if isinstance(port.get("name"), str)
                else list(port.items())
            )
            for interface, entry in named:
                chassis: dict[str, Json] = next(iter(_many(entry.get("chassis"))), {})
                name = (
                    _text(chassis.get("name"))
                    if {"id", "name"} & chassis.keys()
                    else next(iter(chassis), "")
                )
                peer: dict[str, Json] = next(iter(_many(entry.get("port"))), {})
                yield neighbor_record(
                    device, interface, name, (_text(peer.get("id")), _text(peer.get("descr")))
                )


def _nvue(document: Json, device: str) -> Iterator[NeighborRecord]:
    """Parse `nv show interface --view=lldp -o json`."""
    for interface, shown in document.items():
        for name, entry in ((shown.get("lldp") or {}).get("neighbor") or {}).items():
            chassis, port = entry.get("chassis") or {}, entry.get("port") or {}
            yield neighbor_record(
                device,
                interface,
                chassis.get("system-name") or name,
                (port.get("name"), port.get("description")),
            )


def _answers(document: Json, device: str) -> Iterator[NeighborRecord]:
    """Parse the answers of EOS's eAPI, of which some may have other subjects."""
    answers = document.get("result") if isinstance(document, dict) else document
    about = [
        answer
        for answer in _many(answers)
        if isinstance(answer, dict) and "lldpNeighbors" in answer
    ]
    if not about:
        raise UnreadableError("the JSON is not about LLDP")
    for answer in about:
        yield from _eos(answer, device)


def _eos(document: Json, device: str) -> Iterator[NeighborRecord]:
    """Parse `show lldp neighbors | json`, with or without `detail`."""
    neighbours = document["lldpNeighbors"]
    if isinstance(neighbours, list):
        for entry in neighbours:
            yield neighbor_record(
                device,
                str(entry["port"]),
                entry.get("neighborDevice"),
                (entry.get("neighborPort"),),
            )
        return
    for interface, shown in neighbours.items():
        for entry in shown.get("lldpNeighborInfo") or []:
            port = entry.get("neighborInterfaceInfo") or {}
            yield neighbor_record(
                device,
                interface,
                entry.get("systemName"),
                (
                    port.get("interfaceId_v2") or port.get("interfaceId"),
                    port.get("interfaceDescription"),
                ),
            )


def _sonic(document: Json, device: str) -> Iterator[NeighborRecord]:
    """Parse a dump of LLDP_ENTRY_TABLE."""
    table = document.get(SONIC) or {
        key.partition(":")[2]: value
        for key, value in document.items()
        if key.startswith(f"{SONIC}:")
    }
    for interface, shown in table.items():
        entry = shown.get("value", shown)
        yield neighbor_record(
            device,
            interface,
            entry.get("lldp_rem_sys_name"),
            (entry.get("lldp_rem_port_id"), entry.get("lldp_rem_port_desc")),
        )

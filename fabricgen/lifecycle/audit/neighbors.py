"""Neighbor records, which every format of LLDP and InfiniBand discovery is parsed into.

Owns `NeighborRecord`, `NeighborRecords`, the values that are no names, and `UnreadableError`,
raised when a file does not match its format. Names are kept as reported; `port_index` looks them
up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class NeighborRecord(NamedTuple):
    """One neighbour as a port of a device reports it.

    `peer` is empty where the neighbour gives no name. `peer_interfaces` may name its port, the best
    first: its port ID, then its port description; empty where it gives only a MAC address.
    """

    device: str
    interface: str
    peer: str
    peer_interfaces: tuple[str, ...]


CUT = "\u2026"
"""The mark behind a name that a table may have cut."""

_MAC = re.compile(
    r"[0-9a-f]{2}([:-])[0-9a-f]{2}(\1[0-9a-f]{2}){4}|[0-9a-f]{4}(\.[0-9a-f]{4}){2}", re.IGNORECASE
)
_PART_OF_MAC = re.compile(
    r"[0-9a-f]{2}(:[0-9a-f]{0,2}){2,5}|[0-9a-f]{4}(\.[0-9a-f]{0,4}){1,2}", re.IGNORECASE
)
_ABSENT = {"", "-", "--", "n/a", "null", "none", "not advertised", "not received", "not available"}
"""What systems print for a value that the neighbour does not send."""

_LLDPAD = re.compile(r"Interface\s+\d+\s+as\s+(\S+)", re.IGNORECASE)
"""The port description of lldpad (openlldp): the index and the name of the interface."""

_FACTORY = re.compile(
    r"(?:localhost|ubuntu|debian|centos|rocky|linux|unknown|\(none\)|sonic|cumulus|nvos|switch"
    r"|switch-[0-9a-f]{6})(?:\.local(?:domain)?)?",
    re.IGNORECASE,
)
"""Host names before a name is set: `switch-` and half of a MAC is that of MLNX-OS, the others are
those of images."""


def is_factory_name(name: str) -> bool:
    """Return whether a name is one that many devices have before theirs is set.

    >>> is_factory_name("localhost.localdomain"), is_factory_name("host-1")
    (True, False)
    """
    return bool(_FACTORY.fullmatch(name))


def neighbor_record(
    device: str, interface: str, peer: object, words: Iterable[object]
) -> NeighborRecord:
    """Return the record of a neighbour without MAC addresses, which no plan knows.

    `peer` may be a list of names, the best first.

    >>> words = ["44:38:39:00:11:22", '"nic0"', "nic0", "Interface   3 as nic1"]
    >>> neighbor_record("leaf-1", "swp1", "host-1", words).peer_interfaces
    ('nic0', 'nic1')
    """
    names = filter(None, map(_name, peer)) if isinstance(peer, list) else iter([_name(peer)])
    ports = filter(None, map(_name, words))
    return NeighborRecord(device, interface, next(names, ""), tuple(dict.fromkeys(ports)))


def _name(word: object) -> str:
    """Return a name; empty where there is none."""
    return _known_name(str(word)) if word else ""


@lru_cache(maxsize=2**16)  # a device and its ports have the same names in many records
def _known_name(word: str) -> str:
    """Return a name; empty for an address, and for a value that the neighbour does not send."""
    name = word.strip().strip('"')
    address = _PART_OF_MAC if name.endswith(CUT) else _MAC
    if name.lower() in _ABSENT or address.fullmatch(name.rstrip(CUT)):
        return ""
    found = _LLDPAD.fullmatch(name) if " as " in name else None
    return found[1] if found else name


@dataclass(slots=True)
class NeighborRecords:
    """All neighbor records and the reporting devices.

    An empty port of a reporting device is evidence as well. `unnamed` are nodes without a name of
    their own, and what they are called instead.
    """

    records: list[NeighborRecord] = field(default_factory=list)
    reporters: set[str] = field(default_factory=set)
    unnamed: dict[str, str] = field(default_factory=dict)

    def add(self, other: NeighborRecords) -> None:
        """Add the records of another file."""
        self.records += other.records
        self.reporters |= other.reporters
        self.unnamed |= other.unnamed


class UnreadableError(Exception):
    """A file that does not match its format, with line and column where these are known."""

    def __init__(
        self, fact: str, line: int | None = None, column: int = 1, because: tuple[str, ...] = ()
    ) -> None:
        """Keep the fact, the place and the reasons."""
        super().__init__(fact)
        self.fact, self.line, self.column, self.because = fact, line, column, because

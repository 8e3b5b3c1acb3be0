"""Neighbor records, which every format of LLDP and InfiniBand discovery is parsed into.

Owns `NeighborRecord`, `NeighborRecords` and `UnreadableError`, raised when a file does not match
its format. Names are kept as reported; `port_index` looks them up in the plan.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
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


_MAC = re.compile(
    r"[0-9a-f]{2}([:-])[0-9a-f]{2}(\1[0-9a-f]{2}){4}|[0-9a-f]{4}(\.[0-9a-f]{4}){2}", re.IGNORECASE
)


def neighbor_record(
    device: str, interface: str, peer: object, words: Iterable[object]
) -> NeighborRecord:
    """Return the record of a neighbour without MAC addresses, which no plan knows.

    >>> words = ["44:38:39:00:11:22", '"nic0"', "nic0"]
    >>> neighbor_record("leaf-1", "swp1", "host-1", words)
    NeighborRecord(device='leaf-1', interface='swp1', peer='host-1', peer_interfaces=('nic0',))
    """
    names = [str(word or "").strip().strip('"') for word in (peer, *words)]
    named = [name if name and not _MAC.fullmatch(name) else "" for name in names]
    return NeighborRecord(
        device, interface, named[0], tuple(dict.fromkeys(name for name in named[1:] if name))
    )


@dataclass(slots=True)
class NeighborRecords:
    """All neighbor records and the reporting devices.

    An empty port of a reporting device is evidence as well.
    """

    records: list[NeighborRecord] = field(default_factory=list)
    reporters: set[str] = field(default_factory=set)

    def add(self, other: NeighborRecords) -> None:
        """Add the records of another file."""
        self.records += other.records
        self.reporters |= other.reporters


class UnreadableError(Exception):
    """A file that does not match its format, with line and column where these are known."""

    def __init__(self, fact: str, line: int | None = None, column: int = 1) -> None:
        """Keep the fact and the place."""
        super().__init__(fact)
        self.fact, self.line, self.column = fact, line, column

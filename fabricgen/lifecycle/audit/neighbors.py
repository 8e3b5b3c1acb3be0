"""What was heard: the words in which every dialect of LLDP, and a discovery of InfiniBand, says the same.

Owns `NeighborRecord`, `NeighborRecords`, and the error by which a dialect gives a file up. Nothing here knows a
plan: names are as they were said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class NeighborRecord(NamedTuple):
    """One neighbour, as one port of a device hears it.

    `peer` is empty where the neighbour gives no name. `peer_interfaces` are the words that may name
    its port, the best first: its port ID, then its description of the port; none where all that it
    gives is a MAC address.
    """

    device: str
    interface: str
    peer: str
    peer_interfaces: tuple[str, ...]


_MAC = re.compile(
    r"[0-9a-f]{2}([:-])[0-9a-f]{2}(\1[0-9a-f]{2}){4}|[0-9a-f]{4}(\.[0-9a-f]{4}){2}", re.IGNORECASE
)


def hear(device: str, interface: str, peer: object, words: Iterable[object]) -> NeighborRecord:
    """Make a neighbour of what is said of it; a MAC address names nothing that a plan knows.

    >>> hear("leaf-1", "swp1", "host-1", ["44:38:39:00:11:22", '"nic0"', "nic0"])
    NeighborRecord(device='leaf-1', interface='swp1', peer='host-1', peer_interfaces=('nic0',))
    """
    names = [str(word or "").strip().strip('"') for word in (peer, *words)]
    named = [name if name and not _MAC.fullmatch(name) else "" for name in names]
    return NeighborRecord(
        device, interface, named[0], tuple(dict.fromkeys(name for name in named[1:] if name))
    )


@dataclass(slots=True)
class NeighborRecords:
    """Everything that was heard, and who reported: a port of a reporter that hears nobody says something too."""

    heard: list[NeighborRecord] = field(default_factory=list)
    reporters: set[str] = field(default_factory=set)

    def add(self, other: NeighborRecords) -> None:
        """Take in what another file says."""
        self.heard += other.heard
        self.reporters |= other.reporters


class UnreadableError(Exception):
    """A file that is not what its first words promise; carries the fact, and line and column where they are known."""

    def __init__(self, fact: str, line: int | None = None, column: int = 1) -> None:
        """Keep the fact and the place."""
        super().__init__(fact)
        self.fact, self.line, self.column = fact, line, column

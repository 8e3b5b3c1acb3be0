"""Where IPv6 packets arrive on their way: IPv6 has no option in which routers write their address.

Every switch and GPU has a packet socket that gets a copy of each IPv6 packet that arrives there
(packet(7)). Each hop lowers the hop limit by one, so the copies of a packet are in order.
"""

from __future__ import annotations

import contextlib
import socket
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HOP_LIMIT = 64
"""The hop limit of a probe as it is sent."""

ETHERTYPE, UDP = 0x86DD, 17

NEXT_HEADER, HOPS, PAYLOAD = 6, 7, 48
"""Position of both fields in the header, and of the data after the headers of IPv6 and UDP."""

LONGEST = 256
"""Bytes that are read of a packet; the text of a probe is shorter."""


def open_packets() -> socket.socket:
    """Open a socket for copies of all IPv6 packets that arrive in this thread's namespace."""
    made = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETHERTYPE))
    made.settimeout(0)
    return made


class Sightings:
    """Copies of packets, by the text of the probe and by hop limit."""

    def __init__(self, sockets: Mapping[str, socket.socket]) -> None:
        """Take a packet socket for each node, by an address of the node."""
        self._sockets = sockets
        self._seen: dict[bytes, dict[int, str]] = defaultdict(dict)

    def read(self) -> None:
        """Read the copies that have arrived."""
        for address, each in self._sockets.items():
            for packet in _arrived(each):
                if packet[NEXT_HEADER] == UDP:
                    self._seen[packet[PAYLOAD:].rstrip()][packet[HOPS]] = address

    def nodes(self, text: bytes, arrived: int) -> list[str] | None:
        """Return the nodes on the way of a probe that arrived with a hop limit, in order.

        It is None if the copy of a node is missing, as when a socket's buffer was full.
        """
        seen, way = self._seen[text], range(HOP_LIMIT, arrived - 1, -1)
        return [seen[hop] for hop in way] if all(hop in seen for hop in way) else None

    def close(self) -> None:
        """Close all sockets."""
        for each in self._sockets.values():
            each.close()


def _arrived(packets: socket.socket) -> Iterator[bytes]:
    """Yield the packets that a socket holds."""
    with contextlib.suppress(BlockingIOError):
        while True:
            yield packets.recv(LONGEST)

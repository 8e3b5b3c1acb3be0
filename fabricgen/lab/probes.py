"""Packets whose path is known, without ICMP: UDP with IPv4's record route option (RFC 791).

The option has nine slots. With IPv6, copies of the packet at every node show its path: see
`sightings`. One process holds the sockets of all GPUs, because a socket stays in the namespace
where it was opened. It knows addresses and no fabric.
"""

from __future__ import annotations

import select
import socket
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.lab.sightings import HOP_LIMIT
from fabricgen.lab.socket_family import IPV4, family_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from fabricgen.lab.sightings import Sightings

PORT = 40000
"""First UDP port of the lab's sockets; further flows use the next ones."""

RECORD_ROUTE = bytes([7, 39, 4, *([0] * 36), 0])
"""The option with nine empty slots, and a byte of padding."""

IP_OPTIONS, IP_RECVOPTS, IPV6_RECVHOPLIMIT = 4, 6, 51
"""Socket options of Linux that Python does not name on every platform."""

LONGEST = 128
"""Bytes that are read of a packet; the text of a probe is shorter."""

BURST, BUFFER = 128, 1 << 20
"""Packets sent before the first answers are read, and the buffer size of a socket."""

PATIENCE_S, CALM_S = 0.4, 0.1
"""Silence after which the rest counts as lost: with expected packets missing, and without."""


class Probe(NamedTuple):
    """One packet: the addresses of sender and target, and the sender's socket."""

    source: str
    target: str
    flow: int = 0

    @property
    def text(self) -> bytes:
        """What the packet carries."""
        return f"{self.source} {self.target} {self.flow}".encode()


@dataclass(frozen=True)
class Sockets:
    """The sockets of the GPUs' addresses, one for each flow."""

    by_end: dict[tuple[str, int], socket.socket]
    sightings: Sightings | None = None
    """The copies of IPv6 packets, if their paths are wanted."""

    def records(self, arrived: dict[Probe, bytes]) -> dict[Probe, list[str]]:
        """Return the path of each packet that arrived with an option, or with a hop limit.

        IPv6 packets of which a copy is missing are left out.
        """
        if self.sightings is None:
            return {probe: recorded(option) for probe, option in arrived.items()}
        found = {
            probe: self.sightings.nodes(probe.text, int.from_bytes(hops, sys.byteorder))
            for probe, hops in arrived.items()
        }
        return {probe: [probe.source, *nodes] for probe, nodes in found.items() if nodes}

    def close(self) -> None:
        """Close all sockets."""
        for each in self.by_end.values():
            each.close()
        if self.sightings:
            self.sightings.close()


def open_at(address: str, flow: int) -> socket.socket:
    """Open a socket at an address of this thread's namespace."""
    family = family_of(address)
    made = socket.socket(family.number, socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    if family is IPV4:
        made.setsockopt(family.level, IP_RECVOPTS, 1)
        made.setsockopt(family.level, IP_OPTIONS, RECORD_ROUTE)
    else:
        made.setsockopt(family.level, IPV6_RECVHOPLIMIT, 1)
        made.setsockopt(family.level, family.hops, HOP_LIMIT)
    made.settimeout(0)
    made.bind((address, PORT + flow))
    return made


def recorded(option: bytes) -> list[str]:
    """Return the addresses that routers wrote into the option, the sender's own included.

    >>> recorded(bytes([7, 39, 8, 10, 0, 0, 1]) + bytes(33))
    ['10.0.0.1']
    """
    end = option[2] - 1 if len(option) > 2 and option[0] == RECORD_ROUTE[0] else 0  # noqa: PLR2004 - the option begins with type, length and pointer
    return [".".join(map(str, option[at : at + 4])) for at in range(3, end, 4)]


def send_all(
    sockets: Sockets,
    probes: Iterable[Probe],
    wanted: Collection[Probe],
    patience_s: float = PATIENCE_S,
    size: int = 0,
) -> dict[Probe, list[str]]:
    """Send every probe, padded to `size` bytes; return the addresses that each one met.

    `wanted` are the probes that are expected to arrive.
    """
    found: dict[Probe, bytes] = {}
    poll = select.epoll()
    numbers = {each.fileno(): each for each in sockets.by_end.values()}
    for number in numbers:
        poll.register(number, select.EPOLLIN)
    sent = 0
    for probe in probes:
        try:
            sockets.by_end[probe.source, probe.flow].sendto(
                probe.text.ljust(size), (probe.target, PORT)
            )
        except OSError:  # no route, or the interface is down: the packet is lost where it starts
            continue
        sent += 1
        if sent % BURST == 0:
            _receive(poll, numbers, found, 0)
            if sockets.sightings:
                sockets.sightings.read()
    last_arrival, missing = time.monotonic(), set(wanted) - found.keys()
    while len(found) < sent and time.monotonic() - last_arrival < (
        patience_s if missing else min(CALM_S, patience_s)
    ):
        if _receive(poll, numbers, found, 0.02):
            last_arrival, missing = time.monotonic(), missing - found.keys()
        if sockets.sightings:
            sockets.sightings.read()
    poll.close()
    return sockets.records(found)


def _receive(
    poll: select.epoll,
    numbers: dict[int, socket.socket],
    found: dict[Probe, bytes],
    wait_s: float,
) -> int:
    """Read the packets that have arrived, and return their number."""
    before = len(found)
    for number, _ in poll.poll(wait_s):
        while True:
            try:
                text, ancillary, _, _ = numbers[number].recvmsg(LONGEST, 64)
            except OSError:  # nothing left, or an error that an earlier packet brought back
                break
            source, target, flow = text.decode().split()
            # one message comes with a packet: its option, or its hop limit
            found[Probe(source, target, int(flow))] = next(
                (value for _, _, value in ancillary), b""
            )
    return len(found) - before

"""How long the fabric is deaf when something dies: packets of many flows, sent on and on while it happens.

Owns the clock of failures. It counts packets and reads no table.
"""

from __future__ import annotations

import contextlib
import select
import time
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.lab.probing import PORT, Probe

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.lab.probing import Sockets

EVERY_S = 0.002
"""Between two rounds in which each flow sends a packet."""

BEFORE_S, SETTLED_S = 0.2, 0.4
"""How long packets flow before the failure, and how long they must all arrive after it."""


class Outage(NamedTuple):
    """What a failure cost the flows that survive it: packets lost of those sent, and the longest silence of any flow."""

    sent: int
    lost: int
    longest_s: float


def outage(sockets: Sockets, flows: list[Probe], happens: Callable[[], None], patience_s: float = 15) -> Outage:
    """Send packets of every flow while something happens, until all arrive again or patience ends."""
    watch = _Watch(sockets, flows)
    started = time.monotonic()
    happened, quiet_since = 0.0, started
    while True:
        now = time.monotonic()
        if not happened and now - started > BEFORE_S:
            happens()
            happened = time.monotonic()
        missing = watch.round()
        if missing:
            quiet_since = time.monotonic()
        if happened and (now - max(quiet_since, happened) > SETTLED_S or now - happened > patience_s):
            return watch.outage()
        time.sleep(EVERY_S)


class _Watch:
    """The flows on the clock."""

    def __init__(self, sockets: Sockets, flows: list[Probe]) -> None:
        self.sockets, self.flows = sockets, flows
        self.sent, self.heard = Counter[Probe](), Counter[Probe]()
        self.last = dict.fromkeys(flows, time.monotonic())
        self.longest_s = 0.0
        self.poll = select.epoll()
        self.numbers = {each.fileno(): each for each in sockets.by_end.values()}
        for number in self.numbers:
            self.poll.register(number, select.EPOLLIN)

    def round(self) -> int:
        """Send a packet of each flow, read what has arrived, and return how many flows are silent."""
        for flow in self.flows:
            with contextlib.suppress(OSError):  # lost where it starts
                self.sockets.by_end[flow.source, flow.flow].sendto(f"{flow.source} {flow.target} {flow.flow}".encode(), (flow.target, PORT))
            self.sent[flow] += 1
        self._receive()
        now = time.monotonic()
        silent = [flow for flow in self.flows if now - self.last[flow] > 10 * EVERY_S]
        return len(silent)

    def _receive(self) -> None:
        """Read what has arrived."""
        for number, _ in self.poll.poll(0):
            while True:
                try:
                    text = self.numbers[number].recv(64)
                except OSError:
                    break
                source, target, flow = text.decode().split()
                probe, now = Probe(source, target, int(flow)), time.monotonic()
                if probe in self.last:
                    self.longest_s = max(self.longest_s, now - self.last[probe])
                    self.last[probe] = now
                    self.heard[probe] += 1

    def outage(self) -> Outage:
        """Add up."""
        self.poll.close()
        return Outage(self.sent.total(), self.sent.total() - self.heard.total(), self.longest_s)

"""Packet loss during a failure: packets of many flows, sent continuously while it happens.

Owns the timing of failures. It counts packets and reads no table.
"""

from __future__ import annotations

import contextlib
import select
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.lab.probes import LONGEST, PORT, Probe

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.lab.probes import Sockets

EVERY_S = 0.002
"""Time between two rounds in which each flow sends a packet."""

SILENT = 10
"""Packets of a flow lost in a row before it counts as silent."""

BEFORE_S, SETTLED_S, LAST_S = 0.2, 0.4, 0.05
"""Seconds of traffic before the failure, of full delivery after it, and of waiting at the end."""


class Outage(NamedTuple):
    """The cost of a failure: packets sent and lost, the longest silence, flows still silent."""

    sent: int
    lost: int
    longest_s: float
    silent: list[Probe]


def outage(
    sockets: Sockets, flows: list[Probe], happens: Callable[[], None], patience_s: float = 15
) -> Outage:
    """Send packets of every flow during an event, until all arrive again or patience ends."""
    watch = _Watch(sockets, flows)
    started = time.monotonic()
    with ThreadPoolExecutor(1) as beside:
        happening: Future[None] | None = None
        happened = quiet_since = started
        while True:
            now = time.monotonic()
            if happening is None and now - started > BEFORE_S:
                happening = beside.submit(happens)
            if happening is None or not happening.done():
                happened = now
            if watch.round():
                quiet_since = time.monotonic()
            if now - max(quiet_since, happened) > SETTLED_S or now - happened > patience_s:
                break
            time.sleep(EVERY_S)
        if happening:
            happening.result()
    return watch.outage()


class _Watch:
    """The timed flows.

    Silence is measured between the times of sending, so a delayed clock adds nothing.
    """

    def __init__(self, sockets: Sockets, flows: list[Probe]) -> None:
        self.sockets, self.flows = sockets, flows
        self.rounds: list[float] = []
        self.arrived = Counter[Probe]()
        self.last = dict.fromkeys(flows, -1)
        self.longest_s = 0.0
        self.poll = select.epoll()
        self.numbers = {each.fileno(): each for each in sockets.by_end.values()}
        for number in self.numbers:
            self.poll.register(number, select.EPOLLIN)

    def round(self) -> int:
        """Send a packet of each flow, read arrivals, and return the number of silent flows."""
        self.rounds.append(time.monotonic())
        for flow in self.flows:
            with contextlib.suppress(OSError):  # lost where it starts
                text = f"{flow.source} {flow.target} {flow.flow} {len(self.rounds) - 1}"
                self.sockets.by_end[flow.source, flow.flow].sendto(
                    text.encode(), (flow.target, PORT)
                )
        self._receive()
        return len(self.silent())

    def silent(self) -> list[Probe]:
        """Return the flows whose last packets have not arrived."""
        return [flow for flow in self.flows if len(self.rounds) - 1 - self.last[flow] > SILENT]

    def _receive(self) -> None:
        """Read the packets that have arrived."""
        for number, _ in self.poll.poll(0):
            while True:
                try:
                    text = self.numbers[number].recv(LONGEST)
                except OSError:
                    break
                source, target, port, at = text.decode().split()
                probe, turn = Probe(source, target, int(port)), int(at)
                if probe in self.last:
                    self.arrived[probe] += 1
                    self._note(probe, turn)

    def _note(self, probe: Probe, turn: int) -> None:
        """Measure the silence before a packet: from the first lost one to this one."""
        lost = self.last[probe] + 1
        if turn > lost:
            self.longest_s = max(self.longest_s, self.rounds[turn] - self.rounds[lost])
        self.last[probe] = max(self.last[probe], turn)

    def outage(self) -> Outage:
        """Read the last packets, and sum up; a silence that has not ended counts until now."""
        time.sleep(LAST_S)
        self._receive()
        self.poll.close()
        silent, sent = self.silent(), len(self.rounds) * len(self.flows)
        longest_s = max(
            [
                self.longest_s,
                *(self.rounds[-1] - self.rounds[self.last[flow] + 1] for flow in silent),
            ]
        )
        return Outage(sent, sent - self.arrived.total(), longest_s, silent)

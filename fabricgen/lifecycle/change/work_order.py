"""In which order cables are pulled, moved and taken out.

Owns `order`. What is new and touches nothing comes first, then one cable after the other moves, and
what is not needed any more goes last. A port is free before it is used: of cables that wait for
each other in a ring, one hangs loose until the others have moved. Where there is a choice, the next
move is the one that leaves the fewest NIC ports dark.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush, nsmallest
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.core.arrays import IntArray
    from fabricgen.lifecycle.change.match_cables import Job
    from fabricgen.lifecycle.change.port_downtime import PortReachability

Action = Literal["add", "move", "unplug", "plug", "remove", "relabel", "refit"]

TRIED = 64
"""Moves that are weighed against each other before one that leaves a NIC port dark is taken."""


class Step(NamedTuple):
    """One thing that a technician does. `start` and `end` are ports, or both ends of a cable that comes or goes."""

    action: Action
    cable: str
    start: str
    end: str
    dark: tuple[str, ...] = ()
    """The NIC ports that have no path meanwhile."""


def order(jobs: list[Job], watch: PortReachability) -> list[Step]:
    """Put the jobs of one part of the fabric into an order, and say which NIC ports are dark at each step."""
    return list(_Work(jobs, watch).steps())


class _Work:
    """What is plugged where, and what is still to do. Jobs are counted as they are given."""

    def __init__(self, jobs: list[Job], watch: PortReachability) -> None:
        self.jobs, self.watch = jobs, watch
        self.at = {
            port: index for index, job in enumerate(jobs) if job.old for port in job.old.ports
        }
        self.nodes = {index: job.old.nodes for index, job in enumerate(jobs) if job.old}
        pairs = dict.fromkeys(cable.nodes for job in jobs for cable in (job.old, job.new) if cable)
        self.rows = {pair: row for row, pair in enumerate(pairs)}
        self.ends = watch.ends([*pairs])
        self.cables: IntArray = np.zeros(len(pairs), dtype=np.int64)
        np.add.at(self.cables, [self.rows[nodes] for nodes in self.nodes.values()], 1)
        self.loose: set[int] = set()
        self.waiting: dict[int, int] = {}
        self.missing: dict[int, int] = {}
        self.queue: list[int] = []
        self.adds: list[int] = []
        self.moves: list[int] = []
        for index, job in enumerate(jobs):
            needs = [port for port in _needs(job) if port in self.at]
            self.waiting.update(dict.fromkeys(needs, index))
            self.missing[index] = len(needs)
            if job.new and not needs:
                (self.moves if job.old else self.adds).append(index)
        self.queue = sorted(
            self.waiting, key=lambda port: (not self.jobs[self.at[port]].new, -self.waiting[port])
        )

    def steps(self) -> Iterator[Step]:
        """Yield one step after the other until nothing is left to do."""
        while True:
            if self.adds:
                yield self._plug(heappop(self.adds))
            elif self.moves:
                yield self._plug(self._gentlest(self.moves))
            elif self.waiting:
                yield self._give_way(self._blocker())
            else:
                break
        yield from [
            self._give_way(index)
            for index, job in enumerate(self.jobs)
            if not job.new and index in self.nodes
        ]

    def _gentlest(self, ready: list[int]) -> int:
        """Take the first job during which no NIC port is dark, or that with the fewest; of these the one that leaves the fewest dark."""
        if self.watch.steady:
            return heappop(ready)
        chosen = self._best(nsmallest(TRIED, ready))
        ready.remove(chosen)
        heapify(ready)
        return chosen

    def _best(self, some: Iterable[int]) -> int:
        """Choose among jobs; those that move a cable between the same nodes leave the same NIC ports dark."""
        known: dict[tuple[int | None, int | None], tuple[int, int]] = {}

        def dark(index: int) -> tuple[int, int]:
            key = self._row(index), self._new_row(index)
            if key not in known:
                known[key] = len(self._dark(index)), len(self._dark_after(index))
            return known[key]

        return min(some, key=dark)

    def _blocker(self) -> int:
        """Choose whose cable gives way where every job waits for a port: one that goes for good, if there is any."""
        while self.queue[-1] not in self.waiting:
            self.queue.pop()
        first = self.at[self.queue[-1]]
        if self.watch.steady:
            return first
        here = [self.at[port] for port in self.queue[-TRIED:] if port in self.waiting]
        return self._best(
            index
            for index in reversed(here)
            if bool(self.jobs[index].new) == bool(self.jobs[first].new)
        )

    def _dark(self, index: int) -> frozenset[int]:
        """Return the NIC ports that are dark while a job is done: its cable joins nothing, nor do those that hang loose."""
        return self.watch.dark(self.ends[:, self._others(index) > 0])

    def _dark_after(self, index: int) -> frozenset[int]:
        """Return the NIC ports that are dark once a job is done."""
        cables, row = self._others(index), self._new_row(index)
        if row is not None:
            cables[row] += 1
        return self.watch.dark(self.ends[:, cables > 0])

    def _others(self, index: int) -> IntArray:
        """Count the cables in place between each pair of nodes, without the cable of a job."""
        cables, row = self.cables.copy(), self._row(index)
        if row is not None:
            cables[row] -= 1
        return cables

    def _row(self, index: int) -> int | None:
        """Return the pair of nodes that the cable of a job joins now; None where it is not there or hangs loose."""
        return (
            None if index in self.loose or index not in self.nodes else self.rows[self.nodes[index]]
        )

    def _new_row(self, index: int) -> int | None:
        """Return the pair of nodes that a job joins; None where its cable goes for good."""
        new = self.jobs[index].new
        return self.rows[new.nodes] if new else None

    def _plug(self, index: int) -> Step:
        """Pull a new cable, or plug the end that moves into its new port."""
        job, dark = self.jobs[index], self._names(index)
        assert job.new  # noqa: S101 - what is plugged has somewhere to go
        self.cables = self._others(index)
        self.nodes[index] = job.new.nodes
        self.cables[self.rows[job.new.nodes]] += 1
        if not job.old:
            return Step("add", job.new.label, *job.new.names, dark)
        if index in self.loose:
            self.loose.remove(index)
            return Step("plug", job.old.label, "", job.new.name(job.right), dark)
        self._free(job.left)
        return Step("move", job.old.label, job.old.name(job.left), job.new.name(job.right), dark)

    def _give_way(self, index: int) -> Step:
        """Take a cable out that is not needed any more, or let the end that moves hang loose."""
        job, dark = self.jobs[index], self._names(index)
        assert job.old  # noqa: S101 - only a cable that is there gives way
        self.cables = self._others(index)
        if job.new:
            self.loose.add(index)
            self._free(job.left)
            return Step("unplug", job.old.label, job.old.name(job.left), "", dark)
        del self.nodes[index]
        for port in job.old.ports:
            self._free(port)
        return Step("remove", job.old.label, *job.old.names, dark)

    def _free(self, port: int) -> None:
        """Let whoever waits for a port know that it is free."""
        self.at.pop(port, None)
        index = self.waiting.pop(port, None)
        if index is None:
            return
        self.missing[index] -= 1
        if not self.missing[index]:
            heappush(self.moves if self.jobs[index].old else self.adds, index)

    def _names(self, index: int) -> tuple[str, ...]:
        """Name the NIC ports that are dark while a job is done."""
        return tuple(self.watch.nics[node][0] for node in sorted(self._dark(index)))


def _needs(job: Job) -> tuple[int, ...]:
    """Return the ports that a job plugs something into."""
    return (job.right,) if job.old and job.new else job.new.ports if job.new else ()

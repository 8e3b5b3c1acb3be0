"""The order in which cables are added, moved and removed.

Owns `order`. New cables on free ports come first, then the moves, and unneeded cables are removed
last. A port is free before it is used: of cables that wait for each other in a cycle, one end stays
loose until the others have moved. Where there is a choice, the next move is the one that leaves the
fewest NIC ports disconnected.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush, nsmallest
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.core.arrays import IntArray
    from fabricgen.lifecycle.change.match_cables import CableJob
    from fabricgen.lifecycle.change.port_downtime import PortReachability

Action = Literal["add", "move", "unplug", "plug", "remove", "relabel", "refit"]

TRIED = 64
"""Moves that are compared before one that disconnects a NIC port is chosen."""


class WorkStep(NamedTuple):
    """One action of a technician.

    `start` and `end` are ports, or both ends of a cable that is added or removed.
    """

    action: Action
    cable: str
    start: str
    end: str
    disconnected: tuple[str, ...] = ()
    """The NIC ports that have no path meanwhile."""


def order(jobs: list[CableJob], watch: PortReachability) -> list[WorkStep]:
    """Return the jobs of one part of the fabric in order, with the ports that each disconnects."""
    return list(_Work(jobs, watch).steps())


class _Work:
    """The cables in place and the remaining jobs, by their index."""

    def __init__(self, jobs: list[CableJob], watch: PortReachability) -> None:
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

    def steps(self) -> Iterator[WorkStep]:
        """Yield the steps until no job is left."""
        while True:
            if self.adds:
                yield self._plug(heappop(self.adds))
            elif self.moves:
                yield self._plug(self._least_disruptive(self.moves))
            elif self.waiting:
                yield self._pull(self._blocker())
            else:
                break
        yield from [
            self._pull(index)
            for index, job in enumerate(self.jobs)
            if not job.new and index in self.nodes
        ]

    def _least_disruptive(self, ready: list[int]) -> int:
        """Remove and return the ready job that disconnects the fewest NIC ports."""
        if self.watch.steady:
            return heappop(ready)
        chosen = self._best(nsmallest(TRIED, ready))
        ready.remove(chosen)
        heapify(ready)
        return chosen

    def _best(self, some: Iterable[int]) -> int:
        """Return the best of some jobs; those between the same nodes have the same effect."""
        known: dict[tuple[int | None, int | None], tuple[int, int]] = {}

        def effect(index: int) -> tuple[int, int]:
            key = self._row(index), self._new_row(index)
            if key not in known:
                known[key] = len(self._disconnected(index)), len(self._disconnected_after(index))
            return known[key]

        return min(some, key=effect)

    def _blocker(self) -> int:
        """Return the job whose cable is pulled where all wait: a removal, if there is one."""
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

    def _disconnected(self, index: int) -> frozenset[int]:
        """Return the NIC ports disconnected during a job; loose cables join nothing."""
        return self.watch.disconnected(self.ends[:, self._others(index) > 0])

    def _disconnected_after(self, index: int) -> frozenset[int]:
        """Return the NIC ports disconnected after a job."""
        cables, row = self._others(index), self._new_row(index)
        if row is not None:
            cables[row] += 1
        return self.watch.disconnected(self.ends[:, cables > 0])

    def _others(self, index: int) -> IntArray:
        """Return the number of cables between each pair of nodes, without the cable of a job."""
        cables, row = self.cables.copy(), self._row(index)
        if row is not None:
            cables[row] -= 1
        return cables

    def _row(self, index: int) -> int | None:
        """Return the pair of nodes that the cable of a job joins now; None if absent or loose."""
        return (
            None if index in self.loose or index not in self.nodes else self.rows[self.nodes[index]]
        )

    def _new_row(self, index: int) -> int | None:
        """Return the pair of nodes that a job joins; None where it removes its cable."""
        new = self.jobs[index].new
        return self.rows[new.nodes] if new else None

    def _plug(self, index: int) -> WorkStep:
        """Plug in a new cable, or the end that moves."""
        job, disconnected = self.jobs[index], self._names(index)
        assert job.new  # noqa: S101 - what is plugged has somewhere to go
        self.cables = self._others(index)
        self.nodes[index] = job.new.nodes
        self.cables[self.rows[job.new.nodes]] += 1
        if not job.old:
            return WorkStep("add", job.new.label, *job.new.names, disconnected)
        if index in self.loose:
            self.loose.remove(index)
            return WorkStep("plug", job.old.label, "", job.new.name(job.right), disconnected)
        self._free(job.left)
        return WorkStep(
            "move", job.old.label, job.old.name(job.left), job.new.name(job.right), disconnected
        )

    def _pull(self, index: int) -> WorkStep:
        """Remove a cable that is not needed any more, or unplug the end that moves."""
        job, disconnected = self.jobs[index], self._names(index)
        assert job.old  # noqa: S101 - only a cable in place is pulled
        self.cables = self._others(index)
        if job.new:
            self.loose.add(index)
            self._free(job.left)
            return WorkStep("unplug", job.old.label, job.old.name(job.left), "", disconnected)
        del self.nodes[index]
        for port in job.old.ports:
            self._free(port)
        return WorkStep("remove", job.old.label, *job.old.names, disconnected)

    def _free(self, port: int) -> None:
        """Make a port available to the job that waits for it."""
        self.at.pop(port, None)
        index = self.waiting.pop(port, None)
        if index is None:
            return
        self.missing[index] -= 1
        if not self.missing[index]:
            heappush(self.moves if self.jobs[index].old else self.adds, index)

    def _names(self, index: int) -> tuple[str, ...]:
        """Return the names of the NIC ports disconnected during a job."""
        return tuple(self.watch.nics[node][0] for node in sorted(self._disconnected(index)))


def _needs(job: CableJob) -> tuple[int, ...]:
    """Return the ports that a job plugs a cable into."""
    return (job.right,) if job.old and job.new else job.new.ports if job.new else ()

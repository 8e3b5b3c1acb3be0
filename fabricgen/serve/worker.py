"""A second desk, in a process of its own, which makes the long tables.

Owns that process. Python does one thing at a time, and a table of a hundred thousand cables takes
it a second: at one desk, what is turned next would wait for the tables of what was turned before.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from threading import Lock
from typing import TYPE_CHECKING

from fabricgen.core.interrupts import leave_to_parent
from fabricgen.core.processes import end_with_parent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabricgen.outputs.report.report import Part
    from fabricgen.serve.sessions import PlanCache

_desk: PlanCache | None = None
"""The desk of the process that this module was loaded into as a worker."""


class RenderWorker:
    """Makes parts at a desk in another process; `make` opens that desk there, and so must be a function that travels."""

    def __init__(self, make: Callable[[], PlanCache]) -> None:
        """Start nothing yet."""
        self._make, self._lock = make, Lock()
        self._pool = self._new()

    def _new(self) -> ProcessPoolExecutor:
        """Return a pool of one process."""
        # a fresh process and no fork: locks that other threads hold at that moment would stay
        # locked in it for ever
        return ProcessPoolExecutor(
            1, mp_context=get_context("spawn"), initializer=_open, initargs=(self._make,)
        )

    def start(self) -> None:
        """Start the process, so that it is ready when it is first asked."""
        self._pool.submit(int)

    def part(self, asked: Mapping[str, str], name: Part) -> bytes:
        """Return a part of the fabric of these controls, as `Sized.part` does. Raises Refusal.

        A process that died, as for want of memory, is replaced once; the request that kills the
        second one too fails.
        """
        pool = self._pool
        try:
            return pool.submit(_part, dict(asked), name).result()
        except BrokenProcessPool:
            return self._after(pool).submit(_part, dict(asked), name).result()

    def _after(self, broken: ProcessPoolExecutor) -> ProcessPoolExecutor:
        """Return the pool that takes the place of a broken one; of many requests that find it broken, one makes it."""
        with self._lock:
            if self._pool is broken:
                broken.shutdown(wait=False)
                self._pool = self._new()
            return self._pool

    def close(self) -> None:
        """End the process, after what it is doing."""
        self._pool.shutdown(cancel_futures=True)


def _open(make: Callable[[], PlanCache]) -> None:
    """Open the desk of a worker; Ctrl-C in the terminal is for the process that started it, and with which this one ends."""
    global _desk  # noqa: PLW0603 - a worker of a pool has no other place for what all of its tasks share
    leave_to_parent()
    end_with_parent()
    _desk = make()


def _part(asked: dict[str, str], name: Part) -> bytes:
    """Make a part at the worker's desk."""
    if _desk is None:
        raise RuntimeError("this process has no desk")
    return _desk.sized(asked).part(name)

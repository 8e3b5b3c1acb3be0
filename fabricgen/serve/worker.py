"""A second process, with a plan cache of its own, which makes the long tables.

Owns that process. Threads of one process take turns, and a table of a hundred thousand cables takes
a second: the next page would wait for the tables of the last one.
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
    from fabricgen.serve.plan_cache import PlanCache

_plans: PlanCache | None = None
"""The plan cache of a worker process."""


class RenderWorker:
    """Makes parts of reports in another process; `make` makes its cache there, and is pickled."""

    def __init__(self, make: Callable[[], PlanCache]) -> None:
        """Prepare the process, which starts with the first request."""
        self._make, self._lock = make, Lock()
        self._pool = self._new()

    def _new(self) -> ProcessPoolExecutor:
        """Return a pool of one process."""
        # a fork would copy locks that other threads hold at that moment, and never release them
        return ProcessPoolExecutor(
            1, mp_context=get_context("spawn"), initializer=_open, initargs=(self._make,)
        )

    def start(self) -> None:
        """Start the process, so that it is ready for the first request."""
        self._pool.submit(int)

    def part(self, asked: Mapping[str, str], name: Part) -> bytes:
        """Return a part of the report for controls, as `CachedFabric.part`. Raises Refusal.

        A process that was killed, for example without memory, is replaced once; the request that
        kills the second one too fails.
        """
        pool = self._pool
        try:
            return pool.submit(_part, dict(asked), name).result()
        except BrokenProcessPool:
            return self._after(pool).submit(_part, dict(asked), name).result()

    def _after(self, broken: ProcessPoolExecutor) -> ProcessPoolExecutor:
        """Return the pool that replaces a broken one; the first of many requests makes it."""
        with self._lock:
            if self._pool is broken:
                broken.shutdown(wait=False)
                self._pool = self._new()
            return self._pool

    def close(self) -> None:
        """End the process after its current part."""
        self._pool.shutdown(cancel_futures=True)


def _open(make: Callable[[], PlanCache]) -> None:
    """Make the plan cache of a worker, which leaves Ctrl-C to its parent and ends with it."""
    global _plans  # noqa: PLW0603 - a worker of a pool has no other place for shared values
    leave_to_parent()
    end_with_parent()
    _plans = make()


def _part(asked: dict[str, str], name: Part) -> bytes:
    """Make a part in the worker."""
    if _plans is None:
        raise RuntimeError("this process is not a worker")
    return _plans.fabric(asked).part(name)

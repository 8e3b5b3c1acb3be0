"""The worker processes of a large build.

They are forked after the tasks have made what they share, and inherit it: no plan is pickled.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import sys
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

from fabricgen.build.task import do_task
from fabricgen.build.write.manifest import Written
from fabricgen.core.diagnostics import refuse
from fabricgen.core.interrupts import leave_to_parent
from fabricgen.core.processes import end_with_parent, workers_ended

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.archive import Archive
    from fabricgen.build.write.directory import Tree

RUNS = 16
"""Runs that each worker does of many tasks: with fewer, workers end at different times, and with
more, handing them over takes longer than a small task."""

_shared: list[tuple[BuildContext, Tree | Archive]] = []
"""What this process's workers build, and where to; a forked worker finds it here."""


def can_fork() -> bool:
    """Return whether there are two cores, and a system on which processes inherit a plan.

    macOS offers fork, but its libraries do not support it (https://bugs.python.org/issue33725).
    """
    inherits = "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin"
    return inherits and (os.cpu_count() or 1) > 1


def in_parallel(
    context: BuildContext, tasks: list[BuildTask], store: Tree | Archive
) -> Generator[list[Written]]:
    """Do the tasks on every core, and yield their files in the order of the tasks."""
    context.packs.prepare()
    for task in tasks:
        task.prepare(context)
    _shared.append((context, store))
    try:
        workers = min(os.cpu_count() or 1, len(tasks))
        with (
            ProcessPoolExecutor(
                workers, multiprocessing.get_context("fork"), initializer=_start_worker
            ) as pool,
            _results_ended(pool),
            workers_ended(),
        ):
            futures = deque(pool.submit(_run_shared, run) for run in _runs(tasks, workers))
            while futures:
                for files in futures.popleft().result():
                    yield [*map(Written._make, files)]
    except BrokenProcessPool:
        fact = "the system ended a process that rendered files, most likely for want of memory"
        raise refuse(
            "worker-ended",
            fact,
            hint="give it more memory, or build fewer groups at a time with `--only`",
        ) from None
    finally:
        _shared.pop()


@contextlib.contextmanager
def _results_ended(pool: ProcessPoolExecutor) -> Iterator[None]:
    """End the results of a pool whose workers were killed.

    A worker that was killed while it sent a result leaves half of it. The pool would wait for the
    rest, because this process holds the writing end of the pipe too.
    """
    try:
        yield
    except BaseException:
        cast("Any", pool)._result_queue._writer.close()  # noqa: SLF001 - the pool has no public way to be ended at once
        raise


def _start_worker() -> None:
    """Leave interrupts to the parent, end with it, and collect no garbage.

    Views and texts are freed by reference counts. Of all that a build makes, only workbooks of
    XlsxWriter refer to themselves, and there are a few.
    """
    leave_to_parent()
    end_with_parent()
    gc.disable()


def _runs(tasks: list[BuildTask], workers: int) -> Iterator[list[tuple[int, BuildTask]]]:
    """Cut tasks with their numbers into runs of one kind, of which a worker does several."""
    for _, alike in groupby(enumerate(tasks, start=1), lambda task: type(task[1])):
        found = [*alike]
        size = -(-len(found) // (workers * RUNS))
        yield from (found[first : first + size] for first in range(0, len(found), size))


def _run_shared(run: list[tuple[int, BuildTask]]) -> list[list[tuple[Any, ...]]]:
    """Do some tasks of the shared build.

    Returns the fields of the files: pickle writes a plain tuple in a quarter of the time.
    """
    return [[tuple(file) for file in do_task(*_shared[-1], number, task)] for number, task in run]

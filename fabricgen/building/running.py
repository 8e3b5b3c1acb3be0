"""Doing the tasks of a build on every core, and writing the result at once.

Owns the worker processes. A fabric that is small is built in this process; a large one forks after what all workers share is worked out, so
that they inherit it instead of unpickling a plan.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

from fabricgen.diagnostics import refuse
from fabricgen.interrupts import leave_to_parent
from fabricgen.processes import end_with_parent, workers_ended
from fabricgen.summary import summarize
from fabricgen.writing import MANIFEST, Written, json_document, staging, write_manifest, write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from fabricgen.building.job import Job
    from fabricgen.building.sources import Task

SERIAL_LINKS = 20_000
"""Below this a second process costs more than it brings."""


def build(job: Job, out: Path, advance: Callable[[int, int], None] | None = None, *, force: bool = False) -> list[Written]:
    """Write everything a job holds to OUT, which is replaced whole or not at all; return the files, sorted by path.

    `advance(done, total)` is told of each task. Raises Refusal where something cannot be rendered or written, and where OUT
    holds files of the user's, unless `force` is given.
    """
    tasks = job.tasks
    with staging(out, force=force) as root:
        summary = summarize(job.plan, job.bom)
        document = job.plan.document(summary)
        files = [write_text(root, "plan.json", [json_document(document)])]
        with contextlib.closing(_work(job, tasks, root)) as results:  # its workers end before the files that they write are removed
            for done, written in enumerate(results, start=1):
                files += written
                if advance:
                    advance(done, len(tasks))
        _refuse_twice(files)
        write_manifest(root, files, document["inventory"], sorted(job.groups))
    return sorted(files)


def _refuse_twice(files: list[Written]) -> None:
    """Refuse packs that write one path twice; the second would have replaced the first unseen."""
    seen = {MANIFEST}
    for file in files:
        if file.path in seen:
            raise refuse("path-twice", f"two outputs are written to `{file.path}`", hint="put `{switch}` into the `path` of the pack.yaml, or rename one")
        seen.add(file.path)


_shared: list[tuple[Job, Path]] = []
"""The job of this process's workers; a forked worker finds it here."""


def _work(job: Job, tasks: list[Task], root: Path) -> Generator[list[Written]]:
    """Do the tasks, on every core where it pays; the results come in the order of the tasks."""
    workers = min(os.cpu_count() or 1, len(tasks))
    if job.plan.links < SERIAL_LINKS or workers < 2 or "fork" not in multiprocessing.get_all_start_methods():  # noqa: PLR2004 - two make a crowd
        yield from (list(task.write(job, root)) for task in tasks)
        return
    for task in tasks:
        task.prepare(job)
    _shared.append((job, root))
    try:
        with ProcessPoolExecutor(workers, multiprocessing.get_context("fork"), initializer=_start_worker) as pool, workers_ended():
            futures = deque(pool.submit(_run_shared, task) for task in tasks)
            while futures:
                yield futures.popleft().result()
    finally:
        _shared.pop()


def _start_worker() -> None:
    """Leave interruptions to the parent, end with it, and keep the garbage collector from walking the plan again and again.

    Views are freed by reference counts.
    """
    leave_to_parent()
    end_with_parent()
    gc.freeze()
    gc.set_threshold(100_000, 50, 1000)


def _run_shared(task: Task) -> list[Written]:
    """Do one task of the shared job."""
    job, root = _shared[-1]
    return list(task.write(job, root))

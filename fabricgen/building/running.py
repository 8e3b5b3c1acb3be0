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
from concurrent.futures.process import BrokenProcessPool
from itertools import accumulate
from typing import TYPE_CHECKING

from fabricgen.diagnostics import refuse
from fabricgen.interrupts import leave_to_parent
from fabricgen.processes import end_with_parent, workers_ended
from fabricgen.summary import summarize
from fabricgen.writing import MANIFEST, Archive, Tree, Written, archiving, json_document, staging, write_manifest, write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
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
    with staging(out, force=force) as root:
        return _fill(job, Tree(root), advance)


def build_archive(
    job: Job, file: Path, advance: Callable[[int, int], None] | None = None, *, inputs: Iterable[Path] = (), force: bool = False
) -> list[Written]:
    """Write everything a job holds to one archive, whose kind its name tells, as `build` writes it to a directory."""
    with archiving(file, job.plan.spec.name, inputs=inputs, force=force) as archive:
        return _fill(job, archive, advance)


def _fill(job: Job, store: Tree | Archive, advance: Callable[[int, int], None] | None) -> list[Written]:
    """Write the plan, what the tasks make, and the manifest, in this order; return the files, sorted by path."""
    tasks = job.tasks
    document = job.plan.document(summarize(job.plan, job.bom))
    with store.part(0) as root:
        files = [write_text(root, "plan.json", [json_document(document)])]
    store.take(0)
    with contextlib.closing(_work(job, tasks, store)) as results:  # its workers end before the files that they write are removed
        for done, written in enumerate(results, start=1):
            store.take(done)
            files += written
            if advance:
                advance(done, len(tasks))
    _refuse_twice(files)
    with store.part(len(tasks) + 1) as root:
        write_manifest(root, files, document["inventory"], sorted(job.groups))
    store.take(len(tasks) + 1)
    return sorted(files)


def _refuse_twice(files: list[Written]) -> None:
    """Refuse packs that write one path twice, or below a file; in an archive the second would lie beside the first unseen."""
    seen = {MANIFEST}
    for file in files:
        if file.path in seen:
            raise refuse("path-twice", f"two outputs are written to `{file.path}`", hint="put `{switch}` into the `path` of the pack.yaml, or rename one")
        seen.add(file.path)
    for folder in dict.fromkeys(file.path.rpartition("/")[0] for file in files):
        both = next((path for path in accumulate(folder.split("/"), "{}/{}".format) if path in seen), None)
        if both:
            hint = "give one of the two outputs another `path` in its pack.yaml"
            raise refuse("path-twice", f"`{both}` would be both a file and a directory", hint=hint)


_shared: list[tuple[Job, Tree | Archive]] = []
"""The job of this process's workers; a forked worker finds it here."""


def _work(job: Job, tasks: list[Task], store: Tree | Archive) -> Generator[list[Written]]:
    """Do the tasks, on every core where it pays; the results come in the order of the tasks."""
    workers = min(os.cpu_count() or 1, len(tasks))
    if job.plan.links < SERIAL_LINKS or workers < 2 or "fork" not in multiprocessing.get_all_start_methods():  # noqa: PLR2004 - two make a crowd
        yield from (_do(job, store, number, task) for number, task in enumerate(tasks, start=1))
        return
    for task in tasks:
        task.prepare(job)
    _shared.append((job, store))
    try:
        with ProcessPoolExecutor(workers, multiprocessing.get_context("fork"), initializer=_start_worker) as pool, workers_ended():
            futures = deque(pool.submit(_run_shared, number, task) for number, task in enumerate(tasks, start=1))
            while futures:
                yield futures.popleft().result()
    except BrokenProcessPool:
        fact = "the system ended a process that rendered files, most likely for want of memory"
        raise refuse("worker-ended", fact, hint="give it more memory, or build fewer groups at a time with `--only`") from None
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


def _run_shared(number: int, task: Task) -> list[Written]:
    """Do one task of the shared job."""
    return _do(*_shared[-1], number, task)


def _do(job: Job, store: Tree | Archive, number: int, task: Task) -> list[Written]:
    """Do one task, which has a number in the order of all."""
    with store.part(number) as root:
        return list(task.write(job, root))

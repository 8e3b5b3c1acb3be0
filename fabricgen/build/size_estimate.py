"""The bytes that a large build will write, before it writes them.

Owns the estimate: a group of many like files is measured by some of its tasks, a list of all cables
by the length of a row.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabricgen.build.job import BuildJob
    from fabricgen.build.task import BuildTask

LARGE_LINKS = 100_000
"""Links from which the bytes are estimated: cables.csv alone has 15 MB then."""

LIST_BYTES = {"cabling": 340, "graph": 52}
"""Bytes of the rows of one link in the lists of a group, as a fabric of a million GPUs has them."""

SAMPLED_TASKS = 4
"""Tasks that stand for all of a group with more."""


def large_build_bytes(job: BuildJob) -> int | None:
    """Estimate the bytes of a build; None where it is small."""
    if job.context.plan.links < LARGE_LINKS:
        return None
    groups: dict[tuple[str, type], list[BuildTask]] = defaultdict(list)
    for group, task in job.steps:
        groups[group, type(task)].append(task)
    listed = sum(LIST_BYTES.get(group, 0) for group in job.context.groups)
    sampled = sum(
        len(tasks) * sum(_bytes(job, task) for task in _spread(tasks)) // SAMPLED_TASKS
        for tasks in groups.values()
        if len(tasks) >= SAMPLED_TASKS
    )
    return listed * job.context.plan.links + sampled


def _spread(tasks: list[BuildTask]) -> list[BuildTask]:
    """Return some tasks at equal distances, so that leaves and spines are among them."""
    return [
        tasks[(2 * number + 1) * len(tasks) // (2 * SAMPLED_TASKS)]
        for number in range(SAMPLED_TASKS)
    ]


def _bytes(job: BuildJob, task: BuildTask) -> int:
    """Return the bytes of the files of one task."""
    task.prepare(job.context)
    with tempfile.TemporaryDirectory() as scratch:
        return sum(file.size for file in task.write(job.context, Path(scratch)))

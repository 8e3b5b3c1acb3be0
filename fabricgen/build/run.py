"""A build from its tasks to its manifest, written to a directory or an archive.

Owns the order of writing, and when a build is large enough for worker processes.
"""

from __future__ import annotations

import contextlib
from itertools import accumulate
from typing import TYPE_CHECKING

from fabricgen.bom.summary import summarize
from fabricgen.build.task import do_task
from fabricgen.build.write.directory import Tree, staging
from fabricgen.build.write.files import write_manifest, write_text
from fabricgen.build.write.manifest import MANIFEST, Written, json_document
from fabricgen.core.diagnostics import refuse
from fabricgen.core.portable_paths import RESERVED_RULE, is_reserved
from fabricgen.planning.plan_document import plan_document

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from pathlib import Path

    from fabricgen.build.context import BuildContext
    from fabricgen.build.job import BuildJob
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.archive import Archive
    from fabricgen.core.diagnostics import Refusal

SERIAL_LINKS = 20_000
"""Links, counted once for each group, below which a second process costs more than it saves.

That is all groups of 1,000 GPUs, or the configurations of 10,000.
"""


def build(
    job: BuildJob,
    out: Path,
    advance: Callable[[str, int, int], None] | None = None,
    *,
    force: bool = False,
) -> list[Written]:
    """Write a build to OUT, which is replaced whole or not at all.

    Returns the files, sorted by path. `advance(group, done, total)` is called after each task.
    Raises Refusal where something cannot be rendered or written, and where OUT has files of the
    user's, unless `force` is given.
    """
    with staging(out, force=force) as root:
        return _fill(job, Tree(root), advance)


def build_archive(
    job: BuildJob,
    file: Path,
    advance: Callable[[str, int, int], None] | None = None,
    *,
    inputs: Iterable[Path] = (),
    force: bool = False,
) -> list[Written]:
    """Write a build to one archive, in the format of its suffix; otherwise as `build`."""
    from fabricgen.build.write.archive import archiving

    with archiving(file, job.context.plan.spec.name, inputs=inputs, force=force) as archive:
        return _fill(job, archive, advance)


def _fill(
    job: BuildJob, store: Tree | Archive, advance: Callable[[str, int, int], None] | None
) -> list[Written]:
    """Write the plan, the files of the tasks and the manifest, in this order."""
    context, steps = job.context, job.steps
    document = plan_document(context.plan, summarize(context.plan, context.bom).document())
    with store.part(0) as root:
        files = [write_text(root, "plan.json", json_document(document))]
    store.take(0)
    with contextlib.closing(
        _work(context, job.tasks, store)
    ) as results:  # its workers end before the files that they write are removed
        for done, ((group, _), written) in enumerate(zip(steps, results, strict=True), start=1):
            store.take(done)
            files += written
            if advance:
                advance(group, done, len(steps))
    _refuse_twice(files)
    if any(file.secret for file in files):
        store.restrict()
    with store.part(len(steps) + 1) as root:
        write_manifest(root, files, document["inventory"], sorted(context.groups))
    store.take(len(steps) + 1)
    return sorted(files)


def _refuse_twice(files: list[Written]) -> None:
    """Refuse packs that write one path twice, or a path below a file, or a reserved one.

    An archive would hold both entries of one path. Case does not count, as where it is unpacked.
    """
    seen = {MANIFEST}
    for file in files:
        if (path := file.path.casefold()) in seen:
            raise refuse(
                "path-twice",
                f"two outputs are written to `{file.path}`",
                because=("case does not count: some file systems take both for one",)
                if path != file.path
                else (),
                hint="put `{switch}` into the `path` of the pack.yaml, or rename one",
            )
        seen.add(path)
        if is_reserved(file.path.rpartition("/")[2]):
            raise _reserved(file.path)
    for folder in dict.fromkeys(file.path.rpartition("/")[0] for file in files):
        if any(map(is_reserved, folder.split("/"))):
            raise _reserved(folder)
        both = next(
            (
                path
                for path in accumulate(folder.casefold().split("/"), "{}/{}".format)
                if path in seen
            ),
            None,
        )
        if both:
            hint = "give one of the two outputs another `path` in its pack.yaml"
            raise refuse("path-twice", f"`{both}` would be both a file and a directory", hint=hint)


def _reserved(path: str) -> Refusal:
    """Return the refusal for a path that cannot be unpacked everywhere."""
    hint = "give the output another `path` in its pack.yaml, or the device another name"
    fact = f"no output may be written to `{path}`"
    return refuse("reserved-path", fact, because=(RESERVED_RULE,), hint=hint)


def _work(
    context: BuildContext, tasks: list[BuildTask], store: Tree | Archive
) -> Generator[list[Written]]:
    """Do the tasks, on every core where it pays, and yield the files of each, in their order."""
    if context.plan.links * len(context.selection.groups) >= SERIAL_LINKS and len(tasks) > 1:
        from fabricgen.build.workers import can_fork, in_parallel

        if can_fork():
            yield from in_parallel(context, tasks, store)
            return
    yield from (do_task(context, store, number, task) for number, task in enumerate(tasks, start=1))

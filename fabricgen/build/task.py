"""The tasks of a build.

Owns what every task can do, and how one is done; the tasks themselves are in the modules of the
groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.build.write.archive import Archive
    from fabricgen.build.write.directory import Tree
    from fabricgen.build.write.files import Root
    from fabricgen.build.write.manifest import Written


class BuildTask(Protocol):
    """A part of a build: one file, or a few.

    Tasks are sent to worker processes, so they hold names and ranges only.
    """

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List the files of the task without making any."""

    def prepare(self, context: BuildContext) -> None:
        """Make what many tasks share, once, before worker processes are forked."""

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Write the files of the task below `root`."""


@dataclass(frozen=True)
class OneFile:
    """A task of one file, which shares nothing with others unless it overrides `prepare`."""

    path: str

    def paths(self, _: BuildContext) -> Iterator[str]:
        """List the one file."""
        yield self.path

    def prepare(self, context: BuildContext) -> None:
        """Share nothing."""


def numbered_paths(path: str, files: int) -> list[str]:
    """Name the files that a long table is cut into, numbered from 1; one file keeps `path`.

    >>> numbered_paths("dcim/devices.csv", 10)[:2]
    ['dcim/devices-01.csv', 'dcim/devices-02.csv']
    """
    if files == 1:
        return [path]
    given, width = PurePosixPath(path), len(str(files))
    return [
        str(given.with_name(f"{given.stem}-{number:0{width}}{given.suffix}"))
        for number in range(1, files + 1)
    ]


def do_task(
    context: BuildContext, store: Tree | Archive, number: int, task: BuildTask
) -> list[Written]:
    """Do one task, the `number`th of its build."""
    with store.part(number) as root:
        return list(task.write(context, root))

"""What tasks have in common.

Owns `OneFile` and how a task is done; the tasks of each group stand with the group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext, Task
    from fabricgen.build.write.archive import Archive
    from fabricgen.build.write.directory import Tree
    from fabricgen.build.write.manifest import Written


@dataclass(frozen=True)
class OneFile:
    """A task of one file; it needs nothing made before it, unless it says so."""

    path: str

    def paths(self, _: BuildContext) -> Iterator[str]:
        """List the one file."""
        yield self.path

    def prepare(self, sources: BuildContext) -> None:
        """Need nothing."""


def do_task(job: BuildContext, store: Tree | Archive, number: int, task: Task) -> list[Written]:
    """Do one task, which has a number in the order of all."""
    with store.part(number) as root:
        return list(task.write(job, root))

"""The tasks of the networks beside the compute fabric.

A network has a context of its own, and the tasks of a group are those of any fabric: `OfNetwork`
does one of them with that context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.build.selection import Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.files import Root
    from fabricgen.build.write.manifest import Written


class OfNetwork(NamedTuple):
    """A task with the context of a network."""

    network: str
    task: BuildTask

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List the files of the task."""
        return self.task.paths(context.networks[self.network])

    def prepare(self, context: BuildContext) -> None:
        """Make what the tasks of the network share."""
        self.task.prepare(context.networks[self.network])

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Write the files of the task."""
        return self.task.write(context.networks[self.network], root)


def network_tasks(
    context: BuildContext, tasks: Callable[[BuildContext], Iterable[BuildTask | Skipped]]
) -> Iterator[BuildTask | Skipped]:
    """List the tasks of every network with switches, and what is left out of each."""
    for name in [name for name in context.plan.switched if name in context.networks]:
        for found in tasks(context.networks[name]):
            if isinstance(found, Skipped):
                yield Skipped(f"in the network {name}, {found.reason}")
            else:
                yield OfNetwork(name, found)

"""One build: its sources, and the tasks of the groups that were asked for.

Owns the list of artefact groups and their order.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from fabricgen.build.context import BuildContext
from fabricgen.build.selection import GROUPS, Group

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.build.context import Task

__all__ = ["GROUPS", "Group", "Job"]

TASKS: dict[Group, str] = {
    "cabling": "group_cabling.cabling",
    "bom": "group_bom.bill",
    "configs": "group_configs_hosts.configs",
    "hosts": "group_configs_hosts.hosts",
    "forwarding": "group_forwarding.forwarding",
    "graph": "group_cabling.graphs",
    "lab": "group_lab.lab",
    "cluster": "group_cluster.clusters",
    "drawings": "group_drawings.drawings",
    "simulators": "group_simulators.simulators",
    "dcim": "group_dcim.dcim",
    "report": "group_report.reports",
}
"""What lists the tasks of each group, in the order in which they are done: a module, imported for a build of that group only, and its function."""


def _lists(group: Group) -> Callable[[BuildContext], Iterator[Task]]:
    """Import what lists the tasks of a group."""
    module, _, name = TASKS[group].partition(".")
    listed: Callable[[BuildContext], Iterator[Task]] = getattr(
        import_module(f"fabricgen.build.{module}"), name
    )
    return listed


class Job(BuildContext):
    """One build, laid out: what there is to do, and what comes of it."""

    @cached_property
    def steps(self) -> list[tuple[Group, Task]]:
        """The work of this job, task by task with its group, in an order that is the same on any machine."""
        return [
            (group, task)
            for group in TASKS
            if group in self.groups
            for task in _lists(group)(self)
            if self._keeps(group, task)
        ]

    @property
    def tasks(self) -> list[Task]:
        """The tasks alone."""
        return [task for _, task in self.steps]

    def _keeps(self, group: Group, task: Task) -> bool:
        """Say whether a task is wanted where packs of its group were chosen; the tasks of switches and hosts choose among packs themselves."""
        return (
            group not in self.alone
            or group in ("configs", "hosts")
            or getattr(task, "pack", None) in self.alone[group]
        )

    def paths(self) -> Iterator[str]:
        """List every file of the job without making any."""
        yield from ("manifest.json", "plan.json")
        for task in self.tasks:
            yield from task.paths(self)

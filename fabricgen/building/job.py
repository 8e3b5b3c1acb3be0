"""One build: its sources, and the tasks of the groups that were asked for.

Owns the list of artefact groups and their order.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.building.bills import bill
from fabricgen.building.clusters import clusters
from fabricgen.building.dcim_files import dcim
from fabricgen.building.devices import configs, forwarding, hosts
from fabricgen.building.documents import cabling, graphs
from fabricgen.building.drawings import drawings
from fabricgen.building.labs import lab
from fabricgen.building.reports import reports
from fabricgen.building.simulators import simulators
from fabricgen.building.sources import Sources
from fabricgen.choosing import GROUPS, Group

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.building.sources import Task

__all__ = ["GROUPS", "Group", "Job"]

TASKS: dict[Group, Callable[[Sources], Iterator[Task]]] = {
    "cabling": cabling,
    "bom": bill,
    "configs": configs,
    "hosts": hosts,
    "forwarding": forwarding,
    "graph": graphs,
    "lab": lab,
    "cluster": clusters,
    "drawings": drawings,
    "simulators": simulators,
    "dcim": dcim,
    "report": reports,
}
"""The tasks of each group, in the order in which they are done."""


class Job(Sources):
    """One build, laid out: what there is to do, and what comes of it."""

    @cached_property
    def steps(self) -> list[tuple[Group, Task]]:
        """The work of this job, task by task with its group, in an order that is the same on any machine."""
        return [(group, task) for group, tasks in TASKS.items() if group in self.groups for task in tasks(self) if self._keeps(group, task)]

    @property
    def tasks(self) -> list[Task]:
        """The tasks alone."""
        return [task for _, task in self.steps]

    def _keeps(self, group: Group, task: Task) -> bool:
        """Say whether a task is wanted where packs of its group were chosen; the tasks of switches and hosts choose among packs themselves."""
        return group not in self.alone or group in ("configs", "hosts") or getattr(task, "pack", None) in self.alone[group]

    def paths(self) -> Iterator[str]:
        """List every file of the job without making any."""
        yield from ("manifest.json", "plan.json")
        for task in self.tasks:
            yield from task.paths(self)

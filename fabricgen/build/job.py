"""The work of a build: the tasks of its groups, and what they leave out.

Owns the order of the tasks, which is the same on any machine.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.build.selection import Skipped, lacks_switches
from fabricgen.core.terms import Role
from fabricgen.outputs.groups import GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.build.task import BuildTask


class BuildJob(NamedTuple):
    """One build: its context, its tasks with their groups, and a sentence on each omission."""

    context: BuildContext
    steps: list[tuple[str, BuildTask]]
    skipped: list[str]

    @property
    def tasks(self) -> list[BuildTask]:
        """The tasks alone."""
        return [task for _, task in self.steps]

    def paths(self) -> Iterator[str]:
        """List every file of the build without making any."""
        yield from ("manifest.json", "plan.json")
        for task in self.tasks:
            yield from task.paths(self.context)


def make_job(context: BuildContext) -> BuildJob:
    """List the tasks of a build. Raises Refusal where a group cannot be written."""
    job = BuildJob(context, [], [*_of_packets(context)])
    for group in GROUPS:
        for found in _tasks(group, context) if group in context.groups else ():
            if isinstance(found, Skipped):
                job.skipped.append(found.reason)
            else:
                job.steps.append((group, found))
    return job


def _of_packets(context: BuildContext) -> Iterator[str]:
    """Yield why groups of packet switches are not written where leaves forward circuits."""
    managed = context.plan.spec.management is not None
    groups = [
        name
        for name in context.selection.groups
        if lacks_switches(context.plan, name) and (managed or not GROUPS[name].managed)
    ]
    if groups and context.plan.mapping.topology:
        yield f"no {', '.join(groups)}: direct rails have no switches"
    elif groups:
        model = context.plan.fabric.port_layouts[Role.LEAF].model.model
        yield f"no {', '.join(groups)}: they presuppose packet switches, and the {model} is none"


def _tasks(group: str, context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of a group, whose module is imported for a build of that group only."""
    listed: Iterator[BuildTask | Skipped] = import_module(f"fabricgen.build.group_{group}").tasks(
        context
    )
    return listed

"""The group of configurations: the files of each switch, and of each InfiniBand subnet.

Owns the tasks of the switches; those of the subnets are in `subnet_files`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.build.pack_outputs import (
    config_packs,
    incomplete,
    switch_outputs,
    unconfigured,
)
from fabricgen.build.runs import installed_switches, switch_runs
from fabricgen.build.subnet_files import subnet_tasks
from fabricgen.build.write.files import Root, write_text
from fabricgen.core.terms import Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.build.context import BuildContext
    from fabricgen.build.selection import Skipped
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written


def tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of the configurations, those of subnet managers included."""
    if config_packs(context):
        yield from (SwitchFiles(segment, boxes) for segment, boxes in switch_runs(context))
    yield from unconfigured(context)
    yield from incomplete(context)
    yield from subnet_tasks(context)


@dataclass(frozen=True)
class SwitchFiles:
    """The configurations of a run of switches."""

    segment: int
    boxes: Sequence[int]

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List what the pack of each switch's role writes."""
        for switch, role in installed_switches(context, self.segment, self.boxes):
            for output in switch_outputs(context, self.segment, role):
                yield output.path.format(switch=switch)

    def prepare(self, context: BuildContext) -> None:
        """Make what all segments share."""
        context.views.prepare()

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        packs = config_packs(context)
        layouts = context.plan.port_layouts(self.segment)
        roles = tuple(role for role, layout in layouts.items() if layout.nos in packs)
        for switch in context.views.switches(self.segment, roles, self.boxes):
            pack = packs[switch.nos].name
            for output in switch_outputs(context, self.segment, Role(switch.role)):
                text = context.packs.render(pack, output.template, switch=switch)
                yield write_text(root, output.path.format(switch=switch.name), [text])

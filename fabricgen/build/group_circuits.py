"""The group of circuits: tables of ports and configurations, and the commands of each box.

Owns their tasks. They exist where leaves join ports; the commands, where those of a box are public.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.build.context import per_build
from fabricgen.build.pack_outputs import fitting_outputs
from fabricgen.build.write.files import Root, write_text
from fabricgen.outputs.circuits.build import CircuitFiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.circuits.schedule import Schedule
    from fabricgen.build.context import BuildContext
    from fabricgen.build.job import BuildJob
    from fabricgen.build.selection import Skipped
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.packs.pack_output import PackOutput


def tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of circuits."""
    outputs = fitting_outputs(context, "circuits")
    if not outputs:
        return
    counted = sum(each.circuits for each in circuit_files(context).schedule.configurations)
    rows = counted * context.plan.fabric.rails
    if over := context.selection.over("circuits", rows):
        yield over
        return
    yield from (CircuitTask(pack, output) for pack, output in outputs)


def job_of(context: BuildContext, schedule: Schedule) -> BuildJob:
    """Return the build of the circuits of one job alone."""
    from fabricgen.analysis.circuits.port_map import PortMap
    from fabricgen.build.job import BuildJob

    context.made[circuit_files] = CircuitFiles(schedule, PortMap(context.plan))
    outputs = fitting_outputs(context, "circuits")
    tasks = [("circuits", CircuitTask(pack, output)) for pack, output in outputs]
    return BuildJob(context, [*tasks], [])


@per_build
def circuit_files(context: BuildContext) -> CircuitFiles:
    """Return the maker of the views."""
    from fabricgen.analysis.circuits.port_map import PortMap
    from fabricgen.analysis.circuits.schedule import schedule_of

    return CircuitFiles(schedule_of(context.plan, "", "", None), PortMap(context.plan))


@dataclass(frozen=True)
class CircuitTask:
    """One table, or a file for each box, or for each of its configurations."""

    pack: str
    output: PackOutput

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List the files."""
        return (path for path, _ in self._files(context))

    def prepare(self, context: BuildContext) -> None:
        """Make the circuits, which all files share."""
        _ = circuit_files(context).boxes

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        for path, view in self._files(context):
            text = context.packs.render(self.pack, self.output.template, **view)
            yield write_text(root, path, text)

    def _files(self, context: BuildContext) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield the path of each file, and the view of its template by name."""
        files, path = circuit_files(context), self.output.path
        if self.output.each in ("circuits", "cords"):
            yield path, {"circuits": files.view}
        for name, box in files.boxes.items():
            if self.output.each == "circuit-box":
                yield path.format(switch=name), {"box": box}
            for each in box.configurations if self.output.each == "circuit-set" else ():
                yield path.format(switch=name, number=each.number), {"configuration": each}

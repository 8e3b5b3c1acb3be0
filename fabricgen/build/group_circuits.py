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

    from fabricgen.build.context import BuildContext
    from fabricgen.build.selection import Skipped
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.packs.pack_yaml import PackOutput


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


@per_build
def circuit_files(context: BuildContext) -> CircuitFiles:
    """Return the maker of the views."""
    from fabricgen.analysis.circuits.port_map import PortMap
    from fabricgen.analysis.circuits.schedule import schedule_of

    return CircuitFiles(schedule_of(context.plan, "", "", None), PortMap(context.plan))


@dataclass(frozen=True)
class CircuitTask:
    """One table, or a file for each box."""

    pack: str
    output: PackOutput

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List a file for each box, or the one file."""
        names = circuit_files(context).boxes if self.output.each == "circuit-box" else [""]
        return (self.output.path.format(switch=name) for name in names)

    def prepare(self, context: BuildContext) -> None:
        """Make the circuits, which all files share."""
        _ = circuit_files(context).boxes

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        files = circuit_files(context)
        if self.output.each == "circuits":
            text = context.packs.render(self.pack, self.output.template, circuits=files.view)
            yield write_text(root, self.output.path, [text])
            return
        for name, box in files.boxes.items():
            text = context.packs.render(self.pack, self.output.template, box=box)
            yield write_text(root, self.output.path.format(switch=name), [text])

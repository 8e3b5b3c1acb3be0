"""The group of simulators: the fabric as each of them reads it.

Owns their tasks, and what of the fabric a simulator cannot take. They are written on request only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from fabricgen.build.context import per_build
from fabricgen.build.pack_outputs import wanted_packs
from fabricgen.build.runs import ROWS
from fabricgen.build.selection import Skipped
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, write_text
from fabricgen.outputs.simulators.build import Simulator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.packs.pack_output import PackOutput


def tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the inputs of simulators, pack by pack."""
    for pack in wanted_packs(context, "simulators"):
        for output in pack.outputs:
            if gap := _gap(context, output):
                yield Skipped(f"{output.path}: {gap}")
            else:
                yield SimulatorInput(output.path, pack.name, output.template, output.each)


@per_build
def simulator(context: BuildContext) -> Simulator:
    """Return the maker of what simulators read of the plan."""
    return Simulator(context.plan)


def _gap(context: BuildContext, output: PackOutput) -> str | None:
    """Return why a file cannot be written of this fabric; None where it can."""
    if output.each == "simulated-block":
        block = simulator(context).block()
        return block if isinstance(block, str) else None
    if simulator(context).gap:
        return simulator(context).gap
    links = len(simulator(context).links[0])
    return (
        f"{links:,} links are more than the {output.most_lines:,} that its reader takes"
        if output.most_lines and links > output.most_lines
        else None
    )


@dataclass(frozen=True)
class SimulatorInput(OneFile):
    """One file of a simulator."""

    pack: str
    template: str
    each: str

    def prepare(self, context: BuildContext) -> None:
        """Make the nodes, which all files number alike."""
        if self.each != "simulated-block":
            _ = simulator(context).view

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render it, the links in runs."""
        yield write_text(root, self.path, self._texts(context))

    def _texts(self, context: BuildContext) -> Iterator[str]:
        """Render it run by run, or whole."""
        render = partial(context.packs.render, self.pack, self.template)
        if self.each == "simulated-block":
            yield render(block=simulator(context).block())
        elif self.each == "simulation":
            yield render(simulation=simulator(context).view)
        else:
            for run in simulator(context).runs(ROWS):
                yield render(simulation=simulator(context).view, run=run)

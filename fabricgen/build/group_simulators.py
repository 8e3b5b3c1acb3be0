"""The group of simulators: the fabric as each of them reads it.

Owns their tasks, and what of the fabric a simulator cannot take. They are written on request only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.build.context import RUN
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext, Task
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.packs.pack_yaml import Output


def simulators(sources: BuildContext) -> Iterator[Task]:
    """List the inputs of simulators, pack by pack."""
    for pack in sources.packs.group("simulators"):
        for output in pack.outputs if sources.wants("simulators", pack.name) else ():
            if gap := _gap(sources, output):
                sources.skipped.append(f"{output.path}: {gap}")
            else:
                yield Input(output.path, pack.name, output.template, output.each)


def _gap(sources: BuildContext, output: Output) -> str | None:
    """Say why a file cannot be written of this fabric; None where it can."""
    if output.each == "simulated-block":
        block = sources.simulator.block()
        return block if isinstance(block, str) else None
    if sources.simulator.gap:
        return sources.simulator.gap
    links = len(sources.simulator.links[0])
    return (
        f"{links:,} links are more than the {output.most_lines:,} that its reader takes"
        if output.most_lines and links > output.most_lines
        else None
    )


@dataclass(frozen=True)
class Input(OneFile):
    """One file of a simulator."""

    pack: str
    template: str
    each: str

    def prepare(self, sources: BuildContext) -> None:
        """Have the nodes numbered once, for all files."""
        if self.each != "simulated-block":
            _ = sources.simulator.view

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Render it, the links in runs."""
        yield write_text(root, self.path, self._texts(sources))

    def _texts(self, sources: BuildContext) -> Iterator[str]:
        """Render it run by run, or whole."""
        pack = sources.packs.pack(self.pack)
        assumed = pack.assumed if pack else {}
        if self.each == "simulated-block":
            yield sources.packs.render(
                self.pack, self.template, block=sources.simulator.block(), assumed=assumed
            )
        elif self.each == "simulation":
            yield sources.packs.render(
                self.pack, self.template, simulation=sources.simulator.view, assumed=assumed
            )
        else:
            runs = sources.simulator.runs(RUN)
            yield from (
                sources.packs.render(
                    self.pack,
                    self.template,
                    simulation=sources.simulator.view,
                    run=run,
                    assumed=assumed,
                )
                for run in runs
            )

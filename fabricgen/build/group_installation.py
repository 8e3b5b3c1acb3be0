"""What the machine room works from: pull sheets, rack elevations and port maps. They belong to the group of the cabling.

Owns their tasks, and when they are written: where devices have places, and up to a stated size
unless they are asked for. All are made of the rows of the cable list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.build.write.files import Root, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from fabricgen.build.context import BuildContext, Task
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.packs.pack_yaml import Output

PULLED = 20_000
"""Above so many cables the sheets are some ten thousand pages; they are then written on request only."""

RUN = 32
"""Files that one task writes."""


def sheets(sources: BuildContext) -> Iterator[Task]:
    """List the tasks of the machine room."""
    lengths, cables = sources.plan.lengths, sources.plan.cables
    if lengths is None:
        sources.skipped.append("pull-sheets/, racks/ and ports/: `site: unknown` leaves racks open")
        return
    if cables > PULLED and "pull-sheets" not in sources.named:
        why = f"{cables:,} cables are more than {PULLED:,}"
        sources.skipped.append(
            f"pull-sheets/, racks/ and ports/: {why}; `--only pull-sheets` writes them all the same"
        )
        return
    for pack in sources.packs.group("room"):
        for output in pack.outputs:
            names = _names(sources, output)
            yield from (
                RoomFiles(pack.name, output, names[first : first + RUN])
                for first in range(0, len(names), RUN)
            )


def _names(sources: BuildContext, output: Output) -> list[str]:
    """Name what an output is written for."""
    if output.each == "pull-sheet":
        return sources.pull_sheets.racks
    if output.each in ("rack", "port-map"):
        return list(
            sources.elevations.racks if output.each == "rack" else sources.elevations.switches
        )
    return [""]


@dataclass(frozen=True)
class RoomFiles:
    """The files of an output for a run of racks or switches, or its one file."""

    pack: str
    output: Output
    names: Sequence[str]

    def paths(self, _: BuildContext) -> Iterator[str]:
        """List a file for each name."""
        return (self._path(name) for name in self.names)

    def prepare(self, sources: BuildContext) -> None:
        """Bundle the cables."""
        _ = sources.pull_sheets.sheets, sources.elevations.racks

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        for name in self.names:
            text = sources.packs.render(
                self.pack, self.output.template, **self._view(sources, name)
            )
            yield write_text(root, self._path(name), [text])

    def _path(self, name: str) -> str:
        """Return the path of one file."""
        return self.output.path.format(rack=name, switch=name)

    def _view(self, sources: BuildContext, name: str) -> dict[str, Any]:
        """Return what its template sees."""
        if self.output.each == "rack":
            return {"rack": sources.elevations.rack(name)}
        if self.output.each == "port-map":
            return {"ports": sources.elevations.port_map(name)}
        return (
            {"sheet": sources.pull_sheets.sheets[name]}
            if self.output.each == "pull-sheet"
            else {"pulling": sources.pull_sheets.pulling}
        )

"""Which template or override wrote the lines of a switch's files.

Owns the search for the switch, and the runs of lines of one origin. `site_lines` traces lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.build.pack_outputs import config_packs, site_lines, switch_outputs
from fabricgen.core.document import Document
from fabricgen.core.terms import Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.outputs.packs.line_origins import OriginLine
    from fabricgen.outputs.packs.pack_output import PackOutput
    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.views.switches.view import SwitchView


class OriginRun(NamedTuple):
    """Consecutive lines of a file with one origin."""

    first: int
    last: int
    origin: str
    """The template, by its path if it is a user's, or the override."""
    first_there: int
    """The first of the lines there; 0 for the comment around an override."""
    last_there: int


@dataclass(frozen=True)
class FileOrigins(Document):
    """The origins of one file."""

    path: str
    runs: list[OriginRun]
    """Those of a document are the lines before anything was merged into it."""
    merged: list[tuple[str, str]]
    """What was merged into a document: the origin and the place."""

    def document(self) -> dict[str, Any]:
        """Return the origins as JSON has them."""
        merged = [{"origin": origin, "place": place} for origin, place in self.merged]
        return {"path": self.path, "lines": [run._asdict() for run in self.runs], "merged": merged}


def switch_named(context: BuildContext, name: str) -> SwitchView | None:
    """Return the view of a switch; None where the fabric has none of that name."""
    plan = context.plan
    for segment in range(plan.mapping.segments):
        names = plan.naming.switches(segment)
        if name in names and plan.installed[names.index(name)]:
            return next(context.views.switches(segment, boxes=[names.index(name)]))
    return None


def origins_of(context: BuildContext, switch: SwitchView, file: str = "") -> Iterator[FileOrigins]:
    """Yield the origins of the files of a switch, or of one of them by the end of its path."""
    pack = config_packs(context).get(switch.nos)
    segment = _segment(context, switch)
    for output in switch_outputs(context, segment, Role(switch.role)) if pack else ():
        path = output.path.format(switch=switch.name)
        if pack and (not file or path.endswith(f"/{file}")):
            yield _file_origins(context, pack, output, switch, path)


def _segment(context: BuildContext, switch: SwitchView) -> int:
    """Return the segment of a switch."""
    naming, segments = context.plan.naming, range(context.plan.mapping.segments)
    return next(segment for segment in segments if switch.name in naming.switches(segment))


def _file_origins(
    context: BuildContext, pack: Pack, output: PackOutput, switch: SwitchView, path: str
) -> FileOrigins:
    """Return the origins of one file."""
    lines = site_lines(context)
    runs = [*_runs(context, lines.origins(pack, output, switch))]
    return FileOrigins(path, runs, lines.merged_into(pack, output, switch))


def _runs(context: BuildContext, lines: Iterable[OriginLine]) -> Iterator[OriginRun]:
    """Yield the runs of lines of one origin."""
    for origin, run in groupby(enumerate(lines, start=1), key=lambda line: line[1].origin):
        numbered = [*run]
        there = [line.number for _, line in numbered if line.number]
        yield OriginRun(
            numbered[0][0],
            numbered[-1][0],
            _shown(context, origin),
            min(there, default=0),
            max(there, default=0),
        )


def _shown(context: BuildContext, origin: str) -> str:
    """Return the path of a user's own template, an override with its file, or another name."""
    pack, slash, name = origin.partition("/")
    if not slash:
        file = context.plan.spec.overrides[int(origin.rpartition(".")[2])].file
        return f"{origin} ({file})" if file else origin
    found = context.packs.files(pack, name)
    return origin if context.packs.home in found[0].parents else str(found[0])

"""What a build's sheets of cables and its labels hold: the columns that were asked for, serials, and labels that fit their lines.

Owns `SheetAsked`, which settles both, and the tasks of the labels to print and of the schema. The
tables themselves are documents of a pack.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, write_text
from fabricgen.build.write.manifest import Written, json_document
from fabricgen.views.cables.labels import LINE
from fabricgen.views.cables.view import CableSheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from fabricgen.build.context import BuildContext
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView

FILE = 4_800
"""Links whose labels stand in one file: 200 pages and 5 MB, which a browser opens at once."""


@dataclass(frozen=True)
class SheetAsked:
    """What was asked of the sheets of cables: a profile or a list of columns, a row for each end, and a file of serials."""

    columns: str = ""
    both_ways: bool = False
    serials: Path | None = None

    def sheets(self, plan: Plan, packs: Packs) -> Sheets:
        """Settle it. Raises Refusal for columns, serials or names that cannot be had."""
        from fabricgen.views.cables.columns import (
            DEFAULT,
            WORKBOOK,
            choose_columns,
            joins_of,
            read_profiles,
        )
        from fabricgen.views.cables.label_fit import fitting
        from fabricgen.views.cables.serials_csv import read_serials

        profiles = read_profiles(packs.files("cabling", "profiles.yaml"))
        serials = (
            read_serials(self.serials, {*plan.hosts, *plan.switches()}) if self.serials else {}
        )
        labelling = fitting(plan)
        chosen = [choose_columns(self.columns or name, profiles) for name in (DEFAULT, WORKBOOK)]
        table, book = (
            CableSheet(columns, joins_of(plan, columns, serials), self.both_ways, labelling)
            for columns in chosen
        )
        return Sheets(table, book, tuple(_notes(plan, table, serials, listed=bool(self.serials))))


class Sheets(NamedTuple):
    """The sheets of a build: that of the table, that of the workbook, and what is worth saying of them."""

    table: CableSheet
    book: CableSheet
    notes: tuple[str, ...]


def _notes(
    plan: Plan, sheet: CableSheet, serials: dict[str, str], *, listed: bool
) -> Iterator[str]:
    """Say what labels leave off, and which serials are missing or shown nowhere."""
    for what, begin in (("racks", sheet.labelling.racks), ("devices", sheet.labelling.devices)):
        if begin:
            yield f"labels leave off `{begin}`, with which the names of all {what} begin: a line has {LINE} characters"
    shows = {"a_serial", "b_serial"}.intersection(sheet.columns)
    if listed and not shows:
        yield "no column shows the serials; choose columns that do, such as `--columns run-list`"
    devices = len(plan.hosts) + sum(1 for _ in plan.switches()) if shows else 0
    if len(serials) < devices:
        yield f"{devices - len(serials):,} of {devices:,} devices have no serial in the sheet" + (
            "" if listed else "; `--serials FILE` reads them"
        )


@dataclass(frozen=True)
class LabelFile(OneFile):
    """The labels to print of a run of links, counted over all segments."""

    pack: str
    template: str
    start: int
    stop: int

    def prepare(self, sources: BuildContext) -> None:
        """Work out what all segments share."""
        sources.views.prepare()
        _ = sources.sheets

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Render page by page."""
        from fabricgen.outputs.labels.pages import label_pages

        pages = label_pages(
            sources.plan.spec.name, sources.sheets.table.labelling, self._cables(sources)
        )
        yield write_text(
            root,
            self.path,
            (sources.packs.render(self.pack, self.template, page=page) for page in pages),
        )

    def _cables(self, sources: BuildContext) -> Sequence[CableView]:
        """Make the cables of the run."""
        each = len(sources.plan.segment.kind)
        segments = range(self.start // each, (self.stop - 1) // each + 1)
        runs = (
            (segment, max(self.start - segment * each, 0), min(self.stop - segment * each, each))
            for segment in segments
        )
        return [cable for run in runs for cable in sources.views.cables(*run)]


def label_files(sources: BuildContext, path: str, pack: str, template: str) -> Iterator[LabelFile]:
    """List the files of labels to print: one, or numbered ones of `FILE` links each."""
    links = sources.plan.links
    files, given = -(-links // FILE), PurePosixPath(path)
    for at in range(files):
        name = (
            path
            if files == 1
            else str(given.with_name(f"{given.stem}-{at + 1:0{len(str(files))}}{given.suffix}"))
        )
        yield LabelFile(name, pack, template, at * FILE, min((at + 1) * FILE, links))


@dataclass(frozen=True)
class SheetSchema(OneFile):
    """The schema of the table of cables."""

    def prepare(self, sources: BuildContext) -> None:
        """Settle the sheets."""
        _ = sources.sheets

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Write it."""
        from fabricgen.views.cables.columns import schema_of

        yield write_text(
            root,
            self.path,
            [json_document(schema_of(sources.sheets.table, sources.plan.spec.name))],
        )

"""What a build's sheets of cables and its labels hold: the columns that were asked for, serials, and labels that fit their lines.

Owns `SheetAsked`, which settles both, and the tasks of the labels to print and of the schema. The tables themselves are documents of a pack.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.building.tasks import OneFile
from fabricgen.columns import DEFAULT, WORKBOOK, choose_columns, joins_of, read_profiles, schema_of
from fabricgen.diagnostics import refuse
from fabricgen.label_pages import label_pages
from fabricgen.labelling import LINE, Labelling, shared
from fabricgen.rooms.footprints import HOST, KINDS
from fabricgen.serials import read_serials
from fabricgen.views import CableSheet
from fabricgen.writing import Root, Written, json_document, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from fabricgen.building.sources import Sources
    from fabricgen.packs import Packs
    from fabricgen.planner import Plan
    from fabricgen.viewing import Views
    from fabricgen.views import CableView

FILE = 4_800
"""Links whose labels stand in one file: 200 pages and 5 MB, which a browser opens at once."""


@dataclass(frozen=True)
class SheetAsked:
    """What was asked of the sheets of cables: a profile or a list of columns, a row for each end, and a file of serials."""

    columns: str = ""
    both_ways: bool = False
    serials: Path | None = None

    def sheets(self, plan: Plan, packs: Packs, views: Views) -> Sheets:
        """Settle it. Raises Refusal for columns, serials or names that cannot be had."""
        profiles = read_profiles(packs.files("cabling", "profiles.yaml"))
        serials = read_serials(self.serials, {*plan.hosts, *plan.switches()}) if self.serials else {}
        labelling = fitting(plan, _longest_ports(plan, views))
        chosen = [choose_columns(self.columns or name, profiles) for name in (DEFAULT, WORKBOOK)]
        table, book = (CableSheet(columns, joins_of(plan, columns, serials), self.both_ways, labelling) for columns in chosen)
        return Sheets(table, book, tuple(_notes(plan, table, serials, listed=bool(self.serials))))


class Sheets(NamedTuple):
    """The sheets of a build: that of the table, that of the workbook, and what is worth saying of them."""

    table: CableSheet
    book: CableSheet
    notes: tuple[str, ...]


def _notes(plan: Plan, sheet: CableSheet, serials: dict[str, str], *, listed: bool) -> Iterator[str]:
    """Say what labels leave off, and which serials are missing or shown nowhere."""
    for what, begin in (("racks", sheet.labelling.racks), ("devices", sheet.labelling.devices)):
        if begin:
            yield f"labels leave off `{begin}`, with which the names of all {what} begin: a line has {LINE} characters"
    shows = {"a_serial", "b_serial"}.intersection(sheet.columns)
    if listed and not shows:
        yield "no column shows the serials; choose columns that do, such as `--columns run-list`"
    devices = len(plan.hosts) + sum(1 for _ in plan.switches()) if shows else 0
    if len(serials) < devices:
        yield f"{devices - len(serials):,} of {devices:,} devices have no serial in the sheet" + ("" if listed else "; `--serials FILE` reads them")


class _End(NamedTuple):
    """The end of a cable that is longest to write, of all devices of a kind."""

    kind: str
    rack: str
    unit: str
    device: str
    port: str


def fitting(plan: Plan, ports: dict[str, str]) -> Labelling:
    """Return how ends are written so that each fits a line: as they are, or without what all names begin with.

    `ports` is the longest text printed beside a port of each kind of device. Raises Refusal `label-too-long`.
    """
    plain, ends = Labelling(), list(_longest_ends(plan, ports))
    if all(_length(plain, end) <= LINE for end in ends):
        return plain
    room = plan.lengths.room if plan.lengths else None
    short = Labelling(shared(room.names)) if room else Labelling(devices=shared([*plan.hosts, *plan.switches()]))
    for end in ends:
        if (over := _length(short, end) - LINE) > 0:
            raise _too_long(short, end, over)
    return short


def _length(labelling: Labelling, end: _End) -> int:
    """Count the characters of an end."""
    return len(labelling.end(*end[1:]))


def _too_long(labelling: Labelling, end: _End, over: int) -> Exception:
    """Refuse a name that no label can bear."""
    text, key = labelling.end(*end[1:]), "rack" if end.rack else end.kind
    begin = labelling.racks or labelling.devices
    because = [f"`{text}` has {len(text)} characters, and a line of a label {LINE}", *([f"`{begin}` is left off already"] if begin else [])]
    hint = f"make the pattern `naming.{key}` shorter by {over} character{'s' if over > 1 else ''}"
    return refuse("label-too-long", f"the port `{end.port}` of `{end.device}` does not fit a label", path=("naming", key), because=because, hint=hint)


def _longest_ends(plan: Plan, ports: dict[str, str]) -> Iterator[_End]:
    """Find the device of each kind that is longest to write, at its longest port."""
    if plan.lengths is None:
        longest = {HOST: max(plan.hosts, key=len)}
        for group in range(plan.mapping.units):
            for name, box in zip(plan.naming.switches(group), plan.naming.boxes, strict=True):
                longest[box.role] = max(longest.get(box.role, ""), name, key=len)
        yield from (_End(kind, "", "", name, ports[kind]) for kind, name in longest.items())
        return
    room = plan.lengths.room
    rack, unit = room.standing.rack, room.standing.unit
    long = np.array([len(name) for name in room.names])[rack] + np.char.str_len(unit.astype(str))
    for at, kind in enumerate(KINDS):
        here = np.flatnonzero((room.kind == at) & (rack >= 0))
        if kind in ports and len(here):
            device = int(here[np.argmax(long[here])])
            yield _End(kind, room.names[int(rack[device])], str(int(unit[device])), room.device(device), ports[kind])


def _longest_ports(plan: Plan, views: Views) -> dict[str, str]:
    """Return the longest text printed beside a port of each kind of device."""
    request, several = plan.request, {kind: joint.cables for kind, joint in plan.joints.items()}
    labels = [plan.naming.label(gpu, plane) for gpu in range(request.host_gpus) for plane in range(request.planes)]
    ports = {HOST: max(labels, key=len)}
    for role, facts in views.facts.items():
        ports[role] = max((f"{fact.cage}/{fact.subport}" if fact.subport else str(fact.cage) for fact in facts), key=len)
    many = {kind: max(count for link, count in several.items() if kind in (link.upper, link.lower or HOST)) for kind in ports}
    return {kind: port + (f"/{many[kind]}" if many[kind] > 1 else "") for kind, port in ports.items()}


@dataclass(frozen=True)
class LabelFile(OneFile):
    """The labels to print of a run of links, counted over all units."""

    pack: str
    template: str
    start: int
    stop: int

    def prepare(self, sources: Sources) -> None:
        """Work out what all units share."""
        sources.views.prepare()
        _ = sources.sheets

    def write(self, sources: Sources, root: Root) -> Iterator[Written]:
        """Render page by page."""
        pages = label_pages(sources.plan.spec.name, sources.sheets.table.labelling, self._cables(sources))
        yield write_text(root, self.path, (sources.packs.render(self.pack, self.template, page=page) for page in pages))

    def _cables(self, sources: Sources) -> Sequence[CableView]:
        """Make the cables of the run."""
        each = len(sources.plan.unit.kind)
        units = range(self.start // each, (self.stop - 1) // each + 1)
        runs = ((unit, max(self.start - unit * each, 0), min(self.stop - unit * each, each)) for unit in units)
        return [cable for run in runs for cable in sources.views.cables(*run)]


def label_files(sources: Sources, path: str, pack: str, template: str) -> Iterator[LabelFile]:
    """List the files of labels to print: one, or numbered ones of `FILE` links each."""
    links = sources.plan.links
    files, given = -(-links // FILE), PurePosixPath(path)
    for at in range(files):
        name = path if files == 1 else str(given.with_name(f"{given.stem}-{at + 1:0{len(str(files))}}{given.suffix}"))
        yield LabelFile(name, pack, template, at * FILE, min((at + 1) * FILE, links))


@dataclass(frozen=True)
class SheetSchema(OneFile):
    """The schema of the table of cables."""

    def prepare(self, sources: Sources) -> None:
        """Settle the sheets."""
        _ = sources.sheets

    def write(self, sources: Sources, root: Root) -> Iterator[Written]:
        """Write it."""
        yield write_text(root, self.path, [json_document(schema_of(sources.sheets.table, sources.plan.spec.name))])

"""The group of the data centre's databases and of others' validators: what a DCIM imports, and sheets that tools check a cabling against.

Owns their tasks, how tables are cut into files, and when they are written: up to a stated size
unless they are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, adopt, reserve, write_text
from fabricgen.core.terms import Role
from fabricgen.outputs.dcim.view import TableView

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from fabricgen.build.context import BuildContext, Task
    from fabricgen.build.write.manifest import Written

IMPORTED = 20_000
"""Above so many cables nobody uploads twenty files of cables by hand, and a database takes hours; they are then written on request only."""

ROWS = 1_000
"""Rows of a file: an import is one transaction, and a longer one runs into the time limits of a web server."""

TABLES = ("devices", "interfaces", "straight-cables")


def dcim(sources: BuildContext) -> Iterator[Task]:
    """List the tasks of the group."""
    cables = sources.plan.cables
    if cables > IMPORTED and "dcim" not in sources.named:
        sources.skipped.append(
            f"dcim/: {cables:,} cables are more than {IMPORTED:,}; `--only dcim` writes it all the same"
        )
        return
    transport = sources.plan.fabric.port_layouts[Role.LEAF].model.transport
    for pack in sources.packs.group("dcim"):
        for output in pack.outputs:
            if output.transport not in (None, transport) or not _holds(sources, output.each):
                continue
            task = AssetTable if output.each in TABLES else AssetDocument
            yield task(output.path, pack.name, output.template, output.each)
    yield PointToPoint("dcim/point-to-point.xlsx")


def _holds(sources: BuildContext, view: str) -> bool:
    """Say whether there is anything to write in a view."""
    lists = sources.wire_lists
    holds: dict[str, Callable[[], bool]] = {
        "assets-placed": lambda: sources.plan.lengths is not None,
        "pieces": lambda: sources.pieces.straight_count < sources.plan.links,
        "straight-cables": lambda: sources.pieces.straight_count > 0,
        "seats": lambda: all(seat.rdma for seat in lists.seats()),
        "wiring": lambda: lists.has_wiring,
        "rail-topology": lambda: lists.has_rails,
    }
    return view not in holds or holds[view]()


@dataclass(frozen=True)
class AssetDocument(OneFile):
    """One document of a pack, rendered at once."""

    pack: str
    template: str
    view: str

    def prepare(self, sources: BuildContext) -> None:
        """Work out what all segments share."""
        sources.views.prepare()

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Render it."""
        yield write_text(
            root, self.path, [sources.packs.render(self.pack, self.template, **self._view(sources))]
        )

    def _view(self, sources: BuildContext) -> dict[str, Any]:
        """Return what its template sees."""
        assets, lists = sources.assets, sources.wire_lists
        makers: dict[str, tuple[str, Callable[[], object]]] = {
            "pieces": ("pieces", sources.pieces.shared),
            "seats": ("seats", lists.seats),
            "wiring": ("wiring", lists.wiring),
            "rail-topology": ("topology", lists.rails),
        }
        name, make = makers.get(self.view, ("assets", assets.assets))
        return {name: make()}


@dataclass(frozen=True)
class AssetTable:
    """A table, as one file or as numbered ones of `ROWS` rows, each with the header."""

    path: str
    pack: str
    template: str
    view: str

    def paths(self, sources: BuildContext) -> Iterator[str]:
        """List the files."""
        assets = sources.assets
        rows = {
            "devices": assets.device_count,
            "interfaces": assets.interface_count,
            "straight-cables": sources.pieces.straight_count,
        }[self.view]
        files, given = -(-rows // ROWS), PurePosixPath(self.path)
        width = len(str(files))
        names = (
            str(given.with_name(f"{given.stem}-{at:0{width}}{given.suffix}"))
            for at in range(1, files + 1)
        )
        yield from [self.path] if files == 1 else names

    def prepare(self, sources: BuildContext) -> None:
        """Work out what all segments share."""
        sources.views.prepare()

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Render file by file; rows are made as they are written."""
        assets = sources.assets
        rows: Iterator[object] = {
            "devices": assets.devices,
            "interfaces": assets.interfaces,
            "straight-cables": sources.pieces.straight,
        }[self.view]()
        for path in self.paths(sources):
            text = sources.packs.render(
                self.pack, self.template, table=TableView([*islice(rows, ROWS)])
            )
            yield write_text(root, path, [text])


@dataclass(frozen=True)
class PointToPoint(OneFile):
    """The sheet of both ends of every link, as NVIDIA's validator reads it; it goes with the pack of what that takes besides."""

    pack: str = "cvt"

    def prepare(self, sources: BuildContext) -> None:
        """Work out what all segments share."""
        sources.views.prepare()

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Write it row by row."""
        from fabricgen.outputs.workbook.point_to_point import write_point_to_point

        write_point_to_point(
            reserve(root, self.path), sources.plan.spec.name, sources.wire_lists.point_to_point()
        )
        yield adopt(root, self.path)

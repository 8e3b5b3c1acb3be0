"""The group of DCIM databases: the tables that they import, and sheets for cabling validators.

Owns their tasks, and how tables are cut into files.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain, islice
from operator import attrgetter
from typing import TYPE_CHECKING

from fabricgen.build.context import per_build
from fabricgen.build.pack_outputs import every_config_pack, fitting_outputs
from fabricgen.build.task import OneFile, numbered_paths
from fabricgen.build.write.files import Root, adopt, reserve, write_text
from fabricgen.outputs.dcim.bonds import Bonds
from fabricgen.outputs.dcim.cables import PieceViews
from fabricgen.outputs.dcim.cluster_interfaces import ClusterInterfaces
from fabricgen.outputs.dcim.consoles import ConsolePorts
from fabricgen.outputs.dcim.devices import Assets
from fabricgen.outputs.dcim.management import ManagementPorts
from fabricgen.outputs.dcim.panels import PanelTables
from fabricgen.outputs.dcim.view import TableView
from fabricgen.outputs.dcim.vlans import vlans
from fabricgen.outputs.dcim.wiring_lists import WireLists

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from fabricgen.build.context import BuildContext
    from fabricgen.build.selection import Skipped
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.dcim.view import AssetsView, InterfaceView

ROWS = 1_000
"""Rows of a file: an import is one transaction, and a web server ends a longer one."""

PANEL_TABLES = ("rear-ports", "front-ports", "trunks", "trunk-connectors")

TABLES = (
    "devices",
    "interfaces",
    "management-ports",
    "management-addresses",
    "console-ports",
    "console-server-ports",
    "straight-cables",
    *PANEL_TABLES,
)


PORT_TABLES = ("interfaces", "management-ports", "console-ports", "console-server-ports")
"""The tables of ports: those that devices of loaded types have at once are left out."""

SHARED = {
    "shared-tag": "tags",
    "shared-maker": "makers",
    "shared-role": "roles",
    "shared-platform": "platforms",
    "shared-type": "types",
}
"""The lists of the assets that fabrics have in common, by the kind of a file of one row."""


def tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of the group."""
    if over := context.selection.over("dcim", sum(own.plan.cables for own in context.each)):
        yield over
        return
    for pack, output in fitting_outputs(context, "dcim"):
        if _holds(context, output.each):
            tabled = AssetTable if output.each in TABLES else AssetDocument
            task = SharedRows if output.each in SHARED else tabled
            yield task(output.path, pack, output.template, output.each)
    # the validator asks packet switches for their neighbours; `cvt` is the pack of its other input
    packets = context.plan.roles and not context.plan.fabric.has_circuits
    if packets and context.selection.wants("dcim", "cvt"):
        yield PointToPoint("dcim/point-to-point.xlsx")


@per_build
def assets(context: BuildContext) -> Assets:
    """Return the maker of the tables of devices."""
    return Assets(context.plan)


@per_build
def interfaces(context: BuildContext) -> ClusterInterfaces:
    """Return the maker of the table of interfaces."""
    bonded = any(own.fabric.has_bonds for own in context.plan.cluster)
    packs = every_config_pack(context) if bonded else {}
    bonds = Bonds(context.plan, {nos: pack.bonds for nos, pack in packs.items()})
    every = [own.views for own in context.each if not own.plan.fabric.is_serial]
    return ClusterInterfaces(every, bonds)


@per_build
def console_ports(context: BuildContext) -> ConsolePorts:
    """Return the maker of the tables of serial ports."""
    return ConsolePorts(own.views for own in context.each if own.plan.fabric.is_serial)


@per_build
def management_ports(context: BuildContext) -> ManagementPorts:
    """Return the maker of the tables of management ports, whose names the packs have."""
    names = {nos: pack.terms.interface for nos, pack in every_config_pack(context).items()}
    return ManagementPorts(context.plan, names)


@per_build
def pieces(context: BuildContext) -> list[PieceViews]:
    """Return the makers of the tables of cables, one for each network."""
    return [PieceViews(own.plan, own.views) for own in context.each]


@per_build
def panel_ports(context: BuildContext) -> PanelTables:
    """Return the maker of the tables of panels and trunks."""
    return PanelTables(context.plan)


def _straight_count(context: BuildContext) -> int:
    """Count the cables of all networks with one end on each side."""
    return sum(own.straight_count for own in pieces(context))


@per_build
def wire_lists(context: BuildContext) -> WireLists:
    """Return the maker of the lists that other planners and validators read."""
    return WireLists(context.plan, context.views)


def _holds(context: BuildContext, view: str) -> bool:
    """Return whether the fabric has anything that a view would list."""
    lists = wire_lists(context)
    holds: dict[str, Callable[[], bool]] = {
        "management-ports": lambda: bool(management_ports(context).uncabled()),
        "management-addresses": lambda: context.plan.management is not None,
        "console-ports": lambda: console_ports(context).own_count > 0,
        "console-server-ports": lambda: console_ports(context).server_count > 0,
        "assets-placed": lambda: context.plan.lengths is not None,
        "assets-switched": lambda: bool(assets(context).platforms),
        "assets-bridged": lambda: bool(vlans(context.plan)),
        "assets-tagged": lambda: bool(context.networks),
        "assets-makers": lambda: bool(assets(context).assets().makers),
        "assets-types": lambda: bool(assets(context).assets().types),
        "brought-interfaces": lambda: bool(_brought_interfaces(context)),
        "pieces": lambda: any(own.has_shared for own in pieces(context)),
        **dict.fromkeys(PANEL_TABLES, lambda: bool(panel_ports(context).trunks)),
        "straight-cables": lambda: _straight_count(context) > 0,
        "hca-ports": lambda: all(port.rdma for port in lists.hca_ports()),
        "wiring": lambda: lists.has_wiring,
        "rail-topology": lambda: lists.has_rails,
    }
    return view not in holds or holds[view]()


def _is_brought(row: InterfaceView, brought: Mapping[str, frozenset[str]]) -> bool:
    """Return whether a port is one that its device has from its type."""
    return row.name in brought.get(row.device, ())


def _brought_interfaces(context: BuildContext) -> list[InterfaceView]:
    """List the interfaces that devices have from their types."""
    brought = assets(context).brought
    rows = interfaces(context).rows() if brought else ()
    return [row for row in rows if _is_brought(row, brought)]


@dataclass(frozen=True)
class SharedRows:
    """A file for each object that fabrics have in common: an import refuses one that exists."""

    path: str
    pack: str
    template: str
    view: str

    def _rows(self, context: BuildContext) -> Iterator[tuple[str, AssetsView]]:
        """Yield each path, and the assets with one object of the kind."""
        every, kind = assets(context).assets(), SHARED[self.view]
        for row in sorted(getattr(every, kind), key=attrgetter("slug")):
            alone: dict[str, Any] = {kind: [row]}
            yield self.path.replace("{slug}", row.slug), replace(every, **alone)

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List the files."""
        return (path for path, _ in self._rows(context))

    def prepare(self, context: BuildContext) -> None:
        """Share nothing."""

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render the template of the whole list with one object."""
        for path, view in self._rows(context):
            text = context.packs.render(self.pack, self.template, assets=view)
            yield write_text(root, path, text)


@dataclass(frozen=True)
class AssetDocument(OneFile):
    """One document of a pack, rendered at once."""

    pack: str
    template: str
    view: str

    def prepare(self, context: BuildContext) -> None:
        """Make what all segments share."""
        context.views.prepare()

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render it."""
        text = context.packs.render(self.pack, self.template, **self._view(context))
        yield write_text(root, self.path, text)

    def _view(self, context: BuildContext) -> dict[str, Any]:
        """Return the view of its template, by name."""
        lists = wire_lists(context)
        makers: dict[str, tuple[str, Callable[[], object]]] = {
            "pieces": (
                "pieces",
                lambda: [piece for own in pieces(context) for piece in own.shared()],
            ),
            "brought-interfaces": ("interfaces", lambda: _brought_interfaces(context)),
            "hca-ports": ("hca_ports", lists.hca_ports),
            "wiring": ("wiring", lists.wiring),
            "rail-topology": ("topology", lists.rails),
        }
        name, make = makers.get(self.view, ("assets", assets(context).assets))
        return {name: make()}


@dataclass(frozen=True)
class AssetTable:
    """A table, as one file or as numbered ones of `ROWS` rows, each with the header."""

    path: str
    pack: str
    template: str
    view: str

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List the files."""
        if self.view in PORT_TABLES and assets(context).brought:
            yield from numbered_paths(self.path, -(-sum(1 for _ in self._rows(context)) // ROWS))
            return
        rows = {
            "devices": assets(context).device_count,
            "interfaces": interfaces(context).count,
            "management-ports": len(management_ports(context).uncabled()),
            "management-addresses": sum(1 for _ in management_ports(context).rows()),
            "console-ports": console_ports(context).own_count,
            "console-server-ports": console_ports(context).server_count,
            "straight-cables": _straight_count(context),
            "rear-ports": panel_ports(context).rear_count,
            "front-ports": panel_ports(context).front_count,
            "trunks": len(panel_ports(context).trunks),
            "trunk-connectors": panel_ports(context).leg_count,
        }[self.view]
        yield from numbered_paths(self.path, -(-rows // ROWS))

    def prepare(self, context: BuildContext) -> None:
        """Make what all segments share."""
        for own in context.each:
            own.views.prepare()

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render file by file; rows are made as they are written."""
        rows = self._rows(context)
        for path in self.paths(context):
            table = TableView([*islice(rows, ROWS)], tagged=bool(context.networks))
            text = context.packs.render(self.pack, self.template, table=table)
            yield write_text(root, path, text)

    def _rows(self, context: BuildContext) -> Iterator[object]:
        """Yield the rows of the table."""
        makers: dict[str, Callable[[], Iterator[Any]]] = {
            "devices": assets(context).devices,
            "interfaces": interfaces(context).rows,
            "management-ports": lambda: iter(management_ports(context).uncabled()),
            "management-addresses": management_ports(context).rows,
            "console-ports": console_ports(context).own,
            "console-server-ports": console_ports(context).servers,
            "straight-cables": lambda: chain.from_iterable(
                own.straight() for own in pieces(context)
            ),
            "rear-ports": panel_ports(context).rear,
            "front-ports": panel_ports(context).front,
            "trunks": panel_ports(context).bundles,
            "trunk-connectors": panel_ports(context).legs,
        }
        rows = makers[self.view]()
        if self.view not in PORT_TABLES:
            return rows
        brought = assets(context).brought
        return (row for row in rows if not _is_brought(row, brought))


@dataclass(frozen=True)
class PointToPoint(OneFile):
    """The sheet of both ends of every link, which NVIDIA's Cable Validation Tool reads."""

    def prepare(self, context: BuildContext) -> None:
        """Make what all segments share."""
        context.views.prepare()

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Write it row by row."""
        from fabricgen.outputs.workbook.point_to_point import write_point_to_point

        rows = wire_lists(context).point_to_point()
        write_point_to_point(reserve(root, self.path), context.plan.spec.name, rows)
        yield adopt(root, self.path)

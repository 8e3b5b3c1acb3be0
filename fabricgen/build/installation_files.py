"""The installation files of the cabling group: pull sheets, lists by host, elevations, port maps.

Owns their tasks, which exist only if devices have positions. All are made of the rows of the cable
list.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from fabricgen.build.context import per_build
from fabricgen.build.pack_outputs import wanted_packs
from fabricgen.build.runs import cable_rows
from fabricgen.build.selection import Skipped
from fabricgen.build.write.files import Root, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from fabricgen.build.context import BuildContext
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written
    from fabricgen.catalog.models.optics import Cable
    from fabricgen.catalog.models.patch import Trunk
    from fabricgen.outputs.installation.bundles import Bundle
    from fabricgen.outputs.installation.elevations import Elevations
    from fabricgen.outputs.installation.host_lists import HostLists
    from fabricgen.outputs.installation.port_maps import PortMaps
    from fabricgen.outputs.installation.pull_sheets import PullSheets
    from fabricgen.outputs.packs.pack_output import PackOutput
    from fabricgen.planning.room.room import Room

FILES = 32
"""Files that one task writes."""


def installation_tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of the installation sheets."""
    packs = wanted_packs(context, "room")
    if not packs:
        return
    if context.plan.lengths is None:
        yield Skipped("pull-sheets/, hosts/, racks/ and ports/: `site: unknown` leaves racks open")
        return
    cables = sum(own.plan.cables for own in context.each)
    if over := context.selection.over("pull-sheets", cables):
        yield over
        return
    for pack in packs:
        for output in pack.outputs:
            names = _names(context, output)
            for first in range(0, len(names), FILES):
                yield InstallationFiles(pack.name, output, names[first : first + FILES])


def _names(context: BuildContext, output: PackOutput) -> list[str]:
    """List the racks or switches that an output is written for; one empty name for one file."""
    if output.each == "pull-sheet":
        return pull_sheets(context).racks
    if output.each == "host-list":
        return host_lists(context).racks
    if output.each == "rack":
        return list(elevations(context).racks)
    return list(port_maps(context).switches) if output.each == "port-map" else [""]


@per_build
def pull_sheets(context: BuildContext) -> PullSheets:
    """Return the pull sheets. Raises ValueError where devices have no places."""
    from fabricgen.outputs.installation.bundles import Fronts
    from fabricgen.outputs.installation.pull_sheets import PullSheets

    plan = context.plan
    facts: dict[str, Cable | Trunk] = {cable.model: cable for cable in plan.catalog.cables()}
    for each in plan.cluster if plan.fabric.spec.cabling else ():
        trunks = each.channels.trunks if each.channels else ()
        facts.update((trunk.item, trunk.parts.trunk) for trunk in trunks)
    return PullSheets(plan.spec.name, Fronts(plan), _room(context), bundles(context), facts)


@per_build
def host_lists(context: BuildContext) -> HostLists:
    """Return the lists by host. Raises ValueError as `pull_sheets` does."""
    from fabricgen.outputs.installation.bundles import Fronts
    from fabricgen.outputs.installation.host_lists import HostLists

    plan = context.plan
    return HostLists(plan.spec.name, Fronts(plan), _room(context), bundles(context))


@per_build
def elevations(context: BuildContext) -> Elevations:
    """Return the drawings of racks. Raises ValueError as `pull_sheets` does."""
    from fabricgen.outputs.installation.bundles import Fronts
    from fabricgen.outputs.installation.elevations import Elevations

    return Elevations(Fronts(context.plan), _room(context), bundles(context))


@per_build
def port_maps(context: BuildContext) -> PortMaps:
    """Return the maps of switches. Raises ValueError as `pull_sheets` does."""
    from fabricgen.outputs.installation.port_maps import PortMaps

    return PortMaps(elevations(context))


@per_build
def bundles(context: BuildContext) -> list[Bundle]:
    """Bundle all cables. Raises ValueError as `pull_sheets` does."""
    from fabricgen.outputs.installation.bundles import Fronts
    from fabricgen.outputs.installation.pull_order import pull

    cables = chain.from_iterable(
        [
            cable_rows(own).labelled(segment, 0, len(own.plan.segment.kind))
            for own in context.each
            for segment in range(own.plan.mapping.segments)
        ]
    )
    return pull(Fronts(context.plan), cables, _room(context))


def _room(context: BuildContext) -> Room:
    """Return the room. Raises ValueError where the inventory leaves places open."""
    if context.plan.lengths is None:
        raise ValueError("the inventory leaves the places of devices open")
    return context.plan.lengths.room


@dataclass(frozen=True)
class InstallationFiles:
    """The files of an output for a run of racks or switches, or its one file."""

    pack: str
    output: PackOutput
    names: Sequence[str]

    def paths(self, _: BuildContext) -> Iterator[str]:
        """List a file for each name."""
        return (self._path(name) for name in self.names)

    def prepare(self, context: BuildContext) -> None:
        """Bundle the cables."""
        _ = pull_sheets(context).sheets, port_maps(context).switches

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        for name in self.names:
            view = self._view(context, name)
            text = context.packs.render(self.pack, self.output.template, **view)
            yield write_text(root, self._path(name), text, mark=context.sheet_options.csv_mark)

    def _path(self, name: str) -> str:
        """Return the path of one file."""
        return self.output.path.format(rack=name, switch=name)

    def _view(self, context: BuildContext, name: str) -> dict[str, Any]:
        """Return the view of its template, by name."""
        if self.output.each == "host-list":
            return {"rack": host_lists(context).rack(name)}
        if self.output.each == "rack":
            return {"rack": elevations(context).rack(name)}
        if self.output.each == "port-map":
            return {"ports": port_maps(context).port_map(name)}
        if self.output.each == "pull-sheet":
            return {"sheet": pull_sheets(context).sheets[name]}
        return {"pulling": pull_sheets(context).pulling}

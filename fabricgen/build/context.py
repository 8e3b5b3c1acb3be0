"""What the tasks of one build read: the plan, its packs, and the views and tables that several tasks share.

Owns `BuildContext`, each part of which is made when it is first asked for. Which files come of it is
said by the modules of the groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

from fabricgen.analysis.checks.evidence import evidence_of
from fabricgen.analysis.checks.laws import judge
from fabricgen.bom.bill import make_bom
from fabricgen.bom.comparison import Comparison, compare
from fabricgen.build.group_cable_sheets import SheetAsked, Sheets
from fabricgen.build.selection import GROUPS
from fabricgen.core.terms import Role
from fabricgen.outputs.packs.nos_packs import nos_packs
from fabricgen.views.cables.view import CableSheet, Chunk
from fabricgen.views.factory import Views
from fabricgen.views.infiniband.transport import is_infiniband

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.analysis.checks.law import Report as Judged
    from fabricgen.analysis.forwarding.tables import Tables
    from fabricgen.bom.bill import Bom
    from fabricgen.bom.breakdown.breakdown import RackContents
    from fabricgen.build.selection import Group
    from fabricgen.build.write.files import Root
    from fabricgen.build.write.manifest import Written
    from fabricgen.catalog.models.optics import Cable
    from fabricgen.lifecycle.change.phases import Stage
    from fabricgen.outputs.dcim.cables import Pieces
    from fabricgen.outputs.dcim.devices import Assets
    from fabricgen.outputs.dcim.wiring_lists import WireLists
    from fabricgen.outputs.drawings.build import Drawings
    from fabricgen.outputs.installation.bundles import Bundle
    from fabricgen.outputs.installation.elevations import Elevations
    from fabricgen.outputs.installation.pull_sheets import PullSheets
    from fabricgen.outputs.lab_topologies.build import Topologies
    from fabricgen.outputs.packs.pack_yaml import Output, Pack
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.outputs.schedulers.view import ClusterView, DevicesView
    from fabricgen.outputs.simulators.build import Simulator
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.room.room import Room
    from fabricgen.views.hosts.build import Hosts
    from fabricgen.views.infiniband.build import Subnets

RUN, SWITCHES, HOSTS = 8192, 128, 64
"""Rows of a table that are rendered at once, and switches and hosts that one task configures."""


class Part(NamedTuple):
    """A part of a fabric, where not all of it is wanted: some boxes of some segments, and some GPUs, counted over all HB domains."""

    segments: tuple[int, ...]
    boxes: tuple[int, ...]
    gpus: frozenset[int]


class Task(Protocol):
    """One piece of a build: a file or a few. Tasks travel to worker processes, so they hold names and ranges only."""

    def paths(self, sources: BuildContext) -> Iterator[str]:
        """List the files of the task without making any."""

    def prepare(self, sources: BuildContext) -> None:
        """Have worked out what many tasks need, once; workers that are forked afterwards inherit it."""

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Write the files of the task below `root`."""


@dataclass(frozen=True)
class BuildContext:
    """One build: a plan, its packs, and the groups asked for. `named` are the groups that the caller named rather than took by default.

    With a `part`, only the files and tables of its switches and GPUs are written; documents are of
    the whole fabric, and topologies are left out.
    """

    plan: Plan
    packs: Packs
    groups: tuple[Group, ...] = GROUPS
    named: frozenset[str] = frozenset()
    part: Part | None = None
    """What the files of switches, hosts and GPUs are limited to; None for the whole fabric."""
    skipped: list[str] = field(default_factory=list)
    """What the build leaves out, in a sentence each; filled while its tasks are listed."""
    asked: SheetAsked = field(default_factory=SheetAsked)
    """What was asked of the sheets of cables."""
    alone: dict[str, frozenset[str]] = field(default_factory=dict)
    """Groups of which only these packs are wanted; other groups are wanted whole."""

    def wants(self, group: str, pack: str) -> bool:
        """Say whether the files of a pack are wanted where its group is written."""
        return group not in self.alone or pack in self.alone[group]

    @cached_property
    def bom(self) -> Bom:
        """The bill of materials."""
        return make_bom(self.plan)

    @cached_property
    def comparison(self) -> Comparison:
        """The three designs of this cluster."""
        return compare(self.plan.spec, self.plan.catalog)

    @cached_property
    def judged(self) -> Judged:
        """How the plan stands before every law."""
        evidence = evidence_of(self.plan, self.views)
        return judge(
            replace(evidence, racks=lambda: {name: rack.parts for name, rack in self.racks.items()})
        )

    @cached_property
    def racks(self) -> dict[str, RackContents]:
        """The parts of each rack."""
        from fabricgen.bom.breakdown.breakdown import racks_of

        return racks_of(self.plan)

    @cached_property
    def views(self) -> Views:
        """The views of the plan."""
        return Views(self.plan, kept=True)

    @cached_property
    def sheets(self) -> Sheets:
        """The sheets of cables, settled. Raises Refusal for columns, serials or names that cannot be had."""
        if (
            "cabling" not in self.groups
        ):  # what else is made of cables asks for its columns itself, and needs no labels
            return Sheets(CableSheet(), CableSheet(), ())
        return self.asked.sheets(self.plan, self.packs)

    @cached_property
    def cable_facts(self) -> dict[str, Cable]:
        """What the catalog says of each cable, by model."""
        return {cable.model: cable for cable in self.plan.catalog.cables()}

    @cached_property
    def pull_sheets(self) -> PullSheets:
        """The bundles and their sheets; only where devices have places."""
        from fabricgen.outputs.installation.pull_sheets import PullSheets

        return PullSheets(self.plan.spec.name, self._room, self._bundles, self.cable_facts)

    @cached_property
    def elevations(self) -> Elevations:
        """The pictures of racks and switches; only where devices have places."""
        from fabricgen.outputs.installation.bundles import Fronts
        from fabricgen.outputs.installation.elevations import Elevations

        return Elevations(Fronts(self.plan), self._room, self._bundles)

    @cached_property
    def _bundles(self) -> list[Bundle]:
        """The bundles of all cables."""
        from fabricgen.outputs.installation.bundles import Fronts
        from fabricgen.outputs.installation.pull_order import pull

        cables = (
            cable
            for segment in range(self.plan.mapping.segments)
            for cable in self.views.cables(segment)
        )
        return pull(Fronts(self.plan), cables, self._room)

    @property
    def _room(self) -> Room:
        """The room. Raises ValueError where the inventory wants none."""
        if self.plan.lengths is None:
            raise ValueError("nothing has a place")
        return self.plan.lengths.room

    @cached_property
    def stages(self) -> list[Stage]:
        """What each phase of the plan buys."""
        from fabricgen.lifecycle.change.phases import phase_in

        return phase_in(self.plan)

    @cached_property
    def cluster(self) -> ClusterView:
        """The stripes of the plan, as schedulers see them."""
        from fabricgen.outputs.schedulers.build import cluster_view

        return cluster_view(self.plan)

    @cached_property
    def devices(self) -> DevicesView:
        """The devices of the plan in groups."""
        from fabricgen.outputs.schedulers.build import devices_view

        return devices_view(self.plan)

    @cached_property
    def hosts(self) -> Hosts:
        """The views of the plan's hosts."""
        from fabricgen.views.hosts.build import Hosts

        return Hosts(self.plan)

    @cached_property
    def assets(self) -> Assets:
        """What a database of the data centre holds of the plan."""
        from fabricgen.outputs.dcim.devices import Assets

        return Assets(self.plan, self.views)

    @cached_property
    def pieces(self) -> Pieces:
        """The cables as such a database holds them."""
        from fabricgen.outputs.dcim.cables import Pieces

        return Pieces(self.plan, self.views)

    @cached_property
    def wire_lists(self) -> WireLists:
        """The plan as other planners take it."""
        from fabricgen.outputs.dcim.wiring_lists import WireLists

        return WireLists(self.plan, self.views)

    @cached_property
    def drawings(self) -> Drawings:
        """The drawings of the plan."""
        from fabricgen.outputs.drawings.build import Drawings

        return Drawings(self.plan)

    @cached_property
    def simulator(self) -> Simulator:
        """What simulators read of the plan."""
        from fabricgen.outputs.simulators.build import Simulator

        return Simulator(self.plan)

    @cached_property
    def tables(self) -> Tables:
        """The forwarding tables of the plan."""
        from fabricgen.analysis.forwarding.tables import Tables

        return Tables(self.plan)

    @cached_property
    def topologies(self) -> Topologies:
        """The lab of the plan."""
        from fabricgen.outputs.lab_topologies.build import Topologies

        return Topologies(self.plan, self.packs, self.config_packs)

    @cached_property
    def subnets(self) -> Subnets:
        """The InfiniBand subnets of the plan."""
        from fabricgen.views.infiniband.build import Subnets

        return Subnets(self.plan)

    @cached_property
    def subnet_outputs(self) -> list[tuple[str, Output]]:
        """What is written for each InfiniBand subnet and each type of box in it, with the name of its pack; nothing on Ethernet.

        Raises Refusal `bad-guids` for a table of GUIDs that cannot be used.
        """
        if self.plan.spec.addressing.guids:
            self.subnets.prepare()
        return (
            [
                (name, output)
                for name, output in self.fitting("configs")
                if output.each in ("subnet", "system")
            ]
            if is_infiniband(self.plan)
            else []
        )

    @cached_property
    def host_outputs(self) -> list[tuple[str, Output]]:
        """What is written for each host and NIC of this fabric, with the name of its pack."""
        return self.fitting("hosts")

    def fitting(self, group: str) -> list[tuple[str, Output]]:
        """List what the packs of a group write for hosts, NICs or GPUs that are linked as these are, with the name of the pack."""
        links, transport = (
            self.plan.spec.addressing.host_links,
            self.plan.fabric.port_layouts[Role.LEAF].model.transport,
        )
        outputs = (
            (pack.name, output)
            for pack in self.packs.group(group)
            if self.wants(group, pack.name)
            for output in pack.outputs
        )
        return [
            (name, output)
            for name, output in outputs
            if output.transport in (None, transport) and output.host_links in (None, links)
        ]

    def outputs(self, segment: int, role: Role) -> list[Output]:
        """List what the pack of a role writes in a segment."""
        pack = self.config_packs.get(self.plan.port_layouts(segment)[role].nos)
        return (
            [output for output in pack.outputs if role in output.roles]
            if pack and self.wants("configs", pack.name)
            else []
        )

    @cached_property
    def config_packs(self) -> dict[str, Pack]:
        """The pack of each NOS that switches run.

        Raises Refusal where the inventory names a NOS without one or asks more than the NOS takes,
        or the model lacks what the pack needs.
        """
        found = nos_packs(self.plan, self.packs)
        if (
            "configs" in self.groups
        ):  # a report that shows configurations says itself what it has none of
            managed = (
                "; their subnet manager's files are in subnets/" if is_infiniband(self.plan) else ""
            )
            self.skipped.extend(
                f"no configurations for the {role} switches: no pack writes {nos}{managed}"
                for role, nos in found.without
            )
        return found.packs

    def switches(self, segment: int, boxes: Sequence[int]) -> Iterator[tuple[str, Role]]:
        """Name the installed switches of a run of a segment's boxes, with their roles."""
        names, every = self.plan.naming.switches(segment), self.plan.naming.boxes
        return ((names[index], every[index].role) for index in boxes if self.plan.installed[index])

    def chunks(self, sheet: CableSheet | None = None) -> Iterator[Chunk]:
        """Cut the cables of a sheet into runs, segment by segment."""
        segments, name, rows = (
            self.plan.mapping.segments,
            self.plan.spec.name,
            len(self.plan.segment.kind),
        )
        for segment in range(segments):
            for start in range(0, rows, RUN):
                stop = min(start + RUN, rows)
                first, last = segment == start == 0, segment == segments - 1 and stop == rows
                yield Chunk(
                    name,
                    self.views.cables(segment, start, stop),
                    first,
                    last,
                    sheet or CableSheet(),
                )

    def switch_runs(self) -> Iterator[tuple[int, Sequence[int]]]:
        """Cut the switches into runs of one segment each, so that both many small segments and one large one fill every core."""
        segments = self.part.segments if self.part else range(self.plan.mapping.segments)
        boxes = self.part.boxes if self.part else range(len(self.plan.naming.boxes))
        return (
            (segment, boxes[first : first + SWITCHES])
            for segment in segments
            for first in range(0, len(boxes), SWITCHES)
        )

    def host_runs(self) -> Iterator[Sequence[int]]:
        """Cut the hosts into runs."""
        hosts: Sequence[int] = range(len(self.plan.hosts))
        if self.part:
            hosts = sorted({self.plan.fabric.coordinates.host(gpu) for gpu in self.part.gpus})
        return (hosts[first : first + HOSTS] for first in range(0, len(hosts), HOSTS))

    def gpus(self, hosts: Sequence[int]) -> Iterator[int]:
        """Count out the GPUs of some hosts."""
        coordinates = self.plan.fabric.coordinates
        every = (gpu for host in hosts for gpu in coordinates.host_range(host))
        return (gpu for gpu in every if self.part is None or gpu in self.part.gpus)

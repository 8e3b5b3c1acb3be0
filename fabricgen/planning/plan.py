"""The plan: every decision about a fabric, made once.

`make_draft` and `complete` show the order of planning. A step that finds faults raises a Refusal
with all of them, and no later step runs. One segment of the fabric is wired as columns; every other
segment has the same columns, with other names, addresses and labels.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from html import escape
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.count_text import counted
from fabricgen.core.terms import DEVICES
from fabricgen.planning.cabling.assignment import first_candidates
from fabricgen.planning.cabling.cages import make_cages
from fabricgen.planning.cabling.pieces import find_pieces
from fabricgen.planning.designs import map_design
from fabricgen.planning.draft import Draft, draft_of
from fabricgen.planning.excluded_hosts import resolve_positions
from fabricgen.planning.management import boot_server, plan_management
from fabricgen.planning.measure import measure
from fabricgen.planning.measured_lengths import measured_rows
from fabricgen.planning.name_checks import check_names
from fabricgen.planning.naming import host_names, spare_leaf_names, switch_names
from fabricgen.planning.room.equipment import Equipment, equipment_of
from fabricgen.planning.room.room_positions import make_room, network_room
from fabricgen.planning.segment_links import switches_with_links, wire_segment
from fabricgen.planning.switch_ports import interface_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.core.terms import LinkKind, Role
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.baseline.baseline import Baseline
    from fabricgen.planning.cabling.cages import Cages
    from fabricgen.planning.cabling.lengths import Lengths
    from fabricgen.planning.cabling.pieces import Pieces
    from fabricgen.planning.channels.channels import Channels
    from fabricgen.planning.channels.panels import PanelSpace
    from fabricgen.planning.management import ManagementPlan
    from fabricgen.planning.network_devices import SwitchGroup
    from fabricgen.planning.networks.shared_leaves import SharedLeaves
    from fabricgen.planning.port_layout import Port, PortLayout
    from fabricgen.planning.room.room import Room
    from fabricgen.planning.segment_links import Segment
    from fabricgen.planning.switch_ports import InterfaceNames


def make_plan(spec: FabricSpec, catalog: Catalog, baseline: Baseline | None = None) -> Plan:
    """Plan a fabric, with what it keeps of another plan.

    Raises Refusal with the findings of the first step that has any.
    """
    return complete(make_draft(spec, catalog, baseline))


def make_draft(
    spec: FabricSpec,
    catalog: Catalog,
    baseline: Baseline | None = None,
    domains: Sequence[int] = (),
) -> Draft:
    """Size, map, name and address a fabric, and find candidates for its parts.

    `domains` are the positions of HB domains that keep their numbers, without a baseline. Raises
    Refusal.
    """
    fabric = resolve_positions(spec, catalog, baseline.domains if baseline else domains)
    return draft_of(map_design(fabric, baseline), catalog)


def complete(draft: Draft, room: Room | None = None, space: PanelSpace | None = None) -> Plan:
    """Wire a draft, place its devices, measure its cables, choose their parts. Raises Refusal.

    A network beside the compute fabric is given its `room` and the `space` for its panels. A plan
    is complete already.
    """
    if isinstance(draft, Plan):
        return draft
    segment = wire_segment(draft.mapping, draft.fabric.gpus)
    boxes = len(draft.naming.boxes)
    own = draft.fabric.shared_leaves is None
    installed = switches_with_links(segment, boxes) if own else [False] * boxes
    hosts = host_names(draft.naming)
    if not draft.fabric.network:
        names = chain(switch_names(draft.naming, installed), spare_leaf_names(draft.naming))
        check_names([*names], hosts)
    beside, switches = _draft_networks(draft, hosts, installed)
    management = plan_management(draft, installed, hosts, shared=bool(switches))
    measured = measured_rows([draft, *beside.values()], segment)
    if not draft.fabric.network:
        room = _room(draft, installed, beside, switches)
    cages = make_cages(draft.mapping, draft.ports, segment, len(draft.naming.boxes))
    lengths = measure(draft, room, cages, measured)
    candidate = (
        lengths.candidate if lengths else first_candidates(draft.candidates, draft.mapping, segment)
    )
    if draft.spec.cabling and room and not space:
        space = _panel_space(draft, room)
    channels = _plan_channels(draft, lengths, cages, space) if draft.spec.cabling else None
    networks = _complete_networks(beside, room, space, channels)
    if lengths and draft.spec.site and not draft.fabric.network:
        _check_trays(lengths, channels, [*networks.values()])
    plan = Plan(
        **vars(draft),
        segment=segment,
        installed=installed,
        hosts=hosts,
        management=management,
        names=interface_names(draft.fabric, draft.ports),
        cages=cages,
        lengths=lengths,
        candidate=candidate,
        pieces=lengths.pieces if lengths else find_pieces(cages, draft.candidates, candidate),
        networks=networks,
        channels=channels,
    )
    return plan if draft.fabric.network else _with_server(plan)


def _complete_networks(
    drafts: dict[str, Draft],
    room: Room | None,
    space: PanelSpace | None,
    channels: Channels | None,
) -> dict[str, Plan]:
    """Complete the networks in the room of the compute fabric, each beside the panels before it.

    `channels` are those of compute. Raises Refusal.
    """
    networks: dict[str, Plan] = {}
    for name, draft in drafts.items():
        space = _beside(space, channels, *(plan.channels for plan in networks.values()))
        own = space and space._replace(network=name)
        networks[name] = complete(draft, network_room(room, draft.naming) if room else None, own)
    return _with_uplinks(networks)


def _with_uplinks(networks: dict[str, Plan]) -> dict[str, Plan]:
    """Return networks with those at the far ends of the uplinks of leaves that route."""
    below = {
        name: {
            group.leaves_of: networks[group.leaves_of]
            for group in rules.attached.groups
            if group.leaves_of
        }
        for name, plan in networks.items()
        if (rules := plan.fabric.network)
    }
    above = {lower: networks[name] for name, own in below.items() for lower in own}
    return {
        name: replace(plan, above=above.get(name), below=tuple(below[name].values()))
        if name in above or below[name]
        else plan
        for name, plan in networks.items()
    }


def _check_trays(lengths: Lengths, channels: Channels | None, networks: Sequence[Plan]) -> None:
    """Refuse trays that the cables of compute and of the networks overfill."""
    from fabricgen.planning.tray_fill import check_trays  # noqa: PLC0415 - for described rooms only

    check_trays(
        [lengths, *(each.lengths for each in networks)],
        [channels, *(each.channels for each in networks)],
    )


def _with_server(compute: Plan) -> Plan:
    """Return a cluster whose switches have the address of the server that they boot from."""
    asked = compute.spec.management
    if asked is None:
        return compute
    server = boot_server(asked, [plan.management for plan in compute.cluster if plan.management])

    def served(plan: Plan) -> Plan:
        own = plan.management
        return replace(plan, management=own._replace(server=server)) if own else plan

    networks = {name: served(plan) for name, plan in compute.networks.items()}
    return replace(served(compute), networks=networks)


def _plan_channels(
    draft: Draft, lengths: Lengths | None, cages: Cages, space: PanelSpace | None
) -> Channels | None:
    """Plan the structured cabling of an inventory that describes it."""
    from fabricgen.planning.channels.plan import plan_channels  # noqa: PLC0415 - fourteen modules, for few inventories

    return plan_channels(draft, lengths, cages, space)


def _panel_space(draft: Draft, room: Room) -> PanelSpace:
    """Return the space for the panels of all networks, without the units of installed panels."""
    from fabricgen.planning.channels.panels import PanelSpace  # noqa: PLC0415 - for few inventories

    baseline = draft.mapping.baseline
    return PanelSpace(room, kept=baseline.panel_units if baseline else {})


def _beside(space: PanelSpace | None, *planned: Channels | None) -> PanelSpace | None:
    """Return the space that is left beside the panels of other networks."""
    panels = [panel for channels in planned if channels for panel in channels.panels]
    return space and space._replace(others=tuple(panels))


def _draft_networks(
    draft: Draft, hosts: list[str], installed: list[bool]
) -> tuple[dict[str, Draft], list[SwitchGroup]]:
    """Draft the networks beside a compute fabric, if there are any. Raises Refusal."""
    if not draft.spec.has_networks:
        return {}, []
    from fabricgen.planning.network_drafts import (  # noqa: PLC0415 - for networks only
        draft_networks,
    )

    return draft_networks(draft, hosts, installed)


def _room(
    draft: Draft, installed: list[bool], networks: dict[str, Draft], switches: list[SwitchGroup]
) -> Room | None:
    """Place the devices of a compute fabric, its networks and its `devices`. Raises Refusal."""
    equipment = Equipment()
    if draft.spec.has_networks or draft.mapping.spare_leaves:
        namings = tuple(network.naming for network in networks.values())
        equipment = equipment_of(draft.naming, draft.catalog, installed, switches, namings)
    return make_room(draft.naming, draft.catalog, installed, equipment)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Plan(Draft):
    """A fabric with every decision made: a draft that is wired, placed, measured and has parts."""

    segment: Segment
    """The links of one segment."""
    installed: list[bool]
    """Whether each switch of a segment, in the order of `DeviceNames.boxes`, has a link now."""
    hosts: list[str]
    """The names of the installed hosts, in order."""
    management: ManagementPlan | None
    """The management addresses; None where the inventory has no `management`."""
    names: InterfaceNames
    """The names of the ports in use by role and NOS, in the order of `ports`."""
    cages: Cages
    """The cage that each end of a link is plugged into."""
    lengths: Lengths | None
    """The racks of all devices and the length of every cable; None for `site: unknown`."""
    candidate: IntArray
    """Which of `candidates` each link takes; shape (segments, links of a segment)."""
    pieces: Pieces | None
    """How links share cables; None where none does."""
    networks: dict[str, Plan]
    """The plans of the networks beside the compute fabric, by name; their GPUs are ports."""
    channels: Channels | None
    """The links that run through panels; None where none does."""
    above: Plan | None = None
    """The network that the uplinks of this one's leaves lead to, if they route."""
    below: tuple[Plan, ...] = ()
    """The networks whose leaves have such uplinks to the leaves of this one."""

    def __repr__(self) -> str:
        """Return its size in a line."""
        return f"<Plan {self.spec.name}: {', '.join(self._sizes)}>"

    def _repr_html_(self) -> str:
        """Return its size as a table, which notebooks show."""
        cells = "".join(f"<td>{escape(each)}</td>" for each in self._sizes)
        return f"<table><tr><th>{escape(self.spec.name)}</th>{cells}</tr></table>"

    @property
    def _sizes(self) -> list[str]:
        """The design, and the counts of what the fabric has."""
        return [
            self.fabric.design.value,
            counted(self.fabric.coordinates.gpus, "GPU"),
            counted(self.fabric.rails, "rail"),
            counted(self.fabric.planes, "plane"),
            counted(self.sizing.tiers, "tier"),
            counted(self.switch_count(), "switch", "switches"),
            counted(self.cables, "cable"),
            *([counted(len(self.networks), "network")] if self.networks else []),
        ]

    @property
    def joined(self) -> tuple[Plan, ...]:
        """The networks that uplinks of leaves that route join with this one."""
        return tuple(dict.fromkeys((*self.below, *filter(None, [self.above]))))

    def interfaces(self, segment: int) -> dict[Role, list[str]]:
        """Return the names of the ports in use of each role in a segment, as in `ports`."""
        layouts = self.port_layouts(segment)
        return {role: self.names[role, layouts[role].nos] for role in self.ports}

    def with_port_layouts(self, port_layouts: dict[Role, PortLayout]) -> Plan:
        """Return this plan with the ports named by another NOS on every switch."""
        fabric = replace(self.fabric, port_layouts=port_layouts, switches_by_rail={})
        return replace(self, fabric=fabric, names=interface_names(fabric, self.ports))

    @property
    def cluster(self) -> list[Plan]:
        """This plan and those of the networks beside it."""
        return [self, *self.networks.values()]

    def cluster_switches(self) -> Iterator[str]:
        """Name every installed switch, those of the networks first, which are fewer."""
        return chain.from_iterable(own.switches() for own in reversed(self.cluster))

    @property
    def switched(self) -> dict[str, Plan]:
        """The networks beside it that have switches of their own."""
        return {name: network for name, network in self.networks.items() if any(network.installed)}

    @property
    def routed(self) -> dict[str, Plan]:
        """The networks beside it in which devices have addresses of their own."""
        return {
            name: network for name, network in self.networks.items() if network.fabric.is_routed
        }

    @property
    def converged(self) -> dict[str, Plan]:
        """The networks and devices on leaves of this compute fabric, by name."""
        return {
            name: network for name, network in self.networks.items() if network.fabric.shared_leaves
        }

    def converged_ports(self, segment: int, box: int) -> list[Port]:
        """Return the ports of a switch that networks and devices on compute leaves have."""
        found = (shared.taken_on(segment, box) for shared in self._shared_leaves())
        return [*chain.from_iterable(found)]

    def converged_leaves(self) -> dict[tuple[int, int], str]:
        """Return the names of the compute leaves with such ports, by their segment and box."""
        every = self._shared_leaves()
        return {at: name for own in every for at, name in zip(own.leaves, own.names, strict=True)}

    def _shared_leaves(self) -> Iterator[SharedLeaves]:
        """Yield the leaves of this compute fabric that each such network is on."""
        return filter(None, (network.fabric.shared_leaves for network in self.networks.values()))

    @property
    def device_leaves(self) -> SharedLeaves | None:
        """The ports of single devices on leaves of this compute fabric; None without any."""
        network = self.networks.get(DEVICES)
        return network.fabric.shared_leaves if network else None

    def switches(self) -> Iterator[str]:
        """Name every installed switch, segment by segment."""
        return switch_names(self.naming, self.installed)

    def switch_count(self, role: Role | None = None) -> int:
        """Count the installed switches of a role, or of all."""
        boxes = zip(self.installed, self.naming.boxes, strict=True)
        return self.mapping.segments * sum(has for has, box in boxes if role in (None, box.role))

    def link_count(self, kind: LinkKind) -> int:
        """Count the installed links of a kind."""
        return self.mapping.segments * int(np.count_nonzero(self.segment.kind == kind))

    def row_count(self, kind: LinkKind) -> int:
        """Count the rows of a kind of link in the cable list: one for each cable of a link."""
        return self.link_count(kind) * self.link_parts[kind].cables

    def cable_count(self, kind: LinkKind) -> int:
        """Count the installed cables of a kind, as pieces: several links may share one.

        A link through panels has a jumper more than a direct one.
        """
        more = self.channels.count(kind) if self.channels else 0
        if self.pieces is None:
            return self.row_count(kind) + more
        rows = self.segment.kind == kind
        own = int(np.count_nonzero(self.pieces.first[:, rows])) * self.link_parts[kind].cables
        return own + more

    def module_count(self) -> int:
        """Count the link ends that are in a module: one for each link that a module carries."""
        ends = np.array([len(joint.modules) for joint in self.candidates])
        if not self.decides:
            return self.mapping.segments * int(ends[self.candidate[0]].sum())
        return sum(int(ends[candidate].sum()) for candidate in self.candidate)

    def digest(self) -> str:
        """Return a SHA-256 of the wiring, which shows whether a plan file still gives this plan."""
        state = hashlib.sha256(repr((self.mapping.segments, self.sizing)).encode())
        for column in self.segment:
            state.update(np.ascontiguousarray(column, dtype="<i4").tobytes())
        return state.hexdigest()

    @property
    def links(self) -> int:
        """Installed links of the whole fabric."""
        return sum(self.link_count(kind) for kind in self.kinds)

    @property
    def cables(self) -> int:
        """Installed cables of the whole fabric, as pieces, and trunks."""
        trunks = len(self.channels.trunks) if self.channels else 0
        return sum(self.cable_count(kind) for kind in self.kinds) + trunks

    def link_mm(self, segment: int, start: int = 0, stop: int | None = None) -> Int32Array:
        """Return the length of each link of a segment: that of its cable, or of its channel."""
        if self.lengths is None:
            return np.zeros_like(self.segment.kind[start:stop])
        lengths = self.lengths.stock_mm[self.lengths.stock_at[segment, start:stop]]
        if self.channels is not None:
            rows, long = self.channels.of_segment(segment, start, stop)
            lengths[rows] = long
        return lengths

    @property
    def rows(self) -> int:
        """Rows of the cable list of the whole fabric."""
        return sum(self.row_count(kind) for kind in self.kinds)

"""The bill divided: which parts belong to each role, rack and phase.

Owns `BomLine` and the three divisions; each sums to the whole bill, including the spares, which
have no place. Roles are divided as the bill counts its purposes, phases as they are bought, and
racks by position: a cable counts at its lower end, once however many links it carries, and a module
in the rack of its cage, once however many links it serves.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.bom.bill import DEVICES, RACKS, role_of
from fabricgen.bom.counts import item_name, lengths_of, unpatched
from fabricgen.bom.patch_counts import PANELS, jumper_items
from fabricgen.core.arrays import distinct
from fabricgen.core.terms import ROLES, Role
from fabricgen.planning.cabling.stock_lengths import metres
from fabricgen.planning.patch_cords import cord_length, cord_of, cords_of_boxes
from fabricgen.planning.room.footprints import HOST, KINDS
from fabricgen.planning.room.rack_placement import fabric_kinds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from decimal import Decimal

    from fabricgen.bom.bill import BillLine, Bom
    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.planning.cabling.compatibility import End, LinkParts
    from fabricgen.planning.cabling.lengths import Lengths
    from fabricgen.planning.channels.channels import Channels
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.room.room import Room


SPARES = ""
"""The place of spares: none."""


NO_RACK = "no rack"
"""The place of what no rack is planned for; no rack has a name with a space."""


class BomLine(NamedTuple):
    """The quantity of a part at one place: a role, a rack or a phase; spares have no place."""

    place: str
    line: BillLine
    quantity: int

    @property
    def total(self) -> Decimal | None:
        """Total price; None where the part has no price."""
        return None if self.line.unit_price is None else self.line.unit_price * self.quantity


@dataclass
class RackContents:
    """The contents of one rack: boxes by role (hosts too), and parts (boxes too) by item.

    Boxes beside the compute fabric are by `loads.box_of`, and `devices` by their kind.
    """

    boxes: Counter[str] = field(default_factory=Counter)
    parts: Counter[str] = field(default_factory=Counter)


def by_role(bom: Bom) -> list[BomLine]:
    """Divide a bill by role: hosts, leaf, spine and core, panels with trunks, devices, racks."""
    counts: dict[str, Counter[str]] = {
        role: Counter() for role in (HOST, *(role.value for role in ROLES), PANELS, DEVICES, RACKS)
    }
    for line in bom.lines:
        for purpose, count in line.purposes:
            counts[role_of(purpose)][line.item] += count
    return divided(bom, counts)


def by_rack(bom: Bom, racks: Mapping[str, RackContents]) -> list[BomLine]:
    """Divide a bill by the contents of racks that `racks_of` found.

    What is in none of them comes after them.
    """
    placed: Counter[str] = Counter()
    for rack in racks.values():
        placed.update(rack.parts)
    rest = {line.item: line.quantity - placed[line.item] for line in bom.lines}
    return divided(bom, {**{name: rack.parts for name, rack in racks.items()}, NO_RACK: rest})


def by_phase(bom: Bom, phases: Mapping[str, Mapping[str, int]]) -> list[BomLine]:
    """Divide a bill by what each phase of `lifecycle.change.phases` buys, by item."""
    return divided(bom, phases)


def divided(bom: Bom, counts: Mapping[str, Mapping[str, int]]) -> list[BomLine]:
    """Divide a bill by the parts at each place, in the order of the places; spares come last."""
    found = [
        BomLine(place, line, parts[line.item])
        for place, parts in counts.items()
        for line in bom.lines
        if parts.get(line.item)
    ]
    return found + [BomLine(SPARES, line, line.spares) for line in bom.lines if line.spares]


def racks_of(plan: Plan) -> dict[str, RackContents]:
    """Return the contents of each rack, in the order of racks; empty where nothing is placed."""
    if plan.lengths is None:
        return {}
    room = plan.lengths.room
    racks: dict[int, RackContents] = defaultdict(RackContents)
    for part, rack, count in counted(_placed(plan, plan.lengths), len(room.names)):
        racks[rack].parts[part] += count
    for role, rack, count in counted(_boxes(plan, plan.lengths), len(room.names)):
        racks[rack].boxes[role] += count
        racks[rack].parts.update(_own(plan, role, count))
    return {room.names[rack]: racks[rack] for rack in sorted(racks)}


def counted(
    placed: Iterable[tuple[str, IntArray]] | Iterable[tuple[str, Int32Array]], racks: int
) -> Iterator[tuple[str, int, int]]:
    """Count each part or role in each rack, over all segments."""
    sums: dict[str, IntArray] = defaultdict(lambda: np.zeros(racks, dtype=np.int64))
    for name, places in placed:
        sums[name] += np.bincount(places, minlength=racks)
    for name, counts in sums.items():
        here = np.flatnonzero(counts)
        yield from zip(repeat(name), here.tolist(), counts[here].tolist(), strict=False)


def _placed(plan: Plan, lengths: Lengths) -> Iterator[tuple[str, Int32Array]]:
    """Yield each item of cables and each model of a module, with the rack of each piece of it."""
    room, every = lengths.room, len(lengths.room.names)
    whole: dict[str, list[tuple[Int32Array, Int32Array]]] = defaultdict(list)
    pieces: dict[tuple[str, str], list[IntArray]] = defaultdict(list)
    for segment, devices in _ends(plan, lengths):
        racks: dict[End, Int32Array] = {end: room.positions.rack[devices[end]] for end in devices}
        for joint, rows in _runs(plan, segment):
            if joint.shared == 1:
                own = np.repeat(unpatched(plan, segment, rows), joint.cables)
                stock = lengths.stock_at[segment, own]
                whole[joint.cable.model].append((stock, racks["lower"][own]))
            else:
                for item, own in lengths_of(plan, joint, segment, rows):
                    near = plan.cages.pieces(joint, segment, own) * every + racks[joint.near][own]
                    pieces[joint.kind.key, item.name].append(near)
            filled = plan.cages.own(rows)
            for end, module in joint.modules.items():
                own, role = filled[end], joint.kind.role(end)
                cages = plan.cages.at(end, joint.kind, segment, own) * every + racks[end][own]
                pieces[role or HOST, module.model].append(cages)
    for model, runs in whole.items():
        stock, places = (np.concatenate(columns) for columns in zip(*runs, strict=True))
        for each in distinct(stock).tolist():
            yield item_name(model, lengths.stock_m[each]), places[stock == each]
    if plan.channels is not None:
        yield from _patching(plan.channels, room)
    yield from _cords(plan, room)
    for (_, model), several in pieces.items():
        # a piece is in one rack, so that a number with its rack is distinct as the number alone
        yield model, (distinct(np.concatenate(several)) % every).astype(np.int32)


def _patching(channels: Channels, room: Room) -> Iterator[tuple[str, Int32Array]]:
    """Yield jumpers, trunks, panels and cassettes with their racks.

    A jumper counts at its lower end, which is a panel at the upper end of a link, and a trunk at A.
    """
    racks = np.array([panel.rack for panel in channels.panels], dtype=np.int32)
    for _, part, length_m, lower, rows in jumper_items(channels, np.arange(len(channels.row))):
        near = room.positions.rack[channels.lower.device[rows]]
        places = near if lower else racks[channels.upper.panel[rows]]
        yield item_name(part, length_m), places
    for trunk in channels.trunks:
        yield item_name(trunk.item, metres(trunk.length_mm)), racks[[trunk.a.panel]]
    for number, panel in enumerate(channels.panels):
        yield panel.parts.panel.model, racks[[number]]
        yield panel.parts.cassette.model, np.repeat(racks[[number]], panel.parts.cassettes)


def _cords(plan: Plan, room: Room) -> Iterator[tuple[str, Int32Array]]:
    """Yield the patch cords of panels with their racks."""
    if plan.fabric.port_layouts[Role.LEAF].model.circuits is None:
        return
    counts, cable = cords_of_boxes(plan), cord_of(plan)
    if cable is not None:
        device = np.arange(counts.size) + room.hosts
        name = item_name(cable.model, cord_length(plan))
        yield name, np.repeat(room.positions.rack[device], counts.ravel())


def _ends(plan: Plan, lengths: Lengths) -> Iterator[tuple[int, dict[End, Int32Array]]]:
    """Yield each segment with the devices at both ends of its links."""
    for segment in range(plan.mapping.segments):
        lower, upper = lengths.runs.ends(segment, 0, None)
        yield segment, {"lower": lower, "upper": upper}


def _runs(plan: Plan, segment: int) -> Iterator[tuple[LinkParts, Int32Array]]:
    """Yield the links of a segment that take one part, as rows."""
    for number, joint in enumerate(plan.candidates):
        rows = np.flatnonzero(plan.candidate[segment] == number).astype(np.int32)
        if len(rows):
            yield joint, rows


def _boxes(plan: Plan, lengths: Lengths) -> Iterator[tuple[str, Int32Array]]:
    """Yield each role with the racks of its installed boxes."""
    linked = np.zeros(len(lengths.room.positions.rack), dtype=bool)
    for _, ends in _ends(plan, lengths):
        for own in ends.values():
            linked[own] = True
    devices, kinds = np.flatnonzero(linked).astype(np.int32), fabric_kinds(plan.naming)
    switched = any(plan.installed)  # else the leaves are those of the compute fabric
    for kind, role in enumerate(KINDS):
        own = devices[kinds[devices] == kind]
        if len(own) and (switched or role == HOST):
            yield role, lengths.room.positions.rack[own]


def _own(plan: Plan, role: str, count: int) -> dict[str, int]:
    """Count the parts that boxes contribute: a switch its model, a host its counted NICs."""
    fabric = plan.fabric
    if role != HOST:
        return {fabric.port_layouts[ROLES[KINDS.index(role) - 1]].model.model: count}
    return (
        {fabric.nic.model: count * fabric.host_gpus * fabric.nics_per_gpu}
        if fabric.nic and plan.spec.nic.model
        else {}
    )

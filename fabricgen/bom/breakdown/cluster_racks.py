"""The parts in each rack of a whole cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.bom.breakdown.breakdown import RackContents, counted, racks_of
from fabricgen.bom.housing import housing
from fabricgen.bom.loads import box_of
from fabricgen.bom.power_cords import power_cords
from fabricgen.planning.room.footprints import HOST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.room.room import Room


def cluster_racks(plan: Plan, racks: Mapping[str, RackContents]) -> dict[str, RackContents]:
    """Return the contents of each rack with those of all networks, and `devices` by their kind.

    `racks` are those of the compute fabric. Switches of networks have the network before their
    role.
    """
    if plan.lengths is None:
        return {}
    room = plan.lengths.room
    found = {
        name: RackContents(held.boxes.copy(), held.parts.copy()) for name, held in racks.items()
    }
    for name, network in plan.networks.items():
        for rack, own in racks_of(network).items():
            held = found.setdefault(rack, RackContents())
            held.parts.update(own.parts)
            boxes = {box_of(name, role): count for role, count in own.boxes.items() if role != HOST}
            held.boxes.update(boxes)
    for number, group in enumerate(room.equipment.groups):
        if not group.switches and not group.beside_units:
            devices = np.flatnonzero(room.equipment.group == number) + room.first_equipment
            for at in room.positions.rack[devices].tolist():
                held = found.setdefault(room.names[at], RackContents())
                held.boxes[group.kind] += 1
                if group.part:
                    held.parts[group.part.model] += 1
    for part, at, count in counted(_beside(plan, room), len(room.names)):
        found.setdefault(room.names[at], RackContents()).parts[part] += count
    return {name: found[name] for name in room.names if name in found}


def _beside(plan: Plan, room: Room) -> Iterator[tuple[str, IntArray]]:
    """Yield power cords, hosts and racks with their racks."""
    for cords in power_cords(plan):
        racks = room.positions.rack[cords.devices]
        yield cords.part.model, np.repeat(racks, cords.bought_each)
    for housed in housing(plan):
        yield housed.part, housed.racks

"""The racks of PDUs that are mounted beside the rack units.

A rack gets two PDUs first, for two feeds, and then as many as carry it when a feed fails. The rest
go to the racks that draw most for each of their PDUs.
"""

from __future__ import annotations

import heapq
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int64Array
    from fabricgen.planning.room.room import Room

FEEDS = 2
"""The feeds of a rack with an even number of PDUs; an odd number of PDUs are on as many feeds."""


def with_power_units(room: Room) -> Room:
    """Return a room with a rack for each PDU beside the rack units that has none."""
    group = room.equipment.group
    beside = np.array([each.beside_units for each in room.equipment.groups])[group]
    pdus = room.first_equipment + np.flatnonzero(beside)
    rack, rack_unit = room.positions.rack.copy(), room.positions.rack_unit.copy()
    pdus = pdus[rack[pdus] < 0]
    known = (getattr(each.part, "capacity_w", None) for each in room.equipment.groups)
    capacity_w = min((each for each in known if each), default=0)
    rack[pdus], rack_unit[pdus] = _spread(_watts(room), len(pdus), capacity_w), 0
    return replace(room, positions=room.positions._replace(rack=rack, rack_unit=rack_unit))


def _watts(room: Room) -> Int64Array:
    """Return the watts of each rack; -1 where it holds no device."""
    each = [
        room.shares.of[kind].power_w or 0 if kind in room.shares.of else 0 for kind in room.kinds
    ]
    held = np.flatnonzero(room.positions.rack >= 0)
    watts = np.full(len(room.positions.hall), -1, dtype=np.int64)
    watts[room.positions.rack[held]] = 0
    np.add.at(watts, room.positions.rack[held], np.array(each, dtype=np.int64)[room.kind[held]])
    return watts


def _spread(watts: Int64Array, count: int, capacity_w: float) -> list[int]:
    """Return the rack of each PDU of a capacity, in order of the racks.

    >>> _spread(np.array([40_000, -1, 20_000, 9_000]), 7, 22_000)
    [0, 0, 0, 2, 2, 3, 3]
    """

    def urgency(rack: int, has: int) -> tuple[int, float]:
        """Return a number that is the lower, the more a rack needs one more PDU."""
        draws = int(watts[rack])
        if has < FEEDS:
            return has, 0.0
        return FEEDS + (draws <= carried_w(has, capacity_w)), -draws / has

    queue = [(*urgency(rack, 0), rack, 0) for rack in np.flatnonzero(watts >= 0).tolist()]
    found = []
    for _ in range(count):
        *_, rack, has = heapq.heappop(queue)
        found.append(rack)
        heapq.heappush(queue, (*urgency(rack, has + 1), rack, has + 1))
    return sorted(found)


def carried_w(pdus: int, capacity_w: float) -> float:
    """Return what the PDUs of a rack carry when a feed fails.

    >>> carried_w(2, 22_000), carried_w(3, 22_000), carried_w(4, 22_000)
    (22000, 44000, 44000)
    """
    lost = 1 if pdus % FEEDS else pdus // FEEDS
    return (pdus - lost) * capacity_w

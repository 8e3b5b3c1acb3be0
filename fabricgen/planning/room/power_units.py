"""The racks of PDUs that are mounted beside the rack units.

A rack gets two PDUs first, for two feeds; further ones go to the racks that draw most for each of
their PDUs.
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
"""The feeds of a rack, of which each has a PDU before any has a second."""


def with_power_units(room: Room) -> Room:
    """Return a room with a rack for each PDU beside the rack units that has none."""
    group = room.equipment.group
    beside = np.array([each.beside_units for each in room.equipment.groups])[group]
    pdus = room.first_equipment + np.flatnonzero(beside)
    rack, rack_unit = room.positions.rack.copy(), room.positions.rack_unit.copy()
    pdus = pdus[rack[pdus] < 0]
    rack[pdus], rack_unit[pdus] = _spread(_watts(room), len(pdus)), 0
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


def _spread(watts: Int64Array, count: int) -> list[int]:
    """Return the rack of each PDU, in order of the racks.

    >>> _spread(np.array([40_000, -1, 20_000, 9_000]), 7)
    [0, 0, 0, 2, 2, 3, 3]
    """
    # the next PDU goes to the first of the queue: racks below two PDUs, then the most watts each
    queue = [(0, 0.0, rack, 0) for rack in np.flatnonzero(watts >= 0).tolist()]
    found = []
    for _ in range(count):
        _, _, rack, has = heapq.heappop(queue)
        found.append(rack)
        now = has + 1
        short = (now, 0.0) if now < FEEDS else (FEEDS, -int(watts[rack]) / now)
        heapq.heappush(queue, (*short, rack, now))
    return sorted(found)

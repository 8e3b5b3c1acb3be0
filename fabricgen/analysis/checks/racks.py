"""The law of racks: every device is in a rack, in free rack units, and no rack is overloaded.

Rack units are counted one by one, and loads added up rack by rack, independently of the rule or
table that placed a device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, Violations, violations
from fabricgen.core.arrays import distinct
from fabricgen.planning.room.footprints import amount

if TYPE_CHECKING:
    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import BoolArray, IntArray
    from fabricgen.planning.room.room import Room


def racks(evidence: Evidence) -> Verdict:
    """Verify the position of every installed device, and the load of every rack."""
    if evidence.lengths is None:
        return Verdict("nothing is placed, as `site: unknown` asks")
    room = evidence.lengths.room
    used = np.flatnonzero(evidence.links_of) + room.hosts
    every = np.arange(len(room.kind))
    lost = np.concatenate([every[: len(evidence.hosts)], used, every[room.first_equipment :]])
    lost = lost[~_inside(room, lost)]
    if evidence.plan.fabric.network:  # a slice of the room of the compute fabric, which has all
        figure = f"{len(every) - len(lost):,} of {len(every):,} places are in racks"
        return Verdict(figure, (violations(lost, lambda device: _outside(room, device)),))
    placed = np.flatnonzero(_inside(room, every))
    found = [violations(lost, lambda device: _outside(room, device)), _shared_units(room, placed)]
    found.append(_reserved_units(room, placed))
    loads, figures = _loads(room, placed), []
    for at, limit in enumerate(room.shares.rack):
        if limit is not None:
            found.append(_heavy(room, loads[at], at, limit))
            figures.append(
                f"{amount(at, int(loads[at].max(initial=0)), ',')} of {amount(at, limit, ',')}"
            )
    taken = len(distinct(room.positions.rack[placed]))
    where = "a generated room" if room.generated else "the room of `site`"
    return Verdict(
        f"{len(placed):,} devices in {taken:,} racks of {where}; the fullest holds"
        f" {', '.join(figures)}",
        tuple(found),
    )


def _inside(room: Room, devices: IntArray) -> BoolArray:
    """Return whether devices are in a rack, with all of their rack units."""
    rack, rack_unit = room.positions.rack[devices], room.positions.rack_unit[devices]
    inside: BoolArray = (
        (rack >= 0)
        & (rack < len(room.positions.hall))
        & ((rack_unit >= 1) | (room.rack_units[devices] == 0))
        & (rack_unit + room.rack_units[devices] - 1 <= room.shares.rack.rack_units)
    )
    return inside


def _outside(room: Room, device: int) -> Violation:
    """Describe a device that is in no rack, or exceeds its rack."""
    rack, rack_unit = int(room.positions.rack[device]), int(room.positions.rack_unit[device])
    if not 0 <= rack < len(room.positions.hall):
        return Violation(f"{room.device(device)} is in no rack")
    top = rack_unit + int(room.rack_units[device]) - 1
    return Violation(
        f"{room.device(device)} exceeds rack {room.names[rack]}",
        (f"rack units {rack_unit} to {top} of {room.shares.rack.rack_units}",),
    )


def _shared_units(room: Room, placed: IntArray) -> Violations:
    """Return the rack units that two devices occupy."""
    many = room.rack_units[placed]
    device = np.repeat(placed, many)
    nth = np.arange(len(device)) - np.repeat(np.cumsum(many) - many, many)
    cell = (
        room.positions.rack[device].astype(np.int64) * (room.shares.rack.rack_units + 1)
        + room.positions.rack_unit[device]
        + nth
    )
    order = np.argsort(cell, kind="stable")
    twice = order[1:][cell[order[1:]] == cell[order[:-1]]]

    def describe(row: int) -> Violation:
        rack, rack_unit = divmod(int(cell[row]), room.shares.rack.rack_units + 1)
        both = " and ".join(
            room.device(int(one)) for one in device[np.flatnonzero(cell == cell[row])][:2]
        )
        return Violation(f"{both} are both in rack unit {rack_unit} of rack {room.names[rack]}")

    return violations(twice, describe)


def _reserved_units(room: Room, placed: IntArray) -> Violations:
    """Return the devices in rack units that the site reserves."""
    rack, low = room.positions.rack[placed], room.positions.rack_unit[placed]
    high = low + room.rack_units[placed] - 1
    with_hosts = np.zeros(len(room.positions.hall), dtype=bool)
    with_hosts[rack[room.kind[placed] == 0]] = True
    bad = np.zeros(len(placed), dtype=bool)
    for each in room.shares.reserved:
        applies = (each.racks == "all") | (with_hosts[rack] == (each.racks == "hosts"))
        bad |= applies & (low <= (each.last or each.first)) & (high >= each.first)
    return violations(
        placed[bad],
        lambda device: Violation(
            f"{room.device(device)} is in reserved rack units of rack"
            f" {room.names[int(room.positions.rack[device])]}"
        ),
    )


def _loads(room: Room, placed: IntArray) -> list[IntArray]:
    """Return the rack units, watts, grams and switches of each rack."""
    facts = np.array(
        [
            (
                [fact or 0 for fact in room.shares.of[kind]]
                if kind in room.shares.of
                else [0] * len(room.shares.rack)
            )
            for kind in room.kinds
        ],
        dtype=np.int64,
    )
    sums = np.zeros((len(room.shares.rack), len(room.positions.hall)), dtype=np.int64)
    for at, total in enumerate(sums):
        np.add.at(total, room.positions.rack[placed], facts[room.kind[placed], at])
    return list(sums)


def _heavy(room: Room, load: IntArray, at: int, limit: int) -> Violations:
    """Return the racks that exceed a limit."""
    limit_text = amount(at, limit, ",")
    return violations(
        np.flatnonzero(load > limit),
        lambda rack: Violation(
            f"rack {room.names[rack]} needs {amount(at, int(load[rack]), ',')},"
            f" and has {limit_text}"
        ),
    )

"""The rack and the rack unit of every device, and the names of racks.

Owns `Room`. `room_positions` places devices, `cabling.lengths` computes cables between racks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.planning.room.footprints import KINDS
from fabricgen.planning.room.place_names import hall_name, plain_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.arrays import Int32Array
    from fabricgen.inventory.site import Site
    from fabricgen.planning.baseline.rack_positions import RackPositions
    from fabricgen.planning.naming import DeviceNames
    from fabricgen.planning.room.equipment import Equipment
    from fabricgen.planning.room.footprints import Shares


@dataclass(frozen=True)
class Room:
    """The positions of all devices.

    Devices are numbered: all planned hosts, then the switches as segment * boxes of a segment +
    box, then `equipment`. In the room of a network, which `network_room` makes, the devices of its
    bonds take the place of hosts.
    """

    naming: DeviceNames
    site: Site
    generated: bool
    """Whether the room is an assumption, because the inventory describes none."""
    shares: Shares
    kind: Int32Array
    """The kind of each device, as its index in `kinds`."""
    positions: RackPositions
    equipment: Equipment

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of devices: `footprints.KINDS`, then those of the equipment."""
        return (*KINDS, *(group.kind for group in self.equipment.groups))

    @cached_property
    def rack_units(self) -> Int32Array:
        """The rack units that each device takes."""
        each = [
            self.shares.of[kind].rack_units if kind in self.shares.of else 0 for kind in self.kinds
        ]
        return np.array(each, dtype=np.int32)[self.kind]

    @cached_property
    def hosts(self) -> int:
        """Planned hosts: the number of the first switch among the devices."""
        return self.naming.mapping.fabric.coordinates.planned_hosts

    @cached_property
    def first_equipment(self) -> int:
        """The number of the first device after the switches of the fabric."""
        return self.hosts + self.naming.mapping.segments * len(self.naming.boxes)

    def spare_leaves(self, segment: int) -> range:
        """Return the numbers of the spare leaves of a segment: they are the first equipment."""
        mapping = self.naming.mapping
        count = mapping.spare_leaves // mapping.segments
        first = self.first_equipment + segment * count
        return range(first, first + count)

    @cached_property
    def places(self) -> list[tuple[str, str, str]]:
        """The hall, the row and the rack of each rack, as the site calls them, else by number."""
        positions = self.positions
        columns = (positions.hall.tolist(), positions.row.tolist(), positions.at.tolist())
        return [*positions.names] or [*map(plain_names, *columns)]

    @cached_property
    def names(self) -> list[str]:
        """The name of each rack."""
        return [
            self._pattern(
                (*([] if row.isdecimal() else ["row"]), *([] if at.isdecimal() else ["rack"]))
            ).format(hall=hall, row=_number(row), rack=_number(at))
            for hall, row, at in self.places
        ]

    @cached_property
    def _patterns(self) -> dict[tuple[str, ...], str]:
        """The patterns of racks that were made, by the fields that are texts."""
        return {}

    def _pattern(self, texts: tuple[str, ...]) -> str:
        """Return the pattern of a rack's name: numbers have a common width, texts none."""
        if texts not in self._patterns:
            positions = self.positions
            pattern = self.naming.mapping.fabric.spec.naming.rack or "{hall}{row}-{rack}"
            for field, column in (("row", positions.row), ("rack", positions.at)):
                width = max(2, len(str(int(column.max(initial=0)) + 1)))
                if field in texts:
                    pattern = re.sub(rf"{{{field}:[^{{}}]*}}", f"{{{field}}}", pattern)
                else:
                    pattern = pattern.replace(f"{{{field}}}", f"{{{field}:0{width}}}")
            self._patterns[texts] = pattern
        return self._patterns[texts]

    def hall(self, hall: int) -> str:
        """Name a hall by its number."""
        return self._halls.get(hall) or hall_name(hall)

    def row(self, hall: int, row: int) -> str:
        """Name a row of a hall by its number."""
        return self._rows.get((hall, row)) or str(row + 1)

    def rack(self, hall: int, row: int, at: int) -> str:
        """Name a rack in its row by its number."""
        return self._racks.get((hall, row, at)) or str(at + 1)

    @cached_property
    def _racks(self) -> dict[tuple[int, int, int], str]:
        """The name of each rack in its row, by its place."""
        return {place: names[2] for place, names in self._named}

    @cached_property
    def _rows(self) -> dict[tuple[int, int], str]:
        """The name of each row, by hall and row."""
        return {place[:2]: names[1] for place, names in self._named}

    @cached_property
    def _halls(self) -> dict[int, str]:
        """The name of each hall."""
        return {place[0]: names[0] for place, names in self._named}

    @property
    def _named(self) -> Iterator[tuple[tuple[int, int, int], tuple[str, str, str]]]:
        """The place of each rack by numbers, and as the site calls it."""
        positions = self.positions
        columns = (positions.hall.tolist(), positions.row.tolist(), positions.at.tolist())
        return zip(zip(*columns, strict=True), self.places, strict=True)

    def device(self, device: int) -> str:
        """Name a device."""
        if device < self.hosts:
            return self.naming.host(device)
        if device >= self.first_equipment:
            return self.equipment.names[device - self.first_equipment]
        segment, box = divmod(device - self.hosts, len(self.naming.boxes))
        return self.naming.switches(segment)[box]

    def place(self, device: int) -> str:
        """Return the position of a device as text."""
        name, unit = self.names[int(self.positions.rack[device])], self.positions.rack_unit[device]
        return f"{name} unit {int(unit)}" if unit else f"{name} beside its units"


def _number(text: str) -> int | str:
    """Return a number as such, which has a width in the name of a rack, and a name as it is."""
    return int(text) if text.isdecimal() else text

"""The rack and the rack unit of each device, and the position of each rack in the room.

Owns `RackPositions` and its form in a plan file. `room.rack_placement`, `room.rack_expansion` or
the table of `site.positions` decides on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.planning.baseline.run_length import decode_runs, encode_runs, read_count

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int32Array

COLUMNS = ("rack", "unit", "hall", "row", "at")


class RackPositions(NamedTuple):
    """The positions of all planned hosts by number, then of all switches, segment by segment.

    `rack` and `rack_unit` of each device: the rack's index, and the lowest rack unit, from 1; both
    -1 where a device has no position. `hall`, `row` and `at` of each rack, from 0; `row_racks` is
    the length of a row. `names` are the hall, the row and the rack of each rack as the site or its
    table calls them; none where they have their numbers.
    """

    rack: Int32Array
    rack_unit: Int32Array
    hall: Int32Array
    row: Int32Array
    at: Int32Array
    row_racks: int
    names: tuple[tuple[str, str, str], ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the form of a plan file; columns are runs of [first, step, count]."""
        columns = (self.rack, self.rack_unit, self.hall, self.row, self.at)
        return {
            **{name: encode_runs(column) for name, column in zip(COLUMNS, columns, strict=True)},
            "row_racks": self.row_racks,
            **({"names": [[*names] for names in self.names]} if self.names else {}),
        }


def read_rack_positions(values: Any) -> RackPositions:  # noqa: ANN401 - any value of a plan file
    """Read the positions of a plan file.

    Raises KeyError, TypeError or ValueError where they do not have this form, or name racks that
    do not exist.
    """
    rack, rack_unit, hall, row, at = (decode_runs(values[name]) for name in COLUMNS)
    if not len(rack) == len(rack_unit) or not len(hall) == len(row) == len(at):
        raise ValueError("its columns of places are not of one length")
    outside = (rack < -1) | (rack >= len(hall)) | ((rack >= 0) & (rack_unit < 1))
    if outside.any() or any(
        (column < 0).any() or (column >= FURTHEST).any() for column in (hall, row, at)
    ):
        raise ValueError(
            f"device {np.flatnonzero(outside)[0]} is in no rack"
            if outside.any()
            else "a rack is outside of all rooms"
        )
    row_racks = read_count(values["row_racks"])
    if row_racks > FURTHEST or (rack_unit > FURTHEST).any():
        raise ValueError("a rack or a row is larger than any room")
    names = tuple(_names(each) for each in values.get("names", ()))
    if len(names) not in (0, len(hall)):
        raise ValueError("it does not name every rack")
    return RackPositions(rack, rack_unit, hall, row, at, max(row_racks, 1), names)


def _names(value: Any) -> tuple[str, str, str]:  # noqa: ANN401 - any value of a plan file
    """Read the names of a rack's place. Raises TypeError or ValueError."""
    hall, row, rack = value
    if not (isinstance(hall, str) and isinstance(row, str) and isinstance(rack, str)):
        raise TypeError("the name of a place is not a text")
    return hall, row, rack


FURTHEST = 1000
"""An upper bound of the number of halls, of rows, and of racks in a row."""

"""Where everything stands: the rack and the rack unit of each device, and the place of each rack in the room.

Owns `RackPositions` and its form in a plan file. Who decides where something stands is `racking`,
`filling` or a table of positions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.planning.baseline.run_length import decode_runs, encode_runs, runs

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int32Array

COLUMNS = ("rack", "unit", "hall", "row", "at")


class RackPositions(NamedTuple):
    """Where everything stands. Devices are all planned hosts by number, then the switches as unit * boxes of a unit + box.

    `rack` and `unit` of each device: the rack's index, and the lowest rack unit, from 1; both -1
    where a device has no place. `hall`, `row` and `at` of each rack, from 0; `row_racks` is the
    length of a row.
    """

    rack: Int32Array
    rack_unit: Int32Array
    hall: Int32Array
    row: Int32Array
    at: Int32Array
    row_racks: int

    def document(self) -> dict[str, Any]:
        """Return it as a plan file holds it; columns are runs of [first, step, count]."""
        columns = (self.rack, self.rack_unit, self.hall, self.row, self.at)
        return {
            **{name: runs(column) for name, column in zip(COLUMNS, columns, strict=True)},
            "row_racks": self.row_racks,
        }


def read_rack_positions(values: Any) -> RackPositions:  # noqa: ANN401 - whatever stands in a plan file
    """Read what a plan file holds. Raises KeyError, TypeError or ValueError where it is not of this form, or devices stand in racks that are not there."""
    rack, rack_unit, hall, row, at = (decode_runs(values[name]) for name in COLUMNS)
    if not len(rack) == len(rack_unit) or not len(hall) == len(row) == len(at):
        raise ValueError("its columns of places are not of one length")
    outside = (rack < -1) | (rack >= len(hall)) | ((rack >= 0) & (rack_unit < 1))
    if outside.any() or any(
        (column < 0).any() or (column >= FURTHEST).any() for column in (hall, row, at)
    ):
        raise ValueError(
            f"device {np.flatnonzero(outside)[0]} stands in no rack"
            if outside.any()
            else "a rack stands outside of all rooms"
        )
    row_racks = encode_runs(values["row_racks"])
    if row_racks > FURTHEST or (rack_unit > FURTHEST).any():
        raise ValueError("a rack or a row is larger than any room")
    return RackPositions(rack, rack_unit, hall, row, at, max(row_racks, 1))


FURTHEST = 1000
"""Halls, rows and racks of a row count below this."""

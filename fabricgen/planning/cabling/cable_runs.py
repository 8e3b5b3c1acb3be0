"""The run of every cable through the room, in whole millimetres.

A cable leaves its device at half its height, runs up to the tray (down where trays are below the
floor), along the tray of the row, over a cross tray to the other row, and down to the far device;
between two devices of one rack it stays inside. To another hall it takes the cross tray to the
first row, and from there the run between the halls. Both ends have slack. `room` owns racks and
rack units; `lengths` chooses stock lengths.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind
from fabricgen.planning.cabling.stock_lengths import metres

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.planning.room.room import Room
    from fabricgen.planning.segment_links import Segment

UNIT_UM = 44_450
"""Height of a rack unit, in micrometres (EIA-310)."""

BETWEEN_HALLS_MM = 6_000
"""The length between two halls beside a row's length, where the inventory gives none."""


class DevicePositions(NamedTuple):
    """The position of each device, in millimetres.

    Its rack, its height there, its way up or down to the tray, and its rack's place in hall and
    row.
    """

    rack: Int32Array
    height: Int32Array
    rise: Int32Array
    x: Int32Array
    y: Int32Array
    hall: Int32Array


class CableRuns(NamedTuple):
    """The runs of a fabric's cables; `links` are those of one segment."""

    room: Room
    links: Segment
    positions: DevicePositions
    measured: Mapping[tuple[int, int], int]
    """Measured runs, which override computed ones, in millimetres by segment and row."""
    between: Mapping[tuple[int, int], int]
    """Measured runs of all other cables between two racks, by both, the lower first."""

    def of_segment(
        self, segment: int, start: int = 0, stop: int | None = None
    ) -> tuple[Int32Array, Int32Array, Int32Array]:
        """Return the devices at both ends of some links of a segment, and the runs between them.

        A cable at a leaf reaches the spare leaves too, which take it if the leaf fails.
        """
        lower, upper = self.ends(segment, start, stop)
        runs = self.run_mm(lower, upper)
        for spare in self.room.spare_leaves(segment):
            runs = np.maximum(runs, self.to_spare_mm(spare, lower, upper, start, stop))
        for (measured, row), run_mm in self.measured.items():
            if measured == segment and start <= row < start + len(runs):
                runs[row - start] = run_mm
        return lower, upper, runs

    def to_spare_mm(
        self, spare: int, lower: Int32Array, upper: Int32Array, start: int, stop: int | None
    ) -> Int32Array:
        """Return the runs of links whose leaf a spare one replaces; 0 of links without a leaf."""
        kind = self.links.kind[start:stop]
        peer = np.where(kind == LinkKind.HOST, lower, upper)
        runs = self.run_mm(peer, np.full_like(peer, spare))
        return np.where(kind == LinkKind.SPINE_CORE, 0, runs).astype(np.int32)

    def decisive_ends(
        self, segment: int, row: int, lower: int, upper: int, run_mm: int
    ) -> tuple[int, int]:
        """Return the devices whose distance is the run of a link between two devices.

        One of them is a spare leaf if its run is the longer one.
        """
        host = self.links.kind[row] == LinkKind.HOST
        ends = np.array([lower], dtype=np.int32), np.array([upper], dtype=np.int32)
        if (segment, row) not in self.measured and run_mm > self.run_mm(*ends)[0]:
            for spare in self.room.spare_leaves(segment):
                if self.to_spare_mm(spare, *ends, row, row + 1)[0] == run_mm:
                    return (lower, spare) if host else (spare, upper)
        return lower, upper

    def every(self) -> Int32Array:
        """Return the run of each link of the fabric; shape (segments, links)."""
        segments = range(self.room.naming.mapping.segments)
        runs = [self.of_segment(segment)[2] for segment in segments]
        return np.stack(runs).astype(np.int32, copy=False)

    def run_mm(self, lower: Int32Array, upper: Int32Array) -> Int32Array:
        """Return the runs between devices, with the slack at both ends, in millimetres."""
        here = self.positions
        inside, along = np.abs(here.height[lower] - here.height[upper]), self._along(lower, upper)
        along += here.rise[lower] + here.rise[upper]
        way: Int32Array = np.where(here.rack[lower] == here.rack[upper], inside, along)
        way += np.int32(2 * self.room.site.tray.slack_mm)
        if self.between:
            pairs, stated = self._pairs()
            found = self._pair(here.rack[lower], here.rack[upper])
            at = np.searchsorted(pairs, found) % len(pairs)
            way = np.where(pairs[at] == found, stated[at], way)
        return way

    def with_panels(
        self, rack: Int32Array, rack_unit: Int32Array, rack_units: Int32Array
    ) -> tuple[CableRuns, int]:
        """Return the runs to panels too, and the number of the first of them among devices."""
        panels = _positions(self.room, rack, rack_unit, rack_units)
        both = map(np.concatenate, zip(self.positions, panels, strict=True))
        return self._replace(positions=DevicePositions(*both)), len(self.positions.rack)

    def is_measured(self, segment: int, row: int, lower: int, upper: int) -> bool:
        """Return whether the inventory states the run of a link."""
        racks = sorted((int(self.positions.rack[lower]), int(self.positions.rack[upper])))
        return (segment, row) in self.measured or (racks[0], racks[1]) in self.between

    def _pairs(self) -> tuple[IntArray, Int32Array]:
        """Return the pairs of racks with a measured run as sorted numbers, and their runs."""
        racks = np.array(list(self.between), dtype=np.int64)
        pairs, runs = self._pair(*racks.T), np.array(list(self.between.values()), dtype=np.int32)
        order = np.argsort(pairs)
        return pairs[order], runs[order]

    def _pair(self, one: IntArray, other: IntArray) -> IntArray:
        """Return a number for each pair of racks, in either order."""
        racks = len(self.room.positions.hall)
        pair: IntArray = np.minimum(one, other).astype(np.int64) * racks + np.maximum(one, other)
        return pair

    def steps(self, below: int, above: int, run_mm: int) -> Iterator[str]:
        """Yield the run between two devices step by step, as text."""
        room, height, rise = self.room, self.positions.height, self.positions.rise
        ends = [room.device(end) + " at " + room.place(end) for end in (below, above)]
        yield f"the longest joins {ends[0]} and {ends[1]}"
        slack = 2 * room.site.tray.slack_mm
        if room.positions.rack[below] == room.positions.rack[above]:
            steps = [f"{metres(abs(int(height[below]) - int(height[above])))} m inside the rack"]
        else:
            up, down = int(rise[below]), int(rise[above])
            steps = [
                f"{metres(up)} m to the tray",
                f"{metres(run_mm - up - down - slack)} m along trays",
                f"{metres(down)} m from the tray",
            ]
        yield f"{' + '.join(steps)} + {metres(slack)} m of slack = {metres(run_mm)} m"

    def ends(self, segment: int, start: int, stop: int | None) -> tuple[Int32Array, Int32Array]:
        """Return the devices at both ends of a segment's links, as `Room` counts them."""
        links, mapping, room = self.links, self.room.naming.mapping, self.room
        kind, block, lower, upper = (
            column[start:stop] for column in (links.kind, links.block, links.lower, links.upper)
        )
        first = np.int32(room.hosts + segment * len(room.naming.boxes))
        low, host = lower + first, kind == LinkKind.HOST
        gpu = mapping.lower_gpu(segment, lower[host], block[host])
        low[host] = mapping.fabric.coordinates.host(gpu)
        high, direct = upper + first, kind == LinkKind.DIRECT
        if direct.any():
            for device, ends in ((low, lower), (high, upper)):
                gpu = mapping.lower_gpu(segment, ends[direct], block[direct])
                device[direct] = mapping.fabric.coordinates.host(gpu)
        return low, high

    @property
    def _crossings(self) -> list[int]:
        """Where cross trays meet a row, in millimetres from its first rack."""
        length = (self.room.positions.row_racks - 1) * self.room.site.rack.pitch_mm
        return [length // 2] if self.room.site.tray.cross == "middle" else [0, length]

    def _along(self, lower: Int32Array, upper: Int32Array) -> Int32Array:
        """Return the length along trays between the racks of devices, in millimetres."""
        here, halls = self.positions, self.room.positions.hall.any()
        xa, xb, ya, yb = here.x[lower], here.x[upper], here.y[lower], here.y[upper]
        over = reduce(
            np.minimum, [np.abs(xa - cross) + np.abs(xb - cross) for cross in self._crossings]
        )
        way: Int32Array = np.where(ya == yb, np.abs(xa - xb), over + np.abs(ya - yb))
        if halls:
            apart = np.abs(here.hall[lower] - here.hall[upper])
            way = np.where(apart == 0, way, over + ya + yb + apart * np.int32(self._hall_pitch))
        return way

    @property
    def _hall_pitch(self) -> int:
        """The length between two halls, in millimetres."""
        site = self.room.site
        return (
            site.hall_pitch_mm
            or self.room.positions.row_racks * site.rack.pitch_mm + BETWEEN_HALLS_MM
        )

    @property
    def furthest_mm(self) -> int:
        """An upper bound of any run in this room, in millimetres."""
        positions, site = self.room.positions, self.room.site
        row, rows = (
            positions.row_racks * site.rack.pitch_mm,
            (int(positions.row.max(initial=0)) + 1) * site.row_pitch_mm,
        )
        wide = max(row, (int(positions.at.max(initial=0)) + 1) * site.rack.pitch_mm)
        halls = int(positions.hall.max(initial=0)) * self._hall_pitch
        rise = int(self.positions.rise.max(initial=0))
        bound = 2 * (rise + wide + rows + site.tray.slack_mm) + halls
        return max(bound, *self.measured.values(), *self.between.values(), 0)


def make_runs(
    room: Room,
    links: Segment,
    measured: Mapping[tuple[int, int], int],
    between: Mapping[tuple[int, int], int],
) -> CableRuns:
    """Return the runs of the cables of a room, from the position of every device."""
    places = room.positions
    positions = _positions(room, places.rack, places.rack_unit, room.rack_units)
    return CableRuns(room, links, positions, measured, between)


def _positions(
    room: Room, rack: Int32Array, rack_unit: Int32Array, rack_units: Int32Array
) -> DevicePositions:
    """Return the positions of devices by their lowest rack unit, and the units each takes."""
    places, site = room.positions, room.site
    middle = 2 * rack_unit.astype(np.int64) - 2 + rack_units
    middle = np.where(rack_units > 0, middle, room.shares.rack.rack_units)  # of a PDU: the rack's
    height = (middle * UNIT_UM // 2000).astype(np.int32)
    top = np.int32(room.shares.rack.rack_units * UNIT_UM // 1000)
    rise = (top - height if site.tray.run == "overhead" else height) + np.int32(site.tray.gap_mm)
    x, y = places.at * np.int32(site.rack.pitch_mm), places.row * np.int32(site.row_pitch_mm)
    return DevicePositions(rack, height, rise, x[rack], y[rack], places.hall[rack])

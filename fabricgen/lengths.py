"""How long every cable is: its way through the room, and the stock length that it is rounded up to.

Owns the way and the rounding. A cable leaves its device at half its height, runs up (or, with trays below the floor, down) to the tray,
along the tray of the row, over a cross tray to the other row, and down to the far device; between two devices of one rack it stays inside.
To another hall it takes the cross tray to the first row, and from there the way between the halls. Both ends have some slack. Everything
is in whole millimetres. Racks and units come from `rooms`, parts from `cabling`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from fabricgen.diagnostics import Finding, Refusal
from fabricgen.terms import LinkKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.cabling import Joint
    from fabricgen.clos import Ints
    from fabricgen.rooms import Room

UNIT_UM = 44_450
"""Height of a rack unit, in micrometres (EIA-310)."""

BETWEEN_HALLS_MM = 6_000
"""What lies between two halls beside a row's length, where nobody says it."""

USUAL_M = (1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 35, 40, 50, 60, 70, 80, 90, 100)
"""Stock lengths of a cable of which nothing is known: those of the catalog's fibres, filled up to 100 m."""

STEP_MM = 10_000
"""Beyond the longest stock length cables are made to order, in steps of 10 m."""


class Links(Protocol):
    """The columns of a unit's links that say which devices they join."""

    @property
    def kind(self) -> Ints:
        """The LinkKind."""

    @property
    def block(self) -> Ints:
        """The block of the unit."""

    @property
    def lower(self) -> Ints:
        """The GPU of rail 0 at a host link, otherwise the box."""

    @property
    def upper(self) -> Ints:
        """The box."""


class Laid(NamedTuple):
    """Cables as they lie: the devices at both ends as `Room` counts them, the way in millimetres, and the stock length in `Lengths.stock_mm`."""

    lower: Ints
    upper: Ints
    way_mm: Ints
    stock: Ints


class _Seats(NamedTuple):
    """Where each device is: its rack, its height there, its way up or down to the tray, and its rack's place in hall and row, in millimetres."""

    rack: Ints
    height: Ints
    rise: Ints
    x: Ints
    y: Ints
    hall: Ints


class Longest(NamedTuple):
    """The longest cable of a kind: the devices that it joins, its way and its stock length, in millimetres."""

    lower: int
    upper: int
    way_mm: int
    stock_mm: int


def metres(millimetres: int) -> str:
    """Write a length in metres.

    >>> metres(3000), metres(7500)
    ('3', '7.5')
    """
    whole, rest = divmod(millimetres, 1000)
    return f"{whole}.{rest:03}".rstrip("0") if rest else str(whole)


@dataclass(frozen=True)
class Lengths:
    """The length of every cable of a fabric; `links` are those of one unit."""

    room: Room
    joints: dict[LinkKind, Joint]
    links: Links

    def laid(self, unit: int, start: int = 0, stop: int | None = None) -> Laid:
        """Lay the cables of one unit, or a run of them, in the order of its links."""
        kind = self.links.kind[start:stop]
        lower, upper = self._ends(unit, start, stop)
        way = self.way_mm(lower, upper)
        return Laid(lower, upper, way, self.rounded(kind, way))

    def rounded(self, kind: Ints, way_mm: Ints) -> Ints:
        """Round ways of links of these kinds up to stock lengths; return where those stand in `stock_mm`."""
        stock = np.zeros_like(way_mm)
        for each, table in self._tables.items():
            rows = kind == each
            stock[rows] = self._numbers[each][np.searchsorted(table, way_mm[rows])]
        return stock

    @cached_property
    def stock_mm(self) -> Ints:
        """Every stock length of any kind of link, sorted, in millimetres."""
        return np.unique(np.concatenate([*self._tables.values()]))

    def way_mm(self, lower: Ints, upper: Ints) -> Ints:
        """Return the way from devices to devices, with the slack at both ends, in millimetres."""
        here = self._seats
        inside, along = np.abs(here.height[lower] - here.height[upper]), self._along(lower, upper)
        along += here.rise[lower] + here.rise[upper]
        way: Ints = np.where(here.rack[lower] == here.rack[upper], inside, along)
        way += np.int32(2 * self.room.site.tray.slack_mm)
        return way

    @cached_property
    def longest(self) -> dict[LinkKind, Longest]:
        """The longest cable of each kind in the whole fabric; of equals the first."""
        found: dict[LinkKind, Longest] = {}
        kinds = {kind: np.flatnonzero(self.links.kind == kind) for kind in self.joints}
        for unit in range(self.room.naming.mapping.units):
            lower, upper = self._ends(unit, 0, None)
            way = self.way_mm(lower, upper)
            for kind, rows in kinds.items():
                row = int(rows[np.argmax(way[rows])])
                if kind not in found or way[row] > found[kind].way_mm:
                    stock = self._tables[kind]
                    found[kind] = Longest(int(lower[row]), int(upper[row]), int(way[row]), int(stock[np.searchsorted(stock, way[row])]))
        return found

    def check(self) -> None:
        """Refuse cables that are longer than their parts reach. Raises Refusal `link-too-long` with a finding for each kind of link."""
        hint = "bring the two ends closer together, with more hosts in a rack or shorter rows, or plan without lengths: `site: unknown`"
        findings = [Finding("link-too-long", fact, ("site",), tuple(because), hint) for fact, *because in self.too_long()]
        if findings:
            raise Refusal(findings)

    def too_long(self) -> Iterator[tuple[str, ...]]:
        """Say which kinds of link have a cable that is longer than its parts reach: the fact, then the sum, step by step."""
        reaches = {kind: reach for kind in self.joints if (reach := self._reach(kind))}
        longest = self.longest if reaches else {}
        for kind, (reach_mm, part) in reaches.items():
            if longest[kind].stock_mm > reach_mm:
                name = kind.key.replace("_", "-")
                fact = f"{name} links are up to {metres(longest[kind].stock_mm)} m long, and {part} reaches {metres(reach_mm)} m"
                yield (fact, *self._sum(longest[kind]))

    def _sum(self, longest: Longest) -> Iterator[str]:
        """Show how long a cable is, step by step."""
        room, height, rise = self.room, self._seats.height, self._seats.rise
        ends = [room.device(end) + " at " + room.place(end) for end in (longest.lower, longest.upper)]
        yield f"the longest joins {ends[0]} and {ends[1]}"
        slack = 2 * room.site.tray.slack_mm
        if room.standing.rack[longest.lower] == room.standing.rack[longest.upper]:
            steps = [f"{metres(abs(int(height[longest.lower]) - int(height[longest.upper])))} m inside the rack"]
        else:
            up, down = int(rise[longest.lower]), int(rise[longest.upper])
            steps = [f"{metres(up)} m to the tray", f"{metres(longest.way_mm - up - down - slack)} m along trays", f"{metres(down)} m from the tray"]
        yield f"{' + '.join(steps)} + {metres(slack)} m of slack = {metres(longest.way_mm)} m"
        yield f"the next stock length is {metres(longest.stock_mm)} m"

    def _reach(self, kind: LinkKind) -> tuple[int, str] | None:
        """Return how far the parts of a kind of link reach, in millimetres, and which part reaches no further; None where none says."""
        joint = self.joints[kind]
        known = [(int(Fraction(str(part.reach_m)) * 1000), part.model) for part in (joint.lower, joint.upper, joint.cable) if part.reach_m is not None]
        return min(known, default=None)

    def _ends(self, unit: int, start: int, stop: int | None) -> tuple[Ints, Ints]:
        """Return the devices at both ends of a unit's links."""
        links, mapping, room = self.links, self.room.naming.mapping, self.room
        kind, block, lower, upper = (column[start:stop] for column in (links.kind, links.block, links.lower, links.upper))
        rails = np.array([mapping.rail(unit, each) or 0 for each in range(mapping.unit_blocks)], dtype=np.int32)
        first = np.int32(room.hosts + unit * len(room.naming.boxes))
        low, host = lower + first, kind == LinkKind.HOST
        low[host] = (lower[host] + rails[block[host]]) // np.int32(mapping.request.host_gpus)
        return low, upper + first

    @cached_property
    def _seats(self) -> _Seats:
        """Where each device is."""
        room, stand, site = self.room, self.room.standing, self.room.site
        height = ((2 * stand.unit.astype(np.int64) - 2 + room.units) * UNIT_UM // 2000).astype(np.int32)
        top = np.int32(room.shares.rack.units * UNIT_UM // 1000)
        rise = (top - height if site.tray.run == "overhead" else height) + np.int32(site.tray.gap_mm)
        x, y = stand.at * np.int32(site.rack.pitch_mm), stand.row * np.int32(site.row_pitch_mm)
        return _Seats(stand.rack, height, rise, x[stand.rack], y[stand.rack], stand.hall[stand.rack])

    @property
    def _crossings(self) -> list[int]:
        """Where cross trays meet a row, in millimetres from its first rack."""
        length = (self.room.standing.row_racks - 1) * self.room.site.rack.pitch_mm
        return [length // 2] if self.room.site.tray.cross == "middle" else [0, length]

    def _along(self, lower: Ints, upper: Ints) -> Ints:
        """Return the way along trays between the racks of devices, in millimetres."""
        here, halls = self._seats, self.room.standing.hall.any()
        xa, xb, ya, yb = here.x[lower], here.x[upper], here.y[lower], here.y[upper]
        over = reduce(np.minimum, [np.abs(xa - cross) + np.abs(xb - cross) for cross in self._crossings])
        way: Ints = np.where(ya == yb, np.abs(xa - xb), over + np.abs(ya - yb))
        if halls:
            apart = np.abs(here.hall[lower] - here.hall[upper])
            way = np.where(apart == 0, way, over + ya + yb + apart * np.int32(self._hall_pitch))
        return way

    @property
    def _hall_pitch(self) -> int:
        """The way between two halls, in millimetres."""
        site = self.room.site
        return site.hall_pitch_mm or self.room.standing.row_racks * site.rack.pitch_mm + BETWEEN_HALLS_MM

    @cached_property
    def _tables(self) -> dict[LinkKind, Ints]:
        """The stock lengths of each kind of link: what the inventory states for the medium, else what the part has, else the usual ones."""
        stated = self.room.site.stock_lengths_m
        lengths = {kind: getattr(stated, joint.medium, None) or joint.cable.lengths_m or USUAL_M for kind, joint in self.joints.items()}
        return {kind: stock_mm(each, self._furthest) for kind, each in lengths.items()}

    @cached_property
    def _numbers(self) -> dict[LinkKind, Ints]:
        """Where the stock lengths of each kind of link stand among all."""
        return {kind: np.searchsorted(self.stock_mm, table).astype(np.int32) for kind, table in self._tables.items()}

    @cached_property
    def _furthest(self) -> int:
        """A bound on any way in this room, in millimetres."""
        stand, site = self.room.standing, self.room.site
        row, rows = stand.row_racks * site.rack.pitch_mm, (int(stand.row.max(initial=0)) + 1) * site.row_pitch_mm
        wide = max(row, (int(stand.at.max(initial=0)) + 1) * site.rack.pitch_mm)
        halls = int(stand.hall.max(initial=0)) * self._hall_pitch
        return 2 * (int(self._seats.rise.max(initial=0)) + wide + rows + site.tray.slack_mm + STEP_MM) + halls


def stock_mm(lengths_m: Iterable[object], furthest_mm: int) -> Ints:
    """Return stock lengths in millimetres, sorted, and beyond them the steps that cables are made to order in, past `furthest_mm`.

    >>> stock_mm((5, 7.5, 12), 31_000).tolist()
    [5000, 7500, 12000, 20000, 30000, 40000]
    """
    stock = sorted({int(Fraction(str(length)) * 1000) for length in lengths_m})
    first = stock[-1] // STEP_MM + 1
    return np.array([*stock, *range(first * STEP_MM, furthest_mm + STEP_MM, STEP_MM)], dtype=np.int32)

"""The trays of a room: which stretches a cable lies in, how full each becomes, and what it carries.

Owns the stretches and their load. A stretch of a row lies between two neighbouring racks, one of a
cross tray between two neighbouring rows, and one lies between two halls. Cables take the way that
`lengths` measures; which cables there are is said by the caller.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from fabricgen.core.diagnostics import refuse
from fabricgen.planning.room.positions_csv import hall_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabricgen.catalog.models.optics import Cable
    from fabricgen.planning.cabling.lengths import Lengths
    from fabricgen.planning.room.room import Room

USUAL_PERCENT = 25
"""The fill that TIA-569 recommends not to exceed in a tray, as manufacturers of cables and trays quote it."""


class TraySegment(NamedTuple):
    """A piece of tray, from one rack, row or hall to the next: `at` is the nearer one, from 0; `cross` tells the cross trays of a hall apart."""

    kind: Literal["row", "cross", "halls"]
    hall: int
    row: int
    cross: int
    at: int

    @property
    def name(self) -> str:
        """What people call it."""
        hall = hall_name(self.hall)
        if self.kind == "row":
            return f"row {hall}{self.row + 1}, rack {self.at + 1} to {self.at + 2}"
        if self.kind == "cross":
            return f"cross tray {self.cross + 1} of hall {hall}, row {self.at + 1} to {self.at + 2}"
        return f"hall {hall} to hall {hall_name(self.hall + 1)}"


@dataclass(slots=True)
class Load:
    """What lies in a stretch: cables, their section in mm² and weight per metre of those of which it is known, and how many are not known."""

    cables: int = 0
    section_mm2: float = 0
    kg_per_m: float = 0
    unmeasured: int = 0
    unweighed: int = 0
    parts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Trays:
    """The trays of one room."""

    room: Room

    @property
    def section_mm2(self) -> int | None:
        """The section of a tray; None where the inventory does not say it."""
        tray = self.room.site.tray
        return tray.width_mm * tray.depth_mm if tray.width_mm and tray.depth_mm else None

    @property
    def limit_percent(self) -> int:
        """How full a tray should become at most."""
        return self.room.site.tray.fill_percent or USUAL_PERCENT

    def percent(self, load: Load) -> float | None:
        """Return how full a stretch is by what is known of its cables; None where a tray's section is not known, or no cable's."""
        section = self.section_mm2
        return (
            None
            if section is None or load.cables == load.unmeasured
            else 100 * load.section_mm2 / section
        )

    def way(self, one: int, other: int) -> list[TraySegment]:
        """List the stretches between two racks, by their numbers; inside a rack there are none."""
        stand = self.room.standing
        (hall, row, at), (hall_b, row_b, at_b) = (
            [int(column[rack]) for column in (stand.hall, stand.row, stand.at)]
            for rack in (one, other)
        )
        if (hall, row) == (hall_b, row_b):
            return list(_row(hall, row, 2 * at, 2 * at_b))
        cross, where = min(
            enumerate(self._crossings),
            key=lambda crossing: abs(2 * at - crossing[1]) + abs(2 * at_b - crossing[1]),
        )
        ends = [*_row(hall, row, 2 * at, where), *_row(hall_b, row_b, 2 * at_b, where)]
        if hall == hall_b:
            return [*ends, *_cross(hall, cross, row, row_b)]
        low, high = sorted((hall, hall_b))
        return [
            *ends,
            *_cross(hall, cross, 0, row),
            *_cross(hall_b, cross, 0, row_b),
            *(TraySegment("halls", each, 0, 0, 0) for each in range(low, high)),
        ]

    def loads(
        self, pulled: Mapping[tuple[int, int], Mapping[str, int]], cables: Mapping[str, Cable]
    ) -> dict[TraySegment, Load]:
        """Lay cables into the trays: for each pair of racks, how many there are of each part. Stretches come in the order of the room."""
        loads: dict[TraySegment, Load] = {}
        for (one, other), parts in pulled.items():
            for stretch in self.way(one, other):
                loads.setdefault(stretch, Load()).parts.update(parts)
        for load in loads.values():
            _measure(load, cables)
        return dict(sorted(loads.items()))

    def check(self, loads: Mapping[TraySegment, Load]) -> None:
        """Refuse trays that are fuller than the inventory allows. Raises Refusal `tray-too-full` with the fullest."""
        tray = self.room.site.tray
        over = {
            stretch: percent
            for stretch, load in loads.items()
            if (percent := self.percent(load)) is not None and percent > self.limit_percent
        }
        if not over or not tray.fill_percent or not self.section_mm2:
            return
        worst = max(over, key=lambda stretch: over[stretch])
        load = loads[worst]
        counts = " and ".join(f"{count} {part}" for part, count in sorted(load.parts.items()))
        because = (
            f"{worst.name} carries {counts}, {math.ceil(load.section_mm2):,} mm² in all",
            f"a tray has {tray.width_mm} mm x {tray.depth_mm} mm = {self.section_mm2:,} mm², so it is {_shown(over[worst])} % full",
            f"`fill_percent` is {tray.fill_percent}",
        )
        width = math.ceil(load.section_mm2 * 100 / tray.fill_percent / (tray.depth_mm or 1))
        others = f", and {len(over) - 1} more" if len(over) > 1 else ""
        hint = f"use `width_mm: {width}`, or give the tray more depth"
        raise refuse(
            "tray-too-full",
            f"a stretch of tray is too full{others}",
            path=("site", "tray", "fill_percent"),
            because=because,
            hint=hint,
        )

    @property
    def _crossings(self) -> list[int]:
        """Where cross trays meet a row, in half racks from the middle of its first one."""
        length = self.room.standing.row_racks - 1
        return [length] if self.room.site.tray.cross == "middle" else [0, 2 * length]


def check_trays(lengths: Lengths) -> None:
    """Refuse trays that are fuller than the inventory allows, by the racks and the parts of all cables. Raises Refusal `tray-too-full`."""
    room = lengths.room
    if room.site.tray.fill_percent is None:
        return
    counted: Counter[tuple[str, str, str]] = Counter()
    for segment in range(room.naming.mapping.segments):
        laid = lengths.laid(segment)
        first = slice(None) if lengths.pieces is None else lengths.pieces.first[segment]
        columns = np.stack(
            [room.standing.rack[laid.lower], room.standing.rack[laid.upper], laid.offer]
        )[:, first]
        for (one, other, offer), count in zip(
            *(each.tolist() for each in np.unique(columns.T, axis=0, return_counts=True)),
            strict=True,
        ):
            joint = lengths.offers[offer]
            counted[room.names[one], room.names[other], joint.cable.model] += count * joint.cables
    trays = Trays(room)
    trays.check(
        trays.loads(
            pairs_of(counted, room), {joint.cable.model: joint.cable for joint in lengths.offers}
        )
    )


def pairs_of(
    counted: Mapping[tuple[str, str, str], int], room: Room
) -> dict[tuple[int, int], Counter[str]]:
    """Turn cables counted by the names of both racks and their part into the form that `Trays.loads` takes."""
    numbers = {name: number for number, name in enumerate(room.names)}
    pairs: dict[tuple[int, int], Counter[str]] = {}
    for (one, other, part), count in counted.items():
        pairs.setdefault((numbers[one], numbers[other]), Counter())[part] += count
    return pairs


def _row(hall: int, row: int, one: int, other: int) -> Iterator[TraySegment]:
    """List the stretches of a row between two places in half racks; one that is used in part is used."""
    low, high = sorted((one, other))
    return (TraySegment("row", hall, row, 0, at) for at in range(low // 2, -(-high // 2)))


def _cross(hall: int, cross: int, one: int, other: int) -> Iterable[TraySegment]:
    """List the stretches of a cross tray between two rows."""
    low, high = sorted((one, other))
    return (TraySegment("cross", hall, 0, cross, at) for at in range(low, high))


def _measure(load: Load, cables: Mapping[str, Cable]) -> None:
    """Add up what lies in a stretch."""
    for part, count in sorted(load.parts.items()):
        cable = cables[part]
        load.cables += count
        if cable.diameter_mm:
            load.section_mm2 += count * math.pi / 4 * cable.diameter_mm**2
        else:
            load.unmeasured += count
        if cable.kg_per_m:
            load.kg_per_m += count * cable.kg_per_m
        else:
            load.unweighed += count


def _shown(percent: float) -> str:
    """Write per cent; what is over a limit never looks as if it met it.

    >>> _shown(25.0001), _shown(31.52)
    ('25.1', '31.6')
    """
    return f"{math.ceil(percent * 10) / 10:g}"

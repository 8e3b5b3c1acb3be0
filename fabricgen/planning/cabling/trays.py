"""The trays of a room: which segments a cable lies in, their fill and their weight.

A segment of a row is between two neighbouring racks, one of a cross tray between two neighbouring
rows, and one is between two halls. Cables follow the runs that `cable_runs` computes; the caller
counts the cables.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from fabricgen.core.diagnostics import refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabricgen.catalog.models.optics import Cable
    from fabricgen.catalog.models.patch import Trunk
    from fabricgen.planning.room.room import Room

USUAL_PERCENT = 25
"""The fill of a tray that TIA-569 recommends not to exceed, as quoted by manufacturers."""


class TraySegment(NamedTuple):
    """A piece of tray from rack, row or hall `at`, from 0, to the next; `cross` is a cross tray."""

    kind: Literal["row", "cross", "halls"]
    hall: int
    row: int
    cross: int
    at: int


@dataclass(slots=True)
class TrayLoad:
    """The cables in a segment of tray.

    Their section in mm² and weight per metre, as far as known, and the number of cables without
    these facts.
    """

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
        """The section of a tray in mm²; None where the inventory gives none."""
        tray = self.room.site.tray
        return tray.width_mm * tray.depth_mm if tray.width_mm and tray.depth_mm else None

    @property
    def limit_percent(self) -> int:
        """The recommended maximum fill of a tray, in per cent."""
        return self.room.site.tray.fill_percent or USUAL_PERCENT

    def name(self, segment: TraySegment) -> str:
        """Name a segment for people."""
        room, (kind, hall, row, cross, at) = self.room, segment
        if kind == "row":
            one, other = room.rack(hall, row, at), room.rack(hall, row, at + 1)
            return f"row {room.hall(hall)}{room.row(hall, row)}, rack {one} to {other}"
        if kind == "cross":
            rows = f"row {room.row(hall, at)} to {room.row(hall, at + 1)}"
            return f"cross tray {cross + 1} of hall {room.hall(hall)}, {rows}"
        return f"hall {room.hall(hall)} to hall {room.hall(hall + 1)}"

    def percent(self, load: TrayLoad) -> float | None:
        """Return the fill of a segment by its known cables, or None where that is unknown."""
        section = self.section_mm2
        return (
            None
            if section is None or load.cables == load.unmeasured
            else 100 * load.section_mm2 / section
        )

    def way(self, one: int, other: int) -> list[TraySegment]:
        """Yield the segments between two racks, by their numbers; inside a rack there are none."""
        positions = self.room.positions
        (hall, row, at), (hall_b, row_b, at_b) = (
            [int(column[rack]) for column in (positions.hall, positions.row, positions.at)]
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
        self,
        pulled: Mapping[tuple[int, int], Mapping[str, int]],
        cables: Mapping[str, Cable | Trunk],
    ) -> dict[TraySegment, TrayLoad]:
        """Lay cables into the trays: the number of each part for each pair of racks.

        Segments come in the order of the room.
        """
        loads: dict[TraySegment, TrayLoad] = {}
        for (one, other), parts in pulled.items():
            for stretch in self.way(one, other):
                loads.setdefault(stretch, TrayLoad()).parts.update(parts)
        for load in loads.values():
            _measure(load, cables)
        return dict(sorted(loads.items()))

    def check(self, loads: Mapping[TraySegment, TrayLoad]) -> None:
        """Refuse trays that are too full. Raises Refusal `tray-too-full` with the fullest."""
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
            f"{self.name(worst)} carries {counts}, {math.ceil(load.section_mm2)} mm² in all",
            (
                f"a tray has {tray.width_mm} mm x {tray.depth_mm} mm = {self.section_mm2} mm², so"
                f" it is {_shown(over[worst])} % full"
            ),
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
        length = self.room.positions.row_racks - 1
        return [length] if self.room.site.tray.cross == "middle" else [0, 2 * length]


def pairs_of(
    counted: Mapping[tuple[str, str, str], int], room: Room
) -> dict[tuple[int, int], Counter[str]]:
    """Convert counts by the names of both racks and their part into the form of `Trays.loads`."""
    numbers = {name: number for number, name in enumerate(room.names)}
    pairs: dict[tuple[int, int], Counter[str]] = {}
    for (one, other, part), count in counted.items():
        pairs.setdefault((numbers[one], numbers[other]), Counter())[part] += count
    return pairs


def _row(hall: int, row: int, one: int, other: int) -> Iterator[TraySegment]:
    """Yield the segments of a row between two places in half racks, also those used in part."""
    low, high = sorted((one, other))
    return (TraySegment("row", hall, row, 0, at) for at in range(low // 2, -(-high // 2)))


def _cross(hall: int, cross: int, one: int, other: int) -> Iterable[TraySegment]:
    """Yield the segments of a cross tray between two rows."""
    low, high = sorted((one, other))
    return (TraySegment("cross", hall, 0, cross, at) for at in range(low, high))


def _measure(load: TrayLoad, cables: Mapping[str, Cable | Trunk]) -> None:
    """Add up the cables of a segment."""
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
    """Format per cent; a value over a limit is never rounded to it.

    >>> _shown(25.0001), _shown(31.52)
    ('25.1', '31.6')
    """
    return f"{math.ceil(percent * 10) / 10:g}"

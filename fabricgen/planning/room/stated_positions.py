"""Positions by the table of an inventory, and the findings on its rows.

`positions_csv` owns the format of the table. Here each row must name a device of the fabric, and
place it in free units of a rack of the room.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.csv_text import SHOWN
from fabricgen.core.diagnostics import Finding, Refusal, suggest
from fabricgen.planning.baseline.rack_positions import RackPositions
from fabricgen.planning.room.footprints import DEFAULT_SITE, KINDS, Shares
from fabricgen.planning.room.place_names import KEYS, LEVELS, plain_names
from fabricgen.planning.room.positions_csv import bad_line, read_positions
from fabricgen.planning.room.rack_placement import fabric_kinds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.site import Site
    from fabricgen.planning.naming import DeviceNames
    from fabricgen.planning.room.equipment import Equipment
    from fabricgen.planning.room.positions_csv import Position


def stated_positions(
    naming: DeviceNames,
    shares: Shares,
    equipment: Equipment,
    catalog: Catalog,
    installed: Sequence[bool],
) -> RackPositions:
    """Place every device by the table, which need not have PDUs beside the rack units.

    Raises Refusal `bad-positions` with the first findings.
    """
    fabric, mapping = naming.mapping.fabric, naming.mapping
    site, hosts = fabric.spec.site or DEFAULT_SITE, fabric.coordinates.planned_hosts
    shown = str(site.positions)
    rows = read_positions(catalog.relative_path(shown), shown, site)
    names = [naming.host(host) for host in range(hosts)] + list(
        chain.from_iterable(naming.switches(segment) for segment in range(mapping.segments))
    )
    need = [shares.of[KINDS[each]].rack_units for each in fabric_kinds(naming).tolist()]
    for group in equipment.groups:
        names += group.names
        need += [shares.of[group.kind].rack_units] * len(group.names)
    table = _Table(rows, dict(zip(names, need, strict=True)), {*names[:hosts]}, site, shares)
    wanted = [
        *range(fabric.coordinates.hosts),
        *(hosts + at for at, has in enumerate([*installed] * mapping.segments) if has),
        *(at for at in range(len(names) - len(equipment.names), len(names)) if need[at]),
    ]
    table.check([names[number] for number in wanted])
    return _positions(rows, {name: number for number, name in enumerate(names)}, site)


def _positions(rows: list[Position], numbers: dict[str, int], site: Site) -> RackPositions:
    """Return the positions of a table without findings."""
    racks = {place: index for index, place in enumerate(sorted({row.place for row in rows}))}
    rack, rack_unit = np.full((2, len(numbers)), -1, dtype=np.int32)
    for row in rows:
        number = numbers[row.device]
        rack[number], rack_unit[number] = racks[row.place], row.rack_unit
    hall, line, at = np.array([*racks], dtype=np.int32).reshape(-1, 3).T
    length = site.most("racks_per_row") or int(at.max(initial=0)) + 1
    named = {row.place: row.names for row in rows}
    plain = all(plain_names(*place) == each for place, each in named.items())
    texts = () if plain else tuple(named[place] for place in racks)
    return RackPositions(rack, rack_unit, hall, line, at, length, texts)


@dataclass(frozen=True)
class _Table:
    """A table of positions beside the devices of its fabric, with the rack units of each."""

    rows: list[Position]
    need: dict[str, int]
    hosts: set[str]
    site: Site
    shares: Shares

    @property
    def shown(self) -> str:
        """The table as the inventory calls it."""
        return str(self.site.positions)

    def check(self, wanted: list[str]) -> None:
        """Refuse a table that lacks a wanted device, or places one where it cannot be."""
        findings = list(islice(chain(self._rows(), self._reserved()), SHOWN))
        findings += self._missing(wanted)
        findings = findings or [*islice(self._overlaps(), SHOWN)]
        if findings:
            raise Refusal(findings[:SHOWN])

    def _rows(self) -> Iterator[Finding]:
        """Yield findings on unknown or repeated devices, and on places outside of the room."""
        seen: dict[str, int] = {}
        for row in self.rows:
            line = bad_line(self.shown, row.line)
            if row.device in seen:
                yield line.of(
                    f"`{row.device}` is given twice",
                    f"it is already in line {seen[row.device]}",
                    hint="keep one of the two lines",
                )
            seen.setdefault(row.device, row.line)
            yield from self._outside(row)
            if row.device not in self.need:
                known = "devices are called as in cabling/cables.csv"
                hint = suggest(row.device, self.need, known)
                yield line.of(f"this fabric has no device `{row.device}`", hint=hint)
            elif row.rack_unit + self.need[row.device] - 1 > self.site.rack.units:
                rack_units, most = self.need[row.device], self.site.rack.units
                yield line.of(
                    f"`{row.device}` does not fit into its rack",
                    f"units {row.rack_unit} to {row.rack_unit + rack_units - 1} of {most}",
                    hint=f"use unit {max(most - rack_units + 1, 1)} or lower",
                )

    def _outside(self, row: Position) -> Iterator[Finding]:
        """Yield a finding on a hall, a row or a rack that the site does not have."""
        for level, number in zip(LEVELS, row.place, strict=True):
            key = KEYS[level]
            bound = self.site.most(key)
            if bound is not None and number >= bound:
                yield bad_line(self.shown, row.line).of(
                    f"`{row.device}` is in {level} {number + 1}",
                    f"`site.{key}` is {bound}",
                    hint=f"raise `{key}`, or move it",
                )

    @cached_property
    def _with_hosts(self) -> set[tuple[int, int, int]]:
        """The places of racks with hosts."""
        return {row.place for row in self.rows if row.device in self.hosts}

    def _reserved(self) -> Iterator[Finding]:
        """Yield findings on devices in reserved units."""
        for row in self.rows if self.shares.reserved else ():
            top = row.rack_unit + self.need.get(row.device, 0) - 1
            for each in self.shares.reserved_in(hosts=row.place in self._with_hosts):
                unit = max(each.first, row.rack_unit)
                if unit <= min(each.last or each.first, top):
                    yield bad_line(self.shown, row.line).of(
                        f"`{row.device}` is in unit {unit}, which is reserved for {each.use}",
                        hint="move it, or change `site.rack.reserved`",
                    )

    def _missing(self, wanted: list[str]) -> list[Finding]:
        """Return a finding on the devices without a line."""
        have = {row.device for row in self.rows}
        missing = [name for name in wanted if name not in have]
        if not missing:
            return []
        others = f", and {len(missing) - 1} more have none" if len(missing) > 1 else ""
        because = f"the fabric has {len(wanted)} hosts and switches now, and each needs a line"
        return [
            bad_line(self.shown).of(
                f"`{missing[0]}` has no line{others}",
                because,
                hint=f"add a line like `{missing[0]},A,1,4,17`",
            )
        ]

    def _overlaps(self) -> Iterator[Finding]:
        """Yield findings on devices that share a rack unit."""
        tall = [row for row in self.rows if self.need[row.device]]
        rows = sorted(tall, key=lambda row: (row.place, row.rack_unit, row.line))
        for lower, upper in pairwise(rows):
            top = lower.rack_unit + self.need[lower.device] - 1
            if lower.place == upper.place and top >= upper.rack_unit:
                yield bad_line(self.shown, upper.line).of(
                    f"`{upper.device}` is in units of `{lower.device}`",
                    f"`{lower.device}` of line {lower.line} takes units {lower.rack_unit} to {top}",
                    hint=f"use unit {top + 1} or higher, or another rack",
                )

"""The room of a fabric: the rack and the rack unit of every device, and the names of racks.

Owns `Room`. A table of positions in the inventory places every device; otherwise `rack_placement`
applies the rule, or `rack_expansion` places new devices beside existing ones. A kept plan carries
the positions of its table. `cabling.lengths` computes the cables between racks.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.csv_text import SHOWN
from fabricgen.core.diagnostics import Finding, Refusal, refuse, suggest
from fabricgen.core.terms import Role
from fabricgen.planning.baseline.rack_positions import RackPositions
from fabricgen.planning.name_checks import LONGEST_NAME
from fabricgen.planning.room.footprints import DEFAULT_SITE, HOST, KINDS, Shares, shares_of
from fabricgen.planning.room.place_names import hall_name, plain_names
from fabricgen.planning.room.positions_csv import bad_line, read_positions
from fabricgen.planning.room.rack_placement import kinds_of, overflow, place_devices

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.core.arrays import Int32Array
    from fabricgen.inventory.site import Site
    from fabricgen.planning.naming import DeviceNames
    from fabricgen.planning.room.positions_csv import Position

_LEGAL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")


@dataclass(frozen=True)
class Room:
    """The positions of all devices.

    Devices are numbered: all planned hosts, then the switches as segment * boxes of a segment +
    box.
    """

    naming: DeviceNames
    site: Site
    generated: bool
    """Whether the room is an assumption, because the inventory describes none."""
    shares: Shares
    kind: Int32Array
    """The kind of each device, as its index in `footprints.KINDS`."""
    positions: RackPositions

    @cached_property
    def rack_units(self) -> Int32Array:
        """The rack units that each device takes."""
        each = np.array(
            [self.shares.of[kind].rack_units if kind in self.shares.of else 0 for kind in KINDS],
            dtype=np.int32,
        )
        return each[self.kind]

    @cached_property
    def hosts(self) -> int:
        """Planned hosts: the number of the first switch among the devices."""
        return int(np.count_nonzero(self.kind == 0))

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
        segment, box = divmod(device - self.hosts, len(self.naming.boxes))
        return (
            self.naming.host(device) if device < self.hosts else self.naming.switches(segment)[box]
        )

    def place(self, device: int) -> str:
        """Return the position of a device as text."""
        return (
            f"{self.names[int(self.positions.rack[device])]} unit"
            f" {int(self.positions.rack_unit[device])}"
        )


def _number(text: str) -> int | str:
    """Return a number as such, which has a width in the name of a rack, and a name as it is."""
    return int(text) if text.isdecimal() else text


def make_room(naming: DeviceNames, catalog: Catalog, installed: Sequence[bool]) -> Room | None:
    """Place every planned device; None where the inventory wants no room.

    `installed` covers the switches of a segment. Raises Refusal where a device has no known size, a
    rack overflows, the room is too small, or positions contradict each other.
    """
    fabric = naming.mapping.fabric
    site = fabric.spec.site or DEFAULT_SITE
    if site.lengths == "unknown":
        return None
    shares = shares_of(
        fabric, (HOST, *(role.value for role in list(Role)[: naming.mapping.sizing.tiers]))
    )
    kind = kinds_of(naming)
    kept = _kept(naming, site, shares, kind, installed)
    if site.positions or kept:
        positions = kept or _stated(naming, site, shares, kind, catalog, installed)
        room = Room(naming, site, generated=False, shares=shares, kind=kind, positions=positions)
        _check_loads(room)
    else:
        room = Room(
            naming,
            site,
            fabric.spec.site is None,
            shares,
            kind,
            place_devices(naming, shares, site),
        )
    if fabric.spec.naming.rack or room.positions.names:
        _check_names(room)
    return room


def _kept(
    naming: DeviceNames, site: Site, shares: Shares, kind: Int32Array, installed: Sequence[bool]
) -> RackPositions | None:
    """Return the positions of a plan that keeps those of another; None where none are kept.

    New devices fill the room. Another table of positions than the kept one replaces them all.
    Raises Refusal `bad-plan-file` where the plan does not place its devices, or `cannot-grow` where
    they are outside of the site.
    """
    baseline = naming.mapping.baseline
    if baseline is None or baseline.positions is None or baseline.table != (site.positions or ""):
        return None
    kept, hosts = baseline.positions, naming.mapping.fabric.coordinates.hosts
    switches = int(np.count_nonzero(kind == 0)) + np.flatnonzero(
        [*installed] * naming.mapping.segments
    )
    if len(kept.rack) != len(kind) or (
        baseline.table and (kept.rack[[*range(hosts), *switches.tolist()]] < 0).any()
    ):
        because = (f"it places {int((kept.rack >= 0).sum())} of {len(kind)} devices",)
        raise refuse(
            "bad-plan-file",
            "the plan has no positions of its devices",
            path=("kept",),
            because=because,
            hint="write it again with `plan -o`",
        )
    if baseline.table:
        return kept
    from fabricgen.planning.room.rack_expansion import fill  # noqa: PLC0415 - for growth only

    return fill(naming, shares, site, kept)


def _stated(
    naming: DeviceNames,
    site: Site,
    shares: Shares,
    kind: Int32Array,
    catalog: Catalog,
    installed: Sequence[bool],
) -> RackPositions:
    """Place every device by the table. Raises Refusal `bad-positions` with the first findings."""
    shown = str(site.positions)
    rows = read_positions(catalog.relative_path(shown), shown, site)
    fabric, mapping = naming.mapping.fabric, naming.mapping
    hosts = fabric.coordinates.planned_hosts
    names = [naming.host(host) for host in range(hosts)] + list(
        chain.from_iterable(naming.switches(segment) for segment in range(mapping.segments))
    )
    numbers = {name: number for number, name in enumerate(names)}
    need = [shares.of[KINDS[each]].rack_units for each in kind.tolist()]
    findings = list(islice(_row_findings(rows, numbers, need, site, shown), SHOWN))
    findings += islice(_reserved(rows, numbers, need, hosts, shares, shown), SHOWN)
    wanted = [
        *range(fabric.coordinates.hosts),
        *(hosts + at for at, has in enumerate([*installed] * mapping.segments) if has),
    ]
    findings += _missing([names[number] for number in wanted], rows, shown)
    if not findings:
        findings = list(
            _overlaps(
                sorted(
                    (
                        row.hall,
                        row.row,
                        row.rack,
                        row.rack_unit,
                        row.line,
                        row.device,
                        need[numbers[row.device]],
                    )
                    for row in rows
                ),
                shown,
            )
        )
    if findings:
        raise Refusal(findings[:SHOWN])
    racks = {
        where: index
        for index, where in enumerate(sorted({(row.hall, row.row, row.rack) for row in rows}))
    }
    rack, rack_unit = np.full((2, len(kind)), -1, dtype=np.int32)
    for row in rows:
        rack[numbers[row.device]], rack_unit[numbers[row.device]] = (
            racks[row.hall, row.row, row.rack],
            row.rack_unit,
        )
    hall, line, at = np.array(sorted(racks), dtype=np.int32).reshape(-1, 3).T
    length = site.most("racks_per_row") or int(at.max(initial=0)) + 1
    named = {row[1:4]: row.names for row in rows}
    plain = all(plain_names(*place) == each for place, each in named.items())
    texts = () if plain else tuple(named[place] for place in sorted(racks))
    return RackPositions(rack, rack_unit, hall, line, at, length, texts)


def _row_findings(
    rows: list[Position], numbers: dict[str, int], need: list[int], site: Site, shown: str
) -> Iterator[Finding]:
    """Yield findings on unknown or repeated devices, and on places outside of the room."""
    seen: dict[str, int] = {}
    bounds = (
        ("hall", "halls", site.most("halls")),
        ("row", "rows", site.most("rows")),
        ("rack", "racks_per_row", site.most("racks_per_row")),
    )
    for row in rows:
        line = bad_line(shown, row.line)
        if row.device in seen:
            yield line.of(
                f"`{row.device}` is given twice",
                f"it is already in line {seen[row.device]}",
                hint="keep one of the two lines",
            )
        seen.setdefault(row.device, row.line)
        for key, limit, bound in bounds:
            if bound is not None and getattr(row, key) >= bound:
                yield line.of(
                    f"`{row.device}` is in {key} {getattr(row, key) + 1}",
                    f"`site.{limit}` is {bound}",
                    hint=f"raise `{limit}`, or move it",
                )
        if row.device not in numbers:
            yield line.of(
                f"this fabric has no device `{row.device}`",
                hint=suggest(row.device, numbers, "devices are called as in cabling/cables.csv"),
            )
        elif row.rack_unit + need[numbers[row.device]] - 1 > site.rack.units:
            rack_units = need[numbers[row.device]]
            because = (
                f"units {row.rack_unit} to {row.rack_unit + rack_units - 1} of {site.rack.units}"
            )
            yield line.of(
                f"`{row.device}` does not fit into its rack",
                because,
                hint=f"use unit {max(site.rack.units - rack_units + 1, 1)} or lower",
            )


def _reserved(
    rows: list[Position],
    numbers: dict[str, int],
    need: list[int],
    hosts: int,
    shares: Shares,
    shown: str,
) -> Iterator[Finding]:
    """Yield findings on devices in reserved units."""
    if not shares.reserved:
        return
    with_hosts = {row[1:4] for row in rows if numbers.get(row.device, hosts) < hosts}
    for row in rows:
        rack_units = need[numbers[row.device]] if row.device in numbers else 0
        mask = ((1 << rack_units) - 1) << row.rack_unit - 1
        taken = mask & ~shares.free(hosts=row[1:4] in with_hosts)
        if taken and row.rack_unit + rack_units - 1 <= shares.rack.rack_units:
            unit = taken.bit_length()
            use = next(
                each.use
                for each in shares.reserved
                if each.first <= unit <= (each.last or each.first)
            )
            yield bad_line(shown, row.line).of(
                f"`{row.device}` is in unit {unit}, which is reserved for {use}",
                hint="move it, or change `site.rack.reserved`",
            )


def _missing(wanted: list[str], rows: list[Position], shown: str) -> list[Finding]:
    """Yield a finding on the devices without a line."""
    have = {row.device for row in rows}
    missing = [name for name in wanted if name not in have]
    if not missing:
        return []
    others = f", and {len(missing) - 1} more have none" if len(missing) > 1 else ""
    because = f"the fabric has {len(wanted)} hosts and switches now, and each needs a line"
    return [
        bad_line(shown).of(
            f"`{missing[0]}` has no line{others}",
            because,
            hint=f"add a line like `{missing[0]},A,1,4,17`",
        )
    ]


def _overlaps(
    seats: list[tuple[int, int, int, int, int, str, int]], shown: str
) -> Iterator[Finding]:
    """Yield findings on devices that share a rack unit; seats are sorted by rack and unit."""
    for (*place, rack_unit, line, device, rack_units), (*other, high, below, name, _) in pairwise(
        seats
    ):
        if place == other and rack_unit + rack_units > high:
            because = (
                f"`{device}` of line {line} takes units {rack_unit} to {rack_unit + rack_units - 1}"
            )
            yield bad_line(shown, below).of(
                f"`{name}` is in units of `{device}`",
                because,
                hint=f"use unit {rack_unit + rack_units} or higher, or another rack",
            )


def _check_loads(room: Room) -> None:
    """Refuse the first rack that carries too much. Raises Refusal `rack-overflow`."""
    held = room.positions.rack >= 0
    counts = np.zeros((len(room.positions.hall), len(KINDS)), dtype=np.int64)
    np.add.at(counts, (room.positions.rack[held], room.kind[held]), 1)
    for rack, loads in enumerate(counts.tolist()):
        named = [(kind, count) for kind, count in zip(KINDS, loads, strict=True) if count]
        if room.shares.exceeded(*named):
            raise overflow(room.shares, f"rack {room.names[rack]} overflows", *named)


def _check_names(room: Room) -> None:
    """Refuse names of racks that are illegal on a label, or repeated. Raises Refusal."""
    path = ("naming", "rack")
    illegal = next(
        (name for name in room.names if not _LEGAL.fullmatch(name) or len(name) > LONGEST_NAME),
        None,
    )
    if illegal is not None:
        because = (
            (
                f"it holds letters, digits, `.`, `_` and `-`, and has at most {LONGEST_NAME}"
                " characters"
            ),
        )
        raise Refusal(
            [
                Finding(
                    "illegal-name",
                    f"`{illegal}` cannot be the name of a rack",
                    path,
                    because,
                    "change the pattern under `naming`",
                )
            ]
        )
    name, times = Counter(room.names).most_common(1)[0]
    if times > 1:
        because = (f"{len(room.names)} racks need a name each",)
        raise Refusal(
            [
                Finding(
                    "name-twice",
                    f"{times} racks would be called `{name}`",
                    path,
                    because,
                    "put `{hall}`, `{row}` and `{rack}` into the pattern",
                )
            ]
        )

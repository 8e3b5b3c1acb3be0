"""Where the devices of a fabric are: by rule, by a table, or as a kept plan has them.

A table of positions in the inventory places every device (`stated_positions`); otherwise
`rack_placement` applies the rule, or `rack_expansion` places new devices beside existing ones. A
kept plan carries the positions of its table. Owns the choice, and the checks of the result.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.diagnostics import Finding, Refusal, refuse
from fabricgen.core.portable_paths import RESERVED_RULE, is_reserved
from fabricgen.core.terms import Role
from fabricgen.inventory.fields import PLACE
from fabricgen.planning.name_checks import LONGEST_NAME
from fabricgen.planning.room.footprints import DEFAULT_SITE, HOST, shares_of
from fabricgen.planning.room.rack_capacity import overflow
from fabricgen.planning.room.rack_placement import kinds_of, place_devices
from fabricgen.planning.room.room import Room

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.site import Site
    from fabricgen.planning.baseline.rack_positions import RackPositions
    from fabricgen.planning.naming import DeviceNames
    from fabricgen.planning.room.equipment import Equipment
    from fabricgen.planning.room.footprints import Shares

_LEGAL = re.compile(PLACE)


def make_room(
    naming: DeviceNames, catalog: Catalog, installed: Sequence[bool], equipment: Equipment
) -> Room | None:
    """Place every planned device and all equipment; None where the inventory wants no room.

    `installed` covers the switches of a segment. Raises Refusal where a device has no known size, a
    rack overflows, the room is too small, or positions contradict each other.
    """
    fabric = naming.mapping.fabric
    site = fabric.spec.site or DEFAULT_SITE
    if site.lengths == "unknown":
        return None
    shares = shares_of(
        fabric,
        (HOST, *(role.value for role in list(Role)[: naming.mapping.sizing.tiers])),
        equipment.groups,
    )
    kind = kinds_of(naming, equipment)
    kept = _kept(naming, site, shares, equipment, installed)
    if site.positions or kept:
        from fabricgen.planning.room.stated_positions import stated_positions  # noqa: PLC0415 - for tables of positions only

        positions = kept or stated_positions(naming, shares, equipment, catalog, installed)
    else:
        positions = place_devices(naming, shares, site, equipment)
    generated = fabric.spec.site is None and kept is None
    room = Room(naming, site, generated, shares, kind, positions, equipment)
    if any(group.beside_units for group in equipment.groups):
        from fabricgen.planning.room.power_units import with_power_units  # noqa: PLC0415 - for PDUs only

        room = with_power_units(room)
    if site.positions or kept:
        _check_loads(room)
    if fabric.spec.naming.rack or room.positions.names:
        _check_names(room)
    return room


def network_room(room: Room, network: DeviceNames) -> Room:
    """Return the room of a network beside the compute fabric: the same racks, with its devices."""
    from fabricgen.planning.room.equipment import numbers_of  # noqa: PLC0415 - for networks only

    device = numbers_of(room.equipment, network)
    rack, rack_unit = room.positions.rack[device], room.positions.rack_unit[device]
    positions = room.positions._replace(rack=rack, rack_unit=rack_unit)
    return replace(room, naming=network, kind=room.kind[device], positions=positions)


def _kept(
    naming: DeviceNames,
    site: Site,
    shares: Shares,
    equipment: Equipment,
    installed: Sequence[bool],
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
    planned = naming.mapping.fabric.coordinates.planned_hosts
    switches = planned + np.flatnonzero([*installed] * naming.mapping.segments)
    count = planned + naming.mapping.segments * len(installed)
    if not baseline.table and len(kept.rack) == count:
        kept = _longer(kept, len(equipment.names))
    count += len(equipment.names)
    if len(kept.rack) != count or (
        baseline.table and (kept.rack[[*range(hosts), *switches.tolist()]] < 0).any()
    ):
        because = (f"it places {int((kept.rack >= 0).sum())} of {count} devices",)
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

    return fill(naming, shares, site, equipment, kept)


def _longer(kept: RackPositions, count: int) -> RackPositions:
    """Return positions with so many more devices that have none: equipment is placed anew."""
    none = np.full(count, -1, dtype=np.int32)
    rack, rack_unit = (np.concatenate([each, none]) for each in (kept.rack, kept.rack_unit))
    return kept._replace(rack=rack, rack_unit=rack_unit)


def _check_loads(room: Room) -> None:
    """Refuse the first rack that carries too much. Raises Refusal `rack-overflow`."""
    held = room.positions.rack >= 0
    counts = np.zeros((len(room.positions.hall), len(room.kinds)), dtype=np.int64)
    np.add.at(counts, (room.positions.rack[held], room.kind[held]), 1)
    for rack, loads in enumerate(counts.tolist()):
        named = [(kind, count) for kind, count in zip(room.kinds, loads, strict=True) if count]
        if room.shares.exceeded(*named):
            raise overflow(room.shares, f"rack {room.names[rack]} overflows", *named)


def _check_names(room: Room) -> None:
    """Refuse names of racks that are illegal on a label, or repeated. Raises Refusal."""
    path: tuple[str, ...] = ("naming", "rack")
    illegal = next(
        (
            name
            for name in room.names
            if not _LEGAL.fullmatch(name) or len(name) > LONGEST_NAME or is_reserved(name)
        ),
        None,
    )
    if illegal is not None:
        because = (
            RESERVED_RULE
            if is_reserved(illegal)
            else f"it holds letters, digits, `.`, `_` and `-`, and has at most {LONGEST_NAME}"
            " characters",
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
    folded, times = Counter(map(str.casefold, room.names)).most_common(1)[0]
    if times > 1:
        alike = [name for name in room.names if name.casefold() == folded]
        because = (f"{len(room.names)} racks need a name each",)
        hint = "put `{hall}`, `{row}` and `{rack}` into the pattern"
        if len(set(alike)) > 1:
            because = (f"`{alike[0]}` and `{alike[-1]}` are one file where case does not count",)
            path, hint = ("site",), "write names under `site` that differ in more than case"
        raise Refusal(
            [
                Finding(
                    "name-twice",
                    f"{times} racks would be called `{alike[0]}`",
                    path,
                    because,
                    hint,
                )
            ]
        )

"""What a host and a switch take of a rack, and what a rack holds and carries.

Owns the sizes, powers and weights, stated, known or assumed. The inventory overrides the catalog.
In a described room an unknown size is refused; in a generated room it is assumed, and such a room
is never too small. `room` owns the positions of devices.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.core.terms import ROLES
from fabricgen.inventory.site import Footprint, Rack, ReservedUnits, Site

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabricgen.catalog.models.device import Device
    from fabricgen.catalog.models.host import Host
    from fabricgen.catalog.models.switch import Switch
    from fabricgen.core.diagnostics import Path
    from fabricgen.planning.resolve import ResolvedFabric
    from fabricgen.planning.room.equipment import EquipmentGroup

DEFAULT_SITE = Site.model_construct(rack=Rack.model_construct(power_w=45_000))
"""The rack of a generated room: 42 units, the most common height, with power for four DGX H100.

A DGX H100 draws 10.2 kW, and drawings of SuperPODs put four into a rack.
"""

GPU_UNITS, GPU_W = 1, 1_300
"""What a GPU adds to a host of unknown size: a DGX H100 takes 8 units and 10.2 kW for 8 GPUs.

Such a host takes one rack at most.
"""

SWITCH_UNITS, SWITCH_W = 2, 2_000
"""What a switch of unknown size takes: 64 cages of 800G fill two units."""

DEVICE_UNITS, DEVICE_W = 1, 1_000
"""What a device of unknown size takes that is neither a host nor a switch, such as a server."""

HOST = "host"
KINDS = (HOST, *(role.value for role in ROLES))
EXAMPLES = {
    HOST: Footprint.model_construct(units=8, power_w=10_200, weight_kg=131),
    "": Footprint.model_construct(units=2, power_w=2_000, weight_kg=24),
}


class RackShare(NamedTuple):
    """What a device takes of a rack, or a rack has; a limit of None is not checked, counts 0."""

    rack_units: int
    power_w: int | None
    weight_g: int | None
    switches: int | None


class Shares(NamedTuple):
    """The share of a host and of a switch of each role by kind, and the limits of a rack."""

    of: dict[str, RackShare]
    rack: RackShare
    reserved: tuple[ReservedUnits, ...] = ()

    def free(self, *, hosts: bool) -> int:
        """Return the units of an empty rack that are not reserved, as bits from the bottom up.

        Racks with hosts and those with switches alone may reserve different ones.
        """
        units = (1 << self.rack.rack_units) - 1
        for each in self.reserved_in(hosts=hosts):
            units &= ~((1 << (each.last or each.first)) - (1 << each.first - 1))
        return units

    def reserved_in(self, *, hosts: bool) -> list[ReservedUnits]:
        """Return the reserved units of racks with hosts, or of those with switches alone."""
        racks = ("all", "hosts" if hosts else "switches")
        return [each for each in self.reserved if each.racks in racks]

    def limits(self, *loads: tuple[str, int]) -> list[int | None]:
        """Return the limits of a rack with these loads, without its reserved units."""
        hosts = any(kind == HOST and count for kind, count in loads)
        return [self.free(hosts=hosts).bit_count(), *self.rack[1:]]

    def exceeded(self, *loads: tuple[str, int]) -> bool:
        """Return whether so many devices of each kind exceed a limit of a rack."""
        return any(
            sum(count * (self.of[kind][at] or 0) for kind, count in loads if count) > limit
            for at, limit in enumerate(self.limits(*loads))
            if limit is not None
        )

    def fits(self, *loads: tuple[str, int]) -> bool:
        """Return whether so many devices of each kind fit one rack, between its reserved units."""
        return not self.exceeded(*loads) and self.stacked(*loads) is not None

    def stacked(self, *loads: tuple[str, int]) -> dict[str, list[int]] | None:
        """Return the lowest units of devices in an empty rack: hosts from the bottom, others above.

        Return None where they do not fit.
        """
        free = self.free(hosts=any(kind == HOST and count for kind, count in loads))
        found: dict[str, list[int]] = {}
        for kind, count in loads:
            for _ in range(count):
                need = self.of[kind].rack_units
                place = lowest(free, need) if kind == HOST else highest(free, need)
                if place is None:
                    return None
                free &= ~(((1 << need) - 1) << place - 1)
                found.setdefault(kind, []).append(place)
        return found


def lowest(free: int, need: int) -> int | None:
    """Return the lowest unit, from 1, at which so many units are free; None where there is none.

    >>> lowest(0b111011, 2), highest(0b111011, 2), highest(0b111011, 4)
    (1, 5, None)
    """
    starts = _starts(free, need)
    return (starts & -starts).bit_length() or None


def highest(free: int, need: int) -> int | None:
    """Return the highest such unit, the lowest of those that the device takes."""
    return _starts(free, need).bit_length() or None


def _starts(free: int, need: int) -> int:
    """Return every unit from which on so many are free, as bits."""
    for _ in range(need - 1):
        free &= free >> 1
    return free


WORDS = (
    ("units", "{} units"),
    ("power_w", "{} W"),
    ("weight_kg", "{} kg"),
    ("max_switches", "{} switches"),
)
"""The key of each fact of a share under `site`, and the format of its figures."""


def amount(at: int, value: int, grouping: str = "") -> str:
    """Format a figure of a share; a report groups its digits, a refusal does not.

    >>> amount(1, 40800), amount(1, 40800, ","), amount(2, 130450)
    ('40800 W', '40,800 W', '130.45 kg')
    """
    key, words = WORDS[at]
    return words.format(f"{value / 1000:g}" if key == "weight_kg" else f"{value:{grouping}}")


def shares_of(
    fabric: ResolvedFabric, kinds: tuple[str, ...], groups: Sequence[EquipmentGroup] = ()
) -> Shares:
    """Return what each kind of device takes; `groups` are those beside the compute fabric.

    Raises Refusal `unknown-footprint` for a fact that a described room needs and no source gives.
    """
    site = fabric.spec.site
    limits = (site or DEFAULT_SITE).rack
    rack = RackShare(
        limits.units,
        limits.power_w,
        None if limits.weight_kg is None else limits.weight_kg * 1000,
        limits.max_switches,
    )
    known = {kind: _known(fabric, kind, site) for kind in kinds}
    known |= {group.kind: _facts(group.part, group.stated) for group in groups}
    known |= {group.kind: (0, 0, 0) for group in groups if group.beside_units}
    no_switches = {HOST, *(group.kind for group in groups if not group.switches)}
    no_switches -= {group.kind for group in groups if group.after}
    if site:
        paths = {group.kind: group.path for group in groups}
        findings = [
            finding
            for kind, facts in known.items()
            for finding in _unknown(kind, facts, rack, paths.get(kind))
        ]
        if findings:
            raise Refusal(findings)
        return Shares(
            {
                kind: RackShare(rack_units or 0, watts, grams, int(kind not in no_switches))
                for kind, (rack_units, watts, grams) in known.items()
            },
            rack,
            limits.reserved,
        )
    sizes = dict.fromkeys(known, (SWITCH_UNITS, SWITCH_W))
    sizes |= dict.fromkeys(no_switches, (DEVICE_UNITS, DEVICE_W))
    sizes[HOST] = GPU_UNITS * fabric.host_gpus, GPU_W * fabric.host_gpus
    assumed = {
        kind: _assumed(sizes[kind], facts, rack, int(kind not in no_switches))
        for kind, facts in known.items()
    }
    every = (*assumed.values(), rack)
    return Shares(
        assumed,
        RackShare(
            max(share.rack_units for share in every),
            max(share.power_w or 0 for share in every),
            None,
            None,
        ),
    )


def _known(
    fabric: ResolvedFabric, kind: str, site: Site | None
) -> tuple[int | None, int | None, int | None]:
    """Return the facts of a kind of device from the inventory, or else from the catalog."""
    stated: Footprint = getattr(site.footprints, kind) if site else Footprint.model_construct()
    part: Host | Switch | None = (
        fabric.host if kind == HOST else fabric.port_layouts[ROLES[KINDS.index(kind) - 1]].model
    )
    return _facts(part, stated)


def _facts(
    part: Host | Switch | Device | None, stated: Footprint
) -> tuple[int | None, int | None, int | None]:
    """Return units, watts and grams of a device: as stated, or else as the catalog has them."""
    watts = (
        None if part is None else part.maximum_w if part.maximum_w is not None else part.typical_w
    )
    grams = None if part is None or part.weight_kg is None else Fraction(str(part.weight_kg)) * 1000
    return (
        stated.units or (part.rack_units if part else None),
        stated.power_w or (None if watts is None else math.ceil(watts)),
        (
            stated.weight_kg * 1000
            if stated.weight_kg
            else None
            if grams is None
            else math.ceil(grams)
        ),
    )


def unknown_facts(part: Host | Switch | None, kind: str, site: Site) -> list[str]:
    """Return the facts of a part, None for a generic one, that a described room needs and lacks.

    >>> unknown_facts(None, "leaf", Site())
    ['units']
    """
    limits = (site.rack.units, site.rack.power_w, site.rack.weight_kg)
    known = _facts(part, getattr(site.footprints, kind))
    return [WORDS[at][0] for at in _missing(known, limits)]


def _missing(
    known: tuple[int | None, int | None, int | None], limits: Iterable[int | None]
) -> list[int]:
    """Return which facts of a device are unknown and have a limit."""
    return [
        at
        for at, (fact, limit) in enumerate(zip(known, limits, strict=False))
        if fact is None and limit is not None
    ]


def _assumed(
    usual: tuple[int, int],
    known: tuple[int | None, int | None, int | None],
    rack: RackShare,
    switches: int,
) -> RackShare:
    """Fill in the unknown facts of a device in a generated room by the usual units and watts."""
    rack_units, watts = usual
    return RackShare(
        min(rack_units, rack.rack_units) if known[0] is None else known[0],
        min(watts, rack.power_w or watts) if known[1] is None else known[1],
        None,
        switches,
    )


def _unknown(
    kind: str,
    known: tuple[int | None, int | None, int | None],
    rack: RackShare,
    path: Path | None,
) -> Iterator[Finding]:
    """Refuse a kind of device with unknown facts in a described room."""
    missing = _missing(known, rack)
    if not missing:
        return
    example = EXAMPLES.get(kind, EXAMPLES[""])
    facts = ", ".join(f"{WORDS[at][0]}: {getattr(example, WORDS[at][0])}" for at in missing)
    what = " and ".join(
        ("how many units", "how many watts", "how many kilograms")[at] for at in missing
    )
    *under, key = path or ("site", "footprints", kind)
    name = f"`{kind}`" if under[0] == "devices" else f"a {kind}{'' if kind == HOST else ' switch'}"
    where = ".".join(str(step) for step in under[:1])
    source = "`footprint`" if under[0] == "devices" else "`site.footprints`"
    because = (f"neither the catalog nor {source} has it, and without it no rack can be filled",)
    entry = f"{key}: {{{facts}}}"
    entry = entry if under[0] == "devices" else f"footprints: {{{entry}}}"
    yield Finding(
        "unknown-footprint",
        f"it is unknown {what} {name} takes",
        (*under, key),
        because,
        f"write what it takes, like `{entry}` under `{where}`",
    )

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
from fabricgen.inventory.site import Footprint, Rack, Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.models.host import Host
    from fabricgen.catalog.models.switch import Switch
    from fabricgen.planning.resolve import ResolvedFabric

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


class Shares(NamedTuple):
    """The share of a host and of a switch of each role by kind, and the limits of a rack."""

    of: dict[str, RackShare]
    rack: RackShare

    def fits(self, *loads: tuple[str, int]) -> bool:
        """Return whether so many devices of each kind fit one rack."""
        return not any(used > limit for used, limit in self.used(*loads))

    def used(self, *loads: tuple[str, int]) -> Iterator[tuple[int, int]]:
        """Yield the sum that so many devices use and the rack's limit, for each checked limit."""
        for at, limit in enumerate(self.rack):
            if limit is not None:
                yield sum(count * (self.of[kind][at] or 0) for kind, count in loads), limit


WORDS = (("units", "{} units"), ("power_w", "{:,} W"), ("weight_kg", "{} kg"))
"""The key of each fact of a share under `site`, and the format of its figures."""


def amount(at: int, value: int) -> str:
    """Format a figure of a share.

    >>> amount(1, 40800), amount(2, 130450)
    ('40,800 W', '130.45 kg')
    """
    return WORDS[at][1].format(f"{value / 1000:g}" if at == len(WORDS) - 1 else value)


def shares_of(fabric: ResolvedFabric, kinds: tuple[str, ...]) -> Shares:
    """Return what each kind of device takes.

    Raises Refusal `unknown-footprint` for a fact that a described room needs and no source gives.
    """
    site = fabric.spec.site
    limits = (site or DEFAULT_SITE).rack
    rack = RackShare(
        limits.units,
        limits.power_w,
        None if limits.weight_kg is None else limits.weight_kg * 1000,
    )
    known = {kind: _known(fabric, kind, site) for kind in kinds}
    if site:
        findings = [finding for kind in kinds for finding in _unknown(kind, known[kind], rack)]
        if findings:
            raise Refusal(findings)
        return Shares(
            {
                kind: RackShare(rack_units or 0, *rest)
                for kind, (rack_units, *rest) in known.items()
            },
            rack,
        )
    assumed = {kind: _assumed(fabric, kind, known[kind], rack) for kind in kinds}
    every = (*assumed.values(), rack)
    return Shares(
        assumed,
        RackShare(
            max(share.rack_units for share in every),
            max(share.power_w or 0 for share in every),
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
    part: Host | Switch | None, stated: Footprint
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
    return [
        word
        for (word, _), fact, limit in zip(WORDS, known, limits, strict=True)
        if fact is None and limit is not None
    ]


def _assumed(
    fabric: ResolvedFabric,
    kind: str,
    known: tuple[int | None, int | None, int | None],
    rack: RackShare,
) -> RackShare:
    """Fill in the unknown facts of a device in a generated room."""
    rack_units, watts = (
        (GPU_UNITS * fabric.host_gpus, GPU_W * fabric.host_gpus)
        if kind == HOST
        else (SWITCH_UNITS, SWITCH_W)
    )
    return RackShare(
        known[0] or min(rack_units, rack.rack_units),
        known[1] or min(watts, rack.power_w or watts),
        None,
    )


def _unknown(
    kind: str, known: tuple[int | None, int | None, int | None], rack: RackShare
) -> Iterator[Finding]:
    """Refuse a kind of device with unknown facts in a described room."""
    missing = [
        at
        for at, (fact, limit) in enumerate(zip(known, rack, strict=True))
        if fact is None and limit is not None
    ]
    if not missing:
        return
    example = EXAMPLES.get(kind, EXAMPLES[""])
    facts = ", ".join(f"{WORDS[at][0]}: {getattr(example, WORDS[at][0])}" for at in missing)
    what = " and ".join(
        ("how many units", "how many watts", "how many kilograms")[at] for at in missing
    )
    because = (
        "neither the catalog nor `site.footprints` says so, and without it no rack can be filled",
    )
    hint = f"write what it takes, like `footprints: {{{kind}: {{{facts}}}}}` under `site`"
    yield Finding(
        "unknown-footprint",
        f"it is unknown {what} a {kind}{'' if kind == HOST else ' switch'} takes",
        ("site", "footprints", kind),
        because,
        hint,
    )

"""The lanes of the ports at both ends of a link, and whether they join.

A port of a speed is so many lanes of an equal share of it. A module may map the lanes of its cage
to others on the fibre; the generic module of a speed has the maps that modules of that speed have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.catalog.models.base import ANY_LANES, possible_lanes
from fabricgen.core.diagnostics import Finding
from fabricgen.core.terms import speed_text

if TYPE_CHECKING:
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.host import Host, Nic
    from fabricgen.catalog.models.switch import Breakout, Switch
    from fabricgen.core.diagnostics import Path

    Lanes = frozenset[int]
    """The numbers of lanes on which a port can run."""

UNKNOWN = ("generic", "lc")
"""The form factors of cages without lanes of their own: generic ones, and those of circuits."""


def port_lanes(model: Switch, mode: Breakout) -> Lanes:
    """Return the lanes of a port of a switch; any where it has none of its own."""
    return ANY_LANES if model.form_factor in UNKNOWN else frozenset({mode.lanes})


def nic_lanes(host: Host | None, nic: Nic | None, speed_gbps: int, planes: int) -> Lanes:
    """Return the lanes of a NIC port: those of its file, else those that its cage allows."""
    if nic and speed_gbps in nic.lanes:
        return frozenset(nic.lanes[speed_gbps])
    if host is None:
        return possible_lanes(nic.form_factor, speed_gbps) if nic else ANY_LANES
    cage = host.ports[0].cage
    links = sum(port.cage == cage and port.plane < planes for port in host.ports)
    return possible_lanes(host.form_factor, speed_gbps, links)


def join(lower: Lanes, upper: Lanes, speed_gbps: int, catalog: Catalog) -> bool:
    """Return whether a link can have a port at each end: directly, or through modules."""
    if not lower.isdisjoint(upper):
        return True
    module = catalog.generic_transceiver(speed_gbps)
    low, high = (module.fibre_lanes(lanes, speed_gbps) for lanes in (lower, upper))
    return not low.isdisjoint(high)


def joining_mode(model: Switch, speed_gbps: int, other: Lanes, catalog: Catalog) -> Breakout | None:
    """Return the breakout with the most ports of a speed that join ports of so many lanes.

    None where there is none.
    """
    fitting = [
        mode
        for mode in model.breakouts
        if mode.speed_gbps == speed_gbps
        and join(port_lanes(model, mode), other, speed_gbps, catalog)
    ]
    return max(fitting, key=lambda mode: mode.count, default=None)


def lanes_differ(
    names: tuple[str, str],
    ends: tuple[Lanes, Lanes],
    model: Switch,
    mode: Breakout,
    path: Path,
    catalog: Catalog,
) -> Finding:
    """Refuse ports of a switch that cannot join the ports of the other end, the lower one."""
    speed = mode.speed_gbps
    better = joining_mode(model, speed, ends[0], catalog)
    lanes = " or ".join(map(str, sorted(ends[0])))
    return Finding(
        "lanes-mismatch",
        f"ports of {speed_text(speed)} at {names[0]} and at {names[1]} differ in lanes",
        path,
        tuple(
            f"a port of {name} is {_text(own, speed)}"
            for name, own in zip(names, ends, strict=True)
        ),
        f"use `breakout: {better.name}`"
        if better
        else f"choose a switch with ports of {speed_text(speed)} on {lanes} lanes",
    )


def _text(lanes: Lanes, speed_gbps: int) -> str:
    """Format the lanes of a port, like `4 lanes of 50G`."""
    every = sorted(lanes, reverse=True)
    return " or ".join(f"{many} lanes of {speed_gbps / many:g}G" for many in every)

"""The panels of each rack: how many its trunks need, and the rack units that they take.

Trunks fill the rear ports in order; one that does not fit the rest of a panel begins at the next.
Owns `Panel`, and the refusal `panels-full`.
"""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.count_text import plain_count
from fabricgen.core.diagnostics import refuse
from fabricgen.planning.room.footprints import highest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fabricgen.planning.channels.panel_racks import PanelSite
    from fabricgen.planning.channels.parts import PanelParts
    from fabricgen.planning.room.room import Room


class Panel(NamedTuple):
    """A panel in its rack; `rack_unit` is its lowest unit."""

    name: str
    parts: PanelParts
    rack: int
    rack_unit: int


class PanelSpace(NamedTuple):
    """Where panels may be placed: the room of all devices, and what other panels take.

    `others` are the panels of other networks. `kept` are the units of all panels that are
    installed, by the place of the rack. `network` is the one that is cabled; empty for compute.
    """

    room: Room
    others: tuple[Panel, ...] = ()
    kept: Mapping[tuple[int, ...], int] = MappingProxyType({})
    network: str = ""

    def name(self, rack: int, number: int) -> str:
        """Name a panel of a rack."""
        own = f"-{self.network}" if self.network else ""
        return f"{self.room.names[rack]}{own}-P{number}"

    def free(self, racks: set[int]) -> dict[int, int]:
        """Return the free units of each rack, as bits from the bottom up."""
        room, positions = self.room, self.room.positions
        found = dict.fromkeys(racks, (1 << room.shares.rack.rack_units) - 1)
        columns = (positions.rack, positions.rack_unit, room.rack_units)
        for rack, unit, need in zip(*(each.tolist() for each in columns), strict=True):
            if rack in found and need:
                found[rack] &= ~_mask(unit, need)
        for panel in self.others:
            if panel.rack in found:
                found[panel.rack] &= ~_mask(panel.rack_unit, panel.parts.panel.rack_units)
        for rack in found if self.kept else ():
            place = (positions.hall[rack], positions.row[rack], positions.at[rack])
            found[rack] &= ~self.kept.get(tuple(map(int, place)), 0)
        return found


class TrunkPlug(NamedTuple):
    """Where a trunk ends: a panel of a site, and the first of its rear ports, both from 0."""

    panel: int
    port: int


class PanelNeed(NamedTuple):
    """The panels that a site needs: new ones above those it has, and the rear ports of all."""

    new: int
    below: int
    ports: int


def fill_panels(
    site: PanelSite, entry: PanelParts, trunks: Iterable[int], room: Room, below: Mapping[int, int]
) -> list[TrunkPlug]:
    """Return where trunks with so many connectors end. Raises Refusal `panels-full`.

    `below` are the panels that the site has, and how many rear ports of each are filled: trunks
    follow behind those of the last one.
    """
    plugs: list[TrunkPlug] = []
    panel, port = max(len(below) - 1, 0), [0, *below.values()][-1]
    for legs in trunks:
        if legs > entry.rear_ports:
            raise _full(
                site,
                f"a trunk of {legs} connectors does not fit a panel of rack"
                f" {room.names[site.rack]}",
                (f"a panel has {entry.rear_ports} ports at its rear",),
                "use trunks of fewer `fibres`, or a larger `panel`",
            )
        if port + legs > entry.rear_ports:
            panel, port = panel + 1, 0
        plugs.append(TrunkPlug(panel, port))
        port += legs
    return plugs


def place_panels(
    sites: Sequence[PanelSite],
    entries: Sequence[PanelParts],
    needs: Sequence[PanelNeed],
    space: PanelSpace,
    kept: Sequence[Panel],
) -> list[Panel]:
    """Place the new panels of all sites beside the kept ones. Raises Refusal `panels-full`."""
    room, free = space.room, space.free({site.rack for site in sites})
    names = Counter(panel.rack for panel in kept)
    found = []
    for site, need in zip(sites, needs, strict=True):
        entry = entries[site.entry]
        _check_count(site, entry, need, room)
        units = list(_units(entry, need, free[site.rack]))
        if len(units) < need.new:
            raise _no_unit(site, entry, need, len(units), room)
        for unit in units:
            names[site.rack] += 1
            name = space.name(site.rack, names[site.rack])
            free[site.rack] &= ~_mask(unit, entry.panel.rack_units)
            found.append(Panel(name, entry, site.rack, unit))
    return found


def _units(entry: PanelParts, needs: PanelNeed, free: int) -> Iterator[int]:
    """Yield the lowest unit of each new panel of a rack, as far as units are free."""
    need = entry.panel.rack_units
    unit = (entry.asked.rack_unit or 0) + needs.below * need
    for _ in range(needs.new):
        place = highest(free, need) if entry.asked.rack_unit is None else unit
        if place is None or _mask(place, need) & ~free:
            return
        free &= ~_mask(place, need)
        yield place
        unit = place + need


def _mask(unit: int, need: int) -> int:
    """Return the units of a panel as bits."""
    return ((1 << need) - 1) << unit - 1


def _check_count(site: PanelSite, entry: PanelParts, need: PanelNeed, room: Room) -> None:
    """Refuse more panels in a rack than the inventory allows."""
    most, count = entry.asked.count, need.new + need.below
    if most is not None and count > most:
        raise _full(
            site,
            f"rack {room.names[site.rack]} needs {count} panels, and `count` allows {most}",
            (_sum(entry, need),),
            f"use `count: {count}`, panels with more ports, or trunks with fewer spares",
        )


def _no_unit(
    site: PanelSite, entry: PanelParts, needs: PanelNeed, fitting: int, room: Room
) -> Exception:
    """Refuse panels for which a rack has no units."""
    count = needs.new
    need, unit = entry.panel.rack_units, entry.asked.rack_unit
    where = f"from unit {unit} up" if unit else "in its free units"
    because = (
        _sum(entry, needs),
        f"each takes {plain_count(need, 'rack unit')}; {where} the rack has space for {fitting}",
    )
    return _full(
        site,
        f"rack {room.names[site.rack]} has no space for {plain_count(count, 'panel')}",
        because,
        f"keep {plain_count(count * need, 'unit')} free under `site.rack.reserved` and give the"
        " lowest as `rack_unit`, or use panels with more ports",
    )


def _sum(entry: PanelParts, need: PanelNeed) -> str:
    """Return the arithmetic of the panels of a rack."""
    below = f", of which it has {need.below}" if need.below else ""
    return (
        f"{plain_count(need.ports, 'connector')} of trunks end there, and a {entry.panel.model} has"
        f" {entry.rear_ports}: {plain_count(need.new + need.below, 'panel')}{below}"
    )


def _full(site: PanelSite, fact: str, because: tuple[str, ...], hint: str) -> Exception:
    """Refuse a rack of panels."""
    path = ("cabling", "panels", site.entry)
    return refuse("panels-full", fact, path=path, because=because, hint=hint)

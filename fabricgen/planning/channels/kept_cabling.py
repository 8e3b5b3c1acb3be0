"""The panels, the trunks and the strands that a plan keeps, found in the room of the fabric.

Owns `KeptCabling`, which is empty where a plan keeps nothing, and the refusal of an inventory in
which what is installed has no place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.diagnostics import refuse
from fabricgen.planning.channels.panel_racks import PanelSite
from fabricgen.planning.channels.panels import Panel, TrunkPlug

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.core.arrays import BoolArray, IntArray
    from fabricgen.core.diagnostics import Path
    from fabricgen.planning.baseline.kept_channels import KeptChannels, TrunkMake
    from fabricgen.planning.channels.panels import PanelSpace
    from fabricgen.planning.channels.parts import ChannelParts, PanelParts
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.room.room import Room


class KeptTrunk(NamedTuple):
    """A trunk that is installed: its make, and where both of its ends are."""

    make: TrunkMake
    a: TrunkPlug
    b: TrunkPlug


class Strands(NamedTuple):
    """The strand of each link, as `KeptStrands` has them; a trunk of -1 where it has none."""

    trunk: IntArray
    leg: IntArray
    port: IntArray
    lower_is_a: BoolArray

    def select(self, rows: BoolArray | IntArray) -> Strands:
        """Return the strands of some links."""
        return Strands(self.trunk[rows], self.leg[rows], self.port[rows], self.lower_is_a[rows])

    def without(self, rows: BoolArray) -> Strands:
        """Return these strands, and none for some links."""
        return self._replace(trunk=np.where(rows, -1, self.trunk))


class InstalledTrunks(NamedTuple):
    """The trunks that are installed as columns: the sites at both ends, kind, and connectors."""

    a: IntArray
    b: IntArray
    kind: IntArray
    legs: IntArray


@dataclass(frozen=True)
class KeptCabling:
    """What is installed: panels with their sites, trunks, and a strand for each cable of a link."""

    panels: tuple[Panel, ...] = ()
    sites: tuple[PanelSite, ...] = ()
    trunks: tuple[KeptTrunk, ...] = ()
    strands: Strands | None = None

    def of_places(self, place: IntArray, count: int) -> Strands:
        """Return the strands of cables by their places among `count`; a place of -1 has none.

        Raises Refusal `cannot-grow` where the plan keeps those of a fabric of another size.
        """
        if self.strands is None:
            none = np.full(len(place), -1, dtype=np.int64)
            return Strands(none, none, none, np.zeros(len(place), dtype=bool))
        if len(self.strands.trunk) != count:
            because = f"it keeps {len(self.strands.trunk)} cables, and the fabric has {count}"
            raise _refused(because, ("kept",))
        return self.strands.select(place).without(place < 0)

    @property
    def ends(self) -> IntArray:
        """The panels at ends A and B of each trunk; shape (trunks, 2)."""
        panels = [(trunk.a.panel, trunk.b.panel) for trunk in self.trunks]
        return np.array(panels, dtype=np.int64).reshape(-1, 2)

    def filled(self, site: PanelSite) -> dict[int, int]:
        """Return the panels of a site, and how many rear ports of each are filled."""
        found = {panel: 0 for panel, own in enumerate(self.sites) if own == site}
        for trunk in self.trunks if found else ():
            for plug in (trunk.a, trunk.b):
                if plug.panel in found:
                    last = plug.port + self._legs(trunk)
                    found[plug.panel] = max(found[plug.panel], last)
        return found

    def _legs(self, trunk: KeptTrunk) -> int:
        """Return the connectors of a trunk."""
        return trunk.make.fibres // self.panels[trunk.a.panel].parts.rear.positions

    def installed(
        self, kinds: Sequence[ChannelParts], sites: Sequence[PanelSite]
    ) -> InstalledTrunks:
        """Return the trunks by sites and kinds, as their indexes. Raises Refusal `cannot-grow`."""
        known = {
            (each.trunk.model, each.path.trunk, each.splices, each.cassette.model): kind
            for kind, each in enumerate(kinds)
        }
        number, rows = {site: at for at, site in enumerate(sites)}, []
        for trunk in self.trunks:
            make, cassette = trunk.make, self.panels[trunk.a.panel].parts.cassette.model
            kind = known.get((make.model, make.polarity, make.splices, cassette))
            if kind is None:
                splices = f" and {make.splices} splices" if make.splices else ""
                text = f"{make.model} of polarity {make.polarity}{splices} is installed"
                because = f"{text}, and no link would run through it"
                raise _refused(because, ("cabling", "trunks"))
            ends = (number[self.sites[plug.panel]] for plug in (trunk.a, trunk.b))
            rows.append((*ends, kind, self._legs(trunk)))
        found = InstalledTrunks(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)
        self._check_strands(found.legs)
        return found

    def _check_strands(self, legs: IntArray) -> None:
        """Refuse strands that their trunks do not have."""
        if self.strands is None:
            return
        own = self.strands.select(self.strands.trunk >= 0)
        fanouts = [self.panels[trunk.a.panel].parts.cassette.fanout for trunk in self.trunks]
        fanout = np.array(fanouts, dtype=np.int64)[own.trunk]
        if ((own.leg >= legs[own.trunk]) | (own.port >= fanout)).any():
            raise _refused("it keeps a link on a fibre that its trunk does not have", ("kept",))


def kept_cabling(mapping: Mapping, entries: Sequence[PanelParts], space: PanelSpace) -> KeptCabling:
    """Return what a plan keeps. Raises Refusal `cannot-grow`."""
    kept = mapping.baseline.channels if mapping.baseline else None
    if kept is None:
        return KeptCabling()
    _check_entries(kept, entries)
    sites = tuple(_sites(kept, space.room))
    trunk, leg, port, lower_is_a = (column.astype(np.int64) for column in kept.strands)
    return KeptCabling(
        tuple(_panels(kept, sites, entries, space)),
        sites,
        tuple(
            KeptTrunk(kept.makes[make], TrunkPlug(*ends[:2]), TrunkPlug(*ends[2:]))
            for make, *ends in zip(*(column.tolist() for column in kept.trunks), strict=True)
        ),
        Strands(trunk, leg, port, lower_is_a > 0),
    )


def _check_entries(kept: KeptChannels, entries: Sequence[PanelParts]) -> None:
    """Refuse entries of `cabling.panels` that are not those of the panels that are installed."""
    for number in sorted({*kept.panels.entry.tolist()}):
        was = kept.entries[number]
        now = entries[number].facts if number < len(entries) else None
        if now != was:
            text = f"{now[0]} with {now[1]} and {now[2]} ports" if now else "no such entry"
            because = f"{was[0]} with {was[1]} and {was[2]} ports is installed, and there is {text}"
            raise _refused(because, ("cabling", "panels", number))


def _sites(kept: KeptChannels, room: Room) -> Iterator[PanelSite]:
    """Yield the site of each panel."""
    positions = room.positions
    columns = (positions.hall.tolist(), positions.row.tolist(), positions.at.tolist())
    rack_at = {place: rack for rack, place in enumerate(zip(*columns, strict=True))}
    columns = tuple(column.tolist() for column in kept.panels[:3])
    for place, entry in zip(zip(*columns, strict=True), kept.panels.entry.tolist(), strict=True):
        if place not in rack_at:
            where = f"rack {place[2] + 1} of row {place[1] + 1}"
            raise _refused(f"a panel is in {where}, where the room has no rack", ("site",))
        yield PanelSite(entry, rack_at[place])


def _panels(
    kept: KeptChannels,
    sites: Sequence[PanelSite],
    entries: Sequence[PanelParts],
    space: PanelSpace,
) -> Iterator[Panel]:
    """Yield the panels, which are named in their order."""
    counts: dict[int, int] = {}
    for site, unit in zip(sites, kept.panels.rack_unit.tolist(), strict=True):
        counts[site.rack] = counts.get(site.rack, 0) + 1
        name = space.name(site.rack, counts[site.rack])
        yield Panel(name, entries[site.entry], site.rack, unit)


def _refused(because: str, path: Path) -> Exception:
    """Refuse a fabric in which the cabling that is installed has no place."""
    return refuse(
        "cannot-grow",
        "growth keeps every panel and every trunk",
        path=path,
        because=(because,),
        hint="keep them as they are, and add other panels as entries behind the older ones;"
        " `fabricgen diff` shows what other cabling takes",
    )

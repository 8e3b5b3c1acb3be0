"""The trunks: the panels and rear ports at both ends of each, its name and its length."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.planning.channels.panels import TrunkPlug, fill_panels, place_panels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.planning.channels.panel_racks import PanelSite
    from fabricgen.planning.channels.panels import Panel
    from fabricgen.planning.channels.parts import ChannelParts, PanelParts
    from fabricgen.planning.channels.patch_lengths import PatchRuns
    from fabricgen.planning.channels.trunk_routes import Route
    from fabricgen.planning.room.room import Room


class TrunkRun(NamedTuple):
    """A trunk: its route, its parts, and at both ends the panel and its first rear port, from 0.

    With `pins` its plugs are male.
    """

    name: str
    route: int
    parts: ChannelParts
    pins: bool
    a: TrunkPlug
    b: TrunkPlug
    run_mm: int
    length_mm: int

    @property
    def ends(self) -> tuple[TrunkPlug, TrunkPlug]:
        """Both ends, A first."""
        return self.a, self.b

    @property
    def item(self) -> str:
        """The trunk as the bill names it: its model, fibres and polarity, and plugs."""
        plugs = ("-m" if self.pins else "-f") if self.parts.rear.pins else ""
        polarity = self.parts.path.trunk.lower()
        return f"{self.parts.trunk.model}-{self.parts.fibres}{polarity}{plugs}"


def trunk_ends(
    routes: Sequence[Route],
    kinds: Sequence[ChannelParts],
    entries: Sequence[PanelParts],
    sites: Sequence[PanelSite],
    room: Room,
) -> tuple[list[tuple[TrunkPlug, TrunkPlug]], list[Panel]]:
    """Fill the panels of each site with trunks, route by route, and place the panels.

    Return both ends of each trunk, with panels numbered over the fabric. Raises Refusal.
    """
    held: list[list[tuple[int, int]]] = [[] for _ in sites]
    for route in routes:
        for trunk in range(route.first, route.first + route.trunks):
            for side in (route.a, route.b):
                held[side].append((trunk, kinds[route.kind].legs))
    ends: dict[tuple[int, int], TrunkPlug] = {}
    needed: list[tuple[int, int]] = []
    for number, (site, trunks) in enumerate(zip(sites, held, strict=True)):
        legs = [each for _, each in trunks]
        plugs = fill_panels(site, entries[site.entry], legs, room)
        first = sum(count for count, _ in needed)
        for (trunk, _), plug in zip(trunks, plugs, strict=True):
            ends[number, trunk] = TrunkPlug(plug.panel + first, plug.port)
        needed.append((plugs[-1].panel + 1 if plugs else 0, sum(legs)))
    panels = place_panels(sites, entries, needed, room)
    both = [
        (ends[route.a, trunk], ends[route.b, trunk])
        for route in routes
        for trunk in range(route.first, route.first + route.trunks)
    ]
    return both, panels


def make_trunks(
    routes: Sequence[Route],
    kinds: Sequence[ChannelParts],
    ends: Sequence[tuple[TrunkPlug, TrunkPlug]],
    runs: PatchRuns,
) -> list[TrunkRun]:
    """Name and measure the trunks, route by route."""
    panels = np.array([[a.panel, b.panel] for a, b in ends], dtype=np.int64).reshape(-1, 2)
    run_mm = runs.between(*panels.T)
    counts: dict[tuple[str, str], int] = {}
    found = []
    for place, route in enumerate(routes):
        own = kinds[route.kind]
        for number in range(route.first, route.first + route.trunks):
            a, b = ends[number]
            racks = runs.rack(a.panel), runs.rack(b.panel)
            counts[racks] = counts.get(racks, 0) + 1
            name, run = f"{racks[0]}/{racks[1]}-T{counts[racks]}", run_mm[number : number + 1]
            (length,) = runs.trunk_mm(own.trunk.lengths_m, run).tolist()
            found.append(TrunkRun(name, place, own, own.pins, a, b, int(run[0]), length))
    return found

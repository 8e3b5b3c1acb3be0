"""The trunks: the panels and rear ports at both ends of each, its name and its length."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.planning.channels.panels import PanelNeed, TrunkPlug, fill_panels, place_panels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.planning.channels.kept_cabling import KeptCabling
    from fabricgen.planning.channels.panel_racks import PanelSite
    from fabricgen.planning.channels.panels import Panel, PanelSpace
    from fabricgen.planning.channels.parts import ChannelParts, PanelParts
    from fabricgen.planning.channels.patch_lengths import PatchRuns
    from fabricgen.planning.channels.trunk_routes import Route, TrunkPlaces


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
    space: PanelSpace,
    kept: KeptCabling,
) -> tuple[list[tuple[TrunkPlug, TrunkPlug]], list[Panel]]:
    """Fill the panels of each site with the new trunks, route by route, and place the panels.

    Return both ends of every trunk, with panels numbered over the fabric; what is kept comes first.
    Raises Refusal.
    """
    held: list[list[tuple[int, int]]] = [[] for _ in sites]
    for route in routes:
        for trunk in range(route.first, route.first + route.trunks):
            for side in (route.a, route.b):
                held[side].append((trunk, kinds[route.kind].legs))
    ends: dict[tuple[int, int], TrunkPlug] = {}
    needs, first = [], len(kept.panels)
    for number, (site, trunks) in enumerate(zip(sites, held, strict=True)):
        legs = [each for _, each in trunks]
        below = kept.filled(site)
        plugs = fill_panels(site, entries[site.entry], legs, space.room, below)
        panels = [*below, *range(first, first + len(plugs))]
        for (trunk, _), plug in zip(trunks, plugs, strict=True):
            ends[number, trunk] = TrunkPlug(panels[plug.panel], plug.port)
        more = max((plug.panel + 1 for plug in plugs), default=0) - len(below)
        needs.append(PanelNeed(max(more, 0), len(below), sum(below.values()) + sum(legs)))
        first += needs[-1].new
    placed = place_panels(sites, entries, needs, space, kept.panels)
    both = [(trunk.a, trunk.b) for trunk in kept.trunks]
    both += [
        (ends[route.a, trunk], ends[route.b, trunk])
        for route in routes
        for trunk in range(route.first, route.first + route.trunks)
    ]
    return both, [*kept.panels, *placed]


def trunk_parts(
    places: TrunkPlaces, kinds: Sequence[ChannelParts], kept: KeptCabling
) -> list[tuple[int, ChannelParts]]:
    """Return the route and the parts of every trunk; those that are kept have their own fibres."""
    own = [
        (route, kinds[places.routes[route].kind]._replace(fibres=trunk.make.fibres))
        for route, trunk in zip(places.installed.tolist(), kept.trunks, strict=True)
    ]
    return own + [
        (number, kinds[route.kind])
        for number, route in enumerate(places.routes)
        for _ in range(route.trunks)
    ]


def make_trunks(
    parts: Sequence[tuple[int, ChannelParts]],
    ends: Sequence[tuple[TrunkPlug, TrunkPlug]],
    runs: PatchRuns,
    network: str,
) -> list[TrunkRun]:
    """Name and measure the trunks of a network, in the order of `trunk_parts`."""
    panels = np.array([[a.panel, b.panel] for a, b in ends], dtype=np.int64).reshape(-1, 2)
    run_mm = runs.between(*panels.T)
    counts: dict[tuple[str, str], int] = {}
    found = []
    for number, ((route, own), (a, b)) in enumerate(zip(parts, ends, strict=True)):
        racks = runs.rack(a.panel), runs.rack(b.panel)
        counts[racks] = counts.get(racks, 0) + 1
        between = "/".join(racks) + (f"-{network}" if network else "")
        name, run = f"{between}-T{counts[racks]}", run_mm[number : number + 1]
        (length,) = runs.trunk_mm(own.trunk.lengths_m, run).tolist()
        found.append(TrunkRun(name, route, own, own.pins, a, b, int(run[0]), length))
    return found

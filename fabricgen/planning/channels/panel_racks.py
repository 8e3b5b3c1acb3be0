"""The rack of panels that serves each end of a link: that of its device, or else the nearest.

Owns `PanelSite`, the panels of one entry of `cabling.panels` in one rack, and the refusal of ends
that no panel serves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.arrays import distinct
from fabricgen.core.diagnostics import refuse, suggest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.core.diagnostics import Path
    from fabricgen.planning.cabling.cable_runs import CableRuns
    from fabricgen.planning.channels.parts import PanelParts
    from fabricgen.planning.room.room import Room


class PanelSite(NamedTuple):
    """Where panels of an entry are: the number of the entry, and that of the rack."""

    entry: int
    rack: int


def panel_sites(
    runs: CableRuns, entries: Sequence[PanelParts], plugs: Sequence[tuple[str, Int32Array]]
) -> tuple[list[PanelSite], dict[str, IntArray]]:
    """Return the sites of panels, and for each plug the site that serves each rack of the room.

    `plugs` has the racks with ends of each connector. Raises Refusal `no-panel`.
    """
    sites: list[PanelSite] = []
    serving: dict[str, IntArray] = {}
    for plug, racks in plugs:
        own = [
            PanelSite(number, rack)
            for number, entry in enumerate(entries)
            if entry.front.name == plug
            for rack in _racks(runs.room, entry, number, racks)
        ]
        if not own:
            raise _no_panel(plug, entries, runs.room.names[int(racks[0])])
        serving[plug] = len(sites) + _nearest(runs, own, racks)
        sites += own
    return sites, serving


def _racks(room: Room, entry: PanelParts, number: int, ends: Int32Array) -> list[int]:
    """Return the racks of an entry."""
    asked, path = entry.asked, ("cabling", "panels", number)
    if asked.racks:
        names = {name: rack for rack, name in enumerate(room.names)}
        _known(asked.racks, names, "rack", (*path, "racks"))
        return sorted(names[name] for name in asked.racks)
    every: list[int] = distinct(ends).tolist()
    if not asked.rows:
        return every
    places = zip(room.positions.hall.tolist(), room.positions.row.tolist(), strict=True)
    rows = [room.hall(hall) + room.row(hall, row) for hall, row in places]
    _known(asked.rows, rows, "row", (*path, "rows"))
    return [rack for rack in every if rows[rack] in asked.rows]


def _known(asked: Iterable[str], known: Iterable[str], what: str, path: Path) -> None:
    """Refuse names that the room does not have."""
    for name in asked:
        if name not in known:
            hint = suggest(name, sorted({*known}), f"`cables.csv` lists the {what} of each end")
            raise refuse("no-panel", f"this room has no {what} `{name}`", path=path, hint=hint)


def _nearest(runs: CableRuns, sites: Sequence[PanelSite], racks: Int32Array) -> IntArray:
    """Return the nearest site to each rack of the room, of equals the first; -1 without ends."""
    found = np.full(len(runs.room.positions.hall), -1, dtype=np.int64)
    ends = distinct(racks)
    every = np.concatenate([ends, np.array([site.rack for site in sites])]).astype(np.int32)
    bottom = np.ones(len(every), dtype=np.int32)
    longer, first = runs.with_panels(every, bottom, bottom)
    panels = np.arange(first + len(ends), first + len(every), dtype=np.int32)
    for number, rack in enumerate(ends.tolist()):
        way = longer.run_mm(np.full_like(panels, first + number), panels)
        found[rack] = int(np.argmin(way))
    return found


def _no_panel(plug: str, entries: Sequence[PanelParts], rack: str) -> Exception:
    """Refuse ends with a connector that no panel has."""
    fronts = ", ".join(dict.fromkeys(entry.front.name for entry in entries))
    return refuse(
        "no-panel",
        f"no panel takes the {plug} of the links that end in rack {rack}",
        path=("cabling", "panels"),
        because=(f"the panels of `cabling.panels` have {fronts} in front",),
        hint="add an entry with that `connector`, or leave such links `direct` under `where`",
    )

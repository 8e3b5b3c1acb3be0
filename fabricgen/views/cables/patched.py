"""The cables of links that run through panels: a jumper at each end, and the trunks between.

Owns `PatchedCables`, which replaces such a link in a list of cables by its two jumpers, the lower
one first. A panel is the device at one end of a jumper; its ports count from 1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.planning.cabling.stock_lengths import metres
from fabricgen.views.cables.view import CableView

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.catalog.models.optics import Cable
    from fabricgen.planning.channels.channels import Channels
    from fabricgen.planning.channels.panels import Panel, TrunkPlug
    from fabricgen.planning.channels.patch_ends import PatchEnds
    from fabricgen.planning.channels.trunks import TrunkRun
    from fabricgen.planning.plan import Plan

NEAR, FAR = "-1", "-2"
"""What follows the label of a link on its jumper at the lower and at the upper end."""


class PatchedCables:
    """The jumpers and the trunks of one plan."""

    def __init__(self, plan: Plan, channels: Channels) -> None:
        """Keep the plan."""
        self._plan, self._channels = plan, channels
        self._racks = plan.lengths.room.names if plan.lengths else []

    def cables(self, views: Sequence[CableView], segment: int, start: int) -> list[CableView]:
        """Return the cables of a run of links of a segment: two jumpers in place of a patched one.

        `views` has a row for each cable of a link, from the link at `start` on.
        """
        channels = self._channels
        first = np.searchsorted(channels.segment, segment)
        last = np.searchsorted(channels.segment, segment, side="right")
        place = int(first + np.searchsorted(channels.row[first:last], start))
        patched = channels.patched(segment, len(self._plan.segment.kind)).tolist()
        found: list[CableView] = []
        row = start - 1
        for view in views:
            row += view.connector <= 1
            if patched[row]:
                found += self._jumpers(view, place)
                place += 1
            else:
                found.append(view)
        return found

    def trunks(self) -> list[CableView]:
        """Return the trunks, which belong to no rail."""
        return [self._trunk(trunk) for trunk in self._channels.trunks]

    def _jumpers(self, view: CableView, place: int) -> Iterator[CableView]:
        """Yield the jumpers of a link, or of one of its cables."""
        channels = self._channels
        parts = channels.parts[channels.part[place]]
        yield self._jumper(view, NEAR, "b", channels.lower, place, parts.lower)
        yield self._jumper(view, FAR, "a", channels.upper, place, parts.upper)

    def _jumper(
        self, view: CableView, suffix: str, side: str, end: PatchEnds, place: int, part: Cable
    ) -> CableView:
        """Return the jumper at one end of a link; `side` is its end at the panel."""
        panel, port = self._panel(int(end.panel[place])), str(int(end.port[place]) + 1)
        at_panel = {
            "device": panel.name,
            "interface": port,
            "port": port,
            "rack": self._racks[panel.rack],
            "unit": str(panel.rack_unit),
            "transceiver": "",
        }
        columns: dict[str, Any] = {f"{side}_{name}": text for name, text in at_panel.items()}
        length_m = metres(int(end.length_mm[place]))
        return replace(
            view, cable=view.cable + suffix, part=part.model, length_m=length_m, **columns
        )

    def _trunk(self, trunk: TrunkRun) -> CableView:
        """Return a trunk; its ports are those at the rear of both panels."""
        a, b = self._panel(trunk.a.panel), self._panel(trunk.b.panel)
        a_ports, b_ports = (rear_ports(trunk, end) for end in trunk.ends)
        return CableView(
            cable=trunk.name,
            rail="",
            plane=0,
            tier=int(trunk.parts.joint.kind),
            a_device=a.name,
            a_interface=a_ports,
            a_port=a_ports,
            b_device=b.name,
            b_interface=b_ports,
            b_port=b_ports,
            speed="",
            a_rack=self._racks[a.rack],
            a_unit=str(a.rack_unit),
            b_rack=self._racks[b.rack],
            b_unit=str(b.rack_unit),
            length_m=metres(trunk.length_mm),
            medium=trunk.parts.trunk.medium,
            part=trunk.item,
            a_transceiver="",
            b_transceiver="",
            piece="",
            connector=0,
            label_ends="AB",
            piece_rail="",
        )

    def _panel(self, number: int) -> Panel:
        """Return a panel by its number."""
        return self._channels.panels[number]


def rear_ports(trunk: TrunkRun, plug: TrunkPlug) -> str:
    """Return the ports of a trunk at the rear of a panel, as text: `R1-R12`."""
    return f"R{plug.port + 1}-R{plug.port + trunk.parts.legs}"

"""The cables of a plan as a data-centre database holds them: one object for each piece.

Owns which rows of the cable list are one piece, how its ends are paired, and NetBox's names of
media. `view` defines the shapes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.colours import HUES
from fabricgen.outputs.dcim.view import EndView, PieceView, tag_of
from fabricgen.views.cables.patched import PatchedCables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.planning.channels.parts import ChannelParts
    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView
    from fabricgen.views.factory import Views

MEDIA = {"mmf": "mmf", "smf": "smf", "dac": "dac-passive", "acc": "dac-active", "aoc": "aoc"}
"""Cable types of NetBox (CableTypeChoices)."""

TWISTED_PAIRS = ("cat5e", "cat6")
"""The same of twisted pairs, whose parts have these names."""

PROFILES = {2: "trunk-2c1p", 4: "trunk-4c1p"}
"""Cable profiles of NetBox 4.5 (CableProfileChoices) that pair ends in order.

The first end at A belongs to the first at B, the second to the second, and so on.
"""

SPLITS = {2: "breakout-1c2p-2c1p", 4: "breakout-1c4p-4c1p"}
"""Cable profiles of NetBox 4.5 that pair the positions of one end with several ends in order."""


class PieceViews:
    """Makes the pieces of one plan; `views` are those of its cables."""

    def __init__(self, plan: Plan, views: Views) -> None:
        """Keep both; nothing is made before it is needed."""
        self.plan, self.views = plan, views
        channels = plan.channels
        self._patched = PatchedCables(plan, channels) if channels else None
        self._panels = {panel.name for panel in channels.panels} if channels else set[str]()

    @cached_property
    def straight_count(self) -> int:
        """The number of cables with one end on each side."""
        channels, more = self.plan.channels, 0
        if channels:
            single = np.array([parts.joint.cables == 1 for parts in channels.parts])
            links = len({*zip(channels.segment.tolist(), channels.row.tolist(), strict=True)})
            more = 2 * int(np.count_nonzero(single[channels.part])) - links
        return self._unshared + more

    @property
    def _unshared(self) -> int:
        """The number of links whose cables are not shared."""
        several = [number for number, joint in enumerate(self.plan.candidates) if joint.shared > 1]
        if not several:
            return self.plan.links
        return sum(
            int(np.count_nonzero(~np.isin(self.plan.candidate[segment], several)))
            for segment in range(self.plan.mapping.segments)
        )

    @property
    def has_shared(self) -> bool:
        """Whether a piece has several ends on a side."""
        several = any(parts.joint.cables > 1 for parts in self._channel_parts)
        return several or self._unshared < self.plan.links

    @property
    def _channel_parts(self) -> Sequence[ChannelParts]:
        """The parts of the channels."""
        return self.plan.channels.parts if self.plan.channels else ()

    def straight(self) -> Iterator[PieceView]:
        """Yield cables from port to port; a link of two cables is one row with both labels.

        A link through panels has a row for each jumper; where it has two at a port, `shared` does.
        """
        for segment in range(self.plan.mapping.segments):
            for cables in self._ports(segment):
                if len(cables) == 1 or not self._is_jumper(cables[0]):
                    yield self._piece(cables, cables[:1])

    def shared(self) -> list[PieceView]:
        """List the pieces that several links share, in the order of their first legs.

        Jumpers that share a port of a device follow as one piece.
        """
        if not self.has_shared:
            return []
        found: dict[str, list[CableView]] = {}
        jumpers = []
        for segment in range(self.plan.mapping.segments):
            for cable in self.views.cables(segment):
                if cable.piece:
                    found.setdefault(cable.piece, []).append(cable)
            own = [cables for cables in self._ports(segment) if len(cables) > 1]
            jumpers += [self._pair(cables) for cables in own if self._is_jumper(cables[0])]
        return [*(self._piece(legs, legs) for legs in found.values()), *jumpers]

    def _ports(self, segment: int) -> Iterator[list[CableView]]:
        """Yield the cables of a segment that carry one link, those at one port together."""
        links = self.views.cables(segment)
        if self._patched is None:
            single = (cable for cable in links if not cable.piece)
            by_port = groupby(single, key=lambda cable: (cable.a_device, cable.a_interface))
            yield from ([*cables] for _, cables in by_port)
            return
        found: dict[tuple[str, str, str], list[CableView]] = {}
        for cable in self._patched.cables(links, segment, 0):
            if not cable.piece:
                far = cable.a_device in self._panels
                port = (
                    (cable.b_device, cable.b_interface, "b")
                    if far
                    else (cable.a_device, cable.a_interface, "a")
                )
                found.setdefault(port, []).append(cable)
        yield from found.values()

    def _is_jumper(self, cable: CableView) -> bool:
        """Return whether a cable ends at a panel."""
        return not self._panels.isdisjoint((cable.a_device, cable.b_device))

    def _pair(self, jumpers: Sequence[CableView]) -> PieceView:
        """Return the jumpers at a port of a device as one piece, the device being at `a`."""
        piece = self._piece(jumpers, jumpers)
        ends = (piece.a, piece.b) if piece.b[0].kind == "frontport" else (piece.b, piece.a)
        return replace(piece, a=ends[0][:1], b=ends[1], profile=SPLITS.get(len(jumpers), ""))

    def _piece(self, rows: Sequence[CableView], legs: Sequence[CableView]) -> PieceView:
        """Make the view of one piece.

        It has the labels of all its rows, and the ends of its legs.
        """
        cable = rows[0]
        return PieceView(
            label=" ".join(row.cable for row in rows),
            type=_type_of(cable),
            color=_color([row.rail for row in rows]),
            length_m=cable.length_m,
            part=cable.part,
            profile=PROFILES.get(len(legs), ""),
            a=[self._end(leg.a_device, leg.a_interface, self._kinds[0]) for leg in legs],
            b=[self._end(leg.b_device, leg.b_interface, self._kinds[1]) for leg in legs],
            tag=tag_of(self.plan),
        )

    @property
    def _kinds(self) -> tuple[str, str]:
        """What the ports at the lower and the upper end of a link are."""
        serial = self.plan.fabric.is_serial
        return ("consoleport", "consoleserverport") if serial else ("interface", "interface")

    def _end(self, device: str, port: str, kind: str) -> EndView:
        """Return an end of a cable; a jumper ends at the front of a panel."""
        return EndView(device, port, "frontport" if device in self._panels else kind)


def _type_of(cable: CableView) -> str:
    """Return NetBox's type of a cable; "" where it has none."""
    return MEDIA.get(cable.medium, cable.part if cable.part in TWISTED_PAIRS else "")


def _color(rails: list[str]) -> str:
    """Return the colour of the rail that all legs are on, as six digits."""
    rail = rails[0] if len({*rails}) == 1 else ""
    return HUES[int(rail) % len(HUES)].fill[1:].lower() if rail else ""

"""The channels of a fabric: each link that runs through panels, as jumper, trunk and jumper.

Owns `Channels`, its columns with a row for each channel. `plan` makes it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.models.optics import Cable
    from fabricgen.catalog.models.patch import Trunk
    from fabricgen.core.arrays import BoolArray, Int64Array, IntArray
    from fabricgen.core.terms import LinkKind
    from fabricgen.planning.channels.loss import LossRates
    from fabricgen.planning.channels.panels import Panel
    from fabricgen.planning.channels.parts import ChannelParts
    from fabricgen.planning.channels.patch_ends import PatchEnds
    from fabricgen.planning.channels.trunks import TrunkRun
    from fabricgen.planning.room.room import Room


class TrunkEnd(NamedTuple):
    """A connector of a trunk, from 0, at its end `A` or `B`."""

    trunk: TrunkRun
    end: str
    leg: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Channels:
    """The structured cabling of a fabric; columns have a row for each channel."""

    panels: tuple[Panel, ...]
    trunks: tuple[TrunkRun, ...]
    parts: tuple[ChannelParts, ...]
    rates: tuple[LossRates, ...]
    """The losses of each of `parts`."""
    segment: IntArray
    row: IntArray
    """The link, with `segment`: a row of `Plan.segment`."""
    cable: IntArray
    """Which cable of the link, from 0."""
    part: IntArray
    """The index in `parts`."""
    lower: PatchEnds
    upper: PatchEnds
    trunk: IntArray
    leg: IntArray
    """The connector of the trunk, from 0."""
    lower_is_a: BoolArray
    """Whether the lower end of the link is at end A of its trunk."""

    def only(self, rows: IntArray) -> Channels:
        """Return the channels of some rows of links, which are numbered anew in their order."""
        here = np.isin(self.row, rows)
        return replace(
            self,
            segment=self.segment[here],
            row=np.searchsorted(rows, self.row[here]),
            cable=self.cable[here],
            part=self.part[here],
            lower=self.lower.select(here),
            upper=self.upper.select(here),
            trunk=self.trunk[here],
            leg=self.leg[here],
            lower_is_a=self.lower_is_a[here],
        )

    def patched(self, segment: int, links: int) -> BoolArray:
        """Return which links of a segment, of so many, run through panels."""
        found = np.zeros(links, dtype=bool)
        found[self.row[self.segment == segment]] = True
        return found

    def of_segment(
        self, segment: int, start: int = 0, stop: int | None = None
    ) -> tuple[IntArray, Int64Array]:
        """Return the channels of a run of links: their places in the run, and their lengths."""
        here = (self.segment == segment) & (self.row >= start)
        here &= self.row < stop if stop is not None else True
        return self.row[here] - start, self.length_mm[here]

    @cached_property
    def behind(self) -> dict[tuple[int, int], TrunkEnd]:
        """The trunk behind each rear port of each panel, both from 0."""
        return {
            (plug.panel, plug.port + leg): TrunkEnd(trunk, end, leg)
            for trunk in self.trunks
            for end, plug in zip("AB", trunk.ends, strict=True)
            for leg in range(trunk.parts.legs)
        }

    def far_port(self, panel: int, port: int) -> tuple[int, int] | None:
        """Return the panel and the front port behind the trunk of a front port, all from 0.

        None where no trunk is behind it.
        """
        fanout = self.panels[panel].parts.cassette.fanout
        rear, inside = divmod(port, fanout)
        behind = self.behind.get((panel, rear))
        if behind is None:
            return None
        plug = behind.trunk.b if behind.end == "A" else behind.trunk.a
        across = behind.trunk.parts.path.far_port(inside)
        return plug.panel, (plug.port + behind.leg) * fanout + across

    def pulled(self, room: Room) -> Iterator[tuple[str, str, str, Cable | Trunk]]:
        """Yield the racks at both ends of each jumper and trunk, its part, and its facts."""
        racks = [room.names[panel.rack] for panel in self.panels]
        for trunk in self.trunks:
            yield racks[trunk.a.panel], racks[trunk.b.panel], trunk.item, trunk.parts.trunk
        for end, cables in (
            (self.lower, [parts.lower for parts in self.parts]),
            (self.upper, [parts.upper for parts in self.parts]),
        ):
            own = room.positions.rack[end.device].tolist()
            columns = zip(own, end.panel.tolist(), self.part.tolist(), strict=True)
            for rack, panel, part in columns:
                yield room.names[rack], racks[panel], cables[part].model, cables[part]

    def count(self, kind: LinkKind) -> int:
        """Count the channels of a kind of link."""
        kinds = np.array([parts.joint.kind for parts in self.parts])
        return int(np.count_nonzero(kinds[self.part] == kind))

    @property
    def trunk_mm(self) -> Int64Array:
        """The length of the trunk of each channel."""
        lengths = np.array([trunk.length_mm for trunk in self.trunks], dtype=np.int64)
        return np.asarray(lengths[self.trunk])

    @property
    def length_mm(self) -> Int64Array:
        """The length of each channel: both jumpers and the trunk."""
        return np.asarray(self.trunk_mm + self.lower.length_mm + self.upper.length_mm)

    @property
    def loss(self) -> Int64Array:
        """The loss of each channel, as `loss` counts it."""
        lengths = [
            each.astype(np.int64)
            for each in (self.lower.length_mm, self.trunk_mm, self.upper.length_mm)
        ]
        found = np.empty(len(self.part), dtype=np.int64)
        for number, rates in enumerate(self.rates):
            here = self.part == number
            found[here] = rates.total(*(each[here] for each in lengths))
        return found

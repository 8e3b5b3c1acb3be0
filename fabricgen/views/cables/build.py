"""From a plan to the views of its cables, segment by segment.

Owns `CableViews`. What differs between segments (names, racks, lengths, labels) is computed for the
rows that are asked for, so that memory does not grow with the fabric.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import chain, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.core.terms import speed_text
from fabricgen.planning.cabling.stock_lengths import metres
from fabricgen.views.cables.cable_list import CableList
from fabricgen.views.cables.view import CABLE_COLUMNS, CableView

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.cabling.compatibility import LinkParts
    from fabricgen.views.link_ends import LinkColumns, LinkEnds
    from fabricgen.views.switches.ports import PortName, Ports

PARTS = ("speed", "medium", "part", "a_transceiver", "b_transceiver")
"""The columns that follow from the candidate of a link."""

PLACES = ("a_rack", "a_unit", "b_rack", "b_unit", "length_m")
"""The columns that follow from the places of its ends."""

KEPT = 4
"""Runs of links whose shared columns are kept: all of a segment, unless it is large."""

INTERFACE, PRINTED = attrgetter("interface"), attrgetter("printed")


class CableViews:
    """Makes the views of the cables of one plan."""

    def __init__(self, ports: Ports) -> None:
        """Keep the ports of the plan."""
        self.plan, self.ports = ports.plan, ports
        self._shared = lru_cache(KEPT)(lambda start, stop: self._ends.shared(slice(start, stop)))

    def prepare(self) -> None:
        """Compute now what all segments share."""
        _ = self._ends.lower_ports, self._ends.upper_ports
        _ = self._rails, self._parts, self._texts, self.plan.pieces

    def cables(self, segment: int, start: int = 0, stop: int | None = None) -> Sequence[CableView]:
        """Return the cables of one segment, or a run of them, in the order of `Plan.segment`."""
        run = slice(start, stop)
        links = self._ends.of_segment(segment).columns_of(self._shared(start, stop))
        candidates = self.plan.candidate[segment][run]
        columns = {
            **self._link_columns(links, segment),
            **dict(zip(PARTS, self._parts[:, candidates].tolist(), strict=True)),
            **dict(zip(PLACES, self._places(segment, run), strict=True)),
            "piece": repeat(""),
            "connector": repeat(0),
            "label_ends": repeat("AB"),
        }
        if self.plan.pieces is None and not self._several:
            return CableList(columns, len(links.cables), _views)
        views = _views(columns)
        self._share_pieces(views, links, candidates, (segment, start))
        return self._split(views, links.kind)

    @property
    def _ends(self) -> LinkEnds[PortName]:
        """The ends of the links."""
        return self.ports.link_ends

    def _link_columns(self, links: LinkColumns, segment: int) -> dict[str, Iterable[Any]]:
        """Return the columns that name a cable and its ends."""
        lower, upper = links.lower_port.tolist(), links.upper_port.tolist()
        rail = self._rails[links.rail].tolist()
        return {
            "cable": links.cables,
            "rail": rail,
            "plane": repeat(self.plan.mapping.plane(segment)),
            "tier": links.kind.tolist(),
            "a_device": links.lower_device.tolist(),
            "a_interface": [*map(INTERFACE, lower)],
            "a_port": [*map(PRINTED, lower)],
            "b_device": links.upper_device.tolist(),
            "b_interface": [*map(INTERFACE, upper)],
            "b_port": [*map(PRINTED, upper)],
            "piece_rail": rail,
        }

    def _places(self, segment: int, run: slice) -> list[Iterable[str]]:
        """Return the columns `PLACES` of a run of links; they are empty without a room."""
        if self.plan.lengths is None:
            return [repeat("")] * len(PLACES)
        lower, upper = self.plan.lengths.runs.ends(segment, run.start, run.stop)
        racks, rack_units, stocks = self._texts
        columns = (
            racks[lower],
            rack_units[lower],
            racks[upper],
            rack_units[upper],
            stocks[self.plan.lengths.stock_at[segment, run]],
        )
        places = [column.tolist() for column in columns]
        if self.plan.channels is not None:
            rows, long = self.plan.channels.of_segment(segment, run.start, run.stop)
            for row, length_mm in zip(rows.tolist(), long.tolist(), strict=True):
                places[-1][row] = metres(length_mm)
        return places

    def _share_pieces(
        self,
        views: list[CableView],
        links: LinkColumns,
        candidates: IntArray,
        start: tuple[int, int],
    ) -> None:
        """Set the piece of links that share one, the ends that they label, and its rail."""
        pieces, (segment, first) = self.plan.pieces, start
        if pieces is None:
            return
        shares = np.array([joint.shared > 1 for joint in self.plan.candidates])
        for row in np.flatnonzero(shares[candidates]).tolist():
            view, place = views[row], (segment, first + row)
            joint = self.plan.candidates[candidates[row]]
            view.piece = self._piece(joint, view, int(links.gpu[row]), first + row)
            view.label_ends = "A" * bool(pieces.lower[place]) + "B" * bool(pieces.upper[place])
            view.piece_rail = "" if pieces.several_rails[place] else view.rail

    def _piece(self, joint: LinkParts, view: CableView, gpu: int, row: int) -> str:
        """Name the piece of cable that a link shares.

        The name is that of the cage at its near end, with the position where a cage holds several.
        """
        plan, upper = self.plan, joint.near == "upper"
        role = joint.kind.upper if upper else joint.kind.lower
        device = view.b_device if upper else view.a_device
        if role is None:
            host, slot = plan.fabric.host, plan.fabric.coordinates.host_slot(gpu)
            return f"{device}:{host.port(slot, view.plane).cage}" if host else device
        ports = plan.segment.upper_port if upper else plan.segment.lower_port
        cage, sub, mode = plan.ports[role][ports[row]]
        position = f"/{sub // joint.shared + 1}" if mode.count > joint.shared else ""
        return f"{device}:{cage}{position}"

    def _split(self, views: list[CableView], kinds: IntArray) -> list[CableView]:
        """Return a view for each cable, where links of a kind take several."""
        if not self._several:
            return views
        many = {int(kind): joint.cables for kind, joint in self.plan.link_parts.items()}
        pairs = zip(views, kinds.tolist(), strict=True)
        return [*chain.from_iterable(_cables(view, many[kind]) for view, kind in pairs)]

    @cached_property
    def _several(self) -> bool:
        """Whether links of a kind take several cables."""
        return any(joint.cables > 1 for joint in self.plan.link_parts.values())

    @cached_property
    def _rails(self) -> NDArray[np.object_]:
        """The text of each rail; the last one, which -1 looks up, is empty.

        A network beside the compute fabric has none: its rails are the members of a bond.
        """
        fabric = self.plan.fabric
        rails = ["" if fabric.network else str(rail) for rail in range(fabric.rails)]
        return np.array([*rails, ""], dtype=object)

    @cached_property
    def _parts(self) -> NDArray[np.object_]:
        """The texts of each candidate; a row for each of `PARTS`."""
        return np.array([*map(_part_texts, self.plan.candidates)], dtype=object).T

    @cached_property
    def _texts(self) -> tuple[NDArray[np.object_], ...]:
        """The texts of each device's rack and rack unit, which may be empty, and of each length."""
        lengths = self.plan.lengths
        if lengths is None:
            return ()
        positions = lengths.room.positions
        racks = np.array([*lengths.room.names, ""], dtype=object)[positions.rack]
        rack_units = np.array(
            [*map(str, range(int(positions.rack_unit.max(initial=0)) + 1)), ""], dtype=object
        )[positions.rack_unit]
        return racks, rack_units, np.array(lengths.stock_m, dtype=object)


def _views(columns: Mapping[str, Iterable[Any]]) -> list[CableView]:
    """Return the views of cables."""
    # a hot loop: CABLE_COLUMNS are the fields in their order, so no view is built by keyword
    return [*map(CableView, *(columns[name] for name in CABLE_COLUMNS))]


def _part_texts(joint: LinkParts) -> tuple[str, str, str, str, str]:
    """Return the texts of a candidate, as `PARTS`; modules are empty where a cable has own ends."""
    low, high = (module.model if module else "" for module in (joint.lower, joint.upper))
    return speed_text(joint.speed_gbps), joint.medium, joint.cable.model, low, high


def _cables(link: CableView, cables: int) -> list[CableView]:
    """Return the cables of a link.

    Where it takes several, a letter follows the label, and the connector the port.
    """
    if cables == 1:
        return [link]
    return [
        replace(
            link,
            cable=link.cable + "abcdefgh"[index],
            a_port=f"{link.a_port}/{index + 1}",
            b_port=f"{link.b_port}/{index + 1}",
            connector=index + 1,
        )
        for index in range(cables)
    ]

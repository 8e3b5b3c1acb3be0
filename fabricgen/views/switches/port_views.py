"""From the links of a segment to the views of its switches' ports in use.

Owns `PortViews`. The ends of the links, and the facts of their ports, are the same in every
segment; names, addresses and peers are resolved for the switches that are asked for.
"""

from __future__ import annotations

from functools import cache, cached_property, lru_cache
from itertools import islice, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind
from fabricgen.views.link_ends import objects
from fabricgen.views.protocols import LinkSettings, headroom_bytes
from fabricgen.views.switches.ports import PortFacts, Ports, SegmentLabels
from fabricgen.views.switches.view import PORT_COLUMNS, PortView

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from fabricgen.core.arrays import BoolArray, Int32Array, Int64Array
    from fabricgen.views.link_ends import SharedColumns


class _SwitchEnds(NamedTuple):
    """The ends of a segment's links at its switches, in order of switch and port.

    The row of the link, whether the switch is its upper end, and whether several rails share the
    switch; the facts and the lanes of the port, and where the ends of each switch begin.
    """

    row: Int32Array
    is_upper: BoolArray
    is_shared: BoolArray
    facts: NDArray[np.object_]
    lanes: Int64Array
    starts: list[int]


class _SharedPorts(NamedTuple):
    """The ports in use of some switches, as they are in every segment.

    Their links, and the rows of these; whether the switch is the upper end; the block whose VRF a
    port is in, or -1; and the columns of the views that are equal.
    """

    rows: Int32Array
    links: SharedColumns
    is_upper: BoolArray
    vrf: list[int]
    columns: dict[str, Sequence[Any]]


KEPT = 32
"""Batches of switches whose shared columns are kept, which is all of a segment in most fabrics."""


class PortViews:
    """Makes the views of the ports of one plan's switches."""

    def __init__(self, ports: Ports) -> None:
        """Keep the ports of the plan."""
        self.plan, self.ports = ports.plan, ports
        self.settings = LinkSettings.of(self.plan.spec)
        self._lengths: tuple[int, Int32Array] | None = None
        self.headroom = cache(self._headroom_of)  # few speeds and lengths, and many ports
        self._shared = lru_cache(KEPT)(self._shared_of)

    def of(self, boxes: Sequence[int], labels: SegmentLabels) -> Iterator[list[PortView]]:
        """Yield the views of the ports in use of each of some switches."""
        if not boxes:
            return
        # numpy resolves the ends of all these switches at once, which costs less than one by one
        shared, starts = self._shared(tuple(boxes)), self.ends.starts
        links, is_upper = labels.ends.columns_of(shared.links), shared.is_upper
        block, slot = links.block.tolist(), links.slot.tolist()
        below = np.where(links.is_host, np.int32(-1), links.lower)
        far = np.where(is_upper, below, links.upper).tolist()
        metres = self._metres(labels.ends.segment)[shared.rows].tolist()
        columns = {
            **shared.columns,
            "peer_device": np.where(is_upper, links.lower_device, links.upper_device).tolist(),
            "peer_interface": map(
                attrgetter("interface"),
                np.where(is_upper, links.lower_port, links.upper_port).tolist(),
            ),
            "cable": links.cables,
            "address": labels.addresses(block, slot),
            "vrf": map([*labels.vrfs, ""].__getitem__, shared.vrf),
            "rail": map(labels.rail_texts.__getitem__, block),
            "length_m": metres,
            "headroom_bytes": map(self.headroom, shared.columns["speed_mbps"], metres),
            "peer_asn": map(labels.peer_asns(far).__getitem__, far),
            "host_route": labels.host_routes(block, slot),
            "peer_address": repeat(""),
            "bonded": repeat(False),  # noqa: FBT003 - a column
        }
        # a hot loop: PORT_COLUMNS are the fields in their order, so no view is built by keyword
        views = map(PortView, *(columns[name] for name in PORT_COLUMNS))
        for box in boxes:
            yield list(islice(views, starts[box + 1] - starts[box]))

    def _shared_of(self, boxes: tuple[int, ...]) -> _SharedPorts:
        """Return what the ports of some switches have in common with those of other segments."""
        every, starts = self.ends, self.ends.starts
        here = np.concatenate([np.arange(starts[box], starts[box + 1]) for box in boxes])
        links = self.ports.link_ends.shared(every.row[here])
        facts = zip(PortFacts._fields, zip(*every.facts[here], strict=True), strict=True)
        return _SharedPorts(
            rows=every.row[here],
            links=links,
            is_upper=every.is_upper[here],
            vrf=np.where(every.is_shared[here], links.block, np.int32(-1)).tolist(),
            columns={
                **dict(facts),
                "to_host": links.is_host.tolist(),
                "lane_count": every.lanes[here].tolist(),
            },
        )

    @cached_property
    def ends(self) -> _SwitchEnds:
        """The ends of a segment's links at its switches."""
        segment, rows = self.plan.segment, np.arange(len(self.plan.segment.kind), dtype=np.int32)
        between = rows[segment.kind != LinkKind.HOST]
        switch = np.concatenate([segment.upper, segment.lower[between]])
        port = np.concatenate([segment.upper_port, segment.lower_port[between]])
        order = np.lexsort((port, switch))
        starts = np.searchsorted(switch[order], np.arange(len(self.plan.naming.boxes) + 1))
        switch, port = switch[order], port[order]
        tier = np.array([box.role.tier for box in self.plan.naming.boxes])[switch]
        facts, lanes = np.empty(len(switch), dtype=object), np.zeros(len(switch), dtype=np.int64)
        for role in self.plan.ports:
            here = tier == role.tier
            facts[here] = objects(self.ports.facts[role])[port[here]]
            lanes[here] = np.array(self.ports.lane_counts[role])[port[here]]
        return _SwitchEnds(
            row=np.concatenate([rows, between])[order],
            is_upper=order < len(rows),
            is_shared=np.array([box.block < 0 for box in self.plan.naming.boxes])[switch],
            facts=facts,
            lanes=lanes,
            starts=starts.tolist(),
        )

    def _headroom_of(self, speed_mbps: int, length_m: int) -> int:
        """Return the headroom of a port: the inventory's, or by its speed and cable.

        A cable in a room that the inventory does not describe counts as one of unknown length.
        """
        given = self.settings.roce.headroom_bytes
        known_m = length_m if self.plan.spec.site else 0
        return given or headroom_bytes(speed_mbps, known_m, self.settings.mtu)

    def _metres(self, segment: int) -> Int32Array:
        """Return the length of each link of a segment in whole metres, rounded up.

        It is 0 where cables have no lengths. The lengths of the last segment are kept.
        """
        if self._lengths is None or self._lengths[0] != segment:
            self._lengths = segment, -(-self.plan.link_mm(segment) // 1000)
        return self._lengths[1]

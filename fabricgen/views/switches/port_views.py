"""From the links of a segment to the views of its switches' ports in use.

Owns `PortViews`. The ends of the links, and the facts of their ports, are the same in every
segment; names, addresses and peers are resolved for the switches that are asked for.
"""

from __future__ import annotations

from functools import cache, cached_property
from itertools import islice, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

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


class PortViews:
    """Makes the views of the ports of one plan's switches."""

    def __init__(self, ports: Ports) -> None:
        """Keep the ports of the plan."""
        self.plan, self.ports = ports.plan, ports
        self.settings = LinkSettings.of(self.plan.spec)
        self._lengths: tuple[int, Int32Array] | None = None
        self._headroom = cache(self._headroom_of)  # few speeds and lengths, and many ports

    def of(self, boxes: Sequence[int], labels: SegmentLabels) -> Iterator[list[PortView]]:
        """Yield the views of the ports in use of each of some switches."""
        if not boxes:
            return
        # numpy resolves the ends of all these switches at once, which costs less than one by one
        every, starts = self.ends, self.ends.starts
        here = np.concatenate([np.arange(starts[box], starts[box + 1]) for box in boxes])
        rows, is_upper = every.row[here], every.is_upper[here]
        links = labels.ends.columns(rows)
        block, slot, to_host = links.block.tolist(), links.slot.tolist(), links.is_host.tolist()
        below = np.where(links.is_host, np.int32(-1), links.lower)
        far = np.where(is_upper, below, links.upper).tolist()
        vrf = np.where(every.is_shared[here], links.block, np.int32(-1)).tolist()
        metres = self._metres(labels.ends.segment)[rows].tolist()
        facts = dict(zip(PortFacts._fields, zip(*every.facts[here], strict=True), strict=True))
        columns = {
            **facts,
            "peer_device": np.where(is_upper, links.lower_device, links.upper_device).tolist(),
            "peer_interface": map(
                attrgetter("interface"),
                np.where(is_upper, links.lower_port, links.upper_port).tolist(),
            ),
            "cable": links.cables,
            "address": labels.addresses(block, slot),
            "to_host": to_host,
            "vrf": map([*labels.vrfs, ""].__getitem__, vrf),
            "rail": map(labels.rail_texts.__getitem__, block),
            "length_m": metres,
            "headroom_bytes": map(self._headroom, facts["speed_mbps"], metres),
            "lane_count": every.lanes[here].tolist(),
            "peer_asn": map(labels.peer_asns(far).__getitem__, far),
            "host_route": labels.host_routes(block, slot),
            "peer_address": repeat(""),
            "bonded": repeat(False),  # noqa: FBT003 - a column
        }
        # a hot loop: PORT_COLUMNS are the fields in their order, so no view is built by keyword
        views = map(PortView, *(columns[name] for name in PORT_COLUMNS))
        for box in boxes:
            yield list(islice(views, starts[box + 1] - starts[box]))

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

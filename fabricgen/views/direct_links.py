"""The links of each NIC port of direct rails, with the GPU at the far end and both addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan


class DirectLink(NamedTuple):
    """One link of a NIC port: its number there, its row in `Plan.segment`, and its far end.

    `block` is the number of the rail and plane; `upper` whether the NIC port is at the upper end;
    addresses are those of both ends.
    """

    port: int
    segment: int
    block: int
    row: int
    upper: bool
    peer: int
    peer_port: int
    address: int
    peer_address: int


class DirectLinks:
    """Finds the links of the NIC ports of a plan with direct rails."""

    def __init__(self, plan: Plan) -> None:
        """Index the ends of the links of one rail by GPU and port."""
        self._plan, links = plan, plan.segment
        node = plan.mapping.pattern_index
        shape = (node(plan.fabric.gpus), plan.fabric.split)
        # a row of the segment, twice, plus one at its upper end; -1 where a port is idle
        self._ends = np.full(shape, -1, dtype=np.int64)
        for end, (gpu, port) in enumerate(
            ((links.lower, links.lower_port), (links.upper, links.upper_port))
        ):
            self._ends[node(gpu), port] = 2 * np.arange(len(gpu), dtype=np.int64) + end

    def of(self, gpu: int, plane: int) -> Iterator[DirectLink]:
        """Yield the links of a NIC port in order of their ports, without idle ones."""
        plan, mapping = self._plan, self._plan.mapping
        segment, place = mapping.home(gpu, plane)
        block = segment * mapping.segment_blocks + place
        columns = plan.segment
        for port, end in enumerate(self._ends[mapping.pattern_index(gpu)].tolist()):
            if end < 0:
                continue
            row, upper = divmod(end, 2)
            far = (
                (columns.lower, columns.lower_port)
                if upper
                else (columns.upper, columns.upper_port)
            )
            addresses = plan.addresses.link_addresses(block, row)
            yield DirectLink(
                port=port,
                segment=segment,
                block=block,
                row=row,
                upper=bool(upper),
                peer=int(mapping.lower_gpu(segment, far[0][row], place)),
                peer_port=int(far[1][row]),
                address=addresses[upper],
                peer_address=addresses[1 - upper],
            )

"""The links of the whole fabric as columns, with the numbers of switches and GPUs in the fabric.

Owns `Wiring`, for laws and comparisons, which read all segments at once. A million GPUs are three
million rows, some 110 MB; `segment_links` wires the one segment that a plan holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.planning.plan import Plan


class Wiring(NamedTuple):
    """The installed links of a fabric as int32 columns, by segment, in the order of `Plan.segment`.

    `kind` is a LinkKind; `block` counts within the segment. `lower` and `lower_port` are GPU and
    plane at a host link, otherwise switch and port; a switch has the number segment * boxes of a
    segment + box. Ports index `Plan.ports` of the role; `slot` is the endpoint position of a host
    link, else -1; `number` counts the cables of a kind within a block, from 1. A direct link has
    GPUs at both ends, with ports that count over the planes.
    """

    segment: Int32Array
    kind: Int32Array
    block: Int32Array
    lower: Int32Array
    lower_port: Int32Array
    upper: Int32Array
    upper_port: Int32Array
    slot: IntArray
    number: Int32Array


def wiring_of(plan: Plan) -> Wiring:
    """Wire the whole fabric: repeat the links of one segment for each."""
    segment, mapping, boxes = plan.segment, plan.mapping, len(plan.naming.boxes)
    segments, host = np.arange(mapping.segments, dtype=np.int32), segment.kind == LinkKind.HOST
    rails = np.stack([mapping.first_rail(each, segment.block) for each in range(mapping.segments)])
    planes = np.array([mapping.plane(each) for each in range(mapping.segments)], dtype=np.int32)
    direct, split = segment.kind == LinkKind.DIRECT, np.int32(mapping.fabric.split)
    first = (segments * np.int32(boxes))[:, None]
    # the links of a split NIC port count on from those of the planes before
    port = planes[:, None] * np.where(direct, split, np.int32(1))
    return Wiring(
        segment=np.repeat(segments, len(host)),
        kind=np.tile(segment.kind, mapping.segments),
        block=np.tile(segment.block, mapping.segments),
        lower=(segment.lower + np.where(host | direct, rails, first)).ravel(),
        lower_port=(segment.lower_port + np.where(host | direct, port, np.int32(0))).ravel(),
        upper=(segment.upper + np.where(direct, rails, first)).ravel(),
        upper_port=(segment.upper_port + np.where(direct, port, np.int32(0))).ravel(),
        slot=np.tile(segment.slot, mapping.segments),
        number=np.tile(segment.number, mapping.segments),
    )

"""The links of the whole fabric as columns: every unit stamped, every switch and GPU counted over all of them.

Owns `Wiring` and the numbers by which the whole fabric counts its switches. `planner` wires one
unit; who judges or compares a whole fabric reads it here. A million GPUs are three million rows,
some 110 MB.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.plan import Plan


class Wiring(NamedTuple):
    """The installed links of a fabric as int32 columns of one length, unit by unit, in the order of `Plan.unit`.

    `kind` is a LinkKind; `block` counts within the unit. `lower` and `lower_port` are GPU and plane
    at a host link, otherwise switch and port; switches count as unit * boxes of a unit + box. Ports
    index `Plan.ports` of the role; `slot` is the endpoint position of a host link, else -1;
    `number` counts the cables of a kind within a block, from 1.
    """

    unit: Int32Array
    kind: Int32Array
    block: Int32Array
    lower: Int32Array
    lower_port: Int32Array
    upper: Int32Array
    upper_port: Int32Array
    slot: Int32Array
    number: Int32Array


def wiring_of(plan: Plan) -> Wiring:
    """Wire the whole fabric: stamp the links of one unit for each."""
    unit, mapping, boxes = plan.unit, plan.mapping, len(plan.naming.boxes)
    units, host = np.arange(mapping.units, dtype=np.int32), unit.kind == LinkKind.HOST
    rails = np.array(
        [
            [mapping.rail(each, block) or 0 for block in range(mapping.unit_blocks)]
            for each in range(mapping.units)
        ],
        dtype=np.int32,
    )
    planes = np.array([mapping.plane(each) for each in range(mapping.units)], dtype=np.int32)
    first = (units * np.int32(boxes))[:, None]
    return Wiring(
        np.repeat(units, len(host)),
        np.tile(unit.kind, mapping.units),
        np.tile(unit.block, mapping.units),
        (unit.lower + np.where(host, rails[:, unit.block], first)).ravel(),
        (unit.lower_port + np.where(host, planes[:, None], np.int32(0))).ravel(),
        (unit.upper + first).ravel(),
        np.tile(unit.upper_port, mapping.units),
        np.tile(unit.slot, mapping.units),
        np.tile(unit.number, mapping.units),
    )

"""Links that take the same candidates: those of a kind, and of one speed where it has several.

On a network beside the compute fabric, devices may have ports of several speeds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.cabling.compatibility import LinkParts
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.resolve import ResolvedFabric
    from fabricgen.planning.segment_links import Segment


class LinkClass(NamedTuple):
    """A kind of link and its speed."""

    kind: LinkKind
    speed_gbps: int


def class_of(joint: LinkParts) -> LinkClass:
    """Return the class of links that some parts serve."""
    return LinkClass(joint.kind, joint.speed_gbps)


def classes_of(candidates: Iterable[LinkParts]) -> list[LinkClass]:
    """Return the classes of links that have candidates, from the hosts up."""
    return list(dict.fromkeys(map(class_of, candidates)))


def downlink_speeds(fabric: ResolvedFabric) -> tuple[int, ...]:
    """Return the speeds of the ports of devices, in Gbps; several on a network only."""
    others = fabric.network.modes if fabric.network else ()
    return (fabric.speed_gbps, *(mode.speed_gbps for mode in others))


def rows_of(each: LinkClass, mapping: Mapping, links: Segment) -> IntArray:
    """Return the links of a segment that are of a class."""
    rows = np.flatnonzero(links.kind == each.kind)
    speeds = np.array(downlink_speeds(mapping.fabric))
    if each.kind is not LinkKind.HOST or mapping.network_leaves is None or len(speeds) == 1:
        return rows
    own = speeds[mapping.network_leaves.speed_of(links.upper_port[rows])]
    found: IntArray = rows[own == each.speed_gbps]
    return found

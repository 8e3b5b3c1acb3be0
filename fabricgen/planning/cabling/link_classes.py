"""Links that take the same candidates: those of a kind, or of alike ports where it has several.

On a network beside the compute fabric, devices have ports of several speeds and form factors.
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.catalog.models.base import ANY_LANES
from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.networks.attachments import CageSplit, split_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.cabling.compatibility import LinkParts
    from fabricgen.planning.lanes import Lanes
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.resolve import ResolvedFabric
    from fabricgen.planning.segment_links import Segment


class LinkClass(NamedTuple):
    """A kind of link, its speed, and what devices at its lower end have of their own.

    `connector` is the form factor of their ports, empty where it is unknown; `breakout` that of the
    cages at the upper end, where they are not split as for the other devices of a network, and
    `stated` whether the inventory states it.
    """

    kind: LinkKind
    speed_gbps: int
    connector: str = ""
    breakout: str = ""
    stated: bool = False
    lanes: Lanes = ANY_LANES
    """Those of their ports."""


def class_of(joint: LinkParts) -> LinkClass:
    """Return the class of links that some parts serve."""
    own = joint.connector, joint.breakout, joint.stated, joint.lanes
    return LinkClass(joint.kind, joint.speed_gbps, *own)


def classes_of(candidates: Iterable[LinkParts]) -> list[LinkClass]:
    """Return the classes of links that have candidates, from the hosts up."""
    return list(dict.fromkeys(map(class_of, candidates)))


def host_classes(fabric: ResolvedFabric) -> list[LinkClass]:
    """Return the classes of the links of hosts and devices; several on a network only."""
    if fabric.network is None:
        return [LinkClass(LinkKind.HOST, fabric.speed_gbps)]
    used = (group.interfaces and group.names for group in fabric.network.attached.groups)
    return list(dict.fromkeys(compress(_device_classes(fabric), used)))


def rows_of(each: LinkClass, mapping: Mapping, links: Segment) -> IntArray:
    """Return the links of a segment that are of a class."""
    rows = np.flatnonzero(links.kind == each.kind)
    network = mapping.fabric.network
    if each.kind is not LinkKind.HOST or network is None:
        return rows
    own = np.array([other == each for other in _device_classes(mapping.fabric)])
    bond = links.lower[rows] // network.attached.bond
    found: IntArray = rows[own[network.attached.group_of(bond)]]
    return found


def _device_classes(fabric: ResolvedFabric) -> list[LinkClass]:
    """Return the class of the links of each group of attached devices."""
    groups = fabric.network.attached.groups if fabric.network else ()
    leaf = fabric.port_layouts[Role.LEAF]
    found = []
    for group in groups:
        split = split_of(group, leaf) or CageSplit(leaf.down)
        own = split.mode.name if split.mode != leaf.down else ""
        speed = group.speed_gbps or fabric.speed_gbps
        lanes = group.lanes_at(speed)
        found.append(LinkClass(LinkKind.HOST, speed, group.connector, own, split.stated, lanes))
    return found

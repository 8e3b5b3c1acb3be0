"""Links that take the same candidates: those of a kind, or of alike ports where it has several.

On a network beside the compute fabric, devices have ports of several speeds and form factors.
"""

from __future__ import annotations

from itertools import compress
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
    """A kind of link, its speed, and the form factor of the ports of devices at its lower end.

    The form factor is empty where it is unknown, and where the lower end is no such device.
    """

    kind: LinkKind
    speed_gbps: int
    connector: str = ""


def class_of(joint: LinkParts) -> LinkClass:
    """Return the class of links that some parts serve."""
    return LinkClass(joint.kind, joint.speed_gbps, joint.connector)


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
    return [
        LinkClass(LinkKind.HOST, group.speed_gbps or fabric.speed_gbps, group.connector)
        for group in groups
    ]

"""The cage of each end of a link, numbered over the whole fabric, and links that share a cable.

A module fills a cage, so the choice and the count of modules need the link ends that share one. The
catalog's model defines a host's cages; without a model each NIC port is a cage of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from fabricgen.core.arrays import IntArray
    from fabricgen.core.terms import Role
    from fabricgen.planning.cabling.compatibility import End, LinkParts
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.port_layout import Port
    from fabricgen.planning.resolve import ResolvedFabric
    from fabricgen.planning.segment_links import Segment

MOST_LINKS = 64
"""More links than any cage has."""


class PortCages(NamedTuple):
    """The cage of each port of a device, and the position in it, from 0.

    `size` is how many numbers the cages of one device take.
    """

    cage: IntArray
    position: IntArray
    size: int


class Cages(NamedTuple):
    """The cages of a fabric: `links` and `boxes` are those of one segment."""

    mapping: Mapping
    links: Segment
    boxes: int
    of_switch: dict[Role, PortCages]
    """The ports of a switch of each role, in the order of `Plan.ports`."""
    of_nics: PortCages
    """The NIC ports of a host; shape (GPUs of a host, planes)."""

    def at(self, end: End, kind: LinkKind, segment: int, rows: IntArray) -> IntArray:
        """Return the number of the cage at one end of some links of a segment.

        The cages of all switches are numbered; apart from them, those of all hosts.
        """
        links, role = self.links, kind.role(end)
        if role is None:
            coordinates, gpu = self.mapping.fabric.coordinates, self._gpu(segment, rows, end)
            cages = self.of_nics.cage[coordinates.host_slot(gpu), self.mapping.plane(segment)]
            return np.asarray(coordinates.host(gpu) * self.of_host + cages)
        box, port = (
            (links.upper, links.upper_port) if end == "upper" else (links.lower, links.lower_port)
        )
        cage, _, size = self.of_switch[role]
        return (segment * self.boxes + box[rows].astype(np.int64)) * size + cage[port[rows]]

    def own(self, rows: IntArray) -> dict[End, IntArray]:
        """Return the links whose module at the lower end, and at the upper one, is of this plan.

        On a leaf of the compute fabric, a link of GPUs may have the module of a cage already.
        """
        leaves = self.mapping.fabric.shared_leaves
        if leaves is None:
            return {"lower": rows, "upper": rows}
        filled = np.array(leaves.filled)
        return {"lower": rows, "upper": np.asarray(rows[~filled[self.links.lower[rows]]])}

    def pieces(self, joint: LinkParts, segment: int, rows: IntArray) -> IntArray:
        """Return the number of the cable that carries each of some links of a joint.

        Links that leave its near end side by side share one.
        """
        inside = self._inside(joint.near, joint.kind, segment, rows) // joint.shared
        return self.at(joint.near, joint.kind, segment, rows) * MOST_LINKS + inside

    def legs(self, joint: LinkParts, segment: int, rows: IntArray) -> IntArray:
        """Return the number of the leg of its cable that each of some links takes."""
        inside = self._inside(joint.near, joint.kind, segment, rows) // (
            joint.shared // joint.cable.legs
        )
        return self.at(joint.near, joint.kind, segment, rows) * MOST_LINKS + inside

    def rails(self, kind: LinkKind, segment: int, rows: IntArray) -> IntArray:
        """Return the rail of each of some links of a kind, -1 where a link carries several."""
        if kind.lower is None:
            return self.mapping.fabric.coordinates.rail(self._gpu(segment, rows))
        if self.mapping.spans_rails:
            return np.full(len(rows), -1)
        return self.mapping.first_rail(segment, self.links.block[rows])

    @property
    def of_host(self) -> int:
        """The number of cages of a host that contain NIC ports."""
        return self.of_nics.size

    @staticmethod
    def paired(joint: LinkParts) -> bool:
        """Return whether a cable joins two cages that share all their links.

        Only then can it be one piece at both ends.
        """
        return joint.shared > 1 and joint.cable.legs == 1

    def _gpu(self, segment: int, rows: IntArray, end: End = "lower") -> IntArray:
        """Return the GPUs at an end of some links, counted over the fabric."""
        gpu = (self.links.lower if end == "lower" else self.links.upper)[rows].astype(np.int64)
        return self.mapping.lower_gpu(segment, gpu, self.links.block[rows].astype(np.int64))

    def _inside(self, end: End, kind: LinkKind, segment: int, rows: IntArray) -> IntArray:
        """Return the position of links inside their cage at one end, from 0."""
        role, split = kind.role(end), self.mapping.fabric.split
        port = self.links.upper_port if end == "upper" else self.links.lower_port
        if role is None:
            slot = self.mapping.fabric.coordinates.host_slot(self._gpu(segment, rows, end))
            nic = self.of_nics.position[slot, self.mapping.plane(segment)]
            return np.asarray(nic * split + (port[rows] if kind is LinkKind.DIRECT else 0))
        return np.asarray(self.of_switch[role].position[port[rows]])


def make_cages(
    mapping: Mapping, ports: dict[Role, list[Port]], links: Segment, boxes: int
) -> Cages:
    """Return the cages of a fabric; those of each switch take as many numbers."""
    size = max((port.cage for used in ports.values() for port in used), default=0) + 1
    of_switch = {
        role: PortCages(
            np.array([port.cage for port in used], dtype=np.int64),
            np.array([port.sub for port in used], dtype=np.int64),
            size,
        )
        for role, used in ports.items()
    }
    return Cages(mapping, links, boxes, of_switch, _nic_cages(mapping.fabric))


def _nic_cages(fabric: ResolvedFabric) -> PortCages:
    """Return the cages of a host's NIC ports; without a host model each port has its own."""
    shape = fabric.host_gpus, fabric.planes
    if fabric.host is None:
        cage = np.arange(shape[0] * shape[1]).reshape(shape)
        return PortCages(cage, np.zeros(shape, dtype=np.int64), cage.size)
    ports = [[fabric.host.port(gpu, plane) for plane in range(shape[1])] for gpu in range(shape[0])]
    names = sorted({port.cage for row in ports for port in row})
    cage = np.array([[names.index(port.cage) for port in row] for row in ports])
    position = np.array([[port.sub - 1 for port in row] for row in ports])
    return PortCages(cage, position, len(names))

"""The cage of each end of a link, numbered over the whole fabric, and links that share a cable.

A module fills a cage, so the choice and the count of modules need the link ends that share one. The
catalog's model defines a host's cages; without a model each NIC port is a cage of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabricgen.core.arrays import IntArray
    from fabricgen.core.terms import LinkKind, Role
    from fabricgen.planning.cabling.cable_runs import Links
    from fabricgen.planning.cabling.compatibility import End, LinkParts
    from fabricgen.planning.designs import Mapping
    from fabricgen.planning.port_layout import Port

MOST_LINKS = 64
"""More links than any cage has."""


@dataclass(frozen=True)
class Cages:
    """The cages of a fabric: `links` and `boxes` are those of one segment; ports index `ports`."""

    mapping: Mapping
    ports: dict[Role, list[Port]]
    links: Links
    boxes: int

    def at(self, end: End, kind: LinkKind, segment: int, rows: IntArray) -> IntArray:
        """Return the number of the cage at one end of some links of a segment.

        The cages of all switches are numbered; apart from them, those of all hosts.
        """
        links, role = self.links, kind.upper if end == "upper" else kind.lower
        if role is None:
            coordinates, gpu = self.mapping.fabric.coordinates, self._gpu(segment, rows)
            cages = self._seats[0][coordinates.host_slot(gpu), self.mapping.plane(segment)]
            return np.asarray(coordinates.host(gpu) * self.of_host + cages)
        box, port = (
            (links.upper, links.upper_port) if end == "upper" else (links.lower, links.lower_port)
        )
        cage, width = self._by_port[role]
        return (segment * self.boxes + box[rows].astype(np.int64)) * width + cage[port[rows]]

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

    @cached_property
    def of_host(self) -> int:
        """The number of cages of a host that contain NIC ports."""
        return int(self._seats[0].max()) + 1

    @staticmethod
    def paired(joint: LinkParts) -> bool:
        """Return whether a cable joins two cages that share all their links.

        Only then can it be one piece at both ends.
        """
        return joint.shared > 1 and joint.cable.legs == 1

    def _gpu(self, segment: int, rows: IntArray) -> IntArray:
        """Return the GPUs of some host links, counted over the fabric."""
        lower = self.links.lower[rows].astype(np.int64)
        return self.mapping.lower_gpu(segment, lower, self.links.block[rows].astype(np.int64))

    def _inside(self, end: End, kind: LinkKind, segment: int, rows: IntArray) -> IntArray:
        """Return the position of links inside their cage at one end, from 0."""
        role = kind.upper if end == "upper" else kind.lower
        if role is None:
            return np.asarray(
                self._seats[1][
                    self.mapping.fabric.coordinates.host_slot(self._gpu(segment, rows)),
                    self.mapping.plane(segment),
                ]
            )
        port = self.links.upper_port if end == "upper" else self.links.lower_port
        return np.array([each.sub for each in self.ports[role]], dtype=np.int64)[port[rows]]

    @cached_property
    def _by_port(self) -> dict[Role, tuple[IntArray, int]]:
        """The cage of each port of a role's box, and one more than the largest on any box."""
        cages = {
            role: np.array([port.cage for port in ports], dtype=np.int64)
            for role, ports in self.ports.items()
        }
        width = max(int(each.max(initial=0)) for each in cages.values()) + 1
        return {role: (each, width) for role, each in cages.items()}

    @cached_property
    def _seats(self) -> tuple[IntArray, IntArray]:
        """The cage of each GPU of a host on each plane, and the position in it, both from 0."""
        fabric = self.mapping.fabric
        shape = fabric.host_gpus, fabric.planes
        if fabric.host is None:
            return np.arange(shape[0] * shape[1]).reshape(shape), np.zeros(shape, dtype=np.int64)
        ports = [
            [fabric.host.port(gpu, plane) for plane in range(shape[1])] for gpu in range(shape[0])
        ]
        names = sorted({port.cage for row in ports for port in row})
        return np.array([[names.index(port.cage) for port in row] for row in ports]), np.array(
            [[port.sub - 1 for port in row] for row in ports]
        )

"""Where each fibre of a channel arrives: the order of fibres in jumpers, trunks and cassettes.

Positions count from 0. Cassettes keep the order: the fibres of their front ports follow each other
at the rear. Adapters have opposed keys, and keep it too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fabricgen.catalog.models.patch import Connector

STRAIGHT = ("A", "A-A")
"""Types of TIA-568 that keep the order of fibres."""


def far_position(polarity: str | None, position: int, positions: int) -> int:
    """Return where a fibre arrives at the far end of a cable of a type of TIA-568.

    >>> [far_position(each, 0, 12) for each in ("A", "B", "C")]
    [0, 11, 1]
    >>> [far_position("A-B", each, 2) for each in range(2)]
    [1, 0]
    """
    if polarity in STRAIGHT:
        return position
    return position ^ 1 if polarity == "C" else positions - 1 - position


class ChannelPath(NamedTuple):
    """What fibres pass from one module to the other: the polarity of each cable.

    `front` is the connector of modules and jumpers, `rear` that of the trunk.
    """

    front: Connector
    rear: Connector
    near: str | None
    trunk: str
    far: str | None

    def far_port(self, port: int) -> int:
        """Return the front port of the far cassette at which the first fibre of a port arrives.

        Ports count from 0 among those of one rear port.
        """
        return self._cross(port, 0)[0]

    def arrival(self, port: int, position: int) -> tuple[int, int]:
        """Return the port and the position at which a fibre of a near module arrives."""
        size = self.front.positions
        out, inside = self._cross(port, far_position(self.near, position, size))
        return out, far_position(self.far, inside, size)

    def faults(self, port: int) -> list[tuple[int, int, int]]:
        """Return the lanes that do not arrive at a receiver: lane, position sent, and arrival.

        Lanes and positions count from 1, as people count them.
        """
        found, far = [], self.far_port(port)
        lanes = zip(self.front.transmit, self.front.receive, strict=True)
        for lane, (transmit, receive) in enumerate(lanes, start=1):
            arrives = self.arrival(port, transmit - 1)
            back = self._reversed().arrival(far, transmit - 1)
            if arrives != (far, receive - 1) or back != (port, receive - 1):
                found.append((lane, transmit, arrives[1] + 1))
        return found

    def strands(self, port: int) -> list[int]:
        """Return the fibres of a trunk's near connector that a port's link uses, from 1."""
        size, lanes = self.front.positions, (*self.front.transmit, *self.front.receive)
        used = (far_position(self.near, position - 1, size) for position in lanes)
        return sorted(port * size + position + 1 for position in used)

    def _reversed(self) -> ChannelPath:
        """Return the same path from its far end."""
        return self._replace(near=self.far, far=self.near)

    def _cross(self, port: int, position: int) -> tuple[int, int]:
        """Return the port and the position behind the trunk of a fibre in front of it."""
        size = self.front.positions
        rear = far_position(self.trunk, port * size + position, self.rear.positions)
        return divmod(rear, size)

"""The ports of leaves that differ by group: in speed, or as no leaf has cages for all groups.

Owns which ports each group of leaves uses. A port of `Plan.ports` is then on the leaves of some
groups only, and a cage may be split otherwise on those of another.
"""

from __future__ import annotations

from itertools import accumulate, chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.planning.networks.leaf_ports import list_ports

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.networks.leaf_ports import KeptCages
    from fabricgen.planning.networks.rules import NetworkRules
    from fabricgen.planning.port_layout import Port, PortLayout


class PortSets(NamedTuple):
    """The ports of all groups of leaves: those that face down, and those that do not.

    The other columns have an entry for each group.
    """

    down: tuple[Port, ...]
    up: tuple[Port, ...]
    places: tuple[tuple[int, ...], ...]
    """The downlinks of each group by their places in `down`, those of each speed in turn."""
    starts: tuple[tuple[int, ...], ...]
    """The first of each speed among the downlinks of each group."""
    uplinks: tuple[tuple[int, ...], ...]
    """The uplinks of each group by their places in `up`."""
    peers: tuple[tuple[int, ...], ...]
    """The links to the peer of each group by their places in `up`."""

    @property
    def ports(self) -> list[Port]:
        """The ports of any leaf."""
        return [*self.down, *self.up]

    def numbers(self, group: int) -> list[int]:
        """Return the ports of the leaves of a group by their number among those of any leaf."""
        above = (*self.uplinks[group], *self.peers[group])
        return [*self.places[group], *(len(self.down) + place for place in above)]

    def upward(self, uplinks: int) -> Int32Array:
        """Return the port of each uplink and of each link to the peer, by group and link.

        Groups with fewer `uplinks` have -1 between both.
        """
        first = len(self.down)
        rows = [
            [*own, *[-1 - first] * (uplinks - len(own)), *peers]
            for own, peers in zip(self.uplinks, self.peers, strict=True)
        ]
        return np.array(rows, dtype=np.int32) + np.int32(first)


def main_speed(down: Sequence[int]) -> int:
    """Return the speed that leaves are filled with: that of the network, if a device has it.

    >>> main_speed((0, 8))
    1
    """
    return next((speed for speed, count in enumerate(down) if count), 0)


def port_sets(
    used: Sequence[tuple[int, ...]],
    uplinks: Sequence[int],
    kept: Sequence[KeptCages],
    network: NetworkRules,
    layout: PortLayout,
) -> PortSets | None:
    """Return the ports of each group of leaves, by its downlinks of each speed and its uplinks.

    `kept` are the cages that the ports of each group keep. Returns None where the leaves of a group
    do not have the ports.
    """
    lists = [
        list_ports(layout, network.leaf_ports(own, up, main_speed(own), cages))
        for own, up, cages in zip(used, uplinks, kept, strict=True)
    ]
    ends = [(sum(own), sum(own) + up) for own, up in zip(used, uplinks, strict=True)]
    parts = [
        (ports[:first], ports[first:last], ports[last:])
        for ports, (first, last) in zip(lists, ends, strict=True)
        if ports
    ]
    if len(parts) < len(lists):
        return None
    downs, ups, peers = zip(*parts, strict=True)
    down, up = _distinct(downs), _distinct((*ups, *peers))
    return PortSets(
        tuple(down),
        tuple(up),
        _numbered(downs, down),
        tuple((0, *accumulate(own))[:-1] for own in used),
        _numbered(ups, up),
        _numbered(peers, up),
    )


def _distinct(lists: Iterable[list[Port]]) -> dict[Port, int]:
    """Return the number of each port of some lists, in order."""
    return {port: at for at, port in enumerate(dict.fromkeys(chain.from_iterable(lists)))}


def _numbered(lists: Iterable[list[Port]], known: dict[Port, int]) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of the ports of each list."""
    return tuple(tuple(map(known.__getitem__, ports)) for ports in lists)

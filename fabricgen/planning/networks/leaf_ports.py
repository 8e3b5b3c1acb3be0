"""The ports of a network's leaf, where devices of several speeds or a peer take some of them.

Owns the order of cages: downlinks of the main speed, that of the network on most leaves, fill the
low ones, uplinks the high ones, and below the uplinks are the links to the peer and then each
further speed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.planning.port_layout import Port

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.catalog.models.switch import Breakout
    from fabricgen.planning.port_layout import PortLayout


class LeafPorts(NamedTuple):
    """How many ports of a leaf are in use: downlinks of each speed, uplinks, and links to a peer.

    `modes` are the breakouts of the further speeds; `down` begins with the network's own.
    """

    down: tuple[int, ...]
    up: int
    peer: int = 0
    modes: tuple[Breakout, ...] = ()
    main: int = 0
    """The speed of the downlinks in the low cages, by its number in `down`."""

    def plain(self) -> bool:
        """Return whether the ports are downlinks of the network's speed, and uplinks."""
        return not self.peer and not any(self.down[1:])


def list_ports(layout: PortLayout, wanted: LeafPorts) -> list[Port] | None:
    """List ports in use: downlinks by speed, uplinks, links to the peer; None where too many."""
    if wanted.plain():
        return layout.ports(wanted.down[0], wanted.up) if has_ports(layout, wanted) else None
    free = set(range(1, layout.model.cages + 1))
    modes, main, last = (layout.down, *wanted.modes), wanted.main, not layout.up_zone
    most = wanted.down[main] + layout.spare
    low = _take(free, layout.low_cages(modes[main]), modes[main], most)
    up, peer = (
        _take(free, layout.high_cages(layout.up), layout.up, count, highest=last)
        for count in (wanted.up, wanted.peer)
    )
    downs = [
        low
        if speed == main
        else _take(free, layout.low_cages(modes[speed]), modes[speed], count, highest=True)
        for speed, count in enumerate(wanted.down)
    ]
    if up is None or peer is None:
        return None
    found = [
        ports[:count] for ports, count in zip(downs, wanted.down, strict=True) if ports is not None
    ]
    return [*_chained(found), *up, *peer] if len(found) == len(downs) else None


def has_ports(layout: PortLayout, wanted: LeafPorts) -> bool:
    """Return whether `list_ports` has all of these ports."""
    if wanted.plain():
        return layout.fits(wanted.down[0], wanted.up)
    return list_ports(layout, wanted) is not None


def _take(
    free: set[int], cages: list[int], mode: Breakout, count: int, *, highest: bool = False
) -> list[Port] | None:
    """Take whole free cages for so many ports, the lowest or the highest; None where too few."""
    cages = [cage for cage in cages if cage in free]
    need = -(-count // mode.count)
    if need > len(cages):
        return None
    taken = cages[len(cages) - need :] if highest else cages[:need]
    free.difference_update(taken)
    return [Port(cage, sub, mode) for cage in taken for sub in range(mode.count)][:count]


def _chained(groups: Iterable[list[Port]]) -> list[Port]:
    """Return the ports of all groups."""
    return [port for ports in groups for port in ports]

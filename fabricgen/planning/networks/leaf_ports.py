"""The ports of a network's leaf, where devices of several speeds or a peer take some of them.

Owns the order of cages: downlinks of the main speed, that of the network on most leaves, fill the
low ones, uplinks the high ones, and below the uplinks are the links to the peer and then each
further speed, from the top down. Ports of a network that has grown stay in the cages that they had.
"""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.planning.port_layout import Port

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.catalog.models.switch import Breakout
    from fabricgen.planning.port_layout import PortLayout


KeptCages = tuple[tuple[int, ...], ...]
"""The cages of the downlinks of each speed of a leaf, of its uplinks, and of links to its peer."""


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
    kept: KeptCages = ()
    """The cages that these ports had in a smaller network; empty where they follow the rule."""

    def plain(self) -> bool:
        """Return whether the ports are downlinks of the network's speed, and uplinks."""
        return not self.peer and not any(self.down[1:])


def list_ports(layout: PortLayout, wanted: LeafPorts) -> list[Port] | None:
    """List ports in use: downlinks by speed, uplinks, links to the peer; None where too many.

    All of them follow the rule where the leaf does not have them beside the cages that are kept.
    """
    if wanted.plain():
        return layout.ports(wanted.down[0], wanted.up) if has_ports(layout, wanted) else None
    found = _share_cages(layout, wanted)
    return _share_cages(layout, wanted._replace(kept=())) if wanted.kept and not found else found


def has_ports(layout: PortLayout, wanted: LeafPorts) -> bool:
    """Return whether `list_ports` has all of these ports."""
    if wanted.plain():
        return layout.fits(wanted.down[0], wanted.up)
    return list_ports(layout, wanted) is not None


class _Share(NamedTuple):
    """Ports of one kind, and the cages that they may have: the first free ones, or the last."""

    mode: Breakout
    wanted: int
    cages: list[int]
    last: bool = False
    spare: int = 0
    """Ports more that stay free."""

    @property
    def need(self) -> int:
        """The cages of these ports."""
        return -(-(self.wanted + self.spare) // self.mode.count)

    def kept(self, cages: Iterable[int], free: set[int]) -> list[int]:
        """Return which of some cages the ports can keep."""
        able = free.intersection(self.cages)
        return [cage for cage in dict.fromkeys(cages) if cage in able][: self.need]

    def added(self, more: int, free: set[int]) -> list[int] | None:
        """Return so many free cages; None where there are fewer."""
        able = [cage for cage in self.cages if cage in free]
        if more > len(able):
            return None
        return able[len(able) - more :] if self.last else able[:more]

    def ports(self, cages: list[int]) -> list[Port]:
        """Return the ports in these cages."""
        every = [Port(cage, sub, self.mode) for cage in cages for sub in range(self.mode.count)]
        return every[: self.wanted]


def _share_cages(layout: PortLayout, wanted: LeafPorts) -> list[Port] | None:
    """List the ports that `list_ports` does, where these share no cage; None where too many."""
    free, shares = set(range(1, layout.model.cages + 1)), _shares(layout, wanted)
    found = []
    for share, cages in zip(shares, wanted.kept or repeat(()), strict=False):
        found.append(share.kept(cages, free))
        free.difference_update(found[-1])
    above = len(wanted.down)
    others = (speed for speed in range(above) if speed != wanted.main)
    for kind in (wanted.main, above, above + 1, *others):
        added = shares[kind].added(shares[kind].need - len(found[kind]), free)
        if added is None:
            return None
        found[kind] += added
        free.difference_update(added)
    return [port for share, cages in zip(shares, found, strict=True) for port in share.ports(cages)]


def _shares(layout: PortLayout, wanted: LeafPorts) -> list[_Share]:
    """Return the ports of each kind, in the order of `KeptCages`."""
    modes, last = (layout.down, *wanted.modes), not layout.up_zone
    high = layout.high_cages(layout.up)
    return [
        *(
            _Share(mode, count, layout.low_cages(mode), spare=layout.spare)
            if speed == wanted.main
            else _Share(mode, count, layout.low_cages(mode)[::-1])
            for speed, (mode, count) in enumerate(zip(modes, wanted.down, strict=True))
        ),
        *(_Share(layout.up, count, high, last) for count in (wanted.up, wanted.peer)),
    ]

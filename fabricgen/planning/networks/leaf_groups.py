"""The leaves of a network: how many serve each group of devices, and their uplinks.

Owns the arithmetic of leaves that differ in their uplinks, such as those that face hosts and those
that face storage. The spines above join all of them.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.planning.clos import width

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.planning.networks.rules import NetworkRules, ServedPorts
    from fabricgen.planning.port_layout import PortLayout


class GroupedLeaves(NamedTuple):
    """The stripes of leaves of a network, a stripe being one leaf for each member of a bond.

    `bonds`, `stripes` and `uplinks` have an entry for each group: the bonds on its leaves, its
    stripes, and the uplinks of each of its leaves. Bonds are spread evenly over the stripes.
    """

    columns: int
    bonds: tuple[int, ...]
    stripes: tuple[int, ...]
    uplinks: tuple[int, ...]
    group: int = 1
    """Ports of a bond on a leaf."""

    def leaves(self) -> int:
        """Return the leaves of all groups.

        >>> GroupedLeaves(2, (131, 24), (4, 2), (24, 12)).leaves()
        12
        """
        return self.columns * sum(self.stripes)

    def used(self, _: int = 0) -> int:
        """Return the device ports of the fullest leaf."""
        return max(-(-bonds // stripes) for bonds, stripes in self._groups())

    def leaf_uplinks(self) -> tuple[int, ...]:
        """Return the uplinks of each leaf; empty where all have equally many."""
        if len(set(self.uplinks)) == 1:
            return ()
        counts = [self.columns * stripes for stripes in self.stripes]
        return tuple(np.repeat(self.uplinks, counts).tolist())

    def first_group(self, leaf: Int32Array, _: int) -> tuple[Int32Array, Int32Array]:
        """Return the first bond of each stripe, and the first one after its last."""
        starts = np.array([0, *accumulate(self._sizes())], dtype=np.int32)
        return starts[leaf], starts[leaf + np.int32(1)]

    def leaf_of(self, group: IntArray, _: int) -> tuple[IntArray, IntArray]:
        """Return the stripe of each bond, and the place of the bond on its leaves."""
        starts = np.array([0, *accumulate(self._sizes())])
        stripe = np.searchsorted(starts, group, side="right") - 1
        return stripe, group - starts[stripe]

    def _sizes(self) -> list[int]:
        """Return the bonds of each stripe; the first ones of a group have one more."""
        return [
            bonds // stripes + (stripe < bonds % stripes)
            for bonds, stripes in self._groups()
            for stripe in range(stripes)
        ]

    def _groups(self) -> zip[tuple[int, int]]:
        """Return the bonds and the stripes of each group."""
        return zip(self.bonds, self.stripes, strict=True)


def grouped_leaves(network: NetworkRules, layout: PortLayout, *, joined: bool) -> GroupedLeaves:
    """Return the leaves of a network with switches of this layout.

    They have uplinks where spines join them.
    """
    columns = network.attached.bond
    bonds, stripes, uplinks = [], [], []
    for served in network.served:
        down, up = _width(served, layout, joined=joined)
        own = served.ports // columns
        filled = max(down * served.keys.fill // 100, 1)
        leaves = served.keys.leaves or columns * -(-own // filled)
        bonds.append(own)
        stripes.append(-(-leaves // columns))
        uplinks.append(up)
    return GroupedLeaves(columns, tuple(bonds), tuple(stripes), tuple(uplinks))


def _width(served: ServedPorts, layout: PortLayout, *, joined: bool) -> tuple[int, int]:
    """Return the ports of a leaf towards devices and towards spines."""
    if not joined:
        return layout.usable, 0
    uplinks = served.keys.uplinks
    if not uplinks:
        return width(layout.fits, layout.usable, _speeds(layout), served.keys.oversubscription)
    down = next((down for down in range(layout.usable, 0, -1) if layout.fits(down, uplinks)), 0)
    return down, uplinks


def _speeds(layout: PortLayout) -> tuple[int, int]:
    """Return the speeds of a downlink and of an uplink, in Gbps."""
    return layout.down.speed_gbps, layout.up.speed_gbps

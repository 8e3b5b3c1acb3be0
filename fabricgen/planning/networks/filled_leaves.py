"""One group of leaves of a network: how many hold its devices, and the ports of each.

Owns the arithmetic of fill and uplinks. `leaf_groups` has all groups of a network.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING

from fabricgen.planning.clos import uplinks_of
from fabricgen.planning.networks.leaf_ports import has_ports
from fabricgen.planning.networks.port_sets import main_speed

if TYPE_CHECKING:
    from fabricgen.planning.networks.leaf_ports import LeafPorts
    from fabricgen.planning.networks.rules import NetworkRules, ServedPorts
    from fabricgen.planning.port_layout import PortLayout


def spread_bonds(bonds: int, stripes: int, together: int) -> list[int]:
    """Return the bonds of each stripe: an equal number of groups of `together` bonds, or one more.

    >>> spread_bonds(7, 2, together=1), spread_bonds(49, 2, together=2)
    ([4, 3], [26, 23])
    >>> spread_bonds(2, 4, together=4)
    [2, 0, 0, 0]
    """
    groups = -(-bonds // together)
    each, more = divmod(groups, stripes)
    ends = [
        min((each * stripe + min(stripe, more)) * together, bonds) for stripe in range(stripes + 1)
    ]
    return [end - start for start, end in pairwise(ends)]


def most_bonds(bonds: int, stripes: int, together: int) -> int:
    """Return the bonds of the first stripe, which has the most.

    >>> most_bonds(7, 2, together=1), most_bonds(49, 2, together=2), most_bonds(2, 4, together=4)
    (4, 26, 2)
    """
    groups = -(-bonds // together)
    return min(-(-groups // stripes) * together, bonds)


class FilledLeaves:
    """Devices that share leaves, and how many leaves hold them."""

    def __init__(
        self,
        network: NetworkRules,
        layout: PortLayout,
        served: ServedPorts,
        bonds: tuple[int, ...],
        *,
        joined: bool,
    ) -> None:
        """Keep the bonds of each speed; spines join the leaves where they are `joined`."""
        self.network, self.layout, self.keys = network, layout, served.keys
        self.bonds, self.joined, self.kinds = bonds, joined, served.kinds
        self.main = main_speed(bonds)

    def stripes(self) -> int:
        """Return the fewest stripes that hold the bonds, or as many as the inventory asks for.

        They are as many as there are bonds where no number of them would do.
        """
        if self.keys.leaves:
            return -(-self.keys.leaves // self.network.attached.bond)
        most = sum(self.bonds)
        return min(1 + bisect_left(range(1, most), True, key=self._holds), most)  # noqa: FBT003 - the value to find

    def _holds(self, stripes: int) -> bool:
        """Return whether so many stripes hold the bonds, with the share that stays free."""
        ports, need = self.ports(stripes), self._most(self.main, stripes)
        filled = max(ports.down[self.main] * self.keys.fill // 100, 1)
        return need <= filled and has_ports(self.layout, ports)

    def _most(self, speed: int, stripes: int) -> int:
        """Return the bonds of a speed on the stripe that has the most."""
        if self.kinds:
            return sum(kind.most(stripes) for kind in self.kinds[speed])
        return most_bonds(self.bonds[speed], stripes, self.network.together[speed])

    def ports(self, stripes: int) -> LeafPorts:
        """Return the ports that a leaf has when these stripes hold the bonds."""
        others = self._filled(stripes, self.keys.fill)

        def with_down(down: int) -> LeafPorts:
            ports = (*others[: self.main], down, *others[self.main + 1 :])
            return self.network.leaf_ports(ports, self._uplinks(ports), self.main)

        def full(down: int) -> bool:
            return not has_ports(self.layout, with_down(down))

        return with_down(bisect_left(range(1, self.layout.usable + 1), True, key=full))  # noqa: FBT003 - the value to find

    def needed(self, stripes: int) -> int:
        """Return the uplinks of a leaf when these stripes hold the bonds, and no port beside."""
        return self._uplinks(self._filled(stripes, self._share))

    def holds(self, stripes: int, uplinks: int) -> bool:
        """Return whether so many stripes hold the bonds on leaves with so many uplinks."""
        return self.carries(self._filled(stripes, self._share), uplinks)

    @property
    def _share(self) -> int:
        """The ports in use of all, in percent; leaves of a given number may be full."""
        return 100 if self.keys.leaves else self.keys.fill

    def _filled(self, stripes: int, share: int) -> tuple[int, ...]:
        """Return the ports of each speed of the fullest stripe, of which a share is in use."""
        speeds = range(len(self.bonds))
        return tuple(-(-self._most(speed, stripes) * 100 // share) for speed in speeds)

    def carries(self, down: tuple[int, ...], uplinks: int) -> bool:
        """Return whether a leaf with so many uplinks holds so many bonds of each speed."""
        ports = self.network.leaf_ports(down, uplinks, self.main)
        return self._uplinks(down) <= uplinks and has_ports(self.layout, ports)

    def _uplinks(self, down: tuple[int, ...]) -> int:
        """Return the uplinks of a leaf with so many downlinks of each speed."""
        if not self.joined or self.keys.uplinks:
            return (self.keys.uplinks or 0) if self.joined else 0
        speeds = (self.layout.down.speed_gbps, *(mode.speed_gbps for mode in self.network.modes))
        gbps = sum(ports * speed for ports, speed in zip(down, speeds, strict=True))
        return uplinks_of(gbps, (1, self.layout.up.speed_gbps), self.keys.oversubscription)

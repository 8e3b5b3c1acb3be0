"""The leaves of a network: how many serve each group of devices, and their uplinks.

Owns the arithmetic of leaves that differ in their uplinks, such as those that face hosts and those
that face storage, and of devices of several speeds. The spines above join all leaves.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.planning.baseline.kept_bonds import KeptBonds
from fabricgen.planning.clos import uplinks_of
from fabricgen.planning.networks.leaf_ports import LeafPorts, has_ports

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.planning.networks.rules import DeviceBonds, NetworkRules, ServedPorts
    from fabricgen.planning.port_layout import PortLayout


class GroupedLeaves(NamedTuple):
    """The stripes of leaves of a network, a stripe being one leaf for each member of a bond.

    `bonds`, `stripes` and `uplinks` have an entry for each group: the bonds of each speed on its
    leaves, its stripes, and the uplinks of each of its leaves. Bonds are counted by group and
    speed, and those of a speed are spread evenly over the stripes.
    """

    columns: int
    bonds: tuple[tuple[int, ...], ...]
    stripes: tuple[int, ...]
    uplinks: tuple[int, ...]
    group: int = 1
    """Ports of a bond on a leaf."""
    kept: KeptBonds | None = None
    """Where the bonds are, in a network that has grown or whose devices alternate between leaves;
    None where they follow each other."""

    def leaves(self) -> int:
        """Return the leaves of all groups.

        >>> GroupedLeaves(2, ((131,), (24,)), (4, 2), (24, 12)).leaves()
        12
        """
        return self.columns * sum(self.stripes)

    def used_by_speed(self) -> tuple[int, ...]:
        """Return the device ports of each speed of the leaf that has the most of it.

        >>> GroupedLeaves(2, ((131, 5), (24, 0)), (4, 2), (24, 12)).used_by_speed()
        (33, 2)
        """
        if self.kept:
            speed, _ = self.bond_classes()
            ends = np.zeros(len(self.bonds[0]), dtype=np.int64)
            np.maximum.at(ends, speed, np.array(self.kept.place) + 1)
            return tuple(ends.tolist())
        shares = [
            [-(-each // stripes) for each in bonds]
            for bonds, stripes in zip(self.bonds, self.stripes, strict=True)
        ]
        return tuple(map(max, zip(*shares, strict=True)))

    def used(self, _: int = 0) -> int:
        """Return the device ports of a leaf, of all speeds."""
        return sum(self.used_by_speed())

    def leaf_uplinks(self) -> tuple[int, ...]:
        """Return the uplinks of each leaf; empty where all have equally many."""
        if len(set(self.uplinks)) == 1:
            return ()
        return tuple(np.array(self.uplinks)[self.leaf_group()].tolist())

    def leaf_group(self) -> IntArray:
        """Return the group of each leaf."""
        stripes = (
            self.kept.groups if self.kept else np.repeat(range(len(self.stripes)), self.stripes)
        )
        return np.repeat(np.array(stripes, dtype=np.int64), self.columns)

    def bond_classes(self) -> tuple[IntArray, IntArray]:
        """Return the speed and the group of each bond, both by number."""
        counts = np.array(self.bonds)
        group, speed = np.indices(counts.shape)
        return np.repeat(speed.ravel(), counts.ravel()), np.repeat(group.ravel(), counts.ravel())

    def speed_of(self, place: IntArray) -> IntArray:
        """Return the speed of each downlink of a leaf, by its number among those of the network."""
        ends = [*accumulate(self.used_by_speed())]
        return np.searchsorted(ends, place, side="right")

    def group_at(self, leaf: Int32Array, place: Int32Array, _: int) -> Int32Array:
        """Return the bond at each place of each stripe, -1 at a vacant one."""
        if self.kept:
            bonds = np.full((sum(self.stripes), self.used()), -1, dtype=np.int32)
            every = np.arange(len(self.kept.stripe), dtype=np.int32)
            bonds[self.leaf_of(every, 0)] = every
            return bonds[leaf, np.minimum(place, self.used() - 1)]
        runs, speed = self._runs(), self.speed_of(place)
        shape = len(self.bonds[0]), sum(self.stripes)
        first, end = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)
        first[runs.speed, runs.stripe], end[runs.speed, runs.stripe] = runs.first, runs.end
        before = np.array([0, *accumulate(self.used_by_speed())], dtype=np.int32)
        bond = first[speed, leaf] + place - before[speed]
        return np.where(bond < end[speed, leaf], bond, np.int32(-1))

    def leaf_of(self, group: IntArray, _: int) -> tuple[IntArray, IntArray]:
        """Return the stripe of each bond, and the place of the bond on its leaves."""
        if self.kept:
            speeds = np.array([0, *accumulate(self.used_by_speed())])[self.bond_classes()[0]]
            places = np.array(self.kept.place) + speeds
            return np.array(self.kept.stripe)[group], places[group]
        runs = self._runs()
        run = np.searchsorted(runs.first, group, side="right") - 1
        before = np.array([0, *accumulate(self.used_by_speed())])[runs.speed[run]]
        return runs.stripe[run], group - runs.first[run] + before

    def _runs(self) -> _Runs:
        """Return the bonds of each stripe by speed; the first stripes of a group have one more."""
        rows = [
            (speed, before + stripe, bonds // stripes + (stripe < bonds % stripes))
            for own, before, stripes in zip(
                self.bonds, [0, *accumulate(self.stripes)], self.stripes, strict=False
            )
            for speed, bonds in enumerate(own)
            for stripe in range(stripes)
        ]
        speed, stripe, sizes = np.array(rows, dtype=np.int32).T
        end = np.cumsum(sizes, dtype=np.int32)
        return _Runs(speed, stripe, end - sizes, end)


class _Runs(NamedTuple):
    """Bonds of one speed on one stripe as columns: from `first` to before `end`."""

    speed: Int32Array
    stripe: Int32Array
    first: Int32Array
    end: Int32Array


def grouped_leaves(network: NetworkRules, layout: PortLayout, *, joined: bool) -> GroupedLeaves:
    """Return the leaves of a network with switches of this layout.

    They have uplinks where spines join them.
    """
    columns = network.attached.bond
    groups, stripes, uplinks = [], [], []
    counts = [[ports // columns for ports in served.ports] for served in network.served]
    kept = network.kept if network.kept and network.kept.fits(counts, columns) else None
    for number, served in enumerate(network.served):
        bonds = tuple(ports // columns for ports in served.ports)
        group = _Group(network, layout, served, bonds, joined=joined)
        groups.append(bonds)
        stripes.append(kept.groups.count(number) if kept else group.stripes())
        uplinks.append(group.ports(stripes[-1]).up)
    if not kept and any(served.kinds for served in network.served):
        kept = _alternating([served.kinds for served in network.served], stripes)
    return GroupedLeaves(columns, tuple(groups), tuple(stripes), tuple(uplinks), kept=kept)


def _alternating(
    groups: list[tuple[tuple[DeviceBonds, ...], ...]], stripes: list[int]
) -> KeptBonds:
    """Return where bonds are whose devices take the stripes of their group in turn.

    `groups` has the kinds of devices of each group, by speed.
    """
    stripe, place = [], []
    for by_speed, count, end in zip(groups, stripes, accumulate(stripes), strict=True):
        for kinds in by_speed:
            filled = np.zeros(count, dtype=np.int32)
            for kind in kinds:
                device, bond = np.divmod(np.arange(kind.devices * kind.bonds), max(kind.bonds, 1))
                turn, own = np.divmod(device, count)
                stripe += (end - count + own).tolist()
                place += (filled[own] + turn * kind.bonds + bond).tolist()
                filled += np.bincount(own, minlength=count).astype(np.int32)
    numbers = np.repeat(range(len(stripes)), stripes).tolist()
    return KeptBonds(tuple(numbers), tuple(stripe), tuple(place))


class _Group:
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
        self.network, self.layout, self.keys = network, layout, served.keys
        self.bonds, self.joined, self.kinds = bonds, joined, served.kinds

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
        ports, need = self.ports(stripes), self._most(0, stripes)
        filled = max(ports.down[0] * self.keys.fill // 100, 1)
        return need <= filled and has_ports(self.layout, ports)

    def _most(self, speed: int, stripes: int) -> int:
        """Return the bonds of a speed on the stripe that has the most."""
        if self.kinds:
            return sum(kind.most(stripes) for kind in self.kinds[speed])
        return -(-self.bonds[speed] // stripes)

    def ports(self, stripes: int) -> LeafPorts:
        """Return the ports that a leaf has when these stripes hold the bonds."""
        others = tuple(
            -(-self._most(speed, stripes) * 100 // self.keys.fill)
            for speed in range(1, len(self.bonds))
        )

        def with_down(down: int) -> LeafPorts:
            ports = (down, *others)
            return self.network.leaf_ports(ports, self._uplinks(ports))

        def full(down: int) -> bool:
            return not has_ports(self.layout, with_down(down))

        return with_down(bisect_left(range(1, self.layout.usable + 1), True, key=full))  # noqa: FBT003 - the value to find

    def _uplinks(self, down: tuple[int, ...]) -> int:
        """Return the uplinks of a leaf with so many downlinks of each speed."""
        if not self.joined or self.keys.uplinks:
            return (self.keys.uplinks or 0) if self.joined else 0
        speeds = (self.layout.down.speed_gbps, *(mode.speed_gbps for mode in self.network.modes))
        gbps = sum(ports * speed for ports, speed in zip(down, speeds, strict=True))
        return uplinks_of(gbps, (1, self.layout.up.speed_gbps), self.keys.oversubscription)

"""The leaves of a network: how many serve each group of devices, and their uplinks.

Owns the arithmetic of leaves that differ in their uplinks, such as those that face hosts and those
that face storage, and of devices of several speeds. The spines above join all leaves.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.planning.baseline.kept_bonds import KeptBonds
from fabricgen.planning.networks.filled_leaves import FilledLeaves, most_bonds, spread_bonds
from fabricgen.planning.networks.leaf_ports import list_ports
from fabricgen.planning.networks.port_sets import main_speed, port_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.planning.networks.leaf_ports import KeptCages
    from fabricgen.planning.networks.port_sets import PortSets
    from fabricgen.planning.networks.rules import DeviceBonds, NetworkRules
    from fabricgen.planning.port_layout import Port, PortLayout


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
    sets: PortSets | None = None
    """The ports of each group; None where one list of ports serves the leaves of all."""
    together: tuple[int, ...] = (1,)
    """How many bonds of each speed stay together on a stripe."""

    def leaves(self) -> int:
        """Return the leaves of all groups.

        >>> GroupedLeaves(2, ((131,), (24,)), (4, 2), (24, 12)).leaves()
        12
        """
        return self.columns * sum(self.stripes)

    def used_by_speed(self) -> tuple[int, ...]:
        """Return the device ports of each speed of the leaf that has the most of it.

        >>> GroupedLeaves(2, ((131, 5), (24, 0)), (4, 2), (24, 12), together=(1, 1)).used_by_speed()
        (33, 2)
        """
        return tuple(map(max, zip(*self.used_by_group(), strict=True)))

    def used_by_group(self) -> list[tuple[int, ...]]:
        """Return the device ports of each speed of the fullest leaves of each group."""
        if self.kept:
            speed, group = self.bond_classes()
            ends = np.zeros_like(self.bonds)
            np.maximum.at(ends, (group, speed), np.array(self.kept.place) + 1)
            return [*map(tuple, ends.tolist())]
        return [
            tuple(
                most_bonds(each, stripes, own)
                for each, own in zip(bonds, self.together, strict=True)
            )
            for bonds, stripes in zip(self.bonds, self.stripes, strict=True)
        ]

    def used(self, _: int = 0) -> int:
        """Return the device ports of a leaf, of all speeds and of any group."""
        return len(self.sets.down) if self.sets else sum(self.used_by_speed())

    def ports(self, network: NetworkRules, layout: PortLayout, uplinks: int) -> list[Port] | None:
        """List the ports that links use on any leaf: downlinks, then others; None if too many."""
        if self.sets:
            return self.sets.ports
        wanted = network.leaf_ports(self.used_by_speed(), uplinks, kept=self._kept_cages()[0])
        return list_ports(layout, wanted)

    def _kept_cages(self) -> list[KeptCages]:
        """Return the cages that the ports of the leaves of each group keep."""
        kinds = len(self.bonds[0]) + 2
        return [
            self.kept.cages_of(group, kinds) if self.kept else ()
            for group in range(len(self.bonds))
        ]

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
        if self.kept or self.sets:
            bonds = np.full((sum(self.stripes), self.used()), -1, dtype=np.int32)
            every = np.arange(sum(map(sum, self.bonds)), dtype=np.int32)
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
        stripe, rank, speed = self.ranks(group)
        if self.sets is None:
            return stripe, rank + np.array([0, *accumulate(self.used_by_speed())])[speed]
        own = self.leaf_group()[stripe * self.columns]
        every = [*accumulate(map(len, self.sets.places), initial=0)]
        within = np.array(self.sets.starts)[own, speed] + rank
        return stripe, np.concatenate(self.sets.places)[np.array(every)[own] + within]

    def ranks(self, bond: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Return the stripe of each bond, its number among those of its speed there, and speed."""
        if self.kept:
            stripe, rank = np.array(self.kept.stripe)[bond], np.array(self.kept.place)[bond]
            return stripe, rank, self.bond_classes()[0][bond]
        runs = self._runs()
        run = np.searchsorted(runs.first, bond, side="right") - 1
        return runs.stripe[run], bond - runs.first[run], runs.speed[run]

    def with_sets(self, network: NetworkRules, layout: PortLayout) -> GroupedLeaves:
        """Return these leaves with ports by group where one list does not serve all of them."""
        alone, kept = self._replace(sets=None), self._kept_cages()
        alike = not any(map(main_speed, self.bonds)) and len(set(kept)) == 1
        if len(self.bonds) == 1 or (alike and alone.ports(network, layout, max(self.uplinks))):
            return alone
        used = self.used_by_group()
        return self._replace(sets=port_sets(used, self.uplinks, kept, network, layout))

    def upward(self, uplinks: int) -> Int32Array | None:
        """Return `PortSets.upward` of each leaf; None where all leaves have the same ports."""
        return self.sets.upward(uplinks)[self.leaf_group()] if self.sets else None

    def _runs(self) -> _Runs:
        """Return the bonds of each stripe by speed; the first stripes of a group have one more."""
        rows = [
            (speed, before + stripe, bonds)
            for own, before, stripes in zip(
                self.bonds, [0, *accumulate(self.stripes)], self.stripes, strict=False
            )
            for speed, every in enumerate(own)
            for stripe, bonds in enumerate(spread_bonds(every, stripes, self.together[speed]))
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


def grouped_leaves(
    network: NetworkRules,
    layout: PortLayout,
    *,
    joined: bool,
    chosen: Sequence[tuple[int, int]] = (),
) -> GroupedLeaves:
    """Return the leaves of a network with switches of this layout.

    They have uplinks where spines join them. `chosen` are the stripes and the uplinks of each
    group, where they are not the fewest stripes and the uplinks of the widest leaves.
    """
    columns, kept = network.attached.bond, kept_bonds(network)
    groups, stripes, uplinks = [], [], []
    for number, group in enumerate(filled_groups(network, layout, joined=joined)):
        groups.append(group.bonds)
        stripes.append(
            kept.groups.count(number) if kept else chosen[number][0] if chosen else group.stripes()
        )
        uplinks.append(chosen[number][1] if chosen else group.ports(stripes[-1]).up)
    if not kept and any(served.kinds for served in network.served):
        kept = _alternating([served.kinds for served in network.served], stripes)
    leaves = GroupedLeaves(
        columns,
        tuple(groups),
        tuple(stripes),
        tuple(uplinks),
        kept=kept,
        together=network.together,
    )
    return leaves.with_sets(network, layout)


def kept_bonds(network: NetworkRules) -> KeptBonds | None:
    """Return where a network keeps its bonds; None where it has others now."""
    columns = network.attached.bond
    counts = [[ports // columns for ports in served.ports] for served in network.served]
    return network.kept if network.kept and network.kept.fits(counts, columns) else None


def filled_groups(network: NetworkRules, layout: PortLayout, *, joined: bool) -> list[FilledLeaves]:
    """Return the devices that share leaves, group by group."""
    return [
        FilledLeaves(
            network,
            layout,
            served,
            tuple(ports // network.attached.bond for ports in served.ports),
            joined=joined,
        )
        for served in network.served
    ]


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

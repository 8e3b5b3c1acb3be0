"""The stripes of the bonds of a network that has grown: those that stay, and those of new bonds.

Owns what a leaf still holds where it has other uplinks than in the smaller network. `keep_networks`
finds where bonds were.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from heapq import heappop, heapreplace
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import Role
from fabricgen.planning.network_sizing import vacant_leaves
from fabricgen.planning.networks.filled_leaves import FilledLeaves

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.planning.networks.leaf_groups import GroupedLeaves
    from fabricgen.planning.plan import Plan

Places = dict["Bond", tuple[int, int]]
"""The stripe of each bond, and its place among the bonds of its speed there."""


class Bond(NamedTuple):
    """A bond by its device and first interface, with its speed and its group by number.

    `kind` is that of the device where kinds alternate between leaves, else -1.
    """

    device: str
    interface: str
    speed: int
    group: int
    kind: int


class LeafLimits:
    """How many bonds of each speed the leaves of a larger network hold beside their uplinks."""

    def __init__(self, plan: Plan, leaves: GroupedLeaves) -> None:
        """Keep the rules of the network, and what was computed."""
        network, self._uplinks = plan.fabric.network, leaves.uplinks
        layout, joined = plan.fabric.port_layouts[Role.LEAF], plan.sizing.tiers > 1
        self._known: dict[tuple[int, tuple[int, ...]], bool] = {}
        self._groups = (
            [
                FilledLeaves(network, layout, served, bonds, joined=joined)
                for served, bonds in zip(network.served, leaves.bonds, strict=True)
            ]
            if network and not network.shared
            else []
        )

    def hold(self, group: int, bonds: list[int]) -> bool:
        """Return whether a leaf of a group holds so many bonds of each speed.

        Leaves of the compute fabric hold any number here.
        """
        key = group, tuple(bonds)
        if self._groups and key not in self._known:
            self._known[key] = self._groups[group].carries(key[1], self._uplinks[group])
        return self._known.get(key, True)


def staying(kept: Places, groups: list[int], leaves: GroupedLeaves, limits: LeafLimits) -> Places:
    """Return the bonds that stay where they are.

    The ports of a leaf that become uplinks are given up: those of the speed with the most bonds,
    from the last place on, and those that stay together at once.
    """
    by_stripe: defaultdict[int, list[list[Bond]]] = defaultdict(
        lambda: [[] for _ in leaves.together]
    )
    for bond in sorted(kept, key=lambda each: kept[each][1]):
        by_stripe[kept[bond][0]][bond.speed].append(bond)
    for stripe, by_speed in by_stripe.items():
        while any(by_speed) and not limits.hold(groups[stripe], [*map(len, by_speed)]):
            speed = max(range(len(by_speed)), key=lambda each: len(by_speed[each]))
            rest = (len(by_speed[speed]) - 1) // leaves.together[speed] * leaves.together[speed]
            del by_speed[speed][rest:]
    stay = {bond for by_speed in by_stripe.values() for own in by_speed for bond in own}
    return {bond: place for bond, place in kept.items() if bond in stay}


def placed(
    new: Iterable[Bond],
    kept: Places,
    groups: list[int],
    leaves: GroupedLeaves,
    limits: LeafLimits,
) -> Iterator[tuple[Bond, tuple[int, int]]]:
    """Yield new bonds with the emptiest stripe of their group, and the lowest free place there.

    A stripe with a part of the bonds that stay together comes before all others, and one whose
    leaves hold no more is left out.
    """
    together = leaves.together
    taken = {(bond.speed, *place) for bond, place in kept.items()}
    filled = Counter((bond.kind, bond.speed, stripe) for bond, (stripe, _) in kept.items())
    bonds = [[0] * len(together) for _ in groups]
    for speed, stripe, _ in taken:
        bonds[stripe][speed] += 1
    queues: dict[tuple[int, int, int], list[tuple[bool, int, int]]] = {}
    for bond in new:
        kind, speed, group = bond.kind, bond.speed, bond.group
        if (queue := queues.get((kind, speed, group))) is None:
            own = (at for at, each in enumerate(groups) if each == group)
            ranks = ((filled[kind, speed, at], at) for at in own)
            queue = sorted((many % together[speed] == 0, many, at) for many, at in ranks)
            queues[kind, speed, group] = queue  # a sorted list is a heap
        while True:
            _, many, stripe = queue[0]
            bonds[stripe][speed] += 1
            if len(queue) == 1 or limits.hold(group, bonds[stripe]):
                break
            bonds[stripe][speed] -= 1
            heappop(queue)
        heapreplace(queue, ((many + 1) % together[speed] == 0, many + 1, stripe))
        place = next(each for each in count() if (speed, stripe, each) not in taken)
        taken.add((speed, stripe, place))
        yield bond, (stripe, place)


def without_vacant(
    found: Places, groups: list[int], older: int, plan: Plan
) -> tuple[Places, list[int]]:
    """Return bonds and the group of each stripe, without stripes that no bond came to.

    The `older` stripes stay. Raises Refusal `bad-leaf-groups` for vacant ones that the inventory
    asks for.
    """
    used = {stripe for stripe, _ in found.values()}
    stripes = [at for at in range(len(groups)) if at < older or at in used]
    network = plan.fabric.network
    for group, served in enumerate(network.served if network else ()):
        own, kept = groups.count(group), sum(groups[at] == group for at in stripes)
        if network and served.keys.leaves and kept < own:
            columns = network.attached.bond
            more = (kept - groups[:older].count(group)) * columns
            raise vacant_leaves(
                network,
                served,
                f"installed devices keep their leaves, and new ones are on {more} more at most",
                hint=f"use `leaves: {kept * columns}`",
            )
    number = {at: now for now, at in enumerate(stripes)}
    moved = {bond: (number[stripe], place) for bond, (stripe, place) in found.items()}
    return moved, [groups[at] for at in stripes]

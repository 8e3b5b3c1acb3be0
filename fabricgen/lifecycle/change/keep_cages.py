"""The cages that the ports of a network's leaves keep when the cluster grows.

Owns `with_cages`. Ports of several speeds, uplinks and links between two leaves share the cages of
a leaf: each keeps its own, so that none has to give way where another takes a cage more.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from fabricgen.core.terms import Role
from fabricgen.planning.networks.attachments import CageSplit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.baseline.kept_bonds import KeptBonds
    from fabricgen.planning.networks.leaf_ports import KeptCages
    from fabricgen.planning.plan import Plan


def with_cages(bonds: KeptBonds, old: Plan, new: Plan) -> KeptBonds:
    """Return kept bonds with the cages of all ports of an older plan of the network.

    Leaves with one speed and uplinks need none, as both grow towards the middle.
    """
    every = [*_leaf_cages(old)]
    if not any(any((*each[1:-2], each[-1])) for each in every):
        return bonds
    known, splits = split_numbers(old, new), len(leaf_splits(new))
    kinds = [*known, splits, splits + 1]
    found = [
        (cage, group * (splits + 2) + kind)
        for group, by_kind in enumerate(every)
        for kind, cages in zip(kinds, by_kind, strict=True)
        if kind >= 0
        for cage in cages
    ]
    cages, numbers = zip(*found, strict=True)
    return bonds._replace(cages=cages, kinds=numbers)


def split_numbers(old: Plan, new: Plan) -> list[int]:
    """Return the number of each split of the older leaves among those of the new; -1 for none."""
    known = {split: number for number, split in enumerate(leaf_splits(new))}
    return [known.get(split, -1) for split in leaf_splits(old)]


def leaf_splits(plan: Plan) -> list[CageSplit]:
    """Return how cages of a network's leaves are split for devices, as the network does first."""
    rules = plan.fabric.network
    return [CageSplit(plan.fabric.port_layouts[Role.LEAF].down), *(rules.splits if rules else ())]


def _leaf_cages(plan: Plan) -> Iterator[KeptCages]:
    """Yield the cages of each kind of ports on the leaves of each group of a network."""
    leaves, every = plan.mapping.network_leaves, plan.ports[Role.LEAF]
    assert leaves  # noqa: S101 - a network with leaves of its own
    for group, own in enumerate(leaves.used_by_group()):
        ports, down, up = every, leaves.used_by_speed(), plan.sizing.leaf_up
        if leaves.sets:
            ports = [every[number] for number in leaves.sets.numbers(group)]
            down, up = own, leaves.uplinks[group]
        ends = accumulate((*down, up, plan.mapping.peer_links), initial=0)
        yield tuple(
            tuple(dict.fromkeys(port.cage for port in ports[first:last]))
            for first, last in pairwise(ends)
        )

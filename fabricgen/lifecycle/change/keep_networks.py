"""What the networks beside the compute fabric keep when the cluster grows.

Owns `kept_networks`. A device keeps its leaf ports by its name and its interface, also where
hosts that come before it are added, and with them its addresses and the labels of its cables. New
devices go to the leaves of their group that have the fewest, and new leaves are numbered behind all
older ones.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, count, repeat
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import LinkKind, Role
from fabricgen.lifecycle.change.keep_cages import leaf_splits, split_numbers, with_cages
from fabricgen.lifecycle.change.keep_links import kept_links
from fabricgen.lifecycle.change.kept_numbers import digits_of, slices_of
from fabricgen.lifecycle.change.place_bonds import (
    Bond,
    LeafLimits,
    placed,
    staying,
    without_vacant,
)
from fabricgen.planning.baseline.baseline import Baseline
from fabricgen.planning.baseline.expansion_stages import ExpansionStages, stage_of
from fabricgen.planning.baseline.kept_bonds import KeptBonds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.planning.networks.leaf_groups import GroupedLeaves
    from fabricgen.planning.plan import Plan


def kept_networks(old: Plan, new: Plan) -> dict[str, Baseline]:
    """Return what each network keeps that both plans have with the same switches and bonds."""
    pairs = {name: (old.networks.get(name), plan) for name, plan in new.networks.items()}
    return {
        name: _baseline(before, after)
        for name, (before, after) in pairs.items()
        if before and _is_alike(before, after)
    }


def _is_alike(old: Plan, new: Plan) -> bool:
    """Return whether a network has the leaves, the groups of them and the bonds of an older one.

    A speed that comes or goes with devices changes nothing for the others.
    """
    rules = [plan.fabric.network for plan in (old, new)]
    models = [plan.fabric.port_layouts[Role.LEAF].model.model for plan in (old, new)]
    shapes = [(each.attached.bond, len(each.served)) for each in rules if each]
    return models[0] == models[1] and len(shapes) == len(rules) and shapes[0] == shapes[1]


def _baseline(old: Plan, new: Plan) -> Baseline:
    """Return what a network keeps."""
    before, stage = old.mapping.stages.stages, stage_of(new.sizing)
    uneven = old.sizing.leaf_uplinks or new.sizing.leaf_uplinks
    same = (old.sizing.tiers, old.sizing.leaf_up) == (new.sizing.tiers, new.sizing.leaf_up)
    grown = all(was <= now for was, now in zip(before[-1], stage, strict=True))
    stages = (stage,) if not grown else before if before[-1] == stage else (*before, stage)
    by_rule = replace(new.mapping, baseline=None)
    return Baseline(
        stages=ExpansionStages(stages),
        digits=digits_of(old) | {"cable": max(old.label_width, len(str(new.links)))},
        slices=slices_of(old),
        wired=kept_links(old, by_rule) if same and grown and not uneven else {},
        bonds=_kept_bonds(old, new),
    )


def _kept_bonds(old: Plan, new: Plan) -> KeptBonds | None:
    """Return the leaf ports of all bonds of a network."""
    if new.mapping.topology:
        return _kept_numbers(old, new)
    was, now = old.mapping.network_leaves, new.mapping.network_leaves
    if was is None or now is None:
        return None
    groups = [*map(int, was.leaf_group()[:: was.columns])]
    for group, stripes in enumerate(now.stripes):
        groups += [group] * (stripes - groups.count(group))
    older = [*_bonds(old, was, split_numbers(old, new))]
    known = dict(zip(older, _places(was), strict=True))
    every = [*_bonds(new, now, range(len(leaf_splits(new))))]
    kept = {each: known[each] for each in every if each in known}
    kept = {each: place for each, place in kept.items() if groups[place[0]] == each.group}
    limits = LeafLimits(new, now)
    kept = staying(kept, groups, now, limits)
    added = [each for each in every if each not in kept]
    found = {**kept, **dict(placed(added, kept, groups, now, limits))}
    found, groups = without_vacant(found, groups, sum(was.stripes), new)
    stripe, place = zip(*(found[each] for each in every), strict=True)
    bonds = KeptBonds(tuple(groups), stripe, place)
    if not new.fabric.shared_leaves:
        bonds = with_cages(bonds, old, new)
    leaves = now._replace(stripes=tuple(map(groups.count, range(len(now.stripes)))), kept=bonds)
    if new.fabric.network:
        leaves = leaves.with_sets(new.fabric.network, new.fabric.port_layouts[Role.LEAF])
    known_slots = dict(zip(older, _slots(old), strict=True))
    slots = [known_slots.get(each, ()) if each in kept else () for each in every]
    uplinks = was.uplinks if old.sizing.chosen else ()
    return bonds._replace(slot=_kept_slots(leaves, slots), uplinks=uplinks)


def _kept_numbers(old: Plan, new: Plan) -> KeptBonds:
    """Return the numbers of cables between paired devices, as slots of the ports at both ends."""
    known = dict(zip(_lower_ports(old), old.segment.number.tolist(), strict=True))
    ends = [*_lower_ports(new)]
    taken = {known[end] for end in ends if end in known}
    free = (number for number in count(1) if number not in taken)
    numbers = [known[end] if end in known else next(free) for end in ends]
    slots = np.zeros(new.fabric.gpus, dtype=np.int32)
    for port in (new.segment.lower, new.segment.upper):
        slots[port] = np.array(numbers) - 1
    ports = len(slots)
    return KeptBonds((0,), (0,) * ports, tuple(range(ports)), tuple(slots.tolist()))


def _lower_ports(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield the device and the interface at the lower end of each link of paired devices."""
    assert plan.fabric.network  # noqa: S101 - the plan of a network
    attached, ports = plan.fabric.network.attached, plan.segment.lower.tolist()
    for port in ports:
        yield attached.devices[port], attached.interfaces[attached.interface_index(port)]


def _slots(plan: Plan) -> list[tuple[int, ...]]:
    """Return the slots of the ports of each bond of a network."""
    attached, segment = plan.segment.kind == LinkKind.HOST, plan.segment
    slots = np.zeros(plan.fabric.gpus, dtype=np.int32)
    slots[segment.lower[attached]] = segment.slot[attached]
    return [*map(tuple, slots.reshape(-1, plan.fabric.domain_gpus).tolist())]


def _kept_slots(leaves: GroupedLeaves, kept: list[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the slot of each port: its older one, else that of the rule, else the lowest free.

    `kept` are those of each older bond. Empty where all follow the rule.
    """
    stripe, place = leaves.leaf_of(np.arange(len(kept)), 0)
    leaf = stripe[:, None] * leaves.columns + np.arange(leaves.columns)
    rule = (leaf * leaves.used() + place[:, None]).tolist()
    taken = {slot for slots in kept for slot in slots}
    own = {slot for slots, by_rule in zip(kept, rule, strict=True) if not slots for slot in by_rule}
    used = taken | own
    free = (slot for slot in count() if slot not in used)
    found = [
        slots or [next(free) if slot in taken else slot for slot in by_rule]
        for slots, by_rule in zip(kept, rule, strict=True)
    ]
    return () if [*map(list, found)] == rule else tuple(chain.from_iterable(found))


def _bonds(plan: Plan, leaves: GroupedLeaves, speeds: Sequence[int]) -> Iterator[Bond]:
    """Yield the bonds of a network in their order, whose `speeds` have these numbers."""
    assert plan.fabric.network  # noqa: S101 - the plan of a network
    attached, served = plan.fabric.network.attached, plan.fabric.network.served
    kinds = attached.group_of(np.arange(len(attached.devices)))
    kind = kinds.tolist() if any(each.kinds for each in served) else repeat(-1)
    first = attached.interface_index(np.arange(len(attached.devices)) * attached.bond)
    names = [attached.interfaces[index] for index in first.tolist()]
    speed, group = (column.tolist() for column in leaves.bond_classes())
    return map(Bond, attached.devices, names, map(speeds.__getitem__, speed), group, kind)


def _places(leaves: GroupedLeaves) -> Iterator[tuple[int, int]]:
    """Yield the stripe of each bond, and its place among the bonds of its speed there."""
    stripe, place, _ = leaves.ranks(np.arange(sum(map(sum, leaves.bonds))))
    return zip(stripe.tolist(), place.tolist(), strict=True)

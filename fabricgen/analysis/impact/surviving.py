"""What works in a fabric with failures, as columns over its GPUs.

The columns let pairs of GPUs be counted by classes, never one by one.

Owns the columns, which pairs of GPUs one crossing of the network joins, and which GPUs any chain of
crossings and HB domains joins. The rules are `forwarding`'s: a path inside a block goes up and then
down, and a living GPU may pass on what lands on it.

A *scope* is what a GPU's NIC ports belong to: the blocks of its rail, one for each plane, or all
blocks where they span rails.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.arrays import distinct

if TYPE_CHECKING:
    from fabricgen.analysis.forwarding.reachability import Reach
    from fabricgen.core.arrays import BoolArray, Int32Array, Int64Array


class Joins(NamedTuple):
    """Which leaves of one damaged block reach each other.

    `classes` (leaves,) are numbers of equivalent leaves, and `joined` (classes, classes) is for two
    different leaves.
    """

    classes: Int32Array
    joined: BoolArray


@dataclass(frozen=True)
class SurvivingFabric:
    """The working part of a plan; every column has an entry for each installed GPU."""

    reach: Reach

    @cached_property
    def gpu(self) -> Int32Array:
        """Every installed GPU."""
        return np.arange(self.reach.plan.fabric.gpus, dtype=np.int32)

    @cached_property
    def domain(self) -> Int32Array:
        """The HB domain."""
        return self.reach.plan.fabric.coordinates.domain(self.gpu)

    @cached_property
    def rail(self) -> Int32Array:
        """The rail."""
        return self.reach.plan.fabric.coordinates.rail(self.gpu)

    @cached_property
    def scope(self) -> Int32Array:
        """The rail, or 0 where blocks span rails."""
        return np.zeros_like(self.gpu) if self.reach.plan.mapping.spans_rails else self.rail

    @cached_property
    def scopes(self) -> int:
        """The number of scopes."""
        return 1 if self.reach.plan.mapping.spans_rails else self.reach.plan.fabric.rails

    @cached_property
    def leaf(self) -> Int32Array:
        """The leaf, counted in its block; it is the same on every plane."""
        return self.reach.leaves

    @cached_property
    def alive(self) -> BoolArray:
        """Whether the GPU works."""
        alive = np.ones(len(self.gpu), dtype=bool)
        alive[list(self.reach.failures.gpus)] = False
        return alive

    @cached_property
    def hb(self) -> BoolArray:
        """Whether the GPU reaches the others of its HB domain."""
        lives = np.ones(int(self.domain[-1]) + 1, dtype=bool)
        lives[list(self.reach.failures.domains)] = False
        found: BoolArray = self.alive & lives[self.domain]
        return found

    @cached_property
    def ports(self) -> BoolArray:
        """Whether each GPU's NIC port works, with its cable and its leaf; shape (planes, GPUs)."""
        plan, failures = self.reach.plan, self.reach.failures
        lives = np.tile(self.alive, (plan.fabric.planes, 1))
        for gpu, plane in failures.ports:
            lives[plane, gpu] = False
        for segment, block in failures.blocks:
            served = self.scope == plan.mapping.first_rail(segment, block)
            lives[plan.mapping.plane(segment), served] = False
        for segment, box in failures.switches:
            if box < plan.sizing.leaf:
                rails = plan.mapping.first_rail(segment, np.arange(plan.mapping.segment_blocks))
                served = np.isin(self.scope, rails) & (self.leaf == box)
                lives[plan.mapping.plane(segment), served] = False
        return lives

    @cached_property
    def mask(self) -> Int64Array:
        """The working NIC ports of a GPU, plane p as bit p."""
        return np.asarray(
            (self.ports.astype(np.int64) << np.arange(len(self.ports))[:, None]).sum(axis=0)
        )

    @cached_property
    def joins(self) -> dict[tuple[int, int], Joins]:
        """The blocks, by scope and plane, in which some working leaves do not reach each other."""
        damaged = self.reach.affected - self.reach.failures.blocks
        places = {
            (scope, plane): self.reach.home(scope, plane)
            for scope in range(self.scopes)
            for plane in range(len(self.ports))
        }
        found = {
            place: _joins(self.reach, *home) for place, home in places.items() if home in damaged
        }
        return {place: joins for place, joins in found.items() if joins}

    @cached_property
    def leaf_class(self) -> list[Int32Array] | None:
        """The class of each GPU's leaf within `joins`, by plane.

        It is 0 where the block has no damage, and None where all blocks have none.
        """
        if not self.joins:
            return None
        found = [np.zeros_like(self.gpu) for _ in self.ports]
        for (scope, plane), joins in self.joins.items():
            here = self.scope == scope
            found[plane][here] = joins.classes[self.leaf[here]]
        return found

    @cached_property
    def _table(self) -> tuple[Int64Array, Int64Array, BoolArray]:
        """The matrices of `joins` end to end, with the start and the width of each.

        Starts and widths have shape (scopes, planes). Blocks without damage share the first True.
        """
        begins, widths = (
            np.zeros((self.scopes, len(self.ports)), dtype=np.int64) for _ in range(2)
        )
        flat, size = [np.ones(1, dtype=bool)], 1
        for key, joins in self.joins.items():
            begins[key], widths[key] = size, len(joins.joined)
            flat.append(joins.joined.reshape(-1))
            size += joins.joined.size
        return begins, widths, np.concatenate(flat)

    def direct(self, source: Int32Array, target: Int32Array) -> BoolArray:
        """Return whether one crossing inside one block joins pairs of two columns of GPUs."""
        found = np.zeros(len(source), dtype=bool)
        for plane, ports in enumerate(self.ports):
            both = ports[source] & ports[target]
            found |= (
                both & (self.meet(plane, source, target) | (self.leaf[source] == self.leaf[target]))
                if self.joins
                else both
            )
        if self.scopes > 1:
            found &= self.scope[source] == self.scope[target]
        return np.asarray(found & (source != target))

    def meet(self, plane: int, source: Int32Array, target: Int32Array) -> BoolArray:
        """Return whether the leaves of pairs in the same scope are joined on a plane.

        They are treated as two different leaves. The result is undefined for other pairs.
        """
        classes = self.leaf_class
        if classes is None:
            return np.ones(len(source), dtype=bool)
        begins, widths, table = self._table
        scope = self.scope[source]
        position = (
            begins[scope, plane]
            + classes[plane][source] * widths[scope, plane]
            + classes[plane][target]
        )
        return np.asarray(table[np.minimum(position, len(table) - 1)])

    @cached_property
    def component(self) -> Int32Array:
        """The component of each GPU: GPUs that any path connects have the same number.

        A failed GPU is a component of its own. A hop inside a working HB domain and a crossing of a
        block are steps of one chain, which can continue from the GPU on which it lands. So paths
        are the connected components of GPUs over HB domains and over the joined leaves of each
        block.
        """
        meeting = [(np.flatnonzero(self.hb), self.domain.astype(np.int64))]
        meeting += [
            (np.flatnonzero(ports), self._meeting(plane)) for plane, ports in enumerate(self.ports)
        ]
        label = self.gpu.copy()
        while True:
            before = label.copy()
            for members, places in meeting:
                where = places[members]
                lowest = np.full(int(where.max(initial=0)) + 1, len(label), dtype=np.int32)
                np.minimum.at(lowest, where, label[members])
                label[members] = lowest[where]
            if np.array_equal(before, label):
                return label

    def _meeting(self, plane: int) -> Int64Array:
        """Return the number of the place on a plane where each working NIC port meets others.

        Such a place is a scope, or a separated part of a damaged block.
        """
        leaves = self.reach.plan.sizing.leaf
        place = self.scope.astype(np.int64) * (2 * leaves)
        for (scope, on), joins in self.joins.items():
            if on == plane:
                here = self.scope == scope
                served = distinct(self.leaf[here & self.ports[plane]])
                place[here] += _parts(joins, served)[self.leaf[here]]
        return place


def _joins(reach: Reach, segment: int, block: int) -> Joins | None:
    """Return which leaves of a block reach each other; None if all working ones do.

    Leaves of one pod with the same working uplinks are one class. Two of a class are joined if they
    have an uplink at all.
    """
    tiers = reach.tiers(segment, block)
    up = tiers.uplinks > 0
    pod = np.arange(len(up)) // reach.plan.sizing.pod_leaves
    _, first, classes = np.unique(
        np.column_stack([pod, np.packbits(up, axis=1)]),
        axis=0,
        return_index=True,
        return_inverse=True,
    )
    numbers = classes.reshape(-1).astype(np.int32)
    last = np.zeros(len(first), dtype=np.int64)
    last[numbers] = np.arange(len(up))
    joined = np.stack([reach.leaves_from(segment, block, leaf)[last] for leaf in first.tolist()])
    living = distinct(numbers[tiers.alive])
    return None if joined[np.ix_(living, living)].all() else Joins(numbers, joined)


def _parts(joins: Joins, served: Int32Array) -> Int64Array:
    """Return the number of the separated part of a damaged block that each leaf is in.

    A leaf without uplinks is a part of its own, and one without endpoints connects no others.
    """
    classes, joined = joins
    used = np.zeros(len(joined), dtype=bool)
    used[classes[served]] = True
    near = joined & used & used[:, None] | np.eye(len(joined), dtype=bool)
    label = np.arange(len(joined))
    while True:
        lowest = np.where(near, label, len(label)).min(axis=1)
        if np.array_equal(lowest, label):
            break
        label = lowest
    alone = ~joined.diagonal()
    return np.asarray(
        np.where(alone[classes], len(classes) + np.arange(len(classes)), label[classes]),
        dtype=np.int64,
    )

"""Which GPU reaches which over one block of the network, with failures.

Owns whether a working path inside one block joins two NIC ports. A path goes up and then down, as
routing in a folded Clos does: a leaf never forwards between two spines. `path_selection` adds
relays and HB domains.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.forwarding.failures import Failures
from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from fabricgen.core.arrays import BoolArray, Int32Array
    from fabricgen.planning.plan import Plan


class Tiers(NamedTuple):
    """The number of working links of one block.

    `leaf` has shape (pods, leaves of a pod, spines of a pod), 0 where the last pod has no leaf;
    `spine` (pods, spines of a pod, cores of a group), empty below three tiers. `alive` is whether
    each leaf works and is installed; shape (leaves,).
    """

    alive: BoolArray
    leaf: Int32Array
    spine: Int32Array

    @property
    def uplinks(self) -> Int32Array:
        """The links of each leaf to each spine of its pod; shape (leaves, spines of a pod)."""
        pods, leaves, spines = self.leaf.shape
        return self.leaf.reshape(pods * leaves, spines)[: len(self.alive)]


@dataclass(frozen=True)
class Reach:
    """The working network of a plan; GPUs are counted over all domains."""

    plan: Plan
    failures: Failures = field(default_factory=Failures)

    @cached_property
    def slots(self) -> Int32Array:
        """The endpoint position of every planned GPU, or -1.

        A rail-only plan has positions for the GPUs of rail 0, others for all.
        """
        gpu = self.plan.mapping.pattern()
        slots = np.full(self.plan.fabric.planned_gpus, -1, dtype=np.int32)
        slots[gpu[gpu >= 0]] = np.flatnonzero(gpu >= 0)
        return slots

    def slot(self, gpu: int) -> int:
        """Return the endpoint position of a GPU in its block."""
        return int(self.slots[self.plan.mapping.pattern_gpu(gpu)])

    def leaf(self, gpu: int) -> int:
        """Return the leaf of a GPU; it is the same on every plane."""
        return self.slot(gpu) // self.plan.sizing.leaf_down

    @cached_property
    def leaves(self) -> Int32Array:
        """The leaf of every installed GPU."""
        gpu = np.arange(self.plan.fabric.gpus, dtype=np.int32)
        slots = self.slots[self.plan.mapping.pattern_gpu(gpu)]
        return slots // np.int32(self.plan.sizing.leaf_down)

    def home(self, gpu: int, plane: int) -> tuple[int, int]:
        """Return the segment, and the block of the segment, that a NIC port belongs to."""
        return self.plan.mapping.home(gpu, plane)

    def lives(self, gpu: int, plane: int) -> bool:
        """Return whether a NIC port, its cable and its leaf work."""
        failures, (segment, block) = self.failures, self.home(gpu, plane)
        dead = (
            gpu in failures.gpus
            or (gpu, plane) in failures.ports
            or (segment, block) in failures.blocks
        )
        return not dead and (segment, self.leaf(gpu)) not in failures.switches

    def hb_lives(self, gpu: int) -> bool:
        """Return whether a GPU reaches the others of its HB domain."""
        return (
            gpu not in self.failures.gpus
            and self.plan.fabric.coordinates.domain(gpu) not in self.failures.domains
        )

    def planes(self, source: int, target: int) -> list[int]:
        """Return the planes on which a working path inside one block joins two different GPUs.

        There are none for rails that never meet.
        """
        return [
            plane for plane in range(self.plan.fabric.planes) if self.joined(source, target, plane)
        ]

    def joined(self, source: int, target: int, plane: int) -> bool:
        """Return whether a working path in one block joins the NIC ports of two GPUs on a plane."""
        home = self.home(source, plane)
        if (
            home != self.home(target, plane)
            or not self.lives(source, plane)
            or not self.lives(target, plane)
        ):
            return False
        low, high = self.leaf(source), self.leaf(target)
        return low == high or home not in self.affected or bool(self.leaves_from(*home, low)[high])

    @cached_property
    def affected(self) -> set[tuple[int, int]]:
        """The blocks with a failed switch or inner link, and those that are down as a whole."""
        failures, boxes = self.failures, self.plan.naming.boxes
        found = set(failures.blocks) | {
            (segment, int(self.plan.segment.block[row])) for segment, row in failures.links
        }
        for segment, index in failures.switches:
            block = boxes[index].block
            found |= {
                (segment, each)
                for each in ([block] if block >= 0 else range(self.plan.mapping.segment_blocks))
            }
        return found

    @cached_property
    def _known(self) -> dict[tuple[int, int], Tiers]:
        """A cache of `tiers`."""
        return {}

    @cached_property
    def _rows(self) -> dict[tuple[int, int, int, bytes], BoolArray]:
        """A cache of `leaves_from`; leaves of a pod with the same uplinks share one row."""
        return {}

    def tiers(self, segment: int, block: int) -> Tiers:
        """Return the number of working links of a block.

        Links are counted in the columns of the segment, so links that were not wired are not
        included.
        """
        key = (segment, block)
        if key not in self._known:
            self._known[key] = self._count(segment, block)
        return self._known[key]

    def _count(self, segment: int, block: int) -> Tiers:
        """Count the working links of one block."""
        plan, sizing, columns = self.plan, self.plan.sizing, self.plan.segment
        installed, down = np.array(plan.installed), (segment, block) in self.failures.blocks
        dead = [index for of, index in self.failures.switches if of == segment]
        lives = np.full(len(installed), not down) & installed
        lives[dead] = False
        alive = lives[columns.upper] & (columns.block == block)
        alive[columns.kind != LinkKind.HOST] &= lives[columns.lower[columns.kind != LinkKind.HOST]]
        alive[[row for of, row in self.failures.links if of == segment]] = False
        first = sizing.leaf + block * (sizing.spine + sizing.core)
        leaf = _counted(
            columns.lower,
            columns.upper - first,
            alive & (columns.kind == LinkKind.LEAF_SPINE),
            sizing.leaf,
            sizing.pod_spines,
        )
        upper = columns.upper - first - sizing.spine
        spine = _counted(
            columns.lower - first,
            upper,
            alive & (columns.kind == LinkKind.SPINE_CORE),
            sizing.spine,
            sizing.group_cores,
        )
        return Tiers(
            lives[: sizing.leaf],
            sizing.by_pod(leaf),
            spine.reshape(sizing.pods, sizing.pod_spines, sizing.group_cores),
        )

    def leaves_from(self, segment: int, block: int, leaf: int) -> BoolArray:
        """Return which leaves of a block a leaf reaches, itself included; shape (leaves,)."""
        sizing, tiers = self.plan.sizing, self.tiers(segment, block)
        if not tiers.alive[leaf]:
            return np.zeros(sizing.leaf, dtype=bool)
        pod, within = divmod(leaf, sizing.pod_leaves)
        up = tiers.leaf[pod, within] > 0
        key = (segment, block, pod, up.tobytes())
        if key not in self._rows:
            self._rows[key] = self._row(tiers, pod, up)
        row = self._rows[key]
        if not row[leaf]:
            row = row.copy()
            row[leaf] = True
        return row

    def _row(self, tiers: Tiers, pod: int, up: BoolArray) -> BoolArray:
        """Return every leaf that the uplinks `up` of a leaf in `pod` lead to."""
        if not tiers.leaf.size:
            return np.zeros(len(tiers.alive), dtype=bool)
        over = np.zeros((len(tiers.leaf), len(up)), dtype=bool)
        if tiers.spine.size:
            cores = tiers.spine > 0
            over = (cores & cores[pod]).any(axis=2)
        over[pod] = True
        return ((tiers.leaf > 0) & (over & up)[:, None, :]).any(axis=2).reshape(-1)[
            : len(tiers.alive)
        ] & tiers.alive

    def matrix(self, segment: int, block: int) -> BoolArray:
        """Return which leaves of a block reach each other; shape (leaves, leaves)."""
        return np.stack(
            [self.leaves_from(segment, block, leaf) for leaf in range(self.plan.sizing.leaf)]
        )


def _counted(
    lower: Int32Array, upper: Int32Array, keep: BoolArray, lowers: int, scope: int
) -> Int32Array:
    """Count the kept links between each lower switch and the upper ones of its pod or group.

    Shape (lowers, scope), with `scope` upper switches each.
    """
    if not scope:
        return np.zeros((lowers, 0), dtype=np.int32)
    flat = np.bincount(
        lower[keep].astype(np.int64) * scope + upper[keep] % scope, minlength=lowers * scope
    )
    return flat.astype(np.int32).reshape(lowers, scope)

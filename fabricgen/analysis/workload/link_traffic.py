"""The bytes of one iteration on every link of a planned fabric.

Owns the mapping from pairs of GPUs to links. Inside a block flows go up and down as in
`forwarding`, and ECMP is assumed to be even: each working uplink of a switch carries the same share
of the traffic upwards. `forwarding.ecmp_hash.spread` measures how far hashing is from that. Blocks
of a fabric and their traffic are alike, rail by rail and plane by plane, so one block is computed
for all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabricgen.analysis.workload.collectives import Groups, TrafficClass
    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.plan import Plan

    Floats = NDArray[np.float64]


class Flows(NamedTuple):
    """The bytes between tiers of one block.

    They go out of and into each leaf, down each (pod, spine, leaf), up each spine, and down each
    (pod, spine, core).
    """

    out: Floats
    down: Floats
    spine_up: Floats
    core_down: Floats


@dataclass(frozen=True)
class LinkTraffic:
    """The traffic of a job on the links of a plan.

    With `gathered`, GPUs are ordered rail by rail, as in an any-to-any fabric whose pods hold whole
    rails.
    """

    plan: Plan
    groups: Groups
    gathered: bool = False

    @cached_property
    def endpoints(self) -> tuple[Int32Array, Int32Array]:
        """The installed GPUs of a block (rail 0 where blocks are rails), and their leaves."""
        plan, fabric, coordinates = self.plan, self.plan.fabric, self.plan.fabric.coordinates
        gpu = plan.mapping.pattern()
        slot = np.flatnonzero((gpu >= 0) & (gpu < fabric.gpus)).astype(np.int32)
        gpu = gpu[slot]
        if self.gathered:
            gpu = np.sort(gpu)
            gpu = gpu[np.lexsort((coordinates.domain(gpu), coordinates.rank(gpu)))]
        return gpu, slot // np.int32(plan.sizing.leaf_down)

    @cached_property
    def across(self) -> list[TrafficClass]:
        """The classes that leave HB domains."""
        return [each for each in self.groups.classes.values() if not each.inside]

    @cached_property
    def sent(self) -> Floats:
        """The bytes that each GPU of a block sends through one NIC port; it receives as many."""
        gpu, _ = self.endpoints
        found = np.zeros(len(gpu))
        for each in self.across:
            peers = np.full(len(gpu), each.peers)
            if each.name == "pipeline":
                stage = self.plan.fabric.coordinates.domain(gpu) // self.groups.stage_domains
                peers -= (stage == 0).astype(np.int64) + (
                    stage == self.groups.llm.pipeline_stages - 1
                )
            found += peers * each.bytes_per_pair
        return found / self.plan.fabric.planes

    @cached_property
    def flows(self) -> Flows:
        """Return the bytes of every two leaves on the block's links, pod by pod of the far end."""
        sizing, tiers = self.plan.sizing, Reach(self.plan).tiers(0, 0)
        pods, spines = sizing.pods, tiers.leaf.shape[2]
        leaves = tiers.uplinks
        share = leaves / np.maximum(leaves.sum(axis=1, keepdims=True), 1)
        onward = tiers.spine / np.maximum(tiers.spine.sum(axis=2, keepdims=True), 1)
        flows = Flows(
            np.zeros(sizing.leaf),
            np.zeros((pods, spines, sizing.pod_leaves)),
            np.zeros((pods, spines)),
            np.zeros(tiers.spine.shape),
        )
        for pod in range(pods) if sizing.tiers > 1 else ():
            own = sizing.leaves_of_pod(pod)
            between = self._between(own.start, len(own))
            flows.out[:] += between.sum(axis=1)
            flows.down[pod, :, : len(own)] = share.T @ between
            over = sizing.by_pod(between.sum(axis=1)[:, None] * share).sum(axis=1)
            over[pod] = 0
            flows.spine_up[:] += over
            flows.core_down[pod] = (over[:, :, None] * onward).sum(axis=0)
        return flows

    def _between(self, first: int, count: int) -> Floats:
        """Return the bytes from each leaf to `count` leaves from `first`; shape (leaves, count)."""
        found = np.zeros((self.plan.sizing.leaf, count))
        for each in self.across:
            found += (
                self._spread(each, first, count)
                if each.name == "dp_across" and self.groups.collective == "direct"
                else self._single(each, first, count)
            )
        own = np.arange(count)
        found[first + own, own] = 0
        return found / self.plan.fabric.planes

    def _spread(self, each: TrafficClass, first: int, count: int) -> Floats:
        """Return the bytes between leaves where all of a group exchange data.

        That is members on one leaf times members on the other.
        """
        members = self._members
        return np.asarray((members @ members[first : first + count].T) * each.bytes_per_pair)

    @cached_property
    def _members(self) -> Floats:
        """Return the members of each data-parallel group on each leaf; shape (leaves, groups)."""
        (gpu, leaf), coordinates = self.endpoints, self.plan.fabric.coordinates
        stage = coordinates.domain(gpu) // self.groups.stage_domains
        names = coordinates.rank(gpu) * self.groups.llm.pipeline_stages + stage
        _, group = np.unique(names, return_inverse=True)
        size = int(group.max(initial=0)) + 1
        flat = np.bincount(
            leaf.astype(np.int64) * size + group, minlength=self.plan.sizing.leaf * size
        )
        return flat.reshape(-1, size).astype(np.float64)

    def _single(self, each: TrafficClass, first: int, count: int) -> Floats:
        """Return the bytes between leaves where GPUs send to one or two others."""
        gpu, leaf = self.endpoints
        where = np.full(self.plan.fabric.gpus, -1, dtype=np.int64)
        where[gpu] = leaf
        found = np.zeros((self.plan.sizing.leaf, count))
        for domain in range(self.groups.domains):
            source, target = self.groups.peers(each, domain)
            known = (
                (where[source] >= 0) & (where[target] >= first) & (where[target] < first + count)
            )
            np.add.at(
                found, (where[source[known]], where[target[known]] - first), each.bytes_per_pair
            )
        return found

    @cached_property
    def loads(self) -> tuple[Floats, Floats]:
        """The bytes on each link of a segment, up and down, in the order of `Plan.segment`.

        All segments carry the same.
        """
        segment, sizing, flows = self.plan.segment, self.plan.sizing, self.flows
        up, down = np.zeros(len(segment.kind)), np.zeros(len(segment.kind))
        host, slots = segment.kind == LinkKind.HOST, np.zeros(sizing.slots)
        slots[self._slots] = self.sent
        up[host] = down[host] = slots[segment.slot[host]]
        tiers, first = (
            Reach(self.plan).tiers(0, 0),
            sizing.leaf + segment.block * (sizing.spine + sizing.core),
        )
        rows = segment.kind == LinkKind.LEAF_SPINE
        leaf, spine = (
            segment.lower[rows],
            (segment.upper[rows] - first[rows]) % max(sizing.pod_spines, 1),
        )
        pod, within = np.divmod(leaf, sizing.pod_leaves)
        up[rows] = (flows.out / np.maximum(tiers.uplinks.sum(axis=1), 1))[leaf]
        down[rows] = flows.down[pod, spine, within] / np.maximum(tiers.leaf[pod, within, spine], 1)
        rows = segment.kind == LinkKind.SPINE_CORE
        pod, spine = np.divmod(segment.lower[rows] - first[rows], max(sizing.pod_spines, 1))
        core = (segment.upper[rows] - first[rows] - sizing.spine) % max(sizing.group_cores, 1)
        up[rows] = (flows.spine_up / np.maximum(tiers.spine.sum(axis=2), 1))[pod, spine]
        down[rows] = flows.core_down[pod, spine, core] / np.maximum(
            tiers.spine[pod, spine, core], 1
        )
        return up, down

    @cached_property
    def _slots(self) -> Int32Array:
        """The endpoint positions of the installed GPUs."""
        gpu = self.plan.mapping.pattern()
        return np.flatnonzero((gpu >= 0) & (gpu < self.plan.fabric.gpus)).astype(np.int32)

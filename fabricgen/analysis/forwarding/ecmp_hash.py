"""The equal-cost path that a flow takes, and how evenly many flows are spread.

Owns the hash, a model of a switch's, so that balance can be computed and compared with a lab's
figures: CRC-32 (as of IEEE 802.3) over source and destination address, protocol, UDP source and
destination port, in network byte order; exclusive or the switch's router ID; through the finalizer
of MurmurHash3; modulo the number of equal next hops in order of interface.

The finalizer separates the tiers. A CRC is linear: a seed in front of it flips the same bits for
every flow, and all flows that a leaf sends to one spine would leave that spine by one port. Real
switches have other hashes: the balance is comparable, the single choice is not.
"""

from __future__ import annotations

import struct
import zlib
from itertools import count, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.core.arrays import distinct
from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.plan import Plan

ROCE_PORT, UDP, FIRST_SOURCE_PORT, SOURCE_PORTS = 4791, 17, 49152, 16384
"""RoCEv2's UDP port (IANA), the protocol number of UDP, and the source ports for entropy."""

WORD = 0xFFFFFFFF
"""The number of values of a hash: 32 bits."""


class Flow(NamedTuple):
    """What the hash uses of a flow beside its addresses: the UDP source port."""

    source_port: int = FIRST_SOURCE_PORT


def flow_of(number: int) -> Flow:
    """Return the flow of a number; source ports repeat after their range.

    >>> flow_of(16385)
    Flow(source_port=49153)
    """
    return Flow(FIRST_SOURCE_PORT + number % SOURCE_PORTS)


def flow_hash(seed: int, source: int, target: int, flow: Flow) -> int:
    """Hash a flow at a switch whose router ID is `seed`; addresses are integers.

    >>> flow_hash(0x0A800001, 0x0A000001, 0x0A000003, Flow())
    447673310
    """
    return int(_mixed(_checksum(source, target, flow) ^ seed))


def _checksum(source: int, target: int, flow: Flow) -> int:
    """Return the part of a flow's hash that is the same on every switch."""
    return zlib.crc32(_beyond_source(target, flow), zlib.crc32(_packed(source)))


def _packed(address: int) -> bytes:
    """Return an IPv4 or IPv6 address in network byte order."""
    return address.to_bytes(16 if address >> 32 else 4, "big")


def _beyond_source(target: int, flow: Flow) -> bytes:
    """Return what the checksum of a flow reads after the source address."""
    return _packed(target) + struct.pack("!BHH", UDP, flow.source_port, ROCE_PORT)


def _mixed(bits: Any) -> Any:  # noqa: ANN401 - one number, or an array
    """Finalize a hash, or an array of them as 64-bit words, which hold the products."""
    bits = (bits ^ bits >> 16) * 0x85EBCA6B & WORD
    bits = (bits ^ bits >> 13) * 0xC2B2AE35 & WORD
    return bits ^ bits >> 16


def spread(plan: Plan, segment: int, flows: int) -> dict[LinkKind, Int32Array]:
    """Count the flows on each uplink of the first leaf of a segment that has a GPU.

    In three tiers they are also counted on each uplink of its pod's spines. The GPUs of the leaf
    send in turn to all outside of their pod, or of their leaf if there is no other pod. Counts are
    in order of switch and port. A kind of link that no flow uses is left out.
    """
    climb = _Climb(plan, segment)
    if climb.kinds:
        climb.send(flows)
    return {kind: climb.counts[rows] for kind, rows in climb.kinds.items()}


class _Climb:
    """Flows on their way up from the first leaf of a segment that has a GPU."""

    def __init__(self, plan: Plan, segment: int) -> None:
        columns, sizing, number = plan.segment, plan.sizing, segment * plan.mapping.segment_blocks
        hosts = (columns.kind == LinkKind.HOST) & (columns.block == 0)
        leaf, slot = columns.upper[hosts], columns.slot[hosts]
        # the first leaf has no endpoint where all hosts at its positions are excluded
        self.leaf = int(leaf.min())
        pod = self.leaf // sizing.pod_leaves
        beyond = leaf // sizing.pod_leaves != pod
        outside = beyond if beyond.any() else leaf != self.leaf
        self.sources = plan.addresses.host_addresses(number, slot[leaf == self.leaf].tolist())
        self.targets = plan.addresses.host_addresses(number, slot[outside].tolist())
        self.upper, self.counts = columns.upper, np.zeros(len(columns.kind), dtype=np.int32)
        crossed = plan.tier_kinds[1 : None if beyond.any() else 2] if self.targets else []
        first = {
            LinkKind.LEAF_SPINE: (self.leaf, self.leaf + 1),
            LinkKind.SPINE_CORE: (
                sizing.leaf + pod * sizing.pod_spines,
                sizing.leaf + (pod + 1) * sizing.pod_spines,
            ),
        }
        own = {
            kind: (
                (columns.kind == kind)
                & (columns.block == 0)
                & (columns.lower >= first[kind][0])
                & (columns.lower < first[kind][1])
            )
            for kind in crossed
        }
        self.kinds = {kind: np.flatnonzero(rows) for kind, rows in own.items()}
        self.seeds = {
            box: plan.addresses.router_id(segment, 0, plan.naming.boxes[box])
            for rows in self.kinds.values()
            for box in distinct(columns.lower[rows]).tolist()
        }
        self.lower = columns.lower

    def send(self, flows: int) -> None:
        """Send flows up, tier by tier, and count them on every link."""
        sums = np.fromiter(islice(self._checksums(), flows), np.uint64, flows)
        at = np.full(flows, self.leaf, dtype=self.upper.dtype)
        for rows in self.kinds.values():
            leaving = np.empty(flows, dtype=rows.dtype)
            for box in distinct(at).tolist():
                links, here = rows[self.lower[rows] == box], at == box
                hashes = _mixed(sums[here] ^ np.uint64(self.seeds[box]))
                leaving[here] = links[hashes % np.uint64(len(links))]
            self.counts += np.bincount(leaving, minlength=len(self.counts))
            at = self.upper[leaving]

    def _checksums(self) -> Iterator[int]:
        """Yield the checksum of each flow: all sources send to a target, then to the next one."""
        sources = [zlib.crc32(_packed(source)) for source in self.sources]
        for turn in count():
            for target in self.targets:
                rest = _beyond_source(target, flow_of(turn))
                yield from (zlib.crc32(rest, source) for source in sources)

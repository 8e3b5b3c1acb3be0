"""Loopbacks, and the prefix of every rail and link; the AS numbers are those of `as_numbers`.

Owns the division of pools: each block (a rail on a plane, or a plane) has an equal slice, a power
of two, so that one prefix covers one rail; inside it addresses follow endpoint positions. A slice
has headroom, so that addresses and prefixes stay when the fabric grows. Addresses are plain
integers: `ipaddress` costs twelve times as much per address, and a fabric has millions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Path, Refusal
from fabricgen.planning.as_numbers import AsNumbers
from fabricgen.planning.baseline.baseline import Slices

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from ipaddress import IPv4Network

    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.naming import Box

OCTETS = [str(octet) for octet in range(256)]


@dataclass(frozen=True)
class Slice:
    """A pool cut into equal slices of `size` addresses, a power of two."""

    base: int
    size: int

    def start(self, block: int) -> int:
        """Return the first address of a block's slice."""
        return self.base + block * self.size

    def prefix(self, block: int) -> str:
        """Format a block's slice as a prefix.

        >>> Slice(10 << 24, 512).prefix(1)
        '10.0.2.0/23'
        """
        return f"{dotted(self.start(block))}/{33 - self.size.bit_length()}"

    def cover(self, blocks: int) -> str:
        """Format the shortest prefix that covers the slices of the first `blocks` blocks.

        >>> Slice(10 << 24, 256).cover(6)
        '10.0.0.0/21'
        """
        return f"{dotted(self.base)}/{33 - _power_of_two(self.size * blocks).bit_length()}"


@dataclass(frozen=True)
class AddressPlan:
    """The addresses and AS numbers of one fabric; blocks count from 0 over the whole fabric."""

    mapping: Mapping
    hosts: Slice
    loopbacks: Slice

    @property
    def numbered(self) -> bool:
        """Whether a NIC port and its leaf port share a /31; otherwise each NIC port has a /32."""
        return self.mapping.fabric.spec.addressing.host_links == "numbered"

    def host_addresses(self, block: int, slots: Iterable[int]) -> list[int]:
        """Return the NIC port's address at each endpoint position of a block.

        Where links are numbered, the leaf's address is one below.
        """
        start = self.hosts.start(block)
        return (
            [start + 2 * slot + 1 for slot in slots]
            if self.numbered
            else [start + slot for slot in slots]
        )

    def loopback(self, segment: int, block: int, box: Box) -> int:
        """Return the loopback of a switch in a block; a shared leaf has one in each block."""
        return (
            self.loopbacks.start(segment * self.mapping.segment_blocks + block)
            + 1
            + self.mapping.stages.place(box.role, box.index)
        )

    def asn(self, segment: int, box: Box) -> int:
        """Return the AS number of a switch."""
        return self.as_numbers.of(segment, box)

    @property
    def host_asn(self) -> int:
        """The AS number that all hosts share where their links are unnumbered."""
        return self.as_numbers.hosts

    @cached_property
    def as_numbers(self) -> AsNumbers:
        """The AS numbers of the fabric."""
        return AsNumbers(self.mapping)


def dotted(address: int) -> str:
    """Format an address.

    >>> dotted(167772161)
    '10.0.0.1'
    """
    high = f"{OCTETS[address >> 24]}.{OCTETS[address >> 16 & 255]}"
    return f"{high}.{OCTETS[address >> 8 & 255]}.{OCTETS[address & 255]}"


def plan_addresses(mapping: Mapping) -> AddressPlan:
    """Divide the pools of a fabric.

    Raises Refusal where a pool is too small, pools overlap, or AS numbers run out.
    """
    asked, sizing = mapping.fabric.spec.addressing, mapping.sizing
    blocks = mapping.segments * mapping.segment_blocks
    per_slot = 2 if asked.host_links == "numbered" else 1
    kept = mapping.baseline.slices if mapping.baseline else Slices(0, 0)
    hosts = _cut(asked.host_pool, blocks, sizing.slots * per_slot, kept.hosts)
    loopbacks = _cut(
        asked.loopback_pool, blocks, sizing.leaf + sizing.spine + sizing.core + 1, kept.loopbacks
    )
    findings = [
        *_pool_findings(
            asked.host_pool,
            hosts.size,
            blocks,
            ("addressing", "host_pool"),
            f"{sizing.slots} endpoint positions x {per_slot}",
        ),
        *_pool_findings(
            asked.loopback_pool,
            loopbacks.size,
            blocks,
            ("addressing", "loopback_pool"),
            f"{sizing.leaf} + {sizing.spine} + {sizing.core} switches",
        ),
    ]
    if asked.host_pool.overlaps(asked.loopback_pool):
        hint = (
            "choose two that share no address, like `host_pool: 10.0.0.0/9` and"
            " `loopback_pool: 10.128.0.0/10`"
        )
        findings.append(
            Finding(
                "pools-overlap",
                f"{asked.host_pool} and {asked.loopback_pool} share addresses",
                ("addressing", "loopback_pool"),
                hint=hint,
            )
        )
    findings += AsNumbers(mapping).findings()
    if findings:
        raise Refusal(findings)
    return AddressPlan(mapping, hosts, loopbacks)


HEADROOM = 16
"""The size of a slice relative to what its block needs, where the pool allows it."""


def _cut(pool: IPv4Network, blocks: int, least: int, kept: int) -> Slice:
    """Divide a pool into slices for so many blocks that need so many addresses each.

    Slices of `kept` addresses keep their size where it is sufficient.

    >>> from ipaddress import IPv4Network
    >>> pool = IPv4Network("10.0.0.0/16")
    >>> [_cut(pool, blocks, 200, 0).size for blocks in (8, 20, 1024)]
    [4096, 2048, 256]
    >>> [_cut(pool, 8, 200, kept).size for kept in (256, 128)]
    [256, 4096]
    """
    needed = _power_of_two(least)
    largest = 1 << max(pool.num_addresses // blocks, 1).bit_length() - 1
    return Slice(
        int(pool.network_address),
        kept if needed <= kept <= largest else max(needed, min(needed * HEADROOM, largest)),
    )


def _power_of_two(number: int) -> int:
    """Return the smallest power of two that is at least a number."""
    return 1 << max(number - 1, 0).bit_length()


def _pool_findings(
    pool: IPv4Network, size: int, blocks: int, path: Path, what: str
) -> Iterator[Finding]:
    """Refuse a pool that is smaller than its slices."""
    if size * blocks <= pool.num_addresses:
        return
    because = (
        f"{what} need a slice of {size} addresses",
        f"{blocks} slices x {size} = {size * blocks}",
        f"{pool} holds {pool.num_addresses}",
    )
    length = 33 - (size * blocks - 1).bit_length() - 1
    hint = f"give a pool of /{length} or larger" if length > 0 else "reserve fewer GPUs"
    yield Finding(
        "pool-too-small", f"{pool} cannot give every rail and plane its slice", path, because, hint
    )

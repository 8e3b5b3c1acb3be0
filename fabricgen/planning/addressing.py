"""Loopbacks, and the prefix of every rail and link; the AS numbers are those of `as_numbers`.

Owns the division of pools: each block (a rail on a plane, or a plane) has an equal slice, a power
of two, so that one prefix covers one rail; inside it addresses follow endpoint positions. A slice
has headroom, so that addresses and prefixes stay when the fabric grows. Addresses are plain
integers: `ipaddress` costs twelve times as much per address, and a fabric has millions. A pool may
be IPv4 or IPv6: the family follows from its addresses, as no IPv6 pool has any below 2**32.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Refusal
from fabricgen.planning.as_numbers import AsNumbers
from fabricgen.planning.baseline.baseline import Slices
from fabricgen.planning.pool_findings import family_findings, size_findings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from ipaddress import IPv4Network, IPv6Network

    from fabricgen.core.terms import Family
    from fabricgen.inventory.settings import Addressing
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.naming import Box

    Network = IPv4Network | IPv6Network

OCTETS = [str(octet) for octet in range(256)]

IPV4_BITS, IPV6_BITS = 32, 128


@dataclass(frozen=True)
class Slice:
    """A pool cut into equal slices of `size` addresses, a power of two."""

    base: int
    size: int

    @cached_property
    def bits(self) -> int:
        """The bits of an address: 32 of IPv4, 128 of IPv6."""
        return IPV6_BITS if self.base >> IPV4_BITS else IPV4_BITS

    @property
    def origin(self) -> int:
        """What a column of addresses counts from, so that it fits 64 bits: the base of IPv6."""
        return self.base if self.bits == IPV6_BITS else 0

    def start(self, block: int) -> int:
        """Return the first address of a block's slice."""
        return self.base + block * self.size

    def prefix(self, block: int) -> str:
        """Format a block's slice as a prefix.

        >>> Slice(10 << 24, 512).prefix(1)
        '10.0.2.0/23'
        >>> Slice(0x20010DB8 << 96, 1 << 32).prefix(7)
        '2001:db8::7:0:0/96'
        """
        return f"{address_text(self.start(block))}/{self.bits + 1 - self.size.bit_length()}"

    def cover(self, blocks: int) -> str:
        """Format the shortest prefix that covers the slices of the first `blocks` blocks.

        >>> Slice(10 << 24, 256).cover(6)
        '10.0.0.0/21'
        """
        length = self.bits + 1 - _power_of_two(self.size * blocks).bit_length()
        return f"{address_text(self.base)}/{length}"


@dataclass(frozen=True)
class AddressPlan:
    """The addresses and AS numbers of one fabric; blocks count from 0 over the whole fabric."""

    mapping: Mapping
    hosts: Slice
    loopbacks: Slice
    router_ids: Slice
    """As large as those of the loopbacks, which they are where the inventory has no other."""

    @cached_property
    def numbered(self) -> bool:
        """Whether a NIC port shares a /31 or a /127 with its leaf port; else it has a /32 or /128.

        RFC 3021 and RFC 6164 define such links of two addresses.
        """
        return self.mapping.fabric.spec.addressing.host_links == "numbered"

    @cached_property
    def family(self) -> Family:
        """The family of all addresses: `ipv4` or `ipv6`."""
        return "ipv6" if self.hosts.bits == IPV6_BITS else "ipv4"

    @cached_property
    def host_length(self) -> int:
        """The length of the prefix of a host link, or of a NIC port where links are unnumbered."""
        return self.hosts.bits - 1 if self.numbered else self.hosts.bits

    @cached_property
    def skipped(self) -> int:
        """Addresses at the start of a slice of hosts that no port has."""
        return _skipped(self.mapping.fabric.spec.addressing)

    def host_addresses(self, block: int, slots: Iterable[int]) -> list[int]:
        """Return the NIC port's address at each endpoint position of a block.

        Where links are numbered, the leaf's address is one below.
        """
        start = self.hosts.start(block) + self.skipped
        return (
            [start + 2 * slot + 1 for slot in slots]
            if self.numbered
            else [start + slot for slot in slots]
        )

    def link_addresses(self, block: int, row: int) -> tuple[int, int]:
        """Return the addresses of the lower and the upper end of a direct link."""
        lower = self.hosts.start(block) + self.skipped + 2 * row
        return lower, lower + 1

    def direct_gpu(self, gpu: int, plane: int) -> str:
        """Return the address by which the others of a direct rail reach a GPU over any link."""
        return address_text(self._direct_gpu(gpu, plane, self.loopbacks))

    def _direct_gpu(self, gpu: int, plane: int, pool: Slice) -> int:
        """Return the address of a GPU of a direct rail in a pool cut like the loopbacks."""
        segment, place = self.mapping.home(gpu, plane)
        block = segment * self.mapping.segment_blocks + place
        return pool.start(block) + 1 + self.mapping.pattern_index(gpu)

    def loopback(self, segment: int, block: int, box: Box) -> int:
        """Return the loopback of a switch in a block; a shared leaf has one in each block."""
        return (
            self.loopbacks.start(segment * self.mapping.segment_blocks + block)
            + 1
            + self.mapping.stages.place(box.role, box.index)
        )

    def router_id(self, segment: int, block: int, box: Box) -> int:
        """Return the BGP router ID of a switch in a block, which has the place of its loopback."""
        loopback = self.loopback(segment, block, box)
        return loopback - self.loopbacks.base + self.router_ids.base

    def host_router_id(self, host: int) -> str:
        """Return the router ID of a host from the end of the pool; empty where it has no need.

        On direct rails it has the place of the address of its first GPU.
        """
        if self.mapping.topology:
            gpu = self.mapping.fabric.coordinates.host_gpu(host, 0)
            return address_text(self._direct_gpu(gpu, 0, self.router_ids))
        pool = self.mapping.fabric.spec.addressing.router_id_pool
        speaks = pool and not self.numbered
        return address_text(int(pool.broadcast_address) - host) if pool and speaks else ""

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


def address_text(address: int) -> str:
    """Format an address; IPv6 as RFC 5952 recommends.

    >>> address_text(167772161)
    '10.0.0.1'
    >>> address_text(0x20010DB8_00000001_00000000_00000001)
    '2001:db8:0:1::1'
    """
    if address >> IPV4_BITS:
        import socket  # noqa: PLC0415 - a twentieth of planning's imports, for IPv6 alone

        return socket.inet_ntop(socket.AF_INET6, address.to_bytes(IPV6_BITS // 8, "big"))
    high = f"{OCTETS[address >> 24]}.{OCTETS[address >> 16 & 255]}"
    return f"{high}.{OCTETS[address >> 8 & 255]}.{OCTETS[address & 255]}"


def plan_addresses(mapping: Mapping) -> AddressPlan:
    """Divide the pools of a fabric.

    Raises Refusal where pools are of two families, too small or overlap, where IPv6 loopbacks have
    no router IDs, or where AS numbers run out.
    """
    asked, sizing = mapping.fabric.spec.addressing, mapping.sizing
    blocks = mapping.segments * mapping.segment_blocks
    per_slot, skipped = _per_slot(asked), _skipped(asked)
    kept = mapping.baseline.slices if mapping.baseline else Slices(0, 0)
    switches = sizing.leaf + sizing.spine + sizing.core + 1
    what = f"{sizing.leaf} + {sizing.spine} + {sizing.core} switches"
    slots, topology, positions = sizing.slots, mapping.topology, "endpoint positions"
    if topology:  # a pair of addresses for each link, and one for each GPU
        slots, switches, positions = len(topology.links.lower), topology.nodes + 1, "links"
        what = f"{topology.nodes} GPUs"
    if mapping.fabric.has_bonds:  # half of a slice is the subnet of a VLAN, with its gateways
        per_slot = 2 * per_slot
    speakers = 0 if asked.host_links == "numbered" else mapping.fabric.coordinates.planned_hosts
    ids = asked.router_id_pool or asked.loopback_pool
    room = min(asked.loopback_pool.num_addresses, ids.num_addresses - speakers)
    hosts = _cut(
        asked.host_pool,
        asked.host_pool.num_addresses,
        blocks,
        slots * per_slot + skipped,
        kept.hosts,
        IPV6_SLICE if asked.host_pool.max_prefixlen > IPV4_BITS else 0,
    )
    loopbacks = _cut(asked.loopback_pool, room, blocks, switches, kept.loopbacks)
    router_ids = Slice(int(ids.network_address), loopbacks.size)
    findings = [
        *family_findings(asked),
        *size_findings(
            asked.host_pool,
            hosts.size,
            blocks,
            ("addressing", "host_pool"),
            f"{slots} {positions} x {per_slot}" + (f" + {skipped} at its start" if skipped else ""),
        ),
        *size_findings(
            asked.loopback_pool, loopbacks.size, blocks, ("addressing", "loopback_pool"), what
        ),
    ]
    if asked.router_id_pool:
        path = "addressing", "router_id_pool"
        findings += size_findings(ids, router_ids.size, blocks, path, what, speakers)
    addresses = AddressPlan(mapping, hosts, loopbacks, router_ids)
    findings += addresses.as_numbers.findings()
    if findings:
        raise Refusal(findings)
    return addresses


def _per_slot(asked: Addressing) -> int:
    """Return the addresses that an endpoint position takes."""
    return 2 if asked.host_links == "numbered" else 1


def _skipped(asked: Addressing) -> int:
    """Return the addresses at the start of a slice of hosts that no port has.

    With IPv6 they are those of one position: an address whose last 64 bits are 0 is the anycast
    address of the routers of its subnet, and RFC 6164 (5.1) advises against it.
    """
    return _per_slot(asked) if asked.host_pool.max_prefixlen > IPV4_BITS else 0


HEADROOM = 16
"""The size of a slice relative to what its block needs, where the pool allows it."""

IPV6_SLICE = 1 << 32
"""The size of a slice of IPv6 host addresses, where the pool allows it: a /96.

The third group from the right then counts the blocks, in order of rail and plane.
"""


def _cut(pool: Network, room: int, blocks: int, least: int, kept: int, wanted: int = 0) -> Slice:
    """Divide a pool into slices for so many blocks that need so many addresses each.

    Of the pool, `room` addresses may be used. Slices of `kept` addresses keep their size where it
    is sufficient; others have `wanted` addresses, or what headroom takes.

    >>> from ipaddress import ip_network
    >>> pool = ip_network("10.0.0.0/16")
    >>> [_cut(pool, 1 << 16, blocks, 200, 0).size for blocks in (8, 20, 1024)]
    [4096, 2048, 256]
    >>> [_cut(pool, 1 << 16, 8, 200, kept).size for kept in (256, 128)]
    [256, 4096]
    """
    needed = _power_of_two(least)
    largest = 1 << max(room // blocks, 1).bit_length() - 1
    return Slice(
        int(pool.network_address),
        kept
        if needed <= kept <= largest
        else max(needed, min(max(needed * HEADROOM, wanted), largest)),
    )


def _power_of_two(number: int) -> int:
    """Return the smallest power of two that is at least a number."""
    return 1 << max(number - 1, 0).bit_length()

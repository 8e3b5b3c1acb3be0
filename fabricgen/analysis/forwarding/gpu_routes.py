"""The IP routes of a GPU that is a router of its own, as it is in a lab: what plain forwarding can do of the relay rules.

A GPU has an interface `nic<plane>` for each NIC port and `hb0` to the other GPUs of its HB domain. Plain IP takes one of several routes by
prefix and metric alone: so it has the direct way, the source relay, and the source relay's backups on the destination's rail. A
destination or third-rail relay lands on another GPU than the packet names; that is what a communication library does, by the whole
order of `tables`. The metric is the place in that order; a route gives way to the next when its link loses carrier.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.analysis.forwarding.relay_rules import exits, landings, rail_of
from fabricgen.planning.addressing import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.forwarding.link_ends import Ends

HB_BASE, HB_LENGTH = 198 << 24 | 18 << 16, 15
"""198.18.0.0/15, set aside for test networks (RFC 2544): rank k is k + 1 above it in every HB domain, because domains never meet."""

HB_DEVICE = "hb0"


class GpuRoute(NamedTuple):
    """One IP route of a GPU. Of several to one prefix the lower `metric` wins: it is the place in the order of preference, from 1."""

    prefix: str
    via: str
    device: str
    source: str
    metric: int


@dataclass(slots=True)
class GpuAddress:
    """One address of a GPU."""

    device: str
    address: str
    """With its prefix length."""
    mtu: int


@dataclass(slots=True)
class GpuView:
    """One GPU as a router of its own."""

    name: str
    fabric: str
    host: str
    domain: int
    rail: int
    numbered: bool
    """Whether each NIC port shares a prefix with its leaf; otherwise the leaf's address is reached on the link all the same."""
    addresses: list[GpuAddress]
    routes: list[GpuRoute]


def has_hb_addresses(domain_gpus: int) -> bool:
    """Say whether the test range has an address for each GPU of an HB domain."""
    return domain_gpus <= (1 << 32 - HB_LENGTH) - 2


@lru_cache(maxsize=65_536)
def hb_address(rank: int) -> str:
    """Return the address of a rank inside its HB domain.

    >>> hb_address(300)
    '198.18.1.45'
    """
    return dotted(HB_BASE + 1 + rank)


def hb_rank(address: str) -> int:
    """Return the rank of an address inside its HB domain.

    >>> hb_rank("198.18.1.45")
    300
    """
    return int(IPv4Address(address)) - HB_BASE - 1


def gpu_view(ends: Ends, gpu: int) -> GpuView:
    """Return the addresses and the routes of a GPU."""
    plan, request = ends.reach.plan, ends.reach.plan.request
    domain, rank = divmod(gpu, request.domain_gpus)
    length = 31 if plan.addresses.numbered else 32
    mtu = plan.spec.addressing.mtu
    own = [GpuAddress(f"nic{plane}", f"{dotted(ends.address(gpu, plane))}/{length}", mtu) for plane in range(request.planes)]
    hb = GpuAddress(HB_DEVICE, f"{hb_address(rank)}/{HB_LENGTH}", mtu)
    return GpuView(
        ends.gpu(gpu), plan.spec.name, ends.host(gpu), domain, rail_of(request, gpu), plan.addresses.numbered, [*own, hb], list(gpu_routes(ends, gpu))
    )


def gpu_routes(ends: Ends, gpu: int) -> Iterator[GpuRoute]:
    """Yield the IP routes of a GPU: the others of its HB domain, then each rail on each plane."""
    request, spans_rails = ends.reach.plan.request, ends.reach.spans_rails
    domain, rank = divmod(gpu, request.domain_gpus)
    for plane in range(request.planes):
        addresses = ends.addresses(domain, plane)
        for other, address in enumerate(addresses):
            if other != rank:
                yield GpuRoute(f"{address}/32", hb_address(other), HB_DEVICE, addresses[rank], 1)
        for rail in [rail_of(request, gpu)] if spans_rails else range(request.rails):
            yield from _rail_routes(ends, gpu, rail, plane)


def _rail_routes(ends: Ends, gpu: int, rail: int, plane: int) -> Iterator[GpuRoute]:
    """Yield the routes to the block of a rail: over each GPU of the domain that is on it, best first."""
    request, spans_rails = ends.reach.plan.request, ends.reach.spans_rails
    domain, rank = divmod(gpu, request.domain_gpus)
    source = ends.addresses(domain, plane)[rank]
    leaving = exits(request, gpu, rail, spans_rails=True) if spans_rails else landings(request, gpu, rail)
    for metric, other in enumerate(leaving, start=1):
        if other == gpu:
            yield GpuRoute(ends.prefix(other, plane), dotted(ends.gateway(gpu, plane)), f"nic{plane}", source, metric)
        else:
            yield GpuRoute(ends.prefix(other, plane), hb_address(other % request.domain_gpus), HB_DEVICE, source, metric)

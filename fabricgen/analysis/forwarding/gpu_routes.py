"""The IP routes of a GPU that is a router of its own, as in a lab: the relay rules in plain IP.

A GPU has an interface `nic<plane>` for each NIC port and `hb0` to the other GPUs of its HB domain.
Plain IP selects one of several routes by prefix and metric alone: so a GPU has the direct route,
the source relay, and the source relay's backups on the destination's rail. A destination or
third-rail relay lands on another GPU than the packet's destination; only a communication library
does that, by the whole order of `tables`. The metric is the place in that order; a route is
replaced by the next when its link loses carrier.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from ipaddress import IPv4Address
from itertools import count, cycle, repeat
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.analysis.forwarding.relay_rules import exit_ranks, ranks_by_rail
from fabricgen.planning.addressing import dotted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabricgen.analysis.forwarding.path_names import PathNames

HB_BASE, HB_LENGTH = 198 << 24 | 18 << 16, 15
"""198.18.0.0/15, reserved for test networks (RFC 2544).

Rank k has address k + 1 of it in every HB domain, because domains never meet.
"""

HB_DEVICE = "hb0"


class GpuRoute(NamedTuple):
    """One IP route of a GPU.

    Of several to one prefix the lower `metric` is used: it is the place in the order of preference,
    from 1.
    """

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
    """The address with its prefix length."""
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
    """Whether a NIC port shares a prefix with its leaf; if not, the leaf's address is on-link."""
    addresses: list[GpuAddress]
    routes: list[GpuRoute]


def has_hb_addresses(domain_gpus: int) -> bool:
    """Return whether the test range has an address for each GPU of an HB domain."""
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


def gpu_view(ends: PathNames, gpu: int) -> GpuView:
    """Return the addresses and the routes of a GPU."""
    plan, fabric = ends.reach.plan, ends.reach.plan.fabric
    coordinates = fabric.coordinates
    length = 31 if plan.addresses.numbered else 32
    mtu = plan.spec.addressing.mtu
    own = [
        GpuAddress(f"nic{plane}", f"{dotted(ends.address(gpu, plane))}/{length}", mtu)
        for plane in range(fabric.planes)
    ]
    hb = GpuAddress(HB_DEVICE, f"{hb_address(coordinates.rank(gpu))}/{HB_LENGTH}", mtu)
    return GpuView(
        ends.gpu(gpu),
        plan.spec.name,
        ends.host(gpu),
        coordinates.domain(gpu),
        coordinates.rail(gpu),
        plan.addresses.numbered,
        [*own, hb],
        gpu_routes(ends, gpu),
    )


def gpu_routes(ends: PathNames, gpu: int) -> list[GpuRoute]:
    """Return the IP routes of a GPU by plane: the others of its HB domain, then each rail."""
    planes = range(ends.reach.plan.fabric.planes)
    return [
        route
        for plane in planes
        for route in (*_domain_routes(ends, gpu, plane), *_rail_routes(ends, gpu, plane))
    ]


def _domain_routes(ends: PathNames, gpu: int, plane: int) -> list[GpuRoute]:
    """Return the routes to the other GPUs of the HB domain."""
    coordinates = ends.reach.plan.fabric.coordinates
    rank, addresses = coordinates.rank(gpu), ends.addresses(coordinates.domain(gpu), plane)
    prefixes = map("{}/32".format, addresses)
    routes = _over_hb(prefixes, range(len(addresses)), addresses[rank], repeat(1))
    return routes[:rank] + routes[rank + 1 :]


def _rail_routes(ends: PathNames, gpu: int, plane: int) -> list[GpuRoute]:
    """Return the routes to the block of each rail: over each GPU of the domain, best first."""
    fabric = ends.reach.plan.fabric
    rank, rail = fabric.coordinates.rank(gpu), fabric.coordinates.rail(gpu)
    prefixes: Iterable[str]
    metrics: Iterable[int]
    if ends.reach.plan.mapping.spans_rails:
        ranks = exit_ranks(fabric, gpu, rail, spans_rails=True)
        prefixes, metrics = repeat(ends.prefix(gpu, plane)), count(1)
    else:
        ranks = ranks_by_rail(fabric, gpu)
        prefixes, metrics = (
            map(ends.rail_prefixes[plane].__getitem__, ranks),
            cycle(range(1, fabric.ranks_per_rail + 1)),
        )
    source = ends.addresses(fabric.coordinates.domain(gpu), plane)[rank]
    routes = _over_hb(prefixes, ranks, source, metrics)
    own = ranks.index(rank)
    routes[own] = routes[own]._replace(via=dotted(ends.gateway(gpu, plane)), device=f"nic{plane}")
    return routes


def _over_hb(
    prefixes: Iterable[str], ranks: Sequence[int], source: str, metrics: Iterable[int]
) -> list[GpuRoute]:
    """Return a route over each rank.

    A large HB domain has millions, so no Python statement runs per route.
    """
    cells = zip(
        prefixes, map(hb_address, ranks), repeat(HB_DEVICE), repeat(source), metrics, strict=False
    )
    return [*map(partial(tuple.__new__, GpuRoute), cells)]

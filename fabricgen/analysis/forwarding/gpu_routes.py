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
from ipaddress import ip_address
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.analysis.forwarding.relay_rules import exit_ranks, ranks_by_rail
from fabricgen.core.columns import Columns
from fabricgen.core.template_api import for_templates
from fabricgen.planning.addressing import IPV4_BITS, address_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.analysis.forwarding.path_names import NicAttachment, PathNames
    from fabricgen.core.terms import Family

HB_RANGES = {32: (198 << 24 | 18 << 16, 15), 128: (0x20010002 << 96, 96)}
"""By the bits of an address: 198.18.0.0/15 (RFC 2544) and the first /96 of 2001:2::/48 (RFC 5180).

Both are reserved for test networks. Rank k has address k + 1 in every HB domain, because domains
never meet.
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
    family: Family
    """Of its addresses: `ipv4` or `ipv6`."""
    addresses: list[GpuAddress]
    route_columns: list[Columns]
    """The routes in runs for the filter `lines`; their columns are the fields of a route."""

    @property
    @for_templates
    def routes(self) -> list[GpuRoute]:
        """The routes, plane by plane: to the others of its HB domain, then to each rail."""
        return _rows(self.route_columns)


def has_hb_addresses(domain_gpus: int) -> bool:
    """Return whether the test range of IPv4 has an address for each GPU of an HB domain.

    That of IPv6 is larger.
    """
    return domain_gpus <= (1 << IPV4_BITS - HB_RANGES[IPV4_BITS][1]) - 2


@lru_cache(maxsize=65_536)
def hb_address(rank: int, bits: int) -> str:
    """Return the address of a rank inside its HB domain.

    >>> hb_address(300, 32)
    '198.18.1.45'
    >>> hb_address(300, 128)
    '2001:2::12d'
    """
    return address_text(HB_RANGES[bits][0] + 1 + rank)


def hb_rank(address: str) -> int:
    """Return the rank of an address inside its HB domain.

    >>> hb_rank("198.18.1.45"), hb_rank("2001:2::12d")
    (300, 300)
    """
    parsed = ip_address(address)
    return int(parsed) - HB_RANGES[parsed.max_prefixlen][0] - 1


def gpu_view(ends: PathNames, gpu: int) -> GpuView:
    """Return the addresses and the routes of a GPU."""
    plan, fabric = ends.reach.plan, ends.reach.plan.fabric
    coordinates = fabric.coordinates
    bits, length = plan.addresses.hosts.bits, plan.addresses.host_length
    mtu = plan.spec.addressing.mtu
    (ports,) = ends.nics([gpu])
    own = [
        GpuAddress(f"nic{plane}", f"{address_text(port.address)}/{length}", mtu)
        for plane, port in enumerate(ports)
    ]
    hb_text = f"{hb_address(coordinates.rank(gpu), bits)}/{HB_RANGES[bits][1]}"
    return GpuView(
        name=ends.gpu(gpu),
        fabric=plan.spec.name,
        host=ends.host(gpu),
        domain=coordinates.domain(gpu),
        rail=coordinates.rail(gpu),
        numbered=plan.addresses.numbered,
        family=plan.addresses.family,
        addresses=[*own, GpuAddress(HB_DEVICE, hb_text, mtu)],
        route_columns=[*route_columns(ends, gpu, ports)],
    )


def _rows(runs: Iterable[Columns]) -> list[GpuRoute]:
    """Return the routes of some runs.

    A large HB domain has millions, so no Python statement runs per route.
    """
    return [*map(partial(tuple.__new__, GpuRoute), chain.from_iterable(runs))]


def route_columns(ends: PathNames, gpu: int, ports: Iterable[NicAttachment]) -> Iterator[Columns]:
    """Yield the IP routes of a GPU in runs, by plane: to its HB domain, then to each rail.

    `ports` are those of its NICs, by plane. The columns of a run are the fields of a route; equal
    columns are one tuple for all GPUs of a domain.
    """
    alone = ends.reach.plan.fabric.domain_gpus == 1
    for plane, port in enumerate(ports):
        source, gateway = address_text(port.address), address_text(port.gateway)
        if alone:  # it reaches its one rail by its own NIC port, and nothing else
            yield Columns((ends.prefix(gpu, plane), gateway, f"nic{plane}", source, 1), 0, 1)
        else:
            yield from _domain_columns(ends, gpu, plane, source)
            yield from _rail_columns(ends, gpu, plane, source, gateway)


def _domain_columns(ends: PathNames, gpu: int, plane: int, source: str) -> Iterator[Columns]:
    """Yield the routes to the other GPUs of the HB domain."""
    coordinates, bits = ends.reach.plan.fabric.coordinates, ends.reach.plan.addresses.hosts.bits
    rank, prefixes = coordinates.rank(gpu), ends.host_prefixes(coordinates.domain(gpu), plane)
    others = prefixes, _hb_addresses(len(prefixes), bits), HB_DEVICE, source, 1
    yield from _runs(Columns(others, 0, rank), Columns(others, rank + 1, len(prefixes)))


def _rail_columns(
    ends: PathNames, gpu: int, plane: int, source: str, gateway: str
) -> Iterator[Columns]:
    """Yield the routes to the block of each rail: over each GPU of the domain, best first."""
    fabric, spans = ends.reach.plan.fabric, ends.reach.plan.mapping.spans_rails
    rank = fabric.coordinates.rank(gpu)
    if spans:
        ranks = exit_ranks(fabric, gpu, fabric.coordinates.rail(gpu), spans_rails=True)
        prefix: object = ends.prefix(gpu, plane)
    else:
        ranks = ranks_by_rail(fabric, gpu)
        prefix = _selected(ends.rail_prefixes[plane], ranks)
    bits = ends.reach.plan.addresses.hosts.bits
    vias = _selected(_hb_addresses(fabric.domain_gpus, bits), ranks)
    metric = _metrics(len(ranks), len(ranks) if spans else fabric.coordinates.ranks_per_rail)
    cells = prefix, vias, HB_DEVICE, source, metric
    at = ranks.index(rank)
    direct = _cell(prefix, at), gateway, f"nic{plane}", source
    yield from _runs(
        Columns(cells, 0, at),
        Columns((*direct, _cell(metric, at)), 0, 1),
        Columns(cells, at + 1, len(ranks)),
    )


def _runs(*runs: Columns) -> Iterator[Columns]:
    """Yield the runs that have rows."""
    return (run for run in runs if len(run))


def _cell(column: object, row: int) -> object:
    """Return the cell of a row."""
    return column[row] if isinstance(column, tuple) else column


@lru_cache(maxsize=1)
def _hb_addresses(size: int, bits: int) -> tuple[str, ...]:
    """Return the address of each rank inside its HB domain."""
    return tuple(hb_address(rank, bits) for rank in range(size))


@lru_cache(maxsize=32)
def _selected(texts: tuple[str, ...], ranks: tuple[int, ...]) -> tuple[str, ...]:
    """Return the texts of some ranks."""
    return tuple(map(texts.__getitem__, ranks))


@lru_cache(maxsize=1)
def _metrics(rows: int, places: int) -> object:
    """Return the metrics of rows that are ordered in groups of so many places."""
    return tuple(row % places + 1 for row in range(rows)) if places > 1 else 1

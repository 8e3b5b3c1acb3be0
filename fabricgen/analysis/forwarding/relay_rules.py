"""Which GPU carries a packet out of its HB domain, and on which GPU of the far domain it may land.

Owns the relay rules and nothing else: they are arithmetic on domain, rail and turn, they know no
wire and no failure, and every table is made of them. A GPU's *turn* is its place among the GPUs of
its domain that share its rail: rank = turn x rails + rail.

The rules are balanced. A packet for another rail is handed to the GPU of the sender's own turn on
that rail, so each GPU is first choice of exactly one GPU of every other rail of its domain; where a
host carries a whole turn, that relay is in the same host. When a rail is lost, the rail that takes
over differs from domain to domain, so that no rail takes the whole of another's traffic.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.resolve import ResolvedFabric

KNOWN = 4096
"""Orders that are remembered: in small domains every domain has the same few."""


def exits(
    fabric: ResolvedFabric, gpu: int, rail: int, *, spans_rails: bool = False
) -> Iterator[int]:
    """Yield the GPUs of a domain over which `gpu` may send to a GPU of `rail`, best first; the GPU itself means no hop inside the domain.

    Best is the destination's rail, for then the packet lands where it belongs (what NCCL calls
    PXN). Then comes the own rail, with a relay at the far end, then every other rail. Where blocks
    span rails the own NIC comes before all.
    """
    coordinates = fabric.coordinates
    domain, ranks = coordinates.domain(gpu), exit_ranks(fabric, gpu, rail, spans_rails=spans_rails)
    return (coordinates.gpu(domain, rank) for rank in ranks)


def exit_ranks(
    fabric: ResolvedFabric, gpu: int, rail: int, *, spans_rails: bool = False
) -> tuple[int, ...]:
    """Return the ranks of the GPUs that `exits` yields."""
    coordinates = fabric.coordinates
    return _exit_ranks(
        fabric.rails,
        fabric.ranks_per_rail,
        coordinates.rank(gpu),
        rail,
        coordinates.domain(gpu) % max(fabric.rails - 1, 1),
        spans_rails=spans_rails,
    )


def landings(
    fabric: ResolvedFabric, target: int, rail: int, *, spans_rails: bool = False
) -> Iterator[int]:
    """Yield the GPUs of the target's domain on which a packet that travels on `rail` may land, best first.

    The target itself comes first where it is on that rail, or where blocks span rails.
    """
    if spans_rails:
        yield target
    for turn in range(fabric.ranks_per_rail):
        other = fabric.coordinates.on_rail(target, rail, turn)
        if not (spans_rails and other == target):
            yield other


def ranks_by_rail(fabric: ResolvedFabric, gpu: int) -> tuple[int, ...]:
    """Return the ranks of a GPU's domain, rail by rail, and of each rail the one of the GPU's own turn first."""
    return _ranks_by_rail(fabric.rails, fabric.ranks_per_rail, fabric.coordinates.rail_slot(gpu))


@lru_cache(maxsize=KNOWN)
def _ranks_by_rail(rails: int, turns: int, turn: int) -> tuple[int, ...]:
    """Return the ranks of a domain, rail by rail, the one of this turn first."""
    each = _turns(turns, turn)
    return tuple([other * rails + rail for rail in range(rails) for other in each])


@lru_cache(maxsize=KNOWN)
def _exit_ranks(
    rails: int, turns: int, rank: int, rail: int, start: int, *, spans_rails: bool
) -> tuple[int, ...]:
    """Return the ranks over which `rank` may send to `rail`, in a domain whose third rails begin at `start`."""
    turn, own = divmod(rank, rails)
    each = _turns(turns, turn)
    ranks = [other * rails + on for on in _rails(rails, rail, own, start) for other in each]
    return (rank, *[other for other in ranks if other != rank]) if spans_rails else tuple(ranks)


def third_rails(fabric: ResolvedFabric, domain: int, rail: int) -> list[int]:
    """Return the rails other than `rail` in the order in which a domain tries them for it; each domain begins with another one."""
    return _thirds(fabric.rails, rail, domain)


def _rails(rails: int, rail: int, own: int, start: int) -> list[int]:
    """Return every rail, in the order in which a GPU on rail `own` tries them for `rail`."""
    return [
        rail,
        *([own] if own != rail else []),
        *[third for third in _thirds(rails, rail, start) if third != own],
    ]


def _thirds(rails: int, rail: int, start: int) -> list[int]:
    """Return the rails other than `rail`, in cyclic order from the one at `start`."""
    others = rails - 1
    return [(rail + 1 + (start + step) % others) % rails for step in range(others)]


def _turns(turns: int, turn: int) -> list[int]:
    """Return every turn in cyclic order from this one."""
    return [*range(turn, turns), *range(turn)]

"""The order of relays: over which GPU a packet leaves its HB domain, and on which it may land.

Owns the table of attempts and the kinds of paths: arithmetic on domain, rail and rail slot,
independent of wiring and failures. Python reads the table GPU by GPU, numpy for many pairs at once,
and the page of the report has it among its data. A GPU's *rail slot* is its place among the GPUs of
its domain that share its rail: rank = rail slot x rails + rail.

The order is balanced. A packet for another rail is handed to the GPU of the sender's own rail slot
on that rail, so each GPU is first choice of exactly one GPU of every other rail of its domain; if a
host has all ranks of a rail slot, that relay is in the same host. When a rail is lost, the rail
that replaces it differs from domain to domain, so that no rail carries the whole of another's
traffic.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import compress, product
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.coordinates import Whole
    from fabricgen.planning.resolve import ResolvedFabric

KNOWN = 4096
"""Orders that are cached: in small domains every domain has the same few."""

PathKind = Literal[
    "direct", "source-relay", "destination-relay", "third-rail-relay", "third-domain-relay"
]
Fact = Literal["leaves-source", "lands-on-target", "target-rail", "source-rail"]

KINDS: tuple[tuple[PathKind, tuple[Fact, ...]], ...] = (
    ("direct", ("leaves-source", "lands-on-target")),
    ("source-relay", ("lands-on-target",)),
    ("destination-relay", ("leaves-source",)),
    ("source-relay", ("target-rail",)),
    ("destination-relay", ("source-rail",)),
    ("third-rail-relay", ()),
)
"""The kinds of paths over one crossing of the network; the first whose facts all hold applies.

A path leaves over the source itself or over a relay, lands on the target itself or on a relay, and
travels on the target's rail, the source's, or a third. Where GPUs of a domain share a rail, a path
may have a relay at both ends and still be no third-rail relay.
"""

_KIND_OF: dict[tuple[bool, ...], PathKind] = {
    facts: next(kind for kind, needed in KINDS if {*needed} <= {*compress(get_args(Fact), facts)})
    for facts in product((False, True), repeat=len(get_args(Fact)))
}
"""The kind of every combination of facts, in their order."""


class Exit(NamedTuple):
    """How to find a GPU to leave over: itself, or one on a rail.

    `offset` is its rail slot after that of the GPU itself, cyclically. `third` numbers the rails
    other than the target's, in an order that differs from domain to domain.
    """

    rail: Literal["itself", "target", "source", "third"]
    offset: int = 0
    third: int = 0


class RelayOrder(NamedTuple):
    """The attempts, best first: each exit with each landing.

    A landing is on the rail of the exit, given as its rail slot after the target's own; None is the
    target itself. Different attempts may find the same GPUs.
    """

    exits: tuple[Exit, ...]
    landings: tuple[int | None, ...]


def relay_order(fabric: ResolvedFabric, *, spans_rails: bool) -> RelayOrder:
    """Return the order of a fabric.

    The best exit is on the target's rail, for then the packet lands where it belongs (what NCCL
    calls PXN). Then comes the own rail, with a relay at the far end, then every other rail. Where
    blocks span rails the own NIC comes first, and so does the target itself.
    """
    return _relay_order(fabric.rails, fabric.coordinates.ranks_per_rail, spans_rails=spans_rails)


@lru_cache(maxsize=KNOWN)
def _relay_order(rails: int, rail_slots: int, *, spans_rails: bool) -> RelayOrder:
    """Return the order for a number of rails and of rail slots."""
    exits = [
        *([Exit("itself")] if spans_rails else []),
        *[Exit("target", offset) for offset in range(rail_slots)],
        *[Exit("source", offset) for offset in range(rail_slots)],
        *[
            Exit("third", offset, third)
            for third in range(rails - 1)
            for offset in range(rail_slots)
        ],
    ]
    return RelayOrder(tuple(exits), (*([None] if spans_rails else []), *range(rail_slots)))


def exit_rail(rails: int, each: Exit, source: Whole, target: Whole, domain: Whole) -> Whole:
    """Return the rail that an exit is on, given the rails of both ends and the source's domain."""
    if each.rail == "third":
        return (target + 1 + (domain + each.third) % (rails - 1)) % rails
    return target if each.rail == "target" else source


def exits(
    fabric: ResolvedFabric, gpu: int, rail: int, *, spans_rails: bool = False
) -> Iterator[int]:
    """Yield the GPUs of a domain over which `gpu` may send to a GPU of `rail`, best first.

    The GPU itself takes no hop inside the domain.
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
        coordinates.ranks_per_rail,
        coordinates.rank(gpu),
        rail,
        coordinates.domain(gpu) % max(fabric.rails - 1, 1),
        spans_rails=spans_rails,
    )


@lru_cache(maxsize=KNOWN)
def _exit_ranks(
    rails: int, rail_slots: int, rank: int, rail: int, domain: int, *, spans_rails: bool
) -> tuple[int, ...]:
    """Return the ranks over which `rank` may send to `rail`, each once."""
    own_slot, own = divmod(rank, rails)
    found = [
        (own_slot + each.offset) % rail_slots * rails + exit_rail(rails, each, own, rail, domain)
        for each in _relay_order(rails, rail_slots, spans_rails=spans_rails).exits
    ]
    return tuple(dict.fromkeys(found))


def landings(
    fabric: ResolvedFabric, target: int, rail: int, *, spans_rails: bool = False
) -> Iterator[int]:
    """Yield the GPUs of the target's domain on which a packet on `rail` may land, best first.

    The target itself comes first where it is on that rail, or where blocks span rails.
    """
    found = [
        target if offset is None else fabric.coordinates.on_rail(target, rail, offset)
        for offset in relay_order(fabric, spans_rails=spans_rails).landings
    ]
    return iter(dict.fromkeys(found))


def ranks_by_rail(fabric: ResolvedFabric, gpu: int) -> tuple[int, ...]:
    """Return the ranks of a GPU's domain, rail by rail, those of each rail as landings."""
    coordinates = fabric.coordinates
    return _ranks_by_rail(fabric.rails, coordinates.ranks_per_rail, coordinates.rail_slot(gpu))


@lru_cache(maxsize=KNOWN)
def _ranks_by_rail(rails: int, rail_slots: int, own_slot: int) -> tuple[int, ...]:
    """Return the ranks of a domain, rail by rail, those of one rail slot first."""
    order = [(own_slot + offset) % rail_slots for offset in range(rail_slots)]
    return tuple(slot * rails + rail for rail in range(rails) for slot in order)


def third_rails(fabric: ResolvedFabric, domain: int, rail: int) -> list[int]:
    """Return the rails other than `rail` in the order in which a domain tries them for it."""
    order = relay_order(fabric, spans_rails=False)
    thirds = (each for each in order.exits if each.rail == "third" and not each.offset)
    return [exit_rail(fabric.rails, each, rail, rail, domain) for each in thirds]


def kind_of(fabric: ResolvedFabric, pair: tuple[int, int], crossing: tuple[int, int]) -> PathKind:
    """Return the kind of the path of a pair with one crossing, from its exit to its landing."""
    (source, target), (leaving, landing) = pair, crossing
    rail = fabric.coordinates.rail
    over = rail(leaving)
    facts = leaving == source, landing == target, over == rail(target), over == rail(source)
    return _KIND_OF[facts]

"""The order of relays: over which GPU a packet leaves its HB domain, and on which it may land.

Owns the table of attempts and the kinds of paths: arithmetic on domain, rail and turn, independent
of wiring and failures. Python reads the table GPU by GPU, numpy for many pairs at once, and the
page of the report has it among its data. A GPU's *turn* is its place among the GPUs of its domain
that share its rail: rank = turn x rails + rail.

The order is balanced. A packet for another rail is handed to the GPU of the sender's own turn on
that rail, so each GPU is first choice of exactly one GPU of every other rail of its domain; where a
host has all ranks of a turn, that relay is in the same host. When a rail is lost, the rail that
replaces it differs from domain to domain, so that no rail carries the whole of another's traffic.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

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


class Exit(NamedTuple):
    """How to find a GPU to leave over: itself, or one on a rail, so many turns after its own.

    `third` numbers the rails other than the target's, in an order that differs from domain to
    domain.
    """

    rail: Literal["itself", "target", "source", "third"]
    turn: int = 0
    third: int = 0


class RelayOrder(NamedTuple):
    """The attempts, best first: each exit with each landing.

    A landing is so many turns after the target's own turn on the rail of the exit; None is the
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
def _relay_order(rails: int, turns: int, *, spans_rails: bool) -> RelayOrder:
    """Return the order for so many rails and turns."""
    exits = [
        *([Exit("itself")] if spans_rails else []),
        *[Exit("target", turn) for turn in range(turns)],
        *[Exit("source", turn) for turn in range(turns)],
        *[Exit("third", turn, third) for third in range(rails - 1) for turn in range(turns)],
    ]
    return RelayOrder(tuple(exits), (*([None] if spans_rails else []), *range(turns)))


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
    rails: int, turns: int, rank: int, rail: int, domain: int, *, spans_rails: bool
) -> tuple[int, ...]:
    """Return the ranks over which `rank` may send to `rail`, each once."""
    own_turn, own = divmod(rank, rails)
    found = [
        (own_turn + each.turn) % turns * rails + exit_rail(rails, each, own, rail, domain)
        for each in _relay_order(rails, turns, spans_rails=spans_rails).exits
    ]
    return tuple(dict.fromkeys(found))


def landings(
    fabric: ResolvedFabric, target: int, rail: int, *, spans_rails: bool = False
) -> Iterator[int]:
    """Yield the GPUs of the target's domain on which a packet on `rail` may land, best first.

    The target itself comes first where it is on that rail, or where blocks span rails.
    """
    found = [
        target if turn is None else fabric.coordinates.on_rail(target, rail, turn)
        for turn in relay_order(fabric, spans_rails=spans_rails).landings
    ]
    return iter(dict.fromkeys(found))


def ranks_by_rail(fabric: ResolvedFabric, gpu: int) -> tuple[int, ...]:
    """Return the ranks of a GPU's domain, rail by rail, those of each rail as landings."""
    coordinates = fabric.coordinates
    return _ranks_by_rail(fabric.rails, coordinates.ranks_per_rail, coordinates.rail_slot(gpu))


@lru_cache(maxsize=KNOWN)
def _ranks_by_rail(rails: int, turns: int, own_turn: int) -> tuple[int, ...]:
    """Return the ranks of a domain, rail by rail, those of one turn first."""
    order = [(own_turn + turn) % turns for turn in range(turns)]
    return tuple(turn * rails + rail for rail in range(rails) for turn in order)


def third_rails(fabric: ResolvedFabric, domain: int, rail: int) -> list[int]:
    """Return the rails other than `rail` in the order in which a domain tries them for it."""
    order = relay_order(fabric, spans_rails=False)
    thirds = (each for each in order.exits if each.rail == "third" and not each.turn)
    return [exit_rail(fabric.rails, each, rail, rail, domain) for each in thirds]


def kind_of(fabric: ResolvedFabric, pair: tuple[int, int], crossing: tuple[int, int]) -> PathKind:
    """Return the kind of the path of a pair with one crossing, from its exit to its landing."""
    (source, target), (leaving, landing) = pair, crossing
    rail = fabric.coordinates.rail
    facts: dict[Fact, bool] = {
        "leaves-source": leaving == source,
        "lands-on-target": landing == target,
        "target-rail": rail(leaving) == rail(target),
        "source-rail": rail(leaving) == rail(source),
    }
    return next(kind for kind, needed in KINDS if all(facts[each] for each in needed))

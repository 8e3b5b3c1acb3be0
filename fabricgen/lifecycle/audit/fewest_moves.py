"""The fewest moves from the cabling as it is to the cabling as planned.

A *move* unplugs one end of a cable and plugs it in where it belongs; installing or reseating a
missing cable and removing an extra one are moves too. Cables and planned links form chains and
rings, because a port holds one cable and belongs to one link. Every cable that is not a planned
link must be touched, and every missing planned link must be made; moving one end does both at once.
So a ring or chain of c such cables and p such links takes max(c, p) moves and no fewer;
`tests/lifecycle/audit` proves it with an exhaustive search. In a ring, one end is unplugged first
and stays loose until its port is free; in a chain, every port is free when it is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.lifecycle.audit.observed_cabling import ObservedCabling
    from fabricgen.lifecycle.audit.port_index import PortIndex


class Move(NamedTuple):
    """One move: the end at `source` goes to `target`, the end at `kept` stays.

    Without a source the cable is installed, without a target removed.
    """

    kept: int
    source: int | None
    target: int | None


class RepairStep(NamedTuple):
    """One action of a technician: move, unplug, plug, lay or remove."""

    action: Literal["move", "unplug", "plug", "lay", "remove"]
    kept: int
    source: int | None
    target: int | None


@dataclass(frozen=True, slots=True)
class MiscablingGroup:
    """Cables and planned links that are connected by shared ports.

    `wrong` are the cables as they are, `moves` the repair in order; that of a ring begins with the
    end that stays loose.
    """

    wrong: tuple[tuple[int, int], ...]
    moves: tuple[Move, ...]
    ring: bool

    @property
    def steps(self) -> Iterator[RepairStep]:
        """The actions that the moves consist of."""
        if self.ring:
            yield RepairStep("unplug", self.moves[0].kept, self.moves[0].source, None)
        for move in self.moves[self.ring :]:
            yield RepairStep(
                "lay" if move.source is None else "remove" if move.target is None else "move", *move
            )
        if self.ring:
            yield RepairStep("plug", self.moves[0].kept, None, self.moves[0].target)

    @property
    def touched(self) -> list[int]:
        """The ports that the moves empty or fill, each once."""
        return list(dict.fromkeys(port for move in self.moves for port in move if port is not None))

    @property
    def made(self) -> list[int]:
        """A port of every planned link that the moves make."""
        return [move.kept for move in self.moves if move.target is not None]


class _Chain(NamedTuple):
    """A row of wrong cables.

    A planned link joins the right port of each to the left port of the next; `left` and `right` are
    the far ends of the links at both ends of the row.
    """

    cables: list[tuple[int, int]]
    left: int | None
    right: int | None
    ring: bool


def group_miscablings(
    places: PortIndex, built: ObservedCabling, lost: Iterable[int]
) -> list[MiscablingGroup]:
    """Return every group of miscablings with its fewest moves.

    `lost` has a port of each planned link that is not there at all.
    """
    seen: set[int] = set()
    groups = []
    for port in sorted(built.partner):
        if port not in seen and built.partner[port] != places.peers[port]:
            chain = _follow(places, built, port)
            seen.update(each for cable in chain.cables for each in cable)
            groups.append(_solve(places, chain))
    return [
        *groups,
        *(
            MiscablingGroup((), (Move(port, None, places.peers[port]),), ring=False)
            for port in lost
        ),
    ]


def _follow(places: PortIndex, built: ObservedCabling, port: int) -> _Chain:
    """Return the row of cables and planned links through a port, in both directions."""
    first = (port, built.partner[port])
    onwards, right, ring = _walk(places, built, first)
    if ring:
        return _Chain([first, *onwards], None, None, ring=True)
    back, left, _ = _walk(places, built, first[::-1])
    return _Chain(
        [*((two, one) for one, two in reversed(back)), first, *onwards], left, right, ring=False
    )


def _walk(
    places: PortIndex, built: ObservedCabling, first: tuple[int, int]
) -> tuple[list[tuple[int, int]], int | None, bool]:
    """Follow the planned link from the second port of a cable, the cable there, and so on."""
    cables: list[tuple[int, int]] = []
    at = first[1]
    while True:
        link = places.peers[at]
        if link < 0:
            return cables, None, False
        if link == first[0]:
            return cables, None, True
        if link not in built.partner:
            return cables, link, False
        at = built.partner[link]
        cables.append((link, at))


def _solve(places: PortIndex, chain: _Chain) -> MiscablingGroup:
    """Return the moves in order, chosen so that few ends leave their device."""
    cables, count = chain.cables, len(chain.cables)
    ends = range(count)
    before = [cables[index - 1][1] if index or chain.ring else chain.left for index in ends]
    after = [
        cables[(index + 1) % count][0] if index + 1 < count or chain.ring else chain.right
        for index in ends
    ]
    lefts = [Move(low, high, target) for (low, high), target in zip(cables, before, strict=True)]
    rights = [Move(high, low, target) for (low, high), target in zip(cables, after, strict=True)]
    if chain.ring:
        moves = min(lefts, rights[::-1], key=lambda each: _effort(places, each))
        return MiscablingGroup(tuple(cables), tuple(moves), ring=True)
    if chain.left is not None and chain.right is None:
        return MiscablingGroup(tuple(cables), tuple(lefts), ring=False)
    if chain.right is not None and chain.left is None:
        return MiscablingGroup(tuple(cables), tuple(reversed(rights)), ring=False)
    if chain.left is None:
        at = _cheapest(places, rights[:-1], lefts[1:])
        taken = Move(min(cables[at]), max(cables[at]), None)
        return MiscablingGroup(
            tuple(cables), (taken, *reversed(rights[:at]), *lefts[at + 1 :]), ring=False
        )
    at = min(
        (0, count, _cheapest(places, lefts, rights)),
        key=lambda each: _effort(places, [*lefts[:each], *rights[each:]]),
    )
    one, other = (
        (chain.left if at == 0 else cables[at - 1][1]),
        (chain.right if at == count else cables[at][0]),
    )
    laid = (
        Move(min(one, other), None, max(one, other))
        if one is not None and other is not None
        else None
    )
    return MiscablingGroup(
        tuple(cables), (*lefts[:at], *reversed(rights[at:]), *([laid] if laid else [])), ring=False
    )


def _cheapest(places: PortIndex, first: list[Move], last: list[Move]) -> int:
    """Return the cheapest index at which to change from the moves of `first` to those of `last`.

    Both lists have the same length.
    """
    fore = list(accumulate((_cost(places, move) for move in first), initial=0))
    rear = list(accumulate((_cost(places, move) for move in reversed(last)), initial=0))[::-1]
    return min(range(len(fore)), key=lambda index: fore[index] + rear[index])


def _cost(places: PortIndex, move: Move) -> int:
    """Return the walks of a move: one for an end that leaves its device."""
    if move.source is None or move.target is None:
        return 0
    return int(places.places[move.source].device != places.places[move.target].device)


def _effort(places: PortIndex, moves: list[Move]) -> tuple[int, int, int]:
    """Return a sort key: walks, then devices to visit, then moved ends on hosts."""
    ends = [
        places.places[port]
        for move in moves
        for port in (move.source, move.target)
        if port is not None
    ]
    return (
        sum(_cost(places, move) for move in moves),
        len({end.device for end in ends}),
        sum(not end.upper for end in ends),
    )

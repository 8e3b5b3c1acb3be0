"""The rounds of a collective: in each, every endpoint exchanges data with one other at most.

A round is a matching, which circuits can join. Endpoints count from 0 in their group. A pattern is
*pipelined* where data goes round all its circuits at once, as in a ring; its rounds then take turns
for each step if they cannot be joined together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

Pair = tuple[int, int]
Matching = tuple[Pair, ...]
"""Pairs of endpoints, the lower first; no endpoint is in two."""


class Round(NamedTuple):
    """A matching, and the share of its bytes that an endpoint sends over its circuit.

    Both directions of a circuit are used: half of a ring's data goes round each way.
    """

    pairs: Matching
    share: float


def ring(size: int) -> list[Round]:
    """Return the rounds of a ring: its edges by turns, and the last one of an odd ring alone.

    Over all steps of an AllReduce an endpoint sends (n - 1)/n of its bytes to each neighbor.

    >>> [each.pairs for each in ring(5)]
    [((0, 1), (2, 3)), ((1, 2), (3, 4)), ((0, 4),)]
    """
    if size < 2:  # noqa: PLR2004 - a ring has two ends
        return []
    share = (size - 1) / size if size > 2 else 1.0  # noqa: PLR2004 - two have one edge
    edges = [(at, at + 1) for at in range(size - 1)]
    close = [(0, size - 1)] if size > 2 else []  # noqa: PLR2004 - two ends have one edge
    even, odd = edges[::2], edges[1::2]
    if size % 2:
        return [Round(tuple(each), share) for each in (even, odd, close) if each]
    return [Round(tuple(sorted(each)), share) for each in (even, odd + close) if each]


def recursive_doubling(size: int) -> list[Round]:
    """Return the rounds of recursive halving, then doubling: an AllReduce in 2 log2(n) steps.

    A round halves the bytes of the one before. Endpoints beyond the largest power of two give
    their data to a partner first, and get the result last (Thakur et al., 2005).

    >>> [(each.pairs, each.share) for each in recursive_doubling(3)]
    [(((0, 1),), 1.0), (((0, 2),), 0.5), (((0, 2),), 0.5), (((0, 1),), 1.0)]
    """
    steps = max(size, 1).bit_length() - 1
    rest = size - 2**steps
    joined = [2 * at for at in range(rest)] + list(range(2 * rest, size))
    halving = []
    for step in range(steps):
        far = 2 ** (steps - 1 - step)
        pairs = [(joined[at], joined[at ^ far]) for at in range(2**steps) if not at & far]
        halving.append(Round(tuple(sorted(pairs)), 0.5 ** (step + 1)))
    fold = [Round(tuple((2 * at, 2 * at + 1) for at in range(rest)), 1.0)] if rest else []
    return [*fold, *halving, *reversed(halving), *fold]


def tree(size: int) -> list[Round]:
    """Return the rounds of a binomial tree: to its root, and back.

    >>> [each.pairs for each in tree(4)]
    [((0, 1), (2, 3)), ((0, 2),), ((0, 2),), ((0, 1), (2, 3))]
    """
    up = []
    far = 1
    while far < size:
        pairs = tuple((at, at + far) for at in range(0, size - far, 2 * far))
        up.append(Round(pairs, 1.0))
        far *= 2
    return [*up, *reversed(up)]


def all_to_all(size: int) -> list[Round]:
    """Return the rounds in which every two endpoints meet once: a round-robin tournament.

    >>> [each.pairs for each in all_to_all(4)]
    [((0, 3), (1, 2)), ((0, 2), (1, 3)), ((0, 1), (2, 3))]
    """
    players = size + size % 2
    order, found = list(range(players)), []
    for _ in range(players - 1 if size > 1 else 0):
        pairs = [
            tuple(sorted((order[at], order[-1 - at])))
            for at in range(players // 2)
            if max(order[at], order[-1 - at]) < size
        ]
        found.append(Round(tuple((low, high) for low, high in sorted(pairs)), 1 / size))
        order = [order[0], order[-1], *order[1:-1]]
    return found


def neighbors(size: int) -> list[Round]:
    """Return the rounds of a chain, as of pipeline stages: its edges by turns.

    >>> [each.pairs for each in neighbors(4)]
    [((0, 1), (2, 3)), ((1, 2),)]
    """
    edges = [(at, at + 1) for at in range(size - 1)]
    return [Round(tuple(each), 0.5) for each in (edges[::2], edges[1::2]) if each]


class Pattern(NamedTuple):
    """A pattern of a collective: its rounds for a number of endpoints."""

    rounds: Callable[[int], list[Round]]
    pipelined: bool


PATTERNS = {
    "ring": Pattern(ring, pipelined=True),
    "recursive-doubling": Pattern(recursive_doubling, pipelined=False),
    "tree": Pattern(tree, pipelined=False),
    "all-to-all": Pattern(all_to_all, pipelined=False),
    "pipeline": Pattern(neighbors, pipelined=True),
}
"""The patterns by name."""

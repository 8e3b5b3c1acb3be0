"""The rule behind the names of ports: which part of a name counts cages, and which counts the ports of a cage.

Owns the search. A pattern is one of `parts.Interfaces`: text with fields like `{cage}`. What is not
regular has none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TAILS = ("", "{letter}", "/{sub1}", "/{sub}", "/{lane1}", "s{sub}", "p{sub1}", ":{sub}", "_{sub}")
"""How names of split ports go on after the cage's number."""


class Seat(NamedTuple):
    """A port by its place, and its name: the cage from 1, the position in it from 0, and the lanes of each port and of the cage."""

    cage: int
    sub: int
    lanes: int
    cage_lanes: int
    name: str

    def named(self, pattern: str) -> str:
        """Write the name that a pattern would give."""
        lane = self.sub * self.lanes
        return pattern.format(
            cage=self.cage, cage0=self.cage - 1, sub=self.sub, sub1=self.sub + 1, letter="abcdefgh"[self.sub],
            lane=(self.cage - 1) * self.cage_lanes + lane, lane1=lane + 1,
        )  # fmt: skip


def pattern_of(seats: Sequence[Seat]) -> str | None:
    """Return the pattern that gives every seat its name; None where there is none.

    >>> pattern_of([Seat(cage, sub, 4, 8, f"swp{cage}s{sub}") for cage in (1, 2) for sub in (0, 1)])
    'swp{cage}s{sub}'
    >>> pattern_of([Seat(cage, 0, 8, 8, f"Ethernet{cage * 8 - 8}") for cage in (1, 2, 3)])
    'Ethernet{lane}'
    """
    return next(
        (
            pattern
            for pattern in _candidates(seats[0])
            if all(seat.named(pattern) == seat.name for seat in seats)
        ),
        None,
    )


def _candidates(first: Seat) -> Iterable[str]:
    """List the patterns that the first name allows: each of its numbers may be what counts the cages."""
    for number in re.finditer(r"\d+", first.name):
        before, after = _plain(first.name[: number.start()]), _plain(first.name[number.end() :])
        for field in ("{cage}", "{cage0}", "{lane}"):
            yield f"{before}{field}{after}"
            yield from (f"{before}{field}{tail}" for tail in TAILS)


def _plain(text: str) -> str:
    """Write text as it stands in a pattern."""
    return text.replace("{", "{{").replace("}", "}}")


def natural(name: str) -> list[tuple[int, str]]:
    """Sort names as people count them: swp2 before swp10.

    >>> sorted(["swp10", "swp2"], key=natural)
    ['swp2', 'swp10']
    """
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]

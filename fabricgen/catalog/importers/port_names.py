"""The pattern of port names: which number of a name counts cages, which one ports of a cage.

Owns the search. A pattern is text with fields like `{cage}`, as in `models.switch.Interfaces`.
Irregular names have no pattern.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TAILS = ("", "{letter}", "/{sub1}", "/{sub}", "/{lane1}", "s{sub}", "p{sub1}", ":{sub}", "_{sub}")
"""Possible endings of split ports' names after the number of the cage."""


class NamedPort(NamedTuple):
    """A port: its cage from 1, its position from 0, the lanes of port and cage, and its name."""

    cage: int
    sub: int
    lanes: int
    cage_lanes: int
    name: str

    def named(self, pattern: str) -> str:
        """Return the name that a pattern gives to this port."""
        lane = self.sub * self.lanes
        return pattern.format(
            cage=self.cage,
            cage0=self.cage - 1,
            sub=self.sub,
            sub1=self.sub + 1,
            letter="abcdefgh"[self.sub],
            lane=(self.cage - 1) * self.cage_lanes + lane,
            lane1=lane + 1,
        )


def pattern_of(ports: Sequence[NamedPort]) -> str | None:
    """Return the pattern that gives every port its name; None if there is none.

    >>> ports = [NamedPort(1, sub, 4, 8, f"swp1s{sub}") for sub in (0, 1)]
    >>> pattern_of(ports)
    'swp{cage}s{sub}'
    >>> pattern_of([NamedPort(cage, 0, 8, 8, f"Ethernet{cage * 8 - 8}") for cage in (1, 2, 3)])
    'Ethernet{lane}'
    """
    return next(
        (
            pattern
            for pattern in _candidates(ports[0])
            if all(port.named(pattern) == port.name for port in ports)
        ),
        None,
    )


def _candidates(first: NamedPort) -> Iterable[str]:
    """Yield the patterns that fit the first name: each of its numbers may count the cages."""
    for number in re.finditer(r"\d+", first.name):
        before, after = _plain(first.name[: number.start()]), _plain(first.name[number.end() :])
        for field in ("{cage}", "{cage0}", "{lane}"):
            yield f"{before}{field}{after}"
            yield from (f"{before}{field}{tail}" for tail in TAILS)


def _plain(text: str) -> str:
    """Return literal text as it is written in a pattern."""
    return text.replace("{", "{{").replace("}", "}}")


def natural(name: str) -> list[tuple[int, str]]:
    """Return a sort key that orders numbers by value: swp2 before swp10.

    >>> sorted(["swp10", "swp2"], key=natural)
    ['swp2', 'swp10']
    """
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]

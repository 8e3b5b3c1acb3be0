"""Which HB domains the circuits of a configuration join, and over how many others.

GPUs of one HB domain reach each other inside it, and a GPU relays what its HB domain receives for
another: so two HB domains with circuits to a third exchange data over its GPUs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.analysis.circuits.matchings import Pair
    from fabricgen.analysis.circuits.schedule import Configuration


@dataclass(frozen=True)
class CircuitReach(Document):
    """The ordered pairs of HB domains that circuits join, and the most HB domains in between."""

    pairs: int
    joined: int
    relays: int

    @property
    def joined_pct(self) -> float:
        """The share of the pairs that are joined, in per cent."""
        return 100 * self.joined / self.pairs if self.pairs else 100.0


def domain_pairs(configurations: Iterable[Configuration], domains: int) -> set[Pair]:
    """Return the pairs of HB domains with a circuit, each by its place in the job."""
    return {
        (min(one, other), max(one, other))
        for each in configurations
        for plane in each.planes
        for low, high in plane
        if (one := low % domains) != (other := high % domains)
    }


def reach(configurations: Iterable[Configuration], domains: int) -> CircuitReach:
    """Return the pairs that circuits join, all configurations together."""
    near: list[list[int]] = [[] for _ in range(domains)]
    for one, other in sorted(domain_pairs(configurations, domains)):
        near[one].append(other)
        near[other].append(one)
    joined = most = 0
    for start in range(domains):
        distance = _distances(near, start)
        joined += len(distance) - 1
        most = max(most, *distance.values())
    return CircuitReach(domains * (domains - 1), joined, max(most - 1, 0))


def _distances(near: list[list[int]], start: int) -> dict[int, int]:
    """Return the circuits on the way from one HB domain to each that it reaches."""
    distance, front = {start: 0}, [start]
    while front:
        found = [
            (other, distance[one] + 1)
            for one in front
            for other in near[one]
            if other not in distance
        ]
        distance.update(found)
        front = [other for other, _ in dict(found).items()]
    return distance

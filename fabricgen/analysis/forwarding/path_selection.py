"""The path from one GPU to another: direct, over a relay, or over another domain, on what works.

Owns the selection among the candidates of `relay_rules` by the `reachability` of each. It
implements the order of preference of the emitted tables.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.analysis.forwarding.relay_rules import exits, kind_of, landings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.forwarding.reachability import Reach
    from fabricgen.analysis.forwarding.relay_rules import PathKind
    from fabricgen.core.arrays import BoolArray, Int32Array


class NetworkSegment(NamedTuple):
    """One crossing of the network: out of `exit`'s NIC into `landing`'s, inside one block."""

    exit: int
    landing: int


class RelayPath(NamedTuple):
    """A path between two GPUs: its crossings of the network, none inside one HB domain.

    HB domains connect the crossings, and both ends to them.
    """

    kind: PathKind
    legs: tuple[NetworkSegment, ...]


_DIRECT = RelayPath("direct", ())


@dataclass(frozen=True)
class PathSelector:
    """The selection of paths over a working network."""

    reach: Reach

    def way(self, source: int, target: int) -> RelayPath | None:
        """Return the path that the tables use, or None if no path connects the two working GPUs."""
        reach, coordinates = self.reach, self.reach.plan.fabric.coordinates
        dead = reach.failures.gpus
        if source in dead or target in dead:
            return None
        if coordinates.domain(source) == coordinates.domain(target) and reach.hb_lives(source):
            return _DIRECT
        firsts, own = self._firsts, coordinates.rail(source)
        for leaving, over in self._exits_to(source, coordinates.rail(target)):
            key = leaving, target, leaving == source, over == own
            if key not in firsts:
                legs = self._onto(leaving, over, target)
                firsts[key] = next((self._relayed(source, target, leg) for leg in legs), None)
            if first := firsts[key]:
                return first
        return self._over_other_domains(source, target)

    def ways(self, source: int, target: int) -> Iterator[RelayPath]:
        """Yield the working paths with one crossing of the network at most, in order."""
        reach, domain = self.reach, self.reach.plan.fabric.coordinates.domain
        dead = reach.failures.gpus
        if source in dead or target in dead:
            return
        if domain(source) == domain(target) and reach.hb_lives(source):
            yield _DIRECT
            return
        for leg in self.legs(source, target):
            yield self._relayed(source, target, leg)

    def _relayed(self, source: int, target: int, leg: NetworkSegment) -> RelayPath:
        """Return the path of two GPUs over one crossing."""
        return RelayPath(kind_of(self.reach.plan.fabric, (source, target), leg), (leg,))

    def legs(self, source: int, target: int) -> Iterator[NetworkSegment]:
        """Yield the working crossings from the domain of one GPU to that of another, in order."""
        rail = self.reach.plan.fabric.coordinates.rail
        for leaving, over in self._exits_to(source, rail(target)):
            yield from self._onto(leaving, over, target)

    def _onto(self, leaving: int, over: int, target: int) -> Iterator[NetworkSegment]:
        """Yield the working crossings from a GPU on a rail to the domain of a target, in order."""
        reached = self._reachable(leaving)
        for landing in self._landings_on(target, over):
            if leaving != landing and reached[landing]:
                yield NetworkSegment(leaving, landing)

    @cached_property
    def _firsts(self) -> dict[tuple[int, int, bool, bool], RelayPath | None]:
        """A cache of the first working path over an exit to a target.

        It is the same for almost all sources of a domain; its kind depends on whether the exit is
        the source and on the source's rail.
        """
        return {}

    def _exits_to(self, source: int, rail: int) -> list[tuple[int, int]]:
        """Return the GPUs over which one may send to a rail, best first, each with its own rail."""
        key = source, rail
        if key not in self._exits:
            fabric, spans = self.reach.plan.fabric, self.reach.plan.mapping.spans_rails
            found = self._meeting(source, exits(fabric, source, rail, spans_rails=spans))
            self._exits[key] = [(each, fabric.coordinates.rail(each)) for each in found]
        return self._exits[key]

    def _landings_on(self, target: int, rail: int) -> list[int]:
        """Return the GPUs on which a packet on a rail may land for a target, best first."""
        key = target, rail
        if key not in self._targets:
            fabric, spans = self.reach.plan.fabric, self.reach.plan.mapping.spans_rails
            ordered = landings(fabric, target, rail, spans_rails=spans)
            self._targets[key] = self._meeting(target, ordered)
        return self._targets[key]

    def _meeting(self, gpu: int, others: Iterator[int]) -> list[int]:
        """Return those of some GPUs of its domain that a GPU meets without the network."""
        lives, dead = self.reach.hb_lives(gpu), self.reach.failures.gpus
        return [each for each in others if each == gpu or (lives and each not in dead)]

    @cached_property
    def _exits(self) -> dict[tuple[int, int], list[tuple[int, int]]]:
        """A cache of `_exits_to`: the GPUs of a rail are targets of the same exits."""
        return {}

    @cached_property
    def _targets(self) -> dict[tuple[int, int], list[int]]:
        """A cache of `_landings_on`."""
        return {}

    def each_kind(self, source: int, target: int) -> list[RelayPath]:
        """Return the first working path of each kind, in the tables' order."""
        found: dict[PathKind, RelayPath] = {}
        for way in self.ways(source, target):
            found.setdefault(way.kind, way)
        if not found and (last := self._over_other_domains(source, target)):
            found[last.kind] = last
        return list(found.values())

    def _over_other_domains(self, source: int, target: int) -> RelayPath | None:
        """Return a path through the fewest other HB domains.

        Among equals, those that follow the source's domain in number come first.
        """
        dead = self.reach.failures.gpus
        if source in dead or target in dead:
            return None
        came: dict[int, tuple[int, NetworkSegment]] = {
            source: (source, NetworkSegment(source, source))
        }
        queue, seen = deque([source]), self._island(source)
        while queue:
            at = queue.popleft()
            for landing, leaving in self._landings(at, seen):
                came[landing] = (at, NetworkSegment(leaving, landing))
                island = self._island(landing)
                if island[target]:
                    return RelayPath("third-domain-relay", self._unwound(came, landing, source))
                seen |= island
                queue.append(landing)
        return None

    def _unwound(
        self, came: dict[int, tuple[int, NetworkSegment]], last: int, source: int
    ) -> tuple[NetworkSegment, ...]:
        """Return the crossings of a search, from its start."""
        legs: list[NetworkSegment] = []
        while last != source:
            last, leg = came[last]
            legs.append(leg)
        return tuple(reversed(legs))

    def _landings(self, gpu: int, seen: BoolArray) -> Iterator[tuple[int, int]]:
        """Yield a landing in each island that one crossing from the island of `gpu` enters.

        Islands already found are left out. Each landing comes with the GPU of its exit.
        """
        fabric, island = self.reach.plan.fabric, self._island(gpu)
        over: Int32Array = np.full(fabric.gpus, -1, dtype=np.int32)
        coordinates = fabric.coordinates
        for each in exits(fabric, gpu, coordinates.rail(gpu)):
            if island[each]:
                over[self._reachable(each) & ~seen & (over < 0)] = each
        landings = np.flatnonzero(over >= 0)
        offsets = (coordinates.domain(landings) - coordinates.domain(gpu)) % coordinates.domains
        entered: set[int] = set()
        for landing in landings[np.argsort(offsets, kind="stable")].tolist():
            entry = coordinates.domain(landing) if self.reach.hb_lives(landing) else -1 - landing
            if entry not in entered:
                entered.add(entry)
                yield landing, int(over[landing])

    def _reachable(self, gpu: int) -> BoolArray:
        """Return which working GPUs one crossing from a GPU reaches, itself included.

        There are none if its NIC ports are down.
        """
        if gpu not in self._known:
            reach = self.reach
            planes = [plane for plane in range(reach.plan.fabric.planes) if reach.lives(gpu, plane)]
            leaves = [
                reach.leaves_from(*reach.home(gpu, plane), reach.leaf(gpu)) for plane in planes
            ]
            key = (
                reach.plan.fabric.coordinates.rail(gpu),
                *((plane, row.tobytes()) for plane, row in zip(planes, leaves, strict=True)),
            )
            if key not in self._reached:
                self._reached[key] = self._on_leaves(gpu, dict(zip(planes, leaves, strict=True)))
            self._known[gpu] = self._reached[key]
        return self._known[gpu]

    def _on_leaves(self, gpu: int, leaves: dict[int, BoolArray]) -> BoolArray:
        """Return which working GPUs of a GPU's block are on the leaves it reaches, by plane."""
        failures, found = self.reach.failures, np.zeros(self.reach.plan.fabric.gpus, dtype=bool)
        for plane, row in leaves.items():
            near = row[self.reach.leaves] & self._on_rail(gpu)
            near[[*failures.gpus, *(other for other, port in failures.ports if port == plane)]] = (
                False
            )
            found |= near
        return found

    @cached_property
    def _known(self) -> dict[int, BoolArray]:
        """A cache of the GPUs that each GPU reaches."""
        return {}

    @cached_property
    def _reached(self) -> dict[tuple[Any, ...], BoolArray]:
        """A cache of the GPUs that others reach, by rail and by the leaves reached on each plane.

        The result is the same for almost all GPUs of a rail.
        """
        return {}

    def _on_rail(self, gpu: int) -> BoolArray:
        """Return which installed GPUs are in the block of a GPU."""
        fabric = self.reach.plan.fabric
        if self.reach.plan.mapping.spans_rails:
            return np.ones(fabric.gpus, dtype=bool)
        rail = fabric.coordinates.rail
        return np.asarray(rail(np.arange(fabric.gpus)) == rail(gpu))

    def _island(self, gpu: int) -> BoolArray:
        """Return which GPUs a GPU reaches without the network: its HB domain, or itself."""
        fabric, reach = self.reach.plan.fabric, self.reach
        island = np.zeros(fabric.gpus, dtype=bool)
        if reach.hb_lives(gpu):
            own = fabric.coordinates.domain_range(fabric.coordinates.domain(gpu))
            island[own.start : own.stop] = True
            island[[each for each in reach.failures.gpus if each in own]] = False
        island[gpu] = True
        return island

"""The routes that every switch's kernel must have, computed from the wires alone.

Owns the rule of a folded Clos under BGP with one AS number for a pod's spines: up, then down, never
down and up again. Where the leaves of a pair are joined, a path may begin or end with that link.
Over the uplinks between two networks a path leads into the other one, and to no third. It reads
neither the plan's forwarding nor the daemons, so that it can verify both.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from fabricgen.lab.topology import Wire

Ways = dict[str, frozenset[str]]
"""Switch -> the interfaces of all shortest paths to one destination."""


class Clos:
    """The switches of a lab by tier, and the working wires between them."""

    def __init__(
        self, tiers: dict[str, int], wires: Iterable[Wire], dead: Collection[str] = ()
    ) -> None:
        """Keep the wires between switches; `dead` has failed switches and labels."""
        self.tiers = {name: tier for name, tier in tiers.items() if name not in dead}
        self.up: dict[str, list[Link]] = defaultdict(list)
        self.peers: dict[str, list[Link]] = defaultdict(list)
        self.uplinks: dict[str, list[Link]] = defaultdict(list)
        self.uplink_wires: list[Wire] = []
        for wire in wires:
            if wire.a in self.tiers and wire.b in self.tiers and wire.label not in dead:
                link = Link(wire.a_interface, wire.b, wire.b_interface)
                back = Link(wire.b_interface, wire.a, wire.a_interface)
                if wire.numbered:  # between two networks
                    self.uplink_wires.append(wire)
                    self.uplinks[wire.a].append(link)
                    self.uplinks[wire.b].append(back)
                elif self.tiers[wire.a] == self.tiers[wire.b]:
                    self.peers[wire.a].append(link)
                    self.peers[wire.b].append(back)
                else:
                    self.up[wire.a].append(link)
        self._found: dict[str, _Paths] = {}
        self._order = sorted(self.tiers, key=lambda name: -self.tiers[name])

    def ways_to(self, target: str) -> Ways:
        """Return the shortest paths of every other switch to one, without unreachable switches."""
        return self._to(target).ways

    def ways_from_beyond(self, target: str, own: str = "") -> Ways:
        """Return the shortest paths of the switches of other networks, with uplinks to its own.

        They lead to the links of a leaf, and `own` is a leaf of another network on such a link.
        """
        found, near = _Paths({own: 0} if own else {}, {}), self._to(target).steps
        for name, links in self.uplinks.items():
            found.offer_over(name, links, near)
        return self._spread(found).ways

    def _to(self, target: str) -> _Paths:
        """Return the shortest paths to a switch within its network."""
        if target not in self._found:
            self._found[target] = self._spread(_Paths({target: 0}, {}))
        return self._found[target]

    def _spread(self, paths: _Paths) -> _Paths:
        """Add the paths of other switches: above those that have one, then below, then of peers."""
        self._spread_up(paths)
        for name in self._order:
            paths.offer_over(name, self.up[name], paths.steps)
        # peers learn such a path from each other, and pass it to no spine, which has its own AS
        known = dict(paths.steps)
        for name, links in self.peers.items():
            paths.offer_over(name, links, known)
        return paths

    def _spread_up(self, paths: _Paths) -> None:
        """Add the paths of switches above those that have one, and of their peers, by level."""
        levels: dict[int, list[str]] = defaultdict(list)
        for name, own in paths.steps.items():
            levels[own].append(name)
        while levels:
            own = min(levels)
            lowers = [name for name in levels.pop(own) if paths.steps[name] == own]
            for lower in lowers:
                for link in (*self.up[lower], *self.peers[lower]):
                    if paths.offer(link.upper, own + 1, link.upper_interface):
                        levels[own + 1].append(link.upper)


class _Paths(NamedTuple):
    """The paths of some switches to one destination: their steps, and the interfaces of all."""

    steps: dict[str, int]
    ways: Ways

    def offer(self, name: str, steps: int, interface: str) -> bool:
        """Add a path of a switch unless it has a shorter one; return whether it had none as short.

        Of two equally short ones both are kept.
        """
        known = self.steps.get(name, steps + 1)
        if known < steps:
            return False
        before = self.ways[name] if known == steps else frozenset[str]()
        self.steps[name], self.ways[name] = steps, before | {interface}
        return known > steps

    def offer_over(self, name: str, links: Iterable[Link], steps: dict[str, int]) -> None:
        """Add the paths of a switch over its links to others, which have paths of these steps."""
        for link in links:
            if link.upper in steps:
                self.offer(name, steps[link.upper] + 1, link.interface)


class Link(NamedTuple):
    """A wire upwards or to a peer: the own interface, the other switch, and its interface."""

    interface: str
    upper: str
    upper_interface: str

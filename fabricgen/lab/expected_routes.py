"""The routes that every switch's kernel must have, computed from the wires alone.

Owns the rule of a folded Clos under BGP with one AS number for a pod's spines: up, then down, never
down and up again. Where the leaves of a pair are joined, a path may begin or end with that link. It
reads neither the plan's forwarding nor the daemons, so that it can verify both.
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
        for wire in wires:
            if wire.a in self.tiers and wire.b in self.tiers and wire.label not in dead:
                link = Link(wire.a_interface, wire.b, wire.b_interface)
                if self.tiers[wire.a] == self.tiers[wire.b]:
                    self.peers[wire.a].append(link)
                    self.peers[wire.b].append(Link(wire.b_interface, wire.a, wire.a_interface))
                else:
                    self.up[wire.a].append(link)
        self._found: dict[str, Ways] = {}
        self._order = sorted(self.tiers, key=lambda name: -self.tiers[name])

    def ways_to(self, target: str) -> Ways:
        """Return the shortest paths of every other switch to one, without unreachable switches."""
        if target not in self._found:
            self._found[target] = self._ways_to(target)
        return self._found[target]

    def _ways_to(self, target: str) -> Ways:
        """Compute the shortest paths to a switch: by level above it, then downwards, then peers."""
        steps, ways = {target: 0}, dict[str, frozenset[str]]()
        level = [target]
        while level:
            above: dict[str, set[str]] = defaultdict(set)
            for lower in level:
                for link in (*self.up[lower], *self.peers[lower]):
                    if link.upper not in steps:
                        above[link.upper].add(link.upper_interface)
            ways |= {name: frozenset(ports) for name, ports in above.items()}
            steps |= dict.fromkeys(above, steps[level[0]] + 1)
            level = list(above)
        for name in self._order:
            if name not in steps and (
                useful := [link for link in self.up[name] if link.upper in steps]
            ):
                nearest = min(steps[link.upper] for link in useful)
                steps[name] = nearest + 1
                ways[name] = frozenset(
                    link.interface for link in useful if steps[link.upper] == nearest
                )
        return ways | self._over_peers(steps, ways)

    def _over_peers(self, steps: dict[str, int], ways: Ways) -> Ways:
        """Return the paths of leaves whose peer is as near as the nearest switch above, or nearer.

        Peers learn them from each other and pass them to no spine, which has its own AS in them.
        """
        found: Ways = {}
        for name, links in self.peers.items():
            nearest = min((steps[link.upper] for link in links if link.upper in steps), default=-1)
            own = steps.get(name, nearest + 2)
            if 0 <= nearest < own:
                over = {link.interface for link in links if steps.get(link.upper) == nearest}
                before = ways.get(name, frozenset()) if own == nearest + 1 else frozenset()
                found[name] = before | over
        return found


class Link(NamedTuple):
    """A wire upwards or to a peer: the own interface, the other switch, and its interface."""

    interface: str
    upper: str
    upper_interface: str

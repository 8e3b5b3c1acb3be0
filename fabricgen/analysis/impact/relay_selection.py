"""The relays of many pairs of GPUs, column by column.

Makes the choice of `forwarding.path_selection` for all pairs at once, in the same order: the
attempts of `relay_rules`, and the first step of its search over other HB domains. A search per pair
would take minutes where failed HB domains leave millions. `PathSelector` finds the rare paths with
more crossings, and the tests compare both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.forwarding.relay_rules import exit_rail, relay_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.analysis.forwarding.relay_rules import Exit, RelayOrder
    from fabricgen.analysis.impact.surviving import SurvivingFabric
    from fabricgen.core.arrays import BoolArray, Int32Array, Int64Array

OVER_DOMAINS = 64
"""HB domains that are tried for a path over one of them."""


@dataclass(frozen=True)
class RelaySelection:
    """The relays of pairs of GPUs that are not directly connected; a column has a row per pair."""

    living: SurvivingFabric

    def one_crossing(self, source: Int32Array, target: Int32Array) -> tuple[Int32Array, Int32Array]:
        """Return the exit and the landing of each pair, or -1 if one crossing does not suffice.

        The pairs share a scope and are not directly connected; GPUs whose HB domains are both down
        are not tried. Where rails never meet, the target's rail is then the source's.
        """
        left = np.flatnonzero(self.living.hb[source] | self.living.hb[target])
        exits = [each for each in self._order.exits if self._spans or each.rail != "source"]
        return self._first_usable(source, target, left, exits)

    def any_crossing(self, source: Int32Array, target: Int32Array) -> tuple[Int32Array, Int32Array]:
        """Return the exit and the landing of each pair, also of connected ones; -1 as before."""
        return self._first_usable(source, target, np.arange(len(source)), self._order.exits)

    @property
    def _spans(self) -> bool:
        """Whether blocks span rails."""
        return self.living.reach.plan.mapping.spans_rails

    @cached_property
    def _order(self) -> RelayOrder:
        """The order of attempts."""
        return relay_order(self.living.reach.plan.fabric, spans_rails=self._spans)

    def _first_usable(
        self, source: Int32Array, target: Int32Array, left: Int64Array, exits: Sequence[Exit]
    ) -> tuple[Int32Array, Int32Array]:
        """Return the exit and the landing of the first usable attempt for the rows `left`.

        A large HB domain has hundreds of GPUs on a rail. So the exits of one rail are tried for the
        rows whose two domains have working ports for it, and landings for those whose exit has one.
        """
        leavings, landings = np.full_like(source, -1), np.full_like(source, -1)
        for _, of_rail in groupby(exits, lambda each: (each.rail, each.third)):
            if not len(left):
                break
            attempts = [*of_rail]
            rows = left[self._works(source[left], target[left], attempts[0])]
            for each in attempts if len(rows) else ():
                leaving = self._leaving(source[rows], target[rows], each)
                working = self.living.mask[leaving] > 0
                tried = rows[working], leaving[working]
                for offset in self._order.landings:
                    tried = self._land(source, target, tried, offset, (leavings, landings))
                rows = rows[leavings[rows] < 0]
            left = left[leavings[left] < 0]
        return leavings, landings

    def _land(
        self,
        source: Int32Array,
        target: Int32Array,
        tried: tuple[Int64Array, Int32Array],
        offset: int | None,
        found: tuple[Int32Array, Int32Array],
    ) -> tuple[Int64Array, Int32Array]:
        """Try one landing for some rows and their exits; return those for which it is unusable."""
        rows, leaving = tried
        if not len(rows):
            return tried
        here, there = source[rows], target[rows]
        landing = (
            there if offset is None else self._on_rail(there, self.living.rail[leaving], offset)
        )
        good = self._usable(here, there, leaving, landing)
        for column, gpus in zip(found, (leaving, landing), strict=True):
            column[rows[good]] = gpus[good]
        return rows[~good], leaving[~good]

    def _works(self, source: Int32Array, target: Int32Array, each: Exit) -> BoolArray:
        """Return whether ports on one plane can join the domain of each source to its target's.

        The first has to be on the rail of the exit, the second on that rail or the target's own.
        """
        living, ports = self.living, self._working_ports
        rail = living.rail[self._leaving(source, target, each)]
        there = ports[living.domain[target], rail] | living.mask[target]
        return np.asarray((ports[living.domain[source], rail] & there) > 0)

    @cached_property
    def _working_ports(self) -> Int64Array:
        """The planes on which a domain has a working port of a rail, plane p as bit p.

        Shape (domains, rails).
        """
        living, coordinates = self.living, self.living.reach.plan.fabric.coordinates
        found = np.zeros((coordinates.domains, coordinates.rails), dtype=np.int64)
        np.bitwise_or.at(found, (living.domain, living.rail), living.mask)
        return found

    def _leaving(self, source: Int32Array, target: Int32Array, each: Exit) -> Int32Array:
        """Return the GPU that an exit finds for each pair."""
        if each.rail == "itself":
            return source
        living, rails = self.living, self.living.reach.plan.fabric.rails
        rail = exit_rail(
            rails, each, living.rail[source], living.rail[target], living.domain[source]
        )
        return self._on_rail(source, rail, each.offset)

    def _on_rail(self, gpu: Int32Array, rail: Int32Array, offset: int) -> Int32Array:
        """Return the GPUs of the same domains on given rails, some rail slots after their own."""
        return self.living.reach.plan.fabric.coordinates.on_rail(gpu, rail, offset)

    def _usable(
        self, source: Int32Array, target: Int32Array, leaving: Int32Array, landing: Int32Array
    ) -> BoolArray:
        """Return whether the hops inside both domains and the crossing between them work."""
        hb = self.living.hb
        near = (leaving == source) | (hb[source] & hb[leaving])
        far = (landing == target) | (hb[target] & hb[landing])
        return np.asarray(near & far & self.living.direct(leaving, landing))

    def over_a_domain(
        self, source: Int32Array, target: Int32Array
    ) -> tuple[Int32Array, Int32Array]:
        """Return the landing in another HB domain and the GPU from which it continues, or -1.

        For rails that never meet: pairs on two rails whose own HB domains have failed can only be
        connected by a third domain, the next one that works.
        """
        living, fabric = self.living, self.living.reach.plan.fabric
        landings, exits = np.full_like(source, -1), np.full_like(source, -1)
        if living.scopes == 1:
            return landings, exits
        stranded = ~living.hb[source] & ~living.hb[target]
        left = np.flatnonzero(stranded & (living.rail[source] != living.rail[target]))
        domains = fabric.coordinates.domains
        for offset in range(1, min(domains, OVER_DOMAINS)):
            landing = self._entry(source[left], offset)
            leaving = self._onward(landing, target[left])
            good = leaving >= 0
            landings[left[good]], exits[left[good]] = landing[good], leaving[good]
            left = left[~good]
        return landings, exits

    def _entry(self, source: Int32Array, offset: int) -> Int32Array:
        """Return the first GPU on which a crossing can land and continue, or -1.

        Its domain is `offset` after the source's, and its interconnect works.
        """
        living, coordinates = self.living, self.living.reach.plan.fabric.coordinates
        domain = (living.domain[source] + np.int32(offset)) % np.int32(coordinates.domains)
        found = np.full_like(source, -1)
        for slot in reversed(range(coordinates.ranks_per_rail)):
            landing = coordinates.rail_gpu(domain, living.rail[source], np.full_like(domain, slot))
            good = living.hb[landing] & living.direct(source, landing)
            found[good] = landing[good]
        return found

    def _onward(self, landing: Int32Array, target: Int32Array) -> Int32Array:
        """Return the GPU of the landing's domain that forwards to the target, or -1."""
        living = self.living
        found = np.full_like(landing, -1)
        for offset in reversed(range(living.reach.plan.fabric.ranks_per_rail)):
            leaving = self._on_rail(np.maximum(landing, 0), living.rail[target], offset)
            good = (landing >= 0) & living.hb[leaving] & living.direct(leaving, target)
            found[good] = leaving[good]
        return found

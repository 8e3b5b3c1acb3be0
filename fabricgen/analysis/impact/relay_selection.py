"""The ways that many pairs of GPUs take, column by column: the choice of `forwarding.choosing`, without asking pair by pair.

Owns the same order of preference, tried for all pairs at once. Ways of more crossings than the
common ones are left to `Choice`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.impact.surviving import SurvivingFabric
    from fabricgen.core.arrays import BoolArray, Int32Array

OVER_DOMAINS = 64
"""HB domains that are tried for a way over one of them."""


@dataclass(frozen=True)
class RelaySelection:
    """The relays of pairs of GPUs that are not joined directly; every column has a row for each pair."""

    living: SurvivingFabric

    def one_crossing(self, source: Int32Array, target: Int32Array) -> tuple[Int32Array, Int32Array]:
        """Return the GPU that each pair leaves its domain over, and the one on which it lands; both -1 where one crossing does not do.

        The pairs share a scope; between GPUs whose HB domains are both down nothing is tried.
        """
        exits, landings = np.full_like(source, -1), np.full_like(source, -1)
        left = np.flatnonzero(self.living.hb[source] | self.living.hb[target])
        tried, lives = (-2, -2), True
        for step, turn, far in self._attempts():
            if not len(left):
                break
            if (
                (step, turn) != tried
            ):  # where no exit has a living port, as on a dead rail, no landing is looked for
                tried = step, turn
                lives = bool(
                    self.living.mask[
                        self._candidate(source[left], target[left], step, turn, 0)[0]
                    ].any()
                )
            if not lives:
                continue
            leaving, landing = self._candidate(source[left], target[left], step, turn, far)
            good = self._usable(source[left], target[left], leaving, landing)
            exits[left[good]], landings[left[good]] = leaving[good], landing[good]
            left = left[~good]
        return exits, landings

    def _attempts(self) -> Iterator[tuple[int, int, int]]:
        """Yield the order of preference: a step among the rails to leave on, then a turn at each end.

        Where rails never meet the own rail is the goal's, and leaving over the source for the
        target itself has failed already.
        """
        fabric = self.living.reach.plan.fabric
        turns, rails = fabric.ranks_per_rail, fabric.rails
        if not self.living.reach.plan.mapping.spans_rails:
            every = product((0, *range(2, rails + 1)), range(turns), range(1, turns + 1))
            return (each for each in every if each != (0, 0, 1))
        return (
            each
            for each in product(range(-1, rails + 1), range(turns), range(turns + 1))
            if each[0] >= 0 or not each[1]
        )

    def _candidate(
        self, source: Int32Array, target: Int32Array, step: int, turn: int, far: int
    ) -> tuple[Int32Array, Int32Array]:
        """Return the exits and landings of one attempt: step -1 leaves over the source itself, 0 on the goal's rail, 1 on the own, and then on a third.

        `far` 0 lands on the target itself, and from 1 on by turn, on the rail of the exit.
        """
        living, rails = self.living, self.living.reach.plan.fabric.rails
        if step < 0:
            leaving = source
        elif step < 2:  # noqa: PLR2004 - the third rails begin at 2
            leaving = self._on_rail(source, living.rail[source if step else target], turn)
        else:
            third = (
                living.rail[target]
                + 1
                + (living.domain[source] + np.int32(step - 2)) % np.int32(rails - 1)
            ) % np.int32(rails)
            leaving = self._on_rail(source, third, turn)
        return leaving, (self._on_rail(target, living.rail[leaving], far - 1) if far else target)

    def _on_rail(self, gpu: Int32Array, rail: Int32Array, turn: int) -> Int32Array:
        """Return the GPUs of the same domains on given rails, so many turns after their own."""
        return self.living.reach.plan.fabric.coordinates.on_rail(gpu, rail, turn)

    def _usable(
        self, source: Int32Array, target: Int32Array, leaving: Int32Array, landing: Int32Array
    ) -> BoolArray:
        """Say whether the hops inside both domains and the crossing between them live."""
        hb = self.living.hb
        near = (leaving == source) | (hb[source] & hb[leaving])
        far = (landing == target) | (hb[target] & hb[landing])
        return np.asarray(near & far & self.living.direct(leaving, landing))

    def over_a_domain(
        self, source: Int32Array, target: Int32Array
    ) -> tuple[Int32Array, Int32Array]:
        """Return on which GPU of another HB domain each pair lands, and over which of its GPUs it goes on; -1 where this does not do.

        For rails that never meet: pairs on two rails whose own HB domains are down can only be
        joined by a third one, the next that lives.
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
        """Return the first GPU, so many domains after the source's, on which a crossing lands and from which the domain's interconnect leads on; or -1."""
        living, coordinates = self.living, self.living.reach.plan.fabric.coordinates
        domain = (living.domain[source] + np.int32(offset)) % np.int32(coordinates.domains)
        found = np.full_like(source, -1)
        for turn in reversed(range(coordinates.ranks_per_rail)):
            landing = coordinates.rail_gpu(domain, living.rail[source], np.full_like(domain, turn))
            good = living.hb[landing] & living.direct(source, landing)
            found[good] = landing[good]
        return found

    def _onward(self, landing: Int32Array, target: Int32Array) -> Int32Array:
        """Return the GPU of the landing's domain over which a packet goes on to the target, or -1."""
        living = self.living
        found = np.full_like(landing, -1)
        for turn in reversed(range(living.reach.plan.fabric.ranks_per_rail)):
            leaving = self._on_rail(np.maximum(landing, 0), living.rail[target], turn)
            good = (landing >= 0) & living.hb[leaving] & living.direct(leaving, target)
            found[good] = leaving[good]
        return found

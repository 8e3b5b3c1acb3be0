"""Failures of single links in a lab of direct rails, compared with the plan and with `impact`."""

from __future__ import annotations

import time
from itertools import permutations
from typing import TYPE_CHECKING

from fabricgen.analysis.impact.measure import impact
from fabricgen.lab.direct.verify import PlannedPaths, faults, pair_of
from fabricgen.lab.failures import Breaker
from fabricgen.lab.measure import Trial, probes
from fabricgen.lab.verify import differences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.lab.direct.measure import DirectLab
    from fabricgen.lab.topology import Wire

REPAIR_S = 15.0
"""Longest time for BGP to run again over a repaired link, which a router advertisement begins."""
REPAIR_POLL_S = 0.2


def every_link(lab: DirectLab) -> list[Wire]:
    """Return every link."""
    return [wire for wire in lab.layout.wires if wire.label]


def one_of_each(lab: DirectLab) -> list[Wire]:
    """Return a link of each rail for each port at its lower end: of each dimension of a torus."""
    rail, found = lab.layout.plan.fabric.coordinates.rail, every_link(lab)[::-1]
    return [*{(rail(lab.layout.number(wire.a)), wire.a_interface): wire for wire in found}.values()]


class LinkFailures:
    """Cuts links one by one, and compares the routes and the path of every pair with the plan."""

    def __init__(self, lab: DirectLab) -> None:
        """Start with the paths of the healthy lab."""
        self._lab, self._breaker = lab, Breaker(lab)
        self._asked = probes(lab, permutations(lab.switches, 2))
        self._healthy = PlannedPaths(lab)
        self._longer, self._lost, self._slowest_s = 0, 0, 0.0

    def run(self, wires: list[Wire], emit: Callable[[int, int], None]) -> Trial:
        """Try the failure of each of some links."""
        findings = list[str]()
        for done, wire in enumerate(wires, start=1):
            failure = f"link:{wire.label}"
            self._breaker.cut([failure])
            findings += [f"{failure}: {each}" for each in self._wrong(wire.label, failure)]
            self._breaker.repair([failure])
            self._wait_for_sessions(wire)
            emit(done, len(wires))
        return Trial(
            "survival",
            "failures of single links",
            f"{len(wires):,} failures, {len(wires) * len(self._asked):,} pairs as planned"
            f" ({self._lost:,} lost, {self._longer:,} by a longer path), reconverged in"
            f" {self._slowest_s:.1f} s at most",
            findings,
        )

    def _wrong(self, label: str, failure: str) -> Iterator[str]:
        """Yield what is wrong while a link is down."""
        took, wrong = self._lab.converge({label})
        self._slowest_s = max(self._slowest_s, took)
        for name, (wanted, learnt) in wrong.items():
            yield from differences(name, wanted, learnt)
        planned = PlannedPaths(self._lab, [failure])
        pairs = {probe: pair_of(pair) for probe, pair in self._asked.items()}
        left = [probe for probe, pair in pairs.items() if planned.links(*pair) is not None]
        found, _ = self._lab.deliver(self._asked, left)
        yield from faults(planned, self._asked, found)
        longer = [
            (source, target)
            for source, target, plane in (pairs[probe] for probe in left)
            if planned.links(source, target, plane) != self._healthy.links(source, target, plane)
        ]
        self._lost += len(self._asked) - len(left)
        self._longer += len(longer)
        yield from self._against_impact(failure, longer)

    def _against_impact(self, failure: str, longer: list[tuple[str, str]]) -> Iterator[str]:
        """Compare the pairs of a rail with a longer path with those that `impact` counts."""
        counted = impact(self._lab.layout.plan, [failure]).path_lengths
        here = sum(self._lab.layout.same_rail(*pair) for pair in longer)
        if counted and len(self._lab.planes) == 1 and counted.pairs_longer != here:
            yield f"{here} pairs have a longer path here, and {counted.pairs_longer} in impact"

    def _wait_for_sessions(self, wire: Wire) -> None:
        """Wait until BGP runs over a repaired link; to ask daemons is cheaper than all kernels."""
        until, down = time.monotonic() + REPAIR_S, self._lab.daemons.down
        while time.monotonic() < until and any(map(down, (wire.a, wire.b))):
            time.sleep(REPAIR_POLL_S)

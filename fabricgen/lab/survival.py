"""Every single failure of a lab, measured with packets and compared with the plan.

Owns the comparison. A communication library would choose relays; here they follow the order of the
emitted tables over the measured crossings. `failures` cuts and repairs.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING

from fabricgen.analysis.forwarding.failures import find_failures
from fabricgen.analysis.forwarding.path_selection import PathSelector
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.analysis.impact.measure import impact
from fabricgen.lab.failures import Breaker, Key, Measured
from fabricgen.lab.measure import Trial
from fabricgen.lab.table_walk import Crossing, Walker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.analysis.forwarding.path_selection import NetworkSegment
    from fabricgen.lab.measure import RunningLab


class MeasuredWalker(Walker):
    """Walks the emitted tables over measured crossings."""

    measured: Measured

    def crossed(self, crossing: Crossing) -> int:
        """Return 1 where a packet crossed."""
        return int(tuple(crossing) in self.measured.crossings)

    def meets(self, one: str, other: str) -> bool:
        """Return whether a packet went from one GPU to the other inside their HB domain."""
        return one == other or (one, other) in self.measured.inside


def groups(breaker: Breaker, failures: list[str]) -> Iterator[list[str]]:
    """Yield groups of failures without a common scope, which do not affect each other."""
    left = [(failure, breaker.touches(failure)) for failure in failures]
    while left:
        taken: list[str] = []
        busy: set[Key] = set()
        rest = []
        for failure, keys in left:
            if busy & keys:
                rest.append((failure, keys))
            else:
                taken.append(failure)
                busy |= keys
        yield taken
        left = rest


class Survival:
    """Tries failures, independent ones at once, and compares them with the plan."""

    def __init__(self, lab: RunningLab) -> None:
        """Measure the healthy lab first."""
        self.lab, self.breaker = lab, Breaker(lab)
        self.healthy = self.breaker.measure()
        self.findings: list[str] = []
        self.pairs = self.lost = self.relayed = 0
        self.slowest_s = 0.0

    def run(self, failures: list[str], emit: Callable[[int, int], None] | None = None) -> Trial:
        """Try every failure; a comparison runs while the next failures converge."""
        done, compared = 0, list[Future[None]]()
        with ThreadPoolExecutor(1) as comparing:
            for group in groups(self.breaker, failures):
                measured = self._try(group)
                compared += [
                    comparing.submit(self._compare, failure, self._alone(failure, measured))
                    for failure in group
                ]
                done += len(group)
                if emit:
                    emit(done, len(failures))
        for each in compared:
            each.result()
        pairs = (
            f"{self.pairs:,} pairs as planned ({self.lost:,} lost, {self.relayed:,} by relay now)"
        )
        figure = (
            f"{len(failures):,} failures, {pairs}, reconverged in {self.slowest_s:.1f} s at most"
        )
        return Trial("survival", "every single failure", figure, self.findings)

    def _try(self, group: list[str]) -> Measured:
        """Try independent failures at once, and return the measurement."""
        breaker = self.breaker
        breaker.cut(group)
        took, wrong = self.lab.converge(breaker.dead(group))
        self.slowest_s = max(self.slowest_s, took)
        self.findings += [f"{', '.join(group)}: {name} does not converge" for name in wrong]
        measured = breaker.measure()
        breaker.repair(group)
        return measured

    def _alone(self, failure: str, measured: Measured) -> Measured:
        """Return the measurement of one failure alone.

        The scope of the failure is as measured with the others, the rest as measured in health.
        """
        touched, gpus, spans = (
            self.breaker.touches(failure),
            self.lab.tables.gpus,
            self.lab.machines.layout.plan.mapping.spans_rails,
        )

        def mine(pair: tuple[str, str], *, inside: bool) -> bool:
            domain, rail = (
                ("hb", gpus[pair[0]]["domain"]),
                ("plane", 0) if spans else ("rail", gpus[pair[0]]["rail"]),
            )
            return (domain if inside else rail) in touched

        return Measured(
            frozenset(
                pair
                for source in (measured, self.healthy)
                for pair in source.crossings
                if mine(pair, inside=False) == (source is measured)
            ),
            frozenset(
                pair
                for source in (measured, self.healthy)
                for pair in source.inside
                if mine(pair, inside=True) == (source is measured)
            ),
        )

    def _compare(self, failure: str, measured: Measured) -> None:
        """Compare the path of each pair with the plan's, and the counts with those of `impact`."""
        layout = self.lab.machines.layout
        failures, names = find_failures(layout.plan, [failure]) | layout.missing, layout.gpus
        choice = PathSelector(Reach(layout.plan, failures))
        walker = MeasuredWalker(
            self.lab.tables, [names[gpu] for gpu in failures.gpus if gpu in names]
        )
        walker.measured = measured

        @cache  # most crossings are those of the pairs of two domains
        def named(legs: tuple[NetworkSegment, ...]) -> list[Crossing]:
            return [Crossing(names[leg.exit], names[leg.landing]) for leg in legs]

        walks: dict[tuple[str, str], list[Crossing] | None] = {}
        for (one, source), (other, target) in permutations(names.items(), 2):
            walked = walks[source, target] = walker.walk(source, target)
            way = choice.way(one, other)
            planned = None if way is None else named(way.legs)
            if planned != walked:
                self._object(
                    f"{failure}: {source} to {target} goes {_text(walked)}, "
                    f"but the plan has {_text(planned)}"
                )
        self.pairs += len(walks)
        shown = self._cost(walks, measured)
        if not layout.left_out():  # `impact` counts the whole fabric
            output = impact(layout.plan, [failure])
            for key, value in shown.items():
                expected = getattr(output, key)
                if expected != value:
                    self._object(f"{failure}: {key} is {value} here, and {expected} in impact")

    def _cost(
        self, walks: dict[tuple[str, str], list[Crossing] | None], measured: Measured
    ) -> dict[str, float]:
        """Return the counts of a failure in the keys of `impact`."""
        gpus, healthy = self.lab.tables.gpus, self.healthy
        alive = {pair for pair, walked in walks.items() if walked is not None}
        straight, before = measured.crossings | measured.inside, healthy.crossings | healthy.inside
        relayed = len((alive & before) - straight)
        self.lost += len(walks) - len(alive)
        self.relayed += relayed
        counts = {
            "pairs_needing_relay": relayed,
            "reachable_pairs_pct": round(100 * len(alive) / len(walks), DIGITS) if walks else 100.0,
        }
        domains = {name: gpu["domain"] for name, gpu in gpus.items()}
        if len(set(domains.values())) == 1:  # without an outside, no GPU is cut off from it
            return counts
        away = {one for one, other in alive if domains[one] != domains[other]}
        return counts | {"gpus_cut_off": len(gpus) - len(away)}

    def _object(self, finding: str) -> None:
        """Keep a finding, up to `LISTED`."""
        if len(self.findings) < LISTED:
            self.findings.append(finding)


DIGITS = 6
"""Decimals of a percentage, as `impact` rounds it."""


LISTED = 50
"""Findings that are kept."""


def _text(walked: list[Crossing] | None) -> str:
    """Return a path as text."""
    if walked is None:
        return "nowhere"
    return ", ".join(f"over {one} and {other}" for one, other in walked) or "inside its HB domain"

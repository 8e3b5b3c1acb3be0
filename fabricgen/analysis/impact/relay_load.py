"""The load of the relays by pairs that a failure has newly directed to them.

Owns the load. For every newly relayed pair each GPU on its path that is neither source nor target
counts one. All pairs are examined up to a limit; beyond it an even sample of the sources, HB domain
by HB domain, and the result states so.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.forwarding.path_selection import PathSelector
from fabricgen.analysis.impact.relay_selection import RelaySelection
from fabricgen.core.arrays import distinct
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.impact.pair_counts import Pairs
    from fabricgen.analysis.impact.surviving import SurvivingFabric
    from fabricgen.core.arrays import BoolArray, Int32Array

LIMIT = 20_000_000
"""Pairs that are examined before sources are sampled."""

CHUNK = 1 << 18
"""Pairs that are examined at once, so that the columns stay in the processor's cache."""

LONG_WAYS = 4_000_000
"""Paths over several domains that are searched one by one, times the GPUs of each search."""


@dataclass(frozen=True, slots=True)
class Task:
    """Pairs to examine: every source with every target, of which the newly relayed ones count.

    The pairs are `inside` one HB domain, or across domains.
    """

    sources: Int32Array
    targets: Int32Array
    inside: bool

    @property
    def size(self) -> int:
        """The number of pairs."""
        return len(self.sources) * len(self.targets)

    def sampled(self, living: SurvivingFabric, budget: int) -> tuple[Task, float]:
        """Return the task with as many source HB domains as a budget allows, and the factor.

        The step has no factor in common with the number of rails, so that every rail that serves as
        a substitute is in the sample.
        """
        if self.size <= budget:
            return self, 1.0
        domain = living.domain[self.sources]
        every = distinct(domain)
        step, turns = -(-self.size // budget), max(living.reach.plan.fabric.rails - 1, 1)
        while gcd(step, turns) > 1:
            step += 1
        picked = every[::step]
        return Task(self.sources[np.isin(domain, picked)], self.targets, self.inside), len(
            every
        ) / len(picked)


@dataclass(frozen=True)
class RelayLoad(Document):
    """How many GPUs relay, and for how many pairs the busiest of them and the average one.

    `busiest_pct_of_own` compares that with the GPU's own pairs, as source and as target. For a
    sample, `max` and the mean are estimates, and `relays` counts those in the sample.
    """

    relays: int
    max: int
    mean: float
    busiest: str | None
    busiest_pct_of_own: float
    sampled: bool


class RelayCounter:
    """A counter of the pairs that each GPU relays, filled task by task."""

    def __init__(self, pairs: Pairs) -> None:
        """Start with no load."""
        self.living, self.ways, self.choice = (
            pairs.living,
            RelaySelection(pairs.living),
            PathSelector(pairs.living.reach),
        )
        self.carried = np.zeros(len(pairs.living.gpu))
        self.total, self.sampled = 0.0, False
        self.long: list[tuple[Int32Array, Int32Array, float]] = []

    def work(self, task: Task, budget: int) -> None:
        """Count the relays of a task.

        Exits are in the source's domain, so a sample of whole domains counts all relays of each.
        """
        task, factor = task.sampled(self.living, budget)
        self.sampled |= factor > 1
        rows = max(1, CHUNK // max(len(task.targets), 1))
        for begin in range(0, len(task.sources), rows):
            sources = task.sources[begin : begin + rows]
            row, column = np.nonzero(self._candidates(sources, task.targets, inside=task.inside))
            source, target = sources[row], task.targets[column]
            if task.inside:
                relayed = ~self.living.direct(source, target)
                source, target = source[relayed], target[relayed]
            self._carry(source, target, factor)

    def _candidates(self, sources: Int32Array, targets: Int32Array, *, inside: bool) -> BoolArray:
        """Return whether each source and target may be newly relayed; shape (sources, targets).

        Across domains no pair is direct. Classes that are not connected are so between leaves; on
        one leaf a common plane is enough.
        """
        living = self.living
        found = living.component[sources][:, None] == living.component[targets]
        if inside:
            return np.asarray(found & (sources[:, None] != targets))
        found &= living.domain[sources][:, None] != living.domain[targets]
        if (living.mask[sources].any()) and living.mask[targets].any():
            on_one = living.leaf[sources][:, None] == living.leaf[targets]
            found &= ~(on_one & ((living.mask[sources][:, None] & living.mask[targets]) > 0))
        return np.asarray(found)

    def _carry(self, source: Int32Array, target: Int32Array, factor: float) -> None:
        """Count the relays of newly relayed pairs.

        Pairs that need more than one crossing or one other domain are kept for later.
        """
        leaving, landing = self.ways.one_crossing(source, target)
        found = leaving >= 0
        self._count(leaving[found & (leaving != source)], 1, factor)
        self._count(landing[found & (landing != target)], factor, factor)
        source, target = source[~found], target[~found]
        landing, leaving = self.ways.over_a_domain(source, target)
        over = landing >= 0
        self._count(landing[over], factor, factor)
        self._count(leaving[over], factor, factor)
        if not over.all():
            self.long.append((source[~over], target[~over], factor))

    def _count(self, gpus: Int32Array, weight: float, factor: float) -> None:
        """Add relays to the count: `weight` pairs on each GPU, and `factor` in all."""
        if len(gpus):
            self.carried += weight * np.bincount(gpus, minlength=len(self.carried))
            self.total += factor * len(gpus)

    def work_long(self) -> None:
        """Search the paths over several domains one by one, for all or an even sample of them."""
        total = sum(len(source) for source, *_ in self.long)
        step = -(-total // max(LONG_WAYS // len(self.carried), 1))
        self.sampled |= step > 1
        for source, target, factor in self.long:
            for pair in zip(source[::step].tolist(), target[::step].tolist(), strict=True):
                way = self.choice.way(*pair)
                relays = {end for leg in way.legs for end in leg} - set(pair) if way else set()
                self._count(np.array(sorted(relays), dtype=np.int32), factor * step, factor * step)

    def totals(self) -> RelayLoad:
        """Return the load as figures."""
        carried, count = self.carried, len(self.carried)
        relays, busiest = int(np.count_nonzero(carried)), int(carried.argmax())
        most = float(carried[busiest])
        coordinates = self.living.reach.plan.fabric.coordinates
        return RelayLoad(
            relays=relays,
            max=round(most),
            mean=round(self.total / relays, 1) if relays else 0.0,
            busiest=coordinates.name(busiest) if relays else None,
            busiest_pct_of_own=round(100 * most / (2 * (count - 1)), 4) if relays else 0.0,
            sampled=self.sampled,
        )


def relay_load(pairs: Pairs) -> RelayLoad:
    """Return how many GPUs relay for newly relayed pairs, and their load."""
    load = RelayCounter(pairs)
    tasks = sorted(_tasks(pairs), key=lambda task: task.size) if pairs.newly_relayed else []
    budget = LIMIT
    for done, task in enumerate(tasks):
        fair = max(budget // (len(tasks) - done), 1)
        load.work(task, fair)
        budget -= min(task.size, fair)
    load.work_long()
    return load.totals()


def _tasks(pairs: Pairs) -> Iterator[Task]:
    """Yield the pairs that contain the newly relayed ones.

    These are pairs of classes that are not connected, and pairs of HB domains with a failed
    interconnect.
    """
    affected, domain = pairs.affected, pairs.living.domain
    for mine in range(len(affected.joined)):
        others = np.flatnonzero(~affected.joined[mine] & (affected.scope == affected.scope[mine]))
        if len(others):
            yield Task(
                affected.gpus[affected.of == mine],
                affected.gpus[np.isin(affected.of, others)],
                inside=False,
            )
    for each in distinct(domain[pairs.stranded]).tolist():
        members = pairs.stranded[domain[pairs.stranded] == each]
        yield Task(members, members, inside=True)

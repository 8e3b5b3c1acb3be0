"""The distinct fabrics on offer, and those of them that no other dominates.

Owns the order of the work: all are sized, one of each family is scored, and of the others only
those whose least figures no scored fabric dominates.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.search.bounds import Bounds, bounds, family, family_of, used_splits
from fabricgen.analysis.search.candidates import Candidate, candidates, count_refusal
from fabricgen.analysis.search.score import Judged, judge, pace_of, times_of, upward_share
from fabricgen.bom.bill import CLASSES
from fabricgen.core.diagnostics import Refusal
from fabricgen.planning.draft import draft_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from fabricgen.analysis.workload.equations import Times
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.workload import Workload
    from fabricgen.core.arrays import FloatArray
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.search import Search
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.mapping import Mapping


class Sized(NamedTuple):
    """A fabric that can be sized, and its place in the order of candidates."""

    order: int
    candidate: Candidate
    mapping: Mapping


@dataclass(frozen=True)
class Pool:
    """All that is on offer: `tried` combinations, `refused` by code, or the `same` as another."""

    sized: list[Sized]
    tried: int
    same: int
    refused: Counter[str]


def make_pool(spec: FabricSpec, catalog: Catalog) -> Pool:
    """Size every combination on offer. Raises Refusal for faults of the inventory itself."""
    refused: Counter[str] = Counter()
    known: dict[Hashable, Sized] = {}
    sized = 0
    for candidate in candidates(spec, catalog, refused):
        try:
            mapping = candidate.sizer.mapping(candidate.shape)
        except Refusal as refusal:
            count_refusal(refused, refusal)
            continue
        if mapping is None:
            refused["block-too-large"] += 1
            continue
        sized += 1
        known.setdefault(_identity(mapping), Sized(sized, candidate, mapping))
    return Pool(list(known.values()), sized + refused.total(), sized - len(known), refused)


def _identity(mapping: Mapping) -> Hashable:
    """Return what identifies a fabric, independent of the keys that selected it."""
    fabric = mapping.fabric
    return (
        fabric.design,
        fabric.host and fabric.host.model,
        fabric.domain_gpus,
        fabric.rails,
        fabric.planes,
        used_splits(mapping),
        mapping.sizing,
        mapping.per_switch,
    )


@dataclass(frozen=True)
class Scorer:
    """Scores fabrics, each once."""

    catalog: Catalog
    limits: Search
    llm: Workload | None
    accelerator: str | None
    refused: Counter[str]
    scored: dict[int, Judged | None] = field(default_factory=dict)

    def score(self, sized: Sized) -> Judged | None:
        """Return a fabric with its figures; None if it is refused, which is counted."""
        if sized.order not in self.scored:
            self.scored[sized.order] = self._judged(sized)
        return self.scored[sized.order]

    def least(self, mapping: Mapping) -> tuple[float, float]:
        """Return the least pace and slowdown of a fabric, as if uplinks were spread evenly."""
        fabric, share = mapping.fabric, upward_share(mapping)
        times = times_of(fabric, share, self.catalog, self.llm, self.accelerator)
        return pace_of(fabric, share, times), self.slowdown(times)

    def slowdown(self, times: Times | None) -> float:
        """Return how many times an ideal network is faster; 0 if no limit depends on it."""
        return 1 / times.relative if times and self.limits.min_relative else 0

    def excess(self, mapping: Mapping) -> int:
        """Return the tiers of a fabric that has too many; else 0."""
        tiers = mapping.sizing.tiers
        return tiers if tiers > self.limits.max_tiers else 0

    def _judged(self, sized: Sized) -> Judged | None:
        """Draft and judge a fabric."""
        _, candidate, mapping = sized
        try:
            draft = draft_of(replace(mapping, fabric=candidate.fabric()), self.catalog)
            return judge(draft, self.llm, self.accelerator)
        except Refusal as refusal:
            count_refusal(self.refused, refusal)
            return None


class Bounded(NamedTuple):
    """A fabric with its least figures."""

    bounds: Bounds
    sized: Sized


def bounded(pool: Pool, scorer: Scorer) -> tuple[frozenset[str], list[Bounded]]:
    """Return the classes of parts that count for the cost, and all fabrics by their least cost.

    A family of which every member is refused is left out.
    """
    members: dict[Hashable, list[Sized]] = defaultdict(list)
    for sized in pool.sized:
        members[family_of(sized.mapping)].append(sized)
    first = {
        key: next((judged for sized in each if (judged := scorer.score(sized))), None)
        for key, each in members.items()
    }
    counted = counted_classes(judged for judged in first.values() if judged)
    found = [
        Bounded(bounds(sized.mapping, rates, scorer.least, scorer.excess(sized.mapping)), sized)
        for key, judged in first.items()
        if judged
        for rates in [family(judged, counted)]
        for sized in members[key]
    ]
    return counted, sorted(found, key=lambda each: (each.bounds.cost, each.sized.order))


def counted_classes(judged: Iterable[Judged]) -> frozenset[str]:
    """Return the classes of parts that are completely priced in at least one candidate.

    If a class is priced in none, all lack the same price, and the others are compared.
    """
    unpriced = [
        {line.part_class for line in each.bom.lines if line.unit_price is None} for each in judged
    ]
    return frozenset(name for name in CLASSES if any(name not in missing for missing in unpriced))


def undominated(
    fabrics: list[Bounded], scorer: Scorer, counted: frozenset[str], dropped: set[Draft]
) -> list[Judged]:
    """Return the fabrics that may be the best, in the order of candidates.

    One is left out if a scored one dominates its least figures, and exceeds no limit that it keeps.
    """
    kept: list[FloatArray] = []
    found = []
    for least, sized in fabrics:
        if kept and _dominated(np.array(kept), least):
            continue
        judged = scorer.score(sized)
        if judged and judged.draft not in dropped:
            found.append((sized.order, judged))
            limited = scorer.slowdown(judged.times), scorer.excess(sized.mapping)
            kept.append(np.array([*judged.figures(counted), *limited]))
    return [judged for _, judged in sorted(found, key=lambda each: each[0])]


def _dominated(kept: FloatArray, least: Bounds) -> bool:
    """Return whether one of the kept is no worse in any figure, and better in one.

    It lacks the same figures.
    """
    # One comparison with all rows: a row dominates if it does so against the least figures.
    alike = (np.isinf(kept) == np.isinf(least.high)).all(axis=1)
    no_worse = (kept <= least.high).all(axis=1)
    better = (kept < least.low).any(axis=1)
    return bool((alike & no_worse & better).any())

"""What is lost when something fails, in numbers.

Owns the figures and their definitions, which `fabricgen explain impact` describes. Pairs are
ordered pairs of distinct GPUs of the whole fabric, N(N-1) of them; pairs of a failed GPU are lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.forwarding.failures import find_failures
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.analysis.impact.bandwidth import Capacity
from fabricgen.analysis.impact.direct_loss import (
    DirectCapacity,
    DirectPairs,
    DirectSurvivors,
    PathLengths,
)
from fabricgen.analysis.impact.pair_counts import Pairs
from fabricgen.analysis.impact.relay_load import relay_load
from fabricgen.analysis.impact.surviving import SurvivingFabric
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fabricgen.analysis.forwarding.failures import Failures
    from fabricgen.analysis.impact.relay_load import RelayLoad
    from fabricgen.core.arrays import BoolArray
    from fabricgen.planning.plan import Plan

DIGITS = 6
"""Decimals of a percentage."""


@dataclass(frozen=True, kw_only=True)
class Impact(Document):
    """What is lost when parts fail: `impact --json`.

    *Cut off* is a GPU that reaches no GPU outside its HB domain, also over relays and other
    domains; a failed GPU is cut off. With one HB domain there is no outside. *Degraded* is a GPU
    that has lost bandwidth and is not cut off. A pair newly needs a relay if it shared a block or
    an HB domain, and is now connected by a relay only. Percentages are rounded; `rails` has the
    loss of each.
    """

    OPTIONAL = frozenset({"relay_load", "path_lengths"})

    failed: list[str]
    gpus: int
    gpus_dead: int
    gpus_cut_off: int
    gpus_degraded: int
    gpu_bandwidth_lost_pct: float
    fabric_bandwidth_lost_pct: float
    rails_affected: list[int]
    rails: dict[str, float]
    hb_pairs_over_network: int
    pairs: int
    pairs_needing_relay: int
    pairs_by_relay_before: int
    pairs_by_relay_after: int
    pairs_lost: int
    reachable_pairs_pct: float
    relay_load: RelayLoad | None
    """None if it was not measured."""
    bisection_left_pct: float
    path_lengths: PathLengths | None = None
    """Of direct rails; None for rails of switches."""


def impact(plan: Plan, names: Sequence[str]) -> Impact:
    """Return what is lost when all parts of these names fail.

    Raises Refusal for a name that the plan does not have.
    """
    return measure(plan, names, find_failures(plan, names))


def measure(plan: Plan, names: Sequence[str], failures: Failures, *, relays: bool = True) -> Impact:
    """Return what is lost by failures with these names.

    The load of the relays takes longest to compute; without `relays` it is not measured.
    """
    living, pairs, capacity = _left(plan, failures)
    direct = living if isinstance(living, DirectSurvivors) else None
    cut, lost = cut_off(living), capacity.lost
    any_lost = lost > 0
    degraded = any_lost & ~cut
    return Impact(
        failed=list(names),
        gpus=len(cut),
        gpus_dead=len(cut) - int(living.alive.sum()),
        gpus_cut_off=int(cut.sum()),
        gpus_degraded=int(degraded.sum()),
        gpu_bandwidth_lost_pct=_percent(_mean(lost, degraded if degraded.any() else any_lost)),
        fabric_bandwidth_lost_pct=_percent(float(lost.mean())),
        rails_affected=sorted(capacity.by_rail()),
        rails={str(rail): _percent(share) for rail, share in capacity.by_rail().items()},
        hb_pairs_over_network=pairs.inside_by_network,
        pairs=pairs.every,
        pairs_needing_relay=pairs.newly_relayed,
        pairs_by_relay_before=pairs.relayed_before,
        pairs_by_relay_after=pairs.relayed_after,
        pairs_lost=pairs.every - pairs.reachable,
        reachable_pairs_pct=_percent(pairs.reachable / pairs.every) if pairs.every else 100.0,
        relay_load=relay_load(pairs) if relays and not direct else None,
        bisection_left_pct=_percent(capacity.bisection_left),
        path_lengths=direct.path_lengths() if direct else None,
    )


def _left(plan: Plan, failures: Failures) -> tuple[SurvivingFabric, Pairs, Capacity]:
    """Return what works of a fabric, its pairs, and its bandwidth."""
    if plan.mapping.topology:
        direct = DirectSurvivors(Reach(plan, failures))
        return direct, DirectPairs(direct), DirectCapacity(direct)
    living = SurvivingFabric(Reach(plan, failures))
    return living, Pairs(living), Capacity(living)


def cut_off(living: SurvivingFabric) -> BoolArray:
    """Return which GPUs are cut off; shape (GPUs,)."""
    first, last = (
        np.full(len(living.gpu), len(living.gpu), dtype=np.int32),
        np.full(len(living.gpu), -1, dtype=np.int32),
    )
    at = living.component[living.alive]
    np.minimum.at(first, at, living.domain[living.alive])
    np.maximum.at(last, at, living.domain[living.alive])
    inside = (
        (first == last)[living.component]
        if living.domain[-1]
        else np.zeros(len(living.gpu), dtype=bool)
    )
    return np.asarray(inside | ~living.alive)


def _mean(lost: NDArray[np.float64], which: BoolArray) -> float:
    """Return the mean loss of some GPUs; 0 where there are none."""
    return float(lost[which].mean()) if which.any() else 0.0


def _percent(share: float) -> float:
    """Return a share in per cent, rounded."""
    return round(100 * share, DIGITS)

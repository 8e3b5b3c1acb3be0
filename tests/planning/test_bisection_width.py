"""The bisection computed from the size of a block, compared with the flow over its links."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

import fabricgen.planning.bisection_width
from fabricgen.analysis.checks.bisection import _Cut
from fabricgen.analysis.checks.laws import check
from fabricgen.analysis.checks.plan_evidence import evidence_of
from fabricgen.core.diagnostics import Refusal
from fabricgen.planning.bisection_width import bisection_of
from tests.fabrics import plan_of

if TYPE_CHECKING:
    import pytest

    from fabricgen.planning.plan import Plan

UNEVEN: dict[str, Any] = {"design": "fat-tree", "hb_domain": {"gpus": 2}, "spread": "minimal"}


def drawn() -> list[Plan]:
    """Plan blocks of two and three tiers whose uplinks do not divide.

    Leaves and pods are full or partial.
    """
    found = []
    for radix, spine, gpus, ratio, tiers in product(
        (7, 9, 10, 14), (4, 6, 10), (12, 26, 38, 52, 74, 100), ("1:1", "2:1"), (2, 3)
    ):
        switches = {"leaf": {"generic": {"radix": radix}}, "spine": {"generic": {"radix": spine}}}
        try:
            found.append(
                plan_of(
                    **UNEVEN,
                    gpus=gpus,
                    switches=switches,
                    oversubscription=ratio,
                    rails={"tiers": tiers},
                )
            )
        except Refusal:
            continue
    return found


def test_the_flow_by_classes_equals_that_of_the_links() -> None:
    """Classes of switches give the maximum flow over every link of a block.

    Some of it is below the narrowest cut.
    """
    seen: Counter[str] = Counter()
    for plan in drawn():
        found, cut = bisection_of(plan), _Cut(evidence_of(plan))
        assert (cut.flow(0), int(cut.formula()[0])) == (found.flow, found.cut)
        assert found.exact
        assert found.flow <= found.cut <= found.even <= found.half
        seen.update(
            ["below the cut"] * (found.flow < found.cut)
            + ["below an even spread"] * (found.cut < found.even)
            + [f"{plan.sizing.tiers} tiers"]
        )
    assert min(seen.values()) >= 2, seen
    assert len(seen) == 4, seen


def test_too_many_classes_give_a_lower_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole runs of uplinks count alone then, and the law requires at least that flow."""
    monkeypatch.setattr(fabricgen.planning.bisection_width, "MOST_EDGES", 0)
    keys = {
        "switches": {"leaf": {"generic": {"radix": 8}}, "spine": {"generic": {"radix": 3}}},
        "rails": {"tiers": 2},
    }
    plan = plan_of(**UNEVEN, gpus=8, **keys)
    found = bisection_of(plan)
    assert (found.even, found.cut, found.flow, found.exact) == (1600, 1200, 1200, False)
    assert check(plan).ok


def test_even_spreading_carries_the_traffic_of_the_leaves() -> None:
    """Also where the last pod has one leaf: the smaller half sends what its endpoints send."""
    plan = plan_of(gpus=18, hb_domain={"gpus": 2}, radix=4)
    found = bisection_of(plan)
    assert plan.sizing.leaf % plan.sizing.pod_leaves == 1
    assert found.half == found.even == found.cut == found.flow == 4 * 400
    assert np.count_nonzero(plan.mapping.pattern() >= 0) == 9

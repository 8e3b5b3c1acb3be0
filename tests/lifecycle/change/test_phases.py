"""Phases sum to the whole.

Every cable is pulled once, every part is bought once, and the states between are described.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.bom.priced_bill import make_bom
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import LinkKind
from fabricgen.lifecycle.change.phase_summary import summarize_phases
from fabricgen.lifecycle.change.phases import cables_of, phase_in
from tests.fabrics import cables_of as every_cable
from tests.fabrics import plan_of
from tests.laws.drawing import Inventory, inventories
from tests.laws.drawn import planned_or_refused

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan

TWIN: Inventory = {
    "gpus": 256,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-b300"},
    "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
}


def adds_up(plan: Plan) -> None:
    """Assert that the phases of a plan sum to it."""
    stages = phase_in(plan)
    pulled = np.sum([stage.rows for stage in stages], axis=0)
    assert (pulled == 1).all()
    assert {kind: sum(stage.links[kind] for stage in stages) for kind in plan.kinds} == {
        kind: plan.link_count(kind) for kind in plan.kinds
    }
    bought: Counter[str] = Counter()
    for stage in stages:
        bought.update(stage.parts)
        assert all(count > 0 for count in stage.parts.values())
    bill: Counter[str] = Counter()
    for line in make_bom(plan).lines:
        bill[line.item] += line.quantity
    assert bought == Counter({part: count for part, count in bill.items() if count})
    assert (
        stages[-1].nic_gbps
        == plan.link_count(LinkKind.HOST) * plan.link_parts[LinkKind.HOST].speed_gbps
    )
    assert stages[-1].bare_gpus == 0
    assert [stage.nic_gbps for stage in stages] == sorted(stage.nic_gbps for stage in stages)


def test_planes_and_rails_come_later() -> None:
    """The first phase of a twin-plane fabric: half of the rails on one plane."""
    plan = plan_of(
        **TWIN,
        rails={"planes": 2},
        phases=[{"name": "first", "planes": 1, "rails": 4}, {"name": "second", "planes": 1}],
    )
    adds_up(plan)
    stages = phase_in(plan)
    assert [stage.name for stage in stages] == ["first", "second", "rest"]
    assert [stage.links[LinkKind.HOST] for stage in stages] == [128, 128, 256]
    assert [stage.bare_gpus for stage in stages] == [128, 0, 0]
    assert [stage.parts.get("mma4z00-ns-flt", 0) for stage in stages] == [
        128,
        128,
        0,
    ]  # a twin-port module serves both planes


def test_spines_come_later() -> None:
    """Half of the spines have half of the uplinks: 2:1 until the second phase."""
    plan = plan_of(
        gpus=1024,
        hb_domain={"gpus": 8},
        design="rail-optimized",
        radix=64,
        phases=[{"name": "half", "spines": 8}],
    )
    adds_up(plan)
    assert [
        entry.oversubscription_by_then for entry in summarize_phases(plan, phase_in(plan)).phases
    ] == [
        "2:1",
        "1:1",
    ]


def test_a_phase_lists_its_cables() -> None:
    """The lists of all phases are the cable list."""
    plan = plan_of(**TWIN, rails={"planes": 2}, phases=[{"name": "first", "planes": 1}])
    listed = [[view.cable for view in cables_of(plan, stage)] for stage in phase_in(plan)]
    assert sorted(listed[0] + listed[1]) == sorted(view.cable for view in every_cable(plan))
    assert all("p0-" in label for label in listed[0])


def test_any_phases_add_up() -> None:
    """For any inventory, with planes, rails and spines divided at random."""
    seen: Counter[int] = Counter()

    @settings(max_examples=80)
    @given(inventories(), st.data())
    def hold(inventory: Inventory, data: st.DataObject) -> None:
        plan = planned_or_refused(inventory)
        if not plan:
            return
        rails = plan.fabric.rails if inventory["design"] != "fat-tree" else 1
        full = {"planes": plan.fabric.planes, "rails": rails, "spines": plan.sizing.pod_spines}
        size = {key: data.draw(st.integers(1, count)) for key, count in full.items() if count > 1}
        if size and size != {key: full[key] for key in size}:
            phased = plan_of(**inventory, phases=[{"name": "first", **size}])
            adds_up(phased)
            seen[plan.sizing.tiers] += 1

    hold()
    assert min(seen[tiers] for tiers in (1, 2)) >= 3, seen


@pytest.mark.parametrize(
    ("phases", "output"),
    [
        ([{"name": "a", "planes": 3}], "phase `a` has 3 planes"),
        ([{"name": "a", "rails": 9}], "phase `a` has 9 rails"),
        ([{"name": "a", "spines": 1}], "phase `a` has 1 spines"),
        ([{"name": "a", "rails": 4}, {"name": "b", "rails": 2}], "phase `b` removes something"),
        ([{"name": "a", "rails": 4}, {"name": "b", "rails": 4}], "phase `b` adds nothing to `a`"),
        ([{"name": "a", "rails": 4}, {"name": "a"}], "two phases are called `a`"),
        ([{"name": "rest", "rails": 4}], "two phases are called `rest`"),
    ],
)
def test_inconsistent_phases_are_refused(phases: list[dict[str, Any]], output: str) -> None:
    """The finding has the reason."""
    plan = plan_of(**TWIN, rails={"planes": 2}, phases=phases)
    with pytest.raises(Refusal) as refused:
        phase_in(plan)
    assert output in [finding.fact for finding in refused.value.findings]


def test_a_fat_tree_has_no_rails_to_begin_with() -> None:
    """Its leaves serve whole hosts."""
    plan = plan_of(
        gpus=64,
        hb_domain={"gpus": 8},
        design="fat-tree",
        radix=16,
        phases=[{"name": "a", "rails": 4}],
    )
    with pytest.raises(Refusal, match="no rails"):
        phase_in(plan)

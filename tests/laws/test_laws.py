"""Every law holds for every drawn plan.

An inventory that cannot be planned is refused without a fault.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise, product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from fabricgen.bom.comparison import compare
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.inventory.load import read_inventory
from fabricgen.planning.plan import make_plan
from tests.fabrics import CATALOG
from tests.laws.drawing import DESIGNS, Inventory, wild_inventories
from tests.laws.drawn import (
    EACH,
    TIERS,
    drawn,
    drawn_plans,
    every_draw,
    other_plans,
    planned_or_refused,
)
from tests.laws.laws import LAWS, growth_keeps_every_link

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabricgen.planning.plan import Plan


def test_laws_are_found() -> None:
    """Every public function that takes a plan alone is a law that is run."""
    assert len(LAWS) == 20


def test_each_design_is_drawn_in_each_number_of_tiers() -> None:
    """There are ten draws of each, and as many refused ones. Refusals have findings."""
    seen = Counter(
        (inventory["design"], plan.sizing.tiers if plan else 0) for inventory, plan in drawn()
    )
    assert seen == dict.fromkeys(product(DESIGNS, TIERS), EACH)


@pytest.mark.slow
def test_no_draw_is_left_out() -> None:
    """Each plan is among those of `make test`, or among all others."""
    assert len(drawn_plans()) + len(other_plans()) == sum(
        plan is not None for _, plan in every_draw()
    )


@pytest.mark.parametrize("plans", [drawn_plans, pytest.param(other_plans, marks=pytest.mark.slow)])
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_every_plan_satisfies_every_law(
    law: Callable[[Plan], None], plans: Callable[[], list[Plan]]
) -> None:
    """The laws recount the wired columns, names and addresses by other means than the planner's."""
    for plan in plans():
        law(plan)


def test_growth_inside_a_reserve_keeps_every_link() -> None:
    """Half of the reserve first, then all of it.

    Nothing moves, and nothing is renamed, relabelled or renumbered.
    """
    grown = 0

    for inventory, _ in drawn():
        room = inventory["reserve"]["gpus"] if "reserve" in inventory else inventory["gpus"]
        domain = inventory["hb_domain"]["gpus"]
        sizes = (domain, -(-room // 2 // domain) * domain, room)
        plans = [
            planned_or_refused(inventory | {"gpus": gpus, "reserve": {"gpus": room}})
            for gpus in sizes
        ]
        for small, large in pairwise(plans):
            if small and large:
                growth_keeps_every_link(small, large)
                grown += 1
    assert grown >= 50


def test_any_input_is_planned_or_refused(tmp_path: Path) -> None:
    """Reading, planning, pricing and comparing end in a summary or in findings.

    Each finding has a place.
    """
    ends: Counter[str] = Counter()
    file = tmp_path / "wild.yaml"

    @settings(max_examples=200)
    @given(wild_inventories())
    def hold(inventory: Inventory) -> None:
        file.write_text(json.dumps(inventory), encoding="utf-8")
        findings: tuple[Finding, ...] = ()
        try:
            read = read_inventory(str(file))
            with read.locate_findings():
                plan = make_plan(read.spec, CATALOG)
                json.dumps(summarize(plan, make_bom(plan)).document(), allow_nan=False)
                json.dumps(compare(read.spec, CATALOG).document(), allow_nan=False)
        except Refusal as refusal:
            findings = refusal.findings
        assert all(finding.code and finding.fact and finding.place for finding in findings), (
            findings
        )
        ends.update({finding.code for finding in findings} or {"planned"})

    hold()
    assert ends["planned"] >= 20, ends
    assert len(ends) >= 20, ends

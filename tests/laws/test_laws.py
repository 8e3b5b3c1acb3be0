"""Draw inventories, plan them, and hold every plan to every law; what cannot be planned is refused, and nothing else happens."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings

from fabricgen.bom.bill import make_bom
from fabricgen.diagnostics import Finding, Refusal
from fabricgen.planner import Plan, make_plan
from fabricgen.reading import read_inventory
from fabricgen.summary import compare, summarize
from tests.laws.drawing import DESIGNS, Inventory, inventories, wild_inventories
from tests.laws.laws import LAWS, growth_keeps_every_link
from tests.planned import CATALOG, planned

if TYPE_CHECKING:
    from pathlib import Path

STEADY = settings(derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def planned_or_refused(inventory: Inventory) -> Plan | None:
    """Plan an inventory; None where it is refused with findings that a person can read."""
    try:
        return planned(**inventory)
    except Refusal as refusal:
        findings = refusal.findings
    assert findings
    assert all(finding.code and finding.fact and finding.path and finding.hint for finding in findings), findings
    return None


def test_laws_are_found() -> None:
    """Every public function that takes a plan alone is a law that is run."""
    assert len(LAWS) == 19


def test_every_plan_keeps_every_law() -> None:
    """Each design is drawn in each number of tiers; a refusal is no plan, and any other exception fails."""
    seen: Counter[tuple[str, int]] = Counter()

    @settings(STEADY, max_examples=400)
    @given(inventories())
    def hold(inventory: Inventory) -> None:
        plan = planned_or_refused(inventory)
        seen[inventory["design"], plan.sizing.tiers if plan else 0] += 1
        if plan:
            for law in LAWS:
                law(plan)

    hold()
    assert all(seen[design, tiers] >= 5 for design in DESIGNS for tiers in (0, 1, 2, 3)), seen


def test_growth_inside_a_reserve_keeps_every_link() -> None:
    """Half of the room first, then all of it: nothing moves, and nothing is renamed, relabelled or renumbered."""
    grown = 0

    @settings(STEADY, max_examples=100)
    @given(inventories())
    def hold(inventory: Inventory) -> None:
        nonlocal grown
        room = inventory["reserve"]["gpus"] if "reserve" in inventory else inventory["gpus"]
        domain = inventory["hb_domain"]["gpus"]
        sizes = (domain, -(-room // 2 // domain) * domain, room)
        plans = [planned_or_refused(inventory | {"gpus": gpus, "reserve": {"gpus": room}}) for gpus in sizes]
        for small, large in pairwise(plans):
            if small and large:
                growth_keeps_every_link(small, large)
                grown += 1

    hold()
    assert grown >= 50


def test_whatever_is_typed_is_planned_or_refused(tmp_path: Path) -> None:
    """Reading, planning, pricing and comparing end in a summary or in findings that each have a place; there is no third way."""
    ends: Counter[str] = Counter()
    file = tmp_path / "wild.yaml"

    @settings(STEADY, max_examples=400)
    @given(wild_inventories())
    def hold(inventory: Inventory) -> None:
        file.write_text(json.dumps(inventory), encoding="utf-8")
        findings: tuple[Finding, ...] = ()
        try:
            read = read_inventory(str(file))
            with read.placing():
                plan = make_plan(read.spec, CATALOG)
                json.dumps(summarize(plan, make_bom(plan)), allow_nan=False)
                json.dumps(compare(read.spec, CATALOG).document(), allow_nan=False)
        except Refusal as refusal:
            findings = refusal.findings
        assert all(finding.code and finding.fact and finding.place for finding in findings), findings
        ends.update({finding.code for finding in findings} or {"planned"})

    hold()
    assert ends["planned"] >= 20, ends
    assert len(ends) >= 20, ends

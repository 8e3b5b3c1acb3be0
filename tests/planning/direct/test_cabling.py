"""The cables of direct rails in a described room: one for each link, and one module for a cage."""

from __future__ import annotations

from typing import Any

import numpy as np

from fabricgen.analysis.checks.laws import check
from fabricgen.api import plan_inventory

B300: dict[str, Any] = {
    "gpus": 128,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-b300"},
    "nic": {"split": "2x400G"},
    "rails": {"medium": "direct"},
    "switches": {"leaf": {"model": "sn5600", "breakout": "1x800G"}},
    "site": {"rack": {"units": 48}},
}


def test_a_cage_has_one_module_for_its_links() -> None:
    """A ring of 16 takes fibres and twin-port modules: no copper cable leads to two hosts."""
    plan = plan_inventory(B300)
    assert {each.shared for each in plan.candidates} == {1}
    assert {each.cable.medium for each in plan.candidates} == {"mmf", "smf"}
    assert plan.module_count() == 2 * plan.links == 256
    result = check(plan)
    assert result.ok, result.findings


def test_both_ends_of_a_link_count_for_its_cages() -> None:
    """Each cage is at the lower end of a link and at the upper end of another."""
    plan = plan_inventory(B300)
    (kind,) = plan.kinds
    rows = np.arange(len(plan.segment.kind))
    low, high = (plan.cages.at(end, kind, 0, rows).tolist() for end in ("lower", "upper"))
    assert set(low) & set(high)
    assert len({*low, *high}) == 16

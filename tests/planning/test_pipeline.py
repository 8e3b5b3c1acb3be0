"""The steps of planning run in one order.

Each refusal stops the next step, and a finished plan never changes.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import fields, is_dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.cabling.cable_runs import CableRuns
from fabricgen.planning.cabling.cages import Cages
from fabricgen.planning.cabling.lengths import Lengths
from fabricgen.planning.draft import Draft
from fabricgen.planning.notices import advice
from fabricgen.planning.plan import Plan
from tests.fabrics import build_job, plan_of, refusal_codes

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fabrics import Inventory

SITE = {"rack": {"units": 48, "power_w": 45_000}}
SOUND: Inventory = {
    "design": "rail-optimized",
    "gpus": 2048,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
    "site": SITE,
}

FAULTS: list[tuple[list[str], Inventory]] = [
    (["unknown-model"], {"nic": {"model": "none"}}),
    (["block-too-large"], {"rails": {"tiers": 1}}),
    (["rails-share-switches"], {"nos": {"rails": {0: "sonic"}}}),
    (["bad-name-pattern"], {"naming": {"leaf": "{x}"}}),
    (["pool-too-small"], {"addressing": {"host_pool": "10.0.0.0/28"}}),
    (["no-part-for-link"], {"site": {"media": {"leaf_spine": ["acc"]}}}),
    (["illegal-name"], {"naming": {"host": "host_{n}"}}),
    (["unknown-cable"], {"site": {"measured_m": {"h0": 3}}}),
    (["no-room"], {"site": {"rows": 1, "racks_per_row": 1}}),
    (["link-too-long", "no-part-for-link"], {"site": {"media": {"host": ["dac"]}}}),
    (["tray-too-full"], {"site": {"tray": {"width_mm": 10, "depth_mm": 10, "fill_percent": 1}}}),
]
"""A fault for each step that can refuse, in the order of the steps, with the codes it gives."""


def merged(one: Inventory, other: Inventory) -> Inventory:
    """Return an inventory with the keys of another one, level by level."""
    return one | {
        key: merged(one[key], value) if isinstance(value, dict) and key in one else value
        for key, value in other.items()
    }


@pytest.mark.parametrize("first", range(len(FAULTS)), ids=[codes[0] for codes, _ in FAULTS])
def test_a_step_with_faults_is_the_last_one(first: int) -> None:
    """With the faults of this step and all later ones, only this step reports."""
    codes, _ = FAULTS[first]
    assert refusal_codes(**reduce(merged, (keys for _, keys in FAULTS[first:]), SOUND)) == codes


def alike(one: Any, other: Any) -> bool:  # noqa: ANN401 - whatever a plan holds
    """Return whether two values are equal, field by field; an array has no `==` of its own."""
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if is_dataclass(one):
        return all(alike(getattr(one, at.name), getattr(other, at.name)) for at in fields(one))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


@pytest.mark.parametrize("site", [None, SITE], ids=["generated room", "described room"])
def test_a_plan_stays_as_it_was_made(site: Inventory | None, tmp_path: Path) -> None:
    """Laws, bills and every file are made of a plan, and nothing of it is other than before."""
    plan = plan_of(**SOUND | {"gpus": 64, "site": site, "reserve": {"gpus": 128}})
    made, names = deepcopy(plan, {id(plan.catalog): plan.catalog}), list(vars(plan))
    assert check(plan).ok
    assert summarize(plan, make_bom(plan))
    advice(plan)
    job = build_job(plan, Packs(), ("cabling", "configs", "hosts", "bom", "dcim"))
    for task in job.tasks:
        list(task.write(job.context, tmp_path))
    assert list(vars(plan)) == names
    assert alike(plan, made)


def test_a_change_is_found() -> None:
    """The comparison above finds one changed link."""
    plan = plan_of(**SOUND | {"gpus": 64})
    made = deepcopy(plan, {id(plan.catalog): plan.catalog})
    plan.segment.upper[0] += 1
    assert not alike(plan, made)


@pytest.mark.parametrize("shape", [Draft, Plan, Lengths, CableRuns, Cages])
def test_nothing_is_planned_later(shape: type) -> None:
    """What a plan holds is made with it: no attribute is computed when it is first read."""
    assert not [name for name, value in vars(shape).items() if isinstance(value, cached_property)]


def test_a_rail_of_another_nos_differs_in_names_alone() -> None:
    """The plan of its switches has the same links, lengths and ports.

    Their names are those of its NOS.
    """
    plan = plan_of(
        gpus=32,
        hb_domain={"gpus": 4},
        switches={"leaf": {"model": "sn5600", "breakout": "2x400G"}},
        nos={"leaf": "nvue", "rails": {1: "sonic"}},
    )
    other = plan.with_port_layouts(plan.fabric.switches_by_rail[1])
    kept = ("segment", "ports", "installed", "hosts", "lengths", "candidate")
    assert all(getattr(other, name) is getattr(plan, name) for name in kept)
    assert other.interfaces(0) == plan.interfaces(1) != plan.interfaces(0) == plan.interfaces(2)

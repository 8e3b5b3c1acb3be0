"""The cheaper mapping of a plan: the cheapest of all that its HB domain allows, with its trade."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.impact.ranking import rank
from fabricgen.analysis.search.cheaper import CheaperMapping, cheaper_mappings
from fabricgen.bom.priced_bill import make_bom
from fabricgen.cli import run
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.divisors import divisors
from tests import ROOT
from tests.fabrics import plan_file, plan_of

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan

NVL72: dict[str, Any] = {
    "gpus": 1152,
    "hb_domain": {"gpus": 72},
    "host": {"model": "gb200-nvl72"},
    "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
}


TRADE = (
    "`rails.count: 9` takes 9 switches instead of 36 and USD 1,997,109 instead of 4,936,980"
    " (59.5 % less by priced parts); a failed leaf then takes 11.1 % of the bandwidth instead of"
    " 5.56 %"
)
READY = [
    *ROOT.glob("inventories/gb200-*.yaml"),
    *ROOT.glob("inventories/dgx-*-?su.yaml"),
    *ROOT.glob("examples/*.yaml"),
]


def found(plan: Plan) -> CheaperMapping | None:
    """Return the mapping that saves the most."""
    return next(reversed(cheaper_mappings(plan, make_bom(plan))), None)


def switches(plan: Plan) -> int:
    """Count the switches of a plan."""
    return sum(plan.switch_count(role) for role in plan.roles)


def cost(plan: Plan) -> float:
    """Return the cost of a plan."""
    return float(make_bom(plan).cost() or 0)


@pytest.mark.parametrize(
    ("rails", "lines", "counts", "lost_now"),
    [
        ({"count": 4}, ["rails.count: 9"], (9, 36), 64 / 1152),
        ({}, ["rails.per_switch: auto"], (9, 72), 1 / 72),
        ({"count": 36, "per_switch": 2}, ["rails.per_switch: auto"], (9, 18), 1 / 18),
        ({"count": 8}, ["rails.count: 9"], (9, 40), 64 / 1152),
    ],
)
def test_the_lines_give_the_figures(
    rails: dict[str, Any], lines: list[str], counts: tuple[int, int], lost_now: float
) -> None:
    """A plan with the lines written has the switches, the cost and the failed leaf of the note."""
    before = plan_of(**NVL72, rails=rails)
    cheaper = found(before)
    assert cheaper
    assert cheaper.set == lines
    assert (cheaper.switches, cheaper.switches_now) == counts
    written = {
        key.removeprefix("rails."): value for key, value in (line.split(": ") for line in lines)
    }
    after = plan_of(**NVL72, rails=rails | {key: number(value) for key, value in written.items()})
    assert (switches(after), cost(after), after.fabric.rails) == (9, cheaper.cost, cheaper.rails)
    (leaf,) = rank(after, "leaf")
    assert cheaper.leaf_lost_pct == pytest.approx(leaf.impact.fabric_bandwidth_lost_pct, abs=1e-2)
    assert cheaper.leaf_lost_pct_now == pytest.approx(100 * lost_now, abs=1e-5)
    assert found(after) is None


def number(text: str) -> int | str:
    """Return the value of a line."""
    return int(text) if text.isdigit() else text


def test_it_is_the_cheapest_of_all_mappings() -> None:
    """Every number of rails is planned in full, packed as far as it goes.

    None that takes fewer switches in no more tiers costs less than the one that is found.
    """
    noted = 0
    for gpus, radix, count, design in product(
        (24, 72, 144), (16, 32), (2, 6, 12), ("rail-only", "rail-optimized")
    ):
        keys: dict[str, Any] = {
            "gpus": gpus,
            "hb_domain": {"gpus": 12},
            "design": design,
            "radix": radix,
        }
        try:
            plan = plan_of(**keys, rails={"count": count})
        except Refusal:
            continue
        others = []
        for rails in divisors(12):
            try:
                other = plan_of(**keys, rails={"count": rails, "per_switch": "auto"})
            except Refusal:
                continue
            if switches(other) < switches(plan) and other.sizing.tiers <= plan.sizing.tiers:
                others.append(cost(other))
        cheaper = found(plan)
        least = min((each for each in others if each <= 0.98 * cost(plan)), default=None)
        if design == "rail-only":
            assert (cheaper and cheaper.cost) == least
        elif least:
            assert cheaper
            assert (cheaper.cost or 0) * 0.98 <= least
        noted += cheaper is not None
    assert noted > 5


def test_what_has_no_cheaper_mapping() -> None:
    """A fat-tree has no rails, and the ready fabrics are as cheap as their GPUs allow."""
    assert found(plan_of(**NVL72, design="fat-tree")) is None
    noted = {path.stem for path in READY if found(plan_file(path))}
    assert noted == {"gb200-nvl72-four-rails", "nvl72-four-rails"}


def test_a_plan_that_keeps_cables_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The cables of a saved plan are installed on its rails; it is expanded on them."""
    path = str(ROOT / "inventories" / "gb200-nvl72-four-rails.yaml")
    saved = str(tmp_path / "plan.json")
    assert run(["plan", path, "-o", saved]) == 0
    assert "cheaper" in capsys.readouterr().out
    assert run(["plan", "--from", saved, "--set", "gpus=1224"]) == 0
    assert "cheaper" not in capsys.readouterr().out


def test_a_part_without_a_price() -> None:
    """A saving of priced parts only is named as such; without a price the switches decide."""
    unknown = plan_of(**NVL72, rails={"count": 4}, prices={"book": "street-2026-09"})
    cheaper = found(unknown)
    assert cheaper
    assert cheaper.cost_bound == "of priced parts"
    assert "59.5 % less by priced parts" in str(cheaper)
    plan = plan_of(**NVL72, rails={"count": 4})
    unpriced = replace(
        make_bom(plan), lines=tuple(replace(line, unit_price=None) for line in make_bom(plan).lines)
    )
    assert unpriced.cost() is None
    (cheaper,) = cheaper_mappings(plan, unpriced)
    assert "9 switches instead of 36; a failed leaf" in str(cheaper)


@pytest.mark.parametrize("command", ["plan", "compare"])
def test_commands_print_it(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`plan` and `compare` print the line, its figures and the trade on stdout, and as JSON."""
    path = str(ROOT / "inventories" / "gb200-nvl72-four-rails.yaml")
    assert run([command, path, "--prices", "street-2026-09"]) == 0
    assert TRADE in capsys.readouterr().out
    assert run([command, path, "--json"]) == 0
    cheaper = json.loads(capsys.readouterr().out)["cheaper"]
    assert (cheaper["set"], cheaper["switches"]) == (["rails.count: 9"], 9)
    if command == "compare":
        assert cheaper["savings"] == {
            "switches_pct": 73.5,
            "cost_pct": 68.0,
            "cost_bound": "of priced parts",
        }
    assert run([command, path, "--set", "rails.count=9", "--json"]) == 0
    assert "cheaper" not in json.loads(capsys.readouterr().out)


Q192: dict[str, Any] = {
    "design": "rail-optimized",
    "gpus": 192,
    "hb_domain": {"gpus": 8},
    "host": {"model": "hgx-h100"},
    "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
}


def test_rails_that_are_kept_come_first() -> None:
    """Two rails on a leaf keep GPUs of one rank on it; another mapping states that it does not."""
    plan = plan_of(**Q192)
    kept, given_up = cheaper_mappings(plan, make_bom(plan))
    assert (kept.set, kept.switches) == (["rails.per_switch: 2"], 6)
    assert "links apart" not in str(kept)
    assert given_up.switches == 5
    assert (
        "it serves a rank of 8 instead of 24 HB domains, and GPUs of one rank on two leaves are 4"
        " links apart over a spine instead of 2 over one leaf" in str(given_up)
    )
    near, far = (plan_of(**Q192, rails={"per_switch": number}) for number in (2, 8))
    spread = [[*gpus_of_a_rank(each)] for each in (near, far)]
    assert [len(set(leaves)) for leaves in spread] == [1, 3]


def gpus_of_a_rank(plan: Plan) -> list[int]:
    """Return the leaf of the first GPU of each HB domain."""
    gpus = plan.mapping.pattern().tolist()
    return [gpus.index(gpu) // plan.sizing.leaf_down for gpu in range(0, plan.fabric.gpus, 8)]


def test_uplinks_of_a_unit_are_named() -> None:
    """`scalable_unit.uplinks: used` is named where the widest leaves have uplinks for no host."""
    plan = plan_of(
        design="rail-optimized",
        gpus=1024,
        hb_domain={"gpus": 8},
        rails={"tiers": 2},
        oversubscription="2:1",
        leaf_ports="widest",
        scalable_unit={"domains": 32},
        radix=64,
    )
    assert plan.switch_count() == 53
    first = cheaper_mappings(plan, make_bom(plan))[0]
    assert (first.set, first.switches) == (["scalable_unit.uplinks: used"], 40)


def test_equal_figures_are_no_trade() -> None:
    """A trade of a figure for itself is not printed, and no mapping saves less than 2 %."""
    for gpus, radix, rails in product((96, 192, 256, 1024), (32, 64), (1, 2, 8)):
        keys: dict[str, Any] = {"gpus": gpus, "hb_domain": {"gpus": 8}, "radix": radix}
        plan = plan_of(**keys, design="rail-optimized", rails={"count": rails, "tiers": "auto"})
        for each in cheaper_mappings(plan, make_bom(plan)):
            assert not re.search(r"takes ([\d.]+) % of the bandwidth instead of \1 %", str(each))
            assert each.cost_saved_pct is not None
            assert each.cost_saved_pct >= 2

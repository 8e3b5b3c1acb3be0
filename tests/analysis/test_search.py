"""The search: its figures are those of whole plans, and its table equals an exhaustive search.

Its winner builds.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from math import inf
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from fabricgen.analysis.impact.ranking import rank
from fabricgen.analysis.search.candidates import candidates, whole
from fabricgen.analysis.search.part_counts import count, link_counts, switch_counts
from fabricgen.analysis.search.result import search_result
from fabricgen.analysis.search.score import judge
from fabricgen.analysis.search.search import search
from fabricgen.analysis.search.worst_failure import worst
from fabricgen.analysis.workload.equations import iterate
from fabricgen.analysis.workload.machine import find_llm, machine_of
from fabricgen.bom.bill import make_bom, priced
from fabricgen.bom.counts import count_parts
from fabricgen.cli import run
from fabricgen.core.diagnostics import Refusal
from fabricgen.inventory.fabric import FabricSpec
from fabricgen.inventory.load import read_inventory
from fabricgen.planning.plan import Plan, make_draft, make_plan
from tests.fabrics import CATALOG, plan_of, spec_of
from tests.laws.drawing import inventories

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


Figures = tuple[float, ...]

SMALL: dict[str, Any] = {
    "gpus": 256,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "qm9700"}},
    "prices": {"book": "paper-v5"},
}
OFFER: dict[str, Any] = {
    "switches": ["qm9700", "sn4700", "sn5600"],
    "oversubscription": ["1:1", "3:1"],
}
LLM = find_llm(CATALOG, "gpt3")


def worst_of(plan: Plan) -> tuple[int, float]:
    """Measure every switch of a plan."""
    impacts = [row.impact for row in rank(plan, "switch")]
    return max(each.gpus_cut_off for each in impacts), max(
        each.fabric_bandwidth_lost_pct for each in impacts
    )


def upward(plan: Plan) -> float:
    """Measure on the wires how much upward bandwidth the worst switch below the top has.

    The result is its share of downward bandwidth, at most 1.
    """
    found = 1.0
    for below in plan.roles[:-1]:
        front, (down, up) = plan.fabric.port_layouts[below], plan.widths[below]
        found = min(found, up * front.up.speed_gbps / (down * front.down.speed_gbps))
    return found


def figures_of(plan: Plan) -> Figures:
    """Compute the figures of a search from a whole plan, at prices without cables."""
    bom, machine = make_bom(plan), machine_of(plan.fabric, CATALOG)
    missing = any(line.unit_price is None for line in bom.lines if line.part_class != "cables")
    cost, power = bom.cost(), bom.power_w
    switches = sum(plan.switch_count(role) for role in plan.roles)
    seconds = iterate(
        LLM, replace(machine, nic_bytes_s=machine.nic_bytes_s * upward(plan))
    ).iteration_s
    return (
        inf if missing or cost is None else float(cost),
        inf if power is None else power,
        switches,
        seconds,
        *worst_of(plan),
    )


def beats(one: Figures, other: Figures) -> bool:
    """Return whether one is no worse in any figure and better in one."""
    return one != other and all(ours <= theirs for ours, theirs in zip(one, other, strict=True))


@pytest.fixture(scope="module")
def brute() -> list[tuple[Plan, Figures]]:
    """Plan every valid combination of the small offer in full, and measure it."""
    found = []
    boxes = [("qm9700", "2x400G"), ("sn4700", "1x400G"), ("sn5600", "2x400G")]
    for design, (model, split), tiers, shared, ratio in product(
        ("rail-only", "rail-optimized", "fat-tree"),
        boxes,
        (1, 2, 3),
        (1, "auto"),
        OFFER["oversubscription"],
    ):
        rails = {"tiers": tiers, "per_switch": 1 if design == "fat-tree" else shared}
        keys = SMALL | {
            "design": design,
            "switches": {"leaf": {"model": model, "breakout": split}},
            "rails": rails,
            "oversubscription": ratio,
        }
        try:
            plan = plan_of(**keys)
        except Refusal:
            continue
        found.append((plan, figures_of(plan)))
    return found


@pytest.mark.parametrize(
    "limits",
    [{}, {"max_tiers": 1}, {"budget": 500_000}, {"power_w": 30_000, "min_relative": 0.2}],
    ids=lambda limits: " ".join(limits) or "no limit",
)
def test_the_table_equals_an_exhaustive_search(
    brute: list[tuple[Plan, Figures]], limits: dict[str, Any]
) -> None:
    """Everything is planned, wired and measured.

    The search shows exactly what no other dominates and no limit excludes.
    """
    ideal = {
        plan.fabric.domain_gpus: iterate(LLM, machine_of(plan.fabric, CATALOG)).ideal_s
        for plan, _ in brute
    }
    within = [
        figures
        for plan, figures in brute
        if plan.sizing.tiers <= limits.get("max_tiers", 3)
        and figures[0] <= limits.get("budget", inf)
        and figures[1] <= limits.get("power_w", inf)
        and ideal[plan.fabric.domain_gpus] / figures[3] >= limits.get("min_relative", 0)
    ]
    best = {figures for figures in within if not any(beats(other, figures) for other in within)}
    found = search(spec_of(**SMALL, search=OFFER | limits), CATALOG, LLM)
    shown = [row[0].figures(found.counted) for row in found.rows]
    assert [pytest.approx(figures) for figures in sorted(best)] == shown
    assert 0 < len(shown) < len(within) + 1
    assert found.rows[0][0].cost(found.counted) == min(figures[0] for figures in within)


def test_limits_exclude_and_admit(brute: list[tuple[Plan, Figures]]) -> None:
    """Each of the limits above excludes a part of the small space and admits a part."""
    assert {plan.sizing.tiers for plan, _ in brute} == {1, 2, 3}
    assert (
        min(figures[0] for _, figures in brute) < 500_000 < max(figures[0] for _, figures in brute)
    )
    assert (
        min(figures[1] for _, figures in brute) < 30_000 < max(figures[1] for _, figures in brute)
    )


@settings(max_examples=12)
@given(inventories())
def test_counts_of_a_draft_are_those_of_its_wires(inventory: dict[str, Any]) -> None:
    """The bill, the counts and the worst failure equal those of the wired plan, for any fabric.

    A search knows no lengths.
    """
    spec = whole(FabricSpec.model_validate(inventory | {"site": "unknown"}))
    try:
        plan = make_plan(spec, CATALOG)
    except Refusal:
        return
    draft = make_draft(spec, CATALOG)
    assert switch_counts(draft) == {role: plan.switch_count(role) for role in plan.roles}
    assert link_counts(draft) == {kind: plan.link_count(kind) for kind in plan.kinds}
    assert priced(draft, switch_counts(draft), count(draft)).lines == make_bom(plan).lines
    assert worst(draft) == pytest.approx(worst_of(plan), abs=2e-6)
    assert judge(draft, None).cables == plan.cables


@pytest.mark.parametrize("spread", ["even", "minimal"])
def test_the_last_pod_is_counted_as_it_is_wired(spread: str) -> None:
    """Its spines have fewer downlinks than those of other pods, and modules in fewer cages."""
    host: dict[str, Any] = {
        "gpus": 88,
        "hb_domain": {"gpus": 8},
        "design": "fat-tree",
        "spread": spread,
        "oversubscription": "2:1",
    }
    leaf = {"generic": {"radix": 8}}
    spec = spec_of(**host, rails={"tiers": 3}, switches={"leaf": leaf}, site="unknown")
    plan, draft = make_plan(spec, CATALOG), make_draft(spec, CATALOG)
    assert plan.sizing.leaf % plan.sizing.pod_leaves > 0
    assert count(draft) == count_parts(plan)
    assert worst(draft) == pytest.approx(worst_of(plan), abs=2e-6)


def test_a_draft_has_no_wires() -> None:
    """Evaluation needs no wires.

    Hundreds of candidates of any size are evaluated in the time of a few plans.
    """
    draft = make_draft(spec_of(**SMALL), CATALOG)
    judged = judge(draft, LLM)
    assert judged.figures(frozenset())
    assert not isinstance(draft, Plan)


def test_the_default_offer() -> None:
    """The inventory's own switches, those of the catalog that fit the NICs, the host's planes."""
    tried = list(candidates(spec_of(**SMALL), CATALOG))
    models = {spec.switches.leaf.model for spec in tried}
    expected = {
        model.model
        for model in CATALOG.switches()
        if any(mode.speed_gbps == 400 for mode in model.breakouts)
    }
    assert models == expected
    assert tried[0].switches.leaf.breakout is None
    twin = list(
        candidates(
            spec_of(
                gpus=64,
                hb_domain={"gpus": 8},
                host={"model": "dgx-b300"},
                switches={"leaf": {"model": "sn5600"}},
            ),
            CATALOG,
        )
    )
    assert {spec.rails.planes for spec in twin} == {1, 2}


def test_several_hb_domains_are_compared() -> None:
    """Given by a host or by a size; a language model ranks them."""
    hosts = spec_of(
        **{**SMALL, "gpus": 576},
        search={"hosts": ["dgx-h100", "gb200-nvl72"], "switches": ["sn5600"]},
    )
    found = search(hosts, CATALOG, LLM)
    assert {each.draft.fabric.domain_gpus for row in found.rows for each in row} == {8, 72}
    sizes = spec_of(
        gpus=512,
        hb_domain={"gpus": 8, "bandwidth": "3.6Tbps"},
        radix=64,
        search={"hb_domains": [8, 64, 3], "oversubscription": ["1:1"]},
    )
    found = search(sizes, CATALOG, LLM)
    assert {each.draft.fabric.domain_gpus for row in found.rows for each in row} == {8, 64}
    assert found.refused["gpus-not-whole-domains"]


def test_a_switch_without_a_price_is_never_the_cheapest() -> None:
    """An unknown price counts as the highest.

    The switch may win by another figure, and no budget admits it.
    """
    spec = spec_of(
        **SMALL | {"prices": {"book": "street-2026-09"}}, search={"switches": ["qm9700", "sn4700"]}
    )
    found = search(spec, CATALOG)
    costs = [row[0].cost(found.counted) for row in found.rows]
    assert "switches" in found.counted
    assert costs[0] < inf
    assert found.rows[-1][0].bom.unpriced
    limited = spec.model_copy(
        update={"search": spec.search and spec.search.model_copy(update={"budget": 10**12})}
    )
    assert all(row[0].cost(found.counted) < inf for row in search(limited, CATALOG).rows)


def test_candidates_that_cannot_be_planned_are_removed() -> None:
    """A name that only some designs can have is refused when a row is planned.

    The others are compared again.
    """
    spec = spec_of(
        **SMALL,
        naming={"leaf": "leaf-{n}"},
        search={"switches": ["qm9700"], "oversubscription": ["1:1"]},
    )
    found = search(spec, CATALOG)
    assert found.refused["name-twice"]
    assert found.rows
    for row in found.rows:
        assert make_plan(row[0].draft.spec, CATALOG).installed


@pytest.fixture
def ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[str, str]]:
    """Return a function that runs a command in an empty directory. It returns stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def asked(*words: str) -> tuple[str, str]:
        code = run(list(words))
        printed = capsys.readouterr()
        assert code == 0, printed.err
        return printed.out, printed.err

    return asked


@pytest.mark.slow
def test_the_winner_builds(tmp_path: Path, ask: Callable[..., tuple[str, str]]) -> None:
    """-o writes an inventory.

    `plan` finds the figures of the table, `build` writes it, a reserve stays one, and --pick
    selects another row.
    """
    text = json.dumps(
        {
            "name": "small",
            **SMALL,
            "gpus": 64,
            "reserve": {"gpus": 128},
            "site": {"rack": {"units": 48}},
            "search": OFFER,
        }
    )
    (tmp_path / "fabric.yaml").write_text(text)
    rows = json.loads(ask("search", "fabric.yaml", "--json", "-o", "best.yaml")[0])["designs"]
    best = json.loads(ask("plan", "best.yaml", "--set", "gpus=128", "--json")[0])
    assert (best["cost"]["total"], best["switches"]["total"], best["design"]) == (
        rows[0]["cost"],
        rows[0]["switches"]["total"],
        rows[0]["design"],
    )
    assert [row["cheapest"] for row in rows].index(True) == 0
    assert read_inventory("best.yaml").spec.gpus == 64
    ask("build", "best.yaml", "--only", "cabling,bom,configs", "-o", "out")
    assert (tmp_path / "out" / "cabling" / "cables.csv").exists()
    output = ask("search", "fabric.yaml", "--pick", str(len(rows)), "-o", "last.yaml")
    assert f"\n{len(rows)} " in output[0]
    assert "room is ignored" in output[1]
    assert (
        json.loads(ask("plan", "last.yaml", "--set", "gpus=128", "--json")[0])["cost"]["total"]
        == rows[-1]["cost"]
    )


def test_faults_of_the_request_are_not_faults_of_candidates() -> None:
    """They are an unknown GPU and an inventory that contradicts itself.

    Both are refused, and the search is not reported as empty.
    """
    with pytest.raises(Refusal, match="unknown-model"):
        search(spec_of(**SMALL, search=OFFER), CATALOG, LLM, "no-such-gpu")
    with pytest.raises(Refusal, match="gpus-not-whole-domains"):
        search(spec_of(**SMALL | {"gpus": 12}, search=OFFER), CATALOG)


def test_ties_are_described_with_correct_plurals() -> None:
    """One tier, two tiers."""
    offer = {"switches": ["sn5600"], "oversubscription": ["1:1"]}
    spec = spec_of(gpus=64, hb_domain={"gpus": 8}, radix=8, search=offer)
    found = search_result(search(spec, CATALOG, LLM), LLM).document()
    listed = [words for row in found["designs"] for words in row["alike"]]
    counts = {each for words in listed for each in words.split(", ") if " tier" in each}
    assert "1 tier" in counts
    assert counts <= {"1 tier", "2 tiers", "3 tiers"}


def test_options_that_exclude_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row is selected to be written, and must exist. A relative speed needs a language model."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fabric.yaml").write_text(
        json.dumps({"name": "small", **SMALL, "search": {"switches": ["qm9700"]}})
    )
    assert run(["search", "fabric.yaml", "--pick", "1"]) == 2
    assert run(["search", "fabric.yaml", "--pick", "99", "-o", "best.yaml"]) == 2
    assert run(["search", "fabric.yaml", "--set", "search.min_relative=0.5"]) == 2
    assert not (tmp_path / "best.yaml").exists()

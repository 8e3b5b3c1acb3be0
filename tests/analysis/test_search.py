"""The search: its figures are those of whole plans, and its table equals an exhaustive search.

Its winner builds.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings

from fabricgen.analysis.impact.ranking import rank
from fabricgen.analysis.search.bounds import bounds, family
from fabricgen.analysis.search.candidates import candidates, whole
from fabricgen.analysis.search.pareto import front
from fabricgen.analysis.search.part_counts import count, link_counts
from fabricgen.analysis.search.pool import Scorer, bounded, make_pool, undominated
from fabricgen.analysis.search.result import search_result
from fabricgen.analysis.search.score import judge
from fabricgen.analysis.search.search import search
from fabricgen.analysis.search.switch_counts import switch_counts
from fabricgen.analysis.search.worst_failure import worst
from fabricgen.analysis.workload.machine import find_llm
from fabricgen.bom.counts import count_parts
from fabricgen.bom.priced_bill import make_bom, priced
from fabricgen.catalog.catalog import Catalog
from fabricgen.cli import run
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.divisors import divisors
from fabricgen.inventory.fabric import FabricSpec
from fabricgen.inventory.load import read_inventory
from fabricgen.inventory.search import Search
from fabricgen.planning.bisection_width import bisection_of
from fabricgen.planning.plan import Plan, make_draft, make_plan
from tests.fabrics import CATALOG, plan_of, spec_of
from tests.laws.drawing import inventories

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabricgen.catalog.models.workload import Workload

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
TINY = """
model: tiny-{cages}
vendor: Test
description: a switch with so few ports that small fabrics have three tiers
cages: {cages}
form_factor: osfp
lanes_per_cage: 8
breakouts:
  - {{name: 1x800G, count: 1, speed_gbps: 800, lanes: 8}}
  - {{name: 2x400G, count: 2, speed_gbps: 400, lanes: 4}}
rack_units: 1
typical_w: {watts}
interfaces:
  sonic: {{whole: "Ethernet{{lane}}", split: "Ethernet{{lane}}"}}
default_nos: sonic
transport: ethernet
cooling: air
source: made for a test
quality: B
"""
WHOLE: dict[str, Any] = {
    "gpus": 16,
    "hb_domain": {"gpus": 4, "bandwidth": "3.6Tbps"},
    "nic": {"speed": "400G"},
    "switches": {"leaf": {"model": "tiny-4"}},
    "prices": {"book": "paper-v5"},
}
RATIOS = ("1:1", "3:1")
LLM = find_llm(CATALOG, "gpt3")


def worst_of(plan: Plan) -> tuple[int, float]:
    """Measure every switch of a plan."""
    impacts = [row.impact for row in rank(plan, "switch")]
    return max(each.gpus_cut_off for each in impacts), max(
        each.fabric_bandwidth_lost_pct for each in impacts
    )


def carried(plan: Plan) -> float:
    """Return the part of a NIC's bandwidth that the worst switch and the halves let through."""
    found = 1.0
    for below in plan.roles[:-1]:
        front, (down, up) = plan.fabric.port_layouts[below], plan.widths[below]
        found = min(found, up * front.up.speed_gbps / (down * front.down.speed_gbps))
    halves = bisection_of(plan)
    return found * halves.flow / halves.even if halves.even else found


def figures_of(plan: Plan) -> Figures:
    """Compute the figures of a search from a whole plan, at prices without cables."""
    bom = make_bom(plan)
    missing = any(line.unit_price is None for line in bom.lines if line.part_class != "cables")
    cost, power = bom.cost(), bom.power_w
    switches = sum(plan.switch_count(role) for role in plan.roles)
    return (
        inf if missing or cost is None else float(cost),
        inf if power is None else power,
        switches,
        1 / (plan.fabric.planes * plan.fabric.speed_gbps * carried(plan)),
        *worst_of(plan),
    )


def beats(one: Figures, other: Figures) -> bool:
    """Return whether one is no worse in any figure and better in one."""
    return one != other and all(ours <= theirs for ours, theirs in zip(one, other, strict=True))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """Return a catalog with two switches of 8 and 12 ports."""
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "switches").mkdir()
    for cages, watts in ((4, 100), (6, 130)):
        text = TINY.format(cages=cages, watts=watts)
        (folder / "switches" / f"tiny-{cages}.yaml").write_text(text, encoding="utf-8")
    return Catalog([folder])


@pytest.fixture(scope="module")
def brute(tiny: Catalog) -> list[tuple[Plan, Figures]]:
    """Plan every inventory of the whole small space in full, and measure it.

    The space has each design, number of rails, rails of a leaf, switch, breakout of a spine, number
    of tiers, ratio and spread.
    """
    found = []
    mappings = [
        (design, rails_count, shared)
        for design in ("rail-only", "rail-optimized")
        for rails_count in divisors(4)
        for shared in divisors(rails_count)
    ]
    for (design, rails_count, shared), model, above, tiers, ratio, spread in product(
        [*mappings, ("fat-tree", 4, 1)],
        ("tiny-4", "tiny-6"),
        ("2x400G", "1x800G"),
        (1, 2, 3),
        RATIOS,
        ("even", "minimal"),
    ):
        switches = {
            "leaf": {"model": model, "breakout": "2x400G"},
            "spine": {"model": model, "breakout": above},
        }
        rails = {"count": rails_count, "per_switch": shared, "tiers": tiers}
        keys = {"design": design, "switches": switches, "rails": rails}
        try:
            plan = plan_of(tiny, **WHOLE | keys, oversubscription=ratio, spread=spread)
        except Refusal:
            continue
        found.append((plan, figures_of(plan)))
    return found


@pytest.mark.parametrize(
    "limits",
    [{}, {"max_tiers": 1}, {"max_tiers": 2, "budget": 60_000}, {"power_w": 1200}],
    ids=lambda limits: " ".join(limits) or "no limit",
)
def test_the_table_equals_an_exhaustive_search(
    tiny: Catalog, brute: list[tuple[Plan, Figures]], limits: dict[str, Any]
) -> None:
    """Everything that an inventory can state is planned, wired and measured.

    The search shows exactly what no other dominates and no limit excludes.
    """
    within = [
        figures
        for plan, figures in brute
        if plan.sizing.tiers <= limits.get("max_tiers", 3)
        and figures[0] <= limits.get("budget", inf)
        and figures[1] <= limits.get("power_w", inf)
    ]
    best = {figures for figures in within if not any(beats(other, figures) for other in within)}
    offer = {"switches": ["tiny-4", "tiny-6"], "oversubscription": RATIOS}
    found = search(spec_of(**WHOLE, search=offer | limits), tiny, every=True)
    shown = [row[0].figures(found.counted) for row in found.rows]
    assert [pytest.approx(figures) for figures in sorted(best)] == shown
    assert 0 < len(shown) < len(within)
    assert found.rows[0][0].cost(found.counted) == min(figures[0] for figures in within)


def test_limits_exclude_and_admit(brute: list[tuple[Plan, Figures]]) -> None:
    """Each of the limits above excludes a part of the small space and admits a part."""
    assert {plan.sizing.tiers for plan, _ in brute} == {1, 2, 3}
    for place, limit in ((0, 60_000), (1, 1200)):
        column = [figures[place] for _, figures in brute]
        assert min(column) < limit < max(column)


@pytest.mark.parametrize(
    ("llm", "limits"),
    [(None, {}), (None, {"max_tiers": 2}), (LLM, {"min_relative": 0.5}), (LLM, {"max_tiers": 1})],
    ids=["bandwidth", "two tiers", "relative", "one tier"],
)
def test_fabrics_are_left_out_by_their_least_figures(
    llm: Workload | None, limits: dict[str, Any]
) -> None:
    """Most fabrics are not scored, and those within the limits are the same as if all were."""
    asked = Search.model_validate(OFFER | limits)
    pool = make_pool(spec_of(**SMALL, search=OFFER | limits), CATALOG)
    scorer = Scorer(CATALOG, asked, llm, None, pool.refused)
    counted, fabrics = bounded(pool, scorer)
    best = undominated(fabrics, scorer, counted, set())
    assert 4 * len(scorer.scored) < len(pool.sized)
    every = [judged for sized in pool.sized if (judged := scorer.score(sized))]
    found, whole_space = (
        {each.figures(counted) for each in fabrics if not each.broken(asked, counted)}
        for fabrics in (best, every)
    )
    assert front(found, lambda figures: figures) == front(whole_space, lambda figures: figures)
    assert found


@settings(max_examples=12)
@given(inventories())
def test_least_figures_are_not_above_the_figures(inventory: dict[str, Any]) -> None:
    """Switches, links and bandwidth bound the cost, the power and the failure of any fabric."""
    spec = whole(FabricSpec.model_validate(inventory))
    try:
        draft = make_draft(spec, CATALOG)
    except Refusal:
        return
    judged = judge(draft, None)
    scorer = Scorer(CATALOG, Search(), None, None, Counter())
    for counted in (frozenset[str](), frozenset({"switches"})):
        least = bounds(draft.mapping, family(judged, counted), scorer.least, 0)
        assert (least.low[:6] <= np.array(judged.figures(counted))).all()


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
    assert switch_counts(draft.mapping) == {role: plan.switch_count(role) for role in plan.roles}
    assert link_counts(draft.mapping) == {kind: plan.link_count(kind) for kind in plan.kinds}
    assert priced(draft, switch_counts(draft.mapping), count(draft)).lines == make_bom(plan).lines
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
    tried = list(candidates(spec_of(**SMALL), CATALOG, Counter()))
    fabrics = [each.sizer.fabric for each in tried]
    models = {fabric.spec.switches.leaf.model for fabric in fabrics}
    joining = {(400, 4), (400, 8)}  # of 400G on four lanes: the modules of eight have four too
    expected = {
        model.model
        for model in CATALOG.switches()
        if any((mode.speed_gbps, mode.lanes) in joining for mode in model.breakouts)
        and not model.circuits
    }
    assert models == expected
    assert fabrics[0].spec.switches.leaf.breakout is None
    assert {(each.sizer.fabric.rails, each.shape.per_switch) for each in tried} == {
        (8, 1),
        (8, 2),
        (8, 4),
        (8, 8),
        (4, 1),
        (4, 2),
        (4, 4),
        (2, 1),
        (2, 2),
        (1, 1),
    }
    assert (fabrics[0].rails, tried[0].shape.spread) == (8, "even")
    assert {each.shape.spread for each in tried} == {"even", "minimal"}
    uplinks = {
        fabric.spec.switches.spine and fabric.spec.switches.spine.breakout for fabric in fabrics
    }
    assert {None, "1x800G"} <= uplinks
    twin = candidates(
        spec_of(
            gpus=64,
            hb_domain={"gpus": 8},
            host={"model": "dgx-b300"},
            switches={"leaf": {"model": "sn5600"}},
        ),
        CATALOG,
        Counter(),
    )
    assert {each.sizer.fabric.planes for each in twin} == {1, 2}


def test_one_tier_of_nvl72_is_found() -> None:
    """Nine switches of 128 ports, one rail each, whatever the inventory's own number of rails."""
    spec = spec_of(
        gpus=1152,
        hb_domain={"gpus": 72},
        host={"model": "gb200-nvl72"},
        switches={"leaf": {"model": "sn5600"}},
        rails={"count": 4},
        search={"max_tiers": 1, "switches": ["sn5600"]},
    )
    best = search(spec, CATALOG).rows[0][0]
    assert (best.switches, best.draft.fabric.rails, best.draft.sizing.tiers) == (9, 9, 1)
    assert best.across_gbps == 400


def test_the_table_has_ten_rows_at_most() -> None:
    """The best of each bandwidth come first, then what is worth its cost; `every` has the rest."""
    spec = spec_of(**SMALL | {"gpus": 1024}, search={"switches": OFFER["switches"]})
    table, whole_table = search(spec, CATALOG), search(spec, CATALOG, every=True)
    assert len(table.rows) <= 10 < len(whole_table.rows)
    assert table.more == len(whole_table.rows) - len(table.rows)
    figures = [row[0].figures(table.counted) for row in whole_table.rows]
    shown = [row[0].figures(table.counted) for row in table.rows]
    ahead = [
        each for at, each in enumerate(figures) if all(each[3] < other[3] for other in figures[:at])
    ]
    assert set(ahead) <= set(shown)
    for at, each in enumerate(shown):
        if each not in ahead:
            for other in shown[:at]:
                gains = [gain(*pair) for pair in zip(other[1:], each[1:], strict=True)]
                assert max(gains) >= each[0] / other[0]


def gain(before: float, after: float) -> float:
    """Return by which factor a figure is better."""
    return 1 if before == after else before / after if after else inf


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
        search={"hb_domains": [8, 64, 3], "oversubscription": ["1:1"], "switches": ["sn5600"]},
    )
    found = search(sizes, CATALOG, LLM)
    assert {sized.mapping.fabric.domain_gpus for sized in found.pool.sized} == {8, 64}
    assert {each.draft.fabric.domain_gpus for row in found.rows for each in row} == {64}
    assert found.pool.refused["gpus-not-whole-domains"]


def test_numbers_of_rails_that_do_not_divide_are_refused() -> None:
    """They are counted by code, and the others are compared."""
    offer = {
        "switches": ["qm9700"],
        "designs": ["rail-only"],
        "rails": [3, 4],
        "per_switch": [4, 3],
    }
    found = search(spec_of(**SMALL, search=offer), CATALOG, every=True)
    assert found.pool.refused["rails-do-not-divide"]
    mappings = [each.draft.mapping for row in found.rows for each in row]
    assert {(mapping.fabric.rails, mapping.per_switch) for mapping in mappings} == {(4, 4)}


def test_all_rows_are_listed_on_request(ask: Callable[..., tuple[str, str]]) -> None:
    """The table names the option and the number of rows that it adds."""
    asked = ("search", "--gpus", "1024", "--hb-domain", "8", "--radix", "64")
    offer = ("--set", "search.switches=[qm9700, sn4700, sn5600]")
    table, _ = ask(*asked, *offer)
    shown, every = (
        json.loads(ask(*asked, *offer, *option, "--json")[0]) for option in ((), ("--all",))
    )
    more = len(every["designs"]) - len(shown["designs"])
    assert (len(shown["designs"]), shown["more"], every["more"]) == (10, more, 0)
    assert f"--all lists {more} more" in table


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


def test_rows_without_all_prices_are_apart(
    tmp_path: Path, ask: Callable[..., tuple[str, str]]
) -> None:
    """A quote without modules ranks nothing, and one of all parts of a switch ranks that alone."""
    keys = {"name": "small", **SMALL, "search": {"switches": ["qm9700", "sn5600"]}}
    modules = ("mma4z00-ns", "mma4z00-ns-flt", "mfp7e10")
    books = {
        "switches": "qm9700,36000,USD\nsn5600,67213,USD\n",
        "one": "qm9700,36000,USD\n" + "".join(f"{part},900,USD\n" for part in modules),
    }
    (tmp_path / "fabric.yaml").write_text(json.dumps(keys))
    for name, lines in books.items():
        (tmp_path / f"{name}.csv").write_text(f"part,price,currency\n{lines}")
    apart = "not ranked by cost, which is at least what is printed"
    text, _ = ask("search", "fabric.yaml", "--prices", "switches.csv")
    assert "cheapest" not in text
    assert "*" not in text
    assert all(line.count(">= ") == 1 for line in text.split(apart)[1].split("\n")[1:2])
    rows = json.loads(ask("search", "fabric.yaml", "--prices", "one.csv", "--json")[0])["designs"]
    known = [row["cost_is_known"] for row in rows]
    assert known == sorted(known, reverse=True)
    assert rows[0]["cheapest"]
    assert rows[0]["switch"] == "qm9700"
    assert {row["switch"] for row in rows if not row["cost_is_known"]} == {"sn5600"}
    ranked, _, others = ask("search", "fabric.yaml", "--prices", "one.csv")[0].partition(apart)
    assert "1*" in ranked
    assert ">= " in others


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
    assert found.pool.refused["name-twice"]
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
    assert not any(row["cheapest"] for row in rows)  # no book has prices of cables
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

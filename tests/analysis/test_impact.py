"""Impacts of failures.

Counts by class equal those of every pair, those of the graph, and figures computed by hand.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.analysis.forwarding.failures import find_failures
from fabricgen.analysis.forwarding.path_selection import PathSelector
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.analysis.graph import graph
from fabricgen.analysis.impact import relay_load
from fabricgen.analysis.impact.bandwidth import sides_of
from fabricgen.analysis.impact.compare import compare, corresponding
from fabricgen.analysis.impact.equivalence import Parts
from fabricgen.analysis.impact.measure import impact
from fabricgen.analysis.impact.part_kinds import KINDS
from fabricgen.analysis.impact.ranking import figures, rank
from fabricgen.analysis.impact.relay_selection import RelaySelection
from fabricgen.analysis.impact.surviving import SurvivingFabric
from fabricgen.analysis.impact.text import sentence as sentence_of
from fabricgen.cli import run as run_program
from fabricgen.core.terms import LinkKind
from tests.analysis.small_failures import (
    PARTS,
    every_failure,
    gpus_of,
    left_of,
    plan_or_none,
    small_plans,
    some_failures,
)
from tests.fabrics import plan_of
from tests.laws.drawing import inventories

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from fabricgen.analysis.impact.measure import Impact
    from fabricgen.analysis.impact.relay_load import RelayLoad
    from fabricgen.core.arrays import BoolArray, Int32Array
    from fabricgen.planning.plan import Plan

LAB: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "rails": {"tiers": 2},
    "switches": {"leaf": {"generic": {"radix": 8}}, "spine": {"generic": {"radix": 4}}},
}
MOST = 40
"""Largest number of GPUs of a fabric whose pairs are all enumerated."""


def enumerate_pairs(plan: Plan, names: list[str]) -> dict[str, Any]:
    """Apply the tables' choice to every ordered pair."""
    fabric, failures = plan.fabric, find_failures(plan, names)
    count, domain = fabric.gpus, fabric.domain_gpus
    choice = PathSelector(Reach(plan, failures))
    found: Counter[str] = Counter()
    load: Counter[int] = Counter()
    leaves_domain = set()
    for source in range(count):
        for target in range(count):
            way = choice.way(source, target) if source != target else None
            if way is None:
                continue
            inside = source // domain == target // domain
            same_block = (
                plan.mapping.spans_rails
                or source % domain % fabric.rails == target % domain % fabric.rails
            )
            relayed = way.kind != "direct"
            found["reachable"] += 1
            found["hb_pairs_over_network"] += inside and bool(way.legs)
            found["pairs_by_relay_after"] += relayed
            leaves_domain |= set() if inside else {source}
            if relayed and (inside or same_block):
                found["pairs_needing_relay"] += 1
                load.update({end for leg in way.legs for end in leg} - {source, target})
    cut = [
        gpu
        for gpu in range(count)
        if gpu in failures.gpus or (count > domain and gpu not in leaves_domain)
    ]
    return {
        "gpus_cut_off": len(cut),
        "pairs_lost": count * (count - 1) - found["reachable"],
        **{
            key: found[key]
            for key in ("hb_pairs_over_network", "pairs_by_relay_after", "pairs_needing_relay")
        },
        "load": (
            len(load),
            max(load.values(), default=0),
            round(load.total() / len(load), 1) if load else 0.0,
        ),
    }


def relays_of(found: Impact) -> RelayLoad:
    """Return the load of the relays."""
    assert found.relay_load
    return found.relay_load


def shown(found: Impact) -> dict[str, Any]:
    """Return the figures that `enumerate_pairs` finds."""
    load = relays_of(found)
    keys = (
        "gpus_cut_off",
        "pairs_lost",
        "hb_pairs_over_network",
        "pairs_by_relay_after",
        "pairs_needing_relay",
    )
    return {
        **{key: getattr(found, key) for key in keys},
        "load": (load.relays, load.max, load.mean),
    }


@pytest.mark.parametrize(
    "numbers", [range(50), pytest.param(range(120), marks=pytest.mark.slow)], ids=str
)
def test_classes_equal_enumerated_pairs(numbers: range) -> None:
    """One to twelve failures at once in fabrics of every design.

    Compared are pairs cut off, lost, relayed and over the network, and the load of relays.
    """
    seen: Counter[tuple[str, int, bool]] = Counter()
    for plan, random in small_plans(1, numbers):
        for count in (1, 2, 5, 12):
            names = some_failures(plan, random, count)
            expected = enumerate_pairs(plan, names)
            assert shown(impact(plan, names)) == expected, (plan.spec, names)
            seen[plan.fabric.design, plan.sizing.tiers, expected["pairs_needing_relay"] > 0] += 1
    designs = ("rail-only", "rail-optimized", "fat-tree")
    assert all(
        seen[design, tiers, relayed]
        for design in designs
        for tiers in (2, 3)
        for relayed in (False, True)
    ), seen


@given(inventories(), st.randoms(use_true_random=False))
def test_drawn_inventories(inventory: dict[str, Any], random: Random) -> None:
    """The same for the laws' inventories that are small enough to enumerate."""
    plan = plan_or_none(inventory)
    for count in (1, 2) if plan and plan.fabric.gpus <= MOST else ():
        assert plan is not None
        names = some_failures(plan, random, count)
        assert shown(impact(plan, names)) == enumerate_pairs(plan, names), names


@pytest.mark.parametrize("design", ["rail-only", "rail-optimized", "fat-tree"])
@pytest.mark.parametrize("rails", [{}, {"count": 2}, {"planes": 2}, {"per_switch": 2}])
def test_every_single_failure(design: str, rails: dict[str, int]) -> None:
    """Each part of small fabrics with several GPUs per rail, two planes, and shared boxes."""
    if "per_switch" in rails and design == "fat-tree":
        rails = {}
    plan = plan_of(gpus=24, hb_domain={"gpus": 4}, radix=6, design=design, rails=rails)
    for kind in PARTS:
        for name in every_failure(plan, kind)[:40:7]:
            assert shown(impact(plan, [name])) == enumerate_pairs(plan, [name]), name


def components(plan: Plan, left: nx.MultiGraph[str]) -> tuple[int, set[str]]:
    """Count the connected ordered pairs of GPUs in a graph.

    Return the GPUs that reach none outside of their HB domain, too.
    """
    reachable, cut, domains = 0, {*gpus_of(plan)}, plan.fabric.gpus // plan.fabric.domain_gpus
    for part in nx.connected_components(left):
        members = [node for node in part if left.nodes[node]["kind"] == "gpu"]
        reachable += len(members) * (len(members) - 1)
        if domains == 1 or len({name.partition("-")[0] for name in members}) > 1:
            cut -= {*members}
    return reachable, cut


def lost_by_port(plan: Plan, names: list[str]) -> dict[str, float]:
    """Follow every NIC port upwards in the graph.

    Return the share of its bandwidth that each GPU has lost.
    """
    whole, left = graph(plan), left_of(plan, names)
    tiers = {"nic": 0, "leaf": 1, "spine": 2, "core": 3}

    def share(node: str) -> float:
        if node not in left:
            return 0.0
        above = [
            far
            for _, far in whole.edges(node)
            if tiers.get(whole.nodes[far]["kind"], 0) > tiers[whole.nodes[node]["kind"]]
        ]
        return (
            sum(left.number_of_edges(node, far) * share(far) for far in set(above)) / len(above)
            if above
            else 1.0
        )

    planes = range(plan.fabric.planes)
    return {
        gpu: 1
        - (sum(share(f"{gpu}/{plane}") for plane in planes) / len(planes) if gpu in left else 0)
        for gpu in gpus_of(plan)
    }


@pytest.mark.parametrize(
    "numbers", [range(60), pytest.param(range(60, 150), marks=pytest.mark.slow)], ids=str
)
def test_reachability_and_bandwidth_agree_with_the_graph(numbers: range) -> None:
    """The same failures leave the same components of the networkx graph.

    Each GPU's uplinks lose the same share.
    """
    checked = 0
    for plan, random in small_plans(2, numbers, gpus=60):
        for count in (1, 1, 2, 2):
            names = some_failures(plan, random, count)
            found, left = impact(plan, names), left_of(plan, names)
            reachable, cut = components(plan, left)
            assert found.pairs - found.pairs_lost == reachable, (plan.spec, names)
            assert found.gpus_cut_off == len(cut), (plan.spec, names)
            lost = {gpu: share for gpu, share in lost_by_port(plan, names).items() if share > 1e-9}
            # of the degraded GPUs, or where there are none, of those that are cut off
            own = [share for gpu, share in lost.items() if gpu not in cut] or [*lost.values()]
            assert found.gpu_bandwidth_lost_pct == pytest.approx(
                100 * sum(own) / len(own) if own else 0, abs=1e-5
            ), names
            assert found.fabric_bandwidth_lost_pct == pytest.approx(
                100 * sum(lost.values()) / found.gpus, abs=1e-5
            ), names
            assert found.rails_affected == sorted(
                {int(gpu.partition("-g")[2]) % plan.fabric.rails for gpu in lost}
            ), names
            checked += 1
    assert checked >= 4 * len(numbers) // 3


def flow(plan: Plan, names: list[str]) -> int:
    """Return the maximum flow between the halves of every block, in Gbps, summed over blocks."""
    left, total = left_of(plan, names), 0
    living = SurvivingFabric(Reach(plan))
    first = sides_of(
        plan,
        np.bincount(living.leaf[living.scope == 0], minlength=plan.sizing.leaf).astype(np.int32),
    ).leaves
    for scope in range(living.scopes):
        for plane in range(plan.fabric.planes):
            net: nx.DiGraph[str] = nx.DiGraph()
            for one, other, shown_edge in left.edges(data=True):
                if (
                    shown_edge["kind"] in ("host", "leaf-spine", "spine-core")
                    and shown_edge["plane"] == plane
                ):
                    for ends in ((one, other), (other, one)):
                        capacity = net.edges[ends]["capacity"] if net.has_edge(*ends) else 0
                        net.add_edge(*ends, capacity=capacity + shown_edge["capacity_gbps"])
            for gpu, name in enumerate(gpus_of(plan)):
                if int(living.scope[gpu]) == scope and name in left and f"{name}/{plane}" in net:
                    half = (
                        ("A", f"{name}/{plane}")
                        if living.leaf[gpu] < first
                        else (f"{name}/{plane}", "B")
                    )
                    net.add_edge(*half, capacity=plan.fabric.speed_gbps)
            total += int(nx.maximum_flow_value(net, "A", "B")) if "A" in net and "B" in net else 0
    return total


@pytest.mark.parametrize("tiers", [2, 3])
@pytest.mark.parametrize("design", ["rail-only", "fat-tree"])
def test_the_cut_equals_the_maximum_flow(design: str, tiers: int) -> None:
    """In an evenly wired fabric the cut formula equals networkx's flow from half to half.

    Every single failure is tried.
    """
    plan = plan_of(gpus=32, hb_domain={"gpus": 2}, radix=8, design=design, rails={"tiers": tiers})
    before = flow(plan, [])
    for kind in PARTS:
        for name in every_failure(plan, kind)[::11]:
            assert impact(plan, [name]).bisection_left_pct == pytest.approx(
                100 * flow(plan, [name]) / before, abs=1e-5
            ), name


def test_figures_of_the_lab_computed_by_hand() -> None:
    """A leaf of four GPUs, of eight on its rail.

    Each pair with one of them counts, and half of the rail's cut, one of eight, is lost.
    """
    found = impact(plan_of(**LAB), ["switch:r0-leaf-1"])
    assert found.failed == ["switch:r0-leaf-1"]
    assert (
        found.gpus_cut_off,
        found.gpus_degraded,
        found.rails_affected,
        found.rails,
    ) == (0, 4, [0], {"0": 50.0})
    assert found.pairs_needing_relay == 2 * 4 * 4 + 4 * 3
    assert (found.pairs_by_relay_before, found.pairs_by_relay_after) == (
        64 * 7 * 7,
        64 * 7 * 7 + 44,
    )
    assert (
        found.reachable_pairs_pct,
        found.bisection_left_pct,
        found.gpu_bandwidth_lost_pct,
    ) == (100.0, 87.5, 100.0)
    spine = impact(plan_of(**LAB), ["switch:r0-spine-1"])
    assert (
        spine.gpus_degraded,
        spine.gpu_bandwidth_lost_pct,
        spine.pairs_needing_relay,
        spine.bisection_left_pct,
    ) == (8, 50.0, 0, 93.75)


def test_an_hb_domain_uses_the_network() -> None:
    """Its pairs are on different rails, so the next HB domain relays for them.

    It carries each pair twice.
    """
    found = impact(plan_of(**LAB), ["hb:7"])
    assert (
        found.gpus_cut_off,
        found.gpus_degraded,
        found.hb_pairs_over_network,
        found.pairs_needing_relay,
    ) == (0, 0, 56, 56)
    assert relays_of(found).relays == 8
    assert relays_of(found).max == 14
    assert relays_of(found).busiest == "d0-g0"


def test_a_fat_tree_leaf_cuts_gpus_off_and_a_rail_only_one_does_not() -> None:
    """A fat-tree's leaf serves whole hosts, a rail-only one a NIC of each.

    65,536 GPUs take no longer than a few.
    """
    keys: dict[str, Any] = {"gpus": 65536, "hb_domain": {"gpus": 8}, "radix": 64}
    fat, rails = (
        impact(plan_of(design="fat-tree", **keys), ["switch:leaf-0001"]),
        impact(plan_of(**keys), ["switch:r0-leaf-001"]),
    )
    assert (fat.gpus_cut_off, fat.pairs_lost) == (
        32,
        2 * 32 * (65536 - 32) + 32 * 31 - 4 * 8 * 7,
    )
    assert (rails.gpus_cut_off, rails.pairs_lost, rails.gpus_degraded) == (0, 0, 32)
    assert rails.pairs_needing_relay == 2 * 32 * (8192 - 32) + 32 * 31


def test_two_leaves_without_spines() -> None:
    """The pair of a network: half of the ports are on either leaf, and no links can be cut."""
    inband = {"switches": {"leaf": {"generic": {"radix": 64}}}}
    keys = {"gpus": 16, "hb_domain": {"gpus": 8}, "radix": 64, "networks": {"inband": inband}}
    found = impact(plan_of(**keys).networks["inband"], ["switch:inband-leaf-1"])
    assert (found.gpus, found.gpus_degraded, found.bisection_left_pct) == (4, 2, 50)


def test_one_gpu_and_one_domain() -> None:
    """Without GPUs outside, nothing is cut off."""
    alone = impact(plan_of(gpus=1, hb_domain={"gpus": 1}, radix=4), ["nic:d0-g0"])
    assert (alone.gpus_cut_off, alone.gpus_degraded, alone.reachable_pairs_pct) == (
        0,
        1,
        100.0,
    )
    domain = plan_of(gpus=4, hb_domain={"gpus": 4}, radix=4)
    assert impact(domain, ["hb:0"]).gpus_cut_off == 0
    assert impact(domain, ["hb:0"]).pairs_lost == 12
    assert impact(domain, ["gpu:d0-g1"]).gpus_cut_off == 1


def test_a_failed_rail_costs_no_attempt_for_each_of_its_gpus(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its ports are known to have failed, so few of the 65 exits and landings are tried."""
    tried: list[int] = []

    def usable(selection: RelaySelection, *columns: Int32Array) -> BoolArray:
        tried.append(len(columns[0]))
        return inner(selection, *columns)

    inner = RelaySelection._usable  # noqa: SLF001 - its calls are counted
    monkeypatch.setattr(RelaySelection, "_usable", usable)
    plan = plan_of(
        gpus=128, hb_domain={"gpus": 64}, rails={"count": 2}, radix=256, design="rail-optimized"
    )
    found = impact(plan, ["rail:0"])
    assert found.pairs_needing_relay
    assert len(tried) <= 10


def test_a_sample_estimates_the_load(monkeypatch: pytest.MonkeyPatch) -> None:
    """A twentieth of the sources estimates the highest and the mean load to a few per cent."""
    plan = plan_of(gpus=8192, hb_domain={"gpus": 8}, radix=64)
    exact = relays_of(impact(plan, ["rail:0"]))
    monkeypatch.setattr(relay_load, "LIMIT", 1024 * 1024 // 20)
    guess = relays_of(impact(plan, ["rail:0"]))
    assert (exact.sampled, guess.sampled) == (False, True)
    assert guess.max == pytest.approx(exact.max, rel=0.05)
    assert guess.mean == pytest.approx(exact.mean, rel=0.05)
    assert guess.relays == exact.relays


def test_long_paths_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some are searched where all would take too long, and the total is close."""
    plan = plan_of(gpus=96, hb_domain={"gpus": 4}, radix=8)
    names = (
        [f"hb:{domain}" for domain in range(16)]
        + [f"nic:d{domain}-g0" for domain in range(16, 22)]
        + ["switch:r1-leaf-1"]
    )
    exact = relays_of(impact(plan, names))
    monkeypatch.setattr(relay_load, "LONG_WAYS", 96 * 40)
    guess = relays_of(impact(plan, names))
    assert (exact.sampled, guess.sampled) == (False, True)
    assert guess.mean * guess.relays == pytest.approx(exact.mean * exact.relays, rel=0.2)


def test_a_million_gpus() -> None:
    """A million GPUs have as few classes as a thousand."""
    found = impact(plan_of(gpus=2**20, hb_domain={"gpus": 256}, radix=128), ["switch:r0-leaf-01"])
    assert (found.pairs, found.gpus_degraded) == (2**20 * (2**20 - 1), 64)
    assert found.pairs_needing_relay == 2 * 64 * (4096 - 64) + 64 * 63


@pytest.mark.parametrize(
    "numbers", [range(16), pytest.param(range(16, 40), marks=pytest.mark.slow)], ids=str
)
def test_the_ranking_covers_every_part(numbers: range) -> None:
    """A row for each group of equal parts has the loss of each of them, measured alone.

    The rows count all parts.
    """
    seen: Counter[str] = Counter()
    for plan, _ in small_plans(3, numbers, gpus=36):
        for kind in PARTS:
            expected = Counter(
                repr(figures(impact(plan, [name]))) for name in every_failure(plan, kind)
            )
            rows = rank(plan, kind)
            assert {repr(figures(row.impact)): row.count for row in rows} == expected, (
                plan.spec,
                kind,
            )
            seen[kind] += expected.total() - len(rows)
    assert all(seen[kind] for kind in PARTS), seen


def test_ranking_puts_the_worst_first() -> None:
    """Of the lab's switches a leaf costs as much as a spine, and relays besides.

    Of all cables those of hosts cost most.
    """
    plan = plan_of(**LAB)
    assert [(row.parts[0], row.count) for row in rank(plan, "switch")] == [
        ("switch:r0-leaf-1", 16),
        ("switch:r0-spine-1", 16),
    ]
    assert [(row.parts[0], row.count) for row in rank(plan, "cable")] == [
        ("link:r0-h00001", 64),
        ("link:r0-u00001", 64),
    ]
    assert rank(plan, "core") == []
    assert {kind: sum(group.size for group in Parts(plan).groups(kind)) for kind in KINDS} == {
        **{kind: len(every_failure(plan, kind)) for kind in PARTS}, "switch": 32, "cable": 128,
        "direct-cable": 0,
    }  # fmt: skip


def test_a_link_of_two_cables_has_two_parts() -> None:
    """Either cable brings the link down."""
    plan = plan_of(
        design="rail-optimized",
        gpus=1024,
        hb_domain={"gpus": 8},
        switches={"leaf": {"model": "sn5600", "breakout": "1x800G"}},
        nic={"speed": "800G"},
    )
    for kind in ("host-cable", "leaf-spine-cable"):
        assert (
            sum(row.count for row in rank(plan, kind))
            == len(every_failure(plan, kind))
            == plan.cable_count(LinkKind[kind.removesuffix("-cable").replace("-", "_").upper()])
        )


def test_the_corresponding_part() -> None:
    """The counterpart of a leaf has the same first GPU.

    A part that both fabrics have is its own, and any other has none.
    """
    plan, other = (
        plan_of(gpus=512, hb_domain={"gpus": 8}, radix=16),
        plan_of(gpus=512, hb_domain={"gpus": 8}, radix=16, design="rail-optimized"),
    )
    answers = {
        name: corresponding(plan, other, name)
        for name in (
            "switch:r3-leaf-2",
            "switch:r0-spine-3",
            "link:r3-h00009",
            "link:r3-u00001",
            "hb:3",
            "nic:d0-g1",
        )
    }
    leaf = answers["switch:r3-leaf-2"]
    first = min(gpu for gpu in range(512) if gpu % 8 == 3 and Reach(plan).leaf(gpu) == 1)
    assert leaf == f"switch:{other.naming.switches(0)[Reach(other).leaf(first)]}"
    assert answers["switch:r0-spine-3"] == f"switch:{other.naming.switches(0)[other.sizing.leaf]}"
    assert find_failures(plan, ["link:r3-h00009"]) == find_failures(
        other, [str(answers["link:r3-h00009"])]
    )
    assert str(answers["link:r3-u00001"]).startswith("link:u")
    assert (answers["hb:3"], answers["nic:d0-g1"]) == ("hb:3", "nic:d0-g1")
    one_tier = plan_of(gpus=64, hb_domain={"gpus": 8}, radix=16)
    assert corresponding(plan, one_tier, "switch:r0-spine-1") is None
    assert corresponding(plan, one_tier, "link:r3-u00001") is None


def test_comparing_names_what_is_missing() -> None:
    """The lab's boxes are too small for a fabric whose rails meet.

    A rail-only fabric of one tier has no spine.
    """
    assert (
        "cannot be built: three tiers of 8-port switches"
        in compare(plan_of(**LAB), ["switch:r0-leaf-1"]).missing
    )
    wide = plan_of(gpus=64, hb_domain={"gpus": 8}, radix=16, design="rail-optimized")
    assert compare(wide, ["switch:spine-1"]).document() == {
        "design": "rail-only",
        "missing": "it has nothing like switch:spine-1",
    }
    found = compare(wide, ["gpu:d0-g0"]).impact
    assert found
    assert found.failed == ["gpu:d0-g0"]


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    """It prints a sentence, a table of two designs, and the load.

    JSON has the keys that scripts rely on.
    """
    flags = [
        "impact",
        "--gpus",
        "512",
        "--hb-domain",
        "8",
        "--radix",
        "16",
        "--fail",
        "switch:r0-leaf-1",
    ]
    assert run_program(flags) == 0
    output = capsys.readouterr().out
    sentence, table, load = output.strip().split("\n\n")
    assert sentence == (
        "switch:r0-leaf-1 down: no GPU is cut off; 8 GPUs on rail 0 lose 100 % of their "
        "bandwidth; 952 pairs newly take a relay; every pair is still joined."
    )
    assert table.split("\n")[0].split() == ["rail-only", "rail-optimized"]
    assert max(map(len, table.split("\n"))) <= 80
    assert "GPUs relay for them" in load
    assert run_program([*flags, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    keys = {
        "failed",
        "gpus_cut_off",
        "gpus_degraded",
        "gpu_bandwidth_lost_pct",
        "rails_affected",
        "pairs_needing_relay",
        "reachable_pairs_pct",
    }
    assert keys <= set(document)
    assert document["compared"]["design"] == "rail-optimized"
    assert run_program([*flags, "--json", "--no-compare"]) == 0
    assert "compared" not in json.loads(capsys.readouterr().out)


def test_the_command_ranks(capsys: pytest.CaptureFixture[str], root: Path) -> None:
    """A row for each group.

    A kind that the fabric lacks is a usage error, and so are both options or neither.
    """
    lab = str(root / "inventories" / "lab-64.yaml")
    assert run_program(["impact", lab, "--each", "switch"]) == 0
    assert [line.split()[:2] for line in capsys.readouterr().out.strip().split("\n")[1:]] == [
        ["switch:r0-leaf-1", "16"],
        ["switch:r0-spine-1", "16"],
    ]
    assert run_program(["impact", lab, "--each", "leaf", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["each"], document["rows"][0]["count"]) == ("leaf", 16)
    assert document["rows"][0]["parts"][:2] == ["switch:r0-leaf-1", "switch:r0-leaf-2"]
    for arguments in (
        ["--each", "core"],
        [],
        ["--each", "leaf", "--fail", "hb:0"],
        ["--each", "leaf", "--compare"],
    ):
        assert run_program(["impact", lab, *arguments]) == 2


@pytest.mark.parametrize(
    ("failed", "sentence"),
    [
        (["gpu:d0-g0"], "gpu:d0-g0 down: 1 GPU cut off; 126 pairs are lost."),
        (
            ["nic:d0-g0"],
            (
                "nic:d0-g0 down: no GPU is cut off; 1 GPU on rail 0 loses 100 % of its "
                "bandwidth; 14 pairs newly take a relay; every pair is still joined."
            ),
        ),
        (
            ["hb:0", "nic:d0-g1"],
            "hb:0, nic:d0-g1 down: 1 GPU cut off; 42 pairs newly take a relay; 126 pairs are lost.",
        ),
        (["plane:0"], "plane:0 down: 64 GPUs cut off; 3,584 pairs are lost."),
    ],
)
def test_sentences(failed: list[str], sentence: str) -> None:
    """The text is one sentence, in the singular where a count is 1."""
    assert sentence_of(impact(plan_of(**LAB), failed)) == sentence

"""More oversubscription never takes more switches, in compute fabrics and in networks."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.cli import run
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import LinkKind
from fabricgen.lifecycle.change.expand import grow
from fabricgen.planning.designs import Sizer, shape_of
from fabricgen.planning.resolve import resolve
from fabricgen.planning.worst_permutation import worst_permutation_pct
from tests.fabrics import CATALOG, plan_of, spec_of

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.clos import Sizing
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.plan import Plan

RATIOS = ("1:1", "9:8", "4:3", "3:2", "5:3", "2:1", "17:8", "5:2", "3:1", "6:1")

SN5600 = {"model": "sn5600", "breakout": "2x400G"}
FAST = {"model": "sn5600", "breakout": "1x800G"}

LEAVES: tuple[dict[str, Any], ...] = (
    {"radix": 32},
    {"radix": 36, "spare_ports": {"leaf": 2}},
    {"radix": 64},
    {"radix": 128},
    {"switches": {"leaf": SN5600, "spine": FAST}},
    {"switches": {"leaf": SN5600, "spine": {**SN5600, "minimum": 2}}},
    {"switches": {"leaf": {**SN5600, "zones": {"down": "1-40", "up": "41-64"}}, "spine": FAST}},
)
"""Radices, uplinks of another speed, and zones."""

FORMS: tuple[dict[str, Any], ...] = (
    {"design": "fat-tree"},
    {"design": "rail-only"},
    {"design": "rail-only", "rails": {"per_switch": 2}},
    {"design": "rail-optimized"},
    {"design": "rail-optimized", "rails": {"per_switch": "auto"}},
    {"design": "rail-optimized", "scalable_unit": {"domains": 8, "uplinks": "used"}},
    {"design": "rail-optimized", "scalable_unit": {"domains": 4, "uplinks": 16}},
    {"design": "fat-tree", "scalable_unit": {"domains": 4}},
    {"design": "fat-tree", "spread": "minimal"},
)
"""Designs, boxes that rails share, and scalable units."""


def switches(mapping: Mapping) -> int:
    """Count the switches of a fabric."""
    sizing, blocks = mapping.sizing, mapping.segment_blocks
    return mapping.segments * (sizing.leaf + blocks * (sizing.spine + sizing.core))


def mapped(keys: dict[str, Any]) -> list[tuple[str, Mapping | None]]:
    """Size a fabric at each ratio; None where it is refused."""
    sizer = Sizer(resolve(spec_of(**keys), CATALOG))
    found: list[tuple[str, Mapping | None]] = []
    for ratio in RATIOS:
        try:
            mapping = sizer.mapping(shape_of(spec_of(**keys, oversubscription=ratio)))
        except Refusal:
            mapping = None
        found.append((ratio, mapping))
    return found


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_switches_never_rise_with_the_ratio(form: dict[str, Any]) -> None:
    """With equal tiers no ratio takes more switches than a lower one, or is refused above one."""
    sized = 0
    for leaf, tiers, domains in product(LEAVES, (2, 3), (33, 130, 500)):
        rails = {**form.get("rails", {}), "tiers": tiers}
        least: int | None = None
        keys = {"gpus": 8 * domains, "hb_domain": {"gpus": 8}, **leaf, **form, "rails": rails}
        for ratio, mapping in mapped(keys):
            assert mapping or least is None, (keys, ratio)
            if mapping:
                assert least is None or switches(mapping) <= least, (keys, ratio)
                assert within(mapping, Fraction(*map(int, ratio.split(":")))), (keys, ratio)
                least, sized = switches(mapping), sized + 1
    assert sized > 60


def within(mapping: Mapping, ratio: Fraction) -> bool:
    """Return whether a leaf has the uplinks that its downlinks need, and ports for both."""
    (leaf, *_), sizing = mapping.fabric.port_layouts.values(), mapping.sizing
    down, up = sizing.leaf_down * leaf.down.speed_gbps, sizing.leaf_up * leaf.up.speed_gbps
    blocks = mapping.segment_blocks
    return down <= up * ratio and leaf.fits(sizing.leaf_down * blocks, sizing.leaf_up * blocks)


NETWORKS: tuple[dict[str, Any], ...] = (
    {},
    {"bond": 1, "host_ports": 2},
    {"fill": 80},
    {"leaves": 8, "fill": 50},
    {"distribution": "alternating"},
    {"leaf_groups": [{"devices": ["storage-{n}"]}]},
    {"leaf_groups": [{"devices": ["storage-{n}"], "uplinks": 16}]},
)


@pytest.mark.parametrize("keys", NETWORKS, ids=str)
def test_networks_follow_the_same_law(keys: dict[str, Any]) -> None:
    """The switches of a storage network never rise with its ratio, nor do those of its groups."""
    least = None
    for ratio in RATIOS:
        groups = [
            {**each, "oversubscription": ratio} if "uplinks" not in each else each
            for each in keys.get("leaf_groups", ())
        ]
        network = {**keys, "oversubscription": ratio, "leaf_groups": groups}
        leaf = {"model": "sn5600", "breakout": "4x200G"}
        plan = plan_of(
            gpus=8 * 230,
            hb_domain={"gpus": 8},
            radix=512,
            site={"lengths": "unknown"},
            networks={"storage": {"switches": {"leaf": leaf, "spine": SN5600}, **network}},
            devices=[{"name": "storage-{n}", "count": 40, "ports": {"storage": 2}}],
        )
        sizing = plan.networks["storage"].sizing
        if sizing.tiers == 2:
            assert least is None or sizing.leaf + sizing.spine <= least, ratio
            least = sizing.leaf + sizing.spine
    assert least


FAT_TREE: dict[str, Any] = {
    "design": "fat-tree",
    "gpus": 1024,
    "hb_domain": {"gpus": 8},
    "host": {"model": "hgx-h100"},
    "oversubscription": "2:1",
    "switches": {"leaf": SN5600},
}
"""1,024 GPUs at 2:1 on 128 ports, a common question of buyers:
https://losslessnetwork.com/learn/ai-fabric-architecture/cluster-sizing-and-cabling"""

RAILS: dict[str, Any] = {
    "design": "rail-optimized",
    "gpus": 1024,
    "hb_domain": {"gpus": 8},
    "rails": {"per_switch": 1, "tiers": 2},
    "oversubscription": "2:1",
    "nic": {"speed": "400G"},
    "scalable_unit": {"domains": 32},
    "radix": 64,
}
"""8 rails of 4 leaves on 64 ports, of the same page."""


def counts(sizing: Sizing) -> tuple[int, ...]:
    """Return the leaves, their ports in use, and the spines."""
    return sizing.leaf, sizing.leaf_down, sizing.leaf_up, sizing.spine


def test_two_to_one_on_128_ports() -> None:
    """18 switches, where the widest leaves have a prime number of uplinks and take 56."""
    plan = plan_of(**FAT_TREE)
    assert counts(plan.sizing) == (13, 79, 40, 5)
    assert plan.switch_count() < plan_of(**{**FAT_TREE, "oversubscription": "1:1"}).switch_count()
    assert counts(plan_of(**FAT_TREE, leaf_ports="widest").sizing) == (13, 85, 43, 43)
    assert counts(plan_of(**FAT_TREE, leaf_ports="80:48").sizing) == (13, 80, 48, 6)


def test_leaves_of_a_unit_have_uplinks_for_its_hosts() -> None:
    """A leaf that gets 32 hosts at most has 16 uplinks at 2:1, and 8 spines join 32 leaves."""
    plan = plan_of(**RAILS)
    assert counts(plan.sizing) == (32, 32, 16, 8)
    assert sum(plan.link_count(kind) for kind in plan.kinds) == 1024 + 512


def test_a_plan_file_keeps_its_leaves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A plan file without the key has the widest leaves, and growth keeps those of either."""
    base = tmp_path / "fabric.yaml"
    base.write_text(
        "name: kept\ngpus: 1024\nhb_domain: {gpus: 8}\ndesign: fat-tree\n"
        'oversubscription: "2:1"\nswitches: {leaf: {generic: {radix: 128}}}\n'
    )
    for rule, written, ports in (("fewest", "79:40", (79, 40)), ("widest", None, (85, 43))):
        saved = tmp_path / f"{rule}.json"
        assert run(["plan", str(base), "--set", f"leaf_ports={rule}", "-o", str(saved)]) == 0
        assert json.loads(saved.read_text())["inventory"].get("leaf_ports") == written
        capsys.readouterr()
        for again in ([str(saved)], ["--from", str(saved), "--set", "gpus=1536"]):
            assert run(["plan", *again, "--json"]) == 0
            block = json.loads(capsys.readouterr().out)["per_block"]
            assert (block["leaf_down"], block["leaf_up"]) == ports


def test_growth_keeps_the_ports_of_leaves() -> None:
    """A grown fabric has the leaves of the plan before, whatever takes the fewest switches."""
    old = plan_of(**FAT_TREE)
    new = grow(old, spec_of(**{**FAT_TREE, "gpus": 1536}), CATALOG)
    assert counts(new.sizing)[1:3] == (79, 40)
    widest = plan_of(**FAT_TREE, leaf_ports="widest")
    assert counts(grow(widest, spec_of(**{**FAT_TREE, "gpus": 1536}), CATALOG).sizing)[1:3] == (
        85,
        43,
    )


@pytest.mark.parametrize(
    ("gpus", "radix", "expected"),
    [(544, 64, 87.5), (272, 32, 87.5), (288, 64, 93.7), (512, 64, 100)],
)
def test_the_worst_permutation(gpus: int, radix: int, expected: float) -> None:
    """The figure is the least sum of shared links of any two leaves, by all links of the wiring."""
    plan = plan_of(gpus=gpus, hb_domain={"gpus": 1}, radix=radix, spread="minimal")
    assert worst_permutation_pct(plan) == expected == least_by_links(plan)
    assert worst_permutation_pct(plan_of(gpus=gpus, hb_domain={"gpus": 1}, radix=radix)) is None


def least_by_links(plan: Plan) -> float:
    """Return the least share of two leaves, link by link."""
    upward = plan.segment.kind == LinkKind.LEAF_SPINE
    links = [[0] * plan.sizing.spine for _ in range(plan.sizing.leaf)]
    rows = zip(
        plan.segment.lower[upward].tolist(), plan.segment.upper[upward].tolist(), strict=True
    )
    lowest = min(plan.segment.upper[upward].tolist())
    for leaf, spine in rows:
        links[leaf][spine - lowest] += 1
    pairs = (sum(map(min, one, other)) for one in links for other in links if one is not other)
    return int(1000 * min(pairs) / plan.sizing.leaf_up) / 10


@pytest.mark.parametrize("command", ["plan", "check", "compare"])
def test_commands_print_the_worst_permutation(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where a ratio is printed, the figure is beside it."""
    words = ["--gpus", "4352", "--hb-domain", "8", "--radix", "64", "--set", "spread=minimal"]
    assert run([command, *words]) == 0
    assert "87.5" in capsys.readouterr().out

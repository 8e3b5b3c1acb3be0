"""The plan: equal segments, installed parts of a reserve, the digest of the wiring, and notes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.notices import advice
from tests.fabrics import generic, plan_of

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan


def plan_with(**keys: Any) -> Plan:  # noqa: ANN401 - keys of an inventory
    """Plan 256 GPUs in HB domains of 8 on switches of 16 ports, with some keys replaced."""
    return plan_of(**generic(16, hb_domain={"gpus": 8}) | keys)


def test_a_unit_holds_every_kind_of_link_once() -> None:
    """256 GPUs on 8 rails at radix 16.

    A rail of 32 has four leaves of eight, and four spines could hold eight.
    """
    plan = plan_with()
    assert plan.mapping.segments == 8
    assert [plan.switch_count(role) for role in Role] == [32, 16, 0]
    assert [plan.link_count(kind) for kind in plan.kinds] == [256, 256]
    assert sorted(plan.segment.lower[plan.segment.kind == LinkKind.HOST].tolist()) == list(
        range(0, 256, 8)
    )


def test_a_million_gpus_wire_in_one_units_memory() -> None:
    """Two million links are planned, and the columns hold those of one rail."""
    plan = plan_with(
        gpus=2**20, hb_domain={"gpus": 256}, switches={"leaf": {"generic": {"radix": 128}}}
    )
    assert sum(plan.link_count(kind) for kind in LinkKind) == 2_097_152
    assert sum(plan.switch_count(role) for role in Role) == 24_576
    assert len(plan.segment.kind) == 2 * 4096


def test_three_tiers_hold_a_million_gpus_of_small_domains() -> None:
    """HB domains of 8 make rails of 131,072 endpoints."""
    plan = plan_with(gpus=2**20, switches={"leaf": {"generic": {"radix": 128}}})
    assert plan.sizing.tiers == 3
    assert plan.link_count(LinkKind.SPINE_CORE) == 2**20


def test_a_reserve_installs_only_what_is_needed() -> None:
    """A leaf without a GPU is not installed, and every spine of an installed leaf is."""
    plan = plan_with(gpus=64, reserve={"gpus": 256})
    assert plan.switch_count(Role.LEAF) == 8
    assert plan.switch_count(Role.SPINE) == 16
    assert plan.link_count(LinkKind.HOST) == 64


def test_growth_inside_a_reserve_keeps_every_link() -> None:
    """The rows before growth are among those after it."""
    today, tomorrow = (plan_with(gpus=gpus, reserve={"gpus": 256}) for gpus in (64, 256))
    rows = [
        {tuple(row) for row in np.stack(plan.segment, axis=1).tolist()}
        for plan in (today, tomorrow)
    ]
    assert rows[0] < rows[1]


def test_the_digest_is_of_the_wiring() -> None:
    """The name does not change it, an oversubscription does."""
    assert plan_with().digest() == plan_with(name="other").digest()
    assert plan_with().digest() != plan_with(oversubscription="3:1").digest()


def test_a_wasteful_spread_is_named() -> None:
    """At 2:1 a leaf of 128 ports has 43 uplinks, and only 43 spines divide them."""
    keys: dict[str, Any] = {
        "gpus": 3400,
        "switches": {"leaf": {"generic": {"radix": 128}}},
        "oversubscription": "2:1",
        "leaf_ports": "widest",
    }
    (sentence,) = advice(plan_with(**keys))
    assert sentence.startswith("43 spine switches where 2 have the ports")
    assert advice(plan_with(**keys, spread="minimal")) == []
    assert advice(plan_with()) == []


POD: dict[str, Any] = {
    "gpus": 16_400,
    "hb_domain": {"gpus": 8},
    "switches": {"leaf": {"generic": {"radix": 64}}},
}


def written(line: str) -> dict[str, Any]:
    """Return the inventory line that a note quotes."""
    key, value = line.split(": ")
    return {key: int(value) if value.isdigit() else value.strip('"')}


def counted(sentence: str) -> list[int]:
    """Return the counts of switches in a note: of each line to write, then of the plan."""
    return [
        int(found.replace(",", ""))
        for found in re.findall(r"(?:takes|instead of) ([0-9,]+)", sentence)
    ]


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"design": "rail-optimized"},
        {"design": "fat-tree"},
        {"rails": {"per_switch": 2}, "gpus": 8264},
        {
            "rails": {"planes": 2},
            "oversubscription": "2:1",
            "gpus": 21880,
            "leaf_ports": "widest",
        },
    ],
)
def test_a_last_pod_of_few_leaves_is_named(keys: dict[str, Any]) -> None:
    """Each line of the note, written, avoids that pod.

    The plan then has the switches of the note.
    """
    plan = plan_with(**POD | keys)
    (sentence,) = advice(plan)
    lines = [written(line) for line in re.findall(r"`(.*?)`", sentence)]
    others = [plan_with(**POD | keys | line) for line in lines]
    assert sentence.startswith(
        f"the last of {plan.sizing.pods} pods has "
        f"{plan.sizing.leaf % plan.sizing.pod_leaves} of {plan.sizing.pod_leaves} leaves"
    )
    assert [list(line) for line in lines] == [["oversubscription"], ["gpus"]]
    assert all(other.sizing.pods < plan.sizing.pods for other in others)
    assert counted(sentence) == [
        sum(map(each.switch_count, each.roles)) for each in (*others, plan)
    ]


def test_a_used_last_pod_is_not_named() -> None:
    """Half a pod is no waste, nor is a pod that the reserve fills."""
    assert advice(plan_with(**POD | {"gpus": 16_384 + 4_096})) == []
    assert advice(plan_with(**POD | {"reserve": {"gpus": 24_576}})) == []


@pytest.mark.parametrize(("design", "was"), [("rail-only", 8200), ("fat-tree", 1025)])
def test_superfluous_tiers_are_named(design: str, was: int) -> None:
    """144 GPUs below switches of 1,024 ports fit on one tier.

    The note has the cost of three, and the line to write.
    """
    keys: dict[str, Any] = {
        "gpus": 144,
        "hb_domain": {"gpus": 8},
        "design": design,
        "switches": {"leaf": {"generic": {"radix": 1024}}},
    }
    (sentence,) = (
        sentence
        for sentence in advice(plan_with(**keys, rails={"tiers": 3}))
        if "were asked for" in sentence
    )
    one = plan_with(**keys, rails={"tiers": 1})
    assert "`rails.tiers: 1`" in sentence
    assert counted(sentence) == [one.switch_count(Role.LEAF), was]
    assert f" of {16_384 * was:,} W" in sentence
    assert "one pod holds every leaf, so that no path crosses a core" in sentence
    assert ("18 of 512 endpoint positions" in sentence) == (design == "rail-only")
    assert not [sentence for sentence in advice(one) if "tiers" in sentence]
    assert not [
        sentence for sentence in advice(plan_with(rails={"tiers": 2})) if "tiers" in sentence
    ]


def test_the_effect_of_a_minimal_spread_is_named() -> None:
    """Four uplinks of two leaves over three spines.

    Three of them carry traffic between the leaves.
    """
    keys: dict[str, Any] = {
        "gpus": 8, "hb_domain": {"gpus": 2}, "design": "fat-tree", "rails": {"tiers": 2},
        "switches": {"leaf": {"generic": {"radix": 8}}, "spine": {"generic": {"radix": 3}}},
    }  # fmt: skip
    (sentence,) = advice(plan_with(**keys, spread="minimal"))
    assert sentence == (
        "`spread: minimal` joins the halves of a block by 75% of the 1,600 Gbps that "
        "either can send; "
        "`spread: even` joins them by all of it, with 6 switches instead of 5"
    )
    assert advice(plan_with(**keys)) == []
    (figure,) = (
        judgement.figure
        for judgement in check(plan_with(**keys, spread="minimal")).judgements
        if judgement.law.code == "bisection"
    )
    assert figure == (
        "1 x 1,200 Gbps between halves, 75% of what a half can send (maximum flow and "
        "narrowest cut)"
    )

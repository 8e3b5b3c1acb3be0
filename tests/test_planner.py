"""The plan: units alike, what is installed of a reserve, the digest of the wiring, and a word where a plan is wasteful."""

from __future__ import annotations

from typing import Any

import numpy as np

from fabricgen.advice import advice
from fabricgen.catalog import Catalog
from fabricgen.planner import Plan, make_plan
from fabricgen.spec import FabricSpec
from fabricgen.terms import LinkKind, Role


def plan_of(**keys: Any) -> Plan:  # noqa: ANN401 - keys of an inventory
    """Plan a small fabric."""
    base = {"name": "t", "gpus": 256, "hb_domain": {"gpus": 8}, "switches": {"leaf": {"generic": {"radix": 16}}}}
    return make_plan(FabricSpec.model_validate({**base, **keys}), Catalog())


def test_a_unit_holds_every_kind_of_link_once() -> None:
    """256 GPUs on 8 rails at radix 16: a rail of 32 is four leaves of eight, and four spines would have room for eight."""
    plan = plan_of()
    assert plan.mapping.units == 8
    assert [plan.switch_count(role) for role in Role] == [32, 16, 0]
    assert [plan.link_count(kind) for kind in LinkKind] == [256, 256, 0]
    assert sorted(plan.unit.lower[plan.unit.kind == LinkKind.HOST].tolist()) == list(range(0, 256, 8))


def test_a_million_gpus_wire_in_one_units_memory() -> None:
    """Two million links are planned, and the columns hold one rail of them."""
    plan = plan_of(gpus=2**20, hb_domain={"gpus": 256}, switches={"leaf": {"generic": {"radix": 128}}})
    assert sum(plan.link_count(kind) for kind in LinkKind) == 2_097_152
    assert sum(plan.switch_count(role) for role in Role) == 24_576
    assert len(plan.unit.kind) == 2 * 4096


def test_three_tiers_hold_a_million_gpus_of_small_domains() -> None:
    """HB domains of 8 make rails of 131,072 endpoints."""
    plan = plan_of(gpus=2**20, switches={"leaf": {"generic": {"radix": 128}}})
    assert plan.sizing.tiers == 3
    assert plan.link_count(LinkKind.SPINE_CORE) == 2**20


def test_a_reserve_installs_what_is_needed_now() -> None:
    """A leaf without a GPU is not there yet, and every spine that an installed leaf meets is."""
    plan = plan_of(gpus=64, reserve={"gpus": 256})
    assert plan.switch_count(Role.LEAF) == 8
    assert plan.switch_count(Role.SPINE) == 16
    assert plan.link_count(LinkKind.HOST) == 64


def test_growth_inside_a_reserve_keeps_every_link() -> None:
    """The columns of today are among those of tomorrow."""
    today, tomorrow = (plan_of(gpus=gpus, reserve={"gpus": 256}) for gpus in (64, 256))
    rows = [{tuple(row) for row in np.stack(plan.unit, axis=1).tolist()} for plan in (today, tomorrow)]
    assert rows[0] < rows[1]


def test_the_digest_is_of_the_wiring() -> None:
    """The name changes nothing, an oversubscription does."""
    assert plan_of().digest() == plan_of(name="other").digest()
    assert plan_of().digest() != plan_of(oversubscription="3:1").digest()


def test_a_wasteful_spread_is_named() -> None:
    """At 2:1 a leaf of 128 ports has 43 uplinks, and only 43 spines divide them."""
    keys: dict[str, Any] = {"gpus": 3400, "switches": {"leaf": {"generic": {"radix": 128}}}, "oversubscription": "2:1"}
    (sentence,) = advice(plan_of(**keys))
    assert sentence.startswith("43 spine switches where 2 have the ports")
    assert advice(plan_of(**keys, spread="minimal")) == []
    assert advice(plan_of()) == []


def test_boxes_that_rails_could_share_are_named() -> None:
    """A rail of 128 leaves half of a 256-port box idle, as in the third row of the rail-only paper's table."""
    keys: dict[str, Any] = {"gpus": 32768, "hb_domain": {"gpus": 256}, "switches": {"leaf": {"generic": {"radix": 256}}}}
    (sentence,) = advice(plan_of(**keys))
    assert sentence == "a leaf uses 128 of its 256 ports; `rails.per_switch: auto` would put 2 rails on a box and take 128 instead"
    shared = plan_of(**keys, rails={"per_switch": "auto"})
    assert shared.switch_count(Role.LEAF) == 128
    assert advice(shared) == []

"""Leaf, spine and core must not choose their uplinks by one hash, or flows meet on few links."""

from __future__ import annotations

import re

import pytest

from fabricgen.core.terms import Role
from fabricgen.views.factory import Views
from tests.fabrics import plan_of
from tests.nos.switch_files import PACKS

WRITTEN = {
    "junos": ("qfx5240", "balancing.j2", r"hash-seed seed-value (.*)"),
    "sonic": ("sn5640", "device.json.j2", r'"type": "(.*)"'),
}
"""A model, a template and what seeds the hash, for each NOS whose files set it."""


@pytest.mark.parametrize("nos", WRITTEN)
def test_each_tier_has_a_seed_of_its_own(nos: str) -> None:
    """SONiC seeds by the type of a switch."""
    model, template, pattern = WRITTEN[nos]
    leaf = {"model": model, "breakout": "2x400G"}
    plan = plan_of(
        gpus=8,
        hb_domain={"gpus": 2},
        rails={"tiers": 3, "count": 1},
        switches={"leaf": leaf},
        nos=nos,
    )
    switches = [next(Views(plan).switches(0, (role,))) for role in Role]
    texts = [PACKS.render(nos, template, switch=switch) for switch in switches]
    assert len({re.findall(pattern, text)[0] for text in texts}) == len(Role)


def test_every_other_pack_states_who_seeds_the_hash() -> None:
    """The file of the pack has it under `verified`."""
    packs = [
        pack for name in PACKS.names() if (pack := PACKS.pack(name)) and pack.configures_fabric
    ]
    assert {pack.nos for pack in packs if "ECMP hash" not in pack.verified} == {"junos"}

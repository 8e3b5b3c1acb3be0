"""The NOS of each role: by its name, or by another name that the switch model has for it."""

from __future__ import annotations

from typing import Any

import pytest

from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import Role
from tests.fabrics import plan_of

SN5600: dict[str, Any] = {
    "gpus": 32,
    "hb_domain": {"gpus": 4},
    "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
}


def test_an_alias_is_the_nos_it_stands_for() -> None:
    """`cumulus` is configured by NVUE, for a role, a rail and a version alike."""
    plan = plan_of(**SN5600, nos={"leaf": "cumulus", "rails": {1: "cumulus"}})
    assert {layout.nos for layout in plan.fabric.nos_variants(Role.LEAF)} == {"nvue"}
    versioned = plan_of(**SN5600, nos={"leaf": "nvue", "versions": {"cumulus": "5.14"}})
    leaf = versioned.fabric.port_layouts[Role.LEAF]
    assert versioned.fabric.nos_version(leaf) == "5.14"


def test_the_version_of_an_alias_that_no_switch_runs_is_refused() -> None:
    """An alias makes no version effective."""
    with pytest.raises(Refusal) as refused:
        plan_of(**SN5600, nos={"leaf": "sonic", "versions": {"cumulus": "5.14"}})
    assert [finding.code for finding in refused.value.findings] == ["version-of-no-nos"]

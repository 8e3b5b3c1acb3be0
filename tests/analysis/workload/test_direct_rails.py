"""The bandwidth of collectives on direct rails, and rail-only over both media side by side."""

from __future__ import annotations

from typing import Any

import pytest

from fabricgen.analysis.workload.direct_rails import mean_hops, over_direct_rails
from fabricgen.analysis.workload.machine import machine_of
from fabricgen.api import plan_inventory
from fabricgen.bom.comparison import compare
from tests.mutations.test_direct import TORUS


def shaped(**topology: Any) -> dict[str, Any]:  # noqa: ANN401 - values of YAML
    """Return the inventory of two rails of 16 GPUs with another graph."""
    return {**TORUS, "rails": {"medium": "direct", "topology": topology}}


@pytest.mark.parametrize(
    ("topology", "gbps"),
    [
        ({"kind": "torus-2d"}, 400),
        ({"kind": "ring"}, 400),
        ({"kind": "expander", "degree": 3}, 200),
        ({"kind": "expander", "degree": 4}, 400),
    ],
)
def test_rings_use_every_link_that_they_can(topology: dict[str, Any], gbps: int) -> None:
    """Of an odd degree one link is in no ring of the whole rail."""
    plan = plan_inventory(shaped(**topology))
    machine = over_direct_rails(machine_of(plan.fabric, plan.catalog), plan, 1)
    assert machine.nic_bytes_s == gbps * 10**9 / 8
    assert machine.domain_gpus == 2


def test_a_pipeline_pays_for_the_links_on_its_way() -> None:
    """On a ring of 16 in four stages the next stage is four links away."""
    plan = plan_inventory(shaped(kind="ring"))
    assert mean_hops(plan, 1) == 1
    assert mean_hops(plan, 4) == 4
    whole, staged = (
        over_direct_rails(machine_of(plan.fabric, plan.catalog), plan, stages) for stages in (1, 4)
    )
    assert whole.nic_bytes_s == 4 * staged.nic_bytes_s


def test_compare_has_the_media_side_by_side() -> None:
    """Direct rails have no switches; packet rails have one each, and the same bandwidth."""
    plan = plan_inventory(TORUS)
    found = compare(plan.spec, plan.catalog)
    figures = {each.medium: (each.switches, each.cables, each.ring_gbps) for each in found.media}
    assert figures == {"direct": (0, 64, 400), "packet": (2, 32, 400)}
    assert [summary.design for summary in found.summaries] == [
        "rail-only",
        "rail-optimized",
        "fat-tree",
    ]
    assert found.document()["media"][0]["medium"] == "direct"
    assert "media" not in compare(packet_spec(), plan.catalog).document()


def packet_spec() -> Any:  # noqa: ANN401 - the inventory of a plan
    """Return the inventory over packet switches."""
    keys = {key: value for key, value in TORUS.items() if key not in ("nic", "rails")}
    return plan_inventory(keys).spec

"""The bandwidth of collectives on direct rails, and direct rails beside those of switches."""

from __future__ import annotations

from typing import Any

import pytest

from fabricgen.analysis.search.side_by_side import side_by_side
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


def test_direct_and_packet_rails_side_by_side() -> None:
    """The same cluster has no switches or two, and the same time, as rings use every link."""
    plan = plan_inventory(TORUS)
    llm = plan.catalog.workload("gpt3")
    direct, packet = side_by_side(plan.spec, plan.catalog, ["direct", "sn5600"], llm=llm).rails
    assert (direct.switches, direct.cables, direct.not_timed) == (0, 64, None)
    assert (packet.switches, packet.cables) == (2, 32)
    assert direct.iteration_s == packet.iteration_s


def test_the_other_designs_have_switches() -> None:
    """`compare` plans them with NIC ports that are not split."""
    plan = plan_inventory(TORUS)
    found = compare(plan.spec, plan.catalog)
    assert {each.design: each.switches.total > 0 for each in found.summaries} == {
        "rail-only": False,
        "rail-optimized": True,
        "fat-tree": True,
    }

"""Rails of light: sizes that others published, parts, losses, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fabricgen.analysis.checks.circuits import light_passes
from fabricgen.analysis.checks.plan_evidence import evidence_of
from fabricgen.bom.priced_bill import make_bom
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import LinkKind, Role
from fabricgen.views.factory import Views
from tests.fabrics import plan_of

TPU_V4: dict[str, Any] = {
    "name": "tpu-v4",
    "gpus": 64 * 96,
    "hb_domain": {"gpus": 96},
    "rails": {"count": 48, "medium": "ocs"},
    "spare_ports": {"leaf": 8},
    "nic": {"speed": "100G"},
    "switches": {"leaf": {"model": "palomar"}},
}
"""TPU v4: 64 blocks with 16 fibres on each of 6 faces; both ends of a row are on one switch.

Jouppi et al., arXiv 2304.01433, section 2.2: 48 switches of 136 ports, 8 of them spare. The
endpoints are fibres, not chips: the chips inside a block have none.
"""

PHOTONIC: dict[str, Any] = {
    "name": "photonic",
    "gpus": 2048,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "rails": {"medium": "ocs"},
    "switches": {"leaf": {"model": "r300"}},
}
"""2,048 GPUs in hosts of 8 on photonic rails, as evaluated in Opus, arXiv 2602.12521."""


def test_tpu_v4() -> None:
    """48 switches of 136 ports, and 6,144 links."""
    plan = plan_of(**TPU_V4)
    assert plan.switch_count(Role.LEAF) == 48
    assert plan.link_count(LinkKind.HOST) == 6144
    assert plan.sizing.leaf_down == 136 - 8
    assert plan.sizing.tiers == 1


def test_a_rail_of_2048_gpus_takes_one_switch() -> None:
    """Eight switches, each with a rail of 256."""
    plan = plan_of(**PHOTONIC)
    assert [plan.switch_count(Role.LEAF), plan.links] == [8, 2048]
    assert plan.sizing.slots == 300
    modules = {line.part: line.quantity for line in make_bom(plan).lines}
    # one module for two GPUs, and none in the switch
    assert modules["fr4-2x400g"] == 1024
    assert "r300" in make_bom(plan).unpriced, "the rate of a packet switch's port is no price"


def test_a_rate_prices_the_ports_of_a_circuit_switch() -> None:
    """All ports of a box are paid, whatever their speed; a panel and a jumper have no rate."""
    plan = plan_of(**PHOTONIC | {"prices": "opus-h200"})
    bom = make_bom(plan)
    assert {line.part: line.unit_price for line in bom.lines}["r300"] == 300 * 520
    assert bom.unpriced == ["jumper-lc-smf"]
    panel = PHOTONIC | {"gpus": 1024, "rails": {"medium": "patch-panel"}, "prices": "opus-h200"}
    assert (
        "patch-144"
        in make_bom(plan_of(**panel | {"switches": {"leaf": {"model": "patch-144"}}})).unpriced
    )


@pytest.mark.parametrize(("domains", "fits"), [(300, True), (301, False)])
def test_an_r300_holds_a_rail_of_300(domains: int, *, fits: bool) -> None:
    """Lumentum's R300 joins 300 ports."""
    inventory = PHOTONIC | {"gpus": 8 * domains}
    if fits:
        assert plan_of(**inventory).switch_count(Role.LEAF) == 8
        return
    with pytest.raises(Refusal, match="one r300 cannot hold a rail of 301 endpoints"):
        plan_of(**inventory)


def test_a_rail_above_the_ports_is_divided() -> None:
    """Two boxes in parallel do not hold a rail, as no circuit joins them."""
    wide = PHOTONIC | {"host": None, "gpus": 4096, "rails": {"medium": "ocs", "count": 4}}
    with pytest.raises(Refusal) as refused:
        plan_of(**wide)
    assert "use `rails.count: 8` (512 endpoints each)" not in str(refused.value)
    assert "no circuit joins ports of two boxes" in refused.value.findings[0].because
    narrow = wide | {"switches": {"leaf": {"model": "polatis-576"}}, "rails": {"medium": "ocs"}}
    assert plan_of(**narrow).switch_count(Role.LEAF) == 8


def test_parallel_planes_take_a_switch_each() -> None:
    """Each NIC port of a GPU ends on a switch of its own."""
    twin = PHOTONIC | {"host": None, "nic": {"speed": "200G"}}
    twin |= {"rails": {"medium": "ocs", "planes": 2}}
    plan = plan_of(**twin)
    assert [plan.switch_count(Role.LEAF), plan.links] == [16, 4096]


def test_a_patch_panel_takes_no_power_and_no_module() -> None:
    """Light passes a panel."""
    panel = PHOTONIC | {"gpus": 1024, "rails": {"medium": "patch-panel"}}
    plan = plan_of(**panel | {"switches": {"leaf": {"model": "patch-144"}}})
    bom = make_bom(plan)
    assert plan.module_count() == 1024
    assert {line.part: line.unit_power_w for line in bom.lines}["patch-144"] == 0


def test_light_through_the_longest_circuit() -> None:
    """1.5 dB in the switch, 0.5 dB at the modules, and the fibre; less budget breaks the law."""
    plan = plan_of(**PHOTONIC)
    found = evidence_of(plan, Views(plan))
    verdict = light_passes(found)
    assert "2.012 dB of a budget of 4 dB" in verdict.figure
    assert not verdict.violations[0].total
    weak = [
        parts._replace(lower=parts.lower.model_copy(update={"budget_db": 2.005}))
        for parts in plan.candidates
        if parts.lower
    ]
    dark = light_passes(replace(found, candidates=tuple(weak)))
    assert dark.violations[0].total == 8
    assert dark.violations[0].first[0].fact == "a circuit of r0-leaf-1 loses too much light"


def test_a_loss_that_no_source_states_is_named() -> None:
    """The law names the figure that it lacks."""
    plan = plan_of(**PHOTONIC | {"switches": {"leaf": {"model": "s320"}}})
    verdict = light_passes(evidence_of(plan, Views(plan)))
    assert verdict.figure == "not judged: the catalog does not state the loss of s320"


def test_networks_forward_packets() -> None:
    """A network beside the compute fabric takes no box of circuits."""
    network = {"switches": {"leaf": {"model": "r300"}}}
    with pytest.raises(Refusal, match="`r300` makes no rails of the medium `packet`"):
        plan_of(**PHOTONIC | {"networks": {"storage": network}})

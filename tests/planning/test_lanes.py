"""The lanes of both ends of a link agree, and cages have the ports that NICs can join."""

from __future__ import annotations

from typing import Any

import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.catalog.models.base import ANY_LANES
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.lanes import join
from tests.fabrics import CATALOG, plan_of

A100: dict[str, Any] = {
    "name": "a100-on-qm9700",
    "design": "rail-optimized",
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-a100"},
    "switches": {"leaf": {"model": "qm9700"}},
}
"""NICs of 200G on four lanes of 50G below cages of eight lanes, at
docs.nvidia.com/networking/display/MCP7Y60HXXX400pub and display/mcp7y50nxxx800pub."""

OLD_NIC: dict[str, Any] = {"host": None, "nic": {"model": "connectx-6", "speed": "200G"}}


@pytest.mark.parametrize("keys", [{}, OLD_NIC, {"site": {"hosts_per_rack": 4}}])
def test_a_cage_serves_as_many_nics_as_it_has_lanes_for(keys: dict[str, Any]) -> None:
    """Two NICs of four lanes take a cage of eight, in a described room and without one."""
    plan = plan_of(**A100 | keys)
    leaf = plan.fabric.port_layouts[Role.LEAF]
    assert (leaf.down.name, leaf.radix) == ("2x200G", 64)
    assert check(plan).ok


def test_switches_above_have_the_lanes_of_those_below() -> None:
    """1,024 NICs take leaves and spines of 64 ports, and generic modules of two ports each."""
    plan = plan_of(**A100 | {"gpus": 1024})
    assert {layout.down.name for layout in plan.fabric.port_layouts.values()} == {"2x200G"}
    assert {plan.switch_count(role) for role in plan.roles} == {32, 16}
    modules = {
        (module.model, module.ports)
        for joint in plan.candidates
        for module in joint.modules.values()
        if joint.kind is LinkKind.LEAF_SPINE
    }
    assert modules == {("generic-2x200g", 2)}


def test_uplinks_take_the_lanes_that_a_spine_states() -> None:
    """Below spines of two lanes, uplinks have two, and NICs four."""
    spine = {"model": "qm9700", "breakout": "4x200G"}
    plan = plan_of(**A100 | {"gpus": 1024, "switches": {**A100["switches"], "spine": spine}})
    leaf = plan.fabric.port_layouts[Role.LEAF]
    assert (leaf.down.name, leaf.up.name) == ("2x200G", "4x200G")
    assert check(plan).ok


def test_a_later_nic_takes_the_denser_breakout() -> None:
    """A ConnectX-7 has 200G on two lanes of 100G too, and an unknown NIC on any."""
    for nic in ({"model": "connectx-7", "speed": "200G"}, {"speed": "200G"}):
        plan = plan_of(**A100 | {"host": None, "nic": nic})
        assert plan.fabric.port_layouts[Role.LEAF].down.name == "4x200G"


def test_networks_and_devices_have_the_lanes_of_their_ports() -> None:
    """The QSFP56 ports of a DGX A100 for storage take four lanes, and so do those of devices."""
    storage = {"switches": {"leaf": {"model": "qm9700"}}, "speed": "200G"}
    plan = plan_of(**A100 | {"gpus": 48, "networks": {"storage": storage}})
    assert plan.networks["storage"].fabric.port_layouts[Role.LEAF].down.name == "2x200G"
    ports = {"compute": {"count": 1, "speed": "200G"}}
    device = {"name": "store", "count": 1, "model": "management-node", "ports": ports}
    keys = {"host": None, "nic": {"speed": "400G"}, "gpus": 48, "devices": [device]}
    devices = plan_of(**A100 | keys).networks["devices"]
    assert {
        joint.breakout or devices.fabric.port_layouts[Role.LEAF].down.name
        for joint in devices.candidates
    } == {"2x200G"}


def test_modules_map_lanes() -> None:
    """Of 400G, eight lanes of 50G join four of 100G; of 200G, four do not join two."""
    assert join(frozenset({8}), frozenset({4}), 400, CATALOG)
    assert not join(frozenset({4}), frozenset({2}), 200, CATALOG)
    assert not join(frozenset({8}), frozenset({2}), 400, CATALOG)
    assert join(frozenset({2}), ANY_LANES, 25, CATALOG)
    leaf, spine = {"model": "sn4700"}, {"model": "sn5600", "breakout": "2x400G"}
    plan = plan_of(
        gpus=1024,
        hb_domain={"gpus": 8},
        design="fat-tree",
        switches={"leaf": leaf, "spine": spine},
        site="unknown",
    )
    assert check(plan).ok


@pytest.mark.parametrize("site", ["unknown", {"hosts_per_rack": 4}])
def test_a_refusal_names_the_lanes_and_the_breakout_that_works(site: object) -> None:
    """It comes before the search for parts in a described room."""
    leaf = {"model": "qm9700", "breakout": "4x200G"}
    with pytest.raises(Refusal, match="lanes-mismatch") as refused:
        plan_of(**A100 | {"site": site, "switches": {"leaf": leaf}})
    (finding,) = refused.value.findings
    assert [text.rpartition(" is ")[2] for text in finding.because] == [
        "4 lanes of 50G",
        "2 lanes of 100G",
    ]
    assert finding.hint == "use `breakout: 2x200G`"


def test_every_module_states_its_lanes() -> None:
    """Those of a port fit its cage, and a cable with its own ends has them too."""
    assert all(module.lanes for module in CATALOG.transceivers())
    assert all(cable.lanes for cable in CATALOG.cables() if cable.medium in {"dac", "acc", "aoc"})

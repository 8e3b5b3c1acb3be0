"""Devices on leaves of the compute fabric: which ports, addresses and modules they have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.bom.cluster_bill import cluster_bom
from fabricgen.core.diagnostics import Refusal
from fabricgen.views.factory import Views
from tests.fabrics import plan_of

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView

UNIT: dict[str, Any] = {
    "design": "rail-optimized",
    "gpus": 248,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "qm9700"}},
}
"""A scalable unit of 32 hosts without one, so that each of its 8 leaves has a vacant port."""

UFM = {"name": "ufm-{n}", "count": 2, "model": "ufm-appliance", "ports": {"compute": 2}}


def cables(plan: Plan) -> list[CableView]:
    """List the cables of devices on leaves of the compute fabric."""
    return [*Views(plan.networks["devices"]).cables(0)]


def ends(plan: Plan) -> list[tuple[str, ...]]:
    """List both ends of these cables, in order of their labels."""
    every = sorted(cables(plan), key=lambda cable: cable.cable)
    return [
        (cable.a_device, cable.a_interface, cable.b_device, cable.b_interface) for cable in every
    ]


def test_devices_take_vacant_positions_on_different_leaves() -> None:
    """The ports of the 32nd host of a unit serve the fabric managers."""
    plan = plan_of(**UNIT, devices=[UFM])
    assert ends(plan) == [
        ("ufm-1", "compute0", "leaf-1", "1/16/2"),
        ("ufm-1", "compute1", "leaf-2", "1/16/2"),
        ("ufm-2", "compute0", "leaf-3", "1/16/2"),
        ("ufm-2", "compute1", "leaf-4", "1/16/2"),
    ]
    assert check(plan).ok


def test_a_cage_with_copper_has_no_port_for_a_device() -> None:
    """The refusal names the cable of the GPU there, and modules in its place leave a port."""
    with pytest.raises(Refusal) as refused:
        plan_of(**UNIT, devices=[UFM], site={})
    (finding,) = refused.value.findings
    assert "like DAC, not modules" in finding.because[-1]
    assert "site: {media: {host: [mmf, aoc]}}" in finding.hint
    assert plan_of(**UNIT, devices=[UFM], site={"media": {"host": ["mmf"]}}).networks["devices"]


def test_a_module_serves_a_gpu_and_a_device() -> None:
    """The bill has no module more in leaves, as their cages have one for the 31st host."""
    counts = [
        {
            (line.part, purpose): count
            for line in cluster_bom(plan_of(**UNIT, devices=devices)).lines
            for purpose, count in line.purposes
        }
        for devices in ([], [UFM])
    ]
    more = {key: count for key, count in counts[1].items() if counts[0].get(key) != count}
    assert more == {
        ("mma4z00-ns400", "host (devices)"): 4,
        ("mfp7e10", "host (devices)"): 4,
        ("ufm-appliance", "devices"): 2,
    }


SPLIT = UFM | {"ports": {"compute": {"count": 2, "breakout": "4x200G"}}}


def test_splitters_take_whole_cages() -> None:
    """Where two hosts are missing, both appliances share a cable on each of two leaves."""
    box = {"name": "box-{n}", "count": 8, "ports": {"compute": 1}}
    plan = plan_of(**UNIT | {"gpus": 240}, devices=[SPLIT, box])
    own = [cable for cable in cables(plan) if cable.a_device.startswith("ufm")]
    assert sorted((cable.piece, cable.a_device, cable.part) for cable in own) == [
        (f"leaf-{leaf}:16/1", f"ufm-{ufm}", "mfp7e20") for leaf in (1, 2) for ufm in (1, 2)
    ]
    others = {cable.b_device for cable in cables(plan) if cable.a_device.startswith("box")}
    assert others == {f"leaf-{leaf}" for leaf in range(3, 9)}
    result = check(plan)
    assert result.ok, result.findings


def test_splitters_find_no_cage_beside_31_hosts() -> None:
    """One port of a cage is vacant, and the other has a straight fibre."""
    with pytest.raises(Refusal) as refused:
        plan_of(**UNIT, devices=[SPLIT])
    assert [finding.code for finding in refused.value.findings] == ["no-free-ports"]


def test_the_compute_fabric_stays_as_it_is() -> None:
    """Links, addresses and names of compute are those without devices."""
    alone, beside = plan_of(**UNIT), plan_of(**UNIT, devices=[UFM])
    assert alone.digest() == beside.digest()
    assert [*Views(alone).cables(0)] == [*Views(beside).cables(0)]


SHARED: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "rails": {"per_switch": 4},
    "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
}
"""Two leaves, each of four rails in VRFs."""


def test_leaves_configure_the_ports_of_devices() -> None:
    """Ports are in the VRF of a rail; a cage of another speed is split for devices alone."""
    devices = [
        {"name": "edge-{n}", "count": 1, "edge": True, "ports": {"compute": 2}},
        {"name": "target-{n}", "count": 2, "ports": {"compute": {"count": 2, "speed": "200G"}}},
    ]
    plan = plan_of(**SHARED, devices=devices)
    (leaf,) = Views(plan).switches(0, boxes=[0])
    own = [port for port in leaf.ports if port.peer_device.startswith(("edge", "target"))]
    assert [(port.interface, port.peer_device, port.vrf, port.address) for port in own] == [
        ("Ethernet128", "edge-1", "rail0", "10.0.0.16/31"),
        ("Ethernet504", "target-1", "rail0", "10.0.3.254/31"),
        ("Ethernet506", "target-2", "rail0", "10.0.3.252/31"),
    ]
    assert {cage.cage: cage.breakout for cage in leaf.cages}[64] == "4x200G"
    assert [port.interface for port in leaf.idle_ports][-2:] == ["Ethernet508", "Ethernet510"]
    assert check(plan).ok


@pytest.mark.parametrize("broken", ["peer", "missing", "twice"])
def test_the_law_of_outputs_sees_the_ports_of_devices(
    broken: str,
) -> None:
    """A device's port that a configuration has wrong, leaves out or lists twice breaks it."""
    plan = plan_of(**UNIT, devices=[UFM])
    views = Views(plan, kept=True)
    leaf = next(views.switches(0, boxes=[0]))
    if broken == "peer":
        leaf.ports[-1].peer_device = "ufm-9"
    elif broken == "missing":
        leaf.ports.pop()
    else:
        leaf.ports.append(leaf.ports[-1])
    found = check(plan, views)
    assert not found.ok
    assert [each.law.code for each in found.judgements if each.ok is False] == ["outputs-agree"]


def test_a_port_of_two_networks_is_found() -> None:
    """A device on a port that a GPU has breaks the law of ports."""
    plan = plan_of(**UNIT, devices=[UFM])
    network = plan.networks["devices"]
    rules = network.fabric.network
    assert rules
    assert rules.shared
    network.segment.upper_port[:] = 0
    plan.networks["devices"].names.update({key: plan.names[key][:1] for key in network.names})
    codes = {each.law.code for each in check(plan).judgements if each.ok is False}
    assert "ports-apart" in codes

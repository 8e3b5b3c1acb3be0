"""The wires that each kind of failure takes down, without a running lab."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from fabricgen.lab import measure
from fabricgen.lab.boot import Machines
from fabricgen.lab.failures import Breaker
from fabricgen.lab.measure import RunningLab
from fabricgen.lab.topology import LabLayout
from tests import ROOT
from tests.fabrics import plan_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.lab.topology import Wire

LAYOUT = LabLayout(
    plan_file(ROOT / "inventories" / "lab-64.yaml"), frozenset(range(8)), tuple(range(8))
)
DOWN: dict[str, Callable[[Wire], bool]] = {
    "switch:r0-spine-1": lambda wire: wire.b == "r0-spine-1",
    "switch:r0-leaf-1": lambda wire: "r0-leaf-1" in (wire.a, wire.b),
    "link:r0-h00002": lambda wire: wire.label == "r0-h00002",
    "link:r0-u00001": lambda wire: wire.label == "r0-u00001",
    "nic:d0-g3": lambda wire: wire.a == "d0-g3" and bool(wire.label),
    "nic:d0-g3/0": lambda wire: wire.a == "d0-g3" and bool(wire.label),
    "gpu:d0-g3": lambda wire: wire.a == "d0-g3",
    "hb:2": lambda wire: wire.b == "hb:2",
    "plane:0": lambda wire: bool(wire.label),
    "rail:3": lambda wire: wire.label.startswith("r3-"),
}
"""Each failure, and which wires it takes down."""


def breaker_of(layout: LabLayout) -> Breaker:
    """Return a breaker of a layout that is not booted."""
    machines = Machines(layout, Path())
    return Breaker(cast("Any", SimpleNamespace(machines=machines)))


@pytest.mark.parametrize(("failure", "is_down"), DOWN.items(), ids=DOWN)
def test_a_failure_takes_down_its_wires(failure: str, is_down: Callable[[Wire], bool]) -> None:
    """They are the wires of the parts that the plan finds for its name."""
    breaker = breaker_of(LAYOUT)
    cut = {id(end.wire) for _, end in breaker.ends(failure)}
    assert cut == {id(wire) for wire in LAYOUT.wires if is_down(wire)} != set()


def test_dead_switches_are_those_of_the_failure() -> None:
    """A switch is dead with its rail, and alive where only its cables fail."""
    breaker = breaker_of(LAYOUT)
    names = {switch.name for switch in LAYOUT.switches}
    assert breaker.dead(["rail:3"]) & names == {name for name in names if name.startswith("r3-")}
    assert breaker.dead(["switch:r0-leaf-1"]) & names == {"r0-leaf-1"}
    assert breaker.dead(["gpu:d0-g3"]) & names == set()


def test_an_idle_link_is_reopened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the sessions of both ends are idle; dead links stay closed."""
    opened: list[str] = []
    networks = SimpleNamespace(
        inside=lambda name, _: opened.append(name), each=lambda names, _: [{}] * len(names)
    )
    machines = Machines(LAYOUT, Path(), cast("Any", networks))
    switches = [switch.name for switch in LAYOUT.switches]
    links = [wire.label for wire in LAYOUT.wires if {wire.a, wire.b} <= set(switches)]
    ports = {
        name: [port for port, end in machines.ends[name].items() if end.wire.label in links]
        for name in switches
    }
    idle = SimpleNamespace(states=lambda name: dict.fromkeys(ports[name], "Idle"))
    lab = RunningLab(machines, cast("Any", idle))
    routes = {name: {"10.0.0.0/31": frozenset({"swp1"})} for name in switches}
    monkeypatch.setattr(RunningLab, "expected", lambda *_: routes)
    monkeypatch.setattr(measure, "STUCK_S", -1.0)
    _, wrong = lab.converge(dead=links[:2], patience_s=0.01)
    assert len(wrong) == len(switches)
    assert len(opened) == len(lab.reopened) == len(links) - 2

"""Every single failure of the 64-GPU lab has exactly the impact of the plan.

One of each kind is timed.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests import ROOT

if TYPE_CHECKING:
    from tests.conftest import Once
    from tests.lab.conftest import Machine

LAB = ROOT / "inventories" / "lab-64.yaml"
HOLD_S, BFD_S = 9.0, 0.9
"""BGP's hold time, and three of BFD's intervals of 300 ms, as in the emitted configuration."""


def trials_of(machine: Machine, *arguments: object) -> dict[str, dict[str, Any]]:
    """Run a lab and return its trials by title."""
    done = machine.run("lab", "run", *arguments, "--json")
    assert done.stderr == ""
    return {trial["title"]: trial for trial in json.loads(done.stdout)["trials"]}


@pytest.fixture(scope="module")
def clocks(once: Once, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Return the timed trials of a small lab."""
    from tests.lab.conftest import Machine  # noqa: PLC0415 - a fixture of a module cannot use one of a test

    def clock() -> dict[str, dict[str, Any]]:
        machine = Machine(tmp_path_factory.mktemp("clock"))
        for name in ("tmp", "run"):
            (machine.place / name).mkdir()
        return trials_of(machine, machine.write(), "--failures", "clocked")

    found: dict[str, dict[str, Any]] = once("clocks", clock)
    return found


def silence_s(trial: dict[str, Any]) -> float:
    """Read the longest silence of a trial."""
    found = re.search(r"silent for ([\d,]+) ms", trial["figure"])
    assert found, trial
    return int(found[1].replace(",", "")) / 1000


def test_every_single_failure(machine: Machine) -> None:
    """Cables, switches, NICs, GPUs, HB domains, planes and rails each fail once.

    Every pair takes the path of the plan, or none. A failed port is down, which BGP notices without
    BFD, and BFD takes most of the time of so many switches: `test_verify` tries every failure of a
    smaller fabric with it.
    """
    keys = ("--set", "addressing.bfd=false", "--failures", "single")
    outcome = trials_of(machine, LAB, *keys)["every single failure"]
    assert outcome["findings"] == []
    assert outcome["figure"].startswith(
        f"{64 + 64 + 32 + 2 * 64 + 8 + 1 + 8} failures, {305 * 64 * 63:,} pairs as planned ("
    )


@pytest.mark.parametrize("gpus", [1, 4])
def test_one_hb_domain_has_no_outside(machine: Machine, gpus: int) -> None:
    """Its GPUs are not cut off by what fails around them, and one alone has no other to reach."""
    fabric = machine.write(gpus=gpus, hb_domain={"gpus": gpus}, rails={})
    outcome = trials_of(machine, fabric, "--failures", "single")["every single failure"]
    assert outcome["findings"] == []
    assert outcome["figure"].startswith(f"{5 * gpus + 2} failures, ")


def test_failures_are_detected_quickly(clocks: dict[str, dict[str, Any]]) -> None:
    """Neighbours detect a failed cable, switch or daemon at once, and everything recovers."""
    assert [title for title, trial in clocks.items() if not trial["ok"]] == []
    for title in (
        "link:r0-u00001 dies",
        "switch:r0-spine-1 dies",
        "the daemons of r0-spine-1 are killed",
    ):
        assert silence_s(clocks[title]) < HOLD_S / 2


def test_bfd_detects_a_frozen_switch(clocks: dict[str, dict[str, Any]]) -> None:
    """A switch that freezes without a signal is detected after three packets of BFD.

    Without it BGP's hold time has to expire.
    """
    with_bfd, without = (
        silence_s(clocks[f"r0-spine-1 freezes, {which} BFD"]) for which in ("with", "without")
    )
    assert 2 * BFD_S / 3 < with_bfd < HOLD_S / 2 < without


def test_a_fabric_without_bfd(machine: Machine) -> None:
    """The same for a lab emitted without BFD. BFD does not run, and the freeze lasts as long."""
    outcomes = trials_of(machine, machine.write(addressing={"bfd": False}), "--failures", "clocked")
    assert [title for title, trial in outcomes.items() if not trial["ok"]] == []
    assert outcomes["BFD sessions up"]["figure"] == "the inventory switches BFD off"
    assert silence_s(outcomes["r0-spine-1 freezes; there is no BFD"]) > HOLD_S / 2

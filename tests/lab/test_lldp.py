"""The audit of a lab's own LLDP daemons.

A lab as planned has no findings, and swapped cables are found.
"""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import NoReturn

    from tests.lab.conftest import Machine

LEAF, ONE, OTHER = "r0-leaf-1", "swp1", "swp2"


@pytest.fixture(autouse=True)
def _lldpd_runs(out_of_reach: Callable[[str], NoReturn]) -> None:
    """Skip unless a lab can run lldpd."""
    if shutil.which("lldpd") is None:
        out_of_reach("not installed: lldpd")
    if os.geteuid():
        out_of_reach("only root starts lldpd, which changes its user")


def audited(machine: Machine, inventory: Path, script: str = "") -> tuple[int, dict[str, Any]]:
    """Boot a lab, run a script in a leaf, and audit the LLDP neighbours of all devices.

    Return the exit code and the text of the audit.
    """
    assert machine.run("lab", "up", inventory).returncode == 0
    done = machine.run("lab", "exec", LEAF, "--", "sh", "-ec", script)
    assert done.returncode == 0, done.stderr
    kept = machine.run("lab", "lldp", "neighbors")
    assert "neighbours as cabled" in kept.stdout, kept.stderr
    assert machine.run("lab", "down").returncode == 0
    done = machine.run("audit", inventory, "--lldp", "neighbors", "--json")
    return done.returncode, json.loads(done.stdout)


def test_a_correct_lab_has_no_findings(machine: Machine) -> None:
    """Every link of the plan is reported at both ends, and nothing else is."""
    status, found = audited(machine, machine.write())
    assert (status, found["ok"], found["findings"]) == (0, True, [])
    assert found["matched"] == found["links"] > 0
    assert (found["wrong"], found["missing"], found["extra"], found["silent"]) == (0, 0, 0, 0)


def test_swapped_cables_are_named(machine: Machine) -> None:
    """Two cables of a leaf in each other's port are one swap of exactly these.

    Two moves repair it.
    """
    downs, ups = (
        "".join(f"ip link set {name} {state}; " for name in (ONE, OTHER))
        for state in ("down", "up")
    )
    names = ((ONE, "held"), (OTHER, ONE), ("held", OTHER))
    script = downs + "".join(f"ip link set {old} name {new}; " for old, new in names) + ups
    status, found = audited(machine, machine.write(), script)
    assert (status, found["ok"]) == (1, False)
    assert [(finding["kind"], finding["cables"]) for finding in found["findings"]] == [
        ("swapped", ["r0-h00001", "r0-h00002"])
    ]
    assert (found["moves"], found["links"] - found["matched"]) == (2, 2)

"""Refusals that depend on the state of the machine.

Each scene creates the state, and the text is that of the case's file.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import pytest

from fabricgen.cli import run
from fabricgen.lab import namespaces, requirements
from tests.refusals import CASES, write_expected

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.lab.conftest import Machine
    from tests.refusals import Case

HERE = "tests/lab/test_refused.py"


@pytest.fixture
def stderr_of(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[Case], str]:
    """Return a function that runs a case in this process and returns stderr.

    A lab is never booted.
    """
    monkeypatch.chdir(place)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place / "run"))

    def run_case(case: Case) -> str:
        assert run(case.command) == 2
        output = capsys.readouterr()
        assert output.out == ""
        return output.err

    return run_case


def compare(case: Case, output: str) -> None:
    """Compare the text with the case, or write it."""
    if os.environ.get("FABRICGEN_UPDATE"):
        write_expected(case.path, output)
    else:
        assert output == case.expected


def find(code: str, place: Path) -> Case:
    """Find a case and write its files."""
    case = next(case for case in CASES if case.path.stem == code)
    assert case.shown_by == HERE
    case.lay_out(place)
    return case


def stderr_of_program(machine: Machine, case: Case) -> str:
    """Run a case in a new process, and return stderr."""
    done = machine.run(*case.command)
    assert done.returncode == 2
    return done.stderr


def test_a_machine_without_requirements(
    place: Path, stderr_of: Callable[[Case], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither root nor user namespaces, and no FRR: both are named, with the commands that help."""
    case = find("lab-needs", place)
    ready = requirements.doctor()
    assert all(need.ok for need in ready)
    monkeypatch.setattr(requirements, "PROGRAMS", place / "nowhere")
    monkeypatch.setattr(namespaces, "can_map_users", lambda: False)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    compare(case, stderr_of(case))


def test_a_lab_that_is_too_large(
    place: Path, stderr_of: Callable[[Case], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The finding has the sum, and what the machine has."""
    case = find("lab-too-large", place)
    monkeypatch.setattr(requirements, "available_mb", lambda: 300)
    compare(case, stderr_of(case))


def test_a_line_that_frr_rejects(place: Path, machine: Machine) -> None:
    """FRR's own words are the reason."""
    case = find("lab-failed", place)
    assert (
        machine.run(
            "build", "fabric.yaml", "--only", "configs,forwarding,lab", "-o", "out"
        ).returncode
        == 0
    )
    config = place / "out" / "configs" / "r0-leaf-1" / "frr.conf"
    config.write_text(
        config.read_text(encoding="utf-8").replace(" timers bgp 3 9\n", " timers bgp three nine\n"),
        encoding="utf-8",
    )
    compare(case, stderr_of_program(machine, case))
    assert machine.left() == []


def test_a_name_in_use_and_an_unknown_node(place: Path, machine: Machine) -> None:
    """Both with one lab up; the nearest node is named."""
    taken, unknown = find("lab-is-up", place), find("no-such-node", place)
    assert machine.run("lab", "up", "fabric.yaml").returncode == 0
    compare(taken, stderr_of_program(machine, taken))
    compare(unknown, stderr_of_program(machine, unknown))
    assert machine.run("lab", "down").returncode == 0


def test_following_the_hint_works(machine: Machine) -> None:
    """The refusal of another NOS names the key to add; with it the lab boots."""
    added = "--set nos=frr"
    case = next(case for case in CASES if case.path.stem == "lab-needs-frr")
    assert added in case.expected
    case.lay_out(machine.place)
    done = machine.run(*case.command, *shlex.split(added), "--rails", "2", "--hb-domains", "2")
    assert done.returncode == 0

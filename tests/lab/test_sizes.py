"""Large labs, and slices of fabrics too large for any machine.

A slice is a faithful part, and refusals have hints that fit.
"""

from __future__ import annotations

import json
import os
import re
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.forwarding.path_selection import PathSelector
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.build.run import build
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import Role
from fabricgen.lab import requirements
from fabricgen.lab.requirements import check_fits
from fabricgen.lab.slice import SLICE_WIDTH, lay_out, one_rail
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import build_job, plan_of
from tests.test_inventories import ready

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.lab.topology import LabLayout
    from fabricgen.planning.plan import Plan
    from tests.lab.conftest import Machine

LARGE: dict[str, Any] = {"gpus": 256, "hb_domain": {"gpus": 8}, "radix": 16, "nos": "frr"}
"""Eight rails of four leaves and two spines."""

PARTS: dict[str, tuple[dict[str, Any] | str, int, int]] = {
    "two tiers": (LARGE, 2, 8),
    "three tiers": (
        {"gpus": 128, "hb_domain": {"gpus": 4}, "rails": {"count": 2}, "radix": 8, "nos": "frr"},
        2,
        8,
    ),
    "rails that meet": (LARGE | {"design": "rail-optimized"}, 8, 6),
    "planes": (
        {"gpus": 64, "hb_domain": {"gpus": 4}, "rails": {"planes": 2}, "radix": 8, "nos": "frr"},
        3,
        6,
    ),
    "a million GPUs": ("million-hb8", 2, 8),
}


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("echo vtysh 10.3; echo more", "vtysh 10.3"),
        ("echo unrecognized option >&2; exit 1", None),
        ("", None),
    ],
)
def test_the_doctor_prints_a_version_or_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, found: str | None
) -> None:
    """An error message of a program is not its version."""
    program = tmp_path / "vtysh"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (need,) = (each for each in requirements.doctor() if each.what == "vtysh")
    assert (need.ok, need.found) == (True, found or str(program))


@pytest.fixture(params=PARTS)
def part(request: pytest.FixtureRequest) -> LabLayout:
    """Return a slice of each kind of fabric."""
    keys, rails, domains = PARTS[request.param]
    return lay_out(ready(keys) if isinstance(keys, str) else plan_of(**keys), rails, domains)


def run(machine: Machine, *arguments: object) -> list[dict[str, Any]]:
    """Run a lab in which every trial holds and of which nothing is left. Return the outcomes."""
    done = machine.run("lab", "run", *arguments, "--json")
    trials: list[dict[str, Any]] = json.loads(done.stdout)["trials"]
    assert [trial for trial in trials if not trial["ok"]] == []
    assert (done.returncode, machine.left()) == (0, [])
    return trials


def figure(trials: list[dict[str, Any]], code: str) -> str:
    """Return the figure of a trial."""
    return next(str(trial["figure"]) for trial in trials if trial["code"] == code)


def every_pair(gpus: int) -> str:
    """Return the beginning of the figure of the paths when every ordered pair has one."""
    return f"{gpus * (gpus - 1):,} of {gpus * (gpus - 1):,} packets (every pair"


def test_two_hundred_and_fifty_six_gpus(machine: Machine) -> None:
    """48 switches: every session, every route, and the path of every ordered pair.

    BFD, whose packets would take half of the time, runs in the lab of 64 GPUs.
    """
    sets = ("--set", "nos=frr", "--set", "addressing.bfd=false")
    found = run(machine, "--gpus", 256, "--hb-domain", 8, "--radix", 16, *sets)
    assert figure(found, "sessions").startswith("256 of 256")
    assert figure(found, "paths").startswith(every_pair(256))


def test_a_slice_of_a_million_gpus(machine: Machine, root: Path) -> None:
    """Three tiers, in which spines and cores have a choice too.

    Most ports of the emitted files do not exist.
    """
    layout = lay_out(ready("million-hb8"), 2, 8)
    found = run(machine, root / "inventories" / "million-hb8.yaml", "--rails", 2, "--hb-domains", 8)
    sessions = len(layout.wires) - 2 * len(layout.gpus)
    assert figure(found, "sessions").startswith(f"{sessions} of {sessions}")
    assert figure(found, "paths").startswith(every_pair(16))


def test_a_rail_at_a_time(machine: Machine) -> None:
    """Every rail is booted once, and connects its own pairs."""
    found = run(machine, machine.write(), "--rail-at-a-time")
    for code in ("sessions", "routes", "paths", "isolation"):
        assert [trial["rail"] for trial in found if trial["code"] == code] == [0, 1]
    assert figure(found, "paths").startswith(every_pair(4))


def test_a_slice_has_every_kind_of_path(part: LabLayout) -> None:
    """On one leaf, between leaves of a pod, and between pods where there are several."""
    plan, reach = part.plan, Reach(part.plan)
    leaves = [reach.leaf(gpu) for gpu in part.gpus]
    ways = {
        (one == other, one // plan.sizing.pod_leaves == other // plan.sizing.pod_leaves)
        for one, other in permutations(leaves, 2)
    }
    assert (
        ways == {(True, True), (False, True), (False, False)}
        if plan.sizing.pods > 1
        else {(True, True), (False, True)}
    )
    boxes = [plan.naming.boxes[index] for index in part.boxes]
    assert {box.role for box in boxes} == set(plan.roles)
    pods = {leaf // plan.sizing.pod_leaves for leaf in leaves}
    assert sum(box.role is Role.SPINE for box in boxes) == len(pods) * SLICE_WIDTH


def test_a_slice_is_faithful(part: LabLayout) -> None:
    """Every pair takes its path of the whole fabric. Everything outside counts as failed."""
    whole, rest = PathSelector(Reach(part.plan)), PathSelector(Reach(part.plan, part.missing))
    for one, other in permutations(part.gpus, 2):
        way = rest.way(one, other)
        assert way is not None
        assert way == whole.way(one, other)


def test_a_slice_names_what_it_leaves_out(part: LabLayout) -> None:
    """It prints the counts of what is booted; a whole lab prints none."""
    assert (
        f"{len(part.domains)} of {part.plan.fabric.gpus // part.plan.fabric.domain_gpus:,} "
        "HB domains"
    ) in part.left_out()
    assert lay_out(plan_of(**LARGE)).left_out() == ""
    assert (
        one_rail(lay_out(plan_of(**LARGE)), 1).left_out()
        == "rail 1 alone, the other rails in their turn"
    )


def test_a_slice_is_built_as_in_the_whole(tmp_path: Path) -> None:
    """The files of its switches and GPUs are those of the whole build, byte for byte.

    There are no others.
    """
    plan = plan_of(**LARGE)
    layout = lay_out(plan, 2, 4)
    groups = ("configs", "forwarding", "lab")
    build(build_job(plan, Packs(), groups, frozenset(groups)), tmp_path / "whole")
    job = build_job(plan, Packs(), groups, frozenset(groups), scope=layout.scope)
    written = {file.path for file in build(job, tmp_path / "part")}
    assert written | {"manifest.json"} == set(job.paths())
    assert {path.split("/")[1] for path in written if path.startswith("configs/")} == {
        seat.name for seat in layout.switches
    }
    assert {path for path in written if path.startswith("lab/")} == {
        f"lab/gpus/{gpu}.sh" for gpu in layout.gpus.values()
    }
    order = "forwarding/domains.json"
    one, every = (
        json.loads((tmp_path / out / order).read_text(encoding="utf-8"))["domains"]
        for out in ("part", "whole")
    )
    assert one == [domain for domain in every if domain["hb_domain"] in layout.domains]
    for path in written:
        if path != order and not path.startswith("hosts/"):
            assert (tmp_path / "part" / path).read_bytes() == (
                tmp_path / "whole" / path
            ).read_bytes()
    for host in layout.hosts:
        one, every = (
            json.loads(
                (tmp_path / out / "hosts" / host / "forwarding.json").read_text(encoding="utf-8")
            )["gpus"]
            for out in ("part", "whole")
        )
        assert one == [gpu for gpu in every if gpu["gpu"] in layout.gpus.values()]


def hints(plan: Plan, *, one_rail: bool = False) -> list[str]:
    """Return the options in the refusal of a lab."""
    with pytest.raises(Refusal) as refused:
        check_fits(lay_out(plan), one_rail=one_rail)
    (finding,) = refused.value.findings
    assert finding.code == "lab-too-large"
    return re.findall("`(--[^`]*)`", finding.hint or "")


def follow(plan: Plan, hint: str) -> None:
    """Run with the options of a hint, and assert that the lab fits."""
    numbers = dict(re.findall(r"--(\S+) (\d+)", hint))
    if numbers:
        check_fits(lay_out(plan, int(numbers["rails"]), int(numbers["hb-domains"])))
    else:
        assert hint == "--rail-at-a-time"
        check_fits(lay_out(plan), one_rail=True)


@pytest.mark.parametrize(
    ("name", "free_mb", "offered"),
    [("million-hb8", 6000, 1), ("lab-256", 900, 2), ("lab-256", 800, 1), ("lab-256", 600, 0)],
)
def test_the_hints_fit(
    name: str, free_mb: int, offered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slice, and where one rail fits, a rail at a time; nothing where nothing fits."""
    monkeypatch.setattr(requirements, "available_mb", lambda: free_mb)
    plan = plan_of(**LARGE) if name == "lab-256" else ready(name)
    found = hints(plan)
    assert len(found) == offered
    for hint in found:
        follow(plan, hint)


def test_bfd_needs_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """512 sessions need more than one core.

    With one they are refused, and without BFD the same lab fits.
    """
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    monkeypatch.setattr(requirements, "available_mb", lambda: 100_000)
    keys = LARGE | {"gpus": 512}
    assert "--set addressing.bfd=false" in hints(plan_of(**keys))
    check_fits(lay_out(plan_of(**keys, addressing={"bfd": False})))


def test_rails_that_meet_are_not_booted_alone() -> None:
    """A single rail of such a fabric is not a network."""
    with pytest.raises(Refusal, match="lab-rails-meet"):
        one_rail(lay_out(plan_of(**LARGE, design="fat-tree")), 0)

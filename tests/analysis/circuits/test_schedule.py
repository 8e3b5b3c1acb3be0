"""Circuits of a job: matchings, a flow-level check of collectives, configurations, and laws."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from fabricgen.analysis.checks.circuits import circuits_join, circuits_matched
from fabricgen.analysis.checks.plan_evidence import evidence_of
from fabricgen.analysis.circuits.matchings import PATTERNS, Round
from fabricgen.analysis.circuits.reach import reach
from fabricgen.analysis.circuits.result import result_of
from fabricgen.analysis.circuits.schedule import make_schedule, schedule_of
from fabricgen.analysis.circuits.times import change_count, phase_time
from fabricgen.cli import run
from fabricgen.core.diagnostics import Refusal
from fabricgen.views.factory import Views
from tests.fabrics import plan_of

if TYPE_CHECKING:
    from pathlib import Path

SMALL: dict[str, Any] = {
    "name": "light",
    "gpus": 40,
    "hb_domain": {"gpus": 8},
    "rails": {"medium": "ocs"},
    "switches": {"leaf": {"model": "s320"}},
}


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 12, 17])
def test_every_round_is_a_matching(name: str, size: int) -> None:
    """No endpoint is in two circuits of a round, and all are in the group."""
    for each in PATTERNS[name].rounds(size):
        ends = [end for pair in each.pairs for end in pair]
        assert len(ends) == len(set(ends))
        assert all(0 <= end < size for end in ends)


@pytest.mark.parametrize("size", [2, 3, 5, 8])
def test_all_to_all_joins_every_two_once(size: int) -> None:
    """A round-robin tournament: each pair meets in one round."""
    met = [pair for each in PATTERNS["all-to-all"].rounds(size) for pair in each.pairs]
    assert sorted(met) == [(one, other) for one in range(size) for other in range(one + 1, size)]


def reduced(rounds: list[Round], size: int) -> list[set[int]]:
    """Return whose data each endpoint has after both ends of each circuit sent all they have."""
    has = [{at} for at in range(size)]
    for each in rounds:
        for one, other in each.pairs:
            has[one] = has[other] = has[one] | has[other]
    return has


@pytest.mark.parametrize("name", ["recursive-doubling", "tree"])
@pytest.mark.parametrize("size", [2, 3, 4, 6, 7, 8, 16])
def test_an_all_reduce_reaches_everybody(name: str, size: int) -> None:
    """Round by round, the data of each endpoint arrives at each other."""
    assert reduced(PATTERNS[name].rounds(size), size) == [set(range(size))] * size


def ring_steps(size: int, planes: int) -> float:
    """Return the time of a ring AllReduce, step by step and edge by edge, of bytes 1 at speed 1.

    Half of each chunk goes round each way; a circuit has the speed of its plane's port.
    """
    rounds = PATTERNS["ring"].rounds(size)
    step = 1 / size / (2 if size > 2 else 1)
    joined = planes // len(rounds)
    seconds = 0.0
    for _ in range(2 * (size - 1)):
        if joined:
            seconds += step * planes / joined
        else:
            seconds += sum(step for _ in rounds)
    return seconds


@pytest.mark.parametrize("size", [2, 3, 4, 7, 8])
@pytest.mark.parametrize("planes", [1, 2, 3, 4])
def test_the_time_of_a_ring_is_that_of_its_steps(size: int, planes: int) -> None:
    """The equation agrees with a walk over all steps."""
    plan = plan_of(**SMALL | {"gpus": 8 * size, "rails": {"medium": "ocs", "planes": planes}})
    (phase,) = make_schedule(plan, np.arange(8 * size, dtype=np.int32), "ring").phases
    found = phase_time(phase, 1.0, 1.0, 0.0, alone=True)
    assert found.sending_s == pytest.approx(ring_steps(size, planes))


def test_recursive_doubling_takes_as_long_as_a_ring_and_its_changes() -> None:
    """Both send 2 (n - 1)/n of the bytes; one port changes circuits 2 log2(n) - 2 times."""
    plan = plan_of(**SMALL | {"gpus": 64})
    (phase,) = make_schedule(plan, np.arange(64, dtype=np.int32)).phases
    assert phase.pattern == "recursive-doubling"
    found = phase_time(phase, 8.0, 2.0, 0.2, alone=True)
    assert [found.changes, found.sending_s, found.changing_s] == [4, 2 * 7 / 8 * 4, 0.8]
    assert phase_time(phase, 8.0, 2.0, None, alone=True).total_s is None


def test_two_ports_hold_an_even_ring() -> None:
    """Even edges are on one plane, odd ones on the other, and no circuit ever changes."""
    plan = plan_of(**SMALL | {"gpus": 64, "rails": {"medium": "ocs", "planes": 2}})
    schedule = make_schedule(plan, np.arange(64, dtype=np.int32))
    assert [phase.pattern for phase in schedule.phases] == ["ring"]
    assert schedule.phases[0].held
    assert change_count(schedule.phases[0], alone=True) == 0
    assert reach(schedule.configurations, 8).relays == 3


def test_phases_follow_the_parallelism_of_a_model() -> None:
    """Pipeline stages are runs of HB domains; data is reduced inside each."""
    plan = plan_of(**SMALL | {"gpus": 64})
    llm = plan.catalog.workload("gpt3")
    assert llm
    staged = llm.model_copy(update={"pipeline_stages": 4})
    schedule = make_schedule(plan, np.arange(64, dtype=np.int32), llm=staged)
    assert [(phase.name, phase.group) for phase in schedule.phases] == [
        ("pipeline", 4),
        ("data", 2),
    ]
    first = schedule.configurations[0].planes[0]
    assert first == ((0, 2), (1, 3), (4, 6), (5, 7))
    with pytest.raises(Refusal, match="8 HB domains cannot be divided"):
        make_schedule(
            plan,
            np.arange(64, dtype=np.int32),
            llm=llm.model_copy(update={"pipeline_stages": 3}),
        )


def test_a_job_takes_the_ports_of_its_gpus() -> None:
    """Two GPUs of each HB domain on a rail are two groups side by side."""
    plan = plan_of(**SMALL | {"rails": {"medium": "ocs", "count": 4}})
    schedule = schedule_of(plan, "d1-d4", "ring", None)
    assert [schedule.size, schedule.rails, schedule.slots] == [8, (0, 1, 2, 3), (0, 1)]
    assert schedule.gpus(1).tolist() == [9, 17, 25, 33, 13, 21, 29, 37]
    assert schedule.configurations[0].planes[0] == ((0, 1), (2, 3), (4, 5), (6, 7))


@pytest.mark.parametrize(
    ("keys", "job", "code"),
    [
        ({}, "d0-g0,d1-g1", "job-not-aligned"),
        ({"rails": {}, "switches": {"leaf": {"generic": {"radix": 64}}}}, "", "no-circuits"),
    ],
)
def test_refusals(keys: dict[str, Any], job: str, code: str) -> None:
    """Circuits are of aligned jobs, on rails that have some."""
    with pytest.raises(Refusal) as refused:
        schedule_of(plan_of(**SMALL | keys), job, "", None)
    assert refused.value.findings[0].code == code


def test_figures() -> None:
    """Kept and added circuits are all; the loss of a box takes one rail of eight."""
    plan = plan_of(**SMALL | {"gpus": 64})
    result = result_of(make_schedule(plan, np.arange(64, dtype=np.int32)))
    assert all(each.kept + each.added == each.circuits for each in result.configurations)
    assert [each.added for each in result.configurations] == [0, 32, 32, 0, 32, 32]
    assert result.blast_radius.domain_bandwidth_pct == 12.5
    assert result.phases[0].changing_s == pytest.approx(0.8)


def test_laws_hold_and_each_mutation_breaks_its_own() -> None:
    """A second circuit at a port breaks one law, and a missing one the other."""
    plan = plan_of(**SMALL)
    found = evidence_of(plan, Views(plan))
    for law in (circuits_matched, circuits_join):
        assert not any(each.total for each in law(found).violations)
    ring = found.schedules[0]
    (phase,) = ring.phases
    one, *others = phase.configurations
    doubled = one._replace(planes=((*one.planes[0], (0, 2)),))
    broken = replace(ring, phases=(phase._replace(configurations=(doubled, *others)),))
    verdict = circuits_matched(replace(found, schedules=(broken,)))
    assert [each.total for each in verdict.violations] == [16, 0]
    assert "r0-leaf-1 port 1" in verdict.violations[0].first[0].fact
    cut = replace(ring, phases=(phase._replace(configurations=(one,)),))
    verdict = circuits_join(replace(found, schedules=(cut,)))
    assert verdict.violations[0].first[0].fact == (
        "the circuits of ring join 4 of 20 pairs of HB domains"
    )


def test_a_circuit_between_two_rails_breaks_the_law() -> None:
    """Rails stay apart where they share a box."""
    shared = SMALL | {"rails": {"medium": "ocs", "per_switch": 2}}
    plan = plan_of(**shared)
    found = evidence_of(plan, Views(plan))
    assert not any(each.total for each in circuits_matched(found).violations)
    ring = found.schedules[0]

    class Crossed(type(ring)):  # type: ignore[misc]  # a schedule whose rail 0 ends on rail 1
        def gpus(self, rail: int) -> Any:  # noqa: ANN401 - an array
            gpus = super().gpus(rail).copy()
            if rail == 0:
                gpus[1] += 1
            return gpus

    crossed = Crossed(ring.plan, ring.domains, ring.slots, ring.rails, ring.phases)
    verdict = circuits_matched(replace(found, schedules=(crossed,)))
    assert verdict.violations[1].total


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """`circuits` prints phases, and port by port with --list."""
    path = tmp_path / "light.yaml"
    path.write_text(json.dumps(SMALL))
    assert run(["circuits", str(path), "d0-d3", "--pattern", "ring", "--list"]) == 0
    shown = capsys.readouterr().out
    assert "s320 changes circuits in 200 ms: 2,400 ms in each iteration" in shown
    assert "1    data   r0-leaf-1  1     2     d0-g0  d1-g0" in shown
    assert run(["circuits", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["hb_domains"] == 5


@pytest.mark.parametrize(("pattern", "sets"), [("tree", 4), ("all-to-all", 3), ("pipeline", 2)])
def test_the_files_of_a_job(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, pattern: str, sets: int
) -> None:
    """`circuits -o` writes tables and commands of any collective, and replaces its own."""
    path, out = tmp_path / "light.yaml", tmp_path / "job"
    path.write_text(json.dumps(SMALL))
    for _ in range(2):
        words = ["circuits", str(path), "d0-d3", "--pattern", pattern, "--list", "-o", str(out)]
        assert run(words) == 0
    shown = capsys.readouterr().out
    assert "set  phase  circuits  added  removed" in shown
    lines = (out / "circuits" / "sets.csv").read_text().splitlines()
    assert len(lines) == sets + 1
    commands = (out / "circuits" / "r0-leaf-1.tl1").read_text()
    assert commands.count("ENT-CRS") >= len(lines) - 1
    assert "5" not in re.findall(r"CRS::(\d+),", commands)
    (out / "own.txt").write_text("mine")
    assert run(words) == 2


def test_spare_gpus_are_in_no_job() -> None:
    """The last HB domains have no circuits until they replace others."""
    plan = plan_of(**SMALL | {"spare": {"gpus_per_rail": 1}})
    assert schedule_of(plan, "", "", None).domains == (0, 1, 2, 3)

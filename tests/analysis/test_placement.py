"""Job specifications, NCCL's rule compared with every pair, and fixes that are legal."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from fabricgen.analysis.communicator.job_spec import find_job, job_text
from fabricgen.analysis.communicator.placement import Placement, placement
from fabricgen.analysis.forwarding.relay_rules import exits
from fabricgen.cli import run as run_program
from fabricgen.core.diagnostics import Refusal
from fabricgen.planning.coordinates import gpu_name
from tests.analysis.small_failures import small_plans
from tests.fabrics import plan_of

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan

LAB: dict[str, Any] = {"gpus": 64, "hb_domain": {"gpus": 8}, "radix": 16}
FOUR_RAILS: dict[str, Any] = {
    "gpus": 72,
    "hb_domain": {"gpus": 12, "hosts": 3},
    "rails": {"count": 4},
    "radix": 64,
}


def words_of(plan: Plan, job: str) -> list[str]:
    """Return the GPUs of a job."""
    return [gpu_name(*divmod(gpu, plan.fabric.domain_gpus)) for gpu in find_job(plan, job).tolist()]


@pytest.mark.parametrize(
    ("job", "gpus"),
    [
        ("d0-g3", ["d0-g3"]),
        ("d0-g1, d1-g0", ["d0-g1", "d1-g0"]),
        ("d1", [f"d1-g{rank}" for rank in range(12)]),
        ("host-02", [f"d0-g{rank}" for rank in range(4, 8)]),
        (
            "host-03..host-04",
            [f"d0-g{rank}" for rank in range(8, 12)] + [f"d1-g{rank}" for rank in range(4)],
        ),
        ("d0-g10..d1-g1", ["d0-g10", "d0-g11", "d1-g0", "d1-g1"]),
        ("d2..d3", [f"d{domain}-g{rank}" for domain in (2, 3) for rank in range(12)]),
        ("d2-d3", [f"d{domain}-g{rank}" for domain in (2, 3) for rank in range(12)]),
        ("d1-g0,,d0-g0,", ["d0-g0", "d1-g0"]),
    ],
)
def test_words(job: str, gpus: list[str]) -> None:
    """Domains, GPUs, hosts and ranges of each, in any order. The result is in order of GPU."""
    assert words_of(plan_of(**FOUR_RAILS), job) == gpus


def test_a_file_of_words(tmp_path: Path) -> None:
    """One or several words in a line, with comments, alone or among other words."""
    path = tmp_path / "job.txt"
    path.write_text("# the first job\nd0-g0 d0-g1\nd1-g0,d1-g1  # and its other half\n\n")
    assert words_of(plan_of(**LAB), f"@{path}") == ["d0-g0", "d0-g1", "d1-g0", "d1-g1"]
    assert len(words_of(plan_of(**LAB), f"d2,@{path}")) == 12


@pytest.mark.parametrize(
    ("job", "code", "output"),
    [
        ("", "bad-job", "has no GPU"),
        ("d0,d0-g3", "bad-job", "GPU `d0-g3` is in the job twice"),
        ("d8", "bad-job", "no HB domain `d8`"),
        ("d0-g8", "unknown-gpu", "`d0-g8`"),
        ("host-9", "bad-job", "no HB domain, GPU or host"),
        ("host-9..", "bad-job", "no HB domain, GPU or host"),
        ("d3-d1", "bad-job", "`d3-d1` is no range"),
        ("d0..d1-g3", "bad-job", "no range"),
        ("d00", "bad-job", "no HB domain, GPU or host"),
        ("@/nonexistent", "bad-job", "cannot read a job"),
        ("@/", "bad-job", "cannot read a job"),
    ],
)
def test_bad_words(job: str, code: str, output: str) -> None:
    """Each is refused with a hint."""
    with pytest.raises(Refusal) as refused:
        find_job(plan_of(**LAB), job)
    finding = refused.value.findings[0]
    assert (finding.code, bool(finding.hint)) == (code, True)
    assert output in finding.fact


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        (b"d0\n# and others\n d1,d9", 3, 5),
        (b"d0 host-99 # host-98", 1, 4),
        (b"d0\nd1 d2..d1\n", 2, 4),
        (b"d0\nd1,d1-g2\n", 2, 4),
        (b"d0\n\td0-g9\n", 2, 2),
        (b"d0\nd1 \xff\xfe\x00", 2, 4),
    ],
)
def test_a_bad_word_of_a_file_has_its_place(
    tmp_path: Path, text: bytes, line: int, column: int
) -> None:
    """The domain, the host, the range, a repetition, the GPU or its bytes may be wrong."""
    path = tmp_path / "job"
    path.write_bytes(text)
    with pytest.raises(Refusal) as refused:
        find_job(plan_of(**LAB), f"d7,@{path}")
    (finding,) = refused.value.findings
    assert finding.code in {"bad-job", "unknown-gpu"}
    assert str(finding.place) == f"{path}:{line}:{column}"


def drawn_job(random: Random, plan: Plan) -> Any:  # noqa: ANN401 - a column of GPUs
    """Draw some GPUs of a plan."""
    count = plan.fabric.gpus
    return np.array(sorted(random.sample(range(count), random.randint(1, count))), dtype=np.int32)


def enumerate_pairs(plan: Plan, gpus: list[int]) -> dict[str, Any]:
    """Apply NCCL's rule to every ordered pair."""
    fabric, members = plan.fabric, set(gpus)
    found: Counter[str] = Counter()
    outside: set[int] = set()
    lacking: set[tuple[int, int]] = set()
    for source in gpus:
        for target in gpus:
            rails = [gpu % fabric.domain_gpus % fabric.rails for gpu in (source, target)]
            domains = [gpu // fabric.domain_gpus for gpu in (source, target)]
            if source == target:
                continue
            if domains[0] == domains[1]:
                found["hb"] += 1
            elif rails[0] == rails[1] or plan.mapping.spans_rails:
                found["direct"] += 1
            else:
                relays = [
                    gpu
                    for gpu in exits(fabric, source, rails[1])
                    if gpu % fabric.domain_gpus % fabric.rails == rails[1]
                ]
                outside |= set(relays[:1]) - members
                found["relayed" if members & set(relays) else "none"] += 1
                found["another"] += bool(members & set(relays)) and relays[0] not in members
                lacking |= set() if members & set(relays) else {(domains[0], rails[1])}
            found["cross_rail"] += domains[0] != domains[1] and rails[0] != rails[1]
    return {
        "pairs": {key: found[key] for key in ("hb", "direct", "relayed", "none", "cross_rail")},
        "another": found["another"],
        "outside": outside,
        "lacking": lacking,
    }


def test_classes_equal_enumerated_pairs() -> None:
    """Random jobs on fabrics of every design.

    Compared are the counts, the relays outside of the job, the examples, and the fixes.
    """
    seen: Counter[tuple[str, bool]] = Counter()
    for plan, random in small_plans(7, range(150), gpus=30):
        gpus = drawn_job(random, plan)
        placed, expected = Placement(plan, gpus), enumerate_pairs(plan, gpus.tolist())
        document = placed.document()
        assert document["pairs"] == {"total": len(gpus) * (len(gpus) - 1), **expected["pairs"]}, (
            plan.spec
        )
        assert document["pairs_by_another_relay"] == expected["another"]
        assert document["relays_outside_job_count"] == len(expected["outside"])
        assert set(document["relays_outside_job"]) <= {
            gpu_name(*divmod(gpu, plan.fabric.domain_gpus)) for gpu in expected["outside"]
        }
        assert len(document["examples"]) == min(len(expected["lacking"]), 10)
        assert placement(plan, document["job"]).gpus.tolist() == gpus.tolist()
        seen[plan.fabric.design, placed.legal] += 1
        if document["fix"]:
            assert_fixes(plan, gpus.tolist(), document["fix"], expected["lacking"])
    assert seen["rail-only", True] >= 10
    assert seen["rail-only", False] >= 10
    assert all(legal for design, legal in seen if design != "rail-only"), seen


def assert_fixes(
    plan: Plan, gpus: list[int], fix: dict[str, Any], lacking: set[tuple[int, int]]
) -> None:
    """Apply both fixes and assert that they are legal.

    One is the job with the fewest additional GPUs, the other is a part of the job.
    """
    more, less = placement(plan, fix["add"]), placement(plan, fix["keep"])
    assert more.legal
    assert less.legal
    assert set(more.gpus.tolist()) == set(gpus) | set(find_job(plan, fix["added"]).tolist())
    assert len(more.gpus) - len(gpus) == fix["added_gpus"] == len(lacking)
    assert set(less.gpus.tolist()) < set(gpus)
    assert len(less.gpus) == fix["kept_gpus"] > 0


def test_no_smaller_addition_is_legal() -> None:
    """On a fabric of nine GPUs, every smaller set of GPUs is tried."""
    plan, random, tried = plan_of(gpus=9, hb_domain={"gpus": 3}, radix=8), Random(3), 0  # noqa: S311 - the same jobs in every run
    for _ in range(20):
        gpus = drawn_job(random, plan)
        fix = Placement(plan, gpus).fix()
        others = sorted(set(range(9)) - set(gpus.tolist()))
        for more in combinations(others, fix.added_gpus - 1) if fix else ():
            tried += 1
            assert not Placement(
                plan, np.array(sorted({*gpus.tolist(), *more}), dtype=np.int32)
            ).legal
    assert tried >= 20


@pytest.mark.parametrize(
    ("keys", "job", "legal", "aligned", "ranks"),
    [
        (LAB, "d0-d3", True, True, True),
        (LAB, "d0-g0,d1-g0", True, True, True),
        (LAB, "d0-g0,d1-g1", False, False, False),
        (LAB, "d0-g0..d0-g3,d1-g0..d1-g3", True, True, True),
        (LAB, "d0-g0..d0-g3,d1-g4..d1-g7", False, False, False),
        (LAB, "d3-g0..d3-g4", True, True, True),
        (FOUR_RAILS, "d0-g0..d0-g3,d1-g8..d1-g11", True, True, False),
        ({**LAB, "design": "rail-optimized"}, "d0-g0,d1-g1", True, False, False),
        ({**LAB, "design": "fat-tree"}, "d0-g0..d0-g3,d1-g4..d1-g7", True, False, False),
    ],
)
def test_alignment(keys: dict[str, Any], job: str, legal: bool, aligned: bool, ranks: bool) -> None:  # noqa: FBT001 - columns of the table above
    """Whether a job is legal, uses the same rails everywhere, and the same ranks."""
    placed = placement(plan_of(**keys), job)
    assert (placed.legal, placed.rail_aligned, placed.ranks_aligned) == (legal, aligned, ranks)


def test_another_relay_of_the_job_is_enough() -> None:
    """Turn 0 would relay over a GPU of turn 0 outside of the job.

    One of turn 2 on that rail is in the job.
    """
    placed = placement(plan_of(**FOUR_RAILS), "d0-g0,d0-g9,d1-g0,d1-g1")
    assert placed.legal
    assert placed.relays_outside_job == ["d0-g1", "d0-g8"]
    assert placed.by_another == 2


def test_the_job_is_printed_in_few_words() -> None:
    """Whole domains and runs of GPUs, each read back as it was."""
    plan = plan_of(**LAB)
    assert job_text(plan, np.arange(64, dtype=np.int32)) == "d0-d7"
    assert (
        job_text(plan, np.array([0, 1, 2, *range(8, 16), 23, 24], dtype=np.int32))
        == "d0-g0..d0-g2,d1,d2-g7,d3-g0"
    )


def test_a_million_gpus() -> None:
    """Half of a million GPUs and all of their pairs are counted by arithmetic.

    The other half is what is missing.
    """
    plan = plan_of(gpus=2**20, hb_domain={"gpus": 8}, radix=128)
    placed = placement(plan, "d0-d65535,d65536-g0..d65536-g3")
    assert placed.pairs.none == 4 * 65536 * 4
    fix = placed.fix()
    assert fix is not None
    assert (fix.add, fix.added) == ("d0-d65536", "d65536-g4..d65536-g7")
    assert fix.keep == "d0-d65535"


def test_the_command(capsys: pytest.CaptureFixture[str], root: Path) -> None:
    """The exit code is 1 where a pair has no path; the specification that it prints is legal."""
    lab = str(root / "inventories" / "lab-64.yaml")
    assert run_program(["placement", lab, "d0-d3"]) == 0
    assert "rail-aligned" in capsys.readouterr().out
    assert run_program(["placement", lab, "d0-g0,d1-g1"]) == 1
    output = capsys.readouterr().out
    assert "illegal: 2 of 2 pairs have no path that NCCL can use" in output
    pasted = output.partition("the job is then ")[2].split("\n")[0]
    assert run_program(["placement", lab, pasted]) == 0
    kept = output.partition("or keep 1 GPU: ")[2].split("\n")[0]
    assert run_program(["placement", lab, kept]) == 0
    capsys.readouterr()
    assert run_program(["placement", lab, "d0-g0,d1-g1", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    keys = {
        "job",
        "gpus",
        "hb_domains",
        "rails",
        "rail_aligned",
        "pairs",
        "relays_outside_job",
        "examples",
        "fix",
        "legal",
    }
    assert keys <= set(document)
    assert {"total", "hb", "direct", "relayed", "none"} <= set(document["pairs"])


def test_the_command_without_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    """Where flags size the fabric, the only argument is the job.

    Without one it is a usage error.
    """
    flags = ["--gpus", "64", "--hb-domain", "8", "--radix", "16"]
    assert run_program(["placement", *flags, "d0-d1"]) == 0
    assert "16 GPUs in 2 HB domains" in capsys.readouterr().out
    assert run_program(["placement", *flags]) == 2
    assert run_program(["placement", *flags, "--design", "fat-tree", "d0-g0,d1-g1"]) == 0
    assert "through the network, rail to rail" in capsys.readouterr().out

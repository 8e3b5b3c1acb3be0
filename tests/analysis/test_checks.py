"""The laws of `check` hold on every drawn and every shipped plan.

Every random fault violates one.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fabricgen.analysis.checks.law import SHOWN
from fabricgen.analysis.checks.laws import LAWS, check, judge
from fabricgen.analysis.checks.plan_evidence import evidence_of
from fabricgen.cli import run
from fabricgen.core.terms import LinkKind
from fabricgen.planning.fabric_links import Wiring, wiring_of
from fabricgen.views.factory import Views
from tests import ROOT
from tests.fabrics import plan_file, plan_of
from tests.laws.drawn import drawn_plans, other_plans
from tests.mutations.breaking import dropped, rewired, rows, swapped
from tests.mutations.plans import PLANS, evidence

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.analysis.checks.law import CheckResult
    from fabricgen.planning.plan import Plan

SHIPPED = sorted([*ROOT.glob("inventories/*.yaml"), *ROOT.glob("examples/*.yaml")])
LARGE, BY_FORMULA = 50_000, {"bisection", "outputs-agree", "routes-apart"}
"""Links above which these laws are verified by formula."""

LAB = ROOT / "inventories" / "lab-64.yaml"


def by_code(report: CheckResult) -> dict[str, str]:
    """Return how each law was verified."""
    return {judgement.law.code: judgement.method for judgement in report.judgements}


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat every fabric as a large one."""
    monkeypatch.setattr("fabricgen.analysis.checks.bisection.FLOW_LINKS", 0)
    monkeypatch.setattr("fabricgen.analysis.checks.scope.READ_LINKS", 16)


def test_a_law_comes_after_those_it_needs() -> None:
    """Codes and titles are unique, and no law needs a later one."""
    codes = [law.code for law in LAWS]
    assert len(set(codes)) == len({law.title for law in LAWS}) == len(codes) == 24
    assert all(codes.index(need) < codes.index(law.code) for law in LAWS for need in law.needs)


@pytest.mark.parametrize("plans", [drawn_plans, pytest.param(other_plans, marks=pytest.mark.slow)])
def test_every_plan_satisfies_every_law(plans: Callable[[], list[Plan]]) -> None:
    """Plans of each design in each number of tiers, evenly spread and not.

    Flow and cut are both computed and agree with the claim.
    """
    for plan in plans():
        report = check(plan)
        assert report.ok, report.findings
        assert (set(by_code(report).values()) == {"exact"}) == (plan.links <= LARGE)


@pytest.mark.usefixtures("hurried")
def test_every_plan_satisfies_every_law_by_formula() -> None:
    """A plan that is too large to be read whole is read in part, and the report states it."""
    methods: Counter[tuple[str, str]] = Counter()
    for plan in drawn_plans():
        report = check(plan)
        assert report.ok, report.findings
        methods.update(by_code(report).items())
        assert all(
            ("by formula" in judgement.figure) == (judgement.method == "formula")
            for judgement in report.judgements
        )
    assert {code for code, method in methods if method == "formula"} == BY_FORMULA


LONG = ("million", "dgx-h100-superpod-64su", "dgx-h100-superpod-32su", "paper-32k-r256")
"""Inventories that take more than a second, by how their names begin."""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] * path.stem.startswith(LONG), id=path.stem)
        for path in SHIPPED
    ],
)
def test_every_shipped_inventory_satisfies_every_law(path: Path) -> None:
    """A million GPUs are verified whole, and laws verified by formula are marked."""
    plan = plan_file(path)
    report = check(plan)
    assert report.ok, report.findings
    assert {code for code, method in by_code(report).items() if method == "formula"} == (
        BY_FORMULA if plan.links > LARGE else set()
    )


def test_the_verified_views_are_those_that_are_rendered() -> None:
    """Both are made once, and a view that is wrong although its plan is right is found."""
    plan = plan_of(**PLANS["lab"])
    views = Views(plan, kept=True)
    assert check(plan, views).ok
    next(views.switches(0)).ports[0].cable = "r9-h00001"
    assert check(plan, views).broken == ["outputs-agree"]


@pytest.mark.parametrize("kept", [True, False])
def test_views_of_a_small_fabric_are_cached(kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001 - a parametrized flag
    """Those of a large one are made each time, because they would fill the memory."""
    plan = plan_of(**PLANS["lab"])
    monkeypatch.setattr("fabricgen.views.factory.KEPT_LINKS", plan.links - (not kept))
    views = Views(plan, kept=True)
    assert (next(views.switches(0)) is next(views.switches(0))) is kept
    assert (views.cables(0) is views.cables(0, 0, len(plan.segment.kind))) is kept


def scrambled(sound: Evidence, draw: st.DataObject) -> Evidence:
    """Put one random fault into the wiring.

    A link is lost, two upper or two lower ends are exchanged, or one end is moved.
    """
    total = len(sound.wiring.kind)
    row, other = (draw.draw(st.integers(0, total - 1)) for _ in range(2))
    if draw.draw(st.booleans()):
        return dropped(sound, [row])
    names = draw.draw(
        st.sampled_from(
            (
                ("upper", "upper_port"),
                ("lower", "lower_port"),
                ("upper",),
                ("upper_port",),
                ("lower",),
                ("lower_port",),
                ("number",),
            )
        )
    )
    assume(
        any(
            getattr(sound.wiring, name)[row] != getattr(sound.wiring, name)[other] for name in names
        )
    )
    if draw.draw(st.booleans()):
        return swapped(sound, (row, other), *names)
    return rewired(sound, row, **{name: int(getattr(sound.wiring, name)[other]) for name in names})


def test_every_fault_of_the_wiring_is_found() -> None:
    """Whatever happens to one link or two, a law is violated and its finding has the place."""
    objectors: Counter[str] = Counter()

    @settings(max_examples=200)
    @given(st.sampled_from(sorted(PLANS)), st.data())
    def seen(name: str, data: st.DataObject) -> None:
        report = judge(scrambled(evidence(name), data))
        assert not report.ok
        assert all(finding.fact for finding in report.findings)
        objectors.update(report.broken)

    seen()
    assert {
        "ports-exist",
        "ports-once",
        "nics-cabled",
        "rails-apart",
        "links-even",
        "wired-as-planned",
        "labels",
    } <= set(objectors), objectors


@pytest.mark.usefixtures("hurried")
def test_a_fault_in_the_middle_of_a_large_fabric_is_found() -> None:
    """Outputs are verified in part, the wiring of every segment completely."""
    sound = evidence_of(plan_of(**PLANS["lab"]))
    report = judge(swapped(sound, rows(sound, LinkKind.HOST, segment=4)[3:5]))
    assert report.broken == ["wired-as-planned"]
    assert "r4-h00004" in report.findings[0].fact


def test_the_wiring_repeats_that_of_one_unit() -> None:
    """Unit 0 has the plan's links.

    Every other segment has the same with its own switches, GPUs and plane.
    """
    plan = plan_of(**PLANS["shared"])
    wiring, rows_of_unit, boxes = wiring_of(plan), len(plan.segment.kind), len(plan.naming.boxes)
    assert {column.dtype for column in wiring} == {np.dtype(np.int32)}
    assert {len(column) for column in wiring} == {plan.links}
    segments = [
        Wiring._make(
            column[segment * rows_of_unit : (segment + 1) * rows_of_unit] for column in wiring
        )
        for segment in range(plan.mapping.segments)
    ]
    hosts = plan.segment.kind == LinkKind.HOST
    for segment, own in enumerate(segments):
        assert set(own.segment.tolist()) == {segment}
        assert np.array_equal(own.upper - segment * boxes, plan.segment.upper)
        assert np.array_equal(own.lower[~hosts] - segment * boxes, plan.segment.lower[~hosts])
        assert set(own.lower_port[hosts].tolist()) == {plan.mapping.plane(segment)}
        rails = own.lower[hosts] % plan.fabric.domain_gpus
        assert set(rails.tolist()) == {plan.mapping.rail(segment, 0), plan.mapping.rail(segment, 1)}


def test_few_findings_are_printed_and_the_rest_counted() -> None:
    """A plane without cables is one finding, not hundreds of lines."""
    sound = evidence("planes")
    report = judge(dropped(sound, rows(sound, LinkKind.HOST, lower_port=1)))
    (broken,) = (judgement for judgement in report.judgements if judgement.ok is False)
    assert (len(broken.findings), broken.more) == (SHOWN, 64 - SHOWN)


def ended(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Run the program, and return its exit code and stdout; stderr must be empty."""
    code = run(list(arguments))
    output = capsys.readouterr()
    assert output.err == ""
    return code, output.out


def test_check_prints_each_law_with_its_figure(capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each law, with its result."""
    code, out = ended(capsys, "check", str(LAB))
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == f"lab-64: {len(LAWS)} laws"
    assert [line[:6].strip() for line in lines[2:-2]] == ["ok"] * len(LAWS)
    assert [law.title in line for law, line in zip(LAWS, lines[2:-2], strict=True)] == [True] * len(
        LAWS
    )
    assert lines[-1] == "every law holds"
    assert "8 x 1,600 Gbps between halves" in out


def test_check_of_a_large_fabric_counts_formulas(capsys: pytest.CaptureFixture[str]) -> None:
    """The end of the report counts the laws that were verified by formula."""
    code, out = ended(capsys, "check", "--gpus", "65536", "--hb-domain", "256", "--radix", "128")
    assert code == 0
    assert out.endswith("every law holds, 3 of them by formula\n")
    assert "segments 0 and 255 of 256, which are alike" in out


def document(capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    """Run `check --json`."""
    code, out = ended(capsys, "check", str(LAB), "--json")
    found: dict[str, Any] = json.loads(out)
    return code, found


def test_check_json(capsys: pytest.CaptureFixture[str]) -> None:
    """The keys that scripts rely on."""
    code, found = document(capsys)
    assert (code, found["ok"]) == (0, True)
    assert set(found) == {"laws", "ok", "findings"}
    assert [law["code"] for law in found["laws"]] == [law.code for law in LAWS]
    assert all({"code", "ok", "figure", "findings"} <= set(law) for law in found["laws"])
    assert all(
        (law["ok"], law["findings"], law["more"]) == (True, [], 0)
        and law["figure"]
        and law["method"] in ("exact", "formula")
        for law in found["laws"]
    )


@pytest.fixture
def miswired(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exchange two host cables of different rails in every plan."""

    def broken(*given: Any) -> Evidence:  # noqa: ANN401 - in place of `evidence_of`
        sound = evidence_of(*given)
        return swapped(
            sound, (rows(sound, LinkKind.HOST, lower=0)[0], rows(sound, LinkKind.HOST, lower=1)[0])
        )

    monkeypatch.setattr("fabricgen.analysis.checks.laws.evidence_of", broken)


@pytest.mark.usefixtures("miswired")
def test_check_of_a_broken_plan(capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code is 1, and the finding follows its law.

    Laws without evidence neither hold nor fail.
    """
    code, out = ended(capsys, "check", str(LAB))
    assert code == 1
    assert "BROKEN  rails and planes meet in HB domains only" in out
    assert (
        "error[rails-apart]: cable r0-h00001 (d0-g0 - r1-leaf-1 swp1) joins rail 0 and "
        "rail 1\n   = because d0-g0 belongs to rail 0"
    ) in out
    assert re.search(
        r"^-       every pair of GPUs is joined +not judged: `rails-apart` is broken$",
        out,
        re.MULTILINE,
    )
    assert "not judged: `wired-as-planned` was not judged" in out
    assert out.endswith(
        f"1 of {len(LAWS)} laws is broken, and 10 could not be judged for it; `fabricgen "
        "explain rails-apart` describes it\n"
    )


@pytest.mark.usefixtures("miswired")
def test_check_json_of_a_broken_plan(capsys: pytest.CaptureFixture[str]) -> None:
    """`ok` is false for the broken law, null for laws that depend on it, true for the rest."""
    code, found = document(capsys)
    assert (code, found["ok"]) == (1, False)
    stand = {law["code"]: law["ok"] for law in found["laws"]}
    assert [code for code, ok in stand.items() if ok is False] == ["rails-apart"]
    assert stand["ports-once"] is True
    assert stand["bisection"] is None
    (law,) = (law for law in found["laws"] if law["ok"] is False)
    assert [finding["code"] for finding in law["findings"]] == ["rails-apart", "rails-apart"]

"""Each law can fail. Every mutation violates exactly one law, whose finding names the fault."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.checks.laws import CHANNEL_LAWS, GROWTH_LAWS, LAWS, judge
from fabricgen.cli.check import report_text
from fabricgen.core.diagnostics import text_of
from tests import ROOT
from tests.mutations.plans import GROWN, PLANS, evidence
from tests.mutations.table import MUTATIONS

if TYPE_CHECKING:
    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.diagnostics import Finding
    from tests.mutations.breaking import Mutation

EVERY_LAW = (*LAWS, *CHANNEL_LAWS, *GROWTH_LAWS)
NEEDS = {law.code: law.needs for law in EVERY_LAW}


def facts(found: Evidence) -> list[Any]:
    """Return the contents of evidence in a form that can be compared."""
    segments = range(found.plan.mapping.segments)
    links = len(found.plan.segment.kind)
    return [
        found.plan.spec,
        [column.tolist() for column in found.wiring],
        found.ports,
        found.idle,
        found.candidates,
        found.candidate.tolist(),
        found.switches,
        found.hosts,
        found.prefixes,
        [column.tolist() for column in found.addresses],
        found.bom,
        found.lengths
        and [
            found.lengths.room.shares,
            *(column.tolist() for column in found.lengths.room.positions[:2]),
        ],
        [list(found.cables(segment, 0, links)) for segment in segments],
        [list(found.configs(segment, range(found.boxes))) for segment in segments],
        [found.settings.values, *(column.tolist() for column in found.settings[1:])],
        {kind: counts.tolist() for kind, counts in found.flows(256).items()},
        found.edges(),
        found.summary,
        found.management
        and [found.management.switches.tolist(), *(str(fact) for fact in found.management)],
        found.racks(),
        found.channels
        and [
            found.channels.parts,
            found.channels.leg.tolist(),
            found.channels.lower.port.tolist(),
            found.channels.panels,
            found.channels.trunks,
            found.plan.mapping.baseline and found.plan.mapping.baseline.document(),
        ],
    ]


@cache
def facts_before(plan: str) -> list[Any]:
    """Return the facts of a plan before the first of its mutations."""
    return facts(evidence(plan))


def resting_on(law: str) -> set[str]:
    """Return the laws that cannot be verified without a law, directly or indirectly."""
    found = {law}
    for code, needs in NEEDS.items():
        if found.intersection(needs):
            found.add(code)
    return found - {law}


@pytest.mark.parametrize("name", [*PLANS, *GROWN])
def test_the_plans_are_correct(name: str) -> None:
    """Before the mutation every law holds, and none by formula."""
    report = judge(evidence(name))
    assert [finding.fact for finding in report.findings] == []
    assert report.ok
    assert {judgement.method for judgement in report.judgements} == {"exact"}


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_exactly_one_law_is_violated(mutation: Mutation) -> None:
    """Its finding names the fault, and laws that depend on it are not verified.

    All others hold, and the original evidence is unchanged.
    """
    sound = evidence(mutation.plan)
    before = facts_before(mutation.plan)
    broken = mutation.broken(sound)
    report = judge(broken)
    assert report.broken == [mutation.law], [finding.fact for finding in report.findings]
    assert {
        judgement.law.code for judgement in report.judgements if judgement.ok is None
    } == resting_on(mutation.law)
    assert {finding.code for finding in report.findings} == {mutation.law}
    assert any(
        mutation.words in text
        for finding in report.findings
        for text in (finding.fact, *finding.because)
    ), report.findings
    assert facts(sound) == before
    assert facts(broken) != before


def test_every_law_has_mutations() -> None:
    """At least two violate it, and all together are many, and different."""
    seen = Counter(mutation.law for mutation in MUTATIONS)
    assert set(seen) == {law.code for law in EVERY_LAW}
    assert min(seen.values()) >= 2
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS) >= 40
    assert {mutation.plan for mutation in MUTATIONS} == {*PLANS, *GROWN}


@pytest.mark.parametrize("law", [law.code for law in EVERY_LAW if law.code != "oversubscription"])
def test_the_examples_of_pages_are_findings(law: str) -> None:
    """Examples of findings are those of a mutation, to the letter.

    A line of a report is the lab's, and oversubscription is a term first.
    """
    page = (ROOT / "fabricgen" / "cli" / "pages" / f"{law}.md").read_text(encoding="utf-8")
    shown = [
        line[4:]
        for line in page.split("\n")
        if line.startswith("    ") and not line.startswith("    $")
    ]
    output = {
        line
        for mutation in MUTATIONS
        if mutation.law == law
        for finding in _findings(mutation)
        for line in text_of(finding).split("\n")
    }
    output |= {
        " ".join(line.split()) for line in report_text(judge(evidence("lab")), "lab").split("\n")
    }
    wrong = [line for line in shown if line not in output and " ".join(line.split()) not in output]
    assert shown
    assert wrong == []


def _findings(mutation: Mutation) -> list[Finding]:
    """Return the findings of a mutation."""
    return judge(mutation.broken(evidence(mutation.plan))).findings

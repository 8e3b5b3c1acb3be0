"""What a law is, what it says, and how laws are asked one after the other.

Owns `Law`, `Verdict` and `Report`. A law whose premise is broken is not judged: what it would say
follows from the first fault, and one fault has one law that objects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from fabricgen.core.diagnostics import Finding
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import IntArray

SHOWN = 5
"""Findings of a law that are shown; how many more there are is counted."""


class Violation(NamedTuple):
    """One thing that breaks a law: the fact, which names the culprit, and the arithmetic."""

    fact: str
    because: tuple[str, ...] = ()


class Violations(NamedTuple):
    """Objections of one sort: how many there are, and the first few of them."""

    total: int
    first: tuple[Violation, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a law says: its figure, and what breaks it. `formula` says what was not counted, and from what it follows."""

    figure: str
    objections: tuple[Violations, ...] = ()
    formula: str = ""


def violations(culprits: Sequence[Any] | IntArray, tell: Callable[[Any], Violation]) -> Violations:
    """Object to each of the culprits, and put the first few into words."""
    return Violations(
        len(culprits),
        tuple(tell(int(one) if hasattr(one, "dtype") else one) for one in culprits[:SHOWN]),
    )


@dataclass(frozen=True, slots=True)
class Law:
    """A law. `needs` are the codes of the laws without which it cannot be judged."""

    code: str
    title: str
    judge: Callable[[Evidence], Verdict]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement(Document):
    """A law and how it stands; `ok` is None where it was not judged. `more` counts the findings that are not shown."""

    law: Law
    ok: bool | None
    figure: str
    findings: tuple[Finding, ...] = ()
    more: int = 0
    method: Literal["exact", "formula"] = "exact"

    def document(self) -> dict[str, Any]:
        """Return a law of `check --json`."""
        return {
            "code": self.law.code,
            "title": self.law.title,
            "ok": self.ok,
            "figure": self.figure,
            "method": self.method,
            "findings": [finding.document() for finding in self.findings],
            "more": self.more,
        }


@dataclass(frozen=True)
class Report(Document):
    """How a plan stands before the laws, in their order."""

    judgements: tuple[Judgement, ...]

    @property
    def ok(self) -> bool:
        """Whether every law holds."""
        return all(judgement.ok for judgement in self.judgements)

    @property
    def broken(self) -> list[str]:
        """The codes of the laws that are broken."""
        return [judgement.law.code for judgement in self.judgements if judgement.ok is False]

    def document(self) -> dict[str, Any]:
        """Return `check --json`."""
        return {"laws": [judgement.document() for judgement in self.judgements], "ok": self.ok}

    @property
    def findings(self) -> list[Finding]:
        """What is shown of all that breaks a law."""
        return [finding for judgement in self.judgements for finding in judgement.findings]


def ask(laws: Iterable[Law], evidence: Evidence) -> Report:
    """Ask laws in order; each comes after those that it needs."""
    stand: dict[str, Judgement] = {}
    for law in laws:
        missing = next((need for need in law.needs if not stand[need].ok), None)
        stand[law.code] = (
            Judgement(law, None, f"not judged: {_state(stand[missing])}")
            if missing
            else _judged(law, evidence)
        )
    return Report(tuple(stand.values()))


def _state(judgement: Judgement) -> str:
    """Say why a law is no premise for another."""
    return f"`{judgement.law.code}` {'is broken' if judgement.ok is False else 'was not judged'}"


def _judged(law: Law, evidence: Evidence) -> Judgement:
    """Ask one law."""
    verdict = law.judge(evidence)
    first = [objection for sort in verdict.objections for objection in sort.first][:SHOWN]
    findings = tuple(
        Finding(law.code, objection.fact, because=objection.because) for objection in first
    )
    more = sum(sort.total for sort in verdict.objections) - len(findings)
    figure = (
        f"{verdict.figure}; by formula: {verdict.formula}" if verdict.formula else verdict.figure
    )
    return Judgement(
        law, not findings, figure, findings, more, "formula" if verdict.formula else "exact"
    )

"""What a law is, what it returns, and how laws are applied one after the other.

Owns `Law`, `Verdict` and `CheckResult`. A law is not judged if a law that it needs is broken: its
findings would follow from that first fault, and each fault is reported by one law.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

from fabricgen.core.diagnostics import Finding
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fabricgen.core.arrays import IntArray

E = TypeVar("E")
"""What a law examines: the evidence of one fabric, or that of all networks of a cluster."""

SHOWN = 5
"""Findings of a law that are shown; the others are counted."""


class Violation(NamedTuple):
    """One thing that breaks a law: the fact, which names the culprit, and the arithmetic."""

    fact: str
    because: tuple[str, ...] = ()


class Violations(NamedTuple):
    """The violations of one kind: their number, and the first few of them."""

    total: int
    first: tuple[Violation, ...]


class Verdict(NamedTuple):
    """The result of a law: its figure, and the violations.

    `formula` describes what was not counted, and from what it follows.
    """

    figure: str
    violations: tuple[Violations, ...] = ()
    formula: str = ""


def violations(
    culprits: Sequence[Any] | IntArray, describe: Callable[[Any], Violation]
) -> Violations:
    """Return violations, with the first few culprits described."""
    return Violations(
        len(culprits),
        tuple(describe(int(one) if hasattr(one, "dtype") else one) for one in culprits[:SHOWN]),
    )


class Law(NamedTuple, Generic[E]):
    """A law; `needs` are the codes of the laws that must hold before it can be judged."""

    code: str
    title: str
    judge: Callable[[E], Verdict]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement(Document):
    """A law and its result; `ok` is None if it was not judged.

    `more` is the number of findings that are not shown.
    """

    law: Law[Any]
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
class CheckResult(Document):
    """The result of `check`: every law with its result, in order."""

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
        return {"laws": [judgement.document() for judgement in self.judgements]}

    @property
    def findings(self) -> list[Finding]:
        """The findings that are shown, of all laws."""
        return [finding for judgement in self.judgements for finding in judgement.findings]


def apply_laws(laws: Iterable[Law[E]], evidence: E) -> CheckResult:
    """Apply laws in order; a law comes after those that it needs."""
    judged: dict[str, Judgement] = {}
    for law in laws:
        missing = next((need for need in law.needs if not judged[need].ok), None)
        judged[law.code] = (
            Judgement(law, None, f"not judged: {_reason(judged[missing])}")
            if missing
            else _judge(law, evidence)
        )
    return CheckResult(tuple(judged.values()))


def merged(compute: CheckResult, networks: dict[str, CheckResult]) -> CheckResult:
    """Return one result for a compute fabric and its networks: a law holds where all agree.

    Not every law is judged of every network; one of the compute fabric alone keeps its result.
    """
    others: dict[str, dict[str, Judgement]] = {}
    for name, result in networks.items():
        for judgement in result.judgements:
            others.setdefault(judgement.law.code, {})[name] = judgement
    return CheckResult(
        tuple(
            _merged(each, tuple(found.values()), tuple(found))
            if (found := others.get(each.law.code))
            else each
            for each in compute.judgements
        )
    )


def _merged(
    compute: Judgement, others: tuple[Judgement, ...], networks: tuple[str, ...]
) -> Judgement:
    """Return the judgement of one law over the compute fabric and its networks."""
    named = [
        replace(finding, fact=f"{name}: {finding.fact}")
        for name, other in zip(networks, others, strict=True)
        for finding in other.findings
    ]
    findings = (*compute.findings, *named)
    results = [compute.ok, *(other.ok for other in others)]
    broken = [name for name, other in zip(networks, others, strict=True) if other.ok is False]
    where = f"broken in {_list(broken)}" if broken else f"so too in {_list(networks)}"
    return replace(
        compute,
        ok=False if False in results else compute.ok,
        figure=f"{compute.figure}; {where}",
        findings=findings[:SHOWN],
        more=compute.more + sum(other.more for other in others) + len(findings[SHOWN:]),
    )


def _list(names: Sequence[str]) -> str:
    """Join names.

    >>> _list(["storage", "inband", "oob"])
    'storage, inband and oob'
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _reason(judgement: Judgement) -> str:
    """Return why a law cannot be the premise of another."""
    return f"`{judgement.law.code}` {'is broken' if judgement.ok is False else 'was not judged'}"


def _judge(law: Law[E], evidence: E) -> Judgement:
    """Apply one law."""
    verdict = law.judge(evidence)
    first = [violation for kind in verdict.violations for violation in kind.first][:SHOWN]
    findings = tuple(
        Finding(law.code, violation.fact, because=violation.because) for violation in first
    )
    more = sum(kind.total for kind in verdict.violations) - len(findings)
    figure = (
        f"{verdict.figure}; by formula: {verdict.formula}" if verdict.formula else verdict.figure
    )
    return Judgement(
        law, not findings, figure, findings, more, "formula" if verdict.formula else "exact"
    )

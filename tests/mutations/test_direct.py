"""Each law of direct rails can fail: a mutation violates one, whose finding names the fault."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.checks.laws import DIRECT_LAWS, LAWS, judge
from fabricgen.analysis.checks.plan_evidence import evidence_of
from fabricgen.api import plan_inventory
from fabricgen.core.diagnostics import text_of
from tests import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import Int32Array

    Columns = dict[str, Int32Array]

OWN = [law.code for law in DIRECT_LAWS if law.code not in {each.code for each in LAWS}]
TORUS: dict[str, Any] = {
    "gpus": 32,
    "hb_domain": {"gpus": 2},
    "nic": {"speed": "400G", "split": "4x100G"},
    "rails": {"medium": "direct", "topology": {"kind": "torus-2d"}},
    "switches": {"leaf": {"generic": {"radix": 16}}},
}


@cache
def evidence() -> Evidence:
    """Return the evidence of two rails of a 4 x 4 torus."""
    return evidence_of(plan_inventory(TORUS))


def wired(change: Callable[[Columns], None]) -> Evidence:
    """Return the evidence with other links."""
    columns = {name: column.copy() for name, column in evidence().wiring._asdict().items()}
    change(columns)
    return replace(evidence(), wiring=evidence().wiring._replace(**columns))


def port_twice(links: Columns) -> None:
    """Plug the first cable where the third ends."""
    for name in ("upper", "upper_port"):
        links[name][0] = links[name][2]


def port_missing(links: Columns) -> None:
    """Plug a cable into a link that the NIC port does not have."""
    links["upper_port"][1] = 9


def rails_swapped(links: Columns) -> None:
    """Exchange the far ends of the first cables of both rails."""
    links["upper"][[0, 32]] = links["upper"][[32, 0]]


def own_port(links: Columns) -> None:
    """Loop a cable back to its GPU, d1-g0, and lead another cable of it elsewhere."""
    out = int((links["lower"] == 2).nonzero()[0][0])
    into = int((links["upper"] == 2).nonzero()[0][0])
    for end in ("upper", "upper_port"):
        links[end][[out, into]] = links[end][[into, out]]


def neighbour_twice(links: Columns) -> None:
    """Exchange the far ends of two cables, so that d0-g0 and d12-g0 have two links between them."""
    other = int((links["upper"] == 24).nonzero()[0][1])
    for end in ("upper", "upper_port"):
        links[end][[0, other]] = links[end][[other, 0]]


def claiming(**claims: int) -> Evidence:
    """Return the evidence with other claims."""
    plan = evidence().plan
    topology = replace(plan.mapping.topology, **claims)  # type: ignore[type-var]  # it is direct
    return replace(evidence(), plan=replace(plan, mapping=replace(plan.mapping, topology=topology)))


MUTATIONS: tuple[tuple[str, str, Callable[[], Evidence]], ...] = (
    ("direct-ports", "has cables", lambda: wired(port_twice)),
    ("direct-ports", "ends nowhere", lambda: wired(port_missing)),
    ("direct-rails", "joins rail 0 and rail 1", lambda: wired(rails_swapped)),
    ("direct-rails", "joins rail 0 and rail 0", lambda: wired(own_port)),
    ("direct-graph", "has degrees of 3 to 4", lambda: wired(neighbour_twice)),
    ("direct-graph", "claims 5", lambda: claiming(diameter=5)),
    ("direct-paths", "claims 9", lambda: claiming(bisection=9)),
    ("direct-paths", "claims 7", lambda: claiming(bisection=7)),
)


def test_the_rails_are_correct() -> None:
    """Before the mutation every law holds, with the figures of a 4 x 4 torus."""
    report = judge(evidence())
    assert report.ok, report.findings
    figures = {each.law.code: each.figure for each in report.judgements}
    assert figures["direct-graph"] == "torus-2d 4 x 4: degree 4, diameter 4"
    assert figures["direct-paths"] == (
        "4 paths of 100G without a link in common; bisection of a rail 800 Gbps"
    )


@pytest.mark.parametrize(("law", "words", "broken"), MUTATIONS)
def test_exactly_one_law_is_violated(law: str, words: str, broken: Callable[[], Evidence]) -> None:
    """Its finding names the fault; laws that need it are not judged, and all others hold."""
    report = judge(broken())
    assert report.broken == [law], [finding.fact for finding in report.findings]
    assert any(words in finding.fact for finding in report.findings), report.findings


@pytest.mark.parametrize("law", OWN)
def test_every_law_has_mutations_and_an_example(law: str) -> None:
    """Two violate it, and the finding on its page is that of one of them."""
    own = [broken for code, _, broken in MUTATIONS if code == law]
    assert len(own) >= 2
    page = (ROOT / "fabricgen" / "cli" / "pages" / f"{law}.md").read_text(encoding="utf-8")
    shown = [line[4:] for line in page.split("\n") if line.startswith("    ")]
    found = {text_of(each) for broken in own for each in judge(broken()).findings}
    assert set(shown) <= found

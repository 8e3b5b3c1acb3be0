"""Each law of a cluster can fail: a mutation violates one law, whose finding names the fault."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from fabricgen.analysis.checks.cluster_laws import (
    ALTERNATION_LAWS,
    CLUSTER_LAWS,
    CONSOLE_LAWS,
    PEER_LAWS,
    UPLINK_LAWS,
    judge_cluster,
)
from fabricgen.analysis.checks.laws import LAWS, check
from fabricgen.cli.check import report_text
from fabricgen.core.diagnostics import text_of
from tests import ROOT
from tests.fabrics import SMALL, plan_of
from tests.mutations.cluster import (
    ALTERNATION_MUTATIONS,
    BOND_MUTATIONS,
    CLUSTER,
    CONSOLE_MUTATIONS,
    DOMAIN_MUTATIONS,
    MUTATIONS,
    PEER_MUTATIONS,
    RESERVE_MUTATIONS,
    UPLINK_MUTATIONS,
    ClusterMutation,
    alternated,
    bonded,
    by_domain,
    cluster,
    consoles,
    joined,
    paired,
    reserved,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.analysis.checks.cluster_evidence import ClusterEvidence

EVERY = [
    (correct, mutation)
    for correct, mutations in (
        (cluster, MUTATIONS),
        (alternated, ALTERNATION_MUTATIONS),
        (bonded, BOND_MUTATIONS),
        (consoles, CONSOLE_MUTATIONS),
        (by_domain, DOMAIN_MUTATIONS),
        (joined, UPLINK_MUTATIONS),
        (paired, PEER_MUTATIONS),
        (reserved, RESERVE_MUTATIONS),
    )
    for mutation in mutations
]
"""Each mutation with the evidence that it changes."""
NAMES = [mutation.name for _, mutation in EVERY]
CODES = [
    law.code for law in (*CLUSTER_LAWS, *ALTERNATION_LAWS, *PEER_LAWS, *UPLINK_LAWS, *CONSOLE_LAWS)
]


def test_the_cluster_is_correct() -> None:
    """Before the mutation every law of a cluster and of its fabrics holds."""
    result = check(cluster().plan)
    assert result.ok, result.findings
    cluster_laws = [law.code for law in CLUSTER_LAWS]
    assert [each.law.code for each in result.judgements][len(LAWS) :] == cluster_laws
    assert result.judgements[-1].figure == (
        "cut off by one switch: storage none of 20 devices, inband none of 10 devices,"
        " oob at most 44 of 88 devices"
    )


@pytest.mark.parametrize(
    ("correct", "law", "figure"),
    [
        (alternated, "devices-alternate", "kinds of devices: 6 in oob"),
        (bonded, "bonds-agree", "20 bonds, each with a segment of its own"),
        (consoles, "consoles-cabled", "22 console ports of switches, 22 cables"),
        (
            by_domain,
            "switch-loss",
            "cut off by one switch: oob at most 38 of 112 devices (none of two HB domains)",
        ),
        (joined, "uplinks-agree", "4 uplinks between networks, with a session each"),
        (paired, "peers-joined", "2 pairs of devices, 2 links"),
        (reserved, "reserve-ports", "leaves to come: storage 6, inband 4"),
    ],
)
def test_the_other_clusters_are_correct(
    correct: Callable[[], ClusterEvidence], law: str, figure: str
) -> None:
    """Every law holds, and the one that only this cluster is subject to counts what it judged."""
    report = judge_cluster(correct())
    assert report.ok, report.findings
    figures = {each.law.code: each.figure for each in report.judgements}
    assert figures[law] == figure


@pytest.mark.parametrize(("correct", "mutation"), EVERY, ids=NAMES)
def test_exactly_one_law_is_violated(
    correct: Callable[[], ClusterEvidence], mutation: ClusterMutation
) -> None:
    """Its finding names the fault; a law that depends on it is not judged, and all others hold."""
    report = judge_cluster(mutation.broken(correct()))
    assert report.broken == [mutation.law], [finding.fact for finding in report.findings]
    unjudged = {each.law.code for each in report.judgements if mutation.law in each.law.needs}
    assert {each.law.code for each in report.judgements if each.ok is None} == unjudged
    assert any(mutation.words in finding.fact for finding in report.findings), report.findings
    assert judge_cluster(correct()).ok


def test_every_law_has_mutations() -> None:
    """At least two violate it."""
    seen = Counter(mutation.law for _, mutation in EVERY)
    assert set(seen) == set(CODES)
    assert min(seen.values()) >= 2


@pytest.mark.parametrize("law", CODES)
def test_the_examples_of_pages_are_findings(law: str) -> None:
    """The finding on the page of a law is that of a mutation, to the letter."""
    page = (ROOT / "fabricgen" / "cli" / "pages" / f"{law}.md").read_text(encoding="utf-8")
    shown = [line[4:] for line in page.split("\n") if line.startswith("    ")]
    output = {
        line
        for correct, mutation in EVERY
        if mutation.law == law
        for finding in judge_cluster(mutation.broken(correct())).findings
        for line in text_of(finding).split("\n")
    }
    assert shown
    assert [line for line in shown if line not in output] == []


def test_a_fabric_without_networks_has_no_law_of_a_cluster() -> None:
    """`check` prints the laws of the fabric alone."""
    result = check(plan_of(**SMALL))
    assert len(result.judgements) == len(LAWS)
    assert report_text(result, "small").startswith(f"small: {len(LAWS)} laws\n")


def test_a_bond_of_one_may_hang_on_one_switch() -> None:
    """Devices with one port in a network are cut off by the switch that they are on alone."""
    networks = {**CLUSTER["networks"]}
    networks["storage"] = {**networks["storage"], "bond": 1}
    result = check(plan_of(**{**CLUSTER, "networks": networks}))
    assert result.ok, result.findings
    assert "storage at most 8 of 20 devices" in result.judgements[-1].figure


def test_a_cluster_without_management_network_has_nothing_to_cable() -> None:
    """Management ports have cables in a network of kind `access` only."""
    networks = {"storage": CLUSTER["networks"]["storage"]}
    devices = CLUSTER["devices"][1:]
    result = check(plan_of(**{**CLUSTER, "networks": networks, "devices": devices}))
    assert result.ok, result.findings
    (judged,) = (each for each in result.judgements if each.law.code == "management-cabled")
    assert judged.figure.startswith("no network of kind `access`")

"""The laws of a cluster, in their order, and the check of all its networks at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.analysis.checks.alternation import alternating, devices_alternate
from fabricgen.analysis.checks.cluster import (
    bonds_apart,
    consoles_cabled,
    management_cabled,
    ports_apart,
    switch_loss,
)
from fabricgen.analysis.checks.law import Law, apply_laws
from fabricgen.analysis.checks.network_reserve import reserve_ports
from fabricgen.analysis.checks.overlays import bonds_agree, vrfs_apart
from fabricgen.analysis.checks.peers import peers_joined
from fabricgen.analysis.checks.power import power_feeds
from fabricgen.analysis.checks.uplinks import uplinks_agree

if TYPE_CHECKING:
    from fabricgen.analysis.checks.cluster_evidence import ClusterEvidence
    from fabricgen.analysis.checks.law import CheckResult

CLUSTER_LAWS: tuple[Law[ClusterEvidence], ...] = (
    Law("management-cabled", "every management port has one cable", management_cabled),
    Law("bonds-apart", "the members of a bond are on different switches", bonds_apart),
    Law(
        "bonds-agree",
        "both leaves of a bond are one system of LACP",
        bonds_agree,
        ("bonds-apart",),
    ),
    Law("vrfs-apart", "no VRF imports the routes of another", vrfs_apart),
    Law("ports-apart", "no port is in two networks", ports_apart),
    Law("power-feeds", "a rack stays powered without any one feed", power_feeds),
    Law("reserve-ports", "spines have ports for the leaves of the reserve", reserve_ports),
    Law("switch-loss", "the loss of a switch cuts no bond off", switch_loss, ("bonds-apart",)),
)
"""The laws of a plan with networks, which are judged over all of them at once."""

ALTERNATION_LAWS: tuple[Law[ClusterEvidence], ...] = (
    Law("devices-alternate", "devices of a kind take leaves in turn", devices_alternate),
)
"""The laws of a plan with networks whose devices alternate, judged after the others."""

PEER_LAWS: tuple[Law[ClusterEvidence], ...] = (
    Law("peers-joined", "the devices of every pair are joined", peers_joined, ("ports-apart",)),
)
"""The laws of a plan with paired devices, judged after the others."""

UPLINK_LAWS: tuple[Law[ClusterEvidence], ...] = (
    Law("uplinks-agree", "both ends of an uplink have a session", uplinks_agree, ("ports-apart",)),
)
"""The laws of a plan with uplinks between two networks whose leaves route."""

CONSOLE_LAWS: tuple[Law[ClusterEvidence], ...] = (
    Law("consoles-cabled", "every switch has one cable to a console server", consoles_cabled),
)
"""The laws of a plan with console servers, judged last."""


def judge_cluster(evidence: ClusterEvidence) -> CheckResult:
    """Apply every law of a cluster to some evidence."""
    more = ALTERNATION_LAWS if alternating(evidence.plan) else ()
    pairs = PEER_LAWS if evidence.peers else ()
    uplinks = UPLINK_LAWS if evidence.joined else ()
    consoles = CONSOLE_LAWS if evidence.plan.spec.networks.console else ()
    return apply_laws((*CLUSTER_LAWS, *more, *pairs, *uplinks, *consoles), evidence)

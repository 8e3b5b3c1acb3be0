"""The list of laws, in their order, and the check of a plan against all of them."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from fabricgen.analysis.checks.alternation import alternating, devices_alternate
from fabricgen.analysis.checks.bisection import bisection
from fabricgen.analysis.checks.capacity import links_even, oversubscription
from fabricgen.analysis.checks.channels import channels_apart, fibres_cross, light_suffices
from fabricgen.analysis.checks.circuits import circuits_join, circuits_matched, light_passes
from fabricgen.analysis.checks.cluster import (
    bonds_apart,
    consoles_cabled,
    management_cabled,
    ports_apart,
    switch_loss,
)
from fabricgen.analysis.checks.cluster_evidence import cluster_evidence
from fabricgen.analysis.checks.direct import (
    direct_graph,
    direct_paths,
    direct_ports,
    direct_rails,
)
from fabricgen.analysis.checks.flow_balance import flows_spread
from fabricgen.analysis.checks.isolation import all_pairs, rails_apart
from fabricgen.analysis.checks.kept_channels import trunks_stay
from fabricgen.analysis.checks.law import CheckResult, Law, apply_laws, merged
from fabricgen.analysis.checks.link_settings import ends_agree
from fabricgen.analysis.checks.management import reachable
from fabricgen.analysis.checks.network_reserve import reserve_ports
from fabricgen.analysis.checks.optics import optics_match
from fabricgen.analysis.checks.outputs_agree import outputs_agree
from fabricgen.analysis.checks.overlays import bonds_agree, vrfs_apart
from fabricgen.analysis.checks.peers import peers_joined
from fabricgen.analysis.checks.plan_evidence import evidence_of
from fabricgen.analysis.checks.ports import nics_cabled, ports_exist, ports_once
from fabricgen.analysis.checks.power import power_feeds
from fabricgen.analysis.checks.racks import racks
from fabricgen.analysis.checks.route_isolation import routes_apart
from fabricgen.analysis.checks.spare_ports import leaves_used, spare_ports
from fabricgen.analysis.checks.totals import counts_agree
from fabricgen.analysis.checks.uniqueness import addresses, as_numbers, labels, names
from fabricgen.analysis.checks.uplinks import uplinks_agree
from fabricgen.analysis.checks.wiring_rule import wired_as_planned
from fabricgen.core.terms import PEERS
from fabricgen.planning.power_cords import plan_power
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabricgen.analysis.checks.cluster_evidence import ClusterEvidence
    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.power_cords import PowerPlan


LAWS: tuple[Law[Evidence], ...] = (
    Law("ports-exist", "every link ends at a port that is there", ports_exist),
    Law("ports-once", "every port carries one link at most", ports_once, ("ports-exist",)),
    Law("nics-cabled", "every NIC port has one cable", nics_cabled, ("ports-exist",)),
    Law("leaves-used", "every leaf has an endpoint unless reserved", leaves_used, ("nics-cabled",)),
    Law(
        "rails-apart",
        "rails and planes meet in HB domains only",
        rails_apart,
        ("ports-once", "nics-cabled"),
    ),
    Law("all-pairs", "every pair of GPUs is joined", all_pairs, ("rails-apart",)),
    Law("links-even", "uplinks are spread evenly", links_even, ("all-pairs",)),
    Law(
        "oversubscription", "no more oversubscription than asked", oversubscription, ("links-even",)
    ),
    Law(
        "bisection", "half reaches half as claimed", bisection, ("leaves-used", "oversubscription")
    ),
    Law("flows-spread", "flows spread over equal uplinks", flows_spread, ("links-even",)),
    Law("spare-ports", "used and idle ports are all ports", spare_ports, ("ports-once",)),
    Law("labels", "every cable has its own label", labels),
    Law(
        "wired-as-planned",
        "every link follows the rule",
        wired_as_planned,
        ("nics-cabled", "bisection", "spare-ports", "labels"),
    ),
    Law("optics-match", "optics and cables match", optics_match, ("ports-exist",)),
    Law("names", "names are unique and legal", names),
    Law("addresses", "addresses are unique and in their pools", addresses),
    Law("as-numbers", "AS numbers keep sessions external", as_numbers, ("ports-exist",)),
    Law("racks", "every device has its place in a rack", racks, ("ports-exist",)),
    Law(
        "outputs-agree",
        "every output describes the same links",
        outputs_agree,
        ("wired-as-planned", "optics-match", "names", "addresses", "racks"),
    ),
    Law("routes-apart", "routes stay on their rail and plane", routes_apart, ("outputs-agree",)),
    Law("ends-agree", "both ends of a link have the same settings", ends_agree, ("outputs-agree",)),
    Law("reachable", "every switch can be managed by its files alone", reachable),
    Law("counts-agree", "every output counts alike", counts_agree, ("outputs-agree",)),
)
"""The laws in the order in which they are judged: each after those that it needs."""

CHANNEL_LAWS: tuple[Law[Evidence], ...] = (
    Law("channels-apart", "every panel port and fibre serves one link", channels_apart),
    Law("fibres-cross", "every transmitter meets its receiver", fibres_cross, ("channels-apart",)),
    Law("light-suffices", "no channel loses too much light", light_suffices, ("channels-apart",)),
)
"""The laws of fabrics with links that run through panels, judged after the others."""

GROWTH_LAWS: tuple[Law[Evidence], ...] = (
    Law("trunks-stay", "installed panels and trunks stay", trunks_stay),
)
"""The laws of fabrics that grew through panels, judged after the others."""

CIRCUIT_LAWS: tuple[Law[Evidence], ...] = (
    Law(
        "circuits-matched",
        "every port has one circuit at most, on its own rail",
        circuits_matched,
        ("nics-cabled",),
    ),
    Law("circuits-join", "circuits join every job", circuits_join, ("circuits-matched",)),
    Law("light-passes", "no circuit loses too much light", light_passes, ("ports-exist",)),
)
"""The laws of fabrics whose leaves join ports two by two, judged after the others."""

DIRECT_LAWS: tuple[Law[Evidence], ...] = (
    Law("direct-ports", "every link of a NIC port is used once", direct_ports),
    Law("direct-rails", "links join GPUs of one rail", direct_rails, ("direct-ports",)),
    Law("direct-graph", "rails are the graphs they claim", direct_graph, ("direct-rails",)),
    Law("direct-paths", "halves are joined as claimed", direct_paths, ("direct-graph",)),
    *(
        replace(law, needs=("direct-ports",) if law.needs else ())
        for law in LAWS
        if law.code in ("labels", "optics-match", "names", "racks", "counts-agree")
    ),
)
"""The laws of rails without switches, instead of the others."""

PAIR_LAWS: tuple[Law[Evidence], ...] = tuple(
    replace(law, needs=()) for law in DIRECT_LAWS if law.code in ("labels", "optics-match")
)
"""The laws of the links between paired devices; `PEER_LAWS` has the law of their ends."""

SHARED_LAWS: tuple[Law[Evidence], ...] = tuple(
    replace(law, needs=())
    for law in LAWS
    if law.code
    in (
        "ports-exist",
        "ports-once",
        "nics-cabled",
        "labels",
        "wired-as-planned",
        "optics-match",
    )
)
"""The laws of devices on leaves of the compute fabric, whose own laws are about all else."""

ADDRESS_LAWS: tuple[Law[Evidence], ...] = tuple(law for law in LAWS if law.code == "addresses")
"""The laws of a network on such leaves, which has addresses of its own."""

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


def check(plan: Plan, views: Views | None = None) -> CheckResult:
    """Apply every law to a plan, to its networks, and to the views that are rendered.

    Raises the Refusal of a price book that does not exist.
    """
    return judge_networks(judge(evidence_of(plan, views or Views(plan, kept=True))), plan)


def judge_networks(
    compute: CheckResult,
    plan: Plan,
    power: Callable[[Plan], PowerPlan | None] = plan_power,
    views: Mapping[str, Views] = MappingProxyType({}),
) -> CheckResult:
    """Return the result of the compute fabric with those of the networks beside it.

    `views` are those of networks that templates read, too.
    """
    if not plan.networks:
        return compute
    networks = {name: check(network, views.get(name)) for name, network in plan.networks.items()}
    cluster = judge_cluster(cluster_evidence(plan, power))
    return CheckResult((*merged(compute, networks).judgements, *cluster.judgements))


def judge_cluster(evidence: ClusterEvidence) -> CheckResult:
    """Apply every law of a cluster to some evidence."""
    more = ALTERNATION_LAWS if alternating(evidence.plan) else ()
    pairs = PEER_LAWS if evidence.peers else ()
    uplinks = UPLINK_LAWS if evidence.joined else ()
    consoles = CONSOLE_LAWS if evidence.plan.spec.networks.console else ()
    return apply_laws((*CLUSTER_LAWS, *more, *pairs, *uplinks, *consoles), evidence)


def judge(evidence: Evidence) -> CheckResult:
    """Apply every law to some evidence."""
    if evidence.plan.fabric.network_name == PEERS:
        return apply_laws(PAIR_LAWS, evidence)
    if evidence.plan.mapping.topology:
        return apply_laws(DIRECT_LAWS, evidence)
    shared, baseline = evidence.plan.fabric.shared_leaves, evidence.plan.mapping.baseline
    more = CHANNEL_LAWS if evidence.channels else ()
    grown = GROWTH_LAWS if evidence.channels and baseline and baseline.channels else ()
    if shared:
        own = () if shared.in_compute else ADDRESS_LAWS
        return apply_laws((*SHARED_LAWS, *own, *more, *grown), evidence)
    light = CIRCUIT_LAWS if evidence.plan.fabric.has_circuits else ()
    return apply_laws((*LAWS, *more, *grown, *light), evidence)

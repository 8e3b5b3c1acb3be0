"""The laws of one fabric, in their order, and the check of a plan against every law.

`circuits` has the laws of circuit switches and `cluster_laws` those of all networks at once.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from fabricgen.analysis.checks.bisection import bisection
from fabricgen.analysis.checks.capacity import links_even, oversubscription
from fabricgen.analysis.checks.channels import channels_apart, fibres_cross, light_suffices
from fabricgen.analysis.checks.direct import (
    direct_graph,
    direct_paths,
    direct_ports,
    direct_rails,
)
from fabricgen.analysis.checks.flow_balance import flows_spread
from fabricgen.analysis.checks.isolation import all_pairs, rails_apart
from fabricgen.analysis.checks.kept_channels import trunks_stay
from fabricgen.analysis.checks.lanes import lanes_agree
from fabricgen.analysis.checks.law import CheckResult, Law, apply_laws, merged
from fabricgen.analysis.checks.link_settings import ends_agree
from fabricgen.analysis.checks.management import reachable
from fabricgen.analysis.checks.optics import optics_match
from fabricgen.analysis.checks.outputs_agree import outputs_agree
from fabricgen.analysis.checks.plan_evidence import evidence_of
from fabricgen.analysis.checks.ports import nics_cabled, ports_exist, ports_once
from fabricgen.analysis.checks.racks import racks
from fabricgen.analysis.checks.route_isolation import routes_apart
from fabricgen.analysis.checks.spare_ports import leaves_used, spare_ports
from fabricgen.analysis.checks.totals import counts_agree
from fabricgen.analysis.checks.uniqueness import addresses, as_numbers, labels, names
from fabricgen.analysis.checks.wiring_rule import wired_as_planned
from fabricgen.core.terms import PEERS
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
    Law("lanes-agree", "lanes agree from cage to cage", lanes_agree, ("optics-match",)),
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

DIRECT_LAWS: tuple[Law[Evidence], ...] = (
    Law("direct-ports", "every link of a NIC port is used once", direct_ports),
    Law("direct-rails", "links join GPUs of one rail", direct_rails, ("direct-ports",)),
    Law("direct-graph", "rails are the graphs they claim", direct_graph, ("direct-rails",)),
    Law("direct-paths", "halves are joined as claimed", direct_paths, ("direct-graph",)),
    *(
        law._replace(needs=("direct-ports",) if law.needs else ())
        for law in LAWS
        if law.code in ("labels", "optics-match", "lanes-agree", "names", "racks", "counts-agree")
    ),
)
"""The laws of rails without switches, instead of the others."""

PAIR_LAWS: tuple[Law[Evidence], ...] = tuple(
    law._replace(needs=()) for law in DIRECT_LAWS if law.code in ("labels", "optics-match")
)
"""The laws of the links between paired devices; `PEER_LAWS` has the law of their ends."""

SHARED_LAWS: tuple[Law[Evidence], ...] = tuple(
    law._replace(needs=())
    for law in LAWS
    if law.code
    in (
        "ports-exist",
        "ports-once",
        "nics-cabled",
        "labels",
        "wired-as-planned",
        "optics-match",
        "lanes-agree",
    )
)
"""The laws of devices on leaves of the compute fabric, whose own laws are about all else."""

ADDRESS_LAWS: tuple[Law[Evidence], ...] = tuple(law for law in LAWS if law.code == "addresses")
"""The laws of a network on such leaves, which has addresses of its own."""


def check(plan: Plan, views: Views | None = None) -> CheckResult:
    """Apply every law to a plan, to its networks, and to the views that are rendered.

    Raises the Refusal of a price book that does not exist.
    """
    return judge_networks(judge(evidence_of(plan, views or Views(plan, kept=True))), plan)


def judge_networks(
    compute: CheckResult,
    plan: Plan,
    power: Callable[[Plan], PowerPlan | None] | None = None,
    views: Mapping[str, Views] = MappingProxyType({}),
) -> CheckResult:
    """Return the result of the compute fabric with those of the networks beside it.

    `power` plans the power cords where the caller keeps them, and `views` are those of networks
    that templates read, too.
    """
    if not plan.networks:
        return compute
    from fabricgen.analysis.checks.cluster_evidence import cluster_evidence  # noqa: PLC0415 - most plans have no networks
    from fabricgen.analysis.checks.cluster_laws import judge_cluster  # noqa: PLC0415 - as above

    networks = {name: check(network, views.get(name)) for name, network in plan.networks.items()}
    cluster = judge_cluster(cluster_evidence(plan, power))
    return CheckResult((*merged(compute, networks).judgements, *cluster.judgements))


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
    return apply_laws((*LAWS, *more, *grown, *_circuit_laws(evidence.plan)), evidence)


def _circuit_laws(plan: Plan) -> tuple[Law[Evidence], ...]:
    """Return the laws of a fabric whose leaves are circuit switches; none of any other."""
    if not plan.fabric.has_circuits:
        return ()
    from fabricgen.analysis.checks.circuits import CIRCUIT_LAWS  # noqa: PLC0415 - few fabrics have circuits

    return CIRCUIT_LAWS

"""From a plan to what schedulers and automation read: stripes, HB domains, and how they join.

Owns the names of stripes, pods and HB domains, what joins them, and the notes on it. `view` defines
the shapes; templates hold the words of each scheduler.

A scheduler's tree gives each host one parent, and here a host is connected to a leaf of every rail.
So the leaf of that tree is the stripe, and it has a root only where the root promises nothing that
rails lack: where any two hosts share a rail.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING

from fabricgen.core.count_text import counted
from fabricgen.core.terms import Role
from fabricgen.outputs.schedulers.hostlists import host_ranges, node_expression
from fabricgen.outputs.schedulers.view import (
    ClusterView,
    DevicesView,
    DomainView,
    GroupView,
    ManagedDeviceView,
    PodView,
    StripeView,
)
from fabricgen.planning.addressing import address_text
from fabricgen.planning.stripes import pods, stripes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.naming import Box
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.stripes import Stripe

TIERS = [f"fabric.topograph.run/tier-{tier}" for tier in range(3)]
DOMAIN, HOST = "accelerator.topograph.run/domain", "kubernetes.io/hostname"
"""Labels of Kubernetes nodes, as topograph writes them; tier 0 is the nearest to the host."""

BATCH = 100
"""Maximum hosts of one command, within the limit of a shell: a name has 63 characters at most."""

ROOT = "fabric"
"""The root of the stripes; the fabric's own name could be that of a stripe."""


def cluster_view(plan: Plan) -> ClusterView:
    """Make the view of a fabric's stripes."""
    fabric, found = plan.fabric, stripes(plan)
    views = _stripes(plan, found)
    root = ROOT if len(found) > 1 and hosts_meet(plan) else ""
    of_pod = pods(plan, found) if root else []
    if not 1 < len(of_pod) < len(found):
        of_pod = []
    joined = _pods(of_pod, views)
    names = [view.name for view in joined or views]
    tiers = TIERS[2::-1] if joined else TIERS[1::-1]
    levels = [
        *(tiers if root else tiers[1:]),
        *([DOMAIN] if fabric.domain_hosts > 1 else []),
        HOST,
    ]
    by_stripe = [list(stripe.domains) for stripe in found]
    by_pod = [[domain for index in pod for domain in by_stripe[index]] for pod in of_pod]
    return ClusterView(
        fabric=plan.spec.name,
        design=fabric.design.value,
        stripes=views,
        pods=joined,
        root=root,
        children=node_expression(names),
        names=names,
        last=views[-1].name,
        notes=list(_notes(plan, root, len(found), joined)),
        block_sizes=_block_sizes(fabric.domain_hosts, by_stripe, by_pod),
        domain_hosts=fabric.domain_hosts,
        has_leaves=bool(plan.roles),
        levels=levels,
        widest=tiers[0],
    )


def hosts_meet(plan: Plan) -> bool:
    """Return whether any two hosts share a rail.

    Rails meet in switches, or each host has a GPU on every rail.
    """
    return plan.mapping.spans_rails or plan.fabric.host_gpus >= plan.fabric.rails


def _stripes(plan: Plan, found: list[Stripe]) -> list[StripeView]:
    """Name the stripes from 1, and the HB domains as GPUs name them, from 0."""
    coordinates = plan.fabric.coordinates
    views = []
    for number, stripe in enumerate(found, start=1):
        name = f"stripe-{number}"
        members = [
            (domain, [plan.hosts[host] for host in coordinates.domain_host_range(domain)])
            for domain in stripe.domains
        ]
        own = [host for _, inside in members for host in inside]
        batches = [own[first : first + BATCH] for first in range(0, len(own), BATCH)]
        domains = [
            DomainView(f"hb-{domain}", name, node_expression(inside), inside)
            for domain, inside in members
        ]
        views.append(
            StripeView(
                name, node_expression(own), batches, domains, host_ranges(own), f"stripe_{number}"
            )
        )
    return views


def _pods(of_pod: list[list[int]], views: list[StripeView]) -> list[PodView]:
    """Name the pods from 1, and state the pod of each of their stripes."""
    found = []
    for number, members in enumerate(of_pod, start=1):
        name, own = f"pod-{number}", [views[index] for index in members]
        for view in own:
            view.pod = name
        names = [view.name for view in own]
        found.append(PodView(name, node_expression(names), names))
    return found


def _block_sizes(domain_hosts: int, *groupings: list[list[int]]) -> list[int]:
    """List the sizes of blocks: an HB domain's, and a stripe's and pod's that Slurm can express.

    A larger size is a power of two times the first, and takes blocks in their order; so stripes
    and pods must hold that many domains in a row.
    """
    sizes = [domain_hosts]
    for groups in groupings:
        most = len(groups[0]) if groups else 0
        ordered = [domain for group in groups for domain in group]
        in_a_row = ordered == list(range(len(ordered)))
        full = all(len(group) == most for group in groups[:-1]) and len(ordered) <= most * len(
            groups
        )
        if in_a_row and full and most.bit_count() == 1 and domain_hosts * most > sizes[-1]:
            sizes.append(domain_hosts * most)
    return sizes


def _notes(plan: Plan, root: str, count: int, joined: list[PodView]) -> Iterator[str]:
    """Yield notes on what a stripe is, and what its root does and does not promise."""
    fabric = plan.fabric
    if plan.mapping.topology:
        yield from _direct_notes(plan, plan.mapping.topology.title)
        return
    yield (
        "A stripe is the HB domains that share the same leaf in every rail; it represents"
        " those leaves, because a host has one parent only."
    )
    if not plan.mapping.spans_rails and fabric.rails > 1:
        yield (
            f"The {fabric.rails} rails never meet in switches: leaves or spines of rails under one"
            " common root would promise connectivity that is not there."
        )
        if hosts_meet(plan):
            yield (
                "Between rails a GPU relays inside its HB domain, so give out whole hosts, and"
                " every GPU of a job reaches every other."
            )
    if joined:
        yield (
            "A pod is the stripes whose leaves share their spines in every rail; between pods every"
            " packet crosses the cores."
        )
    if root:
        below, shared = "pods" if joined else "stripes", "cores" if plan.sizing.core else "spines"
        yield (
            f"The root `{root}` joins {below} and not rails: it stands for the {shared} of every"
            f" rail side by side, which all {below} share."
        )
    elif count > 1:
        within = (
            f"A host has {fabric.host_gpus} GPUs on {min(fabric.host_gpus, fabric.rails)} of the"
            f" {fabric.rails} rails, so two hosts may share no rail"
        )
        yield f"{within}: no root joins the stripes, and a tree keeps each job within one."
        yield (
            "Where every job is given whole HB domains, a root may be added by hand, above all"
            f" {count} stripes."
        )
    if not hosts_meet(plan):
        yield (
            "Hosts of different HB domains share rails only at the same place in them: give out"
            f" whole HB domains, {fabric.domain_hosts} hosts each."
        )


def _direct_notes(plan: Plan, graph: str) -> Iterator[str]:
    """Yield notes on rails without switches: no part of the cluster is nearer to itself."""
    yield (
        f"No switch joins the hosts: each of the {plan.fabric.rails} rails is a graph of all HB"
        f" domains ({graph}), and the one stripe has them all."
    )
    yield (
        "Rings of a job on all HB domains go from neighbour to neighbour; those of a job on a part"
        " take paths over the hosts of others, so give out consecutive HB domains."
    )
    yield (
        "Between rails a GPU relays inside its HB domain, so give out whole HB domains,"
        f" {counted(plan.fabric.domain_hosts, 'host')} each."
    )


def devices_view(plan: Plan) -> DevicesView:
    """Make the view of all devices.

    Switches by role with their facts, by rail, plane and system, and hosts by stripe.
    """
    roles: dict[str, list[ManagedDeviceView]] = {f"{role}_switches": [] for role in plan.roles}
    others: dict[str, list[str]] = defaultdict(list)
    for segment in range(plan.mapping.segments):
        names = plan.naming.switches(segment)
        for at, box in enumerate(plan.naming.boxes):
            if plan.installed[at]:
                name, facts = names[at], _facts(plan, segment, box)
                if plan.management:
                    facts = {"ansible_host": plan.management.switch(segment, at), **facts}
                roles[f"{box.role}_switches"].append(ManagedDeviceView(name, facts))
                for group in _groups(facts):
                    others[group].append(name)
    networks = {name: [*_network_switches(own)] for name, own in plan.switched.items()}
    for device in chain.from_iterable(networks.values()):
        if device.facts["nos"]:
            others[nos_group(str(device.facts["nos"]))].append(device.name)
    return DevicesView(
        plan.spec.name,
        [GroupView(name, devices, []) for name, devices in roles.items()],
        [GroupView(name, [], host_ranges(members)) for name, members in others.items()],
        _stripes(plan, stripes(plan)),
        plan.management is not None,
        _addressed_hosts(plan),
        [GroupView(f"network_{name}", devices, []) for name, devices in networks.items()],
    )


def _network_switches(network: Plan) -> Iterator[ManagedDeviceView]:
    """Yield the switches of a network beside the compute fabric, which has no rails."""
    for segment in range(network.mapping.segments):
        names = network.naming.switches(segment)
        for at, box in enumerate(network.naming.boxes):
            if network.installed[at]:
                facts = _facts(network, segment, box)
                facts = {"network": network.fabric.network_name} | {
                    name: fact for name, fact in facts.items() if name not in ("plane", "rails")
                }
                if network.management:
                    facts = {"ansible_host": network.management.switch(segment, at), **facts}
                yield ManagedDeviceView(names[at], facts)


def _addressed_hosts(plan: Plan) -> list[ManagedDeviceView]:
    """Return the hosts with the addresses by which they are managed; none without a pool."""
    given = plan.management
    if given is None or given.hosts is None:
        return []
    return [
        ManagedDeviceView(name, {"ansible_host": given.host(number)})
        for number, name in enumerate(plan.hosts)
    ]


def _facts(plan: Plan, segment: int, box: Box) -> dict[str, str | int | list[int]]:
    """Return the facts of a switch for automation; a loopback is that of its first rail."""
    port_layout = plan.port_layouts(segment)[box.role]
    shared = range(plan.mapping.segment_blocks) if box.block < 0 else [box.block]
    rails = [rail for block in shared if (rail := plan.mapping.rail(segment, block)) is not None]
    facts: dict[str, str | int | list[int]] = {
        "role": box.role.value,
        "nos": port_layout.nos,
        "plane": plan.mapping.plane(segment),
        "rails": rails,
    }
    fabric = plan.fabric
    apart = fabric.network is not None and not fabric.network.joined
    routes = not apart and not fabric.has_circuits
    if fabric.port_layouts[Role.LEAF].model.transport == "ethernet" and routes:
        facts |= {
            "asn": plan.addresses.asn(segment, box),
            "loopback": address_text(plan.addresses.loopback(segment, shared[0], box)),
        }
    return facts


def _groups(facts: dict[str, str | int | list[int]]) -> Iterator[str]:
    """Return the groups of a switch.

    An underscore separates them from hosts, whose names have none; a group has no hyphen.
    """
    rails = facts["rails"]
    yield from (f"rail_{rail}" for rail in (rails if isinstance(rails, list) else []))
    yield f"plane_{facts['plane']}"
    if facts["nos"]:
        yield nos_group(str(facts["nos"]))


def nos_group(nos: str) -> str:
    """Return the group of the switches that run a NOS.

    >>> nos_group("os-10")
    'nos_os_10'
    """
    return f"nos_{nos.replace('-', '_').replace('.', '_')}"

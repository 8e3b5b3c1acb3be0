"""The bandwidth that collectives have on direct rails.

Data parallelism reduces along the rail in rings. Over all links of every GPU at once such a ring is
bandwidth-optimal (Patarasuk and Yuan, 2009): a ring uses both directions, a torus and a hypercube
one ring for each dimension and direction (Jouppi et al., TPU v4, arXiv 2304.01433), several rings
one each (TopoOpt, NSDI 2023), an expander of even degree its Hamiltonian cycles (Kim and Wormald,
2001), and a full mesh sends each part to its owner. So B_S is the bandwidth of the links with a
cable; an odd degree of an expander leaves one of them out.

With pipeline stages a ring passes a part of the rail, and activations go to another part: the next
GPU may be several links away, and a message takes the bandwidth of each. B_S is then divided by the
greater of the two mean distances, which bounds the time from above. Bytes to experts go to every
other GPU: their time is that of the busiest link.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabricgen.analysis.forwarding.direct_paths import DirectRouting
from fabricgen.analysis.forwarding.failures import Failures
from fabricgen.analysis.workload.equations import iterate
from fabricgen.analysis.workload.experts import expert_s, pair_bytes
from fabricgen.analysis.workload.machine import BYTES_S
from fabricgen.analysis.workload.rail_load import busiest_link
from fabricgen.core.terms import speed_text

if TYPE_CHECKING:
    from fabricgen.analysis.workload.equations import Group, Times
    from fabricgen.analysis.workload.machine import Machine
    from fabricgen.catalog.models.workload import Workload
    from fabricgen.planning.plan import Plan


def over_direct_rails(machine: Machine, plan: Plan, stages: int) -> Machine:
    """Return the figures of a machine whose rails are direct, with so many pipeline stages."""
    fabric, topology = plan.fabric, plan.mapping.topology
    used = topology.ring_links if topology else fabric.split
    hops = mean_hops(plan, stages)
    words = f"{used} links of {speed_text(fabric.link_gbps)} of each NIC port, in rings"
    away = f", over {hops:.3g} links on average" if hops > 1 else ""
    return replace(
        machine,
        nic_bytes_s=fabric.planes * used * fabric.link_gbps * BYTES_S / hops,
        origins={**machine.origins, "B_S": words + away},
    )


def direct_times(machine: Machine, plan: Plan, llm: Workload, group: Group = "continuous") -> Times:
    """Return the parts of an iteration on direct rails; `machine` has their bandwidth."""
    found = iterate(llm, machine, group)
    if llm.moe is None:
        return found
    return found._replace(experts_s=expert_s(llm, machine, _across_s(machine, plan, llm)))


def _across_s(machine: Machine, plan: Plan, llm: Workload) -> float:
    """Return the time of the busiest link with the bytes to experts."""
    fabric, links = plan.fabric, plan.segment
    pattern, coordinates = plan.mapping.pattern(), fabric.coordinates
    place = {gpu: node for node, gpu in enumerate(pattern.tolist())}
    pairs = [
        (place[lower], place[upper])
        for lower, upper in zip(links.lower.tolist(), links.upper.tolist(), strict=True)
    ]
    stages = coordinates.domain(pattern) * llm.pipeline_stages // coordinates.domains
    groups = (stages * fabric.ranks_per_rail + coordinates.rail_slot(pattern)).tolist()
    each = machine.domain_gpus * pair_bytes(llm, machine)
    return (
        busiest_link(len(groups), pairs, groups)
        * each
        / (fabric.planes * fabric.link_gbps * BYTES_S)
    )


def mean_hops(plan: Plan, stages: int) -> float:
    """Return the mean number of links to the next GPU of a ring, or of a pipeline if more.

    A stage is a run of HB domains. Rings of a whole rail go from neighbour to neighbour.
    """
    topology = plan.mapping.topology
    if stages == 1 or topology is None or topology.nodes % stages:
        return 1.0
    size, nodes = topology.nodes // stages, topology.nodes
    routing, pattern = DirectRouting(plan, Failures()), plan.mapping.pattern().tolist()
    ring = [(node, node // size * size + (node + 1) % size) for node in range(nodes) if size > 1]
    onward = [(node, node + size) for node in range(nodes - size)]
    means = [
        sum(routing.links_between(pattern[one], pattern[other]) or 0 for one, other in pairs)
        / len(pairs)
        for pairs in (ring, onward)
        if pairs
    ]
    return max(*means, 1.0)

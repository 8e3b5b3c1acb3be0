"""The bandwidth that collectives have on direct rails.

Data parallelism reduces along the rail in rings. Over all links of every GPU at once such a ring is
bandwidth-optimal (Patarasuk and Yuan, 2009): a ring uses both directions, a torus and a hypercube
one ring for each dimension and direction (Jouppi et al., TPU v4, arXiv 2304.01433), several rings
one each (TopoOpt, NSDI 2023), an expander of even degree its Hamiltonian cycles (Kim and Wormald,
2001), and a full mesh sends each part to its owner. So B_S is the bandwidth of the links with a
cable; an odd degree of an expander leaves one of them out.

With pipeline stages a ring passes a part of the rail, and activations go to another part: the next
GPU may be several links away, and a message takes the bandwidth of each. B_S is then divided by the
greater of the two mean distances, which bounds the time from above.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabricgen.analysis.forwarding.direct_paths import DirectRouting
from fabricgen.analysis.forwarding.failures import Failures
from fabricgen.analysis.workload.machine import BYTES_S
from fabricgen.core.terms import speed_text

if TYPE_CHECKING:
    from fabricgen.analysis.workload.machine import Machine
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
        sum(routing.links_between(pattern[one], pattern[other]) for one, other in pairs)
        / len(pairs)
        for pairs in (ring, onward)
        if pairs
    ]
    return max(*means, 1.0)

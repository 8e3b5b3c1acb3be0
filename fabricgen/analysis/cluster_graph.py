"""The nodes and edges of all networks of a plan, as names with attributes.

Owns what the networks beside the compute fabric add to its graph; `graph_elements` owns that graph.
Where there are such networks, switches and links have the attribute `network`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.analysis.graph_elements import edges, kind_name, nodes
from fabricgen.core.terms import COMPUTE, LinkKind
from fabricgen.planning.naming import switch_roles
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.graph_elements import Shown
    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView

SECOND = 2
"""The connector of a link's second cable, which repeats the link."""


def cluster_nodes(plan: Plan) -> Iterator[tuple[str, Shown]]:
    """Yield the nodes of the compute fabric, then those that each network adds.

    These are its switches, and the devices on it: hosts, other devices, and switches that are no
    node of the compute fabric because several rails share them.
    """
    if not plan.networks:
        yield from nodes(plan)
        return
    known = set[str]()
    for name, shown in nodes(plan):
        known.add(name)
        yield name, {**shown, "network": COMPUTE}
    for node, shown in _added(plan):
        if node not in known:
            known.add(node)
            yield node, shown


def _added(plan: Plan) -> Iterator[tuple[str, Shown]]:
    """Yield the switches of each network and the devices on it, of which some are known."""
    shared = {
        switch: {"kind": role.value, "switch": switch, "network": COMPUTE}
        for switch, role in switch_roles(plan.naming, plan.installed)
    }
    hosts = {*plan.hosts}
    for name, network in plan.networks.items():
        for switch, role in switch_roles(network.naming, network.installed):
            yield switch, {"kind": role.value, "switch": switch, "network": name}
    for network in plan.networks.values():
        for device in network.hosts:
            own = {"kind": "host" if device in hosts else "device"}
            yield device, shared.get(device, own)


def cluster_edges(plan: Plan) -> Iterator[tuple[str, str, str, Shown]]:
    """Yield the edges of the compute fabric, then the links of each network."""
    if not plan.networks:
        yield from edges(plan)
        return
    for low, high, key, shown in edges(plan):
        yield low, high, key, {**shown, "network": COMPUTE}
    for network in plan.networks.values():
        yield from _links(network)


def _links(network: Plan) -> Iterator[tuple[str, str, str, Shown]]:
    """Yield the links of a network."""
    views = Views(network)
    speeds = {kind.value: joint.speed_gbps for kind, joint in network.link_parts.items()}
    for segment in range(network.mapping.segments):
        for cable in views.cables(segment):
            if cable.connector < SECOND:
                shown = _shown(cable, speeds[cable.tier], network.fabric.network_name)
                yield cable.a_device, cable.b_device, cable.cable, shown


def _shown(cable: CableView, speed_gbps: int, network: str) -> Shown:
    """Return the attributes of a link."""
    length = {"length_m": float(cable.length_m)} if cable.length_m else {}
    return {
        "kind": kind_name(LinkKind(cable.tier)),
        "capacity_gbps": speed_gbps,
        "cable": cable.cable,
        **length,
        "network": network,
    }

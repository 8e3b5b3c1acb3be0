"""The nodes and edges of all networks of a plan, as names with attributes.

Owns what the networks beside the compute fabric add to its graph; `graph_elements` owns that graph.
Where there are such networks, switches and links have the attribute `network`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.analysis.graph_elements import edges, kind_name, nodes, switch_names
from fabricgen.core.terms import COMPUTE, DEVICES, LinkKind, speed_text
from fabricgen.planning.naming import switch_roles
from fabricgen.views.cables.view import first_cables, link_label
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabricgen.analysis.graph_elements import Shown
    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView


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
    """Yield the switches of each network and the devices on it, of which some are known.

    Several rails on a leaf are nodes of their own; the networks on such a leaf are one more.
    """
    known = {
        switch: {"kind": role.value, "switch": switch, "network": COMPUTE}
        for switch, role in switch_roles(plan.naming, plan.installed)
    }
    hosts = {*plan.hosts}
    for name, network in plan.networks.items():
        for switch, role in switch_roles(network.naming, network.installed):
            yield switch, {"kind": role.value, "switch": switch, "network": name}
    for network in plan.networks.values():
        shared = network.fabric.shared_leaves
        if shared and not shared.in_compute:
            yield from ((leaf, known[leaf]) for leaf in shared.names)
        for device in network.hosts:
            own = {"kind": "host" if device in hosts else "device"}
            yield device, known.get(device, own)


def cluster_edges(plan: Plan) -> Iterator[tuple[str, str, str, Shown]]:
    """Yield the edges of the compute fabric, then the links of each network."""
    if not plan.networks:
        yield from edges(plan)
        return
    for low, high, key, shown in edges(plan):
        yield low, high, key, {**shown, "network": COMPUTE}
    for name, network in plan.networks.items():
        yield from _links(network, _block_nodes(plan) if name == DEVICES else {})


def _block_nodes(plan: Plan) -> dict[tuple[str, str], str]:
    """Return the node of each port of devices on leaves that several rails share.

    Each rail has a node of its own for such a leaf. The keys are devices and interfaces.
    """
    network, shared = plan.networks[DEVICES], plan.device_leaves
    if shared is None or plan.mapping.segment_blocks == 1:
        return {}
    nodes = {leaf: switch_names(plan, leaf[0]) for leaf in shared.leaves}
    found, blocks = {}, plan.mapping.segment_blocks
    for cable, port in zip(Views(network).cables(0), network.segment.lower.tolist(), strict=True):
        leaf = shared.leaves[shared.bonds.stripe[port]]
        node = nodes[leaf][leaf[1] * blocks + shared.blocks[port]]
        found[cable.a_device, cable.a_interface] = node
    return found


def _links(
    network: Plan, nodes: Mapping[tuple[str, str], str]
) -> Iterator[tuple[str, str, str, Shown]]:
    """Yield the links of a network; `nodes` are those of ports whose leaf has several."""
    views = Views(network)
    speeds = {speed_text(joint.speed_gbps): joint.speed_gbps for joint in network.candidates}
    for segment in range(network.mapping.segments):
        for cable in first_cables(views.cables(segment)):
            shown = _shown(cable, speeds[cable.speed], network.fabric.network_name)
            upper = nodes.get((cable.a_device, cable.a_interface), cable.b_device)
            yield cable.a_device, upper, link_label(cable), shown


def _shown(cable: CableView, speed_gbps: int, network: str) -> Shown:
    """Return the attributes of a link."""
    length = {"length_m": float(cable.length_m)} if cable.length_m else {}
    return {
        "kind": kind_name(LinkKind(cable.tier)),
        "capacity_gbps": speed_gbps,
        "cable": link_label(cable),
        **length,
        "network": network,
    }

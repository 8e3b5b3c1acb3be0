"""The plan as networkx graphs: `graph` holds every GPU, NIC port, HB domain, switch and link; `switch_graph` folds the endpoints away.

The only user of networkx. A graph's nodes are names, its attributes text and numbers, so that it survives node-link JSON and GraphML
unchanged. What packets do in it is for `forwarding`.

A leaf box that several rails share routes each of them apart, in a VRF of its own. So it is a node for each rail, `leaf-1/rail0`, as if it
were so many boxes: as one node it would offer paths between rails that no packet can take. Attribute `switch` of a node names the box.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from fabricgen.terms import LinkKind, gpu_name
from fabricgen.viewing import vrf_name

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from fabricgen.planner import Plan


def graph(plan: Plan) -> nx.MultiGraph[str]:
    """Build the graph of the whole fabric. It takes some seven nodes and edges for each GPU; for a million there is `switch_graph`.

    Nodes are `hb:<domain>`, a switch between the domain's GPUs; GPUs, `d<domain>-g<rank>`; NIC ports, `<GPU>/<plane>`; and installed
    switches. All have `kind`: hb-domain, gpu, nic, leaf, spine or core. GPUs and NIC ports have `rail` and `host`, NIC ports and switches
    `plane`, switches `switch`, and `rail` where they serve one.

    Edges have `kind`: hb, nic (from a GPU to its NIC port), host, leaf-spine or spine-core; `capacity_gbps` of one direction (the HB
    domain's is absent where neither inventory nor host tells); `rail` and `plane` where they belong to one; links have `cable`, the label,
    which the two cables of a link with two connectors have in common, and `length_m` where lengths are planned. An edge's key is unique in
    the graph: its cable, or else the name of its GPU or NIC port.

    >>> from fabricgen.api import plan_inventory
    >>> plan = plan_inventory({"gpus": 8, "hb_domain": {"gpus": 2}, "switches": {"leaf": {"generic": {"radix": 16}}}})
    >>> made = graph(plan)
    >>> nx.shortest_path(made, "d0-g0", "d3-g0")
    ['d0-g0', 'd0-g0/0', 'r0-leaf-1', 'd3-g0/0', 'd3-g0']
    >>> made.edges["d0-g0/0", "r0-leaf-1", "r0-h00001"]
    {'kind': 'host', 'capacity_gbps': 400, 'rail': 0, 'plane': 0, 'cable': 'r0-h00001', 'length_m': 5.0}
    """
    made: nx.MultiGraph[str] = nx.MultiGraph(name=plan.spec.name, design=plan.spec.design.value)
    _add_hosts(made, plan)
    for unit in range(plan.mapping.units):
        _add_links(made, plan, unit, _add_switches(made, plan, unit))
    return made


def switch_graph(plan: Plan) -> nx.Graph[str]:
    """Build the graph of the switches alone, with the links between two of them as one edge: a million GPUs in a few hundred MiB.

    Nodes are the switches of `graph`, and count in `endpoints` the NIC ports that are cabled to them, and in `endpoint_gbps` the capacity
    of those links. Edges have `kind`, `rail` and `plane` as in `graph`, `links`, their number, and `capacity_gbps` of all of them, one direction.

    >>> from fabricgen.api import plan_inventory
    >>> plan = plan_inventory({"gpus": 64, "hb_domain": {"gpus": 2}, "switches": {"leaf": {"generic": {"radix": 16}}}})
    >>> made = switch_graph(plan)
    >>> made.nodes["r0-leaf-1"]
    {'kind': 'leaf', 'switch': 'r0-leaf-1', 'rail': 0, 'plane': 0, 'endpoints': 8, 'endpoint_gbps': 3200}
    >>> made.edges["r0-leaf-1", "r0-spine-1"]
    {'kind': 'leaf-spine', 'rail': 0, 'plane': 0, 'links': 4, 'capacity_gbps': 1600}
    """
    made: nx.Graph[str] = nx.Graph(name=plan.spec.name, design=plan.spec.design.value)
    endpoints, joined = _folded(plan)
    speed_gbps = plan.joints[LinkKind.HOST].speed_gbps
    for unit in range(plan.mapping.units):
        nodes = _add_switches(made, plan, unit)
        made.add_nodes_from((node, {"endpoints": ports, "endpoint_gbps": ports * speed_gbps}) for node, ports in zip(nodes, endpoints, strict=True) if node)
        for (kind, block, links), pairs in joined.items():
            scope = _scope(plan.mapping.rail(unit, block), plan.mapping.plane(unit))
            shown = {"kind": _kind(kind), **scope, "links": links, "capacity_gbps": links * plan.joints[kind].speed_gbps}
            made.add_edges_from(((nodes[lower], nodes[upper]) for lower, upper in pairs), **shown)
    return made


def _add_hosts(made: nx.MultiGraph[str], plan: Plan) -> None:
    """Add HB domains, GPUs and NIC ports; an HB domain is a switch between its GPUs."""
    request = plan.request
    hb = {"kind": "hb"} | ({"capacity_gbps": request.hb_bandwidth_gbps} if request.hb_bandwidth_gbps else {})
    for domain in range(request.gpus // request.domain_gpus):
        made.add_node(f"hb:{domain}", kind="hb-domain")
        for rank in range(request.domain_gpus):
            name, rail = gpu_name(domain, rank), rank % request.rails
            host = plan.hosts[(domain * request.domain_gpus + rank) // request.host_gpus]
            made.add_node(name, kind="gpu", rail=rail, host=host)
            made.add_edge(f"hb:{domain}", name, key=name, **hb)
            for plane in range(request.planes):
                port = f"{name}/{plane}"
                made.add_node(port, kind="nic", rail=rail, plane=plane, host=host)
                made.add_edge(name, port, key=port, kind="nic", capacity_gbps=request.speed_gbps, rail=rail, plane=plane)


def _add_switches(made: nx.Graph[str], plan: Plan, unit: int) -> list[str]:
    """Add the installed switches of one unit; return the node of each box in each block, box by box, empty where the box does not serve the block."""
    plane, rails = plan.mapping.plane(unit), [plan.mapping.rail(unit, block) for block in range(plan.mapping.unit_blocks)]
    nodes = []
    for switch, box, has in zip(plan.naming.switches(unit), plan.naming.boxes, plan.installed, strict=True):
        for block, rail in enumerate(rails):
            shared = box.block < 0
            node = f"{switch}/{vrf_name(rail)}" if shared else switch
            serves = has and (shared or box.block == block)
            if serves:
                made.add_node(node, kind=box.role.value, switch=switch, **_scope(rail, plane))
            nodes.append(node if serves else "")
    return nodes


def _add_links(made: nx.MultiGraph[str], plan: Plan, unit: int, nodes: list[str]) -> None:
    """Add the links of one unit between its `nodes`, as `_add_switches` returns them."""
    request, mapping = plan.request, plan.mapping
    plane, blocks = mapping.plane(unit), mapping.unit_blocks
    for (kind, block, lower, _, upper, _, _, number), length in zip(
        zip(*(column.tolist() for column in plan.unit), strict=True), _lengths(plan, unit), strict=True
    ):
        link, rail = LinkKind(kind), mapping.rail(unit, block)
        cable = f"{plan.label(link, unit, block)}{number:0{plan.label_width}}"
        if link is LinkKind.HOST:
            domain, rank = divmod(lower + (rail or 0), request.domain_gpus)
            below, rail = f"{gpu_name(domain, rank)}/{plane}", rank % request.rails
        else:
            below = nodes[lower * blocks + block]
        shown = {"kind": _kind(link), "capacity_gbps": plan.joints[link].speed_gbps, **_scope(rail, plane), "cable": cable, **length}
        made.add_edge(below, nodes[upper * blocks + block], key=cable, **shown)


def _lengths(plan: Plan, unit: int) -> list[dict[str, float]]:
    """Return the length of each link of a unit as an attribute of its edge; none where no lengths are planned."""
    if plan.lengths is None:
        return [{}] * len(plan.unit.kind)
    metres = [{"length_m": millimetres / 1000} for millimetres in plan.lengths.stock_mm.tolist()]
    return [metres[stock] for stock in plan.lengths.laid(unit).stock.tolist()]


def _folded(plan: Plan) -> tuple[list[int], dict[tuple[LinkKind, int, int], list[tuple[int, int]]]]:
    """Count the endpoints of a unit's nodes, and list the pairs that links join, by kind, block and number of links.

    Nodes are numbered as `_add_switches` returns them.
    """
    unit, blocks = plan.unit, plan.mapping.unit_blocks
    size = len(plan.naming.boxes) * blocks
    upper = unit.upper.astype(np.int64) * blocks + unit.block
    joined = {}
    for kind in plan.kinds[1:]:
        for block in range(blocks):
            here = (unit.kind == kind) & (unit.block == block)
            pairs, links = np.unique((unit.lower[here].astype(np.int64) * blocks + block) * size + upper[here], return_counts=True)
            for count in np.unique(links).tolist():
                lowers, uppers = np.divmod(pairs[links == count], size)
                joined[kind, block, count] = list(zip(lowers.tolist(), uppers.tolist(), strict=True))
    return np.bincount(upper[unit.kind == LinkKind.HOST], minlength=size).tolist(), joined


def _kind(link: LinkKind) -> str:
    """Name a kind of link as the rest of the graph is written."""
    return link.key.replace("_", "-")


def _scope(rail: int | None, plane: int) -> dict[str, int]:
    """Return the rail, where there is one, and the plane."""
    return {"plane": plane} if rail is None else {"rail": rail, "plane": plane}


def node_link(made: nx.Graph[str]) -> str:
    """Write a graph of this module as node-link JSON.

    >>> made = nx.MultiGraph([("a", "b", "r0-u00001", {"capacity_gbps": 400})])
    >>> nx.utils.graphs_equal(made, nx.node_link_graph(json.loads(node_link(made)), edges="edges"))
    True
    """
    document: dict[str, Any] = nx.node_link_data(made, edges="edges")
    return json.dumps(document, separators=(",", ":")) + "\n"


def graphml(made: nx.Graph[str]) -> str:
    """Write a graph of this module as GraphML.

    >>> made = nx.MultiGraph([("a", "b", "r0-u00001", {"capacity_gbps": 400})])
    >>> nx.parse_graphml(graphml(made), edge_key_type=str, force_multigraph=True).edges["a", "b", "r0-u00001"]
    {'capacity_gbps': 400}
    """
    stream = io.BytesIO()
    nx.write_graphml_xml(made, stream)
    return stream.getvalue().decode() + "\n"


def max_flow(edges: Iterable[tuple[Hashable, Hashable, int]], source: Hashable, sink: Hashable) -> int:
    """Return the maximum flow from source to sink over directed edges with whole capacities; parallel edges add up.

    >>> max_flow([("a", "b", 3), ("a", "b", 1), ("b", "c", 5)], "a", "c")
    4
    """
    made: nx.DiGraph[Hashable] = nx.DiGraph()
    made.add_nodes_from((source, sink))
    for low, high, capacity in edges:
        known = made.get_edge_data(low, high, {"capacity": 0})["capacity"]
        made.add_edge(low, high, capacity=known + capacity)
    return int(nx.maximum_flow_value(made, source, sink))

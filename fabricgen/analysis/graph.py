"""The plan as networkx graphs.

`graph` has every GPU, NIC port, HB domain, switch and link; `switch_graph` counts the endpoints at
each switch instead. `direct_graphs` is the only other user of networkx; `graph_elements` lists the
nodes and edges. A graph's nodes are names, its attributes text and numbers, so that node-link JSON
and GraphML keep them unchanged. `forwarding` owns what packets do in it.

A leaf box that several rails share routes each of them separately, in a VRF of its own. So it is a
node for each rail, `leaf-1/rail0`: as one node it would have paths between rails that no packet can
take. Attribute `switch` of a node names the box.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from fabricgen.analysis.graph_elements import (
    edges,
    kind_name,
    nodes,
    scope,
    switch_names,
    switch_nodes,
)
from fabricgen.core.arrays import distinct
from fabricgen.core.compact_json import compact_json
from fabricgen.core.terms import LinkKind
from fabricgen.planning.direct_conflicts import require_switches

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan


def graph(plan: Plan) -> nx.MultiGraph[str]:
    """Build the graph of the whole fabric.

    It has some seven nodes and edges for each GPU; `switch_graph` is for a million GPUs.

    Nodes are `hb:<domain>`, a switch between the domain's GPUs; GPUs, `d<domain>-g<rank>`; NIC
    ports, `<GPU>/<plane>`; and installed switches. All have `kind`: hb-domain, gpu, nic, leaf,
    spine or core. GPUs and NIC ports have `rail` and `host`, NIC ports and switches `plane`,
    switches `switch`, and `rail` where they serve one.

    Edges have `kind`: hb, nic (from a GPU to its NIC port), host, leaf-spine, spine-core or direct;
    `capacity_gbps` of one direction (absent for an HB domain whose bandwidth is unknown); `rail`
    and `plane` where they belong to one; links have `cable`, the label, which the two cables of a
    link with two connectors have in common, and `length_m` where lengths are planned. An edge's key
    is unique in the graph: its cable, or else the name of its GPU or NIC port.

    >>> from fabricgen.api import plan_inventory
    >>> leaf = {"generic": {"radix": 16}}
    >>> fabric = {"gpus": 8, "hb_domain": {"gpus": 2}, "switches": {"leaf": leaf}}
    >>> plan = plan_inventory(fabric)
    >>> made = graph(plan)
    >>> nx.shortest_path(made, "d0-g0", "d3-g0")
    ['d0-g0', 'd0-g0/0', 'r0-leaf-1', 'd3-g0/0', 'd3-g0']
    >>> edge = made.edges["d0-g0/0", "r0-leaf-1", "r0-h00001"]
    >>> [edge[name] for name in ("kind", "capacity_gbps", "cable", "length_m")]
    ['host', 400, 'r0-h00001', 5.0]
    """
    made: nx.MultiGraph[str] = nx.MultiGraph(name=plan.spec.name, design=plan.spec.design.value)
    made.add_nodes_from(nodes(plan))
    for low, high, key, shown in edges(plan):
        made.add_edge(low, high, key=key, **shown)
    return made


def flow_graph(plan: Plan) -> nx.Graph[str]:
    """Build a graph without parallel edges, for the flow algorithms of networkx.

    Nodes are those of `graph`. An edge has `kind`, `links`, the number of edges of `graph` that it
    stands for, and `capacity`, their Gbps of one direction, under the name that networkx reads.
    Where the bandwidth of HB domains is unknown, an edge of one has the capacity of all its NIC
    ports together, so that no flow across the fabric is limited by it.

    >>> from fabricgen.api import plan_inventory
    >>> leaf = {"generic": {"radix": 16}}
    >>> fabric = {"gpus": 8, "hb_domain": {"gpus": 2}, "switches": {"leaf": leaf}}
    >>> made = flow_graph(plan_inventory(fabric))
    >>> nx.maximum_flow_value(made, "d0-g0", "d3-g0")
    800
    """
    made: nx.Graph[str] = nx.Graph(name=plan.spec.name, design=plan.spec.design.value)
    made.add_nodes_from(nodes(plan))
    fabric = plan.fabric
    domain_gbps = fabric.coordinates.domain_gpus * fabric.planes * fabric.speed_gbps
    for low, high, _, shown in edges(plan):
        if not made.has_edge(low, high):
            made.add_edge(low, high, kind=shown["kind"], links=0, capacity=0)
        edge = made.edges[low, high]
        edge["links"] += 1
        edge["capacity"] += shown.get("capacity_gbps", domain_gbps)
    return made


def switch_graph(plan: Plan) -> nx.Graph[str]:
    """Build the graph of the switches alone, with the links between two of them as one edge.

    A million GPUs take a few hundred MiB.

    Nodes are the switches of `graph`, and count in `endpoints` the NIC ports that are cabled to
    them, and in `endpoint_gbps` the capacity of those links. Edges have `kind`, `rail` and `plane`
    as in `graph`, `links`, their number, and `capacity_gbps` of all of them, one direction.

    >>> from fabricgen.api import plan_inventory
    >>> leaf = {"generic": {"radix": 16}}
    >>> fabric = {"gpus": 64, "hb_domain": {"gpus": 2}, "switches": {"leaf": leaf}}
    >>> plan = plan_inventory(fabric)
    >>> made = switch_graph(plan)
    >>> node = made.nodes["r0-leaf-1"]
    >>> [node[name] for name in ("kind", "rail", "endpoints", "endpoint_gbps")]
    ['leaf', 0, 8, 3200]
    >>> made.edges["r0-leaf-1", "r0-spine-1"]
    {'kind': 'leaf-spine', 'rail': 0, 'plane': 0, 'links': 4, 'capacity_gbps': 1600}
    """
    require_switches(plan.spec, "switch_graph")
    made: nx.Graph[str] = nx.Graph(name=plan.spec.name, design=plan.spec.design.value)
    endpoints, joined = _folded(plan)
    speed_gbps = plan.link_parts[LinkKind.HOST].speed_gbps
    for segment in range(plan.mapping.segments):
        made.add_nodes_from(switch_nodes(plan, segment))
        names = switch_names(plan, segment)
        made.add_nodes_from(
            (node, {"endpoints": ports, "endpoint_gbps": ports * speed_gbps})
            for node, ports in zip(names, endpoints, strict=True)
            if node
        )
        for (kind, block, links), pairs in joined.items():
            belongs = scope(plan.mapping.rail(segment, block), plan.mapping.plane(segment))
            shown = {
                "kind": kind_name(kind),
                **belongs,
                "links": links,
                "capacity_gbps": links * plan.link_parts[kind].speed_gbps,
            }
            made.add_edges_from(((names[lower], names[upper]) for lower, upper in pairs), **shown)
    return made


def _folded(plan: Plan) -> tuple[list[int], dict[tuple[LinkKind, int, int], list[tuple[int, int]]]]:
    """Return the endpoints of a segment's nodes, and the pairs that links join.

    Pairs have kind, block and number of links. Nodes are numbered as `switch_names` returns them.
    """
    segment, blocks = plan.segment, plan.mapping.segment_blocks
    size = len(plan.naming.boxes) * blocks
    upper = segment.upper.astype(np.int64) * blocks + segment.block
    joined = {}
    for kind in plan.kinds[1:]:
        for block in range(blocks):
            here = (segment.kind == kind) & (segment.block == block)
            pairs, links = np.unique(
                (segment.lower[here].astype(np.int64) * blocks + block) * size + upper[here],
                return_counts=True,
            )
            for count in distinct(links).tolist():
                lowers, uppers = np.divmod(pairs[links == count], size)
                joined[kind, block, count] = list(
                    zip(lowers.tolist(), uppers.tolist(), strict=True)
                )
    return np.bincount(upper[segment.kind == LinkKind.HOST], minlength=size).tolist(), joined


def node_link(made: nx.Graph[str] | Plan) -> str:
    """Return a graph of this module as node-link JSON; of a plan its `graph`.

    >>> import json
    >>> made = nx.MultiGraph([("a", "b", "r0-u00001", {"capacity_gbps": 400})])
    >>> nx.utils.graphs_equal(made, nx.node_link_graph(json.loads(node_link(made)), edges="edges"))
    True
    """
    document: dict[str, Any] = nx.node_link_data(_graph_of(made), edges="edges")
    return compact_json(document) + "\n"


def graphml(made: nx.Graph[str] | Plan) -> str:
    """Write a graph of this module as GraphML; of a plan its `graph`.

    >>> import json
    >>> made = nx.MultiGraph([("a", "b", "r0-u00001", {"capacity_gbps": 400})])
    >>> read = nx.parse_graphml(graphml(made), edge_key_type=str, force_multigraph=True)
    >>> read.edges["a", "b", "r0-u00001"]
    {'capacity_gbps': 400}
    """
    stream = io.BytesIO()
    nx.write_graphml_xml(_graph_of(made), stream)
    return stream.getvalue().decode() + "\n"


def _graph_of(made: nx.Graph[str] | Plan) -> nx.Graph[str]:
    """Return a graph, or that of a plan."""
    return made if isinstance(made, nx.Graph) else graph(made)

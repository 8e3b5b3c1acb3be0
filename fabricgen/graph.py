"""The plan as a networkx graph: GPUs, NIC ports, HB domains and switches, and every link between them.

The only user of networkx. The graph is a plain MultiGraph of named nodes with text and number attributes, so that it survives node-link
JSON and GraphML unchanged.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import networkx as nx

from fabricgen.terms import LinkKind, gpu_name

if TYPE_CHECKING:
    from fabricgen.planner import Plan


def graph(plan: Plan) -> nx.MultiGraph[str]:
    """Build the fabric's graph.

    Node attribute `kind` is gpu, nic, hb-domain, leaf, spine or core. Edge attribute `kind` is hb, nic, host, leaf-spine or spine-core;
    `capacity_gbps` is of one direction (the HB domain's is absent where the inventory does not tell); links have `rail` where they
    belong to one, `plane` and `cable`.
    """
    made: nx.MultiGraph[str] = nx.MultiGraph(name=plan.spec.name, design=plan.spec.design.value)
    _add_hosts(made, plan)
    for unit in range(plan.mapping.units):
        _add_unit(made, plan, unit)
    return made


def _add_hosts(made: nx.MultiGraph[str], plan: Plan) -> None:
    """Add HB domains, GPUs and NIC ports; an HB domain is a switch between its GPUs."""
    request = plan.request
    hb = {"kind": "hb"} | ({"capacity_gbps": request.hb_bandwidth_gbps} if request.hb_bandwidth_gbps else {})
    for domain in range(request.gpus // request.domain_gpus):
        made.add_node(f"hb:{domain}", kind="hb-domain")
        for rank in range(request.domain_gpus):
            name = gpu_name(domain, rank)
            host = plan.hosts[(domain * request.domain_gpus + rank) // request.host_gpus]
            made.add_node(name, kind="gpu", rail=rank % request.rails, host=host)
            made.add_edge(f"hb:{domain}", name, **hb)
            for plane in range(request.planes):
                made.add_node(f"{name}/{plane}", kind="nic", rail=rank % request.rails, plane=plane, host=host)
                made.add_edge(name, f"{name}/{plane}", kind="nic", capacity_gbps=request.speed_gbps)


def _add_unit(made: nx.MultiGraph[str], plan: Plan, unit: int) -> None:
    """Add the switches and links of one unit."""
    request, mapping = plan.request, plan.mapping
    names, plane = plan.naming.switches(unit), mapping.plane(unit)
    for name, box, has in zip(names, plan.naming.boxes, plan.installed, strict=True):
        if has:
            made.add_node(name, kind=box.role.value, plane=plane)
    for kind, block, lower, _, upper, _, _, number in zip(*(column.tolist() for column in plan.unit), strict=True):
        link = LinkKind(kind)
        rail = mapping.rail(unit, block)
        if link is LinkKind.HOST:
            domain, rank = divmod(lower + (rail or 0), request.domain_gpus)
            below, rail = f"{gpu_name(domain, rank)}/{plane}", rank % request.rails
        else:
            below = names[lower]
        shown = {"cable": f"{plan.label(link, unit, block)}{number:0{plan.label_width}}", "plane": plane} | ({} if rail is None else {"rail": rail})
        made.add_edge(below, names[upper], kind=link.key.replace("_", "-"), capacity_gbps=plan.joints[link].speed_gbps, **shown)


def node_link(made: nx.MultiGraph[str]) -> str:
    """Write the graph as node-link JSON."""
    document: dict[str, Any] = nx.node_link_data(made, edges="edges")
    return json.dumps(document, separators=(",", ":")) + "\n"


def graphml(made: nx.MultiGraph[str]) -> str:
    """Write the graph as GraphML."""
    stream = io.BytesIO()
    nx.write_graphml_xml(made, stream)
    return stream.getvalue().decode() + "\n"

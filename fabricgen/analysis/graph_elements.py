"""The nodes and edges of a plan's graph, as names with attributes.

Owns their order and their attributes; `graph` makes networkx graphs of them, `cluster_graph` adds
the networks beside the compute fabric, and `graph_files` writes both to files.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.core.terms import LinkKind
from fabricgen.views.switches.ports import vrf_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.plan import Plan

DOMAINS = 256
"""HB domains whose GPUs are named at once: those of networks are bonds of one or two ports."""

Shown = dict[str, Any]
"""The attributes of a node or an edge: text and numbers."""


def nodes(plan: Plan) -> Iterator[tuple[str, Shown]]:
    """Yield every node with its attributes.

    They come domain by domain with GPUs and NIC ports, then the switches segment by segment.
    """
    for domain, gpus in enumerate(_domains(plan)):
        yield f"hb:{domain}", {"kind": "hb-domain"}
        for name, rail, host in gpus:
            yield name, {"kind": "gpu", "rail": rail, "host": host}
            for plane in range(plan.fabric.planes):
                yield f"{name}/{plane}", {"kind": "nic", "rail": rail, "plane": plane, "host": host}
    for segment in range(plan.mapping.segments):
        yield from switch_nodes(plan, segment)


def edges(plan: Plan) -> Iterator[tuple[str, str, str, Shown]]:
    """Yield every edge as two nodes, a key and attributes.

    They come inside the HB domains first, then the links segment by segment.
    """
    fabric = plan.fabric
    hb = {"kind": "hb"} | (
        {"capacity_gbps": fabric.hb_bandwidth_gbps} if fabric.hb_bandwidth_gbps else {}
    )
    for domain, gpus in enumerate(_domains(plan)):
        for name, rail, _ in gpus:
            yield f"hb:{domain}", name, name, dict(hb)
            for plane in range(fabric.planes):
                port = f"{name}/{plane}"
                yield (
                    name,
                    port,
                    port,
                    {
                        "kind": "nic",
                        "capacity_gbps": fabric.speed_gbps,
                        "rail": rail,
                        "plane": plane,
                    },
                )
    for segment in range(plan.mapping.segments):
        yield from link_edges(plan, segment)


def _domains(plan: Plan) -> Iterator[list[tuple[str, int, str]]]:
    """Yield the GPUs of each HB domain: name, rail and host of each."""
    coordinates = plan.fabric.coordinates
    for start in range(0, coordinates.domains, DOMAINS):
        stop = min(start + DOMAINS, coordinates.domains)
        gpus = np.concatenate([coordinates.domain_range(each) for each in range(start, stop)])
        hosts = map(plan.hosts.__getitem__, coordinates.host(gpus).tolist())
        rails = coordinates.rail(gpus).tolist()
        found = zip(coordinates.names(gpus.tolist()), rails, hosts, strict=True)
        for each in range(start, stop):
            yield [*islice(found, len(coordinates.domain_range(each)))]


def switch_nodes(plan: Plan, segment: int) -> Iterator[tuple[str, Shown]]:
    """Yield the nodes of the installed switches of a segment."""
    plane, rails = plan.mapping.plane(segment), plan.mapping.rails(segment)
    names = iter(switch_names(plan, segment))
    for switch, box in zip(plan.naming.switches(segment), plan.naming.boxes, strict=True):
        for rail in rails:
            if node := next(names):
                yield node, {"kind": box.role.value, "switch": switch, **scope(rail, plane)}


def switch_names(plan: Plan, segment: int) -> list[str]:
    """Return the node of each box of a segment in each block, box by box.

    It is empty if the box is not installed or does not serve the block.
    """
    rails = plan.mapping.rails(segment)
    names: list[str] = []
    for switch, box, has in zip(
        plan.naming.switches(segment), plan.naming.boxes, plan.installed, strict=True
    ):
        if box.block < 0:
            names += [f"{switch}/{vrf_name(rail)}" if has else "" for rail in rails]
        else:
            names += [switch if has and box.block == block else "" for block in range(len(rails))]
    return names


def link_edges(plan: Plan, segment: int) -> Iterator[tuple[str, str, str, Shown]]:
    """Yield the links of one segment."""
    mapping, names = plan.mapping, switch_names(plan, segment)
    plane, rails, width = mapping.plane(segment), mapping.rails(segment), plan.label_width
    of_kind = {
        (kind.value, block): (
            prefix,
            {"kind": kind_name(kind), "capacity_gbps": plan.link_parts[kind].speed_gbps},
        )
        for (kind, block), prefix in plan.label_prefixes(segment).items()
    }
    gpus = _gpus_of_links(plan, segment, plan.segment.lower)
    peers = _gpus_of_links(plan, segment, plan.segment.upper) if mapping.topology else None
    columns = zip(*(column.tolist() for column in plan.segment), strict=True)
    for (kind, block, lower, _, upper, _, _, number), length in zip(
        columns, _lengths(plan, segment), strict=True
    ):
        label, first = of_kind[kind, block]
        cable = f"{label}{number:0{width}}"
        if kind <= LinkKind.HOST:
            gpu, rail = next(gpus)
            below = f"{gpu}/{plane}"
        else:
            below, rail = names[lower * len(rails) + block], rails[block]
        yield (
            below,
            f"{next(peers)[0]}/{plane}" if peers else names[upper * len(rails) + block],
            cable,
            {**first, **scope(rail, plane), "cable": cable, **length},
        )


def _gpus_of_links(plan: Plan, segment: int, ends: Int32Array) -> Iterator[tuple[str, int | None]]:
    """Return name and rail of the GPU at an end of each link of a segment that has one there."""
    links, coordinates = plan.segment, plan.fabric.coordinates
    host = links.kind <= LinkKind.HOST
    gpus = plan.mapping.lower_gpu(segment, ends[host], links.block[host])
    return zip(coordinates.names(gpus.tolist()), coordinates.rail(gpus).tolist(), strict=True)


def _lengths(plan: Plan, segment: int) -> list[dict[str, float]]:
    """Return the length of each link of a segment as an attribute; empty without lengths."""
    if plan.lengths is None:
        return [{}] * len(plan.segment.kind)
    metres = [{"length_m": millimetres / 1000} for millimetres in plan.lengths.stock_mm.tolist()]
    return [metres[stock] for stock in plan.lengths.stock_at[segment].tolist()]


def kind_name(link: LinkKind) -> str:
    """Return the name of a kind of link in graphs."""
    return link.key.replace("_", "-")


def scope(rail: int | None, plane: int) -> dict[str, int]:
    """Return the rail, if there is one, and the plane."""
    return {"plane": plane} if rail is None else {"rail": rail, "plane": plane}

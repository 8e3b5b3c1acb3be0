"""The contents of the drawing of a direct rail: its GPUs, the links between them, and its figures.

`graph_layout` places them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import speed_text
from fabricgen.outputs.drawings.attached import words
from fabricgen.outputs.drawings.graph_layout import GraphShape
from fabricgen.outputs.drawings.merged_tiers import Strand, Tier
from fabricgen.views.link_ends import cable_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.direct.topology import DirectTopology
    from fabricgen.planning.plan import Plan


def direct_rail(plan: Plan, segment: int) -> tuple[list[Tier], list[Strand], None, GraphShape]:
    """Compose a direct rail on one plane."""
    coordinates, wired = plan.fabric.coordinates, plan.segment
    rail = plan.mapping.segment_rail(segment)
    # the GPUs of a rail, in order of HB domain, are the nodes of its graph
    gpus = (plan.mapping.pattern() + rail).tolist()
    hosts, network = [plan.hosts[coordinates.host(gpu)] for gpu in gpus], plan.fabric.network
    names = hosts if network else [coordinates.name(gpu) for gpu in gpus]
    tier = Tier(
        "ports of devices" if network else "GPUs",
        names,
        [plan.naming.interface(plan.fabric.interface_index(gpu), 0) for gpu in gpus]
        if network
        else hosts,
        [str(rail)] * len(gpus),
        np.arange(len(gpus)),
        switch=False,
    )
    links = Strand(
        coordinates.rail_index(wired.lower),
        coordinates.rail_index(wired.upper),
        np.full(len(wired.lower), rail),
        speed_text(plan.fabric.link_gbps),
        lambda row: cable_label(plan, segment, row),
    )
    topology = _topology(plan)
    figures = [] if network else [*_figures(plan, topology)]
    return [tier], [links], None, GraphShape(topology.dimensions, figures)


def direct_words(plan: Plan) -> str:
    """Return one line that describes a fabric of direct rails, or of paired devices."""
    fabric, topology = plan.fabric, _topology(plan)
    if fabric.network:
        return words(plan, fabric.network.attached)
    return (
        f"{plan.spec.name}: {fabric.gpus:,} GPUs in {fabric.coordinates.domains:,} HB domains,"
        f" {fabric.rails} rails without switches, {topology.title}"
    )


def _figures(plan: Plan, topology: DirectTopology) -> Iterator[str]:
    """Yield the figures of a graph, as far as its shape has formulas for them."""
    each = topology.parallel * plan.fabric.link_gbps
    yield f"degree {topology.degree}"
    if topology.diameter is not None:
        yield f"diameter {topology.diameter}"
    if topology.bisection is not None:
        yield f"bisection {topology.bisection * each:,} Gbps"


def _topology(plan: Plan) -> DirectTopology:
    """Return the graph of a rail."""
    assert plan.mapping.topology, "the rails are direct"  # noqa: S101 - callers verify it
    return plan.mapping.topology

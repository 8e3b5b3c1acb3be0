"""Which GPUs and which links of a direct rail are alike, by the symmetry of its graph.

In every graph but an expander each node is like any other, and so is each link of a dimension of a
torus, or of a ring of a multi-ring. Nodes and links of an expander are all different.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.direct.topology import DirectTopology
    from fabricgen.planning.plan import Plan


def direct_gpus(plan: Plan) -> tuple[IntArray, IntArray]:
    """Return the GPUs of the first rail, and the class of each."""
    topology = _topology(plan)
    nodes = np.arange(topology.nodes)
    gpus = plan.mapping.pattern()
    return gpus, nodes if topology.kind == "expander" else nodes * 0


def direct_links(plan: Plan) -> IntArray:
    """Return the class of each link of a segment; links between the same GPUs are alike."""
    topology, coordinates = _topology(plan), plan.fabric.coordinates
    lower = coordinates.rail_index(plan.segment.lower)
    upper = coordinates.rail_index(plan.segment.upper)
    if topology.kind == "expander":
        return np.asarray(lower.astype(np.int64) * topology.nodes + upper)
    if topology.dimensions:
        ends = (np.unravel_index(column, topology.dimensions) for column in (lower, upper))
        differs = np.stack([one != other for one, other in zip(*ends, strict=True)])
        return np.asarray(differs.argmax(axis=0))
    if topology.strides:
        apart = upper - lower
        return np.asarray(np.minimum(apart, topology.nodes - apart))
    return np.zeros(len(lower), dtype=np.int64)


def _topology(plan: Plan) -> DirectTopology:
    """Return the graph of a rail."""
    assert plan.mapping.topology, "the rails are direct"  # noqa: S101 - callers verify it
    return plan.mapping.topology

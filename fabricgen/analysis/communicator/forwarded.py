"""How far apart the GPUs of a job are on direct rails, and whose hosts forward between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.impact.direct_distances import distances
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.plan import Plan

MOST_NODES = 2048
"""GPUs of a rail above which paths are not computed: there are four million pairs."""


@dataclass(frozen=True)
class RailPaths(Document):
    """The shortest paths between the GPUs of a job on one direct rail and in different HB domains.

    Pairs are ordered: `neighbours` are joined by a cable, and hosts forward between the others.
    No shortest path of an `outside` pair is over hosts of the job alone.
    """

    neighbours: int
    forwarded: int
    outside: int
    mean_links: float
    longest_links: int


def rail_paths(plan: Plan, gpus: Int32Array) -> RailPaths | None:
    """Return the paths of a job; None for rails of switches, and for rails of too many GPUs."""
    coordinates, wired = plan.fabric.coordinates, plan.segment
    nodes = coordinates.rail_gpus
    if not plan.mapping.topology or nodes > MOST_NODES:
        return None
    lower, upper = (coordinates.rail_index(column) for column in (wired.lower, wired.upper))
    whole = distances(nodes, lower, upper)
    in_job = np.isin(np.arange(coordinates.domains), coordinates.domain(gpus))
    member = np.repeat(in_job, coordinates.ranks_per_rail)
    own = distances(nodes, *(column[member[lower] & member[upper]] for column in (lower, upper)))
    lengths: list[Int32Array] = []
    outside = 0
    for rail in range(coordinates.rails):
        some = gpus[coordinates.rail(gpus) == rail]
        place, domain = coordinates.rail_index(some), coordinates.domain(some)
        apart = domain[:, None] != domain
        found = whole[np.ix_(place, place)][apart]
        lengths.append(found)
        outside += int(np.count_nonzero(own[np.ix_(place, place)][apart] != found))
    links = np.concatenate(lengths)
    near = int(np.count_nonzero(links == 1))
    return RailPaths(
        neighbours=near,
        forwarded=len(links) - near,
        outside=outside,
        mean_links=round(float(links.mean()), 4) if len(links) else 0.0,
        longest_links=int(links.max(initial=0)),
    )

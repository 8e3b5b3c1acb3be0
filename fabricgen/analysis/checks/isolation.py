"""The laws of reachability: rails and planes are joined only in HB domains, and each is connected.

Each public function is a law of `laws`. `routing_domains` owns what a packet can do inside one box.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, violations
from fabricgen.core.arrays import distinct
from fabricgen.core.count_text import counted
from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from fabricgen.analysis.checks.evidence import Evidence


def rails_apart(evidence: Evidence) -> Verdict:
    """No path outside HB domains joins two rails or two planes.

    Where blocks span rails, no path joins two planes. If a component of the network contains NIC
    ports of two blocks, the links in it that join two blocks are the faults.
    """
    vertices, plan = evidence.vertices, evidence.plan
    hosts = evidence.has_host
    rows = np.flatnonzero(hosts)
    pairs = distinct(
        vertices.component[vertices.upper[rows]] * (int(vertices.nic_block.max()) + 1)
        + vertices.nic_block[rows]
    )
    homes = pairs // (int(vertices.nic_block.max()) + 1)
    mixed = distinct(homes[1:][homes[1:] == homes[:-1]])
    below = np.where(hosts, vertices.nic_block, vertices.block[np.where(hosts, 0, vertices.lower)])
    above = vertices.block[vertices.upper]
    crossed = np.flatnonzero((below != above) & np.isin(vertices.component[vertices.upper], mixed))

    def describe(row: int) -> Violation:
        ends = (evidence.block(int(below[row])), evidence.block(int(above[row])))
        return Violation(
            f"{evidence.link(row)} joins {ends[0]} and {ends[1]}",
            (f"{evidence.lower(row)} belongs to {ends[0]}, {evidence.upper(row)} to {ends[1]}",),
        )

    rails, planes = plan.fabric.rails, plan.fabric.planes
    found = counted(len(distinct(homes)), "separate network")
    if plan.mapping.spans_rails:
        return Verdict(
            f"{found} for {counted(planes, 'plane')}; the {rails} rails meet at the"
            " switches, as designed",
            (violations(crossed, describe),),
        )
    return Verdict(
        f"{found} for {counted(rails, 'rail')}" + (f" x {planes} planes" if planes > 1 else ""),
        (violations(crossed, describe),),
    )


class _LeafGroup(NamedTuple):
    """Leaves of one block and pod that are joined to the same switches above."""

    leaf: int
    pod: int
    leaves: int
    spines: frozenset[int]
    cores: frozenset[int]


def all_pairs(evidence: Evidence) -> Verdict:
    """Any two NIC ports of a block are joined by a path that goes up and then down.

    That is a common leaf, a common spine, or between pods a common core. A path that goes up a
    second time does not count, because no route uses it. From GPU (d1, r1) to (d2, r2) the relay is
    (d1, r2), whose NIC `nics-cabled` found on its rail. In a network of one tier each device has a
    port on every leaf of its bond, and no spine is needed.
    """
    if evidence.plan.fabric.network and evidence.plan.sizing.tiers == 1:
        return Verdict("one tier: no link joins its switches")
    apart = [
        (one, other)
        for groups in _leaf_groups(evidence).values()
        for one, other in [
            *((one, one) for one in groups if one.leaves > 1 and not one.spines),
            *combinations(groups, 2),
        ]
        if one.spines.isdisjoint(other.spines)
        and (one.pod == other.pod or one.cores.isdisjoint(other.cores))
    ]

    def describe(pair: tuple[_LeafGroup, _LeafGroup]) -> Violation:
        one, other = pair
        far = "core" if one.pod != other.pod else "spine"
        names = (
            f"{evidence.domain_name(one.leaf)} and"
            f" {'any other leaf' if one is other else evidence.domain_name(other.leaf)}"
        )
        counts = (
            f"they meet {len(one.spines)} and {len(other.spines)} spines",
            *([f"and {len(one.cores)} and {len(other.cores)} cores"] if far == "core" else []),
        )
        return Violation(
            f"no path joins {names}: they have no {far} in common", ("; ".join(counts),)
        )

    return Verdict(_pairs(evidence), (violations(apart, describe),))


def _pairs(evidence: Evidence) -> str:
    """Return how many pairs of GPUs each kind of path joins, as text."""
    fabric = evidence.plan.fabric
    total = comb(fabric.gpus, 2)
    if evidence.plan.mapping.spans_rails:
        return f"{total:,} pairs of GPUs, all of them direct"
    domains = fabric.coordinates.domains
    direct = fabric.rails * comb(fabric.coordinates.rail_gpus, 2)
    inside = domains * (comb(fabric.domain_gpus, 2) - fabric.rails * comb(fabric.ranks_per_rail, 2))
    return (
        f"{total:,} pairs of GPUs: {direct:,} on their rail, {inside:,} inside an HB domain, "
        f"{total - direct - inside:,} by a relay in the source's HB domain"
    )


def _leaf_groups(evidence: Evidence) -> dict[int, list[_LeafGroup]]:
    """Return the leaves of each block, grouped by the switches above them.

    In a correct fabric there is one group for each pod.
    """
    vertices = evidence.vertices
    spines, cores = (
        vertices.neighbours(LinkKind.LEAF_SPINE),
        vertices.neighbours(LinkKind.SPINE_CORE),
    )
    sorts: dict[tuple[int, int, bytes], list[int]] = {}
    pods = (
        evidence.box_index[vertices.leaf // vertices.blocks % evidence.boxes]
        // evidence.plan.sizing.pod_leaves
    )
    for leaf, pod, block in zip(
        vertices.leaf.tolist(), pods.tolist(), vertices.block[vertices.leaf].tolist(), strict=True
    ):
        sorts.setdefault((block, pod, spines(leaf).tobytes()), []).append(leaf)
    found: dict[int, list[_LeafGroup]] = {}
    for (block, pod, _), leaves in sorts.items():
        met = frozenset(spines(leaves[0]).tolist())
        found.setdefault(block, []).append(
            _LeafGroup(
                leaves[0],
                pod,
                len(leaves),
                met,
                frozenset(core for spine in met for core in cores(spine).tolist()),
            )
        )
    return found

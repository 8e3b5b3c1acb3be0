"""The stripes of a fabric: the HB domains that share the same leaf in every rail.

Owns the grouping, and that of stripes by pod. Stripes follow the wiring and not a rule, so that
they are correct for plans that keep cables of older ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.arrays import distinct
from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan


class Stripe(NamedTuple):
    """HB domains, from 0, that share the same leaves: indices of switches of a segment."""

    leaves: tuple[int, ...]
    domains: tuple[int, ...]


def stripes(plan: Plan) -> list[Stripe]:
    """Group the installed HB domains by their leaves, in order of the first domain of each.

    All segments have the same links, and so have the blocks of a segment: one block represents
    every rail and plane. A domain with endpoints of a rail on two leaves is in another stripe than
    one with all of them on one leaf.
    """
    segment = plan.segment
    rows = (segment.kind == LinkKind.HOST) & (segment.block == 0)
    order = np.argsort(segment.lower[rows], kind="stable")
    leaves = segment.upper[rows][order].reshape(plan.fabric.coordinates.domains, -1)
    found: dict[bytes, list[int]] = {}
    for domain, row in enumerate(np.ascontiguousarray(leaves)):
        found.setdefault(row.tobytes(), []).append(domain)
    return [
        Stripe(tuple(distinct(leaves[members[0]]).tolist()), tuple(members))
        for members in found.values()
    ]


def pods(plan: Plan, found: list[Stripe]) -> list[list[int]]:
    """Group stripes, given by their index, by the pod of their leaves; [] where one has several.

    All segments have the same links, so every rail and plane cuts pods at the same stripes.
    """
    of_pod: dict[int, list[int]] = {}
    for index, stripe in enumerate(found):
        pod, *others = {leaf // plan.sizing.pod_leaves for leaf in stripe.leaves}
        if others:
            return []
        of_pod.setdefault(pod, []).append(index)
    return list(of_pod.values())

"""The stripes of a fabric: which HB domains share the same leaf in every rail.

Owns the grouping, which is read from the wiring and not from a rule, so that it holds for plans
that keep cables of older ones. What schedulers make of it is for `scheduling`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.arrays import distinct
from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan


class Stripe(NamedTuple):
    """HB domains that share the same leaf in every rail. `leaves` are boxes of a segment, in order; `domains` count from 0."""

    leaves: tuple[int, ...]
    domains: tuple[int, ...]


def stripes(plan: Plan) -> list[Stripe]:
    """Group the installed HB domains by their leaves, in order of the first domain of each.

    All segments are alike, and so are the blocks of a segment, so that one block tells of every rail and
    plane. A domain whose endpoints of a rail lie on two leaves shares both with no domain that lies
    on one of them, and is in another stripe.
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

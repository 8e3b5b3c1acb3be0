"""Mutations of the bandwidth of uplinks."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tests.mutations.breaking import (
    CORE,
    UP,
    Mutation,
    hashed,
    rows,
    swapped,
    thinner,
    with_spec,
)

if TYPE_CHECKING:
    from fabricgen.analysis.checks.evidence import Evidence


def _crosswise(evidence: Evidence) -> Evidence:
    """Exchange the uplinks of the second and the third leaf."""
    for one, other in zip(rows(evidence, UP, lower=1), rows(evidence, UP, lower=2), strict=True):
        evidence = swapped(evidence, (one, other))
    return evidence


MUTATIONS = (
    Mutation(
        "a thinner fabric",
        "lab",
        lambda e: thinner(e, UP),
        "oversubscription",
        "r0-leaf-1 is oversubscribed",
    ),
    Mutation(
        "thinner between spine and core",
        "thick",
        lambda e: thinner(e, CORE),
        "oversubscription",
        "r0-spine-1 is oversubscribed",
    ),
    Mutation(
        "less oversubscription asked",
        "lab",
        lambda e: with_spec(e, oversubscription=Fraction(1, 2)),
        "oversubscription",
        "1:2 was asked",
    ),
    Mutation(
        "spines that meet one half",
        "minimal",
        _crosswise,
        "bisection",
        "the halves of the fabric are joined by 1,600 Gbps",
    ),
    Mutation(
        "thinner where hosts are few",
        "slack",
        lambda e: thinner(e, UP),
        "bisection",
        "joined by 800 Gbps",
    ),
    Mutation(
        "a hash that knows one uplink",
        "lab",
        lambda e: hashed(e, [1, 0, 0, 0]),
        "flows-spread",
        "leaf uplink 1 carries 256",
    ),
    Mutation(
        "a hash that skips an uplink",
        "lab",
        lambda e: hashed(e, [1, 1, 1, 0]),
        "flows-spread",
        "leaf uplink 4 carries 0",
    ),
)

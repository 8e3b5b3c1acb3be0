"""The law of balance: many hashed flows load equal uplinks equally.

Owns the limit of chance. `forwarding.ecmp_hash` owns the hash.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, violations
from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import IntArray

PER_UPLINK, MOST_FLOWS = 64, 20_000
"""Flows that are hashed for each uplink of a leaf and its spines, and their maximum."""

SIGMAS = 6
"""How many standard deviations an uplink's count may be from the mean.

A fair hash exceeds it once in 500 million.
"""


def flows_spread(evidence: Evidence) -> Verdict:
    """Hashed flows load uplinks of a leaf and of its pod's spines as evenly as chance allows."""
    sizing = evidence.plan.sizing
    uplinks = sizing.leaf_up * max(sizing.spine_up, 1) * evidence.plan.mapping.segment_blocks
    counts = evidence.flows(min(PER_UPLINK * uplinks, MOST_FLOWS)) if sizing.leaf_up else {}
    figures = [
        f"{_uplinks_name(kind)} carry {found.min()} to {found.max()} of {found.sum():,} flows"
        for kind, found in counts.items()
    ]
    far = tuple(
        violations([(kind, found, int(at)) for at in np.flatnonzero(_far(found))], _describe)
        for kind, found in counts.items()
    )
    return Verdict("; ".join(figures) or "no flow has a choice of uplinks", far)


def _uplinks_name(kind: LinkKind) -> str:
    """Return the name of the uplinks that are counted; every other leaf and pod is wired alike."""
    return (
        "the first leaf's uplinks" if kind is LinkKind.LEAF_SPINE else "its pod's spines' uplinks"
    )


def _far(counts: IntArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which counts are further from the mean than chance explains."""
    mean = counts.mean()
    return np.asarray(
        np.abs(counts - mean) > SIGMAS * max(np.sqrt(mean * (1 - 1 / len(counts))), 1)
    )


def _describe(culprit: tuple[LinkKind, IntArray, int]) -> Violation:
    """Describe an uplink that is too far from the mean."""
    kind, counts, at = culprit
    mean = counts.mean()
    because = (
        f"{counts.sum():,} flows over {len(counts)} uplinks are {mean:.1f} each",
        f"{SIGMAS} standard deviations are {SIGMAS * np.sqrt(mean):.1f}",
    )
    return Violation(f"{kind.lower} uplink {at + 1} carries {counts[at]:,} flows", because)

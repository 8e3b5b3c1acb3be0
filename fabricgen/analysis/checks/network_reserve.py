"""The law of a reserve: the spines of networks have ports for the leaves that are added later.

Ports are counted at the wired links, independently of the rule that sized the spines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, Violations, violations
from fabricgen.core.arrays import distinct

if TYPE_CHECKING:
    from fabricgen.analysis.checks.cluster_evidence import ClusterEvidence


def reserve_ports(evidence: ClusterEvidence) -> Verdict:
    """Every spine has free ports for the uplinks of all leaves of the reserve."""
    checked = [_spines(evidence, name) for name in evidence.reserves]
    if not checked:
        return Verdict("no reserve for networks of leaves and spines")
    figures, found = zip(*checked, strict=True)
    return Verdict(f"leaves to come: {', '.join(figures)}", found)


def _spines(evidence: ClusterEvidence, name: str) -> tuple[str, Violations]:
    """Return the leaves to come of a network, and the spines with too few ports for them."""
    leaves, ports = evidence.reserves[name]
    links, devices = evidence.links[name], len(evidence.devices)
    lower, upper = links.lower[~links.attached], links.upper[~links.attached]
    pairs, joined = np.unique_counts(lower * devices + upper)
    spine = pairs % devices
    share, used = np.zeros(devices, dtype=np.int64), np.bincount(upper, minlength=devices)
    np.maximum.at(share, spine, joined)
    coming = leaves - len(distinct(lower))

    def describe(spine: int) -> Violation:
        return Violation(
            f"{evidence.devices[spine]} has {ports - used[spine]} free ports, and"
            f" {coming} leaves to come need {coming * share[spine]}"
        )

    return f"{name} {coming}", violations(np.flatnonzero(used + coming * share > ports), describe)

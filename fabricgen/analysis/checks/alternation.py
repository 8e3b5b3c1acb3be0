"""The law of networks whose devices take leaves in turn: none has more than its share of a kind.

Devices are counted at the wired links, independently of the rule that places them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, Violations, violations
from fabricgen.core.arrays import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.checks.cluster_evidence import ClusterEvidence
    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.plan import Plan


def alternating(plan: Plan) -> list[str]:
    """Return the networks whose devices alternate; one that has grown keeps its cables instead."""
    return [
        name
        for name, network in plan.networks.items()
        if not network.mapping.baseline
        and (rules := network.fabric.network)
        and any(served.kinds for served in rules.served)
    ]


def devices_alternate(evidence: ClusterEvidence) -> Verdict:
    """No switch has more than its share of the devices of a kind."""
    names = alternating(evidence.plan)
    found = [each for name in names for each in _kinds(evidence, name)]
    return Verdict(f"kinds of devices: {len(found)} in {', '.join(names)}", tuple(found))


def _kinds(evidence: ClusterEvidence, name: str) -> Iterator[Violations]:
    """Yield the switches with too many devices of a kind, for each kind of a network."""
    network, links = evidence.plan.networks[name], evidence.links[name]
    rules, leaves = network.fabric.network, network.mapping.network_leaves
    if rules is None or leaves is None:
        return
    bonds = np.arange(len(rules.attached.devices))
    kinds, groups = rules.attached.group_of(bonds), leaves.bond_classes()[1]
    attached = np.flatnonzero(links.attached)
    for kind, own in enumerate(rules.attached.groups):
        rows = attached[kinds[links.bond[attached]] == kind]
        if not len(rows):
            continue
        stripes = leaves.stripes[int(groups[links.bond[rows[0]]])]
        share = -(-len(own.names) // stripes)
        size = len(evidence.devices)
        pairs = distinct(links.upper[rows] * size + links.lower[rows])
        counts = np.bincount(pairs // size)

        def describe(
            switch: int, own: str = own.kind, share: int = share, counts: IntArray = counts
        ) -> Violation:
            return Violation(
                f"{evidence.devices[switch]} has {counts[switch]} devices `{own}` in {name}, and"
                f" its share is {share}"
            )

        yield violations(np.flatnonzero(counts > share), describe)

"""The law of paired devices: each has its links to its own peer, on ports of their own.

The pairs are those of the inventory, read independently of the rule that wires them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabricgen.analysis.checks.law import Verdict, Violation, violations
from fabricgen.core.count_text import counted

if TYPE_CHECKING:
    from fabricgen.analysis.checks.cluster_evidence import ClusterEvidence


def peers_joined(evidence: ClusterEvidence) -> Verdict:
    """Every pair of devices has its links, and no port has two of them."""
    wanted = {
        frozenset(group.names[at : at + 2]): group.peer_links
        for group in evidence.plan.spec.devices
        for at in range(0, group.count if group.peer_links else 0, 2)
    }
    links, names = evidence.peers, evidence.devices
    assert links, "the inventory has pairs"  # noqa: S101 - the law is judged only then
    found = Counter(
        frozenset((names[one], names[other]))
        for one, other in zip(links.lower.tolist(), links.upper.tolist(), strict=True)
    )
    wrong = [pair for pair in {**wanted, **found} if found[pair] != wanted.get(pair, 0)]
    used = Counter(zip(links.ports.device.tolist(), links.ports.port.tolist(), strict=True))

    def miscounted(pair: frozenset[str]) -> Violation:
        has, want = found[pair], wanted.get(pair, 0)
        return Violation(f"links between {' and '.join(sorted(pair))}: {has}, not {want}")

    def doubled(port: tuple[int, int]) -> Violation:
        return Violation(f"port {evidence.port(*port)} has {used[port]} cables")

    return Verdict(
        f"{counted(len(wanted), 'pair')} of devices, {counted(len(links.lower), 'link')}",
        (
            violations(wrong, miscounted),
            violations([port for port, times in used.items() if times > 1], doubled),
        ),
    )

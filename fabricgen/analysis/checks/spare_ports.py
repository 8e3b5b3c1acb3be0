"""The laws of unused ports: idle ports are as planned, and every leaf has an endpoint or a reserve.

Each public function is a law of `laws`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, violations
from fabricgen.core.arrays import distinct
from fabricgen.core.count_text import counted
from fabricgen.core.terms import LinkKind, Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import Port


def leaves_used(evidence: Evidence) -> Verdict:
    """Every installed leaf serves an endpoint, or has a port for a GPU that is planned."""
    vertices, plan = evidence.vertices, evidence.plan
    uplinks = np.bincount(
        vertices.lower[evidence.wiring.kind == LinkKind.LEAF_SPINE], minlength=vertices.count
    )
    endpoints = np.bincount(vertices.upper[evidence.has_host], minlength=vertices.count)
    idle = np.flatnonzero((uplinks > 0) & (endpoints == 0))
    waits = np.isin(
        evidence.box_index[idle // vertices.blocks % evidence.boxes], _reserved_leaves(plan)
    )
    counts = distinct(endpoints[endpoints > 0])
    each = (
        " to ".join(dict.fromkeys(str(count) for count in (counts[0], counts[-1])))
        if len(counts)
        else "no"
    )
    hosts = "the reserve" if plan.spec.reserve else "excluded hosts"
    waiting = f"; {np.count_nonzero(waits):,} more wait for {hosts}" if waits.any() else ""
    why = "the reserve has no GPU for it" if plan.spec.reserve else "no `reserve` asks for it"

    def describe(vertex: int) -> Violation:
        return Violation(
            f"{evidence.domain_name(vertex)} has no endpoint",
            (f"it has {uplinks[vertex]} uplinks", why),
        )

    return Verdict(
        f"{counted(int(np.count_nonzero(endpoints)), 'leaf', 'leaves')} with {each} endpoints"
        f" each{waiting}",
        (violations(idle[~waits], describe),),
    )


def _reserved_leaves(plan: Plan) -> IntArray:
    """Return the leaves of a block with a port for a GPU that is planned and not installed."""
    slots = (
        np.flatnonzero(plan.mapping.pattern() >= plan.fabric.gpus)
        if plan.spec.reserve or plan.spec.exclude
        else np.zeros(0, dtype=np.int64)
    )
    return distinct(slots // plan.sizing.leaf_down)


def spare_ports(evidence: Evidence) -> Verdict:
    """Verify that used and idle ports are all ports of a box.

    Those that are kept for GPUs of the reserve have no cable.
    """
    faults = [fault for role in evidence.plan.roles for fault in _uncounted(evidence, role)]
    kept = _reserved(evidence)
    wiring, width = evidence.wiring, len(evidence.ports[Role.LEAF])
    ports = (
        wiring.upper[evidence.has_host].astype(np.int64) * width
        + wiring.upper_port[evidence.has_host]
    )
    taken = np.flatnonzero(np.isin(ports, kept))
    rows = np.flatnonzero(evidence.has_host)
    boxes = zip(evidence.port_counts, evidence.plan.installed, strict=True)
    total = evidence.plan.mapping.segments * sum(sum(counts) for counts, has in boxes if has)
    used = len(wiring.kind) + len(wiring.kind) - len(rows)
    return Verdict(
        f"{total:,} ports = {used:,} in use + {total - used:,} idle"
        + (f", {len(kept):,} of them kept for the reserve" if len(kept) else ""),
        (
            violations(faults, lambda fault: fault),
            violations(
                taken,
                lambda one: Violation(
                    f"{evidence.upper(int(rows[one]))} is kept for a GPU of the reserve, and cable"
                    f" {evidence.label(int(rows[one]))} is in it"
                ),
            ),
        ),
    )


def _uncounted(evidence: Evidence, role: Role) -> Iterator[Violation]:
    """Yield ports of a box that are neither used nor idle, or both."""
    for used, idle in evidence.port_sets(role):
        yield from _uncounted_of(evidence, role, used, idle)


def _uncounted_of(
    evidence: Evidence, role: Role, used: list[Port], idle: list[Port]
) -> Iterator[Violation]:
    """Yield ports of a box with such ports that are neither used nor idle, or both."""
    model = evidence.plan.fabric.port_layouts[role].model
    both = [*used, *idle]
    splits = {port.cage: port.breakout.count for port in both}
    every = Counter(
        (cage, sub) for cage in range(1, model.cages + 1) for sub in range(splits.get(cage, 1))
    )
    stated = Counter((port.cage, port.sub) for port in both)
    for cage, sub in sorted((every - stated) | (stated - every)):
        how = (
            "both used and idle"
            if stated[cage, sub] > 1
            else "neither used nor idle"
            if (cage, sub) in every
            else "not on the box"
        )
        parts = (
            f"{len(used)} used + {len(idle)} idle = {len(both)}, and"
            f" a {model.model} split so has {sum(every.values())}"
        )
        yield Violation(f"port {sub + 1} of cage {cage} of each {role} is {how}", (parts,))


def _reserved(evidence: Evidence) -> IntArray:
    """Return the ports that are kept for GPUs that are planned and not installed.

    A port is numbered leaf * ports of a leaf + port.
    """
    plan, width = evidence.plan, len(evidence.ports[Role.LEAF])
    blocks, gpu = plan.mapping.segment_blocks, plan.mapping.pattern()
    leaf, down = np.divmod(np.flatnonzero(gpu >= plan.fabric.gpus), plan.sizing.leaf_down)
    segments = np.arange(plan.mapping.segments)[:, None, None] * evidence.boxes
    ports: IntArray = (
        (segments + leaf[None, :, None]) * width
        + down[None, :, None] * blocks
        + np.arange(blocks)[None, None, :]
    ).ravel()
    return ports

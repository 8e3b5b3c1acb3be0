"""How many of each part the wiring needs, counted link by link, for comparison with the bill.

`bom` counts one segment and multiplies; it also owns prices, spares and descriptions.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.arrays import distinct, distinct_columns
from fabricgen.core.terms import LinkKind, Role

if TYPE_CHECKING:
    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import BoolArray, IntArray
    from fabricgen.planning.cabling.compatibility import LinkParts

MOST_CAGES = 1 << 20
"""A number larger than the cages of any box."""


def parts_of(evidence: Evidence) -> dict[str, int]:
    """Count every part that the wiring needs.

    These are boxes that have a link, modules by the cages that hold one, cables, and NICs that are
    bought apart.
    """
    plan, fabric = evidence.plan, evidence.plan.fabric
    bought: dict[str, int] = {}

    def add(part: str, count: int) -> None:
        if count:
            bought[part] = bought.get(part, 0) + count

    for role in plan.roles:
        add(
            fabric.port_layouts[role].model.model,
            int(np.count_nonzero((evidence.links_of > 0) & (evidence.tier == role.tier))),
        )
        for module, filled in _filled(evidence, role.tier).items():
            add(module, filled)
    for number, parts in enumerate(evidence.candidates):
        rows = evidence.candidate == number
        pieces = _connectors(evidence, parts, rows, parts.shared) * parts.cables
        add(parts.cable.model, pieces - _patched(evidence, number))
        if parts.kind <= LinkKind.HOST and parts.lower:
            add(parts.lower.model, len(distinct(nic_cages(evidence, rows))))
    for part, count in _patching(evidence).items():
        add(part, count)
    for part, count in cords_of(evidence).items():
        add(part, count)
    if fabric.nic and plan.spec.nic.model:
        add(fabric.nic.model, fabric.gpus * fabric.nics_per_gpu)
    return bought


def _patching(evidence: Evidence) -> Counter[str]:
    """Count what the channels take: two jumpers each, trunks, and panels with their cassettes."""
    channels = evidence.channels
    if channels is None:
        return Counter()
    found = Counter(trunk.item for trunk in channels.trunks)
    for number in channels.part.tolist():
        found.update((channels.parts[number].lower.model, channels.parts[number].upper.model))
    for panel in channels.panels:
        found[panel.parts.panel.model] += 1
        found[panel.parts.cassette.model] += panel.parts.cassettes
    return found


def cords_of(evidence: Evidence) -> Counter[str]:
    """Count the cords in front of panels that a person moves: one for every two endpoints."""
    circuits = evidence.plan.fabric.port_layouts[Role.LEAF].model.circuits
    if circuits is None or circuits.moved_by != "hand":
        return Counter()
    hosts = evidence.wiring.kind == LinkKind.HOST
    boxes = Counter(evidence.wiring.upper[hosts].tolist())
    model = evidence.candidates[int(evidence.candidate[hosts][0])].cable.model
    return Counter({model: sum(count // 2 for count in boxes.values())})


def _patched(evidence: Evidence, candidate: int) -> int:
    """Count the cables of a candidate that run through panels instead."""
    channels = evidence.channels
    if channels is None:
        return 0
    rows = channels.segment * len(evidence.plan.segment.kind) + channels.row
    return int(np.count_nonzero(evidence.candidate[rows] == candidate))


def _filled(evidence: Evidence, tier: int) -> dict[str, int]:
    """Count the cages with a module on the switches of a tier, by module."""
    wiring = evidence.wiring
    filled: dict[str, list[IntArray]] = {}
    for number, parts in enumerate(evidence.candidates):
        rows = evidence.candidate == number
        for role, module, switch, port in (
            (parts.kind.upper, parts.upper, wiring.upper, wiring.upper_port),
            (parts.kind.lower, parts.lower, wiring.lower, wiring.lower_port),
        ):
            if role and role.tier == tier and module:
                filled.setdefault(module.model, []).append(
                    switch_cages(evidence, tier, switch[rows], port[rows])
                )
    return {module: len(distinct(np.concatenate(cages))) for module, cages in filled.items()}


def connectors_of(evidence: Evidence) -> int:
    """Count the connectors of all cables.

    A cable has two, a splitter one at its near end and one for each leg; a channel has two jumpers
    instead of a cable.
    """
    taken = [
        (parts, evidence.candidate == number) for number, parts in enumerate(evidence.candidates)
    ]
    shares = (
        (parts, rows, share)
        for parts, rows in taken
        for share in (parts.shared, parts.shared // parts.cable.legs)
    )
    channels = evidence.channels
    patched = 2 * (len(channels.row) + len(channels.trunks)) if channels else 0
    return patched + sum(
        _connectors(evidence, parts, rows, share) * parts.cables for parts, rows, share in shares
    )


def _connectors(evidence: Evidence, parts: LinkParts, rows: BoolArray, share: int) -> int:
    """Count the connectors of cables at one end.

    There, `share` adjacent links of a near cage have one connector; a connector at the near end is
    a cable.
    """
    if parts.shared == 1:
        return int(np.count_nonzero(rows))
    wiring, tier = evidence.wiring, parts.kind.upper.tier
    below = parts.kind.lower.tier if parts.kind.lower else 0
    if parts.near == "upper":
        cage, sub = (
            switch_cages(evidence, tier, wiring.upper[rows], wiring.upper_port[rows]),
            _subs(evidence, tier)[wiring.upper_port[rows]],
        )
    elif below:
        cage, sub = (
            switch_cages(evidence, below, wiring.lower[rows], wiring.lower_port[rows]),
            _subs(evidence, below)[wiring.lower_port[rows]],
        )
    else:
        cage, host = host_cages(evidence, rows), evidence.plan.fabric.host
        ports = zip(
            evidence.plan.fabric.coordinates.host_slot(wiring.lower[rows]).tolist(),
            wiring.lower_port[rows].tolist(),
            strict=True,
        )
        sub = np.array([host.port(gpu, plane).sub - 1 if host else 0 for gpu, plane in ports])
    return len(distinct_columns(np.stack([cage, sub // share])).T)


def _subs(evidence: Evidence, tier: int) -> IntArray:
    """Return the position in its cage of each port of a tier's box, from 0."""
    return np.array([port.sub for port in evidence.ports[evidence.plan.roles[tier - 1]]])


def switch_cages(evidence: Evidence, tier: int, switch: IntArray, port: IntArray) -> IntArray:
    """Return the number of the cage behind each port of switches of a tier."""
    cages = np.array([each.cage for each in evidence.ports[evidence.plan.roles[tier - 1]]])
    found: IntArray = switch.astype(np.int64) * (MOST_CAGES + 1) + cages[port]
    return found


def nic_cages(evidence: Evidence, rows: BoolArray) -> IntArray:
    """Return the host cages at the ends of some links: the lower ends, then those of direct links.

    A direct link takes a module at both of its ends, and both are equal.
    """
    direct = rows & (evidence.wiring.kind == LinkKind.DIRECT)
    found = [host_cages(evidence, rows), host_cages(evidence, direct, upper=True)]
    return np.concatenate(found)


def host_cages(evidence: Evidence, rows: BoolArray, *, upper: bool = False) -> IntArray:
    """Return the number of the host cage at the lower or the upper end of some links.

    If the chassis is unknown, each NIC port is a cage.
    """
    fabric, wiring = evidence.plan.fabric, evidence.wiring
    ends = (wiring.upper, wiring.upper_port) if upper else (wiring.lower, wiring.lower_port)
    gpu, port = (each[rows].astype(np.int64) for each in ends)
    plane = port // fabric.split
    if fabric.host is None:
        return fabric.coordinates.nic(gpu, plane)
    cages = sorted({port.cage for port in fabric.host.ports})
    cage_index = np.array(
        [
            [cages.index(fabric.host.port(within, each).cage) for each in range(fabric.planes)]
            for within in range(fabric.host_gpus)
        ]
    )
    found: IntArray = cage_index[fabric.coordinates.host_slot(gpu), plane]
    return fabric.coordinates.host(gpu) * len(cages) + found

"""How many of each part the wiring takes, counted link by link over the whole fabric, for comparison with the bill.

`bom` counts one segment and multiplies; prices, spares and descriptions are its own business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.arrays import distinct, distinct_columns
from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import BoolArray, IntArray
    from fabricgen.planning.cabling.compatibility import LinkParts

MOST_CAGES = 1 << 20
"""More cages than any box has."""


def parts_of(evidence: Evidence) -> dict[str, int]:
    """Count every part that the wiring takes: boxes that have a link, modules by the cages that hold one, cables, and NICs that are bought apart."""
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
    for number, joint in enumerate(evidence.candidates):
        rows = evidence.candidate == number
        add(joint.cable.model, _connectors(evidence, joint, rows, joint.shared) * joint.cables)
        if joint.kind is LinkKind.HOST and joint.lower:
            add(joint.lower.model, len(distinct(host_cages(evidence, rows))))
    if fabric.nic and plan.spec.nic.model:
        add(fabric.nic.model, fabric.gpus * fabric.nics_per_gpu)
    return bought


def _filled(evidence: Evidence, tier: int) -> dict[str, int]:
    """Count the cages with a module on the switches of a tier, by module."""
    wiring = evidence.wiring
    filled: dict[str, list[IntArray]] = {}
    for number, joint in enumerate(evidence.candidates):
        rows = evidence.candidate == number
        for at, module, switch, port in (
            (joint.kind, joint.upper, wiring.upper, wiring.upper_port),
            (joint.kind - 1, joint.lower, wiring.lower, wiring.lower_port),
        ):
            if at == tier and module:
                filled.setdefault(module.model, []).append(
                    switch_cages(evidence, tier, switch[rows], port[rows])
                )
    return {module: len(distinct(np.concatenate(cages))) for module, cages in filled.items()}


def connectors_of(evidence: Evidence) -> int:
    """Count the connectors of all cables: two of each, and of a splitter one at its near end and one for each leg."""
    taken = [
        (joint, evidence.candidate == number) for number, joint in enumerate(evidence.candidates)
    ]
    shares = (
        (joint, rows, share)
        for joint, rows in taken
        for share in (joint.shared, joint.shared // joint.cable.legs)
    )
    return sum(
        _connectors(evidence, joint, rows, share) * joint.cables for joint, rows, share in shares
    )


def _connectors(evidence: Evidence, joint: LinkParts, rows: BoolArray, share: int) -> int:
    """Count the connectors of links' cables at an end where `share` links of a near cage, side by side, have one: at the near end a connector is a cable."""
    if joint.shared == 1:
        return int(np.count_nonzero(rows))
    wiring, tier = evidence.wiring, int(joint.kind)
    if joint.near == "upper":
        cage, sub = (
            switch_cages(evidence, tier, wiring.upper[rows], wiring.upper_port[rows]),
            _subs(evidence, tier)[wiring.upper_port[rows]],
        )
    elif tier > 1:
        cage, sub = (
            switch_cages(evidence, tier - 1, wiring.lower[rows], wiring.lower_port[rows]),
            _subs(evidence, tier - 1)[wiring.lower_port[rows]],
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


def host_cages(evidence: Evidence, rows: BoolArray) -> IntArray:
    """Return the number of the host cage behind each of some host links; where the chassis is not known, each NIC port is a cage."""
    fabric, wiring = evidence.plan.fabric, evidence.wiring
    gpu, plane = (each[rows].astype(np.int64) for each in (wiring.lower, wiring.lower_port))
    if fabric.host is None:
        return fabric.coordinates.nic(gpu, plane)
    cages = sorted({port.cage for port in fabric.host.ports})
    seat = np.array(
        [
            [cages.index(fabric.host.port(within, each).cage) for each in range(fabric.planes)]
            for within in range(fabric.host_gpus)
        ]
    )
    found: IntArray = seat[fabric.coordinates.host_slot(gpu), plane]
    return fabric.coordinates.host(gpu) * len(cages) + found

"""How many of each part the wiring takes, counted link by link over the whole fabric, for comparison with the bill.

`bom` counts one unit and multiplies; prices, spares and descriptions are its own business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.terms import LinkKind

if TYPE_CHECKING:
    from fabricgen.checks.evidence import Evidence
    from fabricgen.clos import Bools


def parts_of(evidence: Evidence) -> dict[str, int]:
    """Count every part that the wiring takes: boxes that have a link, modules by the cages that hold one, cables, and NICs that are bought apart."""
    plan, wiring, request = evidence.plan, evidence.wiring, evidence.plan.request
    bought: dict[str, int] = {}

    def add(part: str, count: int) -> None:
        bought[part] = bought.get(part, 0) + count

    for role in plan.roles:
        add(request.fronts[role].model.model, int(np.count_nonzero((evidence.links_of > 0) & (evidence.tier == role.tier))))
        for module, filled in _filled(evidence, role.tier).items():
            add(module, filled)
    for kind, joint in evidence.joints.items():
        add(joint.cable.model, int(np.count_nonzero(wiring.kind == kind)) * joint.cables)
    add(evidence.joints[LinkKind.HOST].lower.model, _host_cages(evidence))
    if request.nic and plan.spec.nic.model:
        add(request.nic.model, request.gpus * request.nics_per_gpu)
    return bought


def _filled(evidence: Evidence, tier: int) -> dict[str, int]:
    """Count the cages with a module on the switches of a tier, by module."""
    wiring, role = evidence.wiring, evidence.plan.roles[tier - 1]
    cages = np.array([port.cage for port in evidence.ports[role]])
    width = int(cages.max(initial=0)) + 1
    filled: dict[str, Bools] = {}
    for kind, joint in evidence.joints.items():
        rows = wiring.kind == kind
        for at, module, switch, port in ((kind, joint.upper, wiring.upper, wiring.upper_port), (kind - 1, joint.lower, wiring.lower, wiring.lower_port)):
            if at == tier:
                mask = filled.setdefault(module.model, np.zeros(len(evidence.switches) * width, dtype=bool))
                mask[switch[rows].astype(np.int64) * width + cages[port[rows]]] = True
    return {module: int(np.count_nonzero(mask)) for module, mask in filled.items()}


def _host_cages(evidence: Evidence) -> int:
    """Count the cages of hosts with a module; where the chassis is not known, each NIC port is a cage."""
    request, wiring = evidence.plan.request, evidence.wiring
    gpu, plane = wiring.lower[evidence.has_host].astype(np.int64), wiring.lower_port[evidence.has_host]
    if request.host is None:
        return len(gpu)
    cages = sorted({port.cage for port in request.host.ports})
    seat = np.array([[cages.index(request.host.port(within, each).cage) for each in range(request.planes)] for within in range(request.host_gpus)])
    return len(np.unique(gpu // request.host_gpus * len(cages) + seat[gpu % request.host_gpus, plane]))

"""The parts of a fabric that stands in part.

Owns `parts_of`. The whole is counted by `bom`, unit by unit; a part has no two units alike, so here parts are counted link by link.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.terms import LinkKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from fabricgen.planner import Plan
    from fabricgen.terms import Role
    from fabricgen.wiring import Wiring

    Whole = NDArray[np.integer[Any]]
    Rows = NDArray[np.bool_]


def parts_of(plan: Plan, wiring: Wiring, stands: Rows) -> Counter[str]:
    """Count the parts that some of a plan's links take, by model, without spares. NICs come with the hosts, and hosts at once."""
    found: Counter[str] = Counter()
    tier = np.tile([box.role.tier for box in plan.naming.boxes], plan.mapping.units)
    used = tier[np.unique(np.concatenate([wiring.upper[stands], wiring.lower[stands & (wiring.kind != LinkKind.HOST)]]))]
    for role in plan.roles:
        found[plan.request.fronts[role].model.model] += int(np.count_nonzero(used == role.tier))
        cages: dict[str, list[Whole]] = defaultdict(list)
        for model, taken in _cages(plan, wiring, stands, role):
            cages[model].append(taken)
        for model, several in cages.items():
            found[model] += len(np.unique(np.concatenate(several)))
    for kind, joint in plan.joints.items():
        found[joint.cable.model] += int(np.count_nonzero(stands & (wiring.kind == kind))) * joint.cables
    found[plan.joints[LinkKind.HOST].lower.model] += _host_cages(plan, wiring, stands)
    if plan.request.nic and plan.spec.nic.model:
        found[plan.request.nic.model] += plan.request.gpus * plan.request.nics_per_gpu
    return found


def _cages(plan: Plan, wiring: Wiring, stands: Rows, role: Role) -> Iterator[tuple[str, Whole]]:
    """Yield the modules of a role, and the cages that they take, numbered over all switches."""
    cage = np.array([port.cage for port in plan.ports[role]], dtype=np.int64)
    for kind, joint in plan.joints.items():
        rows = stands & (wiring.kind == kind)
        if kind.upper is role:
            yield joint.upper.model, wiring.upper[rows] * (cage.max() + 1) + cage[wiring.upper_port[rows]]
        if kind.lower is role:
            yield joint.lower.model, wiring.lower[rows] * (cage.max() + 1) + cage[wiring.lower_port[rows]]


def _host_cages(plan: Plan, wiring: Wiring, stands: Rows) -> int:
    """Count the hosts' cages that hold a module; where the chassis is unknown each NIC port is a cage of its own."""
    rows, request = stands & (wiring.kind == LinkKind.HOST), plan.request
    if request.host is None:
        return int(np.count_nonzero(rows))
    host, within = np.divmod(wiring.lower[rows].astype(np.int64), request.host_gpus)
    names = [request.host.port(gpu, plane).cage for gpu in range(request.host_gpus) for plane in range(request.planes)]
    cages, number = np.unique(names, return_inverse=True)
    return len(np.unique(host * len(cages) + number[within * request.planes + wiring.lower_port[rows]]))

"""The parts of a partly installed fabric.

Owns `parts_of`. `bom.counts` counts modules and cables link by link; switches and NICs are counted
here.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.bom.counts import count_parts
from fabricgen.core.arrays import distinct
from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from fabricgen.core.arrays import BoolArray
    from fabricgen.planning.fabric_links import Wiring
    from fabricgen.planning.plan import Plan


def parts_of(plan: Plan, wiring: Wiring, installed: BoolArray) -> Counter[str]:
    """Count the parts of some of a plan's links as a bill names them, without spares.

    NICs come with the hosts, which are all installed in the first phase.
    """
    found: Counter[str] = Counter()
    tier = np.tile([box.role.tier for box in plan.naming.boxes], plan.mapping.segments)
    # the switches at either end of an installed link, each once
    used = tier[
        distinct(
            np.concatenate(
                [wiring.upper[installed], wiring.lower[installed & (wiring.kind != LinkKind.HOST)]]
            )
        )
    ]
    for role in plan.roles:
        found[plan.fabric.port_layouts[role].model.model] += int(
            np.count_nonzero(used == role.tier)
        )
    counted = count_parts(plan, installed)
    for models in counted.modules.values():
        found.update(models)
    for cables in counted.cables.values():
        found.update({cable.name: count for cable, count in cables.items()})
    if plan.fabric.nic and plan.spec.nic.model:
        found[plan.fabric.nic.model] += plan.fabric.gpus * plan.fabric.nics_per_gpu
    return found

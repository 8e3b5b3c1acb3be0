"""The hosts and the racks of a cluster with `networks`, as its bill has them.

The bill of an inventory without `networks` has neither: it is that of the compute fabric.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.bom.bill import RACKS
from fabricgen.core.arrays import distinct
from fabricgen.planning.power_cords import corded_devices
from fabricgen.planning.room.footprints import HOST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.bill import PartClass
    from fabricgen.core.arrays import IntArray
    from fabricgen.inventory.site import Rack
    from fabricgen.planning.plan import Plan


class Housing(NamedTuple):
    """The hosts, or the racks that are in use."""

    part_class: PartClass
    part: str
    description: str
    purpose: str
    quantity: int
    power_w: tuple[float | None, float | None]
    """Typical and maximum power of one."""
    racks: IntArray
    """The rack of each, by its number; empty where no racks are planned."""


def housing(plan: Plan) -> Iterator[Housing]:
    """Yield hosts whose model the catalog has, then the racks of a room that `site` describes."""
    host, room = plan.fabric.host, plan.lengths.room if plan.lengths else None
    if not plan.spec.networks.every():
        return
    if host:
        hosts = len(plan.hosts)
        racks = np.empty(0, dtype=np.int32) if room is None else room.positions.rack[:hosts]
        power = host.typical_w, host.maximum_w
        yield Housing("hosts", host.model, host.description, HOST, hosts, power, racks)
    if room is not None and not room.generated:
        racks = distinct(room.positions.rack[corded_devices(plan, room)])
        part, description = _rack(room.site.rack)
        yield Housing("racks", part, description, RACKS, len(racks), (0, 0), racks)


def _rack(rack: Rack) -> tuple[str, str]:
    """Name and describe a rack by its size and what it carries, as the inventory states them."""
    limits = [
        f"{limit:,} {unit}"
        for limit, unit in ((rack.power_w, "W"), (rack.weight_kg, "kg"))
        if limit is not None
    ]
    carries = f", for {' and '.join(limits)}" if limits else ""
    return (
        f"generic-rack-{rack.units}u",
        f"rack of {rack.units} units for a pitch of {rack.pitch_mm} mm{carries}",
    )

"""The power cords to buy, and those that come with their devices.

`planning.power_cords` plugs them in; both list the same cords, in racks with known PDUs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.catalog.models.switch import Switch
from fabricgen.core.terms import DEVICES, Role
from fabricgen.planning.power_cords import corded_devices, cords_of, has_pdus
from fabricgen.planning.room.footprints import HOST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.models.device import PowerCord
    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.room.equipment import EquipmentGroup
    from fabricgen.planning.room.room import Room


@dataclass(frozen=True)
class CordCount:
    """The power cords of equal devices, which are numbered in the room."""

    part: PowerCord
    purpose: str
    """What they are for, as a line of the bill has it."""
    model: str
    """The model of the devices."""
    devices: IntArray
    supplied_each: int
    """Cords in the box of each device."""
    bought_each: int
    """Cords of each device that are bought beside it."""

    @property
    def supplied(self) -> int:
        """The number of cords that come with the devices."""
        return len(self.devices) * self.supplied_each

    @property
    def bought(self) -> int:
        """The number of cords to buy."""
        return len(self.devices) * self.bought_each


def power_cords(plan: Plan) -> Iterator[CordCount]:
    """Yield the cords of each kind of device, those of hosts first; none without known PDUs."""
    if not plan.spec.devices or plan.lengths is None or not has_pdus(plan):
        return
    room = plan.lengths.room
    devices, named = corded_devices(plan, room), _named(plan, room)
    number = {kind: at for at, kind in enumerate(room.kinds)}
    for kind, facts in cords_of(plan, room).items():
        own = devices[room.kind[devices] == number.get(kind, -1)]
        if facts and facts.count and own.size:
            purpose, model = named[kind]
            supplied = min(facts.supplied, facts.count)
            part = plan.catalog.power_cord(facts.inlet)
            yield CordCount(part, purpose, model, own, supplied, facts.count - supplied)


def _named(plan: Plan, room: Room) -> dict[str, tuple[str, str]]:
    """Return the purpose and the model of each kind of device."""
    host, layouts = plan.fabric.host, plan.fabric.port_layouts
    own = {HOST: (HOST, host.model if host else "")}
    own |= {role.value: (role.value, layout.model.model) for role, layout in layouts.items()}
    return own | {
        group.kind: (_purpose(group), group.part.model if group.part else "")
        for group in room.equipment.groups
    }


def _purpose(group: EquipmentGroup) -> str:
    """Return the purpose of the cords of equipment; spare leaves are those of compute."""
    if group.role:
        return f"{group.role.value} ({group.network})"
    return Role.LEAF.value if isinstance(group.part, Switch) else DEVICES

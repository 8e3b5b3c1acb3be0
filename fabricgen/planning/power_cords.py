"""The outlet of every power cord: those of a device are plugged into the feeds of its rack in turn.

The PDUs of a rack are on two feeds in turn; an odd number of PDUs are on as many feeds. Owns
`PowerPlan`, which exists in a room that `site` describes, where `devices` has PDUs whose outlets
and power the catalog knows.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.catalog.models.device import Device
from fabricgen.core.terms import ROLES
from fabricgen.planning.room.power_units import FEEDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.base import Cords
    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.room.room import Room


class Pdu(NamedTuple):
    """A PDU: its rack by number, its feed from 0, its outlets of each socket, and its power."""

    name: str
    rack: int
    feed: int
    outlets: dict[str, int]
    capacity_w: int


class Cord(NamedTuple):
    """A power cord: its device, its number there from 1, its rack, and the outlet of a PDU.

    `pdu` is the number of the PDU and `outlet` that of the outlet among those of its socket, from
    1; both are -1 where no outlet is free.
    """

    device: str
    number: int
    rack: int
    inlet: str
    pdu: int
    socket: str
    outlet: int


def feed_name(feed: int) -> str:
    """Name a feed by a letter."""
    return chr(ord("A") + feed)


@dataclass(frozen=True)
class PowerPlan:
    """The PDUs of a room, and the cord of every device."""

    racks: tuple[str, ...]
    """The name of each rack."""
    pdus: tuple[Pdu, ...]
    cords: tuple[Cord, ...]
    watts: dict[int, int]
    """The most that the devices with cords draw in each rack, by its number."""
    unknown: tuple[str, ...]
    """The kinds of devices whose cords or power are unknown."""


def has_pdus(plan: Plan) -> bool:
    """Return whether PDUs are known, in racks that are not an assumption."""
    room = plan.lengths.room if plan.lengths else None
    return room is not None and not room.generated and any(_pdus(room))


def plan_power(plan: Plan) -> PowerPlan | None:
    """Plug in the cords of all installed devices; None where `has_pdus` is not."""
    if plan.lengths is None or not has_pdus(plan):
        return None
    room = plan.lengths.room
    pdus = [*_pdus(room)]
    cords, watts, of_rack = list[Cord](), Counter[int](), dict[int, _Rack]()
    parts, unknown = cords_of(plan, room), dict[str, None]()
    sockets = _Sockets(plan.catalog)
    for number, pdu in enumerate(pdus):
        of_rack.setdefault(pdu.rack, _Rack(pdus, sockets)).add(number)
    for device in corded_devices(plan, room).tolist():
        kind = room.kinds[int(room.kind[device])]
        facts, power = parts[kind], room.shares.of[kind].power_w
        if facts is None or (facts.count and power is None):
            unknown[kind] = None
        if facts and facts.count:
            rack = int(room.positions.rack[device])
            outlets = of_rack.setdefault(rack, _Rack(pdus, sockets))
            cords += outlets.plug(room.device(device), rack, facts)
            watts[rack] += power or 0
    return PowerPlan(tuple(room.names), tuple(pdus), tuple(cords), dict(watts), tuple(unknown))


class _Sockets:
    """The outlets that an inlet is plugged into, by the cords of the catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._of, every = defaultdict[str, set[str]](set), set[str]()
        for cord in catalog.power_cords():
            if cord.socket and cord.inlet:
                self._of[cord.inlet].add(cord.socket)
                every.add(cord.socket)
        self._every = sorted(every)

    def of(self, inlet: str) -> list[str]:
        """Return the outlets of an inlet; an unknown one takes any."""
        return sorted(self._of[inlet]) if inlet in self._of else self._every


class _Rack:
    """The PDUs of a rack, and the outlets of them that are in use."""

    def __init__(self, pdus: list[Pdu], sockets: _Sockets) -> None:
        self._pdus, self._feeds = pdus, defaultdict[int, list[int]](list)
        self._sockets = sockets
        self._used, self._turn = Counter[tuple[int, str]](), count()

    def add(self, number: int) -> None:
        """Add a PDU by its number."""
        self._feeds[self._pdus[number].feed].append(number)

    def plug(self, device: str, rack: int, cords: Cords) -> Iterator[Cord]:
        """Plug in the cords of a device, each on another feed than the one before."""
        first, inlet = next(self._turn), cords.inlet or ""
        for cord in range(cords.count):
            pdu, socket = self._free(first + cord, self._sockets.of(inlet))
            if pdu >= 0:
                self._used[pdu, socket] += 1
            outlet = self._used[pdu, socket] if pdu >= 0 else -1
            yield Cord(device, cord + 1, rack, inlet, pdu, socket, outlet)

    def _free(self, turn: int, sockets: Iterable[str]) -> tuple[int, str]:
        """Return the PDU of a feed with the most free outlets, and the socket; -1 where none is."""
        feed = self._feeds[turn % len(self._feeds)] if self._feeds else []
        for socket in sockets:
            free = {pdu: self._left(pdu, socket) for pdu in feed}
            best = max(free, key=lambda pdu: free[pdu], default=-1)
            if free.get(best, 0) > 0:
                return best, socket
        return -1, ""

    def _left(self, pdu: int, socket: str) -> int:
        """Return the free outlets of a socket."""
        return self._pdus[pdu].outlets.get(socket, 0) - self._used[pdu, socket]


def _pdus(room: Room) -> Iterator[Pdu]:
    """Yield the PDUs with known outlets and power, on the feeds of their racks in turn."""
    first, found = room.first_equipment, list[tuple[str, int, Device]]()
    for group in room.equipment.groups:
        if isinstance(group.part, Device) and group.part.outlets and group.part.capacity_w:
            racks = room.positions.rack[first : first + len(group.names)].tolist()
            found += [(*each, group.part) for each in zip(group.names, racks, strict=True)]
        first += len(group.names)
    counts, turns = Counter(rack for _, rack, _ in found), Counter[int]()
    for name, rack, part in found:
        feeds = counts[rack] if counts[rack] % FEEDS else FEEDS
        outlets: dict[str, int] = {each.socket: each.count for each in part.outlets}
        yield Pdu(name, rack, turns[rack] % feeds, outlets, math.floor(part.capacity_w or 0))
        turns[rack] += 1


def cords_of(plan: Plan, room: Room) -> dict[str, Cords | None]:
    """Return the cords of each kind of device; PDUs have none here."""
    host, layouts = plan.fabric.host, plan.fabric.port_layouts
    found = {"host": host.cords if host else None}
    found |= {role.value: layouts[role].model.cords for role in ROLES if role in layouts}
    return found | {
        group.kind: group.part.cords if group.part else None for group in room.equipment.groups
    }


def corded_devices(plan: Plan, room: Room) -> IntArray:
    """Return the installed devices of a room but PDUs, from the bottom of each rack up."""
    boxes = np.tile(np.array(plan.installed, dtype=bool), plan.mapping.segments)
    parts = [group.part for group in room.equipment.groups]
    others = [not isinstance(part, Device) or not part.outlets for part in parts]
    here = np.concatenate(
        [
            np.arange(room.hosts) < len(plan.hosts),
            boxes,
            np.array(others, dtype=bool)[room.equipment.group],
        ]
    )
    devices = np.flatnonzero(here & (room.positions.rack >= 0))
    order = np.lexsort((room.positions.rack_unit[devices], room.positions.rack[devices]))
    return devices[order]

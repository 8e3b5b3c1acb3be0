"""Drawings of racks and of switch fronts, as views.

Owns the drawing in numbers: places and sizes, in units of the picture. A cage of a port map shows
the cable and the far end of each of its connectors in the colour of the rail, and its plug order.
`faceplate` owns which cable hides which cage.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import ROLES
from fabricgen.outputs.installation.view import (
    CageBox,
    ElevationView,
    PortBox,
    PortMapView,
    RackedDeviceView,
    TextLine,
    chip,
)
from fabricgen.planning.room.footprints import HOST, KINDS
from fabricgen.planning.room.positions_csv import hall_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.core.terms import Role
    from fabricgen.outputs.installation.bundles import Bundle, Fronts, Plug
    from fabricgen.outputs.installation.view import Chip
    from fabricgen.planning.room.room import Room

HEAD, UNIT, LINE = 70, 18, 17
"""Heights in a rack's picture: the header, a rack unit, and a line of text below."""

MARGIN, TITLE, CAGE, GAP, NUMBER, SLOT = 16, 78, 104, 5, 17, 31
"""Sizes in a switch's picture.

The margin, the title above the cages, the width of a cage, the space between two, the height of its
number, and of a connector.
"""

NARROWEST = 700
"""The minimum width of a switch's picture, for its title."""

LONGEST = 15
"""Maximum characters of a name in a connector's box."""


class _Plugged(NamedTuple):
    """One end of a cable in a switch: the position in its cage, from 0, and the plug order."""

    plug: Plug
    upper: bool
    slot: int


@dataclass(frozen=True)
class Elevations:
    """The pictures of one fabric; `bundles` contain its cables."""

    fronts: Fronts
    room: Room
    bundles: list[Bundle]

    @cached_property
    def racks(self) -> dict[str, list[int]]:
        """The racks that contain installed devices, with every planned device, by number."""
        held: dict[int, list[int]] = {}
        for device, rack in enumerate(self.room.positions.rack.tolist()):
            if rack >= 0:
                held.setdefault(rack, []).append(device)
        return {
            self.room.names[rack]: held[rack]
            for rack in sorted(held)
            if any(map(self.installed, held[rack]))
        }

    def installed(self, device: int) -> bool:
        """Return whether a planned device is installed."""
        plan, first = self.fronts.plan, self.room.hosts
        return (
            device < len(plan.hosts)
            if device < first
            else plan.installed[(device - first) % len(plan.naming.boxes)]
        )

    @cached_property
    def switches(self) -> dict[str, int]:
        """The installed switches and their numbers, in the order of the racks."""
        return {
            self.room.device(device): device
            for held in self.racks.values()
            for device in held
            if device >= self.room.hosts and self.installed(device)
        }

    def rack(self, name: str) -> ElevationView:
        """Draw a rack."""
        units, devices = self.room.shares.rack.rack_units, self.racks[name]
        number = int(self.room.positions.rack[devices[0]])
        body = units * UNIT
        lines = [
            TextLine(HEAD + (units - unit) * UNIT + 13, str(unit)) for unit in range(units, 0, -1)
        ]
        drawn = [
            self._device(device)
            for device in sorted(
                devices, key=lambda device: -int(self.room.positions.rack_unit[device])
            )
        ]
        foot = HEAD + body + 26
        told = [
            TextLine(foot + 6 + LINE * at, text)
            for at, text in enumerate(self._foot(name), start=1)
        ]
        return ElevationView(
            fabric=self.fabric,
            name=name,
            place=self._where(number),
            height=foot + 24 + LINE * len(told),
            body=body,
            units=lines,
            devices=drawn,
            foot=foot,
            lines=told,
        )

    def port_map(self, switch: str) -> PortMapView:
        """Draw the front of a switch."""
        device = self.switches[switch]
        role, model = (
            self._role(device),
            self.fronts.plan.fabric.port_layouts[self._role(device)].model,
        )
        face, ends = self.fronts.faces[role], self._ends.get(switch, {})
        slots = max([end.slot + 1 for held in ends.values() for end in held], default=1)
        high = NUMBER + slots * SLOT
        cages = []
        for cage in range(1, face.cages + 1):
            row, column = face.seat(cage)
            held = sorted(ends.get(cage, []), key=lambda end: end.slot)
            place = MARGIN + column * (CAGE + GAP), TITLE + row * (high + GAP)
            cages.append(
                CageBox(
                    cage, *place, str(face.turns[cage]) if held else "", [_box(end) for end in held]
                )
            )
        width, height = (
            max(2 * MARGIN + face.columns * (CAGE + GAP), NARROWEST),
            TITLE + face.rows * (high + GAP) + MARGIN + 20,
        )
        where = self.room.place(device)
        return PortMapView(
            fabric=self.fabric,
            name=switch,
            role=role.value,
            model=model.model,
            place=where,
            chip=self._chip(switch),
            width=width,
            height=height,
            cage_height=high,
            slot=SLOT,
            assumed=face.assumed,
            cages=cages,
        )

    @property
    def fabric(self) -> str:
        """The name of the fabric."""
        return self.fronts.plan.spec.name

    def _role(self, device: int) -> Role:
        """Return the role of a switch."""
        return ROLES[int(self.room.kind[device]) - 1]

    def _where(self, rack: int) -> str:
        """Return the position of a rack as text."""
        positions = self.room.positions
        return (
            f"hall {hall_name(int(positions.hall[rack]))}, row {int(positions.row[rack]) + 1}, rack"
            f" {int(positions.at[rack]) + 1}"
        )

    def _device(self, device: int) -> RackedDeviceView:
        """Draw a device in its rack."""
        room, name = self.room, self.room.device(device)
        low, high = int(room.positions.rack_unit[device]), int(room.rack_units[device])
        kind, fabric = KINDS[int(room.kind[device])], self.fronts.plan.fabric
        known = (
            (fabric.host.model if fabric.host else "")
            if kind == HOST
            else fabric.port_layouts[self._role(device)].model.model
        )
        top, there, counts = (
            room.shares.rack.rack_units - low - high + 1,
            self.installed(device),
            self._counts.get(name, (0, 0)),
        )
        return RackedDeviceView(
            name=name,
            what=known if known and known != "generic" else kind,
            units=f"U{low}" if high == 1 else f"U{low}-U{low + high - 1}",
            y=HEAD + top * UNIT,
            height=high * UNIT - 2,
            middle=HEAD + top * UNIT + high * UNIT // 2 + 3,
            chip=self._chip(name),
            installed=there,
            cables=f"{counts[0]} in this rack, {counts[1]} to others" if there else "planned",
            switch=kind != HOST,
        )

    def _foot(self, rack: str) -> Iterator[str]:
        """Yield the destinations of a rack's cables."""
        inside = self._pairs[rack, rack]
        yield f"{inside} cables stay in this rack."
        for other in self.room.names:
            if other != rack and (count := self._pairs[rack, other]):
                yield f"{count} cables to {other}"

    @cached_property
    def _plugs(self) -> list[Plug]:
        """Every cable."""
        return [plug for bundle in self.bundles for plug in bundle.plugs]

    @cached_property
    def _counts(self) -> dict[str, tuple[int, int]]:
        """The cable ends at each device: those that stay in its rack, and those that leave it."""
        found: Counter[tuple[str, bool]] = Counter()
        for cable, *_ in self._plugs:
            found.update(
                (device, cable.a_rack == cable.b_rack)
                for device in (cable.a_device, cable.b_device)
            )
        return {device: (found[device, True], found[device, False]) for device, _ in found}

    def _chip(self, device: str) -> Chip:
        """Return the colour of a switch's rail; no colour for hosts and for several rails."""
        rails = {
            end.plug.cable.rail for held in self._ends.get(device, {}).values() for end in held
        } - {""}
        return chip(rails.pop() if len(rails) == 1 else "")

    @cached_property
    def _pairs(self) -> Counter[tuple[str, str]]:
        """The cables between each two racks, both ways, and inside each."""
        found: Counter[tuple[str, str]] = Counter()
        for cable, *_ in self._plugs:
            found.update({(cable.a_rack, cable.b_rack), (cable.b_rack, cable.a_rack)})
        return found

    @cached_property
    def _ends(self) -> dict[str, dict[int, list[_Plugged]]]:
        """The cable ends in each cage of each switch."""
        found: dict[str, dict[int, list[_Plugged]]] = {}
        for plug in self._plugs:
            for device, cage, end in self._both(plug):
                found.setdefault(device, {}).setdefault(cage, []).append(end)
        return found

    def _both(self, plug: Plug) -> Iterable[tuple[str, int, _Plugged]]:
        """Yield the switch ends of a cable: the switch, the cage and the position in it."""
        cable, ports = plug.cable, self.fronts.ports
        upper = ports[ROLES[cable.tier - 1]][cable.b_interface]
        yield (
            cable.b_device,
            plug.b_cage,
            _Plugged(plug, upper=True, slot=max(cable.connector - 1, upper.sub)),
        )
        if cable.tier > 1:
            lower = ports[ROLES[cable.tier - 2]][cable.a_interface]
            yield (
                cable.a_device,
                plug.a_cage,
                _Plugged(plug, upper=False, slot=max(cable.connector - 1, lower.sub)),
            )


def _box(end: _Plugged) -> PortBox:
    """Draw a connector."""
    cable = end.plug.cable
    own, peer, far = (
        (f"{cable.b_device} {cable.b_interface}", cable.a_device, cable.a_interface)
        if end.upper
        else (f"{cable.a_device} {cable.a_interface}", cable.b_device, cable.b_interface)
    )
    title = f"{cable.cable}: {own} to {peer} {far}, {cable.speed}, {cable.length_m} m"
    return PortBox(NUMBER + end.slot * SLOT, chip(cable.rail), cut(cable.cable), cut(peer), title)


def cut(text: str) -> str:
    """Shorten a text for a box; its middle is cut because names differ more at their ends.

    >>> cut("r0-leaf-1"), cut("rack12-tray07-and-more")
    ('r0-leaf-1', 'rack12-…nd-more')
    """
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]}…{text[-half:]}"

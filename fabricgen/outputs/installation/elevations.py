"""Drawings of racks, as views.

Owns the drawing in numbers: places and sizes, in units of the picture. `port_maps` draws switches.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.core.terms import ROLES
from fabricgen.outputs.installation.chips import SEVERAL, chip
from fabricgen.outputs.installation.picture_view import (
    ElevationView,
    RackedDeviceView,
    ReservedView,
    TextLine,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabricgen.core.terms import Role
    from fabricgen.outputs.installation.bundles import Bundle, Fronts, Plug
    from fabricgen.outputs.installation.chips import Chip
    from fabricgen.planning.channels.panels import Panel
    from fabricgen.planning.room.equipment import EquipmentGroup
    from fabricgen.planning.room.room import Room

HEAD, UNIT, HEADING, LINE = 70, 18, 26, 17
"""Heights in a rack's picture: the header, a rack unit, and below it a heading and a line."""


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
        return device >= self.room.first_equipment or (
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
            if self.installed(device) and self.role(device)
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
            if self.room.rack_units[device]
        ]
        drawn += [self._panel(panel) for panel in self._panels.get(number, ())]
        sections = {"Power": self._beside(devices), "Cables": self._foot(name)}
        headings, told, end = _sections(sections, HEAD + body)
        return ElevationView(
            fabric=self.fabric,
            name=name,
            place=self._where(number),
            height=end + 18,
            body=body,
            units=lines,
            devices=drawn,
            reserved=self._reserved(devices, units),
            headings=headings,
            lines=told,
        )

    def _reserved(self, devices: list[int], units: int) -> list[ReservedView]:
        """Draw the reserved units of a rack."""
        hosts = any(device < self.room.hosts for device in devices)
        found = []
        for each in self.room.shares.reserved_in(hosts=hosts):
            last = each.last or each.first
            y, high = HEAD + (units - last) * UNIT, (last - each.first + 1) * UNIT
            found.append(ReservedView(y, high - 2, y + high // 2 + 3, each.use))
        return found

    @property
    def fabric(self) -> str:
        """The name of the fabric."""
        return self.fronts.plan.spec.name

    def role(self, device: int) -> Role | None:
        """Return the role of a switch; None of other devices."""
        if device >= self.room.first_equipment:
            return self._group(device).role
        return ROLES[int(self.room.kind[device]) - 1] if device >= self.room.hosts else None

    def own(self, device: int) -> Fronts:
        """Return the fronts of the network of a switch."""
        if device >= self.room.first_equipment:
            return self.fronts.networks[self._group(device).network]
        return self.fronts

    def _group(self, device: int) -> EquipmentGroup:
        """Return the group of a device beside the compute fabric."""
        equipment = self.room.equipment
        return equipment.groups[int(equipment.group[device - self.room.first_equipment])]

    def _model(self, device: int) -> str:
        """Return the model of a device; empty where the inventory names none."""
        if device >= self.room.first_equipment:
            part = self._group(device).part
            return part.model if part else ""
        role, fabric = self.role(device), self.fronts.plan.fabric
        if role:
            return fabric.port_layouts[role].model.model
        return fabric.host.model if fabric.host else ""

    def _where(self, rack: int) -> str:
        """Return the position of a rack as text."""
        hall, row, at = self.room.places[rack]
        return f"hall {hall}, row {row}, rack {at}"

    def _device(self, device: int) -> RackedDeviceView:
        """Draw a device in its rack."""
        room, name = self.room, self.room.device(device)
        low, high = int(room.positions.rack_unit[device]), int(room.rack_units[device])
        kind, known, role = (
            room.kinds[int(room.kind[device])],
            self._model(device),
            self.role(device),
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
            chip=self.chip(name) if role else SEVERAL,
            installed=there,
            cables=f"{counts[0]} in this rack, {counts[1]} to others" if there else "planned",
            switch=role is not None,
        )

    @cached_property
    def _panels(self) -> dict[int, list[Panel]]:
        """The panels in each rack."""
        found: dict[int, list[Panel]] = {}
        plan = self.fronts.plan
        for each in plan.cluster if plan.fabric.spec.cabling else ():
            for panel in each.channels.panels if each.channels else ():
                found.setdefault(panel.rack, []).append(panel)
        return found

    def _panel(self, panel: Panel) -> RackedDeviceView:
        """Draw a panel in its rack."""
        low, high = panel.rack_unit, panel.parts.panel.rack_units
        y = HEAD + (self.room.shares.rack.rack_units - low - high + 1) * UNIT
        inside, outside = self._counts.get(panel.name, (0, 0))
        return RackedDeviceView(
            name=panel.name,
            what=panel.parts.panel.model,
            units=f"U{low}" if high == 1 else f"U{low}-U{low + high - 1}",
            y=y,
            height=high * UNIT - 2,
            middle=y + high * UNIT // 2 + 3,
            chip=SEVERAL,
            installed=True,
            cables=f"{inside} in this rack, {outside} to others",
            switch=False,
        )

    def _beside(self, devices: list[int]) -> Iterator[str]:
        """Yield the PDUs beside the rack units."""
        names = [self.room.device(each) for each in devices if not self.room.rack_units[each]]
        if names:
            yield f"{', '.join(names)} beside the units."

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

    def chip(self, device: str) -> Chip:
        """Return the colour of a switch's rail; no colour where it serves several."""
        rails = self._rails.get(device, set()) - {""}
        return chip(next(iter(rails)) if len(rails) == 1 else "")

    @cached_property
    def _rails(self) -> dict[str, set[str]]:
        """The rails of the cables at each device."""
        found: dict[str, set[str]] = {}
        for cable, *_ in self._plugs:
            for device in (cable.a_device, cable.b_device):
                found.setdefault(device, set()).add(cable.rail)
        return found

    @cached_property
    def _pairs(self) -> Counter[tuple[str, str]]:
        """The cables between each two racks, both ways, and inside each."""
        found: Counter[tuple[str, str]] = Counter()
        for cable, *_ in self._plugs:
            found.update({(cable.a_rack, cable.b_rack), (cable.b_rack, cable.a_rack)})
        return found


def _sections(
    sections: Mapping[str, Iterator[str]], top: int
) -> tuple[list[TextLine], list[TextLine], int]:
    """Return the headings and lines of the sections that have any, and where the last line is."""
    headings, lines, y = list[TextLine](), list[TextLine](), top
    for heading, texts in sections.items():
        own = [
            TextLine(y + HEADING + 6 + LINE * at, text) for at, text in enumerate(texts, start=1)
        ]
        if own:
            headings.append(TextLine(y + HEADING, heading))
            lines += own
            y = own[-1].y
    return headings, lines, y

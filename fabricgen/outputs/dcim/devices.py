"""Sites, racks, device types and devices, as a data-centre database holds them.

Names and positions are those of the cable list. `interfaces` owns the interfaces, `cables` the
cables, `view` the shapes, and `build.group_dcim` the files.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.outputs.dcim.view import (
    AssetsView,
    DcimDeviceView,
    DcimRackView,
    DeviceTypeView,
    HallView,
    NamedView,
)
from fabricgen.planning.room.footprints import HOST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.models.host import Host
    from fabricgen.catalog.models.switch import Switch
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.room.room import Room

DEFAULT_RACK_UNITS = 1
"""Rack units of a device type of unknown size, where nothing is placed."""


class _Position(NamedTuple):
    """The position of a device; all empty without a room."""

    hall: str = ""
    rack: str = ""
    unit: str = ""
    face: str = ""


class Assets:
    """The devices of one plan, and what must exist before them."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan; nothing is made before it is needed."""
        self.plan = plan

    @property
    def _room(self) -> Room | None:
        """The room; None where nothing is placed."""
        return self.plan.lengths.room if self.plan.lengths else None

    @cached_property
    def host(self) -> tuple[str, str]:
        """Manufacturer and model of the hosts."""
        host = self.plan.fabric.host
        return (
            (host.vendor, host.model)
            if host
            else ("generic", f"host-{self.plan.fabric.host_gpus}gpu")
        )

    def assets(self) -> AssetsView:
        """List the objects that must exist before the first device."""
        fabric, site = self.plan.fabric, self.plan.spec.name
        models: dict[str, Host | Switch | None] = {HOST: fabric.host} | {
            role.value: fabric.port_layouts[role].model for role in self.plan.roles
        }
        every = (
            port_layout
            for segment in range(self.plan.mapping.segments)
            for port_layout in self.plan.port_layouts(segment).values()
            if port_layout.role in self.plan.roles
        )
        halls, racks = self._places()
        return AssetsView(
            _named(site),
            halls,
            racks,
            _names({part.vendor if part else self.host[0] for part in models.values()}),
            [_named(name) for name in models],
            _names({port_layout.nos for port_layout in every}),
            self._types(models),
        )

    def _places(self) -> tuple[list[HallView], list[DcimRackView]]:
        """List the halls and the racks that contain something."""
        if self._room is None:
            return [], []
        room = self._room
        used = sorted({int(room.positions.rack[device]) for device in self._devices()} - {-1})
        halls = {rack: room.places[rack][0] for rack in used}
        racks = [DcimRackView(room.names[rack], halls[rack], room.site.rack.units) for rack in used]
        return [HallView(name, slug(name)) for name in sorted(set(halls.values()))], racks

    def _types(self, models: dict[str, Host | Switch | None]) -> list[DeviceTypeView]:
        """List each model once, with the rack units of its largest role."""
        found: dict[tuple[str, str], DeviceTypeView] = {}
        for kind, part in models.items():
            maker, model = (part.vendor, part.model) if part else self.host
            rack_units = (
                self._room.shares.of[kind].rack_units
                if self._room
                else (part.rack_units if part else None) or DEFAULT_RACK_UNITS
            )
            before = found.get((maker, model))
            weight = "" if part is None or part.weight_kg is None else f"{part.weight_kg:g}"
            number = getattr(part, "part_number", None) or ""
            text = (
                part.description
                if part
                else f"a host of {self.plan.fabric.host_gpus} GPUs that the inventory does not name"
            )
            found[maker, model] = DeviceTypeView(
                maker,
                model,
                slug(f"{maker}-{model}"),
                number,
                max(rack_units, before.units if before else 0),
                weight,
                text,
            )
        return list(found.values())

    def _devices(self) -> Iterator[int]:
        """Yield every installed device by its number in the room: hosts, then switches."""
        plan, boxes = self.plan, len(self.plan.naming.boxes)
        yield from range(len(plan.hosts))
        first = plan.fabric.coordinates.planned_hosts
        yield from (
            first + segment * boxes + box
            for segment in range(plan.mapping.segments)
            for box in range(boxes)
            if plan.installed[box]
        )

    @property
    def device_count(self) -> int:
        """The number of installed hosts and switches."""
        return len(self.plan.hosts) + self.plan.mapping.segments * sum(self.plan.installed)

    def devices(self) -> Iterator[DcimDeviceView]:
        """List hosts, then switches segment by segment."""
        plan, site, number = self.plan, self.plan.spec.name, self._devices()
        maker, model = self.host
        for name in plan.hosts:
            yield DcimDeviceView(
                name=name,
                role=HOST,
                maker=maker,
                model=model,
                site=site,
                **self._place(next(number))._asdict(),
                platform="",
            )
        for segment in range(plan.mapping.segments):
            port_layouts, names = plan.port_layouts(segment), plan.naming.switches(segment)
            for at, box in enumerate(plan.naming.boxes):
                if plan.installed[at]:
                    port_layout = port_layouts[box.role]
                    yield DcimDeviceView(
                        name=names[at],
                        role=box.role.value,
                        maker=port_layout.model.vendor,
                        model=port_layout.model.model,
                        site=site,
                        **self._place(next(number))._asdict(),
                        platform=port_layout.nos,
                    )

    def _place(self, device: int) -> _Position:
        """Return hall, rack, rack unit and face of a device."""
        room = self._room
        if room is None or room.positions.rack[device] < 0:
            return _Position()
        rack = int(room.positions.rack[device])
        return _Position(
            room.places[rack][0],
            room.names[rack],
            str(int(room.positions.rack_unit[device])),
            "front",
        )


def slug(text: str) -> str:
    """Convert a name into a slug for addresses.

    >>> slug("Celestica DS5000 (Moonstone)")
    'celestica-ds5000-moonstone'
    """
    return re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-") or "x"


def _named(name: str) -> NamedView:
    """Make the view of a thing with a name."""
    return NamedView(name, slug(name))


def _names(names: set[str]) -> list[NamedView]:
    """Make the views of names, sorted; a number separates two that share a slug."""
    seen: Counter[str] = Counter()
    found = []
    for name in sorted(names):
        seen[slug(name)] += 1
        found.append(
            NamedView(name, slug(name) + (f"-{seen[slug(name)]}" if seen[slug(name)] > 1 else ""))
        )
    return found

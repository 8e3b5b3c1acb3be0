"""Sites, racks, device types and devices, as a data-centre database holds them.

Names and positions are those of the cable list. `interfaces` owns the interfaces, `cables` the
cables, `view` the shapes, and `build.group_dcim` the files.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import Role
from fabricgen.outputs.dcim.panels import ROLE as PANEL
from fabricgen.outputs.dcim.panels import PanelTables
from fabricgen.outputs.dcim.view import (
    AssetsView,
    DcimDeviceView,
    DcimRackView,
    DeviceTypeView,
    HallView,
    LoadedTypeView,
    NamedView,
    tag_of,
)
from fabricgen.outputs.dcim.vlans import vlans
from fabricgen.planning.naming import spare_leaf_names
from fabricgen.planning.room.footprints import HOST

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.base import LibraryType
    from fabricgen.catalog.models.device import Device
    from fabricgen.catalog.models.host import Host
    from fabricgen.catalog.models.patch import PatchPanel
    from fabricgen.catalog.models.switch import Switch
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import PortLayout
    from fabricgen.planning.room.room import Room

GENERIC = "generic"
"""The manufacturer of devices that the catalog does not have."""

DEFAULT_RACK_UNITS = 1
"""Rack units of a device type of unknown size, where nothing is placed."""


class _Position(NamedTuple):
    """The position of a device; all empty without a room."""

    hall: str = ""
    rack: str = ""
    unit: str = ""
    face: str = ""


class _Group(NamedTuple):
    """Devices of one model that only networks beside the compute fabric have."""

    role: str
    type: DeviceTypeView
    names: Sequence[str]


class Assets:
    """The devices of one plan, and what must exist before them."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan; nothing is made before it is needed."""
        self.plan, self._panels = plan, PanelTables(plan)

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
            else (GENERIC, f"host-{self.plan.fabric.host_gpus}gpu")
        )

    @cached_property
    def _plans(self) -> list[Plan]:
        """The plans of all networks with switches of their own, compute first."""
        return [self.plan, *self.plan.switched.values()]

    def assets(self) -> AssetsView:
        """List the objects that must exist before the first device."""
        halls, racks = self._places()
        types, groups = self._own_types(), self._groups
        loaded = sorted(self._loaded)
        makers = {each.maker for each in types} - {maker for maker, _ in loaded}
        roles = [HOST, *(role.value for plan in self._plans for role in plan.roles)]
        roles += [PANEL] if self._panels.panels else []
        return AssetsView(
            site=_named(self.plan.spec.name),
            halls=halls,
            racks=racks,
            makers=_names(makers),
            roles=[_named(each) for each in dict.fromkeys([*roles, *(own.role for own in groups)])],
            platforms=_names(self.platforms),
            types=types,
            loaded=[LoadedTypeView(*each) for each in loaded],
            tags=[_named(tag_of(plan)) for plan in self.plan.cluster] if self.plan.networks else [],
            vlans=vlans(self.plan),
        )

    @cached_property
    def _library(self) -> dict[tuple[str, str], LibraryType]:
        """How the community's library spells the models in use; none with the catalog's names."""
        if self.plan.spec.naming.models == "catalog":
            return {}
        layouts = (plan.fabric.port_layouts[role] for plan in self._plans for role in plan.roles)
        every = (
            self.plan.fabric.host,
            *(layout.model for layout in layouts),
            *(self.plan.catalog.device(group.model) for group in self.plan.spec.devices),
            *self._panels.models(),
        )
        return {
            (part.vendor, part.model): part.device_library
            for part in every
            if part and part.device_library
        }

    def _spelled(self, maker: str, model: str) -> tuple[str, str]:
        """Return manufacturer and model as the files name them."""
        own = self._library.get((maker, model))
        return (own.manufacturer, own.model or model) if own else (maker, model)

    @property
    def _loaded(self) -> dict[tuple[str, str], frozenset[str]]:
        """The types that are loaded from the library, with the ports of their devices."""
        return {
            (own.manufacturer, own.model): own.port_names
            for own in self._library.values()
            if own.model
        }

    @cached_property
    def brought(self) -> dict[str, frozenset[str]]:
        """The ports that devices of loaded types have at once, by device."""
        loaded = self._loaded
        types = (
            (each.name, (each.maker, each.model)) for each in (self.devices() if loaded else ())
        )
        return {name: loaded[own] for name, own in types if own in loaded}

    def _own_types(self) -> list[DeviceTypeView]:
        """List the models that are not loaded, each with a slug of its own."""
        every = [(each, *self._spelled(each.maker, each.model)) for each in self._types()]
        kept = [
            each._replace(maker=maker, model=model)
            for each, maker, model in every
            if (maker, model) not in self._loaded
        ]
        slugs = _slugs([f"{each.maker}-{each.model}" for each in kept])
        return [each._replace(slug=own) for each, own in zip(kept, slugs, strict=True)]

    @cached_property
    def platforms(self) -> set[str]:
        """The systems of the switches."""
        layouts = (
            layout
            for plan in self._plans
            for segment in range(plan.mapping.segments)
            for layout in plan.port_layouts(segment).values()
            if layout.role in plan.roles
        )
        return {_platform(layout) for layout in layouts} - {""}

    @cached_property
    def _groups(self) -> list[_Group]:
        """The devices that only networks have."""
        names = {
            group.kind: group.names
            for plan in self.plan.networks.values()
            for group in (plan.fabric.network.attached.groups if plan.fabric.network else ())
            if group.own and group.interfaces
        }
        found = []
        for group in self.plan.spec.devices:
            if group.name in names:
                own = _group(group.model, names[group.name], self.plan.catalog)
                units = (
                    self._room.shares.of[group.name].rack_units if self._room else own.type.units
                )
                found.append(own._replace(type=_sized(own.type, units)))
        return found

    def _places(self) -> tuple[list[HallView], list[DcimRackView]]:
        """List the halls and the racks that contain something."""
        if self._room is None:
            return [], []
        room = self._room
        racks_used = {int(room.positions.rack[device]) for device in self._devices()}
        racks_used.update(panel.rack for panel in self._panels.panels)
        used = sorted(racks_used - {-1})
        halls = {rack: room.places[rack][0] for rack in used}
        racks = [DcimRackView(room.names[rack], halls[rack], room.site.rack.units) for rack in used]
        return [HallView(name, slug(name)) for name in sorted(set(halls.values()))], racks

    def _types(self) -> list[DeviceTypeView]:
        """List each model once, with the rack units of its largest role."""
        fabric = self.plan.fabric
        maker, model = self.host
        text = f"a host of {fabric.host_gpus} GPUs that the inventory does not name"
        host = _type(fabric.host, DeviceTypeView(maker, model, "", "", 0, "", text))
        every = [host._replace(units=self._rack_units(HOST, fabric.host))]
        for plan in self._plans:
            for role in plan.roles:
                part = plan.fabric.port_layouts[role].model
                name = plan.fabric.network.name if plan.fabric.network else ""
                kind = f"{name} {role}" if name else role.value
                every.append(_type(part)._replace(units=self._rack_units(kind, part)))
        found: dict[tuple[str, str], DeviceTypeView] = {}
        every += [group.type for group in self._groups]
        for each in (*every, *map(_type, self._panels.models())):
            before = found.get((each.maker, each.model))
            largest = max(each.units, before.units) if before else each.units
            found[each.maker, each.model] = each._replace(units=largest)
        return list(found.values())

    def _rack_units(self, kind: str, part: Host | Switch | None) -> int:
        """Return the rack units of the devices of a kind, as the room names kinds."""
        if self._room:
            return self._room.shares.of[kind].rack_units
        return (part.rack_units if part else None) or DEFAULT_RACK_UNITS

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
        if self._room:
            beside = self._room.first_equipment
            yield from range(beside, beside + len(self._room.equipment.names))

    @cached_property
    def _beside(self) -> dict[str, _Position]:
        """The positions of the devices beside the compute fabric; none without a room."""
        if self._room is None:
            return {}
        names = self._room.equipment.names
        return {name: self._place(at) for at, name in enumerate(names, self._room.first_equipment)}

    @property
    def device_count(self) -> int:
        """The number of installed devices."""
        switches = sum(plan.mapping.segments * sum(plan.installed) for plan in self._plans)
        others = sum(len(group.names) for group in self._groups) + len(self._panels.panels)
        others += self.plan.mapping.spare_leaves
        return len(self.plan.hosts) + switches + others

    def devices(self) -> Iterator[DcimDeviceView]:
        """List hosts, the switches of each network, the devices that only those have, panels."""
        places = (self._place(device) for device in self._devices())
        maker, model = self.host
        for name in self.plan.hosts:
            yield self._device(name, HOST, maker, model, next(places))
        for plan in self._plans:
            for segment in range(plan.mapping.segments):
                port_layouts, names = plan.port_layouts(segment), plan.naming.switches(segment)
                for at, box in enumerate(plan.naming.boxes):
                    if plan.installed[at]:
                        own = plan is self.plan
                        place = next(places) if own else self._beside.get(names[at], _Position())
                        yield self._switch(names[at], port_layouts[box.role], place, tag_of(plan))
        for name in spare_leaf_names(self.plan.naming):
            leaf = self.plan.fabric.port_layouts[Role.LEAF]
            place = self._beside.get(name, _Position())
            yield self._switch(name, leaf, place, tag_of(self.plan))
        for group in self._groups:
            for name in group.names:
                place = self._beside.get(name, _Position())
                yield self._device(name, group.role, group.type.maker, group.type.model, place)
        for panel in self._panels.panels:
            part, place = panel.parts.panel, self._in_rack(panel.rack, panel.rack_unit)
            yield self._device(panel.name, PANEL, part.vendor, part.model, place)

    def _switch(self, name: str, layout: PortLayout, place: _Position, tag: str) -> DcimDeviceView:
        """Make the view of a switch."""
        maker, model = layout.model.vendor, layout.model.model
        device = self._device(name, layout.role.value, maker, model, place)
        return replace(device, platform=_platform(layout), tag=tag)

    def _device(
        self, name: str, role: str, maker: str, model: str, place: _Position | None = None
    ) -> DcimDeviceView:
        """Make the view of a device that is no switch."""
        maker, model = self._spelled(maker, model)
        return DcimDeviceView(
            name=name,
            role=role,
            maker=maker,
            model=model,
            site=self.plan.spec.name,
            **(place or _Position())._asdict(),
            platform="",
            tag="",
        )

    def _place(self, device: int) -> _Position:
        """Return hall, rack, rack unit and face of a device."""
        room = self._room
        if room is None or room.positions.rack[device] < 0:
            return _Position()
        rack, rack_unit = (int(column[device]) for column in room.positions[:2])
        return self._in_rack(rack, rack_unit)

    def _in_rack(self, rack: int, rack_unit: int) -> _Position:
        """Return a position at the front of a rack."""
        room = self._room
        if room is None:
            return _Position()
        unit, face = (str(rack_unit), "front") if rack_unit else ("", "")  # a PDU has neither
        return _Position(room.places[rack][0], room.names[rack], unit, face)


def _platform(layout: PortLayout) -> str:
    """Return the NOS of a box; empty for a panel, which has none."""
    circuits = layout.model.circuits
    return "" if circuits and circuits.moved_by == "hand" else layout.nos


def _group(model: str | None, names: Sequence[str], catalog: Catalog) -> _Group:
    """Return devices of a model that the catalog may have."""
    part = catalog.device(model)
    text = "" if model else "a device that the inventory does not name"
    unknown = DeviceTypeView(GENERIC, model or "device", "", "", DEFAULT_RACK_UNITS, "", text)
    return _Group(part.role if part else "device", _type(part, unknown), names)


def _sized(type_: DeviceTypeView, units: int) -> DeviceTypeView:
    """Return a type with its rack units, by which models differ that the catalog does not have.

    NetBox refuses a device where another one of a larger type begins below it.
    """
    if type_.maker != GENERIC:
        return type_._replace(units=units)
    model = f"{type_.model}-{units}u"
    return type_._replace(model=model, slug=slug(f"{type_.maker}-{model}"), units=units)


def _type(
    part: Host | Switch | Device | PatchPanel | None, unknown: DeviceTypeView | None = None
) -> DeviceTypeView:
    """Return the type of a model; that of an unknown one is complete but for its slug."""
    if part is None:
        assert unknown, "a part is known or described"  # noqa: S101 - callers pass one of both
        return unknown._replace(slug=slug(f"{unknown.maker}-{unknown.model}"))
    weight_kg = getattr(part, "weight_kg", None)
    weight = "" if weight_kg is None else f"{weight_kg:g}"
    return DeviceTypeView(
        part.vendor,
        part.model,
        slug(f"{part.vendor}-{part.model}"),
        getattr(part, "part_number", None) or "",
        DEFAULT_RACK_UNITS if part.rack_units is None else part.rack_units,
        weight,
        part.description,
    )


def slug(text: str) -> str:
    """Convert a name into a slug for addresses, letters outside ASCII as domain names have them.

    >>> slug("Celestica DS5000 (Moonstone)"), slug("机房A"), slug("机房B")
    ('celestica-ds5000-moonstone', 'a-534b20m', 'b-534b20m')
    """
    plain = text if text.isascii() else text.encode("punycode").decode()
    return re.sub(r"[^a-z0-9_]+", "-", plain.lower()).strip("-") or "x"


def _named(name: str) -> NamedView:
    """Make the view of a thing with a name."""
    return NamedView(name, slug(name))


def _names(names: set[str]) -> list[NamedView]:
    """Make the views of names, sorted."""
    ordered = sorted(names)
    return [NamedView(*each) for each in zip(ordered, _slugs(ordered), strict=True)]


def _slugs(names: Sequence[str]) -> list[str]:
    """Convert names into slugs; a number separates two that share one.

    >>> _slugs(["NVIDIA", "Nvidia"])
    ['nvidia', 'nvidia-2']
    """
    seen: Counter[str] = Counter()
    found = []
    for own in map(slug, names):
        seen[own] += 1
        found.append(own + (f"-{seen[own]}" if seen[own] > 1 else ""))
    return found

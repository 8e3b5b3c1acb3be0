"""Sites, racks, device types, devices and interfaces, as a data-centre database holds them.

Owns which interfaces there are, and NetBox's names of their forms. Names and places are those of
the cable list. `cables` owns the cables, `view` the shapes, and `build.group_dcim` the files.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import LinkKind, Role
from fabricgen.outputs.dcim.view import (
    AssetsView,
    DcimDeviceView,
    DcimRackView,
    DeviceTypeView,
    HallView,
    InterfaceView,
    NamedView,
)
from fabricgen.planning.room.footprints import HOST
from fabricgen.planning.room.positions_csv import hall_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.models.host import Host
    from fabricgen.catalog.models.switch import Switch
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import Port, PortLayout
    from fabricgen.planning.room.room import Room
    from fabricgen.views.cables.view import CableView
    from fabricgen.views.factory import Views

TYPES = frozenset(
    {
        *(
            "100gbase-x-qsfpdd",
            "200gbase-x-qsfpdd",
            "400gbase-x-qsfpdd",
            "800gbase-x-qsfpdd",
            "200gbase-x-qsfp56",
            "400gbase-x-qsfp112",
        ),
        *("400gbase-x-osfp", "800gbase-x-osfp", "1.6tbase-x-osfp1600"),
    }
)
"""Interface types of NetBox 4 for the cages of the catalog (InterfaceTypeChoices)."""

INFINIBAND = {
    25: "infiniband-edr",
    50: "infiniband-hdr",
    100: "infiniband-ndr",
    200: "infiniband-xdr",
}
"""The same by Gb/s of a lane."""

UNITS = 1
"""Rack units of a device type of unknown size, where nothing is placed."""


class _Place(NamedTuple):
    """Where a device is; all empty where nothing is placed."""

    hall: str = ""
    rack: str = ""
    unit: str = ""
    face: str = ""


class Assets:
    """Makes the views of one plan; `views` are those of its cables."""

    def __init__(self, plan: Plan, views: Views) -> None:
        """Keep both; nothing is made before it is needed."""
        self.plan, self.views = plan, views

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
        halls = {rack: hall_name(int(room.positions.hall[rack])) for rack in used}
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
                else (part.rack_units if part else None) or UNITS
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

    def _place(self, device: int) -> _Place:
        """Return hall, rack, rack unit and face of a device."""
        room = self._room
        if room is None or room.positions.rack[device] < 0:
            return _Place()
        rack = int(room.positions.rack[device])
        return _Place(
            hall_name(int(room.positions.hall[rack])),
            room.names[rack],
            str(int(room.positions.rack_unit[device])),
            "front",
        )

    @property
    def interface_count(self) -> int:
        """The number of interfaces that `interfaces` yields."""
        plan = self.plan
        each = {role: len(self._ports(plan.fabric.port_layouts[role])) for role in plan.roles}
        own = sum(
            each[box.role]
            for box, has in zip(plan.naming.boxes, plan.installed, strict=True)
            if has
        )
        return plan.link_count(LinkKind.HOST) + plan.mapping.segments * own

    def _ports(self, port_layout: PortLayout) -> list[Port]:
        """List every port of a box of this role, used or not, in the order of the front panel."""
        used = self.plan.ports[port_layout.role]
        return sorted([*used, *port_layout.idle(used)], key=lambda port: (port.cage, port.sub))

    def interfaces(self) -> Iterator[InterfaceView]:
        """Yield the cabled NIC ports and all ports of the switches, segment by segment."""
        for segment in range(self.plan.mapping.segments):
            links = [cable for cable in self.views.cables(segment) if cable.connector < SECOND]
            yield from (self._nic(cable) for cable in links if cable.tier == Role.LEAF.tier)
            yield from self._switch_ports(segment, links)

    def _nic(self, cable: CableView) -> InterfaceView:
        """Make the interface of a NIC port."""
        fabric = self.plan.fabric
        leaf, form = (
            fabric.port_layouts[Role.LEAF],
            fabric.host.form_factor if fabric.host else "generic",
        )
        kind = type_of(fabric.speed_gbps, form, leaf.down.lanes, leaf.model.transport)
        far = f"{cable.cable} {cable.b_device}:{cable.b_interface}"
        return InterfaceView(
            cable.a_device,
            cable.a_interface,
            cable.a_port,
            kind,
            fabric.speed_gbps * 10**6,
            "true",
            self._mtu,
            far,
        )

    @property
    def _mtu(self) -> str:
        """The MTU of every link; empty on InfiniBand."""
        ethernet = self.plan.fabric.port_layouts[Role.LEAF].model.transport == "ethernet"
        return str(self.plan.spec.addressing.mtu) if ethernet else ""

    def _switch_ports(self, segment: int, links: list[CableView]) -> Iterator[InterfaceView]:
        """Yield the ports of a segment's installed switches; one without a cable is disabled."""
        plan, far = self.plan, dict[tuple[str, str], str]()
        for cable in links:
            far[cable.b_device, cable.b_interface] = (
                f"{cable.cable} {cable.a_device}:{cable.a_interface}"
            )
            far[cable.a_device, cable.a_interface] = (
                f"{cable.cable} {cable.b_device}:{cable.b_interface}"
            )
        rows = {
            role: [*self._rows(port_layout)]
            for role, port_layout in plan.port_layouts(segment).items()
            if role in plan.roles
        }
        for name, box, has in zip(
            plan.naming.switches(segment), plan.naming.boxes, plan.installed, strict=True
        ):
            for interface, label, kind, speed in rows[box.role] if has else ():
                peer = far.get((name, interface), "")
                yield InterfaceView(
                    name,
                    interface,
                    label,
                    kind,
                    speed,
                    "true" if peer else "false",
                    self._mtu,
                    peer,
                )

    def _rows(self, port_layout: PortLayout) -> Iterator[tuple[str, str, str, int]]:
        """Return the facts that ports of every box of a role share: name, label, type, speed."""
        for port in self._ports(port_layout):
            cage, sub, mode = port
            label = f"{cage}/{sub + 1}" if mode.count > 1 else str(cage)
            yield (
                port_layout.interface(port),
                label,
                type_of(
                    mode.speed_gbps,
                    port_layout.model.form_factor,
                    mode.lanes,
                    port_layout.model.transport,
                ),
                mode.speed_gbps * 10**6,
            )


SECOND = 2
"""The connector of a link's second cable; rows from it on repeat a link."""


def type_of(speed_gbps: int, form_factor: str, lanes: int, transport: str) -> str:
    """Return NetBox's name of a port by its transceiver and speed; `other` where it has none.

    >>> type_of(400, "osfp", 4, "ethernet"), type_of(200, "osfp", 2, "ethernet")
    ('400gbase-x-osfp', 'other')
    >>> type_of(400, "osfp", 4, "infiniband")
    'infiniband-ndr'
    """
    if transport == "infiniband":
        return INFINIBAND.get(speed_gbps // lanes, "other")
    form = form_factor.replace("-", "")
    name = (
        f"{speed_gbps}gbase-x-{form}"
        if speed_gbps < TERABIT
        else f"{speed_gbps / 1000:g}tbase-x-{form}{speed_gbps}"
    )
    return name if name in TYPES else "other"


TERABIT = 1000


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

"""What shares the room with the compute fabric: the switches of networks, and `devices`.

Owns `EquipmentGroup`. Devices of a room are numbered: all planned hosts, the switches of the
compute fabric, then the equipment group by group.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import COMPUTE, Role
from fabricgen.inventory.site import Footprint
from fabricgen.planning.networks.attachments import HOSTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.device import Device
    from fabricgen.catalog.models.switch import Switch
    from fabricgen.core.arrays import Int32Array
    from fabricgen.core.diagnostics import Path
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.naming import DeviceNames
    from fabricgen.planning.network_devices import SwitchGroup

PDU = "pdu"
"""The role of power distribution units in the catalog."""


class EquipmentGroup(NamedTuple):
    """Equal devices beside the compute fabric: the switches of a role of a network, or `devices`.

    `kind` is what bonds call them: `storage leaf`, or the name pattern of a group of `devices`.
    """

    kind: str
    names: tuple[str, ...]
    part: Switch | Device | None
    stated: Footprint
    """The facts that the inventory states of them."""
    path: Path
    """The place in the inventory that their size follows from."""
    network: str = ""
    role: Role | None = None
    """The network of switches and their role there; none of `devices` and spare leaves."""
    after: tuple[int, ...] = ()
    """The number in the room of the switch that each follows in the racks; of spare leaves."""

    @property
    def switches(self) -> bool:
        """Whether they are switches."""
        return self.role is not None

    @property
    def beside_units(self) -> bool:
        """Whether they are PDUs beside the rack units."""
        return (
            getattr(self.part, "role", "") == PDU
            and self.part is not None
            and not (self.part.rack_units)
        )


@dataclass(frozen=True)
class Equipment:
    """All that a room contains beside the compute fabric, and the networks of its switches."""

    groups: tuple[EquipmentGroup, ...] = ()
    networks: tuple[DeviceNames, ...] = ()
    numbers: Mapping[str, Int32Array] = field(default_factory=dict)
    """The numbers in the room of all devices that networks may join, by kind."""

    @cached_property
    def names(self) -> list[str]:
        """The names of the equipment, in the order of its numbers."""
        return [*chain.from_iterable(group.names for group in self.groups)]

    @cached_property
    def group(self) -> Int32Array:
        """The index in `groups` of the group of each piece of equipment."""
        sizes = [len(group.names) for group in self.groups]
        return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)

    def of(self, *, switches: bool) -> Int32Array:
        """Return the numbers from 0 of the switches, or of the devices that take rack units."""
        wanted = [group.switches == switches and not group.beside_units for group in self.groups]
        found: Int32Array = np.flatnonzero(np.array([*wanted, False])[self.group]).astype(np.int32)
        return found


def equipment_of(
    naming: DeviceNames,
    catalog: Catalog,
    installed: Sequence[bool],
    switches: Iterable[SwitchGroup],
    networks: tuple[DeviceNames, ...],
) -> Equipment:
    """Return the equipment of a compute fabric; `switches` are those of its networks."""
    spec = naming.mapping.fabric.spec
    groups = (
        *_spare_leaves(naming),
        *(_switches(spec, group) for group in switches),
        *_devices(spec, catalog),
    )
    numbers = _fabric_numbers(naming, installed)
    first = naming.mapping.fabric.coordinates.planned_hosts
    first += naming.mapping.segments * len(naming.boxes)
    for group in groups:
        numbers[group.kind] = np.arange(first, first + len(group.names), dtype=np.int32)
        first += len(group.names)
    return Equipment(groups, networks, numbers)


def _fabric_numbers(naming: DeviceNames, installed: Sequence[bool]) -> dict[str, Int32Array]:
    """Return the numbers of the hosts, and of the installed switches of each role."""
    mapping, coordinates = naming.mapping, naming.mapping.fabric.coordinates
    numbers = {HOSTS: np.arange(coordinates.hosts, dtype=np.int32)}
    first = coordinates.planned_hosts + len(naming.boxes) * np.arange(mapping.segments)[:, None]
    for role in Role:
        boxes = zip(naming.boxes, installed, strict=True)
        own = [at for at, (box, has) in enumerate(boxes) if has and box.role is role]
        every = first + np.array(own, dtype=np.int32)
        numbers[f"{COMPUTE} {role}"] = every.ravel().astype(np.int32)
    return numbers


def _switches(spec: FabricSpec, group: SwitchGroup) -> EquipmentGroup:
    """Return the switches of a role of a network.

    `site.footprints` states the compute fabric's, and of these what the catalog lacks.
    """
    part, role = group.layout.model, group.layout.role
    own: Footprint = (
        getattr(spec.site.footprints, role) if spec.site else Footprint.model_construct()
    )
    known = {
        "units": part.rack_units,
        "power_w": part.maximum_w if part.maximum_w is not None else part.typical_w,
        "weight_kg": part.weight_kg,
    }
    missing = {key: getattr(own, key) for key, fact in known.items() if fact is None}
    return EquipmentGroup(
        kind=group.kind,
        names=group.names,
        part=part,
        stated=Footprint.model_construct(**missing),
        path=("site", "footprints", str(role)),
        network=group.network,
        role=role,
    )


def _spare_leaves(naming: DeviceNames) -> Iterable[EquipmentGroup]:
    """Yield the spare leaves, each after the last leaf of its segment."""
    mapping = naming.mapping
    if not mapping.spare_leaves:
        return
    from fabricgen.planning.network_devices import spare_group  # noqa: PLC0415 - for spare leaves only

    boxes, leaves = len(naming.boxes), mapping.sizing.leaf
    first = mapping.fabric.coordinates.planned_hosts + leaves - 1
    group = _switches(mapping.fabric.spec, spare_group(naming))
    per_segment = mapping.spare_leaves // mapping.segments
    after = np.repeat(first + boxes * np.arange(mapping.segments), per_segment)
    yield group._replace(network="", role=None, after=tuple(after.tolist()))


def _devices(spec: FabricSpec, catalog: Catalog) -> Iterable[EquipmentGroup]:
    """Yield each group of `devices`."""
    for number, group in enumerate(spec.devices):
        yield EquipmentGroup(
            kind=group.name,
            names=group.names,
            part=catalog.device(group.model),
            stated=group.footprint or Footprint.model_construct(),
            path=("devices", number, "footprint"),
        )


def numbers_of(equipment: Equipment, network: DeviceNames) -> Int32Array:
    """Return the number in the room of the device of each bond of a network, then its switches."""
    rules = network.mapping.fabric.network
    assert rules, "a network has its rules"  # noqa: S101 - every plan in `Plan.networks` is one
    columns = [np.zeros(0, dtype=np.int32)]
    for group in rules.attached.groups:
        bonds = len(group.interfaces) // rules.attached.bond
        columns.append(np.repeat(equipment.numbers[group.kind], bonds))
    if rules.shared:
        leaves = equipment.numbers[f"{COMPUTE} {rules.shared.role}"]
        return np.concatenate([*columns, leaves[np.array(rules.shared.numbers)]])
    kinds = (f"{rules.name} {role}" for role in Role)
    columns += [equipment.numbers[kind] for kind in kinds if kind in equipment.numbers]
    return np.concatenate(columns)

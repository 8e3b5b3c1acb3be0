"""What shares the room with the compute fabric: the switches of networks, and `devices`.

Owns `EquipmentGroup`. Devices of a room are numbered: all planned hosts, the switches of the
compute fabric, then the equipment group by group.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import COMPUTE
from fabricgen.inventory.site import Footprint
from fabricgen.planning.networks.attachments import HOSTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.device import Device
    from fabricgen.catalog.models.switch import Switch
    from fabricgen.core.arrays import Int32Array
    from fabricgen.core.diagnostics import Path
    from fabricgen.core.terms import Role
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.naming import DeviceNames
    from fabricgen.planning.network_fabric import SwitchGroup
    from fabricgen.planning.networks.attachments import Attachments

PDU = "pdu"
"""The role of power distribution units in the catalog."""


@dataclass(frozen=True)
class EquipmentGroup:
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
    """The network of switches and their role there; none of `devices`."""

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
    spec: FabricSpec,
    catalog: Catalog,
    switches: Iterable[SwitchGroup],
    networks: tuple[DeviceNames, ...],
) -> Equipment:
    """Return the equipment of an inventory; `switches` are those of its `networks`."""
    return Equipment(
        (
            *(_switches(spec, group) for group in switches if group.network != COMPUTE),
            *_devices(spec, catalog),
        ),
        networks,
    )


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


def _devices(spec: FabricSpec, catalog: Catalog) -> Iterable[EquipmentGroup]:
    """Yield each group of `devices`."""
    for number, group in enumerate(spec.devices):
        yield EquipmentGroup(
            kind=group.name,
            names=group.names,
            part=catalog.device(group.model) if group.model else None,
            stated=group.footprint or Footprint.model_construct(),
            path=("devices", number, "footprint"),
        )


def numbers_of(attached: Attachments, numbers: Mapping[str, int]) -> Int32Array:
    """Return the number in the room of the device of each bond of a network.

    `numbers` has those of all but hosts, by name.
    """
    columns = [np.zeros(0, dtype=np.int32)]
    for group in attached.groups:
        own: Sequence[int] = (
            range(len(group.names))
            if group.kind == HOSTS
            else [numbers[name] for name in group.names]
        )
        bonds = len(group.interfaces) // attached.bond
        columns.append(np.repeat(np.array(own, dtype=np.int32), bonds))
    return np.concatenate(columns)

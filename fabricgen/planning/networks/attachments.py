"""The devices on a network, as bonds: equal groups of ports that are spread over as many leaves.

A network is planned as a fabric whose HB domains are bonds and whose GPUs are the ports of a bond,
so a port is a GPU in its columns. Owns which device and interface each port is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.catalog.models.base import possible_lanes
from fabricgen.planning.lanes import join, joining_mode, port_lanes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.switch import Breakout
    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.inventory.devices import EdgeBgp
    from fabricgen.planning.coordinates import Whole
    from fabricgen.planning.lanes import Lanes
    from fabricgen.planning.port_layout import PortLayout


HOSTS = "host"
"""The kind of attached hosts; that of `devices` is their pattern."""


class AttachedDevices(NamedTuple):
    """Devices of one kind: their names, and the interfaces that each has on the network."""

    kind: str
    names: Sequence[str]
    interfaces: tuple[str, ...]
    networks: tuple[str, ...]
    """The networks that their ports are in: several where hosts have them on the same ports."""
    speed_gbps: int | None = None
    """The speed of their ports; None for that of the network."""
    breakout: str = ""
    """How the cages of leaves are split for them, as stated; empty where their speed decides."""
    connector: str = ""
    """The form factor of the cages of their ports; empty where it is unknown."""
    own: bool = False
    """Whether the inventory names them, under `devices`."""
    routed: bool = False
    """Whether their ports are routed where those of others are bonds of LACP: the site's routers,
    and leaves of another network."""
    leaves_of: str = ""
    """The network whose leaves they are, with BGP on these ports; empty for others."""
    bgp: EdgeBgp | None = None
    """BGP with these routers; None where it is left to the site."""
    lanes: Lanes = frozenset()
    """The lanes of a port; empty for any that its cage allows."""

    def lanes_at(self, speed_gbps: int) -> Lanes:
        """Return the lanes on which a port can have a speed."""
        return self.lanes or possible_lanes(self.connector, speed_gbps)

    def on(self, leaf: PortLayout, catalog: Catalog) -> AttachedDevices:
        """Return the devices with the breakout that their lanes need on a leaf.

        It is that of their speed unless it does not join their ports and another one does.
        """
        split, speed = split_of(self, leaf), self.speed_gbps or leaf.down.speed_gbps
        if self.breakout or split is None:
            return self
        own = self.lanes_at(speed)
        if join(port_lanes(leaf.model, split.mode), own, speed, catalog):
            return self
        mode = joining_mode(leaf.model, speed, own, catalog)
        return self._replace(breakout=mode.name) if mode else self


class CageSplit(NamedTuple):
    """How cages are split for some devices, which share none with devices that differ in this."""

    mode: Breakout
    stated: bool = False
    """Whether the devices state the breakout, so that they fill whole cages."""
    connector: str = ""
    """The form factor of their ports, where they state the breakout: it decides on the cables."""


@dataclass(frozen=True)
class Attachments:
    """All devices on a network, in the order in which leaves take them; `bond` ports at a time."""

    groups: tuple[AttachedDevices, ...]
    bond: int

    @cached_property
    def ports(self) -> int:
        """The ports of all devices."""
        return ports_of(self.groups)

    @cached_property
    def devices(self) -> list[str]:
        """The name of the device of each bond.

        >>> nodes = AttachedDevices("mgmt", ["mgmt-1", "mgmt-2"], ("eth0", "eth1"), ("inband",))
        >>> Attachments((nodes,), bond=2).devices
        ['mgmt-1', 'mgmt-2']
        """
        found: list[str] = []
        for group in self.groups:
            bonds = len(group.interfaces) // self.bond
            every = map(repeat, group.names, repeat(bonds))
            found += group.names if bonds == 1 else chain.from_iterable(every)
        return found

    @cached_property
    def interfaces(self) -> list[str]:
        """The interfaces that devices have, those of each group in turn."""
        return [*chain.from_iterable(group.interfaces for group in self.groups)]

    @cached_property
    def _first(self) -> Int32Array:
        """The index in `interfaces` of the first port of each bond."""
        columns, start = [np.zeros(0, dtype=np.int32)], 0
        for group in self.groups:
            places = np.arange(start, start + len(group.interfaces), self.bond, dtype=np.int32)
            columns.append(np.tile(places, len(group.names)))
            start += len(group.interfaces)
        return np.concatenate(columns)

    def group_of(self, bond: IntArray) -> IntArray:
        """Return the index in `groups` of the device of each bond."""
        counts = [len(group.names) * (len(group.interfaces) // self.bond) for group in self.groups]
        return np.repeat(np.arange(len(counts)), counts)[bond]

    def speeds_gbps(self, bond: IntArray, default: int) -> IntArray:
        """Return the speed of the ports of each bond; `default` is that of the network."""
        speeds = np.array([group.speed_gbps or default for group in self.groups])
        found: IntArray = speeds[self.group_of(bond)]
        return found

    def own_modes(self, leaf: PortLayout) -> dict[tuple[str, str], Breakout]:
        """Return the breakout of a leaf's cages by device and interface, where it is not `down`."""
        return {
            (name, interface): split.mode
            for group in self.groups
            if (split := split_of(group, leaf)) and split.mode != leaf.down
            for name in group.names
            for interface in group.interfaces
        }

    def interface_index(self, port: Whole) -> Whole:
        """Return the index in `interfaces` of a port."""
        index: Whole = self._first[port // self.bond] + port % self.bond
        return index


def split_of(group: AttachedDevices, leaf: PortLayout) -> CageSplit | None:
    """Return how the cages of a leaf are split for some devices; None where none can be."""
    if group.breakout not in {"", leaf.down.name}:
        mode = leaf.model.breakout(group.breakout)
        return CageSplit(mode, stated=True, connector=group.connector) if mode else None
    if group.breakout or group.speed_gbps in {None, leaf.down.speed_gbps}:
        return CageSplit(leaf.down)
    mode = leaf.model.mode_at(group.speed_gbps or 0)
    return CageSplit(mode) if mode else None


def ports_of(groups: Iterable[AttachedDevices]) -> int:
    """Count the ports of some devices."""
    return sum(len(group.names) * len(group.interfaces) for group in groups)

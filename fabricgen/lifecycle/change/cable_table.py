"""The cables of a plan as columns that can be compared with those of another plan.

Owns `NameIndex`, which gives a name the same number in both plans, and `CableTable`. A cable is
identified by its two ports, so two plans share a cable if the names at both ends agree, whichever
end is the lower one. Links through panels are the jumpers that `jumper_rows` makes of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind
from fabricgen.lifecycle.change.jumper_rows import CableEnds, with_jumpers
from fabricgen.planning.fabric_links import wiring_of
from fabricgen.views.cables.patched import PatchedCables
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView


PORT_BITS, CONNECTOR_BITS = 24, 4
"""A port number consists of device, interface and connector: a link of two connectors has two
cables."""


@dataclass
class NameIndex:
    """Numbers of names, the same for both plans."""

    devices: dict[str, int] = field(default_factory=dict)
    interfaces: dict[str, int] = field(default_factory=dict)

    def device(self, name: str) -> int:
        """Return the number of a device."""
        return self.devices.setdefault(name, len(self.devices))

    def interface(self, name: str) -> int:
        """Return the number of an interface name."""
        return self.interfaces.setdefault(name, len(self.interfaces))


class CableTable(NamedTuple):
    """The cables of a plan, in the order of its segments, as int64 columns of one length.

    `a` and `b` are the ports of both ends; `a_node` and `b_node` are the nodes that packets meet
    there: a NIC port, a switch, or the part of a shared switch that serves a rail. `pair`
    identifies the cable by its two ports, the smaller first.
    """

    a: IntArray
    b: IntArray
    a_node: IntArray
    b_node: IntArray
    pair: NDArray[np.void]
    nics: dict[int, tuple[str, int]]
    """NIC node -> the name of the NIC port, and its HB domain."""


def cable_table(plan: Plan, register: NameIndex) -> CableTable:
    """Return the table of a plan's cables. Takes some 200 bytes a cable."""
    if plan.mapping.topology:
        return _direct_table(plan, register)
    wiring, fabric = wiring_of(plan), plan.fabric
    host = wiring.kind == LinkKind.HOST
    switch = np.array(
        [
            register.device(name)
            for segment in range(plan.mapping.segments)
            for name in plan.naming.switches(segment)
        ],
        dtype=np.int64,
    )
    hosts = np.array([register.device(name) for name in plan.hosts], dtype=np.int64)
    # a port number packs device, interface and connector, so that one integer comparison of a
    # column finds the ports that both plans have
    b = (switch[wiring.upper] << PORT_BITS) | (
        _ports(plan, register, wiring.upper, wiring.upper_port) << CONNECTOR_BITS
    )
    low = np.where(host, 0, wiring.lower)
    a = (switch[low] << PORT_BITS) | (
        _ports(plan, register, low, np.where(host, 0, wiring.lower_port)) << CONNECTOR_BITS
    )
    nics = np.array(
        [
            [
                register.interface(plan.naming.interface(gpu, plane))
                for plane in range(fabric.planes)
            ]
            for gpu in range(fabric.interface_count)
        ]
    )
    gpu, plane = wiring.lower[host], wiring.lower_port[host]
    a[host] = (hosts[fabric.coordinates.host(gpu)] << PORT_BITS) | (
        nics[fabric.interface_index(gpu), plane] << CONNECTOR_BITS
    )
    shared = np.array([box.block < 0 for box in plan.naming.boxes])
    rail = (plan.mapping.segment_rail(wiring.segment) + wiring.block).astype(np.int64) + 1
    boxes = len(plan.naming.boxes)
    b_node = (switch[wiring.upper] << PORT_BITS) | np.where(shared[wiring.upper % boxes], rail, 0)
    a_node = np.where(
        host, a | NIC, (switch[low] << PORT_BITS) | np.where(shared[low % boxes], rail, 0)
    )
    # a link of several connectors is one row per cable: repeat its row and number the copies from 1
    many = plan.link_cables(wiring.kind)
    rows = np.repeat(np.arange(len(many)), many)
    connector = np.arange(len(rows)) - np.repeat(np.cumsum(many) - many, many)
    connector = np.where(many[rows] > 1, connector + 1, 0)
    a, b = a[rows] | connector, b[rows] | connector
    named = dict(zip(a_node[host].tolist(), _nics(plan, gpu.tolist(), plane.tolist()), strict=True))
    ends = CableEnds(a, b, a_node[rows], b_node[rows])
    if plan.channels:
        links = plan.channels.segment * len(plan.segment.kind) + plan.channels.row

        def panel_port(panel: str, port: int) -> int:
            name = register.interface(str(port + 1))
            return (register.device(panel) << PORT_BITS) | (name << CONNECTOR_BITS)

        ends = with_jumpers(ends, plan.channels, np.isin(rows, links), panel_port)
    return CableTable(*ends, _pair(ends.a, ends.b), named)


NIC = 1 << 62
"""The bit that marks a node as a NIC port."""


def _direct_table(plan: Plan, register: NameIndex) -> CableTable:
    """Return the table of the cables between hosts; a node is a NIC port with all its links."""
    wiring, fabric, naming = wiring_of(plan), plan.fabric, plan.naming
    coordinates, split = fabric.coordinates, fabric.split
    hosts = np.array([register.device(name) for name in plan.hosts], dtype=np.int64)
    slots, planes, links = range(fabric.interface_count), range(fabric.planes), range(split)
    whole = np.array(
        [[register.interface(fabric.interface(slot, plane)) for plane in planes] for slot in slots]
    )
    each = np.array(
        [
            [
                register.interface(naming.interface(slot, plane, link))
                for plane in planes
                for link in links
            ]
            for slot in slots
        ]
    )

    def port(gpu: IntArray, names: IntArray, at: IntArray) -> IntArray:
        """Return the numbers of ports from a table of interfaces by place in the host."""
        name = names[fabric.interface_index(gpu), at]
        return np.asarray((hosts[coordinates.host(gpu)] << PORT_BITS) | (name << CONNECTOR_BITS))

    ends = (wiring.lower, wiring.lower_port), (wiring.upper, wiring.upper_port)
    a, b = (port(gpu, each, at) for gpu, at in ends)
    a_node, b_node = (port(gpu, whole, at // split) | NIC for gpu, at in ends)
    gpus = np.repeat(np.arange(fabric.gpus), fabric.planes)
    plane = np.tile(np.arange(fabric.planes), fabric.gpus)
    nodes = (port(gpus, whole, plane) | NIC).tolist()
    named = dict(zip(nodes, _nics(plan, gpus.tolist(), plane.tolist()), strict=True))
    return CableTable(a, b, a_node, b_node, _pair(a, b), named)


def _ports(plan: Plan, register: NameIndex, switch: IntArray, port: IntArray) -> IntArray:
    """Return the numbers of the interface names of ports."""
    # interfaces are the same for all switches of a role, so each role is one table lookup
    tier = np.array([box.role.tier for box in plan.naming.boxes])[switch % len(plan.naming.boxes)]
    found = np.zeros(len(switch), dtype=np.int64)
    segments = range(plan.mapping.segments if plan.fabric.switches_by_rail else 1)
    for role in plan.ports:
        names = np.array(
            [
                [register.interface(name) for name in plan.interfaces(segment)[role]]
                for segment in segments
            ],
            dtype=np.int64,
        )
        here = tier == role.tier
        found[here] = names[switch[here] // len(plan.naming.boxes) % len(segments), port[here]]
    return found


def _nics(plan: Plan, gpus: Iterable[int], planes: Iterable[int]) -> Iterator[tuple[str, int]]:
    """Yield the names of NIC ports, each with its HB domain.

    They are those of failures, or on a network the device and its interface.
    """
    fabric, several = plan.fabric, plan.fabric.planes > 1
    coordinates = fabric.coordinates
    for gpu, plane in zip(gpus, planes, strict=True):
        name = coordinates.name(gpu)
        if fabric.network:
            interface = fabric.interface(int(fabric.interface_index(gpu)), plane)
            name = f"{plan.hosts[coordinates.host(gpu)]} {interface}"
        yield f"{name}/{plane}" if several else name, coordinates.domain(gpu)


def _pair(a: IntArray, b: IntArray) -> NDArray[np.void]:
    """Combine two ports into one value that numpy can sort and search."""
    pair = np.empty(len(a), dtype=[("low", np.int64), ("high", np.int64)])
    pair["low"], pair["high"] = np.minimum(a, b), np.maximum(a, b)
    return pair


_NONE = np.zeros(0, dtype=np.int64)

NO_CABLES = CableTable(_NONE, _NONE, _NONE, _NONE, _pair(_NONE, _NONE), {})
"""The table of no plan."""


def views_of(plan: Plan) -> Iterator[CableView]:
    """Yield the view of every cable in the order of the table, holding one segment at a time.

    A link through panels has a view for each jumper. Ways through trunks, the last rows of the
    table, have none.
    """
    views = Views(plan)
    patched = PatchedCables(plan, plan.channels) if plan.channels else None
    for segment in range(plan.mapping.segments):
        links = views.cables(segment)
        yield from patched.cables(links, segment, 0) if patched else links

"""The cables of a whole plan as columns that another plan's can be laid beside: both ends by the names of device and interface.

Owns `NameIndex`, which gives a name the same number in both plans, and `Sheet`. A cable is what lies
between two ports, so two plans have a cable in common where the names of both its ends agree,
whichever of the ends is called the lower.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind
from fabricgen.planning.fabric_links import wiring_of
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView


PORT_BITS, CONNECTOR_BITS = 24, 4
"""A port is numbered by device, then interface, then connector: a link of two connectors has two cables at either end."""


@dataclass
class NameIndex:
    """Numbers for names; the same name has the same number wherever it comes up."""

    devices: dict[str, int] = field(default_factory=dict)
    interfaces: dict[str, int] = field(default_factory=dict)

    def device(self, name: str) -> int:
        """Return the number of a device."""
        return self.devices.setdefault(name, len(self.devices))

    def interface(self, name: str) -> int:
        """Return the number of an interface's name."""
        return self.interfaces.setdefault(name, len(self.interfaces))


class Sheet(NamedTuple):
    """The cables of a plan, segment by segment in the order of `Plan.unit`, as int64 columns of one length.

    `a` and `b` are the ports of both ends; `a_node` and `b_node` what packets meet there: a NIC
    port, a switch, or a rail's part of a shared box. `pair` names the cable by its two ports, the
    smaller first.
    """

    a: IntArray
    b: IntArray
    a_node: IntArray
    b_node: IntArray
    pair: NDArray[np.void]
    nics: dict[int, tuple[str, int]]
    """NIC node -> the name of the NIC port, and its HB domain."""


def sheet_of(plan: Plan, register: NameIndex) -> Sheet:
    """Lay out the cables of a plan. Takes some 200 bytes a cable."""
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
            for gpu in range(fabric.host_gpus)
        ]
    )
    gpu, plane = wiring.lower[host], wiring.lower_port[host]
    a[host] = (hosts[fabric.coordinates.host(gpu)] << PORT_BITS) | (
        nics[fabric.coordinates.host_slot(gpu), plane] << CONNECTOR_BITS
    )
    shared = np.array([box.block < 0 for box in plan.naming.boxes])
    rail = (plan.mapping.segment_rail(wiring.segment) + wiring.block).astype(np.int64) + 1
    boxes = len(plan.naming.boxes)
    b_node = (switch[wiring.upper] << PORT_BITS) | np.where(shared[wiring.upper % boxes], rail, 0)
    a_node = np.where(
        host, a | NIC, (switch[low] << PORT_BITS) | np.where(shared[low % boxes], rail, 0)
    )
    many = np.array([0, *(plan.joints[kind].cables for kind in plan.kinds)])[wiring.kind]
    rows = np.repeat(np.arange(len(many)), many)
    connector = np.arange(len(rows)) - np.repeat(np.cumsum(many) - many, many)
    connector = np.where(many[rows] > 1, connector + 1, 0)
    a, b = a[rows] | connector, b[rows] | connector
    named = dict(zip(a_node[host].tolist(), _nics(plan, gpu.tolist(), plane.tolist()), strict=True))
    return Sheet(a, b, a_node[rows], b_node[rows], _pair(a, b), named)


NIC = 1 << 62
"""Marks a node as a NIC port."""


def _ports(plan: Plan, register: NameIndex, switch: IntArray, port: IntArray) -> IntArray:
    """Return the numbers of the interfaces of ports, by role."""
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
    """Name NIC ports as failures do, each with its HB domain."""
    coordinates, several = plan.fabric.coordinates, plan.fabric.planes > 1
    for gpu, plane in zip(gpus, planes, strict=True):
        name = coordinates.name(gpu)
        yield f"{name}/{plane}" if several else name, coordinates.domain(gpu)


def _pair(a: IntArray, b: IntArray) -> NDArray[np.void]:
    """Join two ports to one value that numpy can sort and look up."""
    pair = np.empty(len(a), dtype=[("low", np.int64), ("high", np.int64)])
    pair["low"], pair["high"] = np.minimum(a, b), np.maximum(a, b)
    return pair


def views_of(plan: Plan) -> Iterator[CableView]:
    """Make the views of every cable in the order of its sheet; a segment at a time is held."""
    views = Views(plan)
    return (view for segment in range(plan.mapping.segments) for view in views.cables(segment))

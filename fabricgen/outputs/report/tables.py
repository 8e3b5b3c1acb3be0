"""The two long tables: a row for each device, and a row for each cable.

Owns their columns, and how many cables a report holds. Cells of cables are those of `CableView`;
the room has the positions of devices. Those of networks follow the ones of the compute fabric.
"""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.core.terms import COMPUTE, LinkKind
from fabricgen.outputs.drawings.block_contents import rails_of
from fabricgen.outputs.report.packed_parts import ValueColumn
from fabricgen.views.cables.cable_list import column_of
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabricgen.outputs.report.failure_impacts import Losses
    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView

MOST_CABLES = 262_144
"""Maximum cables of a report; with more, a browser takes seconds to open it.

Of a larger fabric it holds as many whole segments as there is room for.
"""

DEVICE_COLUMNS = ("name", "role", "model", "rail", "plane", "rack", "unit", "height", "alike")

CABLE_COLUMNS = (
    "cable",
    "rail",
    "plane",
    "tier",
    "a_device",
    "a_interface",
    "a_port",
    "b_device",
    "b_interface",
    "b_port",
    "speed",
    "a_rack",
    "a_unit",
    "b_rack",
    "b_unit",
    "length_m",
    "medium",
    "part",
    "a_transceiver",
    "b_transceiver",
)
"""The columns that are attributes of a cable; `gpu` and `alike` follow them."""

NETWORK = "network"
"""The column of both tables that only clusters with networks have."""


def shown_segments(plan: Plan) -> int:
    """Return how many segments, from the first, a report holds the cables of."""
    return min(plan.mapping.segments, MOST_CABLES // (plan.rows // plan.mapping.segments))


def shows_networks(plan: Plan) -> bool:
    """Return whether a report holds the cables and devices of networks: those of all, or of none.

    They count against the same limit as those of the compute fabric.
    """
    rows = sum(own.rows for own in plan.cluster)
    return bool(plan.networks) and rows <= MOST_CABLES


def _network_column(plan: Plan) -> tuple[str, ...]:
    """Return the column of networks, where a report holds them."""
    return (NETWORK,) if shows_networks(plan) else ()


def cables_table(plan: Plan, views: Views, losses: Losses) -> dict[str, Any]:
    """Return `Cables` of the model: those of the shown segments, as in cables.csv."""
    own = _network_column(plan)
    columns = {name: ValueColumn() for name in (*CABLE_COLUMNS, "gpu", "alike", *own)}
    alike = _by_cable(plan, losses.links)
    for segment in range(shown_segments(plan)):
        rows = views.cables(segment)
        for name in CABLE_COLUMNS:
            columns[name].extend(map(str, column_of(rows, name)))
        columns["gpu"].extend(_by_cable(plan, _gpus(plan, segment)))
        columns["alike"].extend(alike)
        if own:
            columns[NETWORK].extend(repeat(COMPUTE, len(alike)))
    for name, network in plan.networks.items() if own else ():
        for segment in range(network.mapping.segments):
            _add_network(columns, name, Views(network).cables(segment))
    return {"columns": {name: column.document() for name, column in columns.items()}}


def _add_network(columns: dict[str, ValueColumn], name: str, cables: Sequence[CableView]) -> None:
    """Add the cables of a network, whose loss is no class of the compute fabric."""
    for column in CABLE_COLUMNS:
        columns[column].extend(map(str, column_of(cables, column)))
    for column, text in (("gpu", ""), ("alike", ""), (NETWORK, name)):
        columns[column].extend(repeat(text, len(cables)))


def _by_cable(plan: Plan, texts: Iterable[str]) -> list[str]:
    """Repeat the text of each link of a segment for each of its cables."""
    many = {int(kind): plan.link_parts[kind].cables for kind in plan.kinds}
    return [
        *chain.from_iterable(
            repeat(text, many[kind])
            for text, kind in zip(texts, plan.segment.kind.tolist(), strict=True)
        )
    ]


def _gpus(plan: Plan, segment: int) -> Iterator[str]:
    """Name the GPU of each link of a segment; both of a direct link, none between switches."""
    coordinates, wired = plan.fabric.coordinates, plan.segment
    if plan.mapping.topology:
        ends = [
            plan.mapping.lower_gpu(segment, each, wired.block)
            for each in (wired.lower, wired.upper)
        ]
        for pair in zip(*(each.tolist() for each in ends), strict=True):
            yield " ".join(map(coordinates.name, pair))
        return
    gpus = plan.mapping.lower_gpu(segment, wired.lower, wired.block).tolist()
    for kind, gpu in zip(wired.kind.tolist(), gpus, strict=True):
        yield coordinates.name(gpu) if kind == LinkKind.HOST else ""


def devices_table(plan: Plan, losses: Losses) -> dict[str, Any]:
    """Return `Devices` of the model: hosts, then the boxes of every segment, planned ones too.

    The switches of networks and other devices follow.
    """
    columns = {name: ValueColumn() for name in (*DEVICE_COLUMNS, *_network_column(plan))}
    hosts, boxes = len(plan.hosts), len(plan.naming.boxes)
    host = plan.fabric.host
    own: dict[str, Sequence[str]] = {
        "name": plan.hosts,
        "role": ["host"] * hosts,
        "model": [host.model if host else ""] * hosts,
    }
    _extend(columns, own | _positions(plan, 0, hosts), hosts)
    planned = plan.fabric.coordinates.planned_hosts
    for segment in range(plan.mapping.segments):
        _extend(
            columns,
            _boxes(plan, segment)
            | {"alike": losses.boxes}
            | _positions(plan, planned + segment * boxes, boxes),
            boxes,
        )
    if NETWORK in columns:
        _add_equipment(columns, plan)
    return {
        "columns": {name: column.document() for name, column in columns.items()},
        "impacts": losses.impacts,
    }


def _add_equipment(columns: dict[str, ValueColumn], plan: Plan) -> None:
    """Add the switches of networks, and the devices that are neither hosts nor switches."""
    for network, own in plan.switched.items():
        for segment in range(own.mapping.segments):
            cells = _boxes(own, segment)
            installed = [at for at, has in enumerate(own.installed) if has]
            cells = {key: [cells[key][at] for at in installed] for key in ("name", "role", "model")}
            cells[NETWORK] = [network] * len(installed)
            _extend(columns, cells | _equipment_positions(plan, cells["name"]), len(installed))
    for devices in plan.spec.devices:
        cells = {
            "name": devices.names,
            "role": ["device"] * devices.count,
            "model": [devices.model or ""] * devices.count,
        }
        _extend(columns, cells | _equipment_positions(plan, devices.names), devices.count)


def _equipment_positions(plan: Plan, names: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return the positions and heights of equipment, which follow each other in the room."""
    if plan.lengths is None:
        return {}
    room = plan.lengths.room
    return _positions(plan, room.first_equipment + room.equipment.names.index(names[0]), len(names))


def _extend(columns: dict[str, ValueColumn], cells: dict[str, Sequence[str]], rows: int) -> None:
    """Add rows to every column; a column without values gets empty texts."""
    for name, column in columns.items():
        column.extend(cells.get(name) or repeat("", rows))


def _boxes(plan: Plan, segment: int) -> dict[str, Sequence[str]]:
    """Return the facts of the boxes of a segment."""
    boxes, port_layouts = plan.naming.boxes, plan.port_layouts(segment)
    return {
        "name": plan.naming.switches(segment),
        "role": [
            box.role.value if has else "planned"
            for box, has in zip(boxes, plan.installed, strict=True)
        ],
        "model": [port_layouts[box.role].model.model for box in boxes],
        "rail": _rails(plan, segment),
        "plane": [str(plan.mapping.plane(segment))] * len(boxes),
    }


def _rails(plan: Plan, segment: int) -> list[str]:
    """Return the rail of each box of a segment; empty where it serves several.

    It is that of its block, or where a block spans rails that of all its hosts.
    """
    if not plan.mapping.spans_rails:
        return [
            "" if box.block < 0 else str(plan.mapping.rail(segment, box.block))
            for box in plan.naming.boxes
        ]
    hosts = np.flatnonzero(plan.segment.kind == LinkKind.HOST)
    rails = plan.fabric.coordinates.rail(plan.segment.lower[hosts])
    return rails_of(plan, np.arange(len(plan.naming.boxes)), hosts, rails)


def _positions(plan: Plan, first: int, count: int) -> dict[str, Sequence[str]]:
    """Return the positions and heights of a run of devices.

    They are empty where the inventory leaves racks open.
    """
    if plan.lengths is None:
        return {}
    room, run = plan.lengths.room, slice(first, first + count)
    racks = room.positions.rack[run].tolist()
    units, heights = room.positions.rack_unit[run].tolist(), room.rack_units[run].tolist()
    placed = [rack >= 0 for rack in racks]
    return {
        "rack": [room.names[rack] if has else "" for rack, has in zip(racks, placed, strict=True)],
        "unit": [str(unit) if has else "" for unit, has in zip(units, placed, strict=True)],
        "height": [str(height) for height in heights],
    }

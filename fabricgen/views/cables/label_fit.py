"""How the ends of a plan's cables are written so that each fits the line of a label.

Owns the refusal of names that are too long for a label. `labels` owns the text of a label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.count_text import plain_count
from fabricgen.core.diagnostics import refuse
from fabricgen.planning.port_layout import prints_of
from fabricgen.planning.room.footprints import HOST, KINDS
from fabricgen.planning.room.rack_placement import fabric_kinds
from fabricgen.views.cables.labels import LINE, Labelling, shared
from fabricgen.views.cables.patched import rear_ports

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.channels.channels import Channels
    from fabricgen.planning.plan import Plan


class _End(NamedTuple):
    """The longest text of an end of a cable among all devices of a kind."""

    kind: str
    rack: str
    rack_unit: str
    device: str
    port: str


def fitting(plan: Plan) -> Labelling:
    """Return how ends are written so that each fits a line.

    They are written whole, or without the beginning that all names share. Raises Refusal
    `label-too-long`.
    """
    plain, ends = Labelling(), list(_longest_ends(plan, _longest_ports(plan)))
    if all(_length(plain, end) <= LINE for end in ends):
        return plain
    room = plan.lengths.room if plan.lengths else None
    short = (
        Labelling(shared(room.names))
        if room
        else Labelling(devices=shared([*plan.hosts, *plan.switches()]))
    )
    for end in ends:
        if (over := _length(short, end) - LINE) > 0:
            raise _too_long(short, end, over)
    return short


def _length(labelling: Labelling, end: _End) -> int:
    """Count the characters of an end."""
    return len(labelling.end(*end[1:]))


def _too_long(labelling: Labelling, end: _End, over: int) -> Exception:
    """Refuse a name that is too long for a label."""
    text, key = labelling.end(*end[1:]), "rack" if end.rack else end.kind
    begin = labelling.racks or labelling.devices
    because = [
        f"`{text}` has {len(text)} characters, and a line of a label {LINE}",
        *([f"`{begin}` is left off already"] if begin else []),
    ]
    hint = f"make the pattern `naming.{key}` shorter by {plain_count(over, 'character')}"
    return refuse(
        "label-too-long",
        f"the port `{end.port}` of `{end.device}` does not fit a label",
        path=("naming", key),
        because=because,
        hint=hint,
    )


def _longest_ends(plan: Plan, ports: dict[str, str]) -> Iterator[_End]:
    """Find the device of each kind with the longest text, at its longest port."""
    if plan.lengths is None:
        longest = {HOST: max(plan.hosts, key=len)}
        for segment in range(plan.mapping.segments):
            for name, box in zip(plan.naming.switches(segment), plan.naming.boxes, strict=True):
                longest[box.role] = max(longest.get(box.role, ""), name, key=len)
        yield from (_End(kind, "", "", name, ports[kind]) for kind, name in longest.items())
        return
    room, kinds = plan.lengths.room, fabric_kinds(plan.naming)
    rack, rack_unit = (
        column[: len(kinds)] for column in (room.positions.rack, room.positions.rack_unit)
    )
    digits = np.char.str_len(rack_unit.astype(str))
    long = np.array([len(name) for name in room.names])[rack] + digits
    for at, kind in enumerate(KINDS):
        here = np.flatnonzero((kinds == at) & (rack >= 0))
        if kind in ports and len(here):
            device = int(here[np.argmax(long[here])])
            yield _End(
                kind,
                room.names[int(rack[device])],
                str(int(rack_unit[device])),
                room.device(device),
                ports[kind],
            )
    if plan.channels:
        yield from _panel_ends(plan.channels, room.names)


def _panel_ends(channels: Channels, racks: list[str]) -> Iterator[_End]:
    """Yield the end of each trunk, which is longer than those of the jumpers at its panel."""
    for trunk in channels.trunks:
        for plug in trunk.ends:
            panel = channels.panels[plug.panel]
            port = rear_ports(trunk, plug)
            yield _End("rack", racks[panel.rack], str(panel.rack_unit), panel.name, port)


def _longest_ports(plan: Plan) -> dict[str, str]:
    """Return the longest text printed beside a port of each kind of device."""
    fabric, several = plan.fabric, {kind: joint.cables for kind, joint in plan.link_parts.items()}
    last = fabric.split - 1
    labels = [
        plan.naming.label(gpu, plane, last)
        for gpu in range(fabric.host_gpus)
        for plane in range(fabric.planes)
    ]
    ports = {HOST: max(labels, key=len)}
    for role, used in plan.ports.items():
        ports[role] = max(prints_of(used), key=len)
    many = {
        kind: max(
            count
            for link, count in several.items()
            if kind in (link.role("upper") or HOST, link.lower or HOST)
        )
        for kind in ports
    }
    return {
        kind: port + (f"/{many[kind]}" if many[kind] > 1 else "") for kind, port in ports.items()
    }

"""The moves to spare leaves: for each cable of a leaf the spare that takes it if the leaf fails.

Each leaf has the first spare leaf of its segment; after a further failure the next one takes its
cables, at the same ports. Cables are planned long enough for both; one whose run the inventory
states may be too short for the spare.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.cabling.stock_lengths import metres

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.plan import Plan
    from fabricgen.views.factory import Views


class SpareMoveRow(NamedTuple):
    """A cable that moves from a failed leaf to the same port of a spare one.

    The last two are empty where no room is planned, or where the cable ends at a panel.
    """

    failed: str
    spare: str
    rack: str
    rack_unit: str
    cable: str
    port: str
    printed: str
    peer: str
    peer_port: str
    length_m: str
    needed_m: str
    reaches: str


@dataclass(slots=True)
class SpareLeavesView:
    """The moves of every cable of every leaf."""

    moves: list[SpareMoveRow]


def spare_leaves_view(plan: Plan, views: Views) -> SpareLeavesView:
    """List the moves of all cables to spare leaves."""
    segments = range(plan.mapping.segments)
    return SpareLeavesView([row for segment in segments for row in _moves(plan, views, segment)])


def _moves(plan: Plan, views: Views, segment: int) -> Iterator[SpareMoveRow]:
    """Yield the moves of one segment, leaf by leaf."""
    spare, links, cables = plan.naming.spare_leaves(segment)[0], plan.segment, views.cables(segment)
    rack, rack_unit, runs = _room_facts(plan, segment)
    host = links.kind == LinkKind.HOST
    for box, each in enumerate(plan.naming.boxes):
        if each.role is not Role.LEAF:
            continue
        for row in np.flatnonzero(np.where(host, links.upper, links.lower) == box).tolist():
            one = cables[row]
            ends = [
                (one.a_device, one.a_interface, one.a_port),
                (one.b_device, one.b_interface, one.b_port),
            ]
            (peer, peer_port, _), (failed, port, printed) = ends if host[row] else ends[::-1]
            run = int(runs[row]) if len(runs) else 0
            yield SpareMoveRow(
                failed=failed,
                spare=spare,
                rack=rack,
                rack_unit=rack_unit,
                cable=one.cable,
                port=port,
                printed=printed,
                peer=peer,
                peer_port=peer_port,
                length_m=one.length_m,
                needed_m=metres(run) if run else "",
                reaches=_reaches(one.length_m, run),
            )


def _reaches(length_m: str, run: int) -> str:
    """Return whether a cable is long enough for a run in millimetres; empty where it is unknown."""
    return ("yes" if float(length_m) * 1000 >= run else "no") if length_m and run else ""


def _room_facts(plan: Plan, segment: int) -> tuple[str, str, IntArray]:
    """Return rack and rack unit of the first spare leaf, and the run of each link to it."""
    none = np.zeros(0, dtype=np.int64)
    if plan.lengths is None:
        return "", "", none
    room, runs = plan.lengths.room, plan.lengths.runs
    device = room.spare_leaves(segment)[0]
    rack = room.names[int(room.positions.rack[device])]
    rack_unit = str(int(room.positions.rack_unit[device]))
    if plan.channels:
        return rack, rack_unit, none
    lower, upper = runs.ends(segment, 0, None)
    return rack, rack_unit, runs.to_spare_mm(device, lower, upper, 0, None)

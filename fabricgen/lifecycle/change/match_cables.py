"""Which cables two plans have in common, and which of the others are one cable that moves one of its ends.

Owns `match`. A cable that leaves one port of a new cable free, and is of the same make, is moved;
of all ways to pair old cables with new ones, one with the most moves is taken. Each port belongs to
one old cable and one new one at most, so that cables which share ports form chains and rings, and
along these the most pairs are found by walking.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fabricgen.lifecycle.change.cable_table import Sheet
    from fabricgen.views.cables.view import CableView


class Cable(NamedTuple):
    """One row of a plan's cable list that the other does not have.

    It has a label, its two ports and nodes as numbers, what they are called, its make, and the
    piece that it shares with other rows, if any.
    """

    label: str
    ports: tuple[int, int]
    nodes: tuple[int, int]
    names: tuple[str, str]
    make: tuple[str, ...]
    piece: str = ""

    def name(self, port: int) -> str:
        """Name one of the ports."""
        return self.names[self.ports.index(port)]


@dataclass(frozen=True)
class Job:
    """One thing to do: pull a new cable, take an old one out, or move one end of a cable from `left` to `right` while the other stays."""

    old: Cable | None
    new: Cable | None
    left: int = -1
    right: int = -1


def cable_of(sheet: Sheet, row: int, view: CableView, *, measured: bool) -> Cable:
    """Read one cable of a sheet; where it is not `measured`, its length is nobody's business."""
    ports, nodes = (
        (int(sheet.a[row]), int(sheet.b[row])),
        (int(sheet.a_node[row]), int(sheet.b_node[row])),
    )
    return Cable(
        view.cable, ports, nodes, ends_of(view), make_of(view, measured=measured), view.piece
    )


def ends_of(view: CableView) -> tuple[str, str]:
    """Name both ends of a cable."""
    connector = f" connector {view.connector}" if view.connector else ""
    return (
        f"{view.a_device} {view.a_interface}{connector}",
        f"{view.b_device} {view.b_interface}{connector}",
    )


def make_of(view: CableView, *, measured: bool) -> tuple[str, ...]:
    """Return what makes one cable as good as another."""
    return (view.part, view.medium, view.length_m if measured else "")


def match(old: list[Cable], new: list[Cable]) -> list[Job]:
    """Pair old cables with new ones that share a port and a make, as many as possible; what is left over goes, or comes."""
    by_port = {port: index for index, cable in enumerate(new) for port in cable.ports}
    back = {port: index for index, cable in enumerate(old) for port in cable.ports}
    below = [
        [
            by_port[port]
            for port in cable.ports
            if port in by_port and new[by_port[port]].make == cable.make
        ]
        for cable in old
    ]
    above = [
        [back[port] for port in cable.ports if port in back and old[back[port]].make == cable.make]
        for cable in new
    ]
    partner = _walk(below, above)
    jobs = [
        _move(cable, new[partner[index]]) if index in partner else Job(cable, None)
        for index, cable in enumerate(old)
    ]
    taken = set(partner.values())
    return [*jobs, *(Job(None, cable) for index, cable in enumerate(new) if index not in taken)]


def _walk(below: list[list[int]], above: list[list[int]]) -> dict[int, int]:
    """Pair along chains, each from an end, then around rings; returns the new cable of each old one.

    Whoever has one option left takes it: no other choice can pair more (Karp and Sipser, 1981).

    >>> sorted(_walk([[0], [0, 1], [1]], [[0, 1], [1, 2]]).items())
    [(0, 0), (1, 1)]
    """
    options = {
        (side, index): [(1 - side, other) for other in others]
        for side, table in enumerate((below, above))
        for index, others in enumerate(table)
    }
    left = {vertex: len(others) for vertex, others in options.items()}
    ready = [vertex for vertex in reversed(options) if left[vertex] == 1]
    rest = list(reversed(options))
    partner: dict[int, int] = {}
    while ready or rest:
        vertex = ready.pop() if ready else rest.pop()
        mate = (
            next((other for other in options[vertex] if other in left), None)
            if vertex in left
            else None
        )
        if mate is None:
            continue
        (_, old), (_, new) = sorted((vertex, mate))
        partner[old] = new
        del left[vertex], left[mate]
        for other in (*options[mate], *options[vertex]):
            if other in left:
                left[other] -= 1
                if left[other] == 1:
                    ready.append(other)
    return partner


def _move(old: Cable, new: Cable) -> Job:
    """Say which end moves; an old and a new cable that share both ports would be the same."""
    stays = next(port for port in old.ports if port in new.ports)
    left, right = (cable.ports[1 - cable.ports.index(stays)] for cable in (old, new))
    return Job(old, new, left, right)

"""Pairing the cables that only one of two plans has: a pair is one cable that moves an end.

Owns `match`. A cable is moved if it shares one port with a new cable of the same make; the pairing
with the most moves is chosen. Each port belongs to at most one old and one new cable, so cables
that share ports form chains and rings, along which a walk finds the most pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fabricgen.lifecycle.change.cable_table import CableTable
    from fabricgen.views.cables.view import CableView


class ChangedCable(NamedTuple):
    """A row of a plan's cable list that the other plan does not have.

    It has a label, its two ports and nodes as numbers, the names of its ends, its make, and the
    piece that it shares with other rows, if any.
    """

    label: str
    ports: tuple[int, int]
    nodes: tuple[int, int]
    names: tuple[str, str]
    make: tuple[str, ...]
    piece: str = ""

    def name(self, port: int) -> str:
        """Return the name of one of the ports."""
        return self.names[self.ports.index(port)]


@dataclass(frozen=True)
class CableJob:
    """One cable to add, to remove, or to move at one end from `left` to `right`."""

    old: ChangedCable | None
    new: ChangedCable | None
    left: int = -1
    right: int = -1


def cable_of(sheet: CableTable, row: int, view: CableView, *, measured: bool) -> ChangedCable:
    """Return one cable of a table; its length is compared only when `measured`."""
    ports, nodes = (
        (int(sheet.a[row]), int(sheet.b[row])),
        (int(sheet.a_node[row]), int(sheet.b_node[row])),
    )
    return ChangedCable(
        view.cable, ports, nodes, ends_of(view), make_of(view, measured=measured), view.piece
    )


def ends_of(view: CableView) -> tuple[str, str]:
    """Return the names of both ends of a cable."""
    connector = f" connector {view.connector}" if view.connector else ""
    return (
        f"{view.a_device} {view.a_interface}{connector}",
        f"{view.b_device} {view.b_interface}{connector}",
    )


def make_of(view: CableView, *, measured: bool) -> tuple[str, ...]:
    """Return the properties that make two cables interchangeable."""
    return (view.part, view.medium, view.length_m if measured else "")


def match(old: list[ChangedCable], new: list[ChangedCable]) -> list[CableJob]:
    """Pair as many old cables as possible with new ones of the same make that share a port.

    Unpaired old cables are removed, unpaired new ones added.
    """
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
        _move(cable, new[partner[index]]) if index in partner else CableJob(cable, None)
        for index, cable in enumerate(old)
    ]
    taken = set(partner.values())
    return [
        *jobs,
        *(CableJob(None, cable) for index, cable in enumerate(new) if index not in taken),
    ]


def _walk(below: list[list[int]], above: list[list[int]]) -> dict[int, int]:
    """Pair cables along chains, each from an end, then around rings.

    Returns the new cable of each old one. A cable with one option left takes it: no other choice
    pairs more (Karp and Sipser, 1981).

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


def _move(old: ChangedCable, new: ChangedCable) -> CableJob:
    """Return the move of one end; cables with both ends in common are the same cable."""
    stays = next(port for port in old.ports if port in new.ports)
    left, right = (cable.ports[1 - cable.ports.index(stays)] for cable in (old, new))
    return CableJob(old, new, left, right)

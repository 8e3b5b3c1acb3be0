"""A mutation, and the ways to put a fault into correct evidence.

Each way returns new evidence and leaves the old as it was.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind
from fabricgen.inventory.site import ReservedUnits
from fabricgen.planning.cabling.cable_runs import make_runs
from fabricgen.planning.fabric_links import Wiring

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fabricgen.analysis.checks.evidence import Addresses, Evidence
    from fabricgen.core.arrays import IntArray
    from fabricgen.core.terms import Role
    from fabricgen.planning.cabling.lengths import Lengths
    from fabricgen.planning.port_layout import Port
    from fabricgen.planning.room.room import Room
    from fabricgen.views.cables.view import CableView
    from fabricgen.views.switches.view import SwitchView

HOST, UP, CORE = LinkKind.HOST, LinkKind.LEAF_SPINE, LinkKind.SPINE_CORE
UPPER = ("upper", "upper_port")
LOWER = ("lower", "lower_port")


class Mutation(NamedTuple):
    """One fault: its name, its plan, the change, the violated law, and words of the finding."""

    name: str
    plan: str
    broken: Callable[[Evidence], Evidence]
    law: str
    words: str


def rows(evidence: Evidence, kind: LinkKind, **wanted: int) -> list[int]:
    """Find the links of a kind whose columns have these values."""
    found = evidence.wiring.kind == kind
    for column, value in wanted.items():
        found &= getattr(evidence.wiring, column) == value
    return [int(row) for row in np.flatnonzero(found)]


def rewired(evidence: Evidence, row: int, **values: int) -> Evidence:
    """Change some columns of one link."""
    columns = {name: getattr(evidence.wiring, name).copy() for name in values}
    for name, value in values.items():
        columns[name][row] = value
    return replace(evidence, wiring=evidence.wiring._replace(**columns))


def swapped(evidence: Evidence, pair: Sequence[int], *names: str) -> Evidence:
    """Exchange some columns of two links, by default their upper ends."""
    wiring, (one, other) = evidence.wiring, pair
    names = names or UPPER
    broken = rewired(evidence, one, **{name: int(getattr(wiring, name)[other]) for name in names})
    return rewired(broken, other, **{name: int(getattr(wiring, name)[one]) for name in names})


def dropped(evidence: Evidence, lost: Iterable[int]) -> Evidence:
    """Remove links."""
    kept = np.ones(len(evidence.wiring.kind), dtype=bool)
    kept[list(lost)] = False
    wiring = Wiring._make(column[kept] for column in evidence.wiring)
    return replace(evidence, wiring=wiring, candidate=evidence.candidate[kept])


def thinner(evidence: Evidence, kind: LinkKind) -> Evidence:
    """Remove one link between every two switches that a kind of link connects."""
    wiring = evidence.wiring
    pairs = {(int(wiring.lower[row]), int(wiring.upper[row])): row for row in rows(evidence, kind)}
    return dropped(evidence, pairs.values())


def renamed(evidence: Evidence, index: int, name: str) -> Evidence:
    """Give a switch another name."""
    switches = list(evidence.switches)
    switches[index] = name
    return replace(evidence, switches=switches)


def numbered(evidence: Evidence, column: str, index: int, value: int) -> Evidence:
    """Change one address or AS number."""
    changed: IntArray = getattr(evidence.addresses, column).copy()
    changed[index] = value
    addresses: Addresses = evidence.addresses._replace(**{column: changed})
    return replace(evidence, addresses=addresses)


def with_ports(evidence: Evidence, role: Role, ports: list[Port]) -> Evidence:
    """Plan other ports on the switches of a role."""
    return replace(evidence, ports={**evidence.ports, role: ports})


def with_joint(evidence: Evidence, kind: LinkKind, **parts: Any) -> Evidence:  # noqa: ANN401 - the fields of a joint have many types
    """Use other parts for a kind of link."""
    return replace(
        evidence,
        candidates=tuple(
            joint._replace(**parts) if joint.kind is kind else joint
            for joint in evidence.candidates
        ),
    )


def with_copper(evidence: Evidence, **facts: Any) -> Evidence:  # noqa: ANN401 - the facts of a cable have many types
    """Change the facts of every cable with its own ends."""
    candidates = (
        joint._replace(cable=joint.cable.model_copy(update=facts)) if not joint.modules else joint
        for joint in evidence.candidates
    )
    return replace(evidence, candidates=tuple(candidates))


def with_other_offer(evidence: Evidence, row: int) -> Evidence:
    """Let one link use the next candidate."""
    candidate = evidence.candidate.copy()
    candidate[row] += 1
    return replace(evidence, candidate=candidate)


def with_spec(evidence: Evidence, **keys: Any) -> Evidence:  # noqa: ANN401 - keys of an inventory
    """Change the inventory after planning."""
    fabric = replace(evidence.plan.fabric, spec=evidence.plan.spec.model_copy(update=keys))
    return replace(evidence, plan=replace(evidence.plan, fabric=fabric))


def with_cables(evidence: Evidence, edit: Callable[[list[CableView]], object]) -> Evidence:
    """Edit the cable list of segment 0."""

    def cables(segment: int, start: int, stop: int) -> list[CableView]:
        views = list(evidence.cables(segment, start, stop))
        if segment == 0 and start == 0:
            edit(views)
        return views

    return replace(evidence, cables=cables)


def with_configs(evidence: Evidence, edit: Callable[[list[SwitchView]], object]) -> Evidence:
    """Edit the views that the configurations of segment 0 render."""

    def configs(segment: int, boxes: range) -> list[SwitchView]:
        views = list(evidence.configs(segment, boxes))
        if segment == 0:
            edit(views)
        return views

    return replace(evidence, configs=configs)


def with_setting(evidence: Evidence, column: str, **values: Any) -> Evidence:  # noqa: ANN401 - settings have many types
    """Change some settings of the first switch or of the first host, selected by `column`.

    `timers` and `roce` are given by their changed keys.
    """
    settings = evidence.settings
    own = settings.values[getattr(settings, column)[0]]
    changed = {
        key: replace(getattr(own, key), **value) if isinstance(value, dict) else value
        for key, value in values.items()
    }
    devices = getattr(settings, column).copy()
    devices[0] = len(settings.values)
    return replace(
        evidence,
        settings=settings._replace(
            values=(*settings.values, own._replace(**changed)), **{column: devices}
        ),
    )


def with_edges(
    evidence: Evidence, edit: Callable[[dict[str, tuple[str, str]]], object]
) -> Evidence:
    """Edit the links of the graph."""

    def edges() -> dict[str, tuple[str, str]]:
        made = dict(evidence.edges())
        edit(made)
        return made

    return replace(evidence, edges=edges)


def moved(evidence: Evidence, device: int, **where: int) -> Evidence:
    """Put a device into another rack or rack unit."""
    assert evidence.lengths
    room = evidence.lengths.room
    columns = {name: getattr(room.positions, name).copy() for name in where}
    for name, value in where.items():
        columns[name][device] = value
    return replace(
        evidence,
        lengths=_in_room(
            evidence.lengths, replace(room, positions=room.positions._replace(**columns))
        ),
    )


def _in_room(lengths: Lengths, room: Room) -> Lengths:
    """Lay the same cables in another room."""
    runs = lengths.runs
    return lengths._replace(runs=make_runs(room, runs.links, runs.measured, runs.between))


def limited(evidence: Evidence, **limits: int) -> Evidence:
    """Lower the limits of racks."""
    assert evidence.lengths
    room = evidence.lengths.room
    shares = room.shares._replace(rack=room.shares.rack._replace(**limits))
    return replace(evidence, lengths=_in_room(evidence.lengths, replace(room, shares=shares)))


def reserving(evidence: Evidence, first: int) -> Evidence:
    """Reserve a rack unit of all racks for a PDU."""
    assert evidence.lengths
    room = evidence.lengths.room
    units = ReservedUnits.model_construct(first=first, last=None, use="PDU", racks="all")
    shares = room.shares._replace(reserved=(units,))
    return replace(evidence, lengths=_in_room(evidence.lengths, replace(room, shares=shares)))


def hashed(evidence: Evidence, shares: list[int]) -> Evidence:
    """Distribute flows over the uplinks of the leaf by these shares."""
    return replace(
        evidence,
        flows=lambda count: {LinkKind.LEAF_SPINE: np.array(shares) * (count // sum(shares))},
    )

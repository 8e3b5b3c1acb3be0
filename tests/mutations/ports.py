"""Mutations of ports and of the cables of NICs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabricgen.core.terms import Role
from fabricgen.inventory.sizing import SparePorts
from fabricgen.planning.port_layout import Port
from tests.mutations.breaking import (
    HOST,
    UP,
    Mutation,
    dropped,
    rewired,
    rows,
    with_ports,
    with_spec,
)

if TYPE_CHECKING:
    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.catalog.models.switch import Breakout


def _other_split(evidence: Evidence, name: str) -> Breakout:
    """Return another split of the leaf's cages."""
    found = evidence.plan.fabric.port_layouts[Role.LEAF].model.breakout(name)
    assert found
    return found


def _resplit(evidence: Evidence, name: str, count: int) -> Evidence:
    """Split the first `count` ports of a leaf differently."""
    ports, split = evidence.ports[Role.LEAF], _other_split(evidence, name)
    return with_ports(
        evidence,
        Role.LEAF,
        [
            Port(port.cage, port.sub, split) if index < count else port
            for index, port in enumerate(ports)
        ],
    )


def _all_ports(evidence: Evidence, name: str) -> Evidence:
    """Use every port that the leaf's cages can be split into."""
    split = _other_split(evidence, name)
    cages = evidence.plan.fabric.port_layouts[Role.LEAF].model.cages
    return with_ports(
        evidence,
        Role.LEAF,
        [Port(cage, sub, split) for cage in range(1, cages + 1) for sub in range(split.count)],
    )


def _first_ports(evidence: Evidence, *ports: Port) -> Evidence:
    """Replace a leaf's first ports by others."""
    return with_ports(evidence, Role.LEAF, [*ports, *evidence.ports[Role.LEAF][len(ports) :]])


def _emptied(evidence: Evidence, leaf: int, port: int) -> Evidence:
    """Move the hosts of a leaf to this port of the first leaves."""
    for other, row in enumerate(rows(evidence, HOST, upper=leaf)):
        evidence = rewired(evidence, row, upper=other, upper_port=port)
    return evidence


def _idle(evidence: Evidence, ports: list[Port]) -> Evidence:
    """Set other idle ports of a leaf."""
    return replace(evidence, idle={**evidence.idle, Role.LEAF: ports})


def _in_cage(evidence: Evidence, at: int, cage: int) -> Evidence:
    """Move a planned port of the leaves to another cage."""
    ports = [*evidence.ports[Role.LEAF]]
    ports[at] = ports[at]._replace(cage=cage)
    return with_ports(evidence, Role.LEAF, ports)


MUTATIONS = (
    Mutation(
        "a port beyond the box",
        "lab",
        lambda e: rewired(e, rows(e, HOST)[0], upper_port=8),
        "ports-exist",
        "r0-h00001 is r0-leaf-1 port 8",
    ),
    Mutation(
        "a switch that is not there",
        "lab",
        lambda e: rewired(e, rows(e, UP)[0], upper=99),
        "ports-exist",
        "port 0 of switch number 99",
    ),
    Mutation(
        "a host on a spine",
        "lab",
        lambda e: rewired(e, rows(e, HOST)[0], upper=2),
        "ports-exist",
        "r0-spine-1 swp1",
    ),
    Mutation(
        "a GPU that is not there",
        "lab",
        lambda e: rewired(e, rows(e, HOST)[0], lower=64),
        "ports-exist",
        "lower end of cable r0-h00001 is d8-g0",
    ),
    Mutation(
        "a plane that is not there",
        "planes",
        lambda e: rewired(e, rows(e, HOST)[0], lower_port=2),
        "ports-exist",
        "d0-g0/2",
    ),
    Mutation(
        "a cage that is not there",
        "sn5600",
        lambda e: _first_ports(e, Port(66, 0, e.ports[Role.LEAF][0].breakout)),
        "ports-exist",
        "no port 1 in cage 66",
    ),
    Mutation(
        "a cage split in two ways",
        "sn5600",
        lambda e: _resplit(e, "1x800G", 1),
        "ports-exist",
        "would split cage 1 in two ways",
    ),
    Mutation(
        "a port planned twice",
        "sn5600",
        lambda e: _first_ports(e, e.ports[Role.LEAF][1]),
        "ports-exist",
        "port 2 of cage 1 2 times",
    ),
    Mutation(
        "an uplink outside of its zone",
        "zones",
        lambda e: _in_cage(e, -1, 60),
        "ports-exist",
        "each leaf (ds5000) has links that face up in cage 60",
    ),
    Mutation(
        "a downlink outside of its zone",
        "zones",
        lambda e: _in_cage(e, 0, 17),
        "ports-exist",
        "has links that face down in cage 17",
    ),
    Mutation(
        "no spare ports",
        "sn5600",
        lambda e: with_spec(e, spare_ports=SparePorts(leaf=128)),
        "ports-exist",
        "would not keep 128 ports free",
    ),
    Mutation(
        "more ports than the chip",
        "ds5000",
        lambda e: _all_ports(e, "8x100G"),
        "ports-exist",
        "its chip carries 320",
    ),
    Mutation(
        "ports of two speeds",
        "sn5600",
        lambda e: _resplit(e, "4x200G", 2),
        "ports-exist",
        "d0-g0 - r0-leaf-1 Ethernet0) joins ports of different speeds",
    ),
    Mutation(
        "two hosts on a port",
        "lab",
        lambda e: rewired(e, rows(e, HOST)[1], upper_port=0),
        "ports-once",
        "r0-leaf-1 swp1 carries 2 links",
    ),
    Mutation(
        "two leaves on a port",
        "lab",
        lambda e: rewired(e, rows(e, UP)[0], upper_port=2),
        "ports-once",
        "r0-spine-1 swp3",
    ),
    Mutation(
        "two uplinks on a port",
        "lab",
        lambda e: rewired(e, rows(e, UP)[0], lower_port=5),
        "ports-once",
        "r0-leaf-1 swp6 carries 2",
    ),
    Mutation(
        "a NIC cabled twice",
        "lab",
        lambda e: rewired(e, rows(e, HOST)[1], lower=0),
        "nics-cabled",
        "d0-g0 has 2 cables: r0-h00001, r0-h00002",
    ),
    Mutation(
        "a lost host cable",
        "lab",
        lambda e: dropped(e, rows(e, HOST)[:1]),
        "nics-cabled",
        "d0-g0 has no cable",
    ),
    Mutation(
        "a NIC's other port",
        "planes",
        lambda e: rewired(e, rows(e, HOST)[0], lower_port=1),
        "nics-cabled",
        "d0-g0/0 has no cable",
    ),
    Mutation(
        "a lost plane",
        "planes",
        lambda e: dropped(e, rows(e, HOST, lower_port=1)),
        "nics-cabled",
        "d0-g0/1 has no cable",
    ),
    Mutation(
        "a leaf whose hosts went elsewhere",
        "last-pod",
        lambda e: _emptied(e, 3, 2),
        "leaves-used",
        "leaf-4 has no endpoint",
    ),
    Mutation(
        "a leaf that no reserve asks for",
        "reserved-pod",
        lambda e: with_spec(e, reserve=None),
        "leaves-used",
        "r1-leaf-6 has no endpoint",
    ),
    Mutation(
        "a cable in a reserved port",
        "reserve",
        lambda e: rewired(e, rows(e, HOST)[0], upper_port=2),
        "spare-ports",
        "r0-leaf-1 swp3 is kept for a GPU",
    ),
    Mutation(
        "a cable on a reserved leaf",
        "reserve",
        lambda e: rewired(e, rows(e, HOST)[0], upper_port=3),
        "spare-ports",
        "r0-h00001 is in it",
    ),
    Mutation(
        "an idle port forgotten",
        "idle",
        lambda e: _idle(e, e.idle[Role.LEAF][1:]),
        "spare-ports",
        "is neither used nor idle",
    ),
    Mutation(
        "a used port called idle",
        "idle",
        lambda e: _idle(e, [*e.idle[Role.LEAF], e.ports[Role.LEAF][0]]),
        "spare-ports",
        "port 1 of cage 1 of each leaf is both",
    ),
    Mutation(
        "an idle port too many",
        "idle",
        lambda e: _idle(e, [*e.idle[Role.LEAF], Port(70, 0, e.ports[Role.LEAF][0].breakout)]),
        "spare-ports",
        "not on the box",
    ),
)

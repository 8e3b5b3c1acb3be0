"""Every mutation: a correct plan, a fault, the law that it violates, a word of the finding."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.bom.summary import CableCounts
from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.port_layout import Port
from tests.fabrics import CATALOG
from tests.mutations.breaking import (
    LOWER,
    dropped,
    hashed,
    limited,
    moved,
    numbered,
    renamed,
    rewired,
    rows,
    swapped,
    with_cables,
    with_configs,
    with_copper,
    with_edges,
    with_joint,
    with_other_offer,
    with_ports,
    with_spec,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.catalog.models.optics import Cable, Transceiver
    from fabricgen.catalog.models.switch import Breakout
    from fabricgen.views.cables.view import CableView
    from fabricgen.views.switches.view import SwitchView

HOST, UP, CORE = LinkKind.HOST, LinkKind.LEAF_SPINE, LinkKind.SPINE_CORE


class Mutation(NamedTuple):
    """One fault: its name, its plan, the change, the violated law, and words of the finding."""

    name: str
    plan: str
    broken: Callable[[Evidence], Evidence]
    law: str
    says: str


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


def _one_spine_each(evidence: Evidence) -> Evidence:
    """Leave leaf 0 the links to the first spine, and leaf 1 those to the second."""
    return dropped(
        evidence, [*rows(evidence, UP, lower=0, upper=3), *rows(evidence, UP, lower=1, upper=2)]
    )


def _thinner(evidence: Evidence, kind: LinkKind) -> Evidence:
    """Remove one link between every two switches that a kind of link connects."""
    wiring = evidence.wiring
    pairs = {(int(wiring.lower[row]), int(wiring.upper[row])): row for row in rows(evidence, kind)}
    return dropped(evidence, pairs.values())


def _crosswise(evidence: Evidence) -> Evidence:
    """Exchange the uplinks of the second and the third leaf."""
    for one, other in zip(rows(evidence, UP, lower=1), rows(evidence, UP, lower=2), strict=True):
        evidence = swapped(evidence, (one, other))
    return evidence


def _emptied(evidence: Evidence, leaf: int, port: int) -> Evidence:
    """Move the hosts of a leaf to this port of the first leaves."""
    for other, row in enumerate(rows(evidence, HOST, upper=leaf)):
        evidence = rewired(evidence, row, upper=other, upper_port=port)
    return evidence


def _module(name: str) -> Transceiver:
    """Return a module of the catalog."""
    return next(module for module in CATALOG.transceivers() if module.model == name)


def _fibre(name: str) -> Cable:
    """Return a cable of the catalog."""
    return next(cable for cable in CATALOG.cables() if cable.model == name)


def _cage_of_two_modules(evidence: Evidence) -> Evidence:
    """Put the last downlink of a leaf into the cage of the first uplink, whose module differs."""
    down, ports = evidence.plan.widths[Role.LEAF][0], list(evidence.ports[Role.LEAF])
    ports[down - 1 : down + 1] = ports[down], ports[down - 1]
    upper = evidence.joints[UP].modules["lower"].model_copy(update={"model": "another"})
    return with_joint(with_ports(evidence, Role.LEAF, ports), UP, lower=upper)


def _idle(evidence: Evidence, ports: list[Port]) -> Evidence:
    """Set other idle ports of a leaf."""
    return replace(evidence, idle={**evidence.idle, Role.LEAF: ports})


def _prefix(evidence: Evidence, key: tuple[int, int, int], prefix: str) -> Evidence:
    """Change the prefix of the labels of a kind of cable."""
    return replace(evidence, prefixes={**evidence.prefixes, key: prefix})


def _quantity(evidence: Evidence, line: int, by: int) -> Evidence:
    """Buy more or fewer of a part."""
    lines = list(evidence.bom.lines)
    lines[line] = replace(lines[line], quantity=lines[line].quantity + by)
    return replace(evidence, bom=replace(evidence.bom, lines=tuple(lines)))


def _unbought(evidence: Evidence, line: int) -> Evidence:
    """Leave a part out of the bill."""
    return replace(
        evidence,
        bom=replace(evidence.bom, lines=evidence.bom.lines[:line] + evidence.bom.lines[line + 1 :]),
    )


def _cell(column: str, value: str) -> Callable[[Evidence], Evidence]:
    """Change a cell of the first row of the cable list."""

    def edit(views: list[CableView]) -> None:
        setattr(views[0], column, value)

    return lambda evidence: with_cables(evidence, edit)


def _second_row(column: str, value: str) -> Callable[[Evidence], Evidence]:
    """Change a cell of the second row of the first piece that has two."""

    def edit(views: list[CableView]) -> None:
        piece = next(view.piece for view in views if view.piece)
        setattr([view for view in views if view.piece == piece][1], column, value)

    return lambda evidence: with_cables(evidence, edit)


def _total(evidence: Evidence, key: str, value: Any) -> Evidence:  # noqa: ANN401 - a figure, or several by name
    """Change a figure of `plan --json`."""
    return replace(evidence, summary=replace(evidence.summary, **{key: value}))


def _empty_rack(evidence: Evidence) -> Evidence:
    """Leave the last rack out of the bill by rack."""
    racks = dict(list(evidence.racks().items())[:-1])
    return replace(evidence, racks=lambda: racks)


def _port(column: str, value: str) -> Callable[[Evidence], Evidence]:
    """Change a field of the first port of the first switch."""

    def edit(views: list[SwitchView]) -> None:
        setattr(views[0].ports[0], column, value)

    return lambda evidence: with_configs(evidence, edit)


def _instance(column: str, value: str) -> Callable[[Evidence], Evidence]:
    """Change the first routing instance of the first switch."""

    def edit(views: list[SwitchView]) -> None:
        setattr(views[0].instances[0], column, value)

    return lambda evidence: with_configs(evidence, edit)


def _moved_port(views: list[SwitchView]) -> None:
    """Move a host port of the first VRF into the second."""
    first, second = views[0].instances[:2]
    second.host_ports.append(first.host_ports.pop())


def _lost_port(views: list[SwitchView]) -> None:
    """Remove an uplink of the first instance."""
    views[0].instances[0].fabric_ports.pop()


MUTATIONS: tuple[Mutation, ...] = (
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
        "host cables of two rails exchanged",
        "lab",
        lambda e: swapped(e, (rows(e, HOST, lower=0)[0], rows(e, HOST, lower=1)[0])),
        "rails-apart",
        "r0-h00001 (d0-g0 - r1-leaf-1 swp1) joins rail 0 and rail 1",
    ),
    Mutation(
        "uplinks of two rails exchanged",
        "lab",
        lambda e: swapped(e, (rows(e, UP, segment=0)[0], rows(e, UP, segment=3)[0])),
        "rails-apart",
        "r0-leaf-1 swp5 - r3-spine-1 swp1) joins rail 0 and rail 3",
    ),
    Mutation(
        "cores of two rails exchanged",
        "pods",
        lambda e: swapped(e, (rows(e, CORE, segment=0)[0], rows(e, CORE, segment=1)[0])),
        "rails-apart",
        "r1-core-1",
    ),
    Mutation(
        "planes exchanged",
        "planes",
        lambda e: swapped(
            e, (rows(e, HOST, lower=0, lower_port=0)[0], rows(e, HOST, lower=0, lower_port=1)[0])
        ),
        "rails-apart",
        "d0-g0/0 - p1-leaf-1 swp1) joins plane 0 and plane 1",
    ),
    Mutation(
        "hosts in the VRFs of two rails exchanged",
        "one-box",
        lambda e: swapped(e, (rows(e, HOST, lower=0)[0], rows(e, HOST, lower=1)[0])),
        "rails-apart",
        "leaf-1 swp2) joins rail 0 and rail 1",
    ),
    Mutation(
        "uplinks of two VRFs exchanged",
        "shared",
        lambda e: swapped(
            e, (rows(e, UP, segment=0, block=0)[0], rows(e, UP, segment=0, block=1)[0]), *LOWER
        ),
        "rails-apart",
        "joins rail 1 on plane 0 and rail 0 on plane 0",
    ),
    Mutation(
        "a leaf without uplinks",
        "lab",
        lambda e: dropped(e, rows(e, UP, lower=0)),
        "all-pairs",
        "no path joins r0-leaf-1 and r0-leaf-2",
    ),
    Mutation(
        "leaves that go down to come up",
        "lab",
        _one_spine_each,
        "all-pairs",
        "they have no spine in common",
    ),
    Mutation(
        "a rail's leaf on a shared box without uplinks",
        "shared",
        lambda e: dropped(e, rows(e, UP, segment=0, block=1, lower=0)),
        "all-pairs",
        "p0-leaf-1 (rail 1 on plane 0)",
    ),
    Mutation(
        "a pod off the core",
        "pods",
        lambda e: dropped(e, [row for spine in (8, 9) for row in rows(e, CORE, lower=spine)]),
        "all-pairs",
        "no path joins r0-leaf-1 and r0-leaf-3: they have no core in common",
    ),
    Mutation(
        "a lost uplink",
        "lab",
        lambda e: dropped(e, rows(e, UP)[:1]),
        "links-even",
        "r0-leaf-1 and r0-spine-1 are joined by 1 link",
    ),
    Mutation(
        "uplinks of two leaves exchanged",
        "lab",
        lambda e: swapped(e, (rows(e, UP, lower=0, upper=2)[0], rows(e, UP, lower=1, upper=3)[0])),
        "links-even",
        "r0-leaf-1 and r0-spine-1",
    ),
    Mutation(
        "a lost spine",
        "superpod",
        lambda e: dropped(e, rows(e, UP, upper=8)),
        "links-even",
        "leaf-1 meets 3 switches above, and there are 4",
    ),
    Mutation(
        "uplinks of two spines exchanged",
        "thick",
        lambda e: swapped(e, (rows(e, CORE, lower=8)[0], rows(e, CORE, lower=9)[0])),
        "links-even",
        "r0-spine-1 meets 2 switches above, and there are 1",
    ),
    Mutation(
        "a lost uplink among uneven ones",
        "minimal",
        lambda e: dropped(e, rows(e, UP, lower=0, upper=4)[:1]),
        "links-even",
        "leaf-1 has 2 uplinks",
    ),
    Mutation(
        "uneven by more than one",
        "minimal-wide",
        lambda e: swapped(e, (rows(e, UP, lower=0, upper=5)[0], rows(e, UP, lower=1, upper=4)[0])),
        "links-even",
        "leaf-1 and spine-1 are joined by 4 links",
    ),
    Mutation(
        "a thinner fabric",
        "lab",
        lambda e: _thinner(e, UP),
        "oversubscription",
        "r0-leaf-1 is oversubscribed",
    ),
    Mutation(
        "thinner between spine and core",
        "thick",
        lambda e: _thinner(e, CORE),
        "oversubscription",
        "r0-spine-1 is oversubscribed",
    ),
    Mutation(
        "less oversubscription asked",
        "lab",
        lambda e: with_spec(e, oversubscription=Fraction(1, 2)),
        "oversubscription",
        "1:2 was asked",
    ),
    Mutation(
        "spines that meet one half",
        "minimal",
        _crosswise,
        "bisection",
        "the halves of the fabric are joined by 1,600 Gbps",
    ),
    Mutation(
        "thinner where hosts are few",
        "slack",
        lambda e: _thinner(e, UP),
        "bisection",
        "joined by 800 Gbps",
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
    Mutation(
        "a number on two cables",
        "lab",
        lambda e: rewired(e, rows(e, HOST)[1], number=1),
        "labels",
        "label r0-h00001 is on 2 cables",
    ),
    Mutation(
        "two rails with one label",
        "lab",
        lambda e: _prefix(e, (1, 0, 1), "r0-h"),
        "labels",
        "`r0-h`",
    ),
    Mutation(
        "a label that runs into its number",
        "lab",
        lambda e: _prefix(e, (1, 0, 1), "r1-h7"),
        "labels",
        "`r1-h7`",
    ),
    Mutation(
        "a number too long",
        "lab",
        lambda e: rewired(e, rows(e, HOST)[0], number=10**6),
        "labels",
        "has the number 1000000",
    ),
    Mutation(
        "host cables of one rail exchanged",
        "lab",
        lambda e: swapped(e, rows(e, HOST, segment=0)[3:5]),
        "wired-as-planned",
        "r0-h00004 (d3-g0 - r0-leaf-2 swp1)",
    ),
    Mutation(
        "host cables of one leaf exchanged",
        "superpod",
        lambda e: swapped(e, rows(e, HOST)[:2]),
        "wired-as-planned",
        "leads from d0-g0 to leaf-1 1/1/1",
    ),
    Mutation(
        "uplinks of one leaf exchanged",
        "lab",
        lambda e: swapped(e, rows(e, UP, lower=0)[:2]),
        "wired-as-planned",
        "r0-leaf-1 swp5 - r0-spine-1 swp2",
    ),
    Mutation(
        "pods exchanged at the core",
        "thick",
        lambda e: swapped(e, (rows(e, CORE, lower=8)[0], rows(e, CORE, lower=12)[0])),
        "wired-as-planned",
        "r0-core-1",
    ),
    Mutation(
        "cable numbers exchanged",
        "lab",
        lambda e: swapped(e, rows(e, HOST)[:2], "number"),
        "wired-as-planned",
        "as cable 1 of its block",
    ),
    Mutation(
        "endpoint positions exchanged",
        "lab",
        lambda e: swapped(e, rows(e, HOST)[:2], "slot"),
        "wired-as-planned",
        "r0-h00001",
    ),
    Mutation(
        "uplinks that nobody misses",
        "reserve",
        lambda e: _thinner(e, UP),
        "wired-as-planned",
        "r0-leaf-1 has 2 of its 4 uplinks",
    ),
    Mutation(
        "single-mode against multimode",
        "superpod",
        lambda e: with_joint(e, UP, upper=_module("mms4x00-nm")),
        "optics-match",
        "mms4x00-nm is smf",
    ),
    Mutation(
        "fibre of another medium",
        "superpod",
        lambda e: with_joint(e, UP, cable=_fibre("mfp7e30"), medium="smf"),
        "optics-match",
        "mfp7e30 is smf",
    ),
    Mutation(
        "another medium on the list",
        "superpod",
        lambda e: with_joint(e, UP, medium="smf"),
        "optics-match",
        "leaf-spine links are listed as smf",
    ),
    Mutation(
        "a module of another shape",
        "superpod",
        lambda e: with_joint(e, UP, upper=_module("mma1z00-ns400")),
        "optics-match",
        "mma1z00-ns400 on leaf-spine links does not fit",
    ),
    Mutation(
        "a flat top under the air",
        "superpod",
        lambda e: with_joint(e, UP, upper=_module("mma4z00-ns-flt")),
        "optics-match",
        "flat top",
    ),
    Mutation(
        "half the links of a cage",
        "superpod",
        lambda e: with_joint(e, UP, upper=_module("mma4z00-ns400")),
        "optics-match",
        "1 x 400G",
    ),
    Mutation(
        "a link of another speed",
        "superpod",
        lambda e: with_joint(e, HOST, speed_gbps=200),
        "optics-match",
        "host links run at 200G",
    ),
    Mutation(
        "fibre that does not cross",
        "superpod",
        lambda e: with_joint(e, UP, cable=e.joints[UP].cable.model_copy(update={"polarity": "A"})),
        "optics-match",
        "does not cross",
    ),
    Mutation(
        "fibre with another plug",
        "superpod",
        lambda e: with_joint(
            e, UP, cable=e.joints[UP].cable.model_copy(update={"ends": ("LC", "LC")})
        ),
        "optics-match",
        "no plug in common",
    ),
    Mutation(
        "copper of another shape",
        "copper",
        lambda e: with_copper(e, form_factors=("osfp", "qsfp112")),
        "optics-match",
        "it goes from osfp to qsfp112",
    ),
    Mutation(
        "copper of half the speed",
        "copper",
        lambda e: with_copper(e, speed_gbps=200),
        "optics-match",
        "does not carry the links of a cage of the spine",
    ),
    Mutation(
        "copper of another transport",
        "copper",
        lambda e: with_copper(e, transports=("infiniband",)),
        "optics-match",
        "does not carry ethernet",
    ),
    Mutation(
        "copper that is too short",
        "copper",
        lambda e: with_copper(e, reach_m=1.0),
        "optics-match",
        "the cable mcp4y10 reaches 1 m",
    ),
    Mutation(
        "two parts in one cage",
        "copper",
        lambda e: with_other_offer(e, rows(e, UP)[0]),
        "optics-match",
        "would need two modules",
    ),
    Mutation(
        "a short fibre",
        "superpod",
        lambda e: with_joint(e, UP, cable=e.joints[UP].cable.model_copy(update={"reach_m": 20.0})),
        "optics-match",
        "reaches 20 m",
    ),
    Mutation(
        "a short-sighted module",
        "superpod",
        lambda e: with_joint(
            e, UP, lower=e.joints[UP].modules["lower"].model_copy(update={"reach_m": 3.0})
        ),
        "optics-match",
        "reaches 3 m",
    ),
    Mutation(
        "a module of another transport",
        "superpod",
        lambda e: with_joint(
            e,
            HOST,
            upper=e.joints[HOST].modules["upper"].model_copy(update={"transports": ("ethernet",)}),
        ),
        "optics-match",
        "does not carry infiniband",
    ),
    Mutation(
        "a cage of two modules",
        "mixed",
        _cage_of_two_modules,
        "optics-match",
        "would need two modules",
    ),
    Mutation(
        "a hash that knows one uplink",
        "lab",
        lambda e: hashed(e, [1, 0, 0, 0]),
        "flows-spread",
        "leaf uplink 1 carries 256",
    ),
    Mutation(
        "a hash that skips an uplink",
        "lab",
        lambda e: hashed(e, [1, 1, 1, 0]),
        "flows-spread",
        "leaf uplink 4 carries 0",
    ),
    Mutation(
        "two switches of one name",
        "lab",
        lambda e: renamed(e, 1, "r0-leaf-1"),
        "names",
        "2 devices are called `r0-leaf-1`",
    ),
    Mutation(
        "a switch with a host's name", "lab", lambda e: renamed(e, 1, "host-3"), "names", "`host-3`"
    ),
    Mutation(
        "a name in capitals",
        "lab",
        lambda e: renamed(e, 0, "Leaf_1"),
        "names",
        "`Leaf_1` cannot be a host name",
    ),
    Mutation(
        "a name too long",
        "lab",
        lambda e: renamed(e, 0, "leaf-" * 13 + "1"),
        "names",
        "at most 63 characters",
    ),
    Mutation(
        "an address twice",
        "lab",
        lambda e: numbered(e, "nic", 1, int(e.addresses.nic[0])),
        "addresses",
        "10.0.0.1 is given 2 times",
    ),
    Mutation(
        "an address of another rail",
        "lab",
        lambda e: numbered(e, "nic", 0, int(e.addresses.nic[-1]) + 16),
        "addresses",
        "outside the slice of rail 0",
    ),
    Mutation(
        "an address outside the pool",
        "lab",
        lambda e: numbered(e, "nic", 0, (192 << 24) + 1),
        "addresses",
        "192.0.0.1 is outside 10.0.0.0/9",
    ),
    Mutation(
        "the leaf's end of a /31",
        "lab",
        lambda e: numbered(e, "nic", 63, int(e.addresses.nic[63]) + 1),
        "addresses",
        "do not share a /31",
    ),
    Mutation(
        "a loopback twice",
        "lab",
        lambda e: numbered(e, "loopback", 1, int(e.addresses.loopback[0])),
        "addresses",
        "10.128.0.1 is given 2 times",
    ),
    Mutation(
        "a loopback outside the pool",
        "lab",
        lambda e: numbered(e, "loopback", 0, (172 << 24) + 1),
        "addresses",
        "172.0.0.1 is outside 10.128.0.0/10",
    ),
    Mutation(
        "two leaves in one AS",
        "lab",
        lambda e: numbered(e, "asn", 1, int(e.addresses.asn[0])),
        "as-numbers",
        "r0-leaf-1 and r0-leaf-2 share AS 4200000000",
    ),
    Mutation(
        "a leaf in its spine's AS",
        "lab",
        lambda e: numbered(e, "asn", 0, int(e.addresses.asn[2])),
        "as-numbers",
        "both ends of cable r0-u00001",
    ),
    Mutation(
        "an AS number beyond the last",
        "lab",
        lambda e: numbered(e, "asn", 0, 2**32 - 1),
        "as-numbers",
        "r0-leaf-1 has AS 4294967295",
    ),
    Mutation(
        "two hosts in one place",
        "lab",
        lambda e: moved(e, 1, rack_unit=1),
        "racks",
        "host-1 and host-2 both stand in unit 1 of rack A01-01",
    ),
    Mutation(
        "a switch among hosts",
        "lab",
        lambda e: moved(e, 8, rack=0, rack_unit=8),
        "racks",
        "host-1 and r0-leaf-1 both stand in unit 8 of rack A01-01",
    ),
    Mutation(
        "a host above its rack",
        "lab",
        lambda e: moved(e, 0, rack_unit=40),
        "racks",
        "host-1 stands out of rack A01-01",
    ),
    Mutation(
        "a switch in no rack",
        "lab",
        lambda e: moved(e, 8, rack=-1),
        "racks",
        "r0-leaf-1 stands in no rack",
    ),
    Mutation(
        "a rack that is fed less",
        "superpod",
        lambda e: limited(e, power_w=40_000),
        "racks",
        "rack A01-01 takes 40,800 W, and has 40,000 W",
    ),
    Mutation(
        "a wrong length in the cable list",
        "lab",
        _cell("length_m", "1"),
        "outputs-agree",
        "it has length_m 1, and the plan",
    ),
    Mutation(
        "a wrong rack in the cable list",
        "lab",
        _cell("a_rack", "A09-01"),
        "outputs-agree",
        "it has a_rack A09-01, and the plan A01-01",
    ),
    Mutation(
        "a wrong unit in the cable list",
        "superpod",
        _cell("b_unit", "1"),
        "outputs-agree",
        "it has b_unit 1, and the plan",
    ),
    Mutation(
        "a wrong far end in the cable list",
        "lab",
        _cell("b_interface", "Ethernet2"),
        "outputs-agree",
        "the cable list is wrong about r0-h00001",
    ),
    Mutation(
        "a wrong medium in the cable list",
        "superpod",
        _cell("medium", "smf"),
        "outputs-agree",
        "the cable list is wrong about h00001",
    ),
    Mutation(
        "another label in the cable list",
        "lab",
        _cell("cable", "r0-h00009"),
        "outputs-agree",
        "leaves out r0-h00001",
    ),
    Mutation(
        "a row less in the cable list",
        "lab",
        lambda e: with_cables(e, lambda views: views.pop()),
        "outputs-agree",
        "leaves out r0-u00008",
    ),
    Mutation(
        "a row twice in the cable list",
        "lab",
        lambda e: with_cables(e, lambda views: views.append(views[0])),
        "outputs-agree",
        "names r0-h00001 twice",
    ),
    Mutation(
        "a wrong peer in a configuration",
        "lab",
        _port("peer_device", "host-2"),
        "outputs-agree",
        "the configuration is wrong about r0-leaf-1 swp1",
    ),
    Mutation(
        "a wrong cable in a configuration",
        "lab",
        _port("cable", "r0-h00002"),
        "outputs-agree",
        "it has cable r0-h00002, and the plan r0-h00001",
    ),
    Mutation(
        "a wrong address in a configuration",
        "lab",
        _port("address", "10.0.0.2/31"),
        "outputs-agree",
        "10.0.0.2/31",
    ),
    Mutation(
        "a switch without configuration",
        "lab",
        lambda e: with_configs(e, lambda views: views.pop()),
        "outputs-agree",
        "the configuration leaves out r0-spine-2 swp1",
    ),
    Mutation(
        "an idle port left out",
        "sn5600",
        lambda e: with_configs(e, lambda views: views[0].idle_ports.pop()),
        "outputs-agree",
        "list of idle ports",
    ),
    Mutation(
        "a switch too many on the bill",
        "lab",
        lambda e: _quantity(e, 0, 1),
        "outputs-agree",
        "the bill is wrong about generic-8",
    ),
    Mutation(
        "a cable too few on the bill",
        "superpod",
        lambda e: _quantity(e, -1, -1),
        "outputs-agree",
        "the bill is wrong about mfp7e10",
    ),
    Mutation(
        "a part that is not on the bill",
        "superpod",
        lambda e: _unbought(e, 1),
        "outputs-agree",
        "the bill leaves out mma4z00-ns-flt",
    ),
    Mutation(
        "a link less in the graph",
        "lab",
        lambda e: with_edges(e, lambda made: made.pop("r7-u00008")),
        "outputs-agree",
        "the graph leaves out r7-u00008",
    ),
    Mutation(
        "a link of the graph elsewhere",
        "lab",
        lambda e: with_edges(e, lambda made: made.update({"r0-h00001": ("host-1", "r1-leaf-1")})),
        "outputs-agree",
        "it has b_device r1-leaf-1, and the plan r0-leaf-1",
    ),
    Mutation(
        "a prefix of two rails",
        "lab",
        _instance("host_prefix", "10.0.0.0/23"),
        "routes-apart",
        "r0-leaf-1 announces 10.0.0.0/23",
    ),
    Mutation(
        "a prefix of another rail",
        "one-box",
        _instance("host_prefix", "10.0.1.0/24"),
        "routes-apart",
        "leaf-1 VRF rail0 announces 10.0.1.0/24",
    ),
    Mutation(
        "a prefix too narrow",
        "lab",
        _instance("host_prefix", "10.0.0.0/29"),
        "routes-apart",
        "misses 4 of rail 0",
    ),
    Mutation(
        "loopbacks of two rails",
        "lab",
        _instance("loopback_prefix", "10.128.0.0/24"),
        "routes-apart",
        "announces 10.128.0.0/24",
    ),
    Mutation(
        "a port in another VRF",
        "one-box",
        lambda e: with_configs(e, _moved_port),
        "routes-apart",
        "leaf-1 VRF rail1 routes leaf-1",
    ),
    Mutation(
        "an uplink without routing",
        "lab",
        lambda e: with_configs(e, _lost_port),
        "routes-apart",
        "leaves out r0-leaf-1 swp8",
    ),
    Mutation(
        "a VRF less",
        "one-box",
        lambda e: with_configs(e, lambda views: views[0].instances.pop()),
        "routes-apart",
        "3 routing instances for 4 blocks",
    ),
    Mutation(
        "an instance of another rail",
        "lab",
        _instance("rail", "5"),
        "routes-apart",
        "r0-leaf-1 is of rail 5",
    ),
    Mutation(
        "cables counted as links",
        "copper",
        lambda e: _total(e, "cables", CableCounts(768)),
        "counts-agree",
        "`plan --json` counts 768 cables",
    ),
    Mutation(
        "transceivers at copper",
        "copper",
        lambda e: _total(e, "transceivers", 1024),
        "counts-agree",
        "counts 1,024 transceivers",
    ),
    Mutation(
        "a kind of link left out",
        "lab",
        lambda e: _total(e, "links", replace(e.summary.links, host=0)),
        "counts-agree",
        "`plan --json`, by kind,",
    ),
    Mutation(
        "a label too many at a shared end",
        "copper",
        _second_row("label_ends", "B"),
        "counts-agree",
        "labels.csv counts 1,025 labels",
    ),
    Mutation(
        "a row that counts as a cable of its own",
        "copper",
        _second_row("label_ends", "AB"),
        "counts-agree",
        "by the rows that stand for one",
    ),
    Mutation(
        "a piece of another name",
        "copper",
        _second_row("piece", "another"),
        "counts-agree",
        "the cable list, by `piece`, counts",
    ),
    Mutation(
        "a rack less in the bill", "copper", _empty_rack, "counts-agree", "the bill by rack counts"
    ),
)

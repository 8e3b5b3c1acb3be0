"""The laws of outputs: what is written for people and for switches tells of the links that were judged, and of no others.

Each public function is a law of the list in the package. A row of an output costs microseconds, so a large fabric is read in its first and its
last unit and counted whole; units are alike, which `wired-as-planned` has shown by then.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.addressing import dotted
from fabricgen.cabling.ways import metres
from fabricgen.checks.counting import parts_of
from fabricgen.checks.judging import Objection, Objections, Verdict, against
from fabricgen.terms import LinkKind, speed_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabricgen.checks.evidence import Evidence, Whole
    from fabricgen.terms import Role
    from fabricgen.views import CableView, SwitchView

CABLE = (
    "rail", "plane", "tier", "a_device", "a_interface", "b_device", "b_interface", "a_rack", "a_unit", "b_rack", "b_unit", "length_m", "speed", "medium",
    "part", "a_transceiver", "b_transceiver",
)  # fmt: skip
PORT = ("peer_device", "peer_interface", "cable", "address")
"""What is compared of a row of the cable list, by its columns, and of a port of a configuration."""

READ_LINKS = 50_000
"""Up to so many links every row of every output is read; it takes two seconds."""

End = tuple[str, str]
Key = str | End
Row = tuple[str | int, ...]


class Scope(NamedTuple):
    """What is read of the outputs: runs of rows of the wiring, and runs of switches; `formula` says what the rest follows from."""

    rows: list[range]
    switches: list[range]
    formula: str


def scope(evidence: Evidence) -> Scope:
    """Choose what to read: everything, or the first and the last unit, or the first rows of each kind and the first switches of each role there."""
    wiring, plan, boxes = evidence.wiring, evidence.plan, evidence.boxes
    total, units = len(wiring.kind), plan.mapping.units
    if total <= READ_LINKS:
        return Scope([range(total)], [range(len(evidence.switches))], "")
    ends, each = sorted({0, units - 1}), total // units
    where = f"unit{'s' if len(ends) > 1 else ''} {' and '.join(map(str, ends))}"
    if each <= READ_LINKS:
        formula = f"{where} stand{'' if len(ends) > 1 else 's'} for {units:,} alike"
        return Scope([range(unit * each, (unit + 1) * each) for unit in ends], [range(unit * boxes, (unit + 1) * boxes) for unit in ends], formula)
    runs = [run for unit in ends for run in _first_runs(evidence, unit, each)]
    return Scope([rows for rows, _ in runs], [switches for _, switches in runs], f"the first links and switches of each kind in {where} stand for all")


def _first_runs(evidence: Evidence, unit: int, each: int) -> Iterator[tuple[range, range]]:
    """Choose the first links of each kind in block 0 of a unit, and the first switches of each role; `each` is the links of a unit."""
    kind, own = evidence.wiring.kind[:each], evidence.wiring.block[:each] == 0
    for number, role in zip(evidence.plan.kinds, evidence.plan.roles, strict=True):
        rows = np.flatnonzero(own & (kind == number))[: READ_LINKS // 8]
        boxes = np.flatnonzero((evidence.box_tier == role.tier) & (evidence.box_block <= 0))[: READ_LINKS // 8 // len(evidence.ports[role]) + 1]
        first, box = unit * each, unit * evidence.boxes
        yield range(first + int(rows[0]), first + int(rows[-1]) + 1), range(box + int(boxes[0]), box + int(boxes[-1]) + 1)


def outputs_agree(evidence: Evidence) -> Verdict:
    """Ask cable list, switches' views, graph and bill for the same links."""
    read, total = scope(evidence), len(evidence.wiring.kind)
    per_unit = total // evidence.plan.mapping.units
    found = []
    for run in read.rows:
        unit, start = divmod(run.start, per_unit)
        runs = [(unit, start, start + len(run))] if read.formula else [(each, 0, per_unit) for each in range(evidence.plan.mapping.units)]
        views = chain.from_iterable(evidence.cables(*each) for each in runs)
        found.append(_compare("cable list", CABLE, _listed(evidence, run), ((view.cable, _cells(view)) for view in views)))
    for run in read.switches:
        found += _configurations(evidence, run)
    outputs = "cable list, configurations"
    if not read.formula:
        joined = ((row.label, (row.low[0], row.high[0])) for row in _links(evidence, range(total)))
        found.append(_compare("graph", ("a_device", "b_device"), joined, evidence.edges().items()))
        outputs += ", graph"
    taken = ((part, (count,)) for part, count in parts_of(evidence).items())
    found.append(_compare("bill", ("quantity",), taken, ((line.part, (line.quantity,)) for line in evidence.bom.lines)))
    links = sum(map(len, read.rows))
    said = f"{outputs} and bill agree on {links:,} links" + (f" of {total:,}" if links < total else "")
    return Verdict(said, tuple(found), read.formula and f"{read.formula}; the bill counts all")


def views_of(evidence: Evidence, switches: range) -> Iterator[SwitchView]:
    """Make the views of a run of switches, unit by unit."""
    boxes = evidence.boxes
    for unit in range(switches.start // boxes, (switches.stop - 1) // boxes + 1):
        first = unit * boxes
        yield from evidence.configs(unit, range(max(switches.start, first) - first, min(switches.stop, first + boxes) - first))


class _Link(NamedTuple):
    """A link in the words of outputs; `address` is the leaf's end of a numbered host link."""

    label: str
    kind: LinkKind
    rail: str
    plane: int
    low: End
    high: End
    lower: int
    upper: int
    address: str


def _links(evidence: Evidence, rows: Iterable[int] | Whole) -> Iterator[_Link]:
    """Put links into words, from the wiring."""
    plan, wiring, boxes = evidence.plan, evidence.wiring, evidence.boxes
    request, mapping, rows = plan.request, plan.mapping, np.asarray(rows)
    roles = [box.role for box in plan.naming.boxes]
    named: dict[tuple[str, ...], dict[Role, list[str]]] = {}
    nics = [[plan.naming.interface(gpu, plane) for plane in range(request.planes)] for gpu in range(request.host_gpus)]
    nth = np.cumsum(evidence.has_host)[rows] - 1
    for unit, kind, block, lower, lower_port, upper, upper_port, _, number, seat in zip(
        *(column[rows].tolist() for column in wiring), nth.tolist(), strict=True
    ):
        rail, address = mapping.rail(unit, block), ""
        fronts = plan.fronts(unit)
        if (spoken := tuple(front.nos for front in fronts.values())) not in named:
            named[spoken] = {role: [fronts[role].interface(port) for port in each] for role, each in evidence.ports.items()}
        ports = named[spoken]
        if kind == LinkKind.HOST:
            host, within = divmod(lower, request.host_gpus)
            low = evidence.hosts[host], nics[within][lower_port]
            rail = lower % request.domain_gpus % request.rails
            address = f"{dotted(int(evidence.addresses.nic[seat]) - 1)}/31" if plan.addresses.numbered else ""
        else:
            low = evidence.switches[lower], ports[roles[lower % boxes]][lower_port]
        high = evidence.switches[upper], ports[roles[upper % boxes]][upper_port]
        label = f"{evidence.prefixes[unit, block, kind]}{number:0{plan.label_width}}"
        yield _Link(label, LinkKind(kind), "" if rail is None else str(rail), mapping.plane(unit), low, high, lower, upper, address)


def _listed(evidence: Evidence, rows: range) -> Iterator[tuple[str, Row]]:
    """Return what the cable list must say of some links; a link of several cables has a letter behind its label for each."""
    parts = [
        (speed_text(joint.speed_gbps), joint.medium, joint.cable.model, *(module.model if module else "" for module in (joint.lower, joint.upper)))
        for joint in evidence.offers
    ]
    for link, laid, offer in zip(_links(evidence, rows), _laid(evidence, rows), evidence.offer[rows.start : rows.stop].tolist(), strict=True):
        cables = evidence.offers[offer].cables
        cells = (link.rail, link.plane, int(link.kind), *link.low, *link.high, *laid, *parts[offer])
        yield from ((link.label + letter, cells) for letter in ("abcdefgh"[:cables] if cables > 1 else [""]))


def _laid(evidence: Evidence, rows: range) -> Iterator[Row]:
    """Return rack and unit of both ends, and the length, that the cable list must name for some links."""
    if evidence.lengths is None:
        yield from [("",) * 5] * len(rows)
        return
    wiring, lengths, room, of_hosts = evidence.wiring, evidence.lengths, evidence.lengths.room, evidence.plan.request.host_gpus
    here = slice(rows.start, rows.stop)
    low = np.where(evidence.has_host[here], wiring.lower[here] // of_hosts, wiring.lower[here] + room.hosts)
    high = wiring.upper[here] + room.hosts
    way = lengths.ways.way_mm(low, high)
    for (unit, row), length_mm in lengths.measured.items():
        if unit * len(evidence.plan.unit.kind) + row in rows:
            way[unit * len(evidence.plan.unit.kind) + row - rows.start] = length_mm
    if lengths.pieces:
        shared = lengths.pieces.number.ravel()[here] >= 0
        way[shared] = lengths.needed_mm.ravel()[here][shared]
    stock = lengths.stock_mm[lengths.rounded(evidence.offer[here], way)]
    for ends, length in zip(zip(low.tolist(), high.tolist(), strict=True), stock.tolist(), strict=True):
        seats = [(room.names[room.standing.rack[end]], str(room.standing.unit[end])) for end in ends]
        yield (*seats[0], *seats[1], metres(length))


def _cells(view: CableView) -> Row:
    """Return what a row of the cable list says."""
    ends = (view.a_device, view.a_interface, view.b_device, view.b_interface)
    laid = (view.a_rack, view.a_unit, view.b_rack, view.b_unit, view.length_m)
    return (view.rail, view.plane, view.tier, *ends, *laid, view.speed, view.medium, view.part, view.a_transceiver, view.b_transceiver)


def _said(evidence: Evidence, switches: range) -> Iterator[tuple[End, Row]]:
    """Return what the ports in use of some switches must say: far end, cable and address."""
    wiring = evidence.wiring
    upper = (wiring.upper >= switches.start) & (wiring.upper < switches.stop)
    lower = ~evidence.has_host & (wiring.lower >= switches.start) & (wiring.lower < switches.stop)
    for link in _links(evidence, np.flatnonzero(upper | lower)):
        if link.upper in switches:
            yield link.high, (*link.low, link.label, link.address)
        if link.kind != LinkKind.HOST and link.lower in switches:
            yield link.low, (*link.high, link.label, "")


def _configurations(evidence: Evidence, switches: range) -> Iterator[Objections]:
    """Compare the ports in use, and the number of idle ones, of some switches."""
    said: list[tuple[End, Row]] = []
    idle: list[tuple[str, Row]] = []
    for view in views_of(evidence, switches):
        said += (((view.name, port.interface), (port.peer_device, port.peer_interface, port.cable, port.address)) for port in view.ports)
        idle.append((view.name, (len({port.interface for port in view.idle_ports} - {port.interface for port in view.ports}),)))
    yield _compare("configuration", PORT, _said(evidence, switches), said)
    sizes = {role: len(evidence.ports[role]) + len(evidence.idle[role]) for role in evidence.plan.roles}
    used = evidence.links_of
    spare = ((evidence.switches[switch], (sizes[evidence.role(switch)] - int(used[switch]),)) for switch in switches if used[switch])
    yield _compare("list of idle ports", ("count",), spare, idle)


def _compare(output: str, columns: Sequence[str], wanted: Iterable[tuple[Key, Row]], given: Iterable[tuple[Key, Row]]) -> Objections:
    """Object to what an output says twice, leaves out, adds, or says otherwise."""
    want, have, twice = dict(wanted), dict[Key, Row](), []
    for key, row in given:
        if key in have:
            twice.append(key)
        have[key] = row
    wrong = [*twice, *(key for key in want if key not in have), *(key for key in have if key not in want)]
    wrong += [key for key, row in want.items() if have.get(key, row) != row]

    def tell(key: Key) -> Objection:
        what = " ".join(key) if isinstance(key, tuple) else key
        if key in twice:
            return Objection(f"the {output} names {what} twice")
        if key not in have or key not in want:
            row = want.get(key) or have[key]
            return Objection(f"the {output} {'adds' if key in have else 'leaves out'} {what}", (_cells_text(columns, row),))
        cells = zip(columns, have[key], want[key], strict=True)
        return Objection(
            f"the {output} is wrong about {what}", tuple(f"it has {name} {said}, and the plan {planned}" for name, said, planned in cells if said != planned)
        )

    return against(wrong, tell)


def _cells_text(columns: Sequence[str], row: Row) -> str:
    """Write a row with the names of its columns."""
    return ", ".join(f"{name} {cell}" for name, cell in zip(columns, row, strict=True) if cell != "")

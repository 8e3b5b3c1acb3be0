"""The law of outputs: the files for people and for switches describe exactly the judged links.

Reading a row of an output costs microseconds, so only the first and the last segment of a large
fabric are read; the bill is compared for all. Segments are alike, which `wired-as-planned`
has verified by then.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, Violations, violations
from fabricgen.analysis.checks.part_counts import parts_of
from fabricgen.core.terms import LinkKind, speed_text
from fabricgen.planning.addressing import dotted
from fabricgen.planning.cabling.cable_runs import metres
from fabricgen.planning.fabric_links import Wiring

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import BoolArray, IntArray
    from fabricgen.views.switches.view import SwitchView

    Texts = NDArray[np.object_]
    """A column of texts."""

CABLE = (
    "rail", "plane", "tier", "a_device", "a_interface", "b_device", "b_interface",
    "a_rack", "a_unit", "b_rack", "b_unit", "length_m", "speed", "medium",
    "part", "a_transceiver", "b_transceiver",
)  # fmt: skip
PORT = ("peer_device", "peer_interface", "cable", "address")
"""The columns of the cable list, and the fields of a configured port, that are compared."""

READ_LINKS = 50_000
"""Every row of every output is read for up to so many links, in two seconds."""

End = tuple[str, str]
Key = str | End
Row = tuple[str | int, ...]


class Scope(NamedTuple):
    """What is read of the outputs: runs of rows of the wiring, and runs of switches.

    `formula` describes from what the rest follows.
    """

    rows: list[range]
    switches: list[range]
    formula: str


def scope(evidence: Evidence) -> Scope:
    """Choose what to read.

    That is everything; or the first and the last segment; or of these the first rows of each kind
    and the first switches of each role.
    """
    wiring, plan, boxes = evidence.wiring, evidence.plan, evidence.boxes
    total, segments = len(wiring.kind), plan.mapping.segments
    if total <= READ_LINKS:
        return Scope([range(total)], [range(len(evidence.switches))], "")
    ends, each = sorted({0, segments - 1}), total // segments
    where = f"segment{'s' if len(ends) > 1 else ''} {' and '.join(map(str, ends))}"
    if each <= READ_LINKS:
        formula = f"{where} of {segments:,}, which are alike"
        return Scope(
            [range(segment * each, (segment + 1) * each) for segment in ends],
            [range(segment * boxes, (segment + 1) * boxes) for segment in ends],
            formula,
        )
    runs = [run for segment in ends for run in _first_runs(evidence, segment, each)]
    return Scope(
        [rows for rows, _ in runs],
        [switches for _, switches in runs],
        f"the first links and switches of each kind in {where}, which all others are like",
    )


def _first_runs(evidence: Evidence, segment: int, each: int) -> Iterator[tuple[range, range]]:
    """Yield the first links of each kind in block 0 of a segment, and first switches by role.

    `each` is the number of links of a segment.
    """
    kind, own = evidence.wiring.kind[:each], evidence.wiring.block[:each] == 0
    for number, role in zip(evidence.plan.kinds, evidence.plan.roles, strict=True):
        rows = np.flatnonzero(own & (kind == number))[: READ_LINKS // 8]
        boxes = np.flatnonzero((evidence.box_tier == role.tier) & (evidence.box_block <= 0))[
            : READ_LINKS // 8 // len(evidence.ports[role]) + 1
        ]
        first, box = segment * each, segment * evidence.boxes
        yield (
            range(first + int(rows[0]), first + int(rows[-1]) + 1),
            range(box + int(boxes[0]), box + int(boxes[-1]) + 1),
        )


def outputs_agree(evidence: Evidence) -> Verdict:
    """Cable list, switches' views, graph and bill describe the same links."""
    read, total = scope(evidence), len(evidence.wiring.kind)
    per_segment = total // evidence.plan.mapping.segments
    found = []
    every = None if read.formula else _links(evidence, np.arange(total))
    for run in read.rows:
        segment, start = divmod(run.start, per_segment)
        runs = (
            [(segment, start, start + len(run))]
            if read.formula
            else [(each, 0, per_segment) for each in range(evidence.plan.mapping.segments)]
        )
        views = list(chain.from_iterable(evidence.cables(*each) for each in runs))
        given = zip(map(attrgetter("cable"), views), map(attrgetter(*CABLE), views), strict=True)
        found.append(
            _compare(
                "cable list",
                CABLE,
                _cable_rows(
                    evidence, run, every or _links(evidence, np.arange(run.start, run.stop))
                ),
                given,
            )
        )
    for run in read.switches:
        found += _configurations(evidence, run, every or _links(evidence, _rows_at(evidence, run)))
    outputs = "cable list, configurations"
    if every:
        joined = zip(
            every.label.tolist(),
            zip(every.low.tolist(), every.high.tolist(), strict=True),
            strict=True,
        )
        found.append(_compare("graph", ("a_device", "b_device"), joined, evidence.edges().items()))
        outputs += ", graph"
    taken = ((part, (count,)) for part, count in parts_of(evidence).items())
    billed = Counter[str]()
    for line in evidence.bom.lines:
        billed[line.part] += line.quantity
    found.append(
        _compare(
            "bill",
            ("quantity",),
            taken,
            ((part, (count,)) for part, count in billed.items()),
        )
    )
    links = sum(map(len, read.rows))
    figure = f"{outputs} and bill agree on {links:,} links" + (
        f" of {total:,}" if links < total else ""
    )
    return Verdict(figure, tuple(found), read.formula and f"{read.formula}; the bill has all")


def views_of(evidence: Evidence, switches: range) -> Iterator[SwitchView]:
    """Yield the views of a run of switches, segment by segment."""
    boxes = evidence.boxes
    for segment in range(switches.start // boxes, (switches.stop - 1) // boxes + 1):
        first = segment * boxes
        yield from evidence.configs(
            segment,
            range(max(switches.start, first) - first, min(switches.stop, first + boxes) - first),
        )


class _Links(NamedTuple):
    """Links as outputs name them, column by column.

    `address` is the leaf's end of a numbered host link.
    """

    label: Texts
    rail: Texts
    plane: IntArray
    kind: IntArray
    low: Texts
    low_port: Texts
    high: Texts
    high_port: Texts
    lower: IntArray
    upper: IntArray
    address: Texts


def _links(evidence: Evidence, rows: IntArray) -> _Links:
    """Return links of the wiring as outputs name them."""
    plan, wiring, host = (
        evidence.plan,
        Wiring(*(column[rows] for column in evidence.wiring)),
        evidence.has_host[rows],
    )
    fabric, mapping, between = plan.fabric, plan.mapping, ~host
    gpu, port = wiring.lower[host].astype(np.int64), wiring.lower_port[host]
    rails = [
        [
            "" if rail is None else str(rail)
            for rail in (mapping.rail(segment, block) for block in range(mapping.segment_blocks))
        ]
        for segment in range(mapping.segments)
    ]
    rail = np.array(rails, dtype=object)[wiring.segment, wiring.block]
    rail[host] = _texts(map(str, range(fabric.rails)))[gpu % fabric.domain_gpus % fabric.rails]
    low, low_port = np.empty(len(rows), dtype=object), np.empty(len(rows), dtype=object)
    switches = _texts(evidence.switches)
    low[host], low[between] = (
        _texts(evidence.hosts)[gpu // fabric.host_gpus],
        switches[wiring.lower[between]],
    )
    nics = [
        [plan.naming.interface(within, plane) for plane in range(fabric.planes)]
        for within in range(fabric.host_gpus)
    ]
    low_port[host] = np.array(nics, dtype=object)[gpu % fabric.host_gpus, port]
    low_port[between] = _interfaces(evidence, wiring.lower[between], wiring.lower_port[between])
    address = np.full(len(rows), "", dtype=object)
    if plan.addresses.numbered:
        row = (np.cumsum(evidence.has_host) - 1)[rows[host]]
        address[host] = [f"{dotted(nic - 1)}/31" for nic in evidence.addresses.nic[row].tolist()]
    names = zip(
        wiring.segment.tolist(),
        wiring.block.tolist(),
        wiring.kind.tolist(),
        wiring.number.tolist(),
        strict=True,
    )
    width = plan.label_width
    labels = [
        f"{evidence.prefixes[segment, block, kind]}{number:0{width}}"
        for segment, block, kind, number in names
    ]
    planes = np.array([mapping.plane(segment) for segment in range(mapping.segments)])[
        wiring.segment
    ]
    return _Links(
        label=_texts(labels),
        rail=rail,
        plane=planes,
        kind=wiring.kind,
        low=low,
        low_port=low_port,
        high=switches[wiring.upper],
        high_port=_interfaces(evidence, wiring.upper, wiring.upper_port),
        lower=wiring.lower,
        upper=wiring.upper,
        address=address,
    )


def _texts(texts: Iterable[str]) -> Texts:
    """Return texts as a column."""
    return np.array([*texts], dtype=object)


def _interfaces(evidence: Evidence, switch: IntArray, port: IntArray) -> Texts:
    """Return the interface names of switch ports in the NOS of their segment."""
    named, segment, tier = (
        np.empty(len(switch), dtype=object),
        switch // evidence.boxes,
        evidence.tier[switch],
    )
    for role in evidence.plan.roles:
        first: dict[str, int] = {}
        alike = np.array(
            [
                first.setdefault(evidence.plan.port_layouts(each)[role].nos, each)
                for each in range(evidence.plan.mapping.segments)
            ]
        )[segment]
        for each in first.values():
            rows = (tier == role.tier) & (alike == each)
            named[rows] = _texts(evidence.interfaces(each, role))[port[rows]]
    return named


def _rows_at(evidence: Evidence, switches: range) -> IntArray:
    """Return the links that end at some switches."""
    wiring = evidence.wiring
    upper = (wiring.upper >= switches.start) & (wiring.upper < switches.stop)
    lower = ~evidence.has_host & (wiring.lower >= switches.start) & (wiring.lower < switches.stop)
    return np.flatnonzero(upper | lower)


def _cable_rows(evidence: Evidence, rows: range, links: _Links) -> Iterator[tuple[str, Row]]:
    """Yield the rows that the cable list must have for some links.

    A link of several cables has one row for each, with a letter after its label.
    """
    part_cells = [
        (
            speed_text(parts.speed_gbps),
            parts.medium,
            parts.cable.model,
            *(module.model if module else "" for module in (parts.lower, parts.upper)),
        )
        for parts in evidence.candidates
    ]
    candidate = evidence.candidate[rows.start : rows.stop]
    cables = np.array([parts.cables for parts in evidence.candidates])[candidate]
    cells = (
        *links[1:8],
        *_positions(evidence, rows),
        *np.array(part_cells, dtype=object)[candidate].T,
    )
    listed = zip(*(column.tolist() for column in cells), strict=True)
    if not np.any(cables > 1):
        yield from zip(links.label.tolist(), listed, strict=True)
        return
    for label, count, row in zip(links.label.tolist(), cables.tolist(), listed, strict=True):
        yield from ((label + letter, row) for letter in ("abcdefgh"[:count] if count > 1 else [""]))


def _positions(evidence: Evidence, rows: range) -> list[Texts]:
    """Return the columns that the cable list must have for the positions of some links.

    They are rack and rack unit of both ends, and the length.
    """
    if evidence.lengths is None:
        return [np.full(len(rows), "", dtype=object)] * 5
    wiring, lengths, room, of_hosts = (
        evidence.wiring,
        evidence.lengths,
        evidence.lengths.room,
        evidence.plan.fabric.host_gpus,
    )
    here = slice(rows.start, rows.stop)
    low = np.where(
        evidence.has_host[here], wiring.lower[here] // of_hosts, wiring.lower[here] + room.hosts
    )
    high = wiring.upper[here] + room.hosts
    run_mm = lengths.runs.run_mm(low, high)
    for (segment, row), length_mm in lengths.runs.measured.items():
        if segment * len(evidence.plan.segment.kind) + row in rows:
            run_mm[segment * len(evidence.plan.segment.kind) + row - rows.start] = length_mm
    if lengths.pieces and lengths.needed_mm is not None:
        shared = lengths.pieces.number.ravel()[here] >= 0
        run_mm[shared] = lengths.needed_mm.ravel()[here][shared]
    stock = _texts(map(metres, lengths.stock_mm.tolist()))[
        lengths.stock.rounded(evidence.candidate[here], run_mm)
    ]
    racks, rack_units = _texts(room.names), room.positions.rack_unit
    columns = [
        column
        for end in (low, high)
        for column in (racks[room.positions.rack[end]], _texts(map(str, rack_units[end].tolist())))
    ]
    return [*columns, stock]


def _configured(links: _Links, switches: range) -> Iterator[tuple[End, Row]]:
    """Yield the ports that some switches must have in use: far end, cable and address."""
    at = (links.upper >= switches.start) & (links.upper < switches.stop)
    yield from _pairs(
        (links.high, links.high_port), (links.low, links.low_port, links.label, links.address), at
    )
    at = (
        (links.kind != LinkKind.HOST)
        & (links.lower >= switches.start)
        & (links.lower < switches.stop)
    )
    yield from _pairs(
        (links.low, links.low_port), (links.high, links.high_port, links.label, links.address), at
    )


def _pairs(
    keys: Sequence[Texts], cells: Sequence[Texts], at: BoolArray
) -> Iterator[tuple[End, Row]]:
    """Return the rows of some columns by the two columns that name them."""
    key, row = (
        zip(*(column[at].tolist() for column in columns), strict=True) for columns in (keys, cells)
    )
    return zip(key, row, strict=True)


def _configurations(evidence: Evidence, switches: range, links: _Links) -> Iterator[Violations]:
    """Yield the differences in used ports, and in the number of idle ones, of some switches."""
    found: list[tuple[End, Row]] = []
    idle: list[tuple[str, Row]] = []
    interface, cells = attrgetter("interface"), attrgetter(*PORT)
    for view in views_of(evidence, switches):
        used = [*map(interface, view.ports)]
        found += zip(zip(repeat(view.name), used), map(cells, view.ports), strict=True)
        idle.append((view.name, (len({*map(interface, view.idle_ports)}.difference(used)),)))
    yield _compare("configuration", PORT, _configured(links, switches), found)
    sizes = {
        role: len(evidence.ports[role]) + len(evidence.idle[role]) for role in evidence.plan.roles
    }
    used_ports = evidence.links_of
    spare = (
        (evidence.switches[switch], (sizes[evidence.role(switch)] - int(used_ports[switch]),))
        for switch in switches
        if used_ports[switch]
    )
    yield _compare("list of idle ports", ("count",), spare, idle)


def _compare(
    output: str,
    columns: Sequence[str],
    wanted: Iterable[tuple[Key, Row]],
    given: Iterable[tuple[Key, Row]],
) -> Violations:
    """Return what an output lists twice, leaves out, adds, or lists with another value."""
    rows = list(given)
    want, have = dict(wanted), dict(rows)
    if want == have and len(have) == len(rows):
        return violations((), Violation)
    twice = [
        key for key, count in Counter(key for key, _ in rows).items() for _ in range(count - 1)
    ]
    wrong = [
        *twice,
        *(key for key in want if key not in have),
        *(key for key in have if key not in want),
    ]
    wrong += [key for key, row in want.items() if have.get(key, row) != row]

    def describe(key: Key) -> Violation:
        what = " ".join(key) if isinstance(key, tuple) else key
        if key in twice:
            return Violation(f"the {output} lists {what} twice")
        if key not in have or key not in want:
            row = want.get(key) or have[key]
            return Violation(
                f"the {output} {'adds' if key in have else 'leaves out'} {what}",
                (_cells_text(columns, row),),
            )
        cells = zip(columns, have[key], want[key], strict=True)
        return Violation(
            f"the {output} is wrong about {what}",
            tuple(
                f"it has {name} {given}, and the plan {planned}"
                for name, given, planned in cells
                if given != planned
            ),
        )

    return violations(wrong, describe)


def _cells_text(columns: Sequence[str], row: Row) -> str:
    """Return a row with the names of its columns."""
    return ", ".join(
        f"{name} {cell}" for name, cell in zip(columns, row, strict=True) if cell != ""
    )

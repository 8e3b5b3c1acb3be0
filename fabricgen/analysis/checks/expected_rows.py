"""The rows that outputs must have, from the wiring, the names, the addresses and the lengths."""

from __future__ import annotations

from collections import Counter
from ipaddress import ip_interface
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.checks.plan_evidence import evidence_of
from fabricgen.core.terms import LinkKind, Role, speed_text
from fabricgen.planning.addressing import address_text
from fabricgen.planning.cabling.stock_lengths import metres
from fabricgen.planning.fabric_links import Wiring
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import BoolArray, Int32Array, IntArray
    from fabricgen.planning.plan import Plan

    Texts = NDArray[np.object_]
    """A column of texts."""

End = tuple[str, str]
Row = tuple[str | int, ...]


class NamedLinks(NamedTuple):
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


def named_links(evidence: Evidence, rows: IntArray) -> NamedLinks:
    """Return links of the wiring as outputs name them."""
    plan, wiring, host = (
        evidence.plan,
        Wiring._make(column[rows] for column in evidence.wiring),
        evidence.has_host[rows],
    )
    fabric, mapping, between = plan.fabric, plan.mapping, ~host
    gpu, port = wiring.lower[host].astype(np.int64), wiring.lower_port[host]
    rails = [
        ["" if rail is None else str(rail) for rail in mapping.rails(segment)]
        for segment in range(mapping.segments)
    ]
    rail = np.array(rails, dtype=object)[wiring.segment, wiring.block]
    texts = _texts("" if fabric.network else str(number) for number in range(fabric.rails))
    rail[host] = texts[gpu % fabric.domain_gpus % fabric.rails]
    low, low_port = np.empty(len(rows), dtype=object), np.empty(len(rows), dtype=object)
    switches = _texts(evidence.switches)
    low[host], low[between] = (
        _texts(evidence.hosts)[gpu // fabric.host_gpus],
        switches[wiring.lower[between]],
    )
    nics = [
        [plan.naming.interface(within, plane) for plane in range(fabric.planes)]
        for within in range(fabric.interface_count)
    ]
    low_port[host] = np.array(nics, dtype=object)[fabric.interface_index(gpu), port]
    low_port[between] = _interfaces(evidence, wiring.lower[between], wiring.lower_port[between])
    address = np.full(len(rows), "", dtype=object)
    if plan.addresses.numbered:
        address[host] = _leaf_addresses(evidence, rows[host], gpu)
    return NamedLinks(
        label=_labels(evidence, wiring),
        rail=rail,
        plane=mapping.plane(wiring.segment),
        kind=wiring.kind,
        low=low,
        low_port=low_port,
        high=switches[wiring.upper],
        high_port=_interfaces(evidence, wiring.upper, wiring.upper_port),
        lower=wiring.lower,
        upper=wiring.upper,
        address=address,
    )


def _leaf_addresses(evidence: Evidence, rows: IntArray, gpu: IntArray) -> Texts:
    """Return the address of the leaf at each of some host links; members of bonds have none."""
    hosts, network = evidence.plan.addresses.hosts, evidence.plan.fabric.network
    length = evidence.plan.addresses.host_length
    nics = evidence.addresses.nic[(np.cumsum(evidence.has_host) - 1)[rows]]
    first = hosts.origin - 1
    address = _texts(f"{address_text(first + nic)}/{length}" for nic in nics.tolist())
    if network and network.tenants:
        routed = np.array([group.routed for group in network.attached.groups])
        address[~routed[network.attached.group_of(gpu // network.attached.bond)]] = ""
    return address


def _labels(evidence: Evidence, wiring: Wiring) -> Texts:
    """Return the label of each of some links."""
    columns = (wiring.segment, wiring.block, wiring.kind, wiring.number)
    names = zip(*(column.tolist() for column in columns), strict=True)
    prefixes, width = evidence.prefixes, evidence.plan.label_width
    return _texts(
        f"{prefixes[segment, block, kind]}{number:0{width}}"
        for segment, block, kind, number in names
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
    systems = evidence.plan.systems()
    for role in evidence.plan.roles:
        first: dict[str, int] = {}
        alike = np.array([first.setdefault(nos, each) for each, nos in enumerate(systems[role])])[
            segment
        ]
        for each in first.values():
            rows = (tier == role.tier) & (alike == each)
            named[rows] = _texts(evidence.interfaces(each, role))[port[rows]]
    return named


def rows_at(evidence: Evidence, switches: range) -> IntArray:
    """Return the links that end at some switches."""
    wiring = evidence.wiring
    upper = (wiring.upper >= switches.start) & (wiring.upper < switches.stop)
    lower = ~evidence.has_host & (wiring.lower >= switches.start) & (wiring.lower < switches.stop)
    return np.flatnonzero(upper | lower)


def cable_rows(evidence: Evidence, rows: range, links: NamedLinks) -> Iterator[tuple[str, Row]]:
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


def _spare_leaves(evidence: Evidence, rows: range) -> Iterator[Int32Array]:
    """Yield for each spare leaf of a segment its number in the room, by link; -1 without a leaf."""
    plan = evidence.plan
    count = plan.spec.spare.leaves_per_rail if plan.mapping.spare_leaves else 0
    if evidence.lengths is None or not count:
        return
    segment = np.arange(rows.start, rows.stop) // len(plan.segment.kind)
    of_leaf = evidence.wiring.kind[rows.start : rows.stop] <= LinkKind.LEAF_SPINE
    for number in range(count):
        device = evidence.lengths.room.first_equipment + segment * count + number
        yield np.where(of_leaf, device, -1).astype(np.int32)


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
    for spare in _spare_leaves(evidence, rows):
        peer = np.where(evidence.has_host[here], low, high)
        to_spare = np.where(spare >= 0, lengths.runs.run_mm(peer, spare), 0)
        run_mm = np.maximum(run_mm, to_spare).astype(np.int32)
    for (segment, row), length_mm in lengths.runs.measured.items():
        if segment * len(evidence.plan.segment.kind) + row in rows:
            run_mm[segment * len(evidence.plan.segment.kind) + row - rows.start] = length_mm
    if room.site.equal_lengths and lengths.needed_mm is not None:
        run_mm = lengths.needed_mm.ravel()[here]
    elif lengths.pieces and lengths.needed_mm is not None:
        shared = lengths.pieces.number.ravel()[here] >= 0
        run_mm[shared] = lengths.needed_mm.ravel()[here][shared]
    stock = _texts(lengths.stock_m)[lengths.stock.rounded(evidence.candidate[here], run_mm)]
    if evidence.channels is not None:
        channels = evidence.channels
        place = channels.segment * len(evidence.plan.segment.kind) + channels.row - rows.start
        own = (place >= 0) & (place < len(rows))
        stock[place[own]] = _texts(map(metres, channels.length_mm[own].tolist()))
    racks, rack_units = _texts(room.names), room.positions.rack_unit
    columns = [
        column
        for end in (low, high)
        for column in (racks[room.positions.rack[end]], _texts(map(str, rack_units[end].tolist())))
    ]
    return [*columns, stock]


def configured_ports(links: NamedLinks, switches: range) -> Iterator[tuple[End, Row]]:
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


def device_ports(plan: Plan) -> dict[End, Row]:
    """Return the ports that leaves must have for links of other networks: end, cable and address.

    They are those of devices on compute leaves, and uplinks into another network.
    """
    found = dict(_uplinks(plan, plan.above)) if plan.above else {}
    for network in plan.converged.values():
        evidence = evidence_of(network, Views(network))
        every = np.arange(len(evidence.wiring.kind))
        links = named_links(evidence, every)
        cells = links.low, links.low_port, links.label, links.address
        found.update(_pairs((links.high, links.high_port), cells, every >= 0))
        ends = (links.low, links.low_port), (links.high, links.high_port)
        cells = *ends[1], links.label, links.address
        found.update(_pairs(ends[0], cells, links.kind == LinkKind.PEER))
    return found


def _uplinks(plan: Plan, above: Plan) -> Iterator[tuple[End, Row]]:
    """Yield the uplinks of leaves, which have the second address of each link above."""
    evidence = evidence_of(above, Views(above))
    links = named_links(evidence, np.flatnonzero(evidence.has_host))
    own = np.isin(links.low.astype(str), [*plan.switches()])
    links = links._replace(address=_texts(map(_second, links.address.tolist())))
    cells = links.high, links.high_port, links.label, links.address
    return _pairs((links.low, links.low_port), cells, own)


def _second(address: str) -> str:
    """Return the address after another one, with the length of its prefix; nothing without."""
    own = ip_interface(address) if address else None
    return f"{own.ip + 1}/{own.network.prefixlen}" if own else ""


def split_ports(plan: Plan) -> Counter[str]:
    """Return how many ports more leaves have by cages that are split for devices alone."""
    more = Counter[str]()
    if not plan.converged:
        return more
    known = {role: _by_cage(plan, role) for role in plan.roles}
    for shared in filter(None, (own.fabric.shared_leaves for own in plan.converged.values())):
        for leaf, cage, mode in {(at, port.cage, port.breakout) for at, port in shared.taken()}:
            more[shared.names[leaf]] += mode.count - known[shared.role][cage]
    return more


def _by_cage(plan: Plan, role: Role) -> Counter[int]:
    """Count the ports of each cage of a switch, used or idle."""
    used = plan.ports[role]
    every = [*used, *plan.fabric.port_layouts[role].idle(used)]
    return Counter(port.cage for port in every)


def _pairs(
    keys: Sequence[Texts], cells: Sequence[Texts], at: BoolArray
) -> Iterator[tuple[End, Row]]:
    """Return the rows of some columns by the two columns that name them."""
    key, row = (
        zip(*(column[at].tolist() for column in columns), strict=True) for columns in (keys, cells)
    )
    return zip(key, row, strict=True)

"""The neighbor records of many devices merged into one observed cabling.

Owns the rules of evidence. A link is observed if both ends report it, or one does and the other
reports no planned port. Mutual reports come first, planned links before others; of several
neighbours a port keeps the one without contradiction, so that an entry which has not expired yet
does no harm. The rest are unknown devices, unknown ports, neighbours without a name, and
contradictions.
`names_alone` owns neighbours that give a device or a port, and not both. A port of the plan that
sees a device of the plan by an unknown port name is no evidence against any cable of the two.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from fabricgen.lifecycle.audit.names_alone import match_names
from fabricgen.lifecycle.audit.neighbors import CUT, is_factory_name
from fabricgen.lifecycle.audit.observed_cabling import ObservedCabling, UnknownPort

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.lifecycle.audit.neighbors import NeighborRecord, NeighborRecords
    from fabricgen.lifecycle.audit.port_index import PortIndex


def observe_cabling(places: PortIndex, evidence: NeighborRecords) -> ObservedCabling:
    """Return the cabling that the records show."""
    built = ObservedCabling()
    reported_neighbors = built.reported_neighbors = _neighbours(places, evidence, built)
    for name in sorted(evidence.reporters):
        if ours := places.device(name):
            built.reported.update(places.ports_of(ours))
            built.present.add(places.owner(ours))
        elif name not in evidence.unnamed and not is_factory_name(name):
            built.foreign.append(name)
    for pick in (_mutual, _one_sided):
        for one, other in pick(places, reported_neighbors, built):
            built.partner[one], built.partner[other] = other, one
    match_names(places, built)
    built.one_way = sum(
        _is_one_way(one, other, reported_neighbors, built) for one, other in built.partner.items()
    )
    for port in sorted(reported_neighbors):
        if port not in built.partner:
            built.disputed[port] = min(reported_neighbors[port])
    built.nameless -= built.partner.keys()
    for seen in (built.unjudged, built.half_named, built.unnamed):
        for port in built.partner.keys() & seen.keys():
            del seen[port]
    built.unknown = [each for each in built.unknown if each.far not in built.partner]
    built.unclear = {
        frozenset({places.owner(each.device), places.owner(each.peer)}) for each in built.unknown
    }
    taken = built.partner.keys() | built.disputed.keys()
    built.unknown_neighbors = {
        port: name for port, name in sorted(built.unknown_neighbors.items()) if port not in taken
    }
    return built


def _neighbours(
    places: PortIndex, evidence: NeighborRecords, built: ObservedCabling
) -> dict[int, set[int]]:
    """Return the planned neighbours of each planned port.

    Other neighbours of a planned port are kept in `built`.
    """
    reported_neighbors: defaultdict[int, set[int]] = defaultdict(set)
    for record in evidence.records:
        near, far = _ends(places, record)
        if not near[0]:  # more likely a misnamed file than a foreign device, or a nameless one
            _keep_unnamed(places, far[1], evidence.unnamed.get(record.device), built)
            continue
        built.present.update(places.owner(each) for each in (near[0], far[0]) if each)
        if any(0 <= port < places.hidden for _, port in (near, far)):
            continue
        if near[1] >= 0 and far[1] >= 0:
            if near[1] != far[1]:
                reported_neighbors[near[1]].add(far[1])
        elif near[1] >= 0:
            factory = record.peer if not far[0] and is_factory_name(record.peer) else None
            said = evidence.unnamed.get(record.peer, factory)
            _keep_unnamed(places, near[1], said, built)
            if said is None:
                _keep_unplanned(places, record, near[1], far[0], built)
        elif far[0]:
            seen = " ".join([far[0], *record.peer_interfaces[:1]])
            unknown = UnknownPort(near[0], record.interface, far[0], seen, far[1])
            _keep_unknown(places, unknown, built)
    return reported_neighbors


def _ends(places: PortIndex, record: NeighborRecord) -> tuple[tuple[str, int], tuple[str, int]]:
    """Return device and port of both ends; empty and -1 where they are not in the plan."""
    near, far = places.device(record.device), places.device(record.peer) if record.peer else ""
    return (near, places.find(near, (record.interface,)) if near else -1), (
        far,
        places.find(far, record.peer_interfaces) if far else -1,
    )


def _keep_unplanned(
    places: PortIndex, record: NeighborRecord, port: int, device: str, built: ObservedCabling
) -> None:
    """Keep a neighbour of a planned port that is not a planned port itself."""
    peer = places.peers[port]
    words = [
        word.rstrip(CUT)
        for word in record.peer_interfaces
        if not word.isdecimal() and not (device and places.is_cut(device, word))
    ]  # a number alone is the index of an interface, as SNMP counts them
    if not record.peer:
        own = places.find(places.places[peer].device, record.peer_interfaces) if peer >= 0 else -1
        if own >= 0:
            built.by_port[port] = own
        else:
            built.nameless.add(port)
    elif device and not words:
        if peer >= 0:
            built.by_device[port] = places.owner(device)
    elif device:
        near = places.places[port].device
        _keep_unknown(places, UnknownPort(device, words[0], near, places.text(port), port), built)
    elif peer >= 0 and len(places.beginning(record.peer)) > 1:
        built.unnamed[port] = record.peer
    elif peer >= 0:
        shown = record.peer_interfaces[:1] or ("(port unknown)",)
        built.unknown_neighbors[port] = " ".join([record.peer, *shown]).replace(CUT, "")


def _keep_unnamed(places: PortIndex, port: int, said: str | None, built: ObservedCabling) -> None:
    """Keep what a node without a name is called, if it is one, by the planned port that sees it."""
    if said is not None and port >= 0 and places.peers[port] >= 0:
        built.unnamed[port] = said


def _keep_unknown(places: PortIndex, unknown: UnknownPort, built: ObservedCabling) -> None:
    """Keep a port name that the plan lacks, by the port that it reports at the other end."""
    device, name, far = unknown.device, unknown.name, unknown.far
    if places.unnamed(device, far):
        if _belongs(places, device, far):
            built.nameless.add(far)
        elif places.peers[far] >= 0:
            built.unknown_neighbors[far] = f"{device} {name}"
            built.misplaced.add(far)
    elif not places.placeholders(device):
        built.unknown.append(unknown)
    elif far >= 0 and _belongs(places, device, far):
        built.unjudged[far] = name
    elif far >= 0 and places.peers[far] >= 0:
        built.unknown_neighbors[far] = f"{device} {name}"
        built.misplaced.add(far)


def _belongs(places: PortIndex, device: str, port: int) -> bool:
    """Return whether a device is the planned neighbour of a port."""
    peer = places.peers[port]
    return bool(device) and peer >= 0 and places.owner(device) == places.places[peer].device


def _mutual(
    places: PortIndex, reported_neighbors: dict[int, set[int]], built: ObservedCabling
) -> Iterator[tuple[int, int]]:
    """Yield the links that both ends report, planned ones first."""
    pairs = [
        (one, other)
        for one, others in reported_neighbors.items()
        for other in others
        if one < other and one in reported_neighbors.get(other, ())
    ]
    yield from _free(pairs, places, built)


def _one_sided(
    places: PortIndex, reported_neighbors: dict[int, set[int]], built: ObservedCabling
) -> Iterator[tuple[int, int]]:
    """Yield the links that one end reports while the other reports nothing, planned ones first.

    An unplanned link counts only if no other candidate shares one of its ports.
    """
    pairs = []
    for one, others in reported_neighbors.items():
        free = (
            [other for other in others if other not in reported_neighbors]
            if one not in built.partner
            else []
        )
        wanted = [other for other in free if other == places.peers[one]]
        pairs += [(one, other) for other in (wanted or (free if len(free) == 1 else []))]
    claims = Counter(port for pair in pairs for port in pair if places.peers[pair[0]] != pair[1])
    yield from _free(
        [
            pair
            for pair in pairs
            if places.peers[pair[0]] == pair[1] or max(claims[port] for port in pair) == 1
        ],
        places,
        built,
    )


def _free(
    pairs: list[tuple[int, int]], places: PortIndex, built: ObservedCabling
) -> Iterator[tuple[int, int]]:
    """Yield pairs while both of their ports are free, planned links first, then in order."""
    for one, other in sorted(
        pairs, key=lambda pair: (places.peers[pair[0]] != pair[1], min(pair), max(pair))
    ):
        if one not in built.partner and other not in built.partner:
            yield one, other


def _is_one_way(
    one: int, other: int, reported_neighbors: dict[int, set[int]], built: ObservedCabling
) -> bool:
    """Return whether the device of a port reported without the other end of its cable."""
    named = one in built.by_device or one in built.by_port
    return one in built.reported and not named and other not in reported_neighbors.get(one, ())

"""One picture of the cabling out of what many devices hear.

Owns the judgement of evidence. A link is heard at both ends, or at one while the other hears none
of our ports; either counts. What both ends say is believed first, what is planned before what is
not; a port that hears several takes the one that nothing contradicts, so that an entry which has
not aged out yet does no harm. What is left over is a stranger, a neighbour without a name, or a
contradiction.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.lifecycle.audit.neighbors import NeighborRecord, NeighborRecords
    from fabricgen.lifecycle.audit.port_index import PortIndex


@dataclass(slots=True)
class ObservedCabling:
    """The cabling as it is. Ports are the numbers of `PortIndex`."""

    partner: dict[int, int] = field(default_factory=dict)
    """The port at the other end of the cable in a port, both ways."""
    said: dict[int, set[int]] = field(default_factory=dict)
    """The ports that each port hears."""
    one_way: int = 0
    """Links that one end does not hear, though its device reported."""
    strangers: dict[int, str] = field(default_factory=dict)
    """Planned ports that hear a device which is not ours, or a port of ours that no cable of the fabric belongs into."""
    nameless: set[int] = field(default_factory=set)
    """Ports that hear somebody who gives no name, or the right host without a name of its port that the plan knows."""
    disputed: dict[int, int] = field(default_factory=dict)
    """Ports that hear only such a port as hears others itself."""
    reported: set[int] = field(default_factory=set)
    """Ports of devices that reported."""
    present: set[str] = field(default_factory=set)
    """Devices of ours that reported or were heard."""
    foreign: list[str] = field(default_factory=list)
    """Reporters that are not ours."""


def join(places: PortIndex, evidence: NeighborRecords) -> ObservedCabling:
    """Join what was heard into one picture."""
    built = ObservedCabling()
    said = built.said = _said(places, evidence, built)
    for name in sorted(evidence.reporters):
        if ours := places.device(name):
            built.reported.update(places.ports_of(ours))
            built.present.add(places.owner(ours))
        else:
            built.foreign.append(name)
    for pick in (_mutual, _alone):
        for one, other in pick(places, said, built):
            built.partner[one], built.partner[other] = other, one
    built.one_way = sum(
        _hears_nobody(one, other, said, built) for one, other in built.partner.items()
    )
    for port in sorted(said):
        if port not in built.partner:
            built.disputed[port] = min(said[port])
    built.nameless -= built.partner.keys()
    taken = built.partner.keys() | built.disputed.keys()
    built.strangers = {
        port: name for port, name in sorted(built.strangers.items()) if port not in taken
    }
    return built


def _said(
    places: PortIndex, evidence: NeighborRecords, built: ObservedCabling
) -> dict[int, set[int]]:
    """Find both ends of what our devices hear in the plan; what has no place there is kept in `built` where it touches a planned port."""
    said: defaultdict[int, set[int]] = defaultdict(set)
    for heard in evidence.heard:
        near, far = _ends(places, heard)
        if not near[0]:
            continue  # more often a file under a wrong name than a device of others: it would contradict whatever it hears
        built.present.update(places.owner(each) for each in (near[0], far[0]) if each)
        if near[1] >= 0 and far[1] >= 0:
            if near[1] != far[1]:
                said[near[1]].add(far[1])
        elif near[1] >= 0:
            _keep(places, heard, near[1], far[0], built)
    return said


def _ends(places: PortIndex, heard: NeighborRecord) -> tuple[tuple[str, int], tuple[str, int]]:
    """Return the device and the port at both ends, empty and -1 where they are not ours."""
    near, far = places.device(heard.device), places.device(heard.peer) if heard.peer else ""
    return (near, places.find(near, (heard.interface,)) if near else -1), (
        far,
        places.find(far, heard.peer_interfaces) if far else -1,
    )


def _keep(
    places: PortIndex, heard: NeighborRecord, port: int, device: str, built: ObservedCabling
) -> None:
    """Keep what a port of ours hears that is no port of ours."""
    peer = places.peers[port]
    own_host = bool(device) and peer >= 0 and places.owner(device) == places.places[peer].device
    if not heard.peer or (own_host and (places.placeholders or not heard.peer_interfaces)):
        built.nameless.add(port)
    elif peer >= 0:
        built.strangers[port] = (
            " ".join([heard.peer, *heard.peer_interfaces[:1]])
            if heard.peer_interfaces
            else f"{heard.peer} (port not said)"
        )


def _mutual(
    places: PortIndex, said: dict[int, set[int]], built: ObservedCabling
) -> Iterator[tuple[int, int]]:
    """Yield the links that both ends hear, planned ones first."""
    pairs = [
        (one, other)
        for one, others in said.items()
        for other in others
        if one < other and one in said.get(other, ())
    ]
    yield from _free(pairs, places, built)


def _alone(
    places: PortIndex, said: dict[int, set[int]], built: ObservedCabling
) -> Iterator[tuple[int, int]]:
    """Yield the links that one end hears while the other hears nobody, planned ones first.

    Where none is planned and a port has several to choose from, or several choose it, none is
    believed.
    """
    pairs = []
    for one, others in said.items():
        free = [other for other in others if other not in said] if one not in built.partner else []
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
    """Yield pairs of which neither port is taken when its turn comes, planned ones first, then in order."""
    for one, other in sorted(
        pairs, key=lambda pair: (places.peers[pair[0]] != pair[1], min(pair), max(pair))
    ):
        if one not in built.partner and other not in built.partner:
            yield one, other


def _hears_nobody(one: int, other: int, said: dict[int, set[int]], built: ObservedCabling) -> bool:
    """Say whether a port whose device reported does not hear the other end of its cable."""
    return one in built.reported and other not in said.get(one, ())

"""Neighbours that give a device without a port, or a port without a device.

Owns what such a record proves. If it names what the plan has there, the cable is right as far as
the record goes. Otherwise the cable is in a wrong port, and its other end is the port of that
device that nothing else is in: the one that names this device too, else the one that the plan joins
to this device, else the one on the same rail and plane. So hosts that are swapped are found by
their names alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.lifecycle.audit.observed_cabling import ObservedCabling
    from fabricgen.lifecycle.audit.port_index import PortIndex


def match_names(places: PortIndex, built: ObservedCabling) -> None:
    """Add the links that names alone prove, and keep the ports that they confirm."""
    wrong = [port for port in sorted(built.by_device) if not _confirms(places, built, port)]
    for port, named in sorted(built.by_port.items()):
        if not _is_free(built, port):
            continue
        if named == places.peers[port]:
            built.half_named[port] = ""
        elif _is_free(built, named):
            _join(built, port, named)
        else:
            built.nameless.add(port)
    for port in wrong:
        if port in built.partner:
            continue
        other = _other_end(places, built, port)
        if other is not None:
            _join(built, port, other)
        else:
            built.unknown_neighbors[port] = f"{built.by_device[port]} (port unknown)"
            built.misplaced.add(port)


def _confirms(places: PortIndex, built: ObservedCabling, port: int) -> bool:
    """Return whether the device that a port names is no news: planned there, or a link is known."""
    peer, device = places.peers[port], built.by_device[port]
    if not _is_free(built, port):
        return True
    if places.places[peer].device != device:
        return False
    if _alone(places, built, port, peer):
        _join(built, port, peer)
    else:
        built.half_named[port] = device
    return True


def _alone(places: PortIndex, built: ObservedCabling, port: int, peer: int) -> bool:
    """Return whether two devices name each other, and only one cable of each is between them."""
    one, other = places.places[port].device, places.places[peer].device
    return _is_free(built, peer) and [
        [each for each in places.of_device[near] if built.by_device.get(each) == far]
        for near, far in ((one, other), (other, one))
    ] == [[port], [peer]]


def _other_end(places: PortIndex, built: ObservedCabling, port: int) -> int | None:
    """Return the port of the named device in which the other end probably is; None if unknown."""
    planned = places.places[places.peers[port]]
    for own in _candidates(places, built, port):
        alike = [other for other in own if places.places[other].interface == planned.interface]
        if found := alike or (own if len(own) == 1 else []):
            return found[0]
    return None


def _candidates(places: PortIndex, built: ObservedCabling, port: int) -> Iterator[list[int]]:
    """Yield the free ports of the device that a port names, the most probable ones first."""
    near = places.places[port]
    free = [
        other
        for other in places.of_device[built.by_device[port]]
        if places.peers[other] >= 0 and _is_free(built, other) and other not in built.half_named
    ]
    yield [other for other in free if built.by_device.get(other) == near.device]
    free = [other for other in free if places.peers[other] not in built.half_named]
    yield [other for other in free if places.places[places.peers[other]].device == near.device]
    yield [
        other
        for other in free
        if (places.places[other].rail, places.places[other].plane, places.places[other].network)
        == (near.rail, near.plane, near.network)
    ]


def _is_free(built: ObservedCabling, port: int) -> bool:
    """Return whether no record with both names is about a port."""
    return port not in built.partner and port not in built.reported_neighbors


def _join(built: ObservedCabling, one: int, other: int) -> None:
    """Keep a link."""
    built.partner[one], built.partner[other] = other, one

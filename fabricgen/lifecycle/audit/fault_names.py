"""The name of each fault: swapped, shifted by one, exchanged, reversed, crossed.

Owns faults of several miscablings; `single_faults` names one by itself. Miscablings are grouped
into the smallest set of faults that explains them: pairs of devices first, then cages, then single
miscablings. A fault that joins two networks, rails or planes comes first, because it carries
traffic where no rule expects it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.core.terms import COMPUTE
from fabricgen.lifecycle.audit.fault_kinds import FEWEST, MINOR, SEVERITIES
from fabricgen.lifecycle.audit.single_faults import SingleFaults

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.lifecycle.audit.fault_kinds import Kind, Severity
    from fabricgen.lifecycle.audit.fewest_moves import MiscablingGroup
    from fabricgen.lifecycle.audit.observed_cabling import ObservedCabling
    from fabricgen.lifecycle.audit.port_index import PortIndex


@dataclass(frozen=True, slots=True)
class Event:
    """One fault; `unknown_neighbors` are ports with a cable to an unknown device."""

    kind: Kind
    severity: Severity
    sentence: str
    groups: tuple[MiscablingGroup, ...]
    unknown_neighbors: tuple[int, ...] = ()


class FaultNamer:
    """Names the miscablings of one audit."""

    def __init__(
        self, places: PortIndex, built: ObservedCabling, groups: list[MiscablingGroup]
    ) -> None:
        """Keep the miscablings to name."""
        self.places, self.built, self.groups = places, built, groups
        self._left = dict.fromkeys(range(len(groups)))

    def events(self) -> list[Event]:
        """Return the faults, by severity."""
        found = [*self._exchanges(), *self._reversals()]
        found += [self._single(self.groups[index]) for index in self._left]
        return sorted(found, key=lambda event: SEVERITIES.index(event.severity))

    @cached_property
    def _owner(self) -> dict[int, int]:
        """The miscabling of every port with a wrong cable."""
        return {
            port: index
            for index, group in enumerate(self.groups)
            for cable in group.wrong
            for port in cable
        }

    def _take(self, ports: Iterable[int]) -> tuple[MiscablingGroup, ...] | None:
        """Remove and return the miscablings of these ports.

        None where these include other ports, or one of them was removed before.
        """
        own = set(ports)
        indexes = sorted({self._owner[port] for port in own if port in self._owner})
        groups = [self.groups[index] for index in indexes]
        whole = all(own.intersection(cable) for group in groups for cable in group.wrong)
        if not whole or any(index not in self._left for index in indexes):
            return None
        for index in indexes:
            del self._left[index]
        return tuple(groups)

    def _event(self, kind: Kind, sentence: str, groups: tuple[MiscablingGroup, ...]) -> Event:
        """Return a fault; one that crosses a rail or a plane is critical."""
        unknown_neighbors = tuple(
            port
            for group in groups
            for port in group.touched
            if port in self.built.unknown_neighbors
        )
        crossing = self._crossing(groups)
        if crossing is None:
            return Event(
                kind, "minor" if kind in MINOR else "major", sentence, groups, unknown_neighbors
            )
        own: Kind = crossing[0] if kind in ("swapped", "misplugged", "mixed-up", "extra") else kind
        return Event(own, "critical", f"{sentence}; {crossing[1]}", groups, unknown_neighbors)

    def _crossing(self, groups: Iterable[MiscablingGroup]) -> tuple[Kind, str] | None:
        """Return the kind and the text for a wrong cable that joins networks, rails or planes."""
        joined: dict[str, None] = {}
        for one, other in (cable for group in groups for cable in group.wrong):
            networks = {self.places.places[port].network for port in (one, other)} - {""}
            if len(networks) > 1:
                names = " and ".join(sorted(networks))
                return "network-crossed", f"it joins the networks {names}"
            (rails, planes), (other_rails, other_planes) = (
                self.places.scope(one),
                self.places.scope(other),
            )
            if rails and other_rails and not rails & other_rails:
                joined.setdefault("rail", None)
            elif not planes & other_planes:
                joined.setdefault("plane", None)
        if "rail" in joined:
            return "rail-crossed", "it joins rails that must stay apart"
        return ("plane-crossed", "it joins planes that must stay apart") if joined else None

    def _exchanges(self) -> Iterator[Event]:
        """Yield exchanges of two devices, those with the most cables first, and of whole racks."""
        involved = sorted({self.places.places[port].device for port in self._owner})
        partner = {device: self._found_instead(device) for device in involved}
        pairs = [
            (one, other)
            for one, other in partner.items()
            if other and one < other and partner.get(other) == one
        ]
        found: defaultdict[tuple[str, ...], list[tuple[str, str, tuple[MiscablingGroup, ...]]]] = (
            defaultdict(list)
        )
        for one, other in sorted(
            pairs, key=lambda pair: (-len(self.places.of_device[pair[0]]), pair)
        ):
            ports = (
                port
                for device in (one, other)
                for port in self.places.of_device[device]
                if self.places.peers[port] >= 0
            )
            if (taken := self._take(ports)) is not None:
                found[tuple(sorted({self.places.racks[one], self.places.racks[other]}))].append(
                    (one, other, taken)
                )
        for racks, exchanged in found.items():
            devices = {device for one, other, _ in exchanged for device in (one, other)}
            if (
                len(exchanged) >= FEWEST
                and len(racks) == FEWEST
                and all(racks)
                and devices == self._inside(racks)
            ):
                names = " and ".join(racks)
                sentence = (
                    f"racks {names} are in each other's place: "
                    f"{len(devices)} devices and all their cables are exchanged"
                )
                yield self._event(
                    "exchanged",
                    sentence,
                    tuple(group for _, _, taken in exchanged for group in taken),
                )
                continue
            for one, other, taken in exchanged:
                cables = len(taken) * FEWEST
                sentence = (
                    f"{one} and {other} are in each other's place: "
                    f"all {cables} cables of the two are exchanged"
                )
                yield self._event("exchanged", sentence, taken)

    def _inside(self, racks: tuple[str, ...]) -> set[str]:
        """Return the cabled devices of some racks."""
        return {device for device, rack in self.places.racks.items() if rack in racks}

    def _found_instead(self, device: str) -> str:
        """Return the device found at every planned port of this one, if it is always the same."""
        places, found = self.places, set()
        own = [port for port in places.of_device[device] if self._is_judged(port)]
        for port in own:
            seen = self.built.partner.get(places.peers[port], -1)
            if seen < 0 or places.places[seen].interface != places.places[port].interface:
                return ""
            found.add(places.places[seen].device)
        return found.pop() if len(found) == 1 and len(own) >= FEWEST and device not in found else ""

    def _is_judged(self, port: int) -> bool:
        """Return whether a port has a planned link, of compute or of a network that was seen."""
        peer = self.places.peers[port]
        compute = self.places.places[port].network == COMPUTE
        return peer >= 0 and (compute or peer in self.built.partner)

    def _reversals(self) -> Iterator[Event]:
        """Yield cages with their cables in reverse order."""
        places = self.places
        positions = ((places.places[port].device, places.position(port)) for port in self._owner)
        cages = sorted(
            {
                (device, position.cage, position.ports)
                for device, position in positions
                if position.ports > 1
            }
        )
        for device, cage, count in cages:
            own = places.at(device, cage)
            seen = {
                sub: self.built.partner.get(places.peers[port], -1) for sub, port in own.items()
            }
            turned = all(
                self._is_at(port, device, cage, count - 1 - sub) for sub, port in seen.items()
            )
            moved = [sub for sub in own if sub != count - 1 - sub]
            if (
                turned
                and len(moved) >= FEWEST
                and (taken := self._take([*(seen[sub] for sub in moved)])) is not None
            ):
                sentence = (
                    f"{device} cage {cage}: its {count} ports are reversed, "
                    f"{len(moved)} cables are in the wrong order"
                )
                yield self._event("breakout-reversed", sentence, taken)

    def _is_at(self, port: int, device: str, cage: int, sub: int) -> bool:
        """Return whether a port is at this position of this cage."""
        return (
            port >= 0
            and self.places.places[port].device == device
            and self.places.position(port)[1:3] == (cage, sub)
        )

    def _single(self, group: MiscablingGroup) -> Event:
        """Return the fault that one miscabling shows by itself."""
        kind, sentence = SingleFaults(self.places, self.built).name(group)
        return self._event(kind, sentence, (group,))

"""The fault that one miscabling shows by itself: missing, shifted, swapped, misplugged."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.lifecycle.audit.fault_kinds import FEWEST

if TYPE_CHECKING:
    from fabricgen.lifecycle.audit.fault_kinds import Kind
    from fabricgen.lifecycle.audit.fewest_moves import MiscablingGroup
    from fabricgen.lifecycle.audit.observed_cabling import ObservedCabling
    from fabricgen.lifecycle.audit.port_index import PortIndex


@dataclass(frozen=True)
class SingleFaults:
    """Names one miscabling at a time."""

    places: PortIndex
    built: ObservedCabling

    def name(self, group: MiscablingGroup) -> tuple[Kind, str]:
        """Return the kind of fault that one miscabling shows by itself, and its sentence."""
        places, moved = (
            self.places,
            [move for move in group.moves if move.source is not None and move.target is not None],
        )
        if not group.wrong:
            port, unknown = (
                group.moves[0].kept,
                [each for each in group.touched if each in self.built.unknown_neighbors],
            )
            if unknown:
                seen = self.built.unknown_neighbors[unknown[0]]
                why = (
                    f"where {places.text(places.peers[unknown[0]])} belongs"
                    if unknown[0] in self.built.misplaced
                    else "which is not in the plan"
                )
                return "stranger", f"{places.text(unknown[0])} sees {seen}, {why}"
            sentence = (
                f"{places.labels[port]} is not there: {self._link(port)} do not see each other"
            )
            return "missing", sentence
        if not moved:
            ports = " and ".join(map(places.text, group.wrong[0]))
            return "extra", f"a cable between {ports} is not in the plan"
        if shifted := self._shift(group):
            return "shifted", shifted
        where = self._where(group)
        if group.ring and len(moved) == FEWEST:
            return "swapped", f"{where}: the cables {' and '.join(self._labels(group))} are swapped"
        if len(group.wrong) == 1:
            port, target = group.moves[0].source or 0, group.moves[0].target or 0
            sentence = (
                f"{places.labels[target]} is in {places.text(port)} "
                f"and belongs in {places.text(target)}"
            )
            return "misplugged", sentence
        return "mixed-up", f"{where}: {len(moved)} cables are in each other's ports"

    def _link(self, port: int) -> str:
        """Return a planned link as text, the lower end first."""
        return " and ".join(
            self.places.text(each) for each in sorted((port, self.places.peers[port]))
        )

    def _labels(self, group: MiscablingGroup) -> list[str]:
        """Return the labels of the links that the moves make."""
        return sorted(self.places.labels[port] for port in group.made)

    def _where(self, group: MiscablingGroup) -> str:
        """Return the devices on which ends move, as text."""
        ends = (
            port for move in group.moves for port in (move.source, move.target) if port is not None
        )
        devices = sorted({self.places.places[port].device for port in ends})
        return (
            " and ".join(devices)
            if len(devices) <= FEWEST
            else f"{devices[0]} and {len(devices) - 1} other devices"
        )

    def _shift(self, group: MiscablingGroup) -> str:
        """Return the text for a run that is shifted by one; empty where it is not.

        In a ring one cable goes from one end of the run to the other.
        """
        places, steps = self.places, defaultdict[int, list[int]](list)
        moved = [
            (move.source, move.target)
            for move in group.moves
            if move.source is not None and move.target is not None
        ]
        if (
            len({places.places[port].device for pair in moved for port in pair}) != 1
            or len(moved) < FEWEST + group.ring
        ):
            return ""
        for source, target in moved:
            steps[places.position(source).rank - places.position(target).rank].append(target)
        for step in (1, -1):
            if len(steps[step]) == len(moved) - group.ring:
                ranks = sorted((places.position(target).rank, target) for _, target in moved)
                first, last = (places.places[ranks[at][1]].interface for at in (0, -1))
                way = "up" if step > 0 else "down"
                device = places.places[ranks[0][1]].device
                return (
                    f"{device}: the {len(moved)} cables of {first} to {last} "
                    f"are shifted {way} by one port"
                )
        return ""

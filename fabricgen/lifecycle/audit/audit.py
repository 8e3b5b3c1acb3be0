"""The audit: the state of every planned link, the faults, and the repair.

Owns the states and the document. *match*: at least one end reports the planned neighbour. *wrong*:
one end is plugged elsewhere. *missing*: the link is not there, although both ends would be seen;
never that of a BMC or a PDU, which send no records.
*silent*: unknown, because an end has not reported and was never seen, or gives no name. *extra*: a
cable that the plan does not have, on a planned port or between planned devices. A link of two
cables counts once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fabricgen.core.diagnostics import refuse
from fabricgen.core.document import Document
from fabricgen.lifecycle.audit.fault_names import Event, FaultNamer
from fabricgen.lifecycle.audit.fewest_moves import group_miscablings
from fabricgen.lifecycle.audit.finding import AuditFinding
from fabricgen.lifecycle.audit.port_index import PortIndex
from fabricgen.lifecycle.audit.port_names import name_findings
from fabricgen.lifecycle.audit.reconcile import observe_cabling
from fabricgen.lifecycle.audit.unreported import fewest_readings, unreported_devices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.lifecycle.audit.fewest_moves import MiscablingGroup, RepairStep
    from fabricgen.lifecycle.audit.neighbors import NeighborRecords
    from fabricgen.lifecycle.audit.observed_cabling import ObservedCabling
    from fabricgen.lifecycle.audit.unreported import UnreportedDevice
    from fabricgen.planning.plan import Plan

SHOWN = 3
"""Names that a note shows before `and N more`."""

_HIDDEN = "ports of boxes of light send no records, and a host sees another one with each circuit"
_CIRCUITS = "`fabricgen circuits FABRIC --list` lists the GPUs that each configuration joins"


@dataclass(frozen=True)
class Audit(Document):
    """The result of an audit; `silent` and `matched` hold the lower port of each such link."""

    places: PortIndex
    built: ObservedCabling
    matched: list[int]
    silent: list[int]
    groups: list[MiscablingGroup]

    @cached_property
    def events(self) -> list[Event]:
        """The faults, by severity."""
        return FaultNamer(self.places, self.built, self.groups).events()

    @property
    def wrong(self) -> int:
        """The number of links with an end that is plugged elsewhere."""
        return sum(
            move.source is not None and move.target is not None
            for group in self.groups
            for move in group.moves
        )

    @property
    def missing(self) -> int:
        """The number of links that are not there."""
        return sum(move.source is None for group in self.groups for move in group.moves)

    @property
    def extra(self) -> int:
        """The number of cables without a place in the plan, including those to unknown devices."""
        return sum(move.target is None for group in self.groups for move in group.moves) + len(
            self.built.unknown_neighbors
        )

    @property
    def moves(self) -> int:
        """The number of moves that repair the cabling."""
        return sum(len(group.moves) for group in self.groups) + len(self.built.unknown_neighbors)

    @property
    def silent_cables(self) -> list[str]:
        """The labels of the cables that no record is about."""
        return [self.places.labels[port] for port in self.silent]

    @cached_property
    def unreported(self) -> list[UnreportedDevice]:
        """The devices of silent links that did not report."""
        return unreported_devices(self.places, self.built, self.silent)

    @property
    def ok(self) -> bool:
        """Whether nothing contradicts the plan."""
        return not self.findings

    @property
    def failed(self) -> list[str]:
        """The names, as failures, of the links that are wrong or missing."""
        made = (port for group in self.groups for port in group.made)
        return sorted(f"link:{self.places.labels[port]}" for port in made)

    def notes(self) -> Iterator[str]:
        """Yield remarks that are no findings."""
        if self.places.hidden:
            yield f"{_HIDDEN}, so those of rails are not compared; {_CIRCUITS}"
        if self.built.foreign:
            more = "is" if len(self.built.foreign) == 1 else "are"
            yield (
                f"{_named(self.built.foreign)} reported and {more} not in the plan; "
                "a file is named by its device"
            )
        unseen = sorted(
            {self.places.places[port].device for link in self.silent for port in (link, link + 1)}
            - self.built.present
        )
        if unseen:
            yield f"never seen: {_named(unseen)}"
        if readings := [one.place for one in fewest_readings(self.unreported) if one.address]:
            yield f"read the neighbors of {_named(readings)} to verify the silent links"
        for half, text in (
            (True, "ports whose neighbour is the planned device, which does not name its port"),
            (False, "ports whose neighbour names the planned port, and not its device"),
        ):
            if count := sum(bool(name) is half for name in self.built.half_named.values()):
                yield f"{text}: {count}"
        if self.built.nameless:
            count = len(self.built.nameless)
            yield f"ports whose neighbour gives neither a name nor a port of the plan: {count}"
        if self.built.one_way:
            yield f"links that only one of two reporting ends sees: {self.built.one_way}"

    @cached_property
    def findings(self) -> list[AuditFinding]:
        """The faults, by severity, then unknown names, and then the contradictions."""
        return [
            *map(self._finding, self.events),
            *name_findings(self.places, self.built),
            *self._contradictions(),
        ]

    def document(self) -> dict[str, Any]:
        """Return the audit in the keys of `audit --json`."""
        return {
            "links": self.places.link_count,
            "matched": len(self.matched),
            "wrong": self.wrong,
            "missing": self.missing,
            "extra": self.extra,
            "silent": len(self.silent),
            "moves": self.moves,
            "notes": list(self.notes()),
            "silent_cables": self.silent_cables,
            "unreported": [one.document() for one in self.unreported],
        }

    def _finding(self, event: Event) -> AuditFinding:
        """Return a fault as a finding."""
        made = [port for group in event.groups for port in group.made]
        surplus = [cable for group in event.groups if not group.made for cable in group.wrong]
        labels = [self.places.labels[port] for port in made]
        return AuditFinding(
            code=event.kind,
            level=event.severity,
            fact=event.sentence,
            cables=labels,
            expected=[self._planned(port) for port in made],
            found=[
                *map(self._found, made),
                *(" -- ".join(map(self.places.text, cable)) for cable in surplus),
            ],
            fix=list(self._fix(event)),
        )

    def _planned(self, port: int) -> str:
        """Return a planned link as text."""
        return " -- ".join(
            self.places.text(each) for each in sorted((port, self.places.peers[port]))
        )

    def _found(self, port: int) -> str:
        """Return the neighbours of both ports of a planned link as text."""
        return "; ".join(
            f"{self.places.text(each)} -- {self._seen(each)}"
            for each in sorted((port, self.places.peers[port]))
        )

    def _seen(self, port: int) -> str:
        """Return the neighbour of a port as text."""
        partner = self.built.partner.get(port)
        return (
            self.built.unknown_neighbors.get(port, "no neighbour")
            if partner is None
            else self.places.text(partner)
        )

    def _fix(self, event: Event) -> Iterator[str]:
        """Yield the steps that repair a fault."""
        for port in event.unknown_neighbors:
            device, port_text = self.places.places[port].device, self.places.words(port)
            neighbor = self.built.unknown_neighbors[port]
            yield f"{device}: unplug the cable to {neighbor} from {port_text}"
        for group in event.groups:
            for step in group.steps:
                yield self._sentence(step)

    def _sentence(self, step: RepairStep) -> str:
        """Return one step as an instruction for a technician."""
        places, kept = self.places, step.kept
        whose = f"the cable from {places.text(kept)}"
        if step.action == "lay":
            low, high = sorted((kept, places.peers[kept]))
            ends = f"{places.text(low)} to {places.text(high)}"
            return f"install or reseat {places.labels[kept]}: {ends}"
        if step.action == "remove":
            source = places.text(step.source or 0)
            return f"remove the cable between {places.text(kept)} and {source}"
        if step.action == "plug":
            device, target = places.places[step.target or 0].device, places.words(step.target or 0)
            return f"{device}: plug the loose end into {target}; it is {places.labels[kept]}"
        device = places.places[step.source or 0].device
        if step.action == "unplug":
            return (
                f"{device}: unplug {whose} from {places.words(step.source or 0)} and leave it loose"
            )
        there = places.places[step.target or 0].device
        into = (
            places.words(step.target or 0)
            if there == device
            else f"{there} {places.words(step.target or 0)}"
        )
        source = places.words(step.source or 0)
        return f"{device}: move {whose} from {source} to {into}; it is {places.labels[kept]}"

    def _contradictions(self) -> Iterator[AuditFinding]:
        """Yield the ports whose reports contradict each other."""
        for port, other in self.built.disputed.items():
            label, seen = (
                self.places.labels[port],
                sorted(self.built.reported_neighbors.get(other, ())),
            )
            why = (
                f"sees {self.places.text(self.built.partner.get(other, seen[0]))}"
                if seen
                else "is seen by others too"
            )
            yield AuditFinding(
                code="contradiction",
                level="minor",
                fact=f"{self.places.text(port)} sees {self.places.text(other)}, which {why}",
                cables=[label] if label else [],
                expected=[self._planned(port)] if label else [],
                found=[f"{self.places.text(port)} -- {self.places.text(other)}"],
                fix=["collect again after old entries have expired; or two devices have one name"],
            )


def audit(plan: Plan, evidence: NeighborRecords) -> Audit:
    """Compare neighbor records with a plan.

    Raises Refusal `nothing-heard` where no device of the plan reported or was seen, and
    `no-neighbors` where circuits hide all devices from each other.
    """
    if plan.fabric.has_circuits and not plan.networks:
        raise refuse(
            "no-neighbors",
            "neighbor records cannot verify the cables of rails of light",
            path=("rails", "medium"),
            because=(_HIDDEN,),
            hint=f"compare the records by hand: {_CIRCUITS}",
        )
    places = PortIndex(plan)
    built = observe_cabling(places, evidence)
    if not built.present:
        because = (
            f"devices that reported: {len(evidence.reporters)}",
            f"neighbours that they see: {len(evidence.records)}",
        )
        planned = next(plan.switches(), plan.hosts[0])
        seen = (
            f"this one has `{min(evidence.reporters)}`, and the plan has `{planned}`"
            if evidence.reporters
            else "there is none"
        )
        hint = f"a file is named by the device that it comes from: {seen}"
        raise refuse(
            "nothing-heard",
            "none of this evidence is about a device of the plan",
            because=because,
            hint=hint,
        )
    matched, silent, lost = [], [], []
    for low, high in places.links():
        if built.partner.get(low) == high:
            matched.append(low)
        elif low in built.partner or high in built.partner:
            continue
        elif (
            low in built.unknown_neighbors
            or high in built.unknown_neighbors
            or _is_missing(places, built, low, high)
        ):
            lost.append(low)
        else:
            silent.append(low)
    return Audit(places, built, matched, silent, group_miscablings(places, built, lost))


def _is_missing(places: PortIndex, built: ObservedCabling, low: int, high: int) -> bool:
    """Return whether the records rule a link out.

    One end reported, and the device of the other end was seen elsewhere.
    """
    ends = {low, high}
    open_ends = (built.nameless, built.half_named, built.unnamed, built.unjudged, built.disputed)
    if any(not ends.isdisjoint(each) for each in open_ends):
        return False
    if places.is_quiet(low):
        return False
    if frozenset(places.places[port].device for port in ends) in built.unclear:
        return False
    pairs = ((low, high), (high, low))
    return any(
        one in built.reported and places.places[other].device in built.present
        for one, other in pairs
    )


def _named(names: list[str]) -> str:
    """Return the first of many names and the number of the others."""
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")

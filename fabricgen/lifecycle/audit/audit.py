"""The audit: every planned link in one state, what happened, and what to do.

Owns the states and the document. *match*: heard where it is planned, at one end at least. *wrong*:
an end of it is plugged elsewhere. *missing*: not there, and both ends would say so. *silent*:
nobody can say, because an end has not reported and was never heard, or gives no name. *extra*: a
cable that the plan does not have, on a planned port or between our devices. A link of two cables
counts once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fabricgen.core.diagnostics import refuse
from fabricgen.core.document import Document
from fabricgen.lifecycle.audit.fault_names import Event, Namer
from fabricgen.lifecycle.audit.fewest_moves import group_miscablings
from fabricgen.lifecycle.audit.port_index import PortIndex
from fabricgen.lifecycle.audit.reconcile import join

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.lifecycle.audit.fewest_moves import MiscablingGroup, Step
    from fabricgen.lifecycle.audit.neighbors import NeighborRecords
    from fabricgen.lifecycle.audit.reconcile import ObservedCabling
    from fabricgen.planning.plan import Plan

SHOWN = 3
"""Names that a note shows of many."""


@dataclass(frozen=True)
class AuditFinding(Document):
    """What happened to some cables; `expected` and `found` are in the order of `cables`."""

    kind: str
    severity: str
    sentence: str
    cable: str
    cables: list[str]
    expected: list[str]
    found: list[str]
    fix: list[str]


@dataclass(frozen=True)
class Audit(Document):
    """What an audit found. `silent` and `matched` have the lower port of each such link."""

    places: PortIndex
    built: ObservedCabling
    matched: list[int]
    silent: list[int]
    tangles: list[MiscablingGroup]

    @cached_property
    def events(self) -> list[Event]:
        """What happened, the worst first."""
        return Namer(self.places, self.built, self.tangles).events()

    @property
    def wrong(self) -> int:
        """Count the links of which an end is plugged elsewhere."""
        return sum(
            move.source is not None and move.target is not None
            for tangle in self.tangles
            for move in tangle.moves
        )

    @property
    def missing(self) -> int:
        """Count the links that are not there."""
        return sum(move.source is None for tangle in self.tangles for move in tangle.moves)

    @property
    def extra(self) -> int:
        """Count the cables that belong nowhere, strangers' included."""
        return sum(move.target is None for tangle in self.tangles for move in tangle.moves) + len(
            self.built.strangers
        )

    @property
    def moves(self) -> int:
        """Count the moves that make the cabling as planned."""
        return sum(len(tangle.moves) for tangle in self.tangles) + len(self.built.strangers)

    @property
    def ok(self) -> bool:
        """Say whether nothing contradicts the plan."""
        return not self.tangles and not self.built.disputed

    @property
    def dead(self) -> list[str]:
        """Name the planned links that do not carry what they should, as failures: those that are wrong or missing."""
        return sorted(
            f"link:{self.places.labels[port]}" for tangle in self.tangles for port in tangle.made
        )

    def notes(self) -> Iterator[str]:
        """Say what is no finding, yet worth a word."""
        if self.built.foreign:
            yield f"{_named(self.built.foreign)} reported and {'is' if len(self.built.foreign) == 1 else 'are'} not in the plan; a file is named by its device"
        unheard = sorted(
            {self.places.places[port].device for link in self.silent for port in (link, link + 1)}
            - self.built.present
        )
        if unheard:
            yield f"never heard: {_named(unheard)}"
        if self.built.nameless:
            yield f"ports that hear somebody who names neither itself nor a known port: {len(self.built.nameless)}"
        if self.built.one_way:
            yield f"links that one end does not hear, though it reported: {self.built.one_way}"

    @cached_property
    def findings(self) -> list[AuditFinding]:
        """What happened, the worst first, and then the contradictions."""
        return [*map(self._finding, self.events), *self._contradictions()]

    def document(self) -> dict[str, Any]:
        """Return the audit in the keys of `audit --json`."""
        return {
            "links": self.places.planned // 2,
            "matched": len(self.matched),
            "wrong": self.wrong,
            "missing": self.missing,
            "extra": self.extra,
            "silent": len(self.silent),
            "findings": [finding.document() for finding in self.findings],
            "moves": self.moves,
            "notes": list(self.notes()),
            "silent_cables": [self.places.labels[port] for port in self.silent],
            "ok": self.ok,
        }

    def _finding(self, event: Event) -> AuditFinding:
        """Return an event as a finding."""
        made = [port for tangle in event.tangles for port in tangle.made]
        surplus = [cable for tangle in event.tangles if not tangle.made for cable in tangle.wrong]
        labels = [self.places.labels[port] for port in made]
        return AuditFinding(
            kind=event.kind,
            severity=event.severity,
            sentence=event.sentence,
            cable=labels[0] if labels else "",
            cables=labels,
            expected=[self._planned(port) for port in made],
            found=[
                *map(self._found, made),
                *(" -- ".join(map(self.places.text, cable)) for cable in surplus),
            ],
            fix=list(self._fix(event)),
        )

    def _planned(self, port: int) -> str:
        """Write a planned link."""
        return " -- ".join(
            self.places.text(each) for each in sorted((port, self.places.peers[port]))
        )

    def _found(self, port: int) -> str:
        """Write what is at both ports of a planned link."""
        return "; ".join(
            f"{self.places.text(each)} -- {self._seen(each)}"
            for each in sorted((port, self.places.peers[port]))
        )

    def _seen(self, port: int) -> str:
        """Write what a port is cabled to."""
        partner = self.built.partner.get(port)
        return (
            self.built.strangers.get(port, "nobody")
            if partner is None
            else self.places.text(partner)
        )

    def _fix(self, event: Event) -> Iterator[str]:
        """Write what to do, step by step."""
        for port in event.strangers:
            yield f"{self.places.places[port].device}: pull what leads to {self.built.strangers[port]} out of {self.places.words(port)}"
        for tangle in event.tangles:
            for step in tangle.steps:
                yield self._sentence(step)

    def _sentence(self, step: Step) -> str:
        """Write one step for whoever stands there."""
        places, kept = self.places, step.kept
        whose = f"the cable from {places.text(kept)}"
        if step.action == "lay":
            low, high = sorted((kept, places.peers[kept]))
            return f"lay or seat {places.labels[kept]}: {places.text(low)} to {places.text(high)}"
        if step.action == "remove":
            return f"take away the cable between {places.text(kept)} and {places.text(step.source or 0)}"
        if step.action == "plug":
            return f"{places.places[step.target or 0].device}: plug the hanging end into {places.words(step.target or 0)}; it is {places.labels[kept]}"
        device = places.places[step.source or 0].device
        if step.action == "unplug":
            return f"{device}: pull {whose} out of {places.words(step.source or 0)} and let it hang"
        there = places.places[step.target or 0].device
        into = (
            places.words(step.target or 0)
            if there == device
            else f"{there} {places.words(step.target or 0)}"
        )
        return f"{device}: move {whose} from {places.words(step.source or 0)} to {into}; it is {places.labels[kept]}"

    def _contradictions(self) -> Iterator[AuditFinding]:
        """Return what the ends of cables say against each other."""
        for port, other in self.built.disputed.items():
            label, hears = self.places.labels[port], sorted(self.built.said.get(other, ()))
            why = (
                f"hears {self.places.text(self.built.partner.get(other, hears[0]))}"
                if hears
                else "others hear too"
            )
            yield AuditFinding(
                kind="contradiction",
                severity="minor",
                sentence=f"{self.places.text(port)} hears {self.places.text(other)}, which {why}",
                cable=label,
                cables=[label] if label else [],
                expected=[self._planned(port)] if label else [],
                found=[f"{self.places.text(port)} -- {self.places.text(other)}"],
                fix=[
                    "collect again once old entries have aged out; two devices of one name say the same"
                ],
            )


def audit(plan: Plan, evidence: NeighborRecords) -> Audit:
    """Compare what was heard with a plan. Raises Refusal `nothing-heard` where no device of the plan reported or was heard."""
    places = PortIndex(plan)
    built = join(places, evidence)
    if not built.present:
        because = (
            f"devices that reported: {len(evidence.reporters)}",
            f"neighbours that they hear: {len(evidence.heard)}",
        )
        seen = (
            f"this one has `{min(evidence.reporters)}`, and the plan has `{next(plan.switches())}`"
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
            low in built.strangers or high in built.strangers or _is_lost(places, built, low, high)
        ):
            lost.append(low)
        else:
            silent.append(low)
    return Audit(places, built, matched, silent, group_miscablings(places, built, lost))


def _is_lost(places: PortIndex, built: ObservedCabling, low: int, high: int) -> bool:
    """Say whether both ends of a link would say so if it were there: one reported, and the other's device speaks somewhere."""
    if built.nameless.intersection((low, high)) or low in built.disputed or high in built.disputed:
        return False
    pairs = ((low, high), (high, low))
    return any(
        one in built.reported and places.places[other].device in built.present
        for one, other in pairs
    )


def _named(names: list[str]) -> str:
    """Name the first of many."""
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")

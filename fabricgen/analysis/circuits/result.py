"""The circuits of a job in figures: `circuits --json`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.analysis.circuits.reach import CircuitReach, reach
from fabricgen.analysis.circuits.times import change_count, switching_s
from fabricgen.core.document import Document
from fabricgen.core.terms import Role

if TYPE_CHECKING:
    from fabricgen.analysis.circuits.matchings import Pair
    from fabricgen.analysis.circuits.schedule import CircuitPhase, Configuration, Schedule


@dataclass(frozen=True)
class ConfigurationFigures(Document):
    """A configuration: its circuits on all rails, those that differ from the one before, and reach.

    The first one follows the last.
    """

    number: int
    phase: str
    circuits: int
    added: int
    removed: int
    kept: int
    lost_with_box: int
    """The most circuits that the loss of one box takes."""
    reach: CircuitReach


@dataclass(frozen=True)
class PhaseFigures(Document):
    """A phase: its pattern, and how often its configurations are set and circuits change."""

    name: str
    pattern: str
    group: int
    configurations: int
    turns: int
    changes: int
    changing_s: float | None
    reach: CircuitReach


@dataclass(frozen=True)
class BlastRadius(Document):
    """What the loss of one box takes from the job."""

    box: str
    circuits: int
    gpus: int
    domain_bandwidth_pct: float
    """The share of the bandwidth of each HB domain."""


@dataclass(frozen=True)
class CircuitResult(Document):
    """The circuits of a job."""

    gpus: int
    hb_domains: int
    rails: int
    planes: int
    model: str
    moved_by: str
    switching_ms: float | None
    phases: tuple[PhaseFigures, ...]
    configurations: tuple[ConfigurationFigures, ...]
    blast_radius: BlastRadius


def result_of(schedule: Schedule) -> CircuitResult:
    """Return the figures of a schedule."""
    model = schedule.plan.fabric.port_layouts[Role.LEAF].model
    if model.circuits is None:
        raise ValueError("the leaves of this fabric forward packets")
    planes, rails = schedule.plan.fabric.planes, len(schedule.rails)
    found = schedule.configurations
    before = (found[-1:] + found)[: len(found)]
    most = max((len(pairs) for each in found for pairs in each.planes), default=0)
    alone = len(schedule.phases) == 1
    return CircuitResult(
        gpus=schedule.size * rails,
        hb_domains=len(schedule.domains),
        rails=rails,
        planes=planes,
        model=model.model,
        moved_by=model.circuits.moved_by,
        switching_ms=model.circuits.switching_ms,
        phases=tuple(_phase(schedule, phase, alone=alone) for phase in schedule.phases),
        configurations=tuple(
            _configuration(schedule, one, other) for one, other in zip(before, found, strict=True)
        ),
        blast_radius=BlastRadius(
            str(schedule.plan.naming.switches(0)[0]), most, schedule.size, 100 / (rails * planes)
        ),
    )


def _phase(schedule: Schedule, phase: CircuitPhase, *, alone: bool) -> PhaseFigures:
    """Return the figures of a phase."""
    changes, each = change_count(phase, alone=alone), switching_s(schedule)
    return PhaseFigures(
        phase.name,
        phase.pattern,
        phase.group,
        len(phase.configurations),
        phase.turns,
        changes,
        None if each is None and changes else changes * (each or 0.0),
        reach(phase.configurations, len(schedule.domains)),
    )


def _configuration(
    schedule: Schedule, before: Configuration, found: Configuration
) -> ConfigurationFigures:
    """Return the figures of a configuration."""
    rails = len(schedule.rails)
    added = rails * len(_circuits(found) - _circuits(before))
    removed = rails * len(_circuits(before) - _circuits(found))
    circuits = rails * found.circuits
    return ConfigurationFigures(
        found.number,
        found.phase,
        circuits,
        added,
        removed,
        circuits - added,
        max(map(len, found.planes), default=0),
        reach([found], len(schedule.domains)),
    )


def _circuits(found: Configuration) -> set[tuple[int, Pair]]:
    """Return the circuits of a rail, each with its plane."""
    return {(plane, pair) for plane, pairs in enumerate(found.planes) for pair in pairs}

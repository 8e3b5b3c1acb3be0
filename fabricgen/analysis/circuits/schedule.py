"""The configurations of the circuits of a job, phase by phase.

All rails of a job have the same configurations: endpoints are positions in a rail, first by the
place of a GPU among those of its HB domain on the rail, then by HB domain. A phase whose rounds fit
the planes is joined at once; otherwise its rounds follow each other, and every plane has the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.circuits.matchings import PATTERNS
from fabricgen.analysis.workload.equations import best_group, sequence_count
from fabricgen.analysis.workload.experts import exchanges
from fabricgen.analysis.workload.machine import machine_of
from fabricgen.core.arrays import distinct
from fabricgen.core.diagnostics import refuse
from fabricgen.core.divisors import divisors
from fabricgen.core.terms import Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.circuits.matchings import Matching
    from fabricgen.catalog.models.workload import Workload
    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.plan import Plan


class Configuration(NamedTuple):
    """The circuits of a rail at one time: the pairs of positions that each plane joins."""

    phase: str
    number: int
    """From 1, over all phases."""
    planes: tuple[Matching, ...]
    load: float
    """What it takes each time, as a part of the time in which a NIC sends all its bytes."""

    @property
    def circuits(self) -> int:
        """The circuits of a rail, over its planes."""
        return sum(map(len, self.planes))


class CircuitPhase(NamedTuple):
    """A collective of a job: its configurations, and how often they are set in turn."""

    name: str
    pattern: str
    group: int
    """The endpoints that exchange data with each other."""
    configurations: tuple[Configuration, ...]
    turns: int

    @property
    def held(self) -> bool:
        """Whether all its circuits are joined at once."""
        return len(self.configurations) == 1


@dataclass(frozen=True)
class Schedule:
    """The phases of a job, and the GPUs at each position of a rail."""

    plan: Draft
    domains: tuple[int, ...]
    slots: tuple[int, ...]
    """The places on a rail that the job's GPUs of an HB domain have."""
    rails: tuple[int, ...]
    phases: tuple[CircuitPhase, ...]

    @property
    def size(self) -> int:
        """Endpoints of a rail."""
        return len(self.domains) * len(self.slots)

    @cached_property
    def configurations(self) -> tuple[Configuration, ...]:
        """The configurations of all phases, in order."""
        return tuple(each for phase in self.phases for each in phase.configurations)

    def gpus(self, rail: int) -> IntArray:
        """Return the GPU at each position of a rail."""
        coordinates = self.plan.fabric.coordinates
        slot = np.repeat(np.array(self.slots), len(self.domains))
        domain = np.tile(np.array(self.domains), len(self.slots))
        return np.asarray(coordinates.rail_gpu(domain, np.full_like(domain, rail), slot))

    def changes(self) -> Iterator[tuple[Configuration, Configuration]]:
        """Yield each configuration with the next one; the first follows the last."""
        if len(self.configurations) > 1:
            yield from pairwise((*self.configurations, self.configurations[0]))


def make_schedule(
    plan: Draft, gpus: IntArray, pattern: str = "", llm: Workload | None = None, sequences: int = 1
) -> Schedule:
    """Return the configurations of a job.

    With a language model they are those of its parallelism, else those of one collective of all
    its HB domains. `sequences` pass each pipeline in an iteration. Raises Refusal `job-not-aligned`
    or `pipeline-does-not-divide`.
    """
    domains, slots, rails = _aligned(plan, gpus)
    stages = llm.pipeline_stages if llm else 1
    if len(domains) % stages:
        raise _partial_stages(len(domains), stages)
    wide = len(domains) // stages
    planes = plan.fabric.planes
    chosen = pattern or default_pattern(wide, planes)
    asked = [("data", chosen, _runs(len(domains), wide), 1)]
    if llm and llm.moe:
        times = exchanges(llm, sequences)
        asked.insert(0, ("experts", "all-to-all", _runs(len(domains), wide), times))
    if stages > 1:  # each sequence goes on, and its gradients back
        asked.insert(0, ("pipeline", "pipeline", _strides(len(domains), wide), 2 * sequences))
    phases: list[CircuitPhase] = []
    number = 1
    for name, kind, groups, times in asked:
        every = [
            [slot * len(domains) + at for at in group]
            for slot in range(len(slots))
            for group in groups
        ]
        found = _phase(name, kind, every, planes, times, number)
        phases.append(found)
        number += len(found.configurations)
    return Schedule(plan, domains, slots, rails, tuple(phases))


def default_pattern(size: int, planes: int) -> str:
    """Return the pattern of an AllReduce: a ring where its circuits are joined at once.

    >>> default_pattern(8, 1), default_pattern(8, 2), default_pattern(2, 1)
    ('recursive-doubling', 'ring', 'ring')
    """
    return "ring" if len(PATTERNS["ring"].rounds(size)) <= planes else "recursive-doubling"


def _phase(
    name: str, pattern: str, groups: list[list[int]], planes: int, turns: int, first: int
) -> CircuitPhase:
    """Return the configurations of equal groups that exchange data side by side."""
    kind, size = PATTERNS[pattern], len(groups[0])
    rounds = kind.rounds(size)
    joined: list[Matching] = [
        tuple(sorted((group[one], group[other]) for group in groups for one, other in each.pairs))
        for each in rounds
    ]
    if kind.pipelined and len(rounds) <= planes:
        copies = planes // max(len(rounds), 1)
        used = [tuple(joined[plane % len(joined)] for plane in range(planes))] if joined else []
        loads, turns = [max(each.share for each in rounds) * planes / copies] if used else [], 1
    else:
        turns = 2 * (size - 1) if pattern == "ring" else turns
        used = [(each,) * planes for each in joined]
        loads = [each.share / turns for each in rounds]
    found = (
        Configuration(name, first + at, each, load)
        for at, (each, load) in enumerate(zip(used, loads, strict=True))
    )
    return CircuitPhase(name, pattern, size, tuple(found), turns)


def _runs(domains: int, wide: int) -> list[list[int]]:
    """Return the HB domains of each stage."""
    return [list(range(first, first + wide)) for first in range(0, domains, wide)]


def _strides(domains: int, wide: int) -> list[list[int]]:
    """Return the HB domains in the same place of each stage."""
    return [list(range(place, domains, wide)) for place in range(wide)]


def _aligned(
    plan: Draft, gpus: IntArray
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return the HB domains, places and rails of a job that has the same of all.

    Raises Refusal `job-not-aligned`.
    """
    coordinates = plan.fabric.coordinates
    domain, rail = coordinates.domain(gpus), coordinates.rail(gpus)
    slot = coordinates.rail_slot(gpus)
    domains, slots, rails = (distinct(each) for each in (domain, slot, rail))
    whole = len(domains) * len(slots) * len(rails)
    if len(gpus) != whole:
        raise refuse(
            "job-not-aligned",
            "the GPUs of the job are not on the same rails in every HB domain",
            because=(
                f"{len(domains)} HB domains x {len(rails)} rails x {len(slots)} GPUs = {whole}",
                f"the job has {len(gpus)}",
            ),
            hint="name whole HB domains, like `d0-d15`",
        )
    return tuple(domains.tolist()), tuple(slots.tolist()), tuple(rails.tolist())


def _partial_stages(domains: int, stages: int) -> Exception:
    """Refuse pipeline stages that are not whole HB domains of the job."""
    near = max(each for each in divisors(domains) if each <= stages)
    return refuse(
        "pipeline-does-not-divide",
        f"{domains} HB domains cannot be divided among {stages} pipeline stages",
        because=(
            f"{domains} = {domains // stages} x {stages} + {domains % stages}",
            "a stage takes whole HB domains",
        ),
        hint=f"write `pipeline_stages: {near}` into the file of the model",
    )


def working(plan: Draft) -> IntArray:
    """Return the installed GPUs that are not spare."""
    spare = plan.mapping.spare_domains * plan.fabric.domain_gpus
    return np.arange(plan.fabric.gpus - spare, dtype=np.int32)


def schedule_of(plan: Plan, job: str, pattern: str, llm: Workload | None) -> Schedule:
    """Return the schedule of a job by its words; of all GPUs without any.

    Raises Refusal `no-circuits` for leaves that forward packets, and those of `find_job`.
    """
    from fabricgen.analysis.communicator.job_spec import find_job  # noqa: PLC0415 - for jobs by words only

    if not plan.fabric.has_circuits:
        model = plan.fabric.port_layouts[Role.LEAF].model.model
        raise refuse(
            "no-circuits",
            "the rails of this fabric have no circuits",
            path=("rails",),
            because=(f"a leaf is a {model}, which forwards packets",),
            hint="write `rails: {medium: ocs}` or `patch-panel`, and a leaf that joins ports",
        )
    gpus = find_job(plan, job) if job else working(plan)
    return make_schedule(plan, gpus, pattern, llm, _sequences(plan, len(gpus), llm))


def _sequences(plan: Plan, gpus: int, llm: Workload | None) -> int:
    """Return how many sequences pass each pipeline of a job, with the best group of GPUs."""
    if llm is None or llm.pipeline_stages == 1:
        return 1
    machine = replace(machine_of(plan.fabric, plan.catalog), gpus=gpus)
    return sequence_count(llm, machine, best_group(llm, machine))

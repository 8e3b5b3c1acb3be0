"""What the collectives of a job take on circuits: the time to send, and to change circuits.

`matchings` owns the shares that endpoints send, and `workload.equations` the bytes of a model. A
circuit that a configuration shares with the one before stays; boxes change side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from fabricgen.analysis.circuits.schedule import make_schedule, working
from fabricgen.analysis.workload.equations import sequence_count
from fabricgen.analysis.workload.experts import expert_s, pair_bytes
from fabricgen.analysis.workload.rail_load import busiest_link
from fabricgen.core.diagnostics import refuse
from fabricgen.core.document import Document
from fabricgen.core.terms import Role

if TYPE_CHECKING:
    from fabricgen.analysis.circuits.schedule import CircuitPhase, Configuration, Schedule
    from fabricgen.analysis.workload.equations import Times
    from fabricgen.analysis.workload.machine import Machine
    from fabricgen.catalog.models.workload import Workload
    from fabricgen.planning.draft import Draft


@dataclass(frozen=True)
class PhaseTime(Document):
    """The time of a phase in an iteration; None where the time to change circuits is unknown."""

    phase: str
    changes: int
    """How often circuits change, with the change to the first configuration."""
    sending_s: float
    changing_s: float | None

    @property
    def total_s(self) -> float | None:
        """Both together."""
        return None if self.changing_s is None else self.sending_s + self.changing_s


def moved(before: Configuration, after: Configuration) -> bool:
    """Return whether a circuit differs between two configurations."""
    return before.planes != after.planes


def change_count(phase: CircuitPhase, *, alone: bool) -> int:
    """Return how often circuits change in a phase.

    `alone`: no other phase has set other circuits before, so that the last configuration of an
    iteration is the one before the first of the next.
    """
    found = phase.configurations
    within = sum(moved(one, other) for one, other in pairwise(found))
    if not found:
        return 0
    back = moved(found[-1], found[0])
    return phase.turns * within + (phase.turns - 1) * back + (back if alone else 1)


def phase_time(
    phase: CircuitPhase, sent: float, nic_bytes_s: float, switching_s: float | None, *, alone: bool
) -> PhaseTime:
    """Return the time of a phase in which a GPU sends so many bytes."""
    changes = change_count(phase, alone=alone)
    load = phase.turns * sum(each.load for each in phase.configurations)
    changing = 0.0 if not changes else None if switching_s is None else changes * switching_s
    return PhaseTime(phase.name, changes, load * sent / nic_bytes_s, changing)


def switching_s(schedule: Schedule) -> float | None:
    """Return the seconds in which a box changes its circuits; None where no source states them."""
    circuits = schedule.plan.fabric.port_layouts[Role.LEAF].model.circuits
    found = circuits.switching_ms if circuits else None
    return None if found is None else found / 1000


def phase_times(
    schedule: Schedule, llm: Workload, machine: Machine, found: Times
) -> list[PhaseTime]:
    """Return the times of the phases of an iteration."""
    p = llm.pipeline_stages
    wide = len(schedule.domains) // p
    # an AllReduce over n endpoints sends 2 (n - 1)/n of the bytes: the loads have that factor
    whole = found.dp_across_s * machine.nic_bytes_s / (2 * (wide - 1) / wide) if wide > 1 else 0.0
    # in a round of an all-to-all, GPUs carry what their HB domain has for one of the others
    experts = pair_bytes(llm, machine) * wide * machine.domain_gpus
    sent = {
        "data": whole,
        "pipeline": found.pipeline_s * machine.nic_bytes_s,
        "experts": experts,
    }
    alone = len(schedule.phases) == 1
    return [
        phase_time(
            phase, sent.get(phase.name, 0.0), machine.nic_bytes_s, switching_s(schedule),
            alone=alone,
        )
        for phase in schedule.phases
    ]  # fmt: skip


def circuit_times(draft: Draft, llm: Workload, machine: Machine, found: Times) -> Times:
    """Return the parts of an iteration, with the time to change circuits in those that wait for it.

    Experts are joined in rounds, or relay over the circuits of another phase that are held: what is
    faster. Raises Refusal `model-lacks-figure` where circuits change in a time that no source
    states, or by hand.
    """
    sequences = sequence_count(llm, machine, found.n_m)
    schedule = make_schedule(draft, working(draft), llm=llm, sequences=sequences)
    relayed = relayed_s(schedule, llm, machine)
    if relayed is not None:
        rounds = {each.phase: each.total_s for each in phase_times(schedule, llm, machine, found)}
        in_rounds = rounds["experts"]
        if in_rounds is None or relayed < in_rounds:
            schedule = replace(schedule, phases=_without_experts(schedule))
        else:
            relayed = None
    phases = {each.phase: each for each in phase_times(schedule, llm, machine, found)}
    unknown = [each for each in phases.values() if each.total_s is None]
    if unknown:
        raise _unknown(schedule, sum(each.changes for each in unknown))
    totals = {name: each.total_s or 0.0 for name, each in phases.items()}
    across = totals.get("experts", relayed)
    return found._replace(
        dp_across_s=totals.get("data", 0.0),
        pipeline_s=totals.get("pipeline", found.pipeline_s),
        experts_s=expert_s(llm, machine, across) if llm.moe else 0.0,
    )


def relayed_s(schedule: Schedule, llm: Workload, machine: Machine) -> float | None:
    """Return the time of the bytes to experts over circuits that stay joined, by relays.

    None without experts, and where no other phase holds circuits that join each pipeline stage.
    """
    held = [each for each in schedule.phases if each.name == "data" and each.held]
    if llm.moe is None or not held:
        return None
    domains, planes = len(schedule.domains), held[0].configurations[0].planes
    wide = domains // llm.pipeline_stages
    slots = [at // domains for at in range(schedule.size)]
    groups = [slot * domains + at % domains // wide for at, slot in enumerate(slots)]
    pairs = [pair for plane in planes for pair in plane]
    busiest = busiest_link(schedule.size, pairs, groups)
    plane_bytes_s = machine.nic_bytes_s / len(planes)
    return busiest * machine.domain_gpus * pair_bytes(llm, machine) / plane_bytes_s


def _without_experts(schedule: Schedule) -> tuple[CircuitPhase, ...]:
    """Return the phases of a schedule without that of experts."""
    return tuple(each for each in schedule.phases if each.name != "experts")


def _unknown(schedule: Schedule, changes: int) -> Exception:
    """Refuse the time of circuits that change in an unknown time."""
    model = schedule.plan.fabric.port_layouts[Role.LEAF].model
    by_hand = model.circuits is not None and model.circuits.moved_by == "hand"
    return refuse(
        "model-lacks-figure",
        f"the time in which a {model.model} changes circuits is not known",
        path=("switches", "leaf"),
        because=(
            "a person moves its jumpers" if by_hand else "no source of the catalog states it",
            f"circuits change {changes} times in an iteration",
        ),
        hint="give each GPU two ports (`rails: {planes: 2}`), which hold a ring of an even number"
        " of HB domains, or choose a box whose time is known",
    )

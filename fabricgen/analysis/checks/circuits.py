"""The laws of circuits: each port has one at most, they join a job, and light suffices.

They judge fabrics whose leaves join ports two by two. Planning counts by positions in a rail; these
laws follow circuits from port to port. `channels` has the laws of light through panels and trunks.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.checks.law import Law, Verdict, Violation, violations
from fabricgen.analysis.circuits.port_map import PortMap
from fabricgen.analysis.circuits.reach import reach
from fabricgen.core.terms import Role

if TYPE_CHECKING:
    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.analysis.circuits.schedule import Schedule
    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.cabling.compatibility import LinkParts


def circuits_matched(evidence: Evidence) -> Verdict:
    """In every configuration a port has one circuit at most, and both ends are on one box."""
    twice: list[str] = []
    apart: list[str] = []
    count = 0
    ports, rail = PortMap(evidence.plan), evidence.plan.fabric.coordinates.rail
    for schedule in evidence.schedules:
        for found in schedule.configurations:
            every = list(ports.circuits(schedule, found))
            count += len(every)
            ends = Counter(end[:2] for circuit in every for end in circuit)
            where = f"in configuration {found.number} of {found.phase}"
            twice += [f"{box} port {port} {where}" for (box, port), n in ends.items() if n > 1]
            apart += [
                f"{low.gpu} on {low.box} and {high.gpu} on {high.box} {where}"
                for low, high in every
                if low.box != high.box or rail(low.number) != rail(high.number)
            ]
    return Verdict(
        f"{count:,} circuits, each between two ports of one box and one rail",
        (
            violations(twice, lambda at: Violation(f"a port has two circuits: {at}")),
            violations(apart, lambda at: Violation(f"no box joins two ends of a circuit: {at}")),
        ),
    )


def circuits_join(evidence: Evidence) -> Verdict:
    """All HB domains of a job are joined by its circuits, over as many others as stated."""
    found: list[Violation] = []
    most = 0
    for schedule in evidence.schedules:
        stated = reach(schedule.configurations, len(schedule.domains))
        joined, relays = _flooded(evidence, schedule)
        most = max(most, relays)
        if joined < stated.pairs or relays > stated.relays:
            name = ", ".join(phase.pattern for phase in schedule.phases)
            found.append(
                Violation(
                    f"the circuits of {name} join {joined} of {stated.pairs} pairs of HB domains",
                    (f"over {relays} others; {stated.relays} are stated",),
                )
            )
    figure = f"{len(evidence.schedules)} schedules join all HB domains, over {most} others at most"
    return Verdict(figure, (violations(found, lambda fault: fault),))


def _flooded(evidence: Evidence, schedule: Schedule) -> tuple[int, int]:
    """Return the ordered pairs of HB domains that circuits join, and the most others in between.

    A matrix of the domains, multiplied by itself until nothing is new, counts steps.
    """
    names = {domain: at for at, domain in enumerate(schedule.domains)}
    near = np.eye(len(names), dtype=bool)
    ports, domain = PortMap(evidence.plan), evidence.plan.fabric.coordinates.domain
    for found in schedule.configurations:
        for low, high in ports.circuits(schedule, found):
            one, other = (names[domain(end.number)] for end in (low, high))
            near[one, other] = near[other, one] = True
    known, steps = np.eye(len(names), dtype=bool), 0
    while True:
        more = (known.astype(np.float32) @ near.astype(np.float32)) > 0
        if (more == known).all():
            return int(known.sum()) - len(names), max(steps - 1, 0)
        known, steps = more, steps + 1


class _Losses(NamedTuple):
    """The loss of a circuit without its fibre, that of a kilometre, and the budget, in decibels."""

    fixed: Fraction
    per_km: Fraction
    budget: Fraction


def light_passes(evidence: Evidence) -> Verdict:
    """No circuit of a box loses more light than the modules at its ends allow.

    Any two endpoints of a box may be joined, so the two with the longest cables are judged.
    """
    model = evidence.plan.fabric.port_layouts[Role.LEAF].model
    facts = [_losses(evidence, parts) for parts in evidence.candidates]
    unknown = [text for text in facts if isinstance(text, str)]
    if unknown:
        return Verdict(f"not judged: the catalog does not state {unknown[0]}")
    losses = [each for each in facts if isinstance(each, _Losses)]
    worst = _Losses(
        max(each.fixed for each in losses),
        max(each.per_km for each in losses),
        min(each.budget for each in losses),
    )
    boxes, length_mm = _longest_pairs(evidence)
    loss = [worst.fixed + worst.per_km * int(length) / 10**6 for length in length_mm]
    dark = [at for at, each in enumerate(loss) if each > worst.budget]

    def describe(at: int) -> Violation:
        return Violation(
            f"a circuit of {evidence.switch(int(boxes[at]))} loses too much light",
            (
                f"{float(loss[at]):.3f} dB of a budget of {float(worst.budget):g} dB",
                f"{float(worst.fixed):g} dB of it in the {model.model} and at both modules",
            ),
        )

    most = max(loss, default=Fraction(0))
    figure = f"{len(loss):,} boxes; the longest circuit loses {float(most):.3f} dB"
    return Verdict(
        f"{figure} of a budget of {float(worst.budget):g} dB", (violations(dark, describe),)
    )


def _losses(evidence: Evidence, parts: LinkParts) -> _Losses | str:
    """Return the losses of circuits with these parts, or the figure that is not known."""
    model = evidence.plan.fabric.port_layouts[Role.LEAF].model
    box = model.circuits.loss_db if model.circuits else None
    module = parts.lower
    plugs = {each.name: each.loss_db for each in evidence.plan.catalog.connectors()}
    if box is None:
        return f"the loss of {model.model}"
    if module is None or module.budget_db is None:
        return f"the budget of {module.model if module else 'a module'}"
    mated, fibre = plugs.get(module.connector), parts.cable.db_per_km
    if mated is None or fibre is None:
        return f"the loss of {parts.cable.model} and its plugs"
    fixed, per_km, budget = (
        Fraction(str(value)) for value in (box + 2 * mated, fibre, module.budget_db)
    )
    return _Losses(fixed, per_km, budget)


def _longest_pairs(evidence: Evidence) -> tuple[IntArray, IntArray]:
    """Return the boxes with links, and the sum of the two longest cables of each."""
    upper = evidence.wiring.upper
    length = np.zeros(len(upper), dtype=np.int64)
    if evidence.lengths:
        stocks = evidence.lengths.stock_mm[evidence.lengths.stock_at]
        length = stocks.ravel().astype(np.int64)
    # by box and falling length: the first two of each box are its longest
    order = np.lexsort((-length, upper))
    boxes, first, count = np.unique(upper[order], return_index=True, return_counts=True)
    second = np.where(count > 1, length[order][np.minimum(first + 1, len(order) - 1)], 0)
    return boxes, np.asarray(length[order][first] + second)


CIRCUIT_LAWS: tuple[Law[Evidence], ...] = (
    Law(
        "circuits-matched",
        "every port has one circuit at most, on its own rail",
        circuits_matched,
        ("nics-cabled",),
    ),
    Law("circuits-join", "circuits join every job", circuits_join, ("circuits-matched",)),
    Law("light-passes", "no circuit loses too much light", light_passes, ("ports-exist",)),
)
"""The laws of fabrics whose leaves join ports two by two, judged after the others."""

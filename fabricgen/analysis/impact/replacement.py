"""What replaces a failed part: which cables or circuits move to a spare leaf or a spare GPU.

Owns the moves. A spare leaf takes every cable of a failed one, port by port, so its rail has all
its bandwidth again. A spare GPU takes the place of a failed one on its rail: where leaves join
ports, circuits move and cables stay; where they forward packets, nothing moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from fabricgen.analysis.forwarding.failures import find_failures
from fabricgen.bom.priced_bill import make_bom
from fabricgen.core.document import Document
from fabricgen.core.terms import LinkKind, Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.planning.plan import Plan

Moved = Literal["cables", "circuits", "nothing"]


@dataclass(frozen=True)
class Replacement(Document):
    """A failed part, the spare that takes its place, and what moves.

    `spare` is None where none is left.
    """

    failed: str
    spare: str | None
    moved: Moved
    moves: int


def replacements(plan: Plan, names: Iterable[str]) -> tuple[Replacement, ...]:
    """Return what replaces failed parts among spares that are not taken yet.

    Empty where the inventory has no `spare`. Raises Refusal for a name that the plan does not have.
    """
    spare = plan.spec.spare
    if not spare.leaves_per_rail and not spare.gpus_per_rail:
        return ()
    failures = find_failures(plan, names)
    gpus = failures.gpus | {gpu for gpu, _ in failures.ports}
    gpus |= {
        gpu for domain in failures.domains for gpu in plan.fabric.coordinates.domain_range(domain)
    }
    return (*_leaves(plan, failures.switches), *_gpus(plan, gpus))


def _leaves(plan: Plan, switches: Iterable[tuple[int, int]]) -> Iterator[Replacement]:
    """Yield the spare leaf of each failed leaf."""
    left = dict.fromkeys(range(plan.mapping.segments), plan.spec.spare.leaves_per_rail)
    links = plan.segment
    for segment, box in sorted(switches):
        if plan.naming.boxes[box].role is not Role.LEAF:
            continue
        below = (links.upper == box) & (links.kind == LinkKind.HOST)
        above = (links.lower == box) & (links.kind == LinkKind.LEAF_SPINE)
        cables = int(np.count_nonzero(below | above))
        name = str(plan.naming.switches(segment)[box])
        left[segment] -= 1
        taken = plan.spec.spare.leaves_per_rail - 1 - left[segment]
        spare = plan.naming.spare_leaves(segment)[taken] if left[segment] >= 0 else None
        yield Replacement(name, spare, "cables" if spare else "nothing", cables if spare else 0)


def _gpus(plan: Plan, gpus: Iterable[int]) -> Iterator[Replacement]:
    """Yield the spare GPU of each failed GPU: one of its rail, in the last HB domains."""
    coordinates, fabric = plan.fabric.coordinates, plan.fabric
    first = coordinates.domains - plan.mapping.spare_domains
    lost = sorted(gpus)
    free: dict[int, list[int]] = {}
    for domain in range(first, coordinates.domains):
        for gpu in coordinates.domain_range(domain):
            if gpu not in gpus:
                free.setdefault(int(coordinates.rail(gpu)), []).append(gpu)
    for gpu in lost:
        if coordinates.domain(gpu) >= first:  # a spare itself
            continue
        offered = free.get(int(coordinates.rail(gpu)), [])
        taken = coordinates.name(offered.pop(0)) if offered else None
        circuits = fabric.planes if taken and fabric.has_circuits else 0
        yield Replacement(
            coordinates.name(gpu), taken, "circuits" if circuits else "nothing", circuits
        )


def leaves_text(plan: Plan) -> str:
    """Describe the spare leaves and their price."""
    count = plan.mapping.spare_leaves
    if not count:
        return ""
    bom, model = make_bom(plan), plan.fabric.port_layouts[Role.LEAF].model.model
    price = next((line.unit_price for line in bom.lines if line.part == model), None)
    if price is None:
        return f"the price of the {count:,} spare leaves ({model}) is not known"
    return f"the {count:,} spare leaves ({model}) cost {bom.book.currency} {count * price:,.0f}"


def replacement_text(found: Iterable[Replacement]) -> str:
    """Describe the moves, one failed part a line."""
    return "\n".join(map(_line, found))


def _line(each: Replacement) -> str:
    """Describe what replaces one failed part."""
    if each.spare is None:
        return f"no spare is left for {each.failed}"
    if each.moved == "cables":
        return (
            f"{each.spare} replaces {each.failed}: move {each.moves:,} cables, port by port;"
            " the rail then has all its bandwidth"
        )
    if each.moved == "circuits":
        what = "circuit" if each.moves == 1 else f"{each.moves} circuits, one on each plane,"
        return (
            f"{each.spare} replaces {each.failed}: splice it into the {what} of each configuration"
        )
    return f"{each.spare} replaces {each.failed}: the job takes it, and no cable moves"

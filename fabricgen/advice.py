"""What is planned as asked, though a person may want it otherwise.

Owns these notices. They refuse nothing; each says what else there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.cabling.offers import alternatives
from fabricgen.cabling.preference import RULE
from fabricgen.designs import rails_of_a_box
from fabricgen.terms import Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planner import Plan

WASTEFUL = 3
"""So many times the switches that are needed is worth a word."""


def room_guesses(plan: Plan) -> list[str]:
    """Say where racks and lengths are those of a room that nobody described."""
    guessed = plan.lengths is not None and plan.lengths.room.generated
    return ["racks and lengths of cables follow a generated room; describe yours under `site`"] if guessed else []


def advice(plan: Plan) -> list[str]:
    """Notice boxes that stand idle, spines that only divide evenly, cables too long for an assumed room, and a choice of parts, a sentence each."""
    return [*_idle_boxes(plan), *_wasteful_spread(plan), *_long_cables(plan), *_other_parts(plan)]


def _idle_boxes(plan: Plan) -> Iterator[str]:
    """Notice rails that could share their boxes."""
    request, mapping = plan.request, plan.mapping
    if mapping.spans_rails or plan.sizing.tiers > 1:
        return
    best, radix = rails_of_a_box(request), request.fronts[Role.LEAF].radix
    if best > mapping.per_switch:
        used = mapping.per_switch * (request.planned_gpus // request.rails)
        fewer = plan.switch_count(Role.LEAF) * mapping.per_switch // best
        yield f"a leaf uses {used} of its {radix} ports; `rails.per_switch: auto` would put {best} rails on a box and take {fewer} instead"


def _wasteful_spread(plan: Plan) -> Iterator[str]:
    """Notice spines or cores that are there only because they must divide the uplinks."""
    sizing, fronts = plan.sizing, plan.request.fronts
    if plan.spec.spread != "even" or sizing.tiers == 1:
        return
    upper, uplinks, ports, count = (
        (Role.CORE, sizing.spine_up, sizing.pods * sizing.spine_up, sizing.group_cores)
        if sizing.core
        else (Role.SPINE, sizing.leaf_up, sizing.leaf * sizing.leaf_up, sizing.spine)
    )
    fewest = -(-ports // fronts[upper].radix)
    if count >= WASTEFUL * fewest:
        where = " in a core group" if sizing.core else ""
        why = f"{uplinks} uplinks are spread evenly, and nothing smaller that suffices divides {uplinks}"
        hint = "`spread: minimal` takes the fewest, and another `oversubscription` may split rounder"
        yield f"{count} {upper} switches{where} where {fewest} have the ports: {why}; {hint}"


def _long_cables(plan: Plan) -> Iterator[str]:
    """Notice cables that are too long for their parts in a room that nobody described; in a described one they are refused."""
    if plan.lengths and plan.lengths.room.generated:
        for fact, *because in plan.lengths.too_long():
            yield f"in the room that was generated {fact}: {'; '.join(because)}; describe yours under `site`"


def _other_parts(plan: Plan) -> Iterator[str]:
    """Notice parts in whose place others of the catalog fit and reach alike."""
    for taken, others in alternatives(plan.request, plan.catalog, plan.offers):
        names = " or ".join(other.model for other in others)
        yield f"{taken.model} is planned where {names} would fit as well: {RULE}, then the name"

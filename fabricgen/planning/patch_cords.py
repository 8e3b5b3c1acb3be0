"""The patch cords in front of panels that a person moves: `rails.medium: patch-panel`.

A circuit of such a panel is a cord between two of its ports. A panel has a cord for every two of
its endpoints, as many as any configuration takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.cabling.cable_runs import UNIT_UM
from fabricgen.planning.cabling.stock_lengths import USUAL_M, metres, stock_mm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.models.optics import Cable
    from fabricgen.core.arrays import BoolArray, IntArray
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.plan import Plan

WIDTH_MM, BEND_MM = 483, 150
"""The width of a panel (EIA-310), and what a cord takes to leave each of its two ports."""


def cord_of(draft: Draft) -> Cable | None:
    """Return the cable of a cord, that of the panel's links; None where no person moves circuits.

    Light crosses from transmitters to receivers in it as in both cables to the modules.
    """
    circuits = draft.fabric.port_layouts[Role.LEAF].model.circuits
    if circuits is None or circuits.moved_by != "hand":
        return None
    return draft.link_parts[LinkKind.HOST].cable


def cord_length(plan: Plan) -> str:
    """Return the length of a cord that joins any two ports of a panel; empty without a room."""
    cable = cord_of(plan)
    if cable is None or plan.lengths is None:
        return ""
    units = plan.fabric.port_layouts[Role.LEAF].model.rack_units or 0
    run_mm = WIDTH_MM + units * UNIT_UM // 1000 + 2 * BEND_MM
    stated = getattr(plan.lengths.room.site.stock_lengths_m, cable.medium, None)
    table = stock_mm(stated or cable.lengths_m or USUAL_M, run_mm)
    return metres(int(table[np.searchsorted(table, run_mm)]))


def panel_cords(plan: Plan) -> Iterator[tuple[int, str, list[str]]]:
    """Yield each panel with cords: its number among all boxes, its name, and those of its cords."""
    for segment, boxes in enumerate(cords_of_boxes(plan).tolist()):
        names = plan.naming.switches(segment)
        for at, (name, count) in enumerate(zip(names, boxes, strict=True)):
            if count:
                cords = [f"{name}-C{number + 1}" for number in range(count)]
                yield segment * len(names) + at, name, cords


def cords_of_boxes(plan: Plan, selected: BoolArray | None = None) -> IntArray:
    """Return the cords of each box of each segment, of all links or of some of them.

    `selected` are rows of links, counted over all segments; the result has shape (segments, boxes).
    """
    found = np.zeros((plan.mapping.segments, len(plan.naming.boxes)), dtype=np.int64)
    if cord_of(plan) is None:
        return found
    links, every = plan.segment, len(plan.segment.kind)
    for segment in range(len(found)):
        here = links.kind == LinkKind.HOST
        if selected is not None:
            here = here & selected[segment * every : (segment + 1) * every]
        found[segment] = np.bincount(links.upper[here], minlength=found.shape[1]) // 2
    return found

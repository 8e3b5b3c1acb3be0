"""From a room and the links of a fabric to the length and the parts of every cable.

Owns what a reserve changes: then the links of the whole reserve decide, so that growth within it
replaces no part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import LinkKind
from fabricgen.planning.cabling.cable_runs import make_runs
from fabricgen.planning.cabling.length_limits import check_lengths
from fabricgen.planning.cabling.lengths import candidate_set, lengths_within, make_lengths
from fabricgen.planning.measured_lengths import measured_racks
from fabricgen.planning.segment_links import wire_segment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.cabling.assignment import CandidateSet
    from fabricgen.planning.cabling.cages import Cages
    from fabricgen.planning.cabling.lengths import Lengths
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.room.room import Room
    from fabricgen.planning.segment_links import Segment


def measure(
    draft: Draft, room: Room | None, cages: Cages, measured: Mapping[tuple[int, int], int]
) -> Lengths | None:
    """Measure the cables of a fabric and choose their parts; None where nothing is placed.

    `measured` has the runs that the inventory states, by segment and row. Raises Refusal where the
    inventory describes the room, and no part serves a link.
    """
    if room is None:
        return None
    runs = make_runs(room, cages.links, measured, measured_racks(room))
    given = candidate_set(draft.candidates, runs, cages)
    within = draft.spec.reserve and draft.decides
    lengths = _within_reserve(draft, given) if within else make_lengths(given)
    if draft.spec.site:
        check_lengths(lengths, given)
    return lengths


def _within_reserve(draft: Draft, installed: CandidateSet) -> Lengths:
    """Return the lengths of the installed links, with the parts that the whole reserve takes."""
    reserved, rows = reserved_lengths(draft, installed)
    return lengths_within(reserved, rows, installed)


def reserved_lengths(draft: Draft, installed: CandidateSet) -> tuple[Lengths, IntArray]:
    """Return the lengths of the links of the whole reserve, and the rows of the installed ones.

    Raises Refusal.
    """
    whole = wire_segment(draft.mapping, draft.fabric.planned_gpus)
    rows = np.flatnonzero(np.isin(_keys(whole), _keys(installed.runs.links)))
    measured = {
        (segment, int(rows[row])): run_mm
        for (segment, row), run_mm in installed.runs.measured.items()
    }
    runs = installed.runs._replace(links=whole, measured=measured)
    given = candidate_set(draft.candidates, runs, installed.cages._replace(links=whole))
    reserved = make_lengths(given)
    check_lengths(reserved, given)
    return reserved, rows


def _keys(segment: Segment) -> IntArray:
    """Return a number for each link of a segment, which it keeps whatever else is installed."""
    keys: IntArray = (segment.block.astype(np.int64) * (len(LinkKind) + 1) + segment.kind) * (
        int(np.iinfo(np.int32).max) + 1
    ) + segment.number
    return keys

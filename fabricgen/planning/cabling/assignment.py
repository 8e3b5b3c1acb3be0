"""The candidate that each link of a fabric takes, by its run and the cages at its ends.

Owns the step from a fabric to the arrays that `selection` decides on. Where no kind of link has
several candidates, every link takes the first of its kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind
from fabricgen.planning.cabling.link_classes import LinkClass, class_of, classes_of, rows_of
from fabricgen.planning.cabling.selection import PartChoice, assign_parts, first_of, unassignable

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.planning.cabling.cable_runs import CableRuns
    from fabricgen.planning.cabling.cages import Cages
    from fabricgen.planning.cabling.compatibility import End, LinkParts
    from fabricgen.planning.cabling.stock_lengths import StockTables
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.segment_links import Segment


class CandidateSet(NamedTuple):
    """The candidates for the links of a fabric, and what decides among them."""

    candidates: tuple[LinkParts, ...]
    runs: CableRuns
    cages: Cages
    stock: StockTables

    @property
    def classes(self) -> list[LinkClass]:
        """The classes of links, from the hosts up."""
        return classes_of(self.candidates)

    def rows(self, each: LinkClass) -> IntArray:
        """Return the links of a segment that are of a class."""
        return rows_of(each, self.runs.room.naming.mapping, self.runs.links)

    @property
    def segments(self) -> int:
        """The number of segments."""
        return self.runs.room.naming.mapping.segments

    def numbers(self, each: LinkClass) -> list[int]:
        """Return the candidates of a class, by number."""
        return [number for number, joint in enumerate(self.candidates) if class_of(joint) == each]


def decided_by_length(candidates: tuple[LinkParts, ...]) -> bool:
    """Return whether segments may differ in their parts.

    They may where a class of links has several candidates, or a cable serves several segments.
    """
    several = len(candidates) > len(classes_of(candidates))
    return several or any(joint.shared > 1 for joint in candidates)


def first_candidates(
    candidates: tuple[LinkParts, ...], mapping: Mapping, links: Segment
) -> IntArray:
    """Return the first candidate of each link's class; shape (segments, links).

    The rows share one array: segments are alike.
    """
    first = first_of([joint.kind for joint in candidates], links.kind)
    if len(classes_of(candidates)) > len({joint.kind for joint in candidates}):
        for number, joint in reversed(list(enumerate(candidates))):
            first[rows_of(class_of(joint), mapping, links)] = number
    return np.broadcast_to(first, (mapping.segments, len(first)))


def assign_candidates(given: CandidateSet, run_mm: Int32Array) -> IntArray:
    """Choose a candidate for each link by its run; both have shape (segments, links).

    All segments are considered at once, because a cage of a host can hold links of several.
    """
    found = np.empty(run_mm.shape, dtype=np.int8)
    for each in given.classes:
        rows, choice, cages = _choice(given, each)
        runs = run_mm[:, rows].ravel()
        if each.kind is LinkKind.DIRECT:
            # a cage is at the lower end of some of its links, and at the upper end of others
            cages = np.concatenate(cages), np.concatenate(cages[::-1])
            runs = np.tile(runs, 2)
        taken = assign_parts(runs, cages, choice) + given.numbers(each)[0]
        found[:, rows] = taken[: run_mm[:, rows].size].reshape(len(run_mm), -1)
    return found


def has_unassignable(given: CandidateSet, candidate: IntArray, each: LinkClass) -> bool:
    """Return whether a class of links is left with a cable that is one piece at both ends.

    That does not fit where other links share one of its cages.
    """
    numbers = given.numbers(each)
    if not given.cages.paired(given.candidates[numbers[-1]]):
        return False
    rows, choice, cages = _choice(given, each)
    return bool(unassignable(candidate[:, rows].ravel() - numbers[0], cages, choice).any())


def _choice(
    given: CandidateSet, each: LinkClass
) -> tuple[IntArray, PartChoice, tuple[IntArray, IntArray]]:
    """Return the rows of a class of links, its choice, and the cages at both ends.

    The rows of all segments follow each other.
    """
    rows, kind = given.rows(each), each.kind
    candidates = [(number, given.candidates[number]) for number in given.numbers(each)]
    choice = PartChoice(
        [
            given.stock.limit_mm(number, joint.reach_m[0] if joint.reach_m else None)
            for number, joint in candidates
        ],
        [given.cages.paired(joint) for _, joint in candidates],
    )
    return (
        rows,
        choice,
        (_cages(given, "lower", kind, rows), _cages(given, "upper", kind, rows)),
    )


def _cages(given: CandidateSet, end: End, kind: LinkKind, rows: IntArray) -> IntArray:
    """Return the cage at one end of each link of a kind, segment by segment."""
    return np.concatenate(
        [given.cages.at(end, kind, segment, rows) for segment in range(given.segments)]
    )

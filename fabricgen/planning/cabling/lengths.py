"""The length and the parts of every cable: the stock length of its run, and its candidate.

Owns `Lengths`. `cable_runs` computes runs, `assignment` chooses candidates, and `length_limits`
refuses what is too long. A room that is not described leaves one candidate for each kind of link,
so that no order depends on a guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.planning.cabling.assignment import (
    CandidateSet,
    assign_candidates,
    decided_by_length,
    first_candidates,
)
from fabricgen.planning.cabling.pieces import find_pieces
from fabricgen.planning.cabling.stock_lengths import STEP_MM, stock_tables

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.core.terms import LinkKind
    from fabricgen.planning.cabling.cable_runs import CableRuns
    from fabricgen.planning.cabling.cages import Cages
    from fabricgen.planning.cabling.compatibility import LinkParts
    from fabricgen.planning.cabling.pieces import Pieces
    from fabricgen.planning.cabling.stock_lengths import StockTables
    from fabricgen.planning.room.room import Room


class Longest(NamedTuple):
    """The longest cable of a kind: the devices that it joins, and its figures in millimetres.

    Its run and its stock length, its candidate, and whether the run was measured.
    """

    lower: int
    upper: int
    run_mm: int
    stock_mm: int
    candidate: int
    measured: bool


class Lengths(NamedTuple):
    """The length and the parts of every cable of a fabric.

    `candidate`, `stock_at` and `needed_mm` have shape (segments, links). The runs of two million
    cables are not kept: `runs` computes those of a segment each time that they are read.
    """

    runs: CableRuns
    candidates: tuple[LinkParts, ...]
    stock: StockTables
    candidate: IntArray
    """The candidate that each link takes."""
    stock_at: Int32Array
    """The stock length of its cable, as an index in `stock_mm`. A piece is as long as the longest
    of its links needs."""
    pieces: Pieces | None
    """How installed links share cables; None where none does."""
    needed_mm: Int32Array | None
    """Where links share cables, or cables between two racks are equal (`site.equal_lengths`), the
    run that the cable of each link must cover."""
    longest: dict[LinkKind, Longest]
    """The longest cable of each kind in the whole fabric; of equals the first."""
    counted: IntArray
    """How many pieces of each candidate there are of each stock length, where a link takes one;
    shape (candidates, stock lengths)."""

    @property
    def room(self) -> Room:
        """The positions of all devices."""
        return self.runs.room

    @property
    def stock_mm(self) -> Int32Array:
        """Every stock length of any candidate, sorted, in millimetres."""
        return self.stock.every_mm

    @property
    def stock_m(self) -> list[str]:
        """The same in metres, as text."""
        return self.stock.every_m


def candidate_set(candidates: tuple[LinkParts, ...], runs: CableRuns, cages: Cages) -> CandidateSet:
    """Return the candidates with all that decides among them."""
    stated, furthest_mm = runs.room.site.stock_lengths_m, runs.furthest_mm + 2 * STEP_MM
    return CandidateSet(candidates, runs, cages, stock_tables(candidates, stated, furthest_mm))


def make_lengths(given: CandidateSet) -> Lengths:
    """Choose the part and the length of every cable of a fabric."""
    if not decided_by_length(given.candidates):
        mapping, links = given.runs.room.naming.mapping, given.runs.links
        first = first_candidates(given.candidates, mapping, links)
        if not given.runs.room.site.equal_lengths:
            return _with_longest(given, first, None, None)
        equal = _greatest_between_racks(given.runs, first, given.runs.every())
        return _with_longest(given, first, None, equal)
    run_mm = given.runs.every()
    candidate = assign_candidates(given, run_mm)
    pieces = find_pieces(given.cages, given.candidates, candidate)
    needed_mm = None
    if given.runs.room.site.equal_lengths:
        run_mm = needed_mm = _greatest_between_racks(given.runs, candidate, run_mm)
    if pieces is not None:
        needed_mm = pieces.greatest(run_mm)
    return _with_longest(given, candidate, pieces, needed_mm)


def _greatest_between_racks(runs: CableRuns, candidate: IntArray, run_mm: Int32Array) -> Int32Array:
    """Return for each link the greatest run of a link of its candidate between the same racks."""
    rack = runs.room.positions.rack
    ends = [runs.ends(segment, 0, None) for segment in range(len(run_mm))]
    lower, upper = (rack[np.stack(side)].astype(np.int64) for side in zip(*ends, strict=True))
    racks = int(rack.max(initial=0)) + 1
    group = (lower * racks + upper) * (int(candidate.max(initial=0)) + 1) + candidate
    _, number = np.unique(group.ravel(), return_inverse=True)
    most = np.zeros(int(number.max(initial=-1)) + 1, dtype=run_mm.dtype)
    np.maximum.at(most, number, run_mm.ravel())
    greatest: Int32Array = most[number].reshape(run_mm.shape)
    return greatest


def lengths_within(reserved: Lengths, rows: IntArray, given: CandidateSet) -> Lengths:
    """Return the lengths of the links of a reserve that are installed, those at `rows`.

    The whole reserve decides, so that growth changes no installed part.
    """
    candidate = reserved.candidate[:, rows]
    pieces = find_pieces(given.cages, given.candidates, candidate)
    equal = given.runs.room.site.equal_lengths
    if reserved.needed_mm is None or (pieces is None and not equal):
        return _with_longest(given, candidate, None, None)
    return _with_longest(given, candidate, pieces, reserved.needed_mm[:, rows])


def _with_longest(
    given: CandidateSet, candidate: IntArray, pieces: Pieces | None, needed_mm: Int32Array | None
) -> Lengths:
    """Measure all cables once, segment by segment: their stock lengths, and the longest by kind."""
    stocks = len(given.stock.every_mm)
    counted = np.zeros(len(given.candidates) * stocks, dtype=np.int64)
    stock_at = np.empty(candidate.shape, dtype=np.int32)
    kinds = {
        kind: np.flatnonzero(given.runs.links.kind == kind)
        for kind in dict.fromkeys(each.kind for each in given.classes)
    }
    longest: dict[LinkKind, Longest] = {}
    for segment in range(given.segments):
        lower, upper, run_mm = given.runs.of_segment(segment)
        needed = run_mm if needed_mm is None else needed_mm[segment]
        stock = stock_at[segment] = given.stock.rounded(candidate[segment], needed)
        first = slice(None) if pieces is None else pieces.first[segment]
        places = candidate[segment, first].astype(np.int64) * stocks + stock[first]
        counted += np.bincount(places, minlength=len(counted))
        for kind, rows in kinds.items():
            row = int(rows[np.argmax(run_mm[rows])])
            most = int(run_mm[row])
            if kind not in longest or most > longest[kind].run_mm:
                ends = int(lower[row]), int(upper[row])
                ends = given.runs.decisive_ends(segment, row, *ends, most)
                longest[kind] = Longest(
                    *ends,
                    most,
                    int(given.stock.every_mm[stock[row]]),
                    int(candidate[segment, row]),
                    given.runs.is_measured(segment, row, *ends),
                )
    return Lengths(
        runs=given.runs,
        candidates=given.candidates,
        stock=given.stock,
        candidate=candidate,
        stock_at=stock_at,
        pieces=pieces,
        needed_mm=needed_mm,
        longest=longest,
        counted=counted.reshape(-1, stocks),
    )

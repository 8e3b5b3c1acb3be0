"""The length and the parts of every cable: the stock length of its run, and its candidate.

Owns the rounding and, with `selection`, the choice. `cable_runs` computes runs, `candidates` the
parts. A room that is not described leaves one candidate for each kind of link, so that no order
depends on a guess.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.arrays import distinct
from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.planning.cabling.cable_runs import metres
from fabricgen.planning.cabling.pieces import find_pieces
from fabricgen.planning.cabling.selection import PartChoice, assign_parts, first_of, unassignable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.core.terms import LinkKind
    from fabricgen.planning.cabling.cable_runs import CableRuns
    from fabricgen.planning.cabling.cages import Cages
    from fabricgen.planning.cabling.compatibility import End, LinkParts
    from fabricgen.planning.cabling.pieces import Pieces
    from fabricgen.planning.room.room import Room

USUAL_M = (1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 35, 40, 50, 60, 70, 80, 90, 100)
"""Stock lengths of a cable without stated ones: those of the catalog's fibres, up to 100 m."""

STEP_MM = 10_000
"""Beyond the longest stock length fibres are made to order, in steps of 10 m."""


class CableLengths(NamedTuple):
    """Cables of links: the devices at both ends as `Room` numbers them, and what joins them.

    The run in millimetres, the candidate, and the index in `Lengths.stock_mm`.
    """

    lower: Int32Array
    upper: Int32Array
    run_mm: Int32Array
    offer: IntArray
    stock: Int32Array


class Longest(NamedTuple):
    """The longest cable of a kind: the devices that it joins, and its figures in millimetres.

    Its run and its stock length, its candidate, and whether the run was measured.
    """

    lower: int
    upper: int
    run_mm: int
    stock_mm: int
    offer: int
    measured: bool


class ReservedFabric(NamedTuple):
    """A fabric with all that is reserved, and the rows of its links that are installed."""

    lengths: Lengths
    rows: IntArray


@dataclass(frozen=True)
class Lengths:
    """The length and the parts of every cable of a fabric."""

    ways: CableRuns
    offers: tuple[LinkParts, ...]
    cages: Cages
    measured: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """Measured runs, which override computed ones, in millimetres by segment and row."""
    grown: ReservedFabric | None = None
    """With a reserve, the fabric at full size: its links decide, so that growth changes no part."""

    def laid(self, segment: int, start: int = 0, stop: int | None = None) -> CableLengths:
        """Return the cables of one segment, or a run of them, in the order of its links.

        A piece is as long as the longest of its links needs.
        """
        lower, upper = self.ways.ends(segment, start, stop)
        way, offer = self.run_mm(segment, lower, upper, start), self.offer(segment)[start:stop]
        needed = way if self.pieces is None else self.needed_mm[segment, start:stop]
        return CableLengths(lower, upper, way, offer, self.rounded(offer, needed))

    def run_mm(
        self, segment: int, lower: Int32Array, upper: Int32Array, start: int = 0
    ) -> Int32Array:
        """Return the runs of some links of a segment: measured ones, else computed ones."""
        way = self.ways.run_mm(lower, upper)
        for (measured, row), length_mm in self.measured.items():
            if measured == segment and start <= row < start + len(way):
                way[row - start] = length_mm
        return way

    def offer(self, segment: int) -> IntArray:
        """Return which candidate each link of a segment takes."""
        if self.grown:
            return self.grown.lengths.offer(segment)[self.grown.rows]
        return self._settled[segment] if len(self.offers) > len(self._kinds) else self._first

    @cached_property
    def pieces(self) -> Pieces | None:
        """How installed links share cables; None where none does."""
        if all(joint.shared == 1 for joint in self.offers):
            return None
        return find_pieces(
            self.cages,
            self.offers,
            np.stack([self.offer(segment) for segment in range(self.room.naming.mapping.segments)]),
        )

    @cached_property
    def needed_mm(self) -> Int32Array:
        """The run that the cable of each link must cover, a row for each segment.

        With a reserve it covers its reserved links as well.
        """
        if self.grown:
            return self.grown.lengths.needed_mm[:, self.grown.rows]
        return (
            self._every_way_mm if self.pieces is None else self.pieces.greatest(self._every_way_mm)
        )

    @cached_property
    def _every_way_mm(self) -> Int32Array:
        """The run of each link, a row for each segment."""
        segments = range(self.room.naming.mapping.segments)
        return np.stack(
            [self.run_mm(segment, *self.ways.ends(segment, 0, None)) for segment in segments]
        ).astype(np.int32)

    @property
    def room(self) -> Room:
        """The positions of all devices."""
        return self.ways.room

    @cached_property
    def _first(self) -> IntArray:
        """The first candidate of each link's kind."""
        return first_of([joint.kind for joint in self.offers], self.ways.links.kind)

    @cached_property
    def _settled(self) -> IntArray:
        """The candidate of each link, a row for each segment.

        A cage of a host can hold links of several segments.
        """
        way = self._every_way_mm
        found = np.empty(way.shape, dtype=np.int8)
        for kind in self._kinds:
            rows, choice, cages = self._asked(kind)
            found[:, rows] = (
                assign_parts(way[:, rows].ravel(), cages, choice) + self._numbers_of(kind)[0]
            ).reshape(len(way), -1)
        return found

    def _asked(self, kind: LinkKind) -> tuple[IntArray, PartChoice, tuple[IntArray, IntArray]]:
        """Return the rows of a kind of link, its choice, and the cages at both ends.

        The rows of all segments follow each other.
        """
        rows, numbers = np.flatnonzero(self.ways.links.kind == kind), self._numbers_of(kind)
        choice = PartChoice(
            [self._limit_mm(number) for number in numbers],
            [self.cages.paired(self.offers[number]) for number in numbers],
        )
        return rows, choice, (self._cages("lower", kind, rows), self._cages("upper", kind, rows))

    def _cages(self, end: End, kind: LinkKind, rows: IntArray) -> IntArray:
        """Return the cage at one end of each link of a kind, segment by segment."""
        return np.concatenate(
            [
                self.cages.at(end, kind, segment, rows)
                for segment in range(self.room.naming.mapping.segments)
            ]
        )

    @property
    def _kinds(self) -> list[LinkKind]:
        """The kinds of link of the fabric."""
        return list(dict.fromkeys(joint.kind for joint in self.offers))

    def _numbers_of(self, kind: LinkKind) -> list[int]:
        """Return the candidates of a kind, by number."""
        return [number for number, joint in enumerate(self.offers) if joint.kind is kind]

    def rounded(self, offer: IntArray, run_mm: Int32Array) -> Int32Array:
        """Round runs up to stock lengths of their candidates; return the indices in `stock_mm`."""
        stock = np.zeros_like(run_mm)
        for number, table in enumerate(self._tables):
            rows = offer == number
            stock[rows] = self._places[number][np.searchsorted(table, run_mm[rows])]
        return stock

    @cached_property
    def stock_mm(self) -> Int32Array:
        """Every stock length of any candidate, sorted, in millimetres."""
        return distinct(np.concatenate(self._tables))

    @cached_property
    def longest(self) -> dict[LinkKind, Longest]:
        """The longest cable of each kind in the whole fabric; of equals the first."""
        found: dict[LinkKind, Longest] = {}
        kinds = {kind: np.flatnonzero(self.ways.links.kind == kind) for kind in self._kinds}
        for segment in range(self.ways.room.naming.mapping.segments):
            laid = self.laid(segment)
            for kind, rows in kinds.items():
                row = int(rows[np.argmax(laid.run_mm[rows])])
                if kind not in found or laid.run_mm[row] > found[kind].run_mm:
                    stock = int(self.stock_mm[laid.stock[row]])
                    ends = int(laid.lower[row]), int(laid.upper[row])
                    found[kind] = Longest(
                        *ends,
                        int(laid.run_mm[row]),
                        stock,
                        int(laid.offer[row]),
                        (segment, row) in self.measured,
                    )
        return found

    def check(self) -> None:
        """Refuse links that no candidate serves.

        Raises Refusal with a finding for each kind of link: `link-too-long`, or `no-part-for-link`.
        """
        if self.grown:
            self.grown.lengths.check()
        hint = (
            "bring the two ends closer together, with more hosts in a rack or shorter rows, or plan"
            " without lengths: `site: unknown`"
        )
        findings = [
            Finding("link-too-long", fact, ("site",), tuple(because), hint)
            for fact, *because in self.too_long()
        ]
        findings += [self._unpaired(kind) for kind in self._kinds if self._has_misfits(kind)]
        if findings:
            raise Refusal(findings)

    def _has_misfits(self, kind: LinkKind) -> bool:
        """Return whether a kind of link is left with a cable that is one piece at both ends.

        That is a misfit where other links share one of its cages.
        """
        numbers = self._numbers_of(kind)
        if not self.cages.paired(self.offers[numbers[-1]]):
            return False
        rows, choice, cages = self._asked(kind)
        settled = (
            np.concatenate(
                [self.offer(segment)[rows] for segment in range(self.room.naming.mapping.segments)]
            )
            - numbers[0]
        )
        return bool(unassignable(settled, cages, choice).any())

    def _unpaired(self, kind: LinkKind) -> Finding:
        """Return a finding: no candidate serves links that part between the cages of a cable."""
        last, name = self.offers[self._numbers_of(kind)[-1]], kind.key.replace("_", "-")
        because = (
            (
                f"{last.cable.model} is one piece: the {last.shared} links of a cage at one end"
                " must all come out in one cage at the other"
            ),
            (
                f"{name} links of one cage go to several others, and `site.media` leaves nothing"
                " else that is long enough"
            ),
        )
        return Finding(
            "no-part-for-link",
            f"nothing that `site.media` allows serves all {name} links",
            ("site", "media"),
            because,
            f"allow another medium, such as `site.media.{kind.key}: [{last.medium}, mmf]`",
        )

    def too_long(self) -> Iterator[tuple[str, ...]]:
        """Yield a finding for each kind of link with a cable longer than its parts reach."""
        longest = self.longest if any(joint.reach_m for joint in self.offers) else {}
        for kind, found in longest.items():
            reach = self.offers[found.offer].reach_m
            if reach and found.stock_mm > _mm(reach[0]):
                fact = (
                    f"{kind.key.replace('_', '-')} links are up to {metres(found.stock_mm)} m long,"
                    f" and {reach[1]} reaches {metres(_mm(reach[0]))} m"
                )
                measured = (f"`site.measured_m` gives {metres(found.run_mm)} m as measured",)
                because = (
                    measured
                    if found.measured
                    else self.ways.steps(found.lower, found.upper, found.run_mm)
                )
                yield (fact, *because, f"the next stock length is {metres(found.stock_mm)} m")

    def _limit_mm(self, number: int) -> int:
        """Return the longest run of a candidate: its longest stock length within its reach."""
        table, reach = self._tables[number], self.offers[number].reach_m
        within = table if reach is None else table[table <= _mm(reach[0])]
        return int(within[-1]) if len(within) else 0

    @cached_property
    def _tables(self) -> list[Int32Array]:
        """The stock lengths of each candidate.

        The inventory's for the medium, else those of the part, else the usual ones.
        """
        stated, furthest = (
            self.room.site.stock_lengths_m,
            max(self.ways.furthest_mm, *self.measured.values(), 0) + 2 * STEP_MM,
        )
        return [
            stock_mm(
                getattr(stated, joint.medium, None) or joint.cable.lengths_m or USUAL_M, furthest
            )
            for joint in self.offers
        ]

    @cached_property
    def _places(self) -> list[Int32Array]:
        """The indices of each candidate's stock lengths among all."""
        return [np.searchsorted(self.stock_mm, table).astype(np.int32) for table in self._tables]


def _mm(length_m: float) -> int:
    """Convert metres, as in a catalog, into millimetres."""
    return int(Fraction(str(length_m)) * 1000)


def stock_mm(lengths_m: Iterable[object], furthest_mm: int) -> Int32Array:
    """Return stock lengths in millimetres, sorted.

    Beyond them come the steps of cables that are made to order, past `furthest_mm`.

    >>> stock_mm((5, 7.5, 12), 31_000).tolist()
    [5000, 7500, 12000, 20000, 30000, 40000]
    """
    stock = sorted({int(Fraction(str(length)) * 1000) for length in lengths_m})
    first = stock[-1] // STEP_MM + 1
    return np.array(
        [*stock, *range(first * STEP_MM, furthest_mm + STEP_MM, STEP_MM)], dtype=np.int32
    )

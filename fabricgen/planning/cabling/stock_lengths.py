"""The lengths that cables are sold in, and the rounding of a run up to one of them.

Owns the table of each candidate: the inventory's lengths for the medium, else those of the part,
else the usual ones. `cable_runs` computes the runs.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.arrays import distinct

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.inventory.site import StockLengths
    from fabricgen.planning.cabling.compatibility import LinkParts

USUAL_M = (1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 35, 40, 50, 60, 70, 80, 90, 100)
"""Stock lengths of a cable without stated ones: those of the catalog's fibres, up to 100 m."""

STEP_MM = 10_000
"""Beyond the longest stock length fibres are made to order, in steps of 10 m."""


class StockTables(NamedTuple):
    """The stock lengths of each candidate, and all of them as one table; sorted, in millimetres.

    `every_m` is that table in metres, as text.
    """

    of_candidate: tuple[Int32Array, ...]
    every_mm: Int32Array
    every_m: list[str]

    def rounded(self, candidate: IntArray, run_mm: Int32Array) -> Int32Array:
        """Round runs up to stock lengths of their candidates; return the indices in `every_mm`."""
        stock = np.zeros_like(run_mm)
        for number, table in enumerate(self.of_candidate):
            rows = candidate == number
            places = np.searchsorted(self.every_mm, table).astype(np.int32)
            stock[rows] = places[np.searchsorted(table, run_mm[rows])]
        return stock

    def limit_mm(self, number: int, reach_m: float | None) -> int:
        """Return the longest run of a candidate: its longest stock length within a reach."""
        table = self.of_candidate[number]
        within = table if reach_m is None else table[table <= millimetres(reach_m)]
        return int(within[-1]) if len(within) else 0


def stock_tables(
    candidates: Sequence[LinkParts], stated: StockLengths, furthest_mm: int
) -> StockTables:
    """Return the stock lengths of each candidate, past `furthest_mm`."""
    tables = tuple(
        stock_mm(
            getattr(stated, joint.medium, None) or joint.cable.lengths_m or USUAL_M, furthest_mm
        )
        for joint in candidates
    )
    every_mm = distinct(np.concatenate(tables))
    return StockTables(tables, every_mm, [metres(each) for each in every_mm.tolist()])


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


def metres(length_mm: int) -> str:
    """Format a length in metres.

    >>> metres(3000), metres(7500)
    ('3', '7.5')
    """
    whole, rest = divmod(length_mm, 1000)
    return f"{whole}.{rest:03}".rstrip("0") if rest else str(whole)


def millimetres(length_m: float) -> int:
    """Convert metres, as in a catalog, into millimetres."""
    return int(Fraction(str(length_m)) * 1000)

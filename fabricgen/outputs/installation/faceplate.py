"""Faceplate geometry: cage positions, which cables obstruct which cages, and the plugging order.

A cable falls from its cage and runs to the nearer side of the box: it obstructs every cage between
its own column and that side, in its row and the rows below. So a cage is accessible as long as no
cable above it is plugged: each half is plugged from its side inwards, and each column from the
bottom up. The two connectors of one cage do not obstruct each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fabricgen.catalog.models.switch import Switch

WIDEST = 20
"""Cages side by side in a 19-inch rack: 450 mm (EIA-310), 22.58 mm for an OSFP, others less."""


class CagePosition(NamedTuple):
    """The position of a cage: its row from the top and its column from the left, both from 0."""

    row: int
    column: int


@dataclass(frozen=True)
class Faceplate:
    """The cages of a switch in rows and columns, `assumed` where no source states them."""

    cages: int
    rows: int
    by_row: bool
    assumed: bool

    @property
    def columns(self) -> int:
        """The number of columns."""
        return -(-self.cages // self.rows)

    def seat(self, cage: int) -> CagePosition:
        """Return the position of a cage, counted from 1.

        >>> Faceplate(64, rows=4, by_row=False, assumed=True).seat(6)
        CagePosition(row=1, column=1)
        >>> Faceplate(32, rows=2, by_row=True, assumed=False).seat(17)
        CagePosition(row=1, column=0)
        """
        if self.by_row:
            return CagePosition(*divmod(cage - 1, self.columns))
        column, row = divmod(cage - 1, self.rows)
        return CagePosition(row, column)

    def to_left(self, column: int) -> bool:
        """Return whether the cables of a column run to the left; a middle column's do."""
        return 2 * column < self.columns

    def hides(self, plugged: int, cage: int) -> bool:
        """Return whether a cable plugged into one cage obstructs another cage.

        >>> face = Faceplate(8, rows=2, by_row=False, assumed=True)
        >>> [cage for cage in range(1, 9) if face.hides(3, cage)]
        [1, 2, 4]
        >>> [cage for cage in range(1, 9) if face.hides(6, cage)]
        [8]
        """
        (row, column), (other, beside) = self.seat(plugged), self.seat(cage)
        if plugged == cage or other < row or self.to_left(column) != self.to_left(beside):
            return False
        return beside <= column if self.to_left(column) else beside >= column

    def next_to(self, cage: int) -> list[int]:
        """List the cages to be plugged right after this one: the one above, and one further in.

        Cages that must be plugged after those must be plugged after this one as well.
        """
        row, column = self.seat(cage)
        inwards = column + (1 if self.to_left(column) else -1)
        found = [self._at.get(CagePosition(row - 1, column))]
        if 0 <= inwards < self.columns and self.to_left(inwards) == self.to_left(column):
            found.append(self._at.get(CagePosition(row, inwards)))
        return [each for each in found if each]

    @cached_property
    def turns(self) -> dict[int, int]:
        """The plug order of each cage, from 1.

        The left half comes first, from the left inwards, then the right half from the right, each
        column from the bottom.

        >>> list(Faceplate(8, rows=2, by_row=False, assumed=True).turns)
        [2, 1, 4, 3, 8, 7, 6, 5]
        """
        order = sorted(range(1, self.cages + 1), key=self._depth)
        return {cage: turn for turn, cage in enumerate(order, start=1)}

    def turn(self, cage: int) -> int:
        """Return the plug order of a cage; 0 for a service cage, which is beside the others."""
        return self.turns.get(cage, 0)

    @cached_property
    def backwards(self) -> list[tuple[int, list[int]]]:
        """Each cage with those `next_to` it, from the last in plug order to the first.

        So a cage comes after those next to it.

        >>> Faceplate(4, rows=2, by_row=False, assumed=True).backwards
        [(3, []), (4, [3]), (1, []), (2, [1])]
        """
        return [(cage, self.next_to(cage)) for cage in reversed(self.turns)]

    def _depth(self, cage: int) -> tuple[bool, int, int]:
        """Return the sort key of a cage: its half, distance from that side, row from the bottom."""
        row, column = self.seat(cage)
        left = self.to_left(column)
        return not left, column if left else -column, -row

    @cached_property
    def _at(self) -> dict[CagePosition, int]:
        """The cage at each position."""
        return {self.seat(cage): cage for cage in range(1, self.cages + 1)}


def face_of(model: Switch) -> Faceplate:
    """Return the faceplate of a model.

    It is the catalog's, or else as few pairs of rows as the width of a rack allows, numbered down
    the columns. What the catalog marks as unverified counts as assumed too.

    >>> from fabricgen.catalog.catalog import Catalog
    >>> face = face_of(Catalog().switch("q3400"))
    >>> face.rows, face.columns, face.assumed
    (4, 18, True)
    """
    if model.faceplate:
        by_row = model.faceplate.order == "row"
        unverified = "faceplate" in model.unverified
        return Faceplate(model.cages, model.faceplate.rows, by_row, assumed=unverified)
    return Faceplate(model.cages, 2 * -(-model.cages // (2 * WIDEST)), by_row=False, assumed=True)

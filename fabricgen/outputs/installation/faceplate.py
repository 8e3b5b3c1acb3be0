"""The front of a switch as hands meet it: where each cage sits, what hangs in front of it, and in which order its cages are plugged.

Owns the geometry and the law of plugging. A cable falls from its cage and runs to the nearer side
of the box: it hangs in front of every cage between its own column and that side, in its row and the
rows below. So a cage is free as long as none that hangs over it is plugged: each half is plugged
from its side inwards, and each column from the bottom up. The two connectors of one cage hide
nothing of each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fabricgen.catalog.models.switch import Switch

WIDEST = 20
"""Cages that fit side by side between the rails of a 19-inch rack: 450 mm (EIA-310), and an OSFP takes 22.58 mm of them, other cages less."""


class CagePosition(NamedTuple):
    """Where a cage sits: its row from the top and its column from the left, both from 0."""

    row: int
    column: int


@dataclass(frozen=True)
class Faceplate:
    """The cages of a switch in rows and columns. `assumed` tells that the catalog does not know them."""

    cages: int
    rows: int
    by_row: bool
    assumed: bool

    @property
    def columns(self) -> int:
        """How many cages stand side by side."""
        return -(-self.cages // self.rows)

    def seat(self, cage: int) -> CagePosition:
        """Find a cage, counted from 1.

        >>> Faceplate(64, rows=4, by_row=False, assumed=True).seat(6), Faceplate(32, rows=2, by_row=True, assumed=False).seat(17)
        (CagePosition(row=1, column=1), CagePosition(row=1, column=0))
        """
        if self.by_row:
            return CagePosition(*divmod(cage - 1, self.columns))
        column, row = divmod(cage - 1, self.rows)
        return CagePosition(row, column)

    def to_left(self, column: int) -> bool:
        """Say whether the cables of a column run to the left; of an odd number of columns the middle one does."""
        return 2 * column < self.columns

    def hides(self, plugged: int, cage: int) -> bool:
        """Say whether a cable that is plugged into one cage hangs in front of another.

        >>> face = Faceplate(8, rows=2, by_row=False, assumed=True)
        >>> [cage for cage in range(1, 9) if face.hides(3, cage)], [cage for cage in range(1, 9) if face.hides(6, cage)]
        ([1, 2, 4], [8])
        """
        (row, column), (other, beside) = self.seat(plugged), self.seat(cage)
        if plugged == cage or other < row or self.to_left(column) != self.to_left(beside):
            return False
        return beside <= column if self.to_left(column) else beside >= column

    def next_to(self, cage: int) -> list[int]:
        """List the cages that must wait for this one: the one above, and the one further in. What waits for those waits for it as well."""
        row, column = self.seat(cage)
        inwards = column + (1 if self.to_left(column) else -1)
        found = [self._at.get(CagePosition(row - 1, column))]
        if 0 <= inwards < self.columns and self.to_left(inwards) == self.to_left(column):
            found.append(self._at.get(CagePosition(row, inwards)))
        return [each for each in found if each]

    @cached_property
    def turns(self) -> dict[int, int]:
        """The turn of each cage, from 1: the left half from the left inwards, then the right half from the right, each column from the bottom.

        >>> list(Faceplate(8, rows=2, by_row=False, assumed=True).turns)
        [2, 1, 4, 3, 8, 7, 6, 5]
        """
        order = sorted(range(1, self.cages + 1), key=self._depth)
        return {cage: turn for turn, cage in enumerate(order, start=1)}

    def _depth(self, cage: int) -> tuple[bool, int, int]:
        """Sort a cage: its half, how far it is from that side, and its row from the bottom."""
        row, column = self.seat(cage)
        left = self.to_left(column)
        return not left, column if left else -column, -row

    @cached_property
    def _at(self) -> dict[CagePosition, int]:
        """The cage of each seat."""
        return {self.seat(cage): cage for cage in range(1, self.cages + 1)}


def face_of(model: Switch) -> Faceplate:
    """Return the front of a model: what the catalog says, else pairs of rows as few as the width of a rack allows, numbered down the columns.

    >>> from fabricgen.catalog.catalog import Catalog
    >>> face = face_of(Catalog().switch("q3400"))
    >>> face.rows, face.columns, face.assumed
    (4, 18, True)
    """
    if model.faceplate:
        return Faceplate(
            model.cages, model.faceplate.rows, model.faceplate.order == "row", assumed=False
        )
    return Faceplate(model.cages, 2 * -(-model.cages // (2 * WIDEST)), by_row=False, assumed=True)

"""Which links share one piece of cable, over the whole fabric.

Owns `Pieces`. A piece has one near connector and a connector for each leg; links that share a
connector share its label, which is that of the first of them in the order of the cable list.
`cages` owns which links share a cage, and `selection` which candidate each link takes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from fabricgen.core.arrays import BoolArray, Int32Array, IntArray
    from fabricgen.planning.cabling.cages import Cages
    from fabricgen.planning.cabling.compatibility import LinkParts


class Pieces(NamedTuple):
    """What links share, as arrays of a row for each segment and a column for each of its links."""

    number: IntArray
    """The piece of each link, counted from 0; -1 where the link does not share its cable."""
    lower: BoolArray
    """Whether each link is the first, or the only one, at its connector at the lower end."""
    upper: BoolArray
    """The same at the upper end."""
    several_rails: BoolArray
    """Whether a link's piece carries links of more than one rail."""

    @property
    def first(self) -> BoolArray:
        """Whether each link is the first of its piece, or has a cable of its own.

        The first is the first at both of its connectors.
        """
        first: BoolArray = self.lower & self.upper
        return first

    def greatest(self, values: Int32Array) -> Int32Array:
        """Return for each link the greatest value of any link of its piece."""
        shared, found = self.number >= 0, values.copy()
        most = np.zeros(int(self.number.max(initial=-1)) + 1, dtype=values.dtype)
        np.maximum.at(most, self.number[shared], values[shared])
        found[shared] = most[self.number[shared]]
        return found


def find_pieces(
    cages: Cages, candidates: tuple[LinkParts, ...], candidate: IntArray
) -> Pieces | None:
    """Return the pieces of a fabric whose links take these candidates; None where none is shared.

    `candidate` has a row for each segment.
    """
    shared = [
        (joint, taken)
        for number, joint in enumerate(candidates)
        if joint.shared > 1 and (taken := candidate == number).any()
    ]
    if not shared:
        return None
    pieces = Pieces(
        np.full(candidate.shape, -1, dtype=np.int64),
        *(np.full(candidate.shape, fill) for fill in (True, True, False)),
    )
    for joint, taken in shared:
        _mark(pieces, cages, joint, taken)
    return pieces


def _mark(pieces: Pieces, cages: Cages, joint: LinkParts, taken: BoolArray) -> None:
    """Mark the pieces of the links that take one candidate."""
    runs = [(segment, np.flatnonzero(row)) for segment, row in enumerate(taken)]
    near, far, rail = (
        np.concatenate([np.asarray(read(segment, rows)) for segment, rows in runs])
        for read in (
            partial(cages.pieces, joint),
            partial(cages.legs, joint),
            partial(cages.rails, joint.kind),
        )
    )
    _, first, number = np.unique(near, return_index=True, return_inverse=True)
    at_near, at_far = (np.zeros(len(near), dtype=bool) for _ in range(2))
    at_near[first] = True
    at_far[np.unique(far, return_index=True)[1]] = True
    differs = np.zeros(len(first), dtype=bool)
    differs[number[rail != rail[first][number]]] = True
    pieces.number[taken] = number + pieces.number.max() + 1
    pieces.several_rails[taken] = differs[number]
    pieces.upper[taken], pieces.lower[taken] = (
        (at_near, at_far) if joint.near == "upper" else (at_far, at_near)
    )

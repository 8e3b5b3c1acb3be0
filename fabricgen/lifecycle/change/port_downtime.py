"""Which NIC ports have a path while cables are on the move.

Owns `PortReachability`. A NIC port is *dark* while no chain of cables joins it to a NIC port of another HB
domain; relays through its own HB domain are not counted. What stays plugged throughout is joined
once, so that each look costs only what is on the move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.arrays import distinct_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabricgen.core.arrays import IntArray
    from fabricgen.lifecycle.change.cable_table import Sheet

Pair = tuple[int, int]


class PortReachability:
    """The NIC ports of a part of the fabric over cables that stay, and whichever others are plugged at a time."""

    def __init__(self, fixed: Iterable[Pair], nics: dict[int, tuple[str, int]]) -> None:
        """Join what stays. `nics` are the NIC ports to watch, with their names and HB domains."""
        self._root: dict[int, int] = {}
        for low, high in fixed:
            self._root[self._find(low)] = self._find(high)
        self._seat: dict[int, int] = {}
        self._homes = self.ends([(node, node) for node in nics])[0]
        self._domains = np.array([domain for _, domain in nics.values()], dtype=np.int64)
        self.watch(nics)

    def watch(self, nics: dict[int, tuple[str, int]]) -> None:
        """Ask for these NIC ports only; the others are still somebody to reach."""
        self.nics = nics
        self._watched = self.ends([(node, node) for node in nics])[0]
        self._nodes = np.array([*nics], dtype=np.int64)
        self.steady = not self.dark(self.ends([]))
        """Whether no NIC port needs anything but what stays."""

    def ends(self, pairs: Sequence[Pair]) -> IntArray:
        """Return the ends of pairs of nodes as `dark` takes them: shape (2, pairs), a number for all that stays joined."""
        seats = [
            [self._seat.setdefault(self._find(node), len(self._seat)) for node in pair]
            for pair in pairs
        ]
        return np.array(seats, dtype=np.int64).reshape(-1, 2).T

    def dark(self, ends: IntArray) -> frozenset[int]:
        """Return the NIC ports that have no path over what stays and what is plugged; `ends` are those of what is plugged."""
        label = _components(ends, len(self._seat))
        # A component is lonely where all its NIC ports are of one HB domain: where the least of
        # them is the greatest, too.
        least, greatest = np.full((2, len(label)), -1, dtype=np.int64)
        least[:] = np.iinfo(np.int64).max
        np.minimum.at(least, label[self._homes], self._domains)
        np.maximum.at(greatest, label[self._homes], self._domains)
        lonely = (least == greatest)[label[self._watched]]
        return frozenset(self._nodes[lonely].tolist())

    def _find(self, node: int) -> int:
        """Find what stands for everything that stays joined to a node."""
        root = self._root
        while (above := root.get(node, node)) != node:
            root[node] = root.get(above, above)
            node = above
        return node


def _components(ends: IntArray, count: int) -> IntArray:
    """Return the component of each of `count` numbers over edges of shape (2, edges): the least number in it.

    Each round hooks the greater of two unequal labels to the lesser, then follows labels to their
    roots; rounds are few, for components at least halve.
    """
    label: IntArray = np.arange(count, dtype=np.int64)
    while True:
        low, high = label[ends]
        if np.array_equal(low, high):
            return label
        np.minimum.at(label, np.maximum(low, high), np.minimum(low, high))
        while not np.array_equal(label, label[label]):
            label = label[label]


def pairs_of(sheet: Sheet, rows: IntArray) -> list[Pair]:
    """Return the nodes that some cables join, each pair once."""
    pairs = distinct_columns(np.stack([sheet.a_node[rows], sheet.b_node[rows]]))
    return list(zip(*pairs.tolist(), strict=True))

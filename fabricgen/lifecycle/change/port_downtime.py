"""Which NIC ports have a path while cables are moved.

Owns `PortReachability`. A NIC port is *disconnected* while no chain of cables joins it to a NIC
port of another HB domain; relays through its own HB domain are not counted. Cables that stay
plugged in throughout are joined once, so that each query costs only the cables that move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.arrays import distinct_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabricgen.core.arrays import IntArray
    from fabricgen.lifecycle.change.cable_table import CableTable

Pair = tuple[int, int]


class PortReachability:
    """The NIC ports of a part of the fabric over fixed cables and a changing set of others."""

    def __init__(self, fixed: Iterable[Pair], nics: dict[int, tuple[str, int]]) -> None:
        """Join the fixed cables; `nics` are the NIC ports to watch, with names and HB domains."""
        self._root: dict[int, int] = {}
        for low, high in fixed:
            self._root[self._find(low)] = self._find(high)
        self._numbers: dict[int, int] = {}
        self._nic_numbers = self.ends([(node, node) for node in nics])[0]
        self._domains = np.array([domain for _, domain in nics.values()], dtype=np.int64)
        self.watch(nics)

    def watch(self, nics: dict[int, tuple[str, int]]) -> None:
        """Watch only these NIC ports; the others remain possible peers."""
        self.nics = nics
        self._watched = self.ends([(node, node) for node in nics])[0]
        self._nodes = np.array([*nics], dtype=np.int64)
        self.steady = not self.disconnected(self.ends([]))
        """Whether every watched NIC port has a path over the fixed cables alone."""

    def ends(self, pairs: Sequence[Pair]) -> IntArray:
        """Return the ends of pairs of nodes for `disconnected`, of shape (2, pairs).

        Nodes that the fixed cables join share a number.
        """
        numbers = [
            [self._numbers.setdefault(self._find(node), len(self._numbers)) for node in pair]
            for pair in pairs
        ]
        return np.array(numbers, dtype=np.int64).reshape(-1, 2).T

    def disconnected(self, ends: IntArray) -> frozenset[int]:
        """Return the NIC ports without a path over fixed cables and those with these ends."""
        component = _components(ends, len(self._numbers))
        # A component is isolated where all its NIC ports are of one HB domain: where the least of
        # them is the greatest, too.
        least, greatest = np.full((2, len(component)), -1, dtype=np.int64)
        least[:] = np.iinfo(np.int64).max
        np.minimum.at(least, component[self._nic_numbers], self._domains)
        np.maximum.at(greatest, component[self._nic_numbers], self._domains)
        isolated = (least == greatest)[component[self._watched]]
        return frozenset(self._nodes[isolated].tolist())

    def _find(self, node: int) -> int:
        """Return the representative of the nodes that fixed cables join to a node."""
        root = self._root
        while (above := root.get(node, node)) != node:
            root[node] = root.get(above, above)
            node = above
        return node


def _components(ends: IntArray, count: int) -> IntArray:
    """Return the component of each number over edges of shape (2, edges): its least number.

    Each round replaces the greater of two unequal components by the lesser, then follows them to
    their roots. Rounds are few, because components at least halve in each.
    """
    component: IntArray = np.arange(count, dtype=np.int64)
    while True:
        low, high = component[ends]
        if np.array_equal(low, high):
            return component
        np.minimum.at(component, np.maximum(low, high), np.minimum(low, high))
        while not np.array_equal(component, component[component]):
            component = component[component]


def pairs_of(sheet: CableTable, rows: IntArray) -> list[Pair]:
    """Return the distinct pairs of nodes that some cables join."""
    pairs = distinct_columns(np.stack([sheet.a_node[rows], sheet.b_node[rows]]))
    return list(zip(*pairs.tolist(), strict=True))

"""Which NIC ports have a path while cables are on the move.

Owns `Watch`. A NIC port is *dark* while no chain of cables joins it to a NIC port of another HB domain; relays through its own HB domain are not
counted. What stays plugged throughout is joined once, so that each look costs only what is on the move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.distinct import distinct_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.growth.sheets import Sheet, Whole

Pair = tuple[int, int]


class Watch:
    """The NIC ports of a part of the fabric over cables that stay, and whichever others are plugged at a time."""

    def __init__(self, fixed: Iterable[Pair], nics: dict[int, tuple[str, int]]) -> None:
        """Join what stays. `nics` are the NIC ports to watch, with their names and HB domains."""
        self._root: dict[int, int] = {}
        for low, high in fixed:
            self._root[self._find(self._root, low)] = self._find(self._root, high)
        self._domains: dict[int, set[int]] = {}
        for node, (_, domain) in nics.items():
            self._domains.setdefault(self._find(self._root, node), set()).add(domain)
        self.watch(nics)

    def watch(self, nics: dict[int, tuple[str, int]]) -> None:
        """Ask for these NIC ports only; the others are still somebody to reach."""
        self.nics = nics
        self._home = {node: self._find(self._root, node) for node in nics}
        self.steady = all(len(self._domains[home]) > 1 for home in self._home.values())
        """Whether no NIC port needs anything but what stays."""

    def dark(self, plugged: Iterable[Pair]) -> frozenset[int]:
        """Return the NIC ports that have no path over what stays and what is plugged."""
        if self.steady:
            return frozenset()
        root: dict[int, int] = {}
        for low, high in plugged:
            ends = (self._find(root, self._find(self._root, end)) for end in (low, high))
            root[next(ends)] = next(ends)
        joined: dict[int, set[int]] = {}
        for home, domains in self._domains.items():
            joined.setdefault(self._find(root, home), set()).update(domains)
        lonely = {home for home in self._domains if len(joined[self._find(root, home)]) < 2}  # noqa: PLR2004 - its own HB domain and another
        return frozenset(node for node, home in self._home.items() if home in lonely)

    @staticmethod
    def _find(root: dict[int, int], node: int) -> int:
        """Find what stands for everything that a node is joined to."""
        while (above := root.get(node, node)) != node:
            root[node] = root.get(above, above)
            node = above
        return node


def pairs_of(sheet: Sheet, rows: Whole) -> list[Pair]:
    """Return the nodes that some cables join, each pair once."""
    pairs = distinct_columns(np.stack([sheet.a_node[rows], sheet.b_node[rows]]))
    return list(zip(*pairs.tolist(), strict=True))

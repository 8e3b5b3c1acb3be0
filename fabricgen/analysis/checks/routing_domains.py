"""Forwarding domains of switches: the ports by which a packet that enters one port can leave a box.

Owns *vertices*: a switch, or on a leaf box that rails share the part of one rail. The part of a
port follows from the port, not from its link: on a shared box the ports of its rails alternate, and
so do the VRFs that configurations put them into.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.arrays import distinct
from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.core.arrays import BoolArray, IntArray
    from fabricgen.planning.fabric_links import Wiring
    from fabricgen.planning.plan import Plan


class RoutingDomains:
    """The forwarding domains of switches, as the ends of links.

    They are numbered switch * blocks of a segment + block.
    """

    def __init__(self, plan: Plan, wiring: Wiring, switches: int) -> None:
        """Keep the links to judge, and the number of switches at which they may end."""
        self.plan, self.wiring, self.switches = plan, wiring, switches
        self.boxes, self.blocks = len(plan.naming.boxes), plan.mapping.segment_blocks
        self.count = switches * self.blocks

    @cached_property
    def has_host(self) -> BoolArray:
        """Whether each link leads to a host."""
        host: BoolArray = self.wiring.kind == LinkKind.HOST
        return host

    @cached_property
    def upper(self) -> IntArray:
        """The vertex at the upper end of each link."""
        return self._vertex(self.wiring.upper, self.wiring.upper_port)

    @cached_property
    def lower(self) -> IntArray:
        """The vertex at the lower end of each link; of no meaning at a host."""
        return self._vertex(self.wiring.lower, self.wiring.lower_port)

    def _vertex(self, switch: IntArray, port: IntArray) -> IntArray:
        """Return the vertex of each switch port.

        Spines and cores serve one block, and leaves the block of the port.
        """
        first = switch.astype(np.int64) * self.blocks
        if self.blocks == 1:
            return first
        own = np.array([box.block for box in self.plan.naming.boxes])[switch % self.boxes]
        vertex: IntArray = first + np.where(own < 0, port % self.blocks, own)
        return vertex

    @cached_property
    def block(self) -> IntArray:
        """The block of the fabric that each vertex serves, by its number."""
        segments = self.switches // self.boxes
        shape = (segments, self.boxes, self.blocks)
        number: IntArray = np.broadcast_to(
            np.arange(segments)[:, None, None] * self.blocks + np.arange(self.blocks), shape
        ).ravel()
        return number

    @cached_property
    def nic_block(self) -> IntArray:
        """The block of the NIC port of each host link, by its rail and its plane.

        It is 0 for other links.
        """
        wiring = self.wiring
        segment, block = self.plan.mapping.home(wiring.lower, wiring.lower_port)
        return np.where(self.has_host, segment * self.blocks + block, 0)

    @cached_property
    def component(self) -> IntArray:
        """The smallest vertex in the component of each vertex, over links between switches."""
        rows = ~self.has_host
        low, high = self.lower[rows], self.upper[rows]
        label = np.arange(self.count)
        while True:
            least = np.minimum(label[low], label[high])
            moved = label.copy()
            np.minimum.at(moved, low, least)
            np.minimum.at(moved, high, least)
            moved = moved[moved]
            if np.array_equal(moved, label):
                return label
            label = moved

    @cached_property
    def leaf(self) -> IntArray:
        """The leaf vertices that serve a NIC port, in order."""
        return distinct(self.upper[self.has_host])

    def neighbours(self, kind: LinkKind) -> Callable[[int], IntArray]:
        """Return a function that lists the vertices above a vertex, in order.

        They are those that links of a kind join it to.
        """
        rows = self.wiring.kind == kind
        pairs = distinct(self.lower[rows] * self.count + self.upper[rows])
        low, high = np.divmod(pairs, self.count)
        starts = np.searchsorted(low, np.arange(self.count + 1))
        return lambda vertex: high[starts[vertex] : starts[vertex + 1]]

"""Forwarding domains of switches: what a packet that enters one port of a box can leave by.

Owns *vertices*: a switch, or on a leaf box that rails share the part of one rail. Which part a port
belongs to follows from the port, not from its link: on a shared box the ports of its rails
alternate, and so do the VRFs that configurations put them into.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.arrays import distinct
from fabricgen.core.terms import LinkKind, Role

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import IntArray


class RoutingDomains:
    """The forwarding domains of switches, numbered switch * blocks of a segment + block, as the ends of links."""

    def __init__(self, evidence: Evidence) -> None:
        """Keep the evidence."""
        self.evidence = evidence
        self.blocks = evidence.plan.mapping.segment_blocks
        self.count = len(evidence.switches) * self.blocks

    @cached_property
    def upper(self) -> IntArray:
        """The vertex at the upper end of each link."""
        return self._vertex(self.evidence.wiring.upper, self.evidence.wiring.upper_port)

    @cached_property
    def lower(self) -> IntArray:
        """The vertex at the lower end of each link; of no meaning at a host."""
        return self._vertex(self.evidence.wiring.lower, self.evidence.wiring.lower_port)

    def _vertex(self, switch: IntArray, port: IntArray) -> IntArray:
        """Return the vertex behind each switch port; spines and cores serve one block, and leaves the block of the port."""
        boxes, first = self.evidence.boxes, switch.astype(np.int64) * self.blocks
        if self.blocks == 1:
            return first
        own = self.evidence.box_block[switch % boxes]
        vertex: IntArray = first + np.where(own < 0, port % self.blocks, own)
        return vertex

    @cached_property
    def block(self) -> IntArray:
        """The block of the fabric that each vertex serves by its name."""
        segments = len(self.evidence.switches) // self.evidence.boxes
        shape = (segments, self.evidence.boxes, self.blocks)
        number: IntArray = np.broadcast_to(
            np.arange(segments)[:, None, None] * self.blocks + np.arange(self.blocks), shape
        ).ravel()
        return number

    @cached_property
    def nic_block(self) -> IntArray:
        """The block that the NIC port of each host link belongs to, by its rail and its plane; 0 at other links."""
        plan, wiring = self.evidence.plan, self.evidence.wiring
        fabric, mapping = plan.fabric, plan.mapping
        rail = 0 if mapping.spans_rails else wiring.lower % fabric.domain_gpus % fabric.rails
        group, block = np.divmod(rail, mapping.per_switch) if not mapping.spans_rails else (0, 0)
        number: IntArray = np.where(
            self.evidence.has_host,
            (group * fabric.planes + wiring.lower_port) * self.blocks + block,
            0,
        )
        return number

    @cached_property
    def component(self) -> IntArray:
        """The smallest vertex that each vertex is joined to by links between switches."""
        rows = ~self.evidence.has_host
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
        return distinct(self.upper[self.evidence.has_host])

    def name(self, vertex: int) -> str:
        """Name a vertex: the switch, and the rail where several share it."""
        switch, _ = divmod(vertex, self.blocks)
        name = self.evidence.switch(switch)
        return (
            f"{name} ({self.evidence.block(int(self.block[vertex]))})"
            if self.blocks > 1 and self.evidence.role(switch) is Role.LEAF
            else name
        )

    def neighbours(self, kind: LinkKind) -> Callable[[int], IntArray]:
        """Return a function that lists, in order, the vertices above a vertex that links of a kind join it to."""
        rows = self.evidence.wiring.kind == kind
        pairs = distinct(self.lower[rows] * self.count + self.upper[rows])
        low, high = np.divmod(pairs, self.count)
        starts = np.searchsorted(low, np.arange(self.count + 1))
        return lambda vertex: high[starts[vertex] : starts[vertex + 1]]

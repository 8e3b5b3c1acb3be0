"""From a plan to drawings: one of each rail on each plane, and one of each stripe.

A rail's drawing shows its GPUs and its switches; a stripe's its HB domains and leaves. A network
beside the compute fabric has one drawing, of its devices and switches. Owns which drawings there
are, their names and titles; `block_contents`, `stripe_contents` and `direct_rail` own what they
show, and `layout` places and merges it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.outputs.drawings.attached import words
from fabricgen.outputs.drawings.block_contents import BlockContents
from fabricgen.outputs.drawings.direct_rail import direct_rail, direct_words
from fabricgen.outputs.drawings.graph_layout import arrange_graph
from fabricgen.outputs.drawings.layout import Head, arrange
from fabricgen.outputs.drawings.merged_tiers import MOST_LINES, Strand, Tier
from fabricgen.outputs.drawings.stripe_contents import stripe_contents
from fabricgen.planning.stripes import stripes
from fabricgen.planning.worst_permutation import stated_ratio

if TYPE_CHECKING:
    from fabricgen.outputs.drawings.graph_layout import GraphShape
    from fabricgen.outputs.drawings.view import Drawing
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.stripes import Stripe


class Subject(NamedTuple):
    """The subject of a drawing: a block of a segment, or a stripe by its number, from 0."""

    segment: int
    block: int
    stripe: int | None = None


class Composed(NamedTuple):
    """The contents of a drawing without places: its head, its tiers from the lowest, its links."""

    head: Head
    tiers: list[Tier]
    strands: list[Strand]
    peers: Strand | None = None
    """The links between the leaves of pairs."""
    shape: GraphShape | None = None
    """The graph that links make of the one tier of a direct rail; None for rails of switches."""


def arranged(composed: Composed) -> Drawing:
    """Lay out a drawing."""
    head, tiers, strands, peers, shape = composed
    if shape is not None:
        return arrange_graph(head, tiers[0], strands[0], shape)
    return arrange(head, tiers, strands, peers)


class Drawings:
    """Makes the drawings of one plan."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan; nothing is made before it is needed."""
        self.plan = plan

    @cached_property
    def rails(self) -> dict[str, Subject]:
        """The drawings of rails by name; of whole planes where blocks span rails."""
        mapping = self.plan.mapping
        return {
            self._name(segment, block): Subject(segment, block)
            for segment in range(mapping.segments)
            for block in range(mapping.segment_blocks)
        }

    @cached_property
    def stripes(self) -> dict[str, Subject]:
        """The drawings of stripes by name."""
        if self.plan.fabric.network or self.plan.mapping.topology:
            return {}
        return {
            f"stripe-{number + 1}": Subject(0, 0, number) for number in range(len(self._groups))
        }

    def draw(self, name: str) -> Drawing:
        """Draw one of them."""
        return arranged(self.compose(name))

    def compose(self, name: str) -> Composed:
        """Return the contents of a drawing."""
        subject, plan = self.rails.get(name) or self.stripes[name], self.plan
        line, railed = self._words(), not plan.fabric.network
        head = Head(plan.spec.name, name, self.title(subject), line, railed=railed)
        if plan.mapping.topology:
            return Composed(head, *direct_rail(plan, subject.segment))
        if subject.stripe is None:
            return Composed(head, *self.blocks.of(subject.segment, subject.block))
        return Composed(head, *stripe_contents(plan, self._groups[subject.stripe].domains))

    @cached_property
    def blocks(self) -> BlockContents:
        """The contents of the drawings of blocks."""
        return BlockContents(self.plan)

    def lines(self, name: str) -> int:
        """Count the lines of a drawing; those of all rails are alike."""
        return self._rail_lines if name in self.rails else len(self.draw(name).strokes)

    @cached_property
    def _rail_lines(self) -> int:
        """The lines of the first rail."""
        return len(self.draw(next(iter(self.rails))).strokes)

    def most_lines(self, name: str) -> int:
        """Return the maximum number of lines of a drawing, without drawing it."""
        if self.plan.mapping.topology:
            return self._rail_lines
        return MOST_LINES * (self.plan.sizing.tiers if name in self.rails else 1)

    def _name(self, segment: int, block: int) -> str:
        """Name the drawing of a block."""
        if self.plan.fabric.network:
            return f"network-{self.plan.fabric.network_name}"
        rail, plane = self.plan.mapping.rail(segment, block), self.plan.mapping.plane(segment)
        words = [f"rail-{rail}"] if rail is not None else []
        words += [f"plane-{plane}"] if self.plan.fabric.planes > 1 else []
        return "-".join(words) or "fabric"

    @cached_property
    def _groups(self) -> list[Stripe]:
        """The stripes of the plan."""
        return stripes(self.plan)

    def title(self, subject: Subject) -> str:
        """Return the title of a drawing: its network, its stripe, or its rail and plane."""
        if self.plan.fabric.network:
            return f"Network {self.plan.fabric.network_name}"
        if subject.stripe is not None:
            return f"Stripe {subject.stripe + 1} of {len(self.stripes)}"
        rail = self.plan.mapping.rail(subject.segment, subject.block)
        title = "All rails" if rail is None else f"Rail {rail}"
        plane = f", plane {self.plan.mapping.plane(subject.segment)}"
        return title + (plane if self.plan.fabric.planes > 1 else "")

    def _words(self) -> str:
        """Return one line that describes the fabric."""
        fabric = self.plan.fabric
        if self.plan.mapping.topology:
            return direct_words(self.plan)
        if fabric.network:
            return words(self.plan, fabric.network.attached)
        count = (
            f"{fabric.gpus:,} GPUs in {fabric.coordinates.domains:,} HB domains, {fabric.rails}"
            " rails"
        )
        return (
            f"{self.plan.spec.name}: {fabric.design.value}, {count}, oversubscription"
            f" {stated_ratio(self.plan)}"
        )

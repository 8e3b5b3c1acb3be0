"""From a plan to drawings: one of each rail on each plane, and one of each stripe.

A rail's drawing shows its GPUs and its switches; a stripe's its HB domains and leaves. A network
beside the compute fabric has one drawing, of its devices and switches. Owns which drawings there
are and their contents. `planning.stripes` groups HB domains; `layout` places and
merges what is drawn.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind, Role, ratio_text, speed_text
from fabricgen.outputs.drawings.attached import attached_tier, words
from fabricgen.outputs.drawings.direct_rail import direct_rail, direct_words
from fabricgen.outputs.drawings.graph_layout import arrange_graph
from fabricgen.outputs.drawings.layout import Head, arrange
from fabricgen.outputs.drawings.merged_tiers import MOST_LINES, Strand, Tier
from fabricgen.planning.segment_links import switches_with_links
from fabricgen.planning.stripes import stripes

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.core.arrays import BoolArray, Int32Array, IntArray
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
        subject = self.rails.get(name) or self.stripes[name]
        if self.plan.mapping.topology:
            title, network = self.title(subject), self.plan.fabric.network
            line = direct_words(self.plan)
            head = Head(self.plan.spec.name, name, title, line, railed=not network)
            return Composed(head, *direct_rail(self.plan, subject.segment))
        return (
            self._rail(name, subject)
            if subject.stripe is None
            else self._stripe(name, subject.stripe)
        )

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

    def _gpus(self, segment: int, rows: BoolArray) -> Int32Array:
        """Return the GPU of each of some host links of a segment."""
        wired = self.plan.segment
        return self.plan.mapping.lower_gpu(segment, wired.lower[rows], wired.block[rows])

    def _speed(self, kind: LinkKind) -> str:
        """Return the speed of a kind of link."""
        return speed_text(self.plan.link_parts[kind].speed_gbps)

    def title(self, subject: Subject) -> str:
        """Return the title of a drawing: its network, or its rail, and its plane of several."""
        if self.plan.fabric.network:
            return f"Network {self.plan.fabric.network_name}"
        rail, planes = (
            self.plan.mapping.rail(subject.segment, subject.block),
            self.plan.fabric.planes > 1,
        )
        return ", ".join(
            [
                "All rails" if rail is None else f"Rail {rail}",
                *([f"plane {self.plan.mapping.plane(subject.segment)}"] if planes else []),
            ]
        )

    def _rail(self, name: str, subject: Subject) -> Composed:
        """Compose the block of a rail: its GPUs, and its switches tier by tier."""
        plan, (number, block, _) = self.plan, subject
        ends, lowest = self._lowest(number, block)
        tiers, strands = [ends], []
        rail = plan.mapping.rail(number, block)
        below: IntArray = np.zeros(0, dtype=np.int32)
        for kind in plan.tier_kinds:
            rows = (plan.segment.kind == kind) & (plan.segment.block == block)
            boxes = self.boxes(kind.upper, block)
            lower = (
                lowest
                if kind is LinkKind.HOST
                else np.searchsorted(below, plan.segment.lower[rows])
            )
            rails = (
                self.plan.fabric.coordinates.rail(self._gpus(number, rows))
                if kind is LinkKind.HOST and not plan.fabric.network
                else np.full(len(lower), -1 if rail is None else rail)
            )
            tiers.append(
                self._switches(
                    number,
                    block,
                    boxes,
                    kind.upper,
                    self._served(boxes, np.flatnonzero(rows), rails),
                )
            )
            cables = self._cables(kind, number, block, plan.segment.number[rows])
            strands.append(
                Strand(
                    lower,
                    np.searchsorted(boxes, plan.segment.upper[rows]),
                    rails,
                    self._speed(kind),
                    cables,
                )
            )
            below = boxes
        return Composed(
            Head(
                plan.spec.name,
                name,
                self.title(subject),
                self._words(),
                railed=not plan.fabric.network,
            ),
            tiers,
            strands,
            self._peers(number, block),
        )

    def _peers(self, number: int, block: int) -> Strand | None:
        """Return the links between the leaves of pairs; None where there are none."""
        wired = self.plan.segment
        if LinkKind.PEER not in self.plan.kinds:
            return None
        rows = (wired.kind == LinkKind.PEER) & (wired.block == block)
        boxes = self.boxes(LinkKind.PEER.upper, block)
        lower, upper = (
            np.searchsorted(boxes, column[rows]) for column in (wired.lower, wired.upper)
        )
        cables = self._cables(LinkKind.PEER, number, block, wired.number[rows])
        return Strand(lower, upper, np.full(len(lower), -1), self._speed(LinkKind.PEER), cables)

    def _words(self) -> str:
        """Return one line that describes the fabric."""
        fabric = self.plan.fabric
        if fabric.network:
            return words(self.plan, fabric.network.attached)
        count = (
            f"{fabric.gpus:,} GPUs in {fabric.coordinates.domains:,} HB domains, {fabric.rails}"
            " rails"
        )
        return (
            f"{self.plan.spec.name}: {fabric.design.value}, {count}, oversubscription"
            f" {ratio_text(self.plan.spec.oversubscription)}"
        )

    def _lowest(self, number: int, block: int) -> tuple[Tier, IntArray]:
        """Return what a block joins, and the place there of the lower end of each host link."""
        network = self.plan.fabric.network
        if network:
            return attached_tier(self.plan, network.attached)
        gpus = self._endpoints(number, block)
        return gpus, np.arange(len(gpus.names))

    def _endpoints(self, number: int, block: int) -> Tier:
        """Return the GPUs of a block in the order of its endpoints, grouped by leaf."""
        segment, coordinates = self.plan.segment, self.plan.fabric.coordinates
        rows = (segment.kind == LinkKind.HOST) & (segment.block == block)
        gpus = self._gpus(number, rows).tolist()
        names = [coordinates.name(gpu) for gpu in gpus]
        hosts = [self.plan.hosts[coordinates.host(gpu)] for gpu in gpus]
        rails = [str(coordinates.rail(gpu)) for gpu in gpus]
        return Tier("GPUs", names, hosts, rails, segment.upper[rows], switch=False)

    def boxes(self, role: Role, block: int) -> IntArray:
        """Return the switches of a role with links in a block, by index in a segment."""
        every = enumerate(zip(self.plan.naming.boxes, self._linked, strict=True))
        return np.array(
            [
                index
                for index, (box, has) in every
                if has and box.role is role and box.block in (-1, block)
            ],
            dtype=np.int32,
        )

    @cached_property
    def _linked(self) -> list[bool]:
        """Whether each switch of a segment has a link: those of devices are of compute."""
        return switches_with_links(self.plan.segment, len(self.plan.naming.boxes))

    def _served(self, boxes: IntArray, rows: IntArray, rails: IntArray) -> list[str]:
        """Return the rail of each switch by the links below it; empty where there are several."""
        upper = self.plan.segment.upper[rows]
        low, high = (
            np.full(int(boxes.max()) + 1, start, dtype=np.int64)
            for start in (np.iinfo(np.int32).max, -1)
        )
        np.minimum.at(low, upper, rails)
        np.maximum.at(high, upper, rails)
        return [str(high[box]) if low[box] == high[box] >= 0 else "" for box in boxes.tolist()]

    def _switches(
        self, number: int, block: int, boxes: IntArray, role: Role, rails: list[str]
    ) -> Tier:
        """Return the switches of a tier of a block, grouped by pod or by spines in common."""
        plan, sizing = self.plan, self.plan.sizing
        names, every = plan.naming.switches(number), plan.naming.boxes
        sizes = {
            Role.LEAF: sizing.pod_leaves,
            Role.SPINE: sizing.pod_spines,
            Role.CORE: sizing.group_cores,
        }
        index = np.array([every[box].index for box in boxes.tolist()])
        together = index // sizes[role] if sizing.core else index
        others = [rail for other, rail in enumerate(plan.mapping.rails(number)) if other != block]
        beside = (
            f"also rail {others[0]}, apart"
            if len(others) == 1
            else f"also {len(others)} rails, apart"
        )
        notes = [beside if every[box].block < 0 else "" for box in boxes.tolist()]
        return Tier(
            f"{role} switches", [names[box] for box in boxes.tolist()], notes, rails, together
        )

    def _cables(
        self, kind: LinkKind, segment: int, block: int, numbers: Int32Array
    ) -> Callable[[int], str]:
        """Return a function that names a link of a block."""
        prefix, width = self.plan.label(kind, segment, block), self.plan.label_width
        return lambda row: f"{prefix}{int(numbers[row]):0{width}}"

    def _stripe(self, name: str, stripe: int) -> Composed:
        """Compose a stripe: its HB domains, and their leaves on every rail and plane."""
        plan, domains = self.plan, np.array(self._groups[stripe].domains, dtype=np.int32)
        coordinates = plan.fabric.coordinates
        leaves: list[tuple[str, str]] = []
        parts: list[tuple[IntArray, IntArray, IntArray]] = []
        labels: list[Callable[[int], str]] = []
        for segment in range(plan.mapping.segments):
            names = plan.naming.switches(segment)
            rows = (plan.segment.kind == LinkKind.HOST) & np.isin(
                coordinates.domain(plan.segment.lower), domains
            )
            gpus = self._gpus(segment, rows)
            met, upper = np.unique(plan.segment.upper[rows], return_inverse=True)
            near, rail = coordinates.domain(gpus), coordinates.rail(gpus)
            parts.append((np.searchsorted(domains, near), upper + len(leaves), rail))
            served = self._served(met, np.flatnonzero(rows), rail)
            leaves += [(names[box], rail) for box, rail in zip(met.tolist(), served, strict=True)]
            labels.append(self._host_cables(segment, rows))
        lower, upper, rails = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        starts = np.cumsum([0, *(len(part[0]) for part in parts)])

        def cable(row: int) -> str:
            segment = int(np.searchsorted(starts, row, side="right")) - 1
            return labels[segment](row - int(starts[segment]))

        hosts = f"{plan.fabric.domain_hosts} hosts" if plan.fabric.domain_hosts > 1 else ""
        notes = [
            hosts or plan.hosts[coordinates.domain_host_range(domain).start]
            for domain in domains.tolist()
        ]
        ends = Tier(
            "HB domains",
            [f"d{domain}" for domain in domains.tolist()],
            notes,
            [""] * len(domains),
            domains,
            switch=False,
        )
        tier = Tier(
            "leaf switches",
            [leaf for leaf, _ in leaves],
            [""] * len(leaves),
            [rail for _, rail in leaves],
            np.arange(len(leaves)),
        )
        title = f"Stripe {stripe + 1} of {len(self.stripes)}"
        return Composed(
            Head(plan.spec.name, name, title, self._words()),
            [ends, tier],
            [Strand(lower, upper, rails, self._speed(LinkKind.HOST), cable)],
        )

    def _host_cables(self, segment: int, rows: BoolArray) -> Callable[[int], str]:
        """Return a function that names a host link of a segment."""
        blocks, numbers = self.plan.segment.block[rows], self.plan.segment.number[rows]
        prefixes, width = self.plan.label_prefixes(segment), self.plan.label_width
        return lambda row: (
            f"{prefixes[LinkKind.HOST, int(blocks[row])]}{int(numbers[row]):0{width}}"
        )

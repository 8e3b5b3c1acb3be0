"""The blocks and segments of a fabric, and the endpoint of each NIC port.

Owns `Mapping`. Blocks that share switches form a *segment*; all segments of a fabric have the same
links, so that one is planned for all. `designs` chooses the mapping of each design.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import Design, Role
from fabricgen.planning.baseline.expansion_stages import ExpansionStages, stage_of
from fabricgen.planning.leaf_packing import leaf_packing

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.planning.baseline.baseline import Baseline
    from fabricgen.planning.clos import Sizing
    from fabricgen.planning.coordinates import Whole
    from fabricgen.planning.direct.topology import DirectTopology
    from fabricgen.planning.leaf_packing import LeafPacking
    from fabricgen.planning.networks.leaf_groups import GroupedLeaves
    from fabricgen.planning.resolve import ResolvedFabric


@dataclass(frozen=True)
class Mapping:
    """The blocks of a fabric: equal `segments`, each of `segment_blocks` blocks of one `sizing`.

    `per_switch` is the number of rails on a leaf; where `segment_blocks` is above 1 the
    configuration separates them.
    """

    fabric: ResolvedFabric
    sizing: Sizing
    per_switch: int
    baseline: Baseline | None = None
    """What an expanded or imported plan keeps; None where all follows from the inventory."""
    topology: DirectTopology | None = None
    """How endpoints are joined without switches; None where switches join them."""

    @cached_property
    def network_leaves(self) -> GroupedLeaves | None:
        """The leaves of a network beside the compute fabric; None where it has none."""
        if self.fabric.network is None or self.topology:
            return None
        from fabricgen.planning.networks.leaf_groups import grouped_leaves  # noqa: PLC0415 - for networks only

        layout = self.fabric.port_layouts[Role.LEAF]
        return grouped_leaves(
            self.fabric.network, layout, joined=self.sizing.tiers > 1, chosen=self.sizing.chosen
        )

    @cached_property
    def upward(self) -> Int32Array | None:
        """The port of each uplink and each link to a peer of each leaf of a network.

        None where they follow the downlinks on all leaves.
        """
        leaves = self.network_leaves
        return leaves.upward(self.sizing.leaf_up) if leaves else None

    def uplink_of(self, leaf: IntArray, port: IntArray) -> IntArray:
        """Return the number of the uplink, or of the link to a peer, at each port of a leaf."""
        if self.upward is None:
            return port - self.sizing.leaf_down * self.segment_blocks
        return np.asarray((self.upward[leaf] == port[:, None]).argmax(axis=1))

    @cached_property
    def peer_links(self) -> int:
        """Links between each two leaves that links join directly, which only networks have."""
        return self.fabric.network.peer_links if self.fabric.network else 0

    @property
    def peer_group(self) -> int:
        """The leaves that such links join, each with each: two of a stripe, or all on compute."""
        return self.sizing.leaf if self.fabric.shared_leaves else 2

    @cached_property
    def packing(self) -> LeafPacking | GroupedLeaves | None:
        """How leaves are filled; None where endpoints fill them in order."""
        if self.network_leaves or self.sizing.tiers < 2:  # noqa: PLR2004 - no uplinks
            return self.network_leaves
        return leaf_packing(self.fabric, self.per_switch, self.sizing.leaf_down)

    def kept_slots(self, port: IntArray, slot: IntArray) -> IntArray:
        """Return the slots that ports of a network keep, whatever ports their leaves have gained.

        `slot` are the slots by the rule, which all other fabrics keep by themselves.
        """
        kept = self.network_leaves.kept if self.network_leaves else None
        return (
            np.array(kept.slot, dtype=np.int64)[port]
            if kept and kept.slot
            else slot.astype(np.int32, copy=False)
        )

    @cached_property
    def stages(self) -> ExpansionStages:
        """The stages in which the switches of a block were added."""
        return self.baseline.stages if self.baseline else ExpansionStages((stage_of(self.sizing),))

    def digits(self, names: str, largest: int) -> int:
        """Return the digits of the numbers in names of a kind.

        Names of the baseline keep theirs; otherwise the largest number decides.
        """
        kept = self.baseline.digits.get(names) if self.baseline else None
        return kept or len(str(largest))

    @cached_property
    def spans_rails(self) -> bool:
        """Whether a block spans rails."""
        return self.fabric.design is not Design.RAIL_ONLY

    @cached_property
    def segment_blocks(self) -> int:
        """Blocks that share leaves."""
        return 1 if self.spans_rails else self.per_switch

    @cached_property
    def segments(self) -> int:
        """Segments of the fabric, in order of rail group and plane."""
        return self.rail_groups * self.fabric.planes

    @cached_property
    def rail_groups(self) -> int:
        """Groups of rails, each with switches of its own: one where blocks span rails."""
        return 1 if self.spans_rails else self.fabric.rails // self.per_switch

    @property
    def spare_leaves(self) -> int:
        """Spare leaves of the fabric, which have no cables; a network has none."""
        if self.fabric.network:
            return 0
        return self.segments * self.fabric.spec.spare.leaves_per_rail

    @property
    def spare_domains(self) -> int:
        """The HB domains, the last ones, whose GPUs are spare."""
        if self.fabric.network:
            return 0
        return self.fabric.spec.spare.gpus_per_rail // self.fabric.ranks_per_rail

    def rail_group(self, segment: Whole) -> Whole:
        """Return the group of rails of a segment."""
        return segment // self.fabric.planes

    def plane(self, segment: Whole) -> Whole:
        """Return the plane of a segment."""
        return segment % self.fabric.planes

    def rail(self, segment: int, block: int = 0) -> int | None:
        """Return the rail of a block of a segment; None where blocks span rails."""
        return None if self.spans_rails else self.first_rail(segment, block)

    def rails(self, segment: int) -> list[int | None]:
        """Return the rail of each block of a segment."""
        return [self.rail(segment, block) for block in range(self.segment_blocks)]

    def segment_rail(self, segment: Whole) -> Whole:
        """Return the lowest rail of a segment, which is 0 where blocks span rails."""
        group = self.rail_group(segment)
        return group * 0 if self.spans_rails else self.rail_of_place(group, group * 0)

    def first_rail(self, segment: int, block: Whole) -> Whole:
        """Return the lowest rail of a block of a segment; 0 where blocks span rails."""
        return self.segment_rail(segment) + block * self._rail_step

    @cached_property
    def leaf_groups(self) -> int:
        """Groups of rails that share a leaf."""
        return self.fabric.rails // self.per_switch

    @cached_property
    def _rail_step(self) -> int:
        """The distance between two rails that follow each other on a leaf."""
        return self.leaf_groups if self.fabric.spec.rails.grouping == "strided" else 1

    def rail_of_place(self, group: Whole, place: Whole) -> Whole:
        """Return the rail at a place among those that share a leaf."""
        first = group * (1 if self._rail_step > 1 else self.per_switch)
        return first + place * self._rail_step

    def place_of_rail(self, rail: Whole) -> tuple[Whole, Whole]:
        """Return the group of rails that a rail shares a leaf with, and its place among them."""
        if self._rail_step > 1:
            return rail % self.leaf_groups, rail // self.leaf_groups
        return rail // self.per_switch, rail % self.per_switch

    def lower_gpu(self, segment: int, lower: Whole, block: Whole) -> Whole:
        """Return the GPU at a host link; `Segment.lower` is the one on the first rail."""
        return lower + self.first_rail(segment, block)

    def pattern_gpu(self, gpu: Whole) -> Whole:
        """Return the GPU that represents a GPU in `pattern`.

        It has the same rail slot on rail 0; where blocks span rails, it is the GPU itself.
        """
        return gpu if self.spans_rails else gpu - self.fabric.coordinates.rail(gpu)

    def pattern_index(self, gpu: Whole) -> Whole:
        """Return the index of a GPU in its rail, or in the fabric where blocks span rails."""
        return gpu if self.spans_rails else self.fabric.coordinates.rail_index(gpu)

    def serves(self, leaf: int, rail: int) -> bool:
        """Return whether a leaf of a block that spans rails by stripes serves a rail."""
        return leaf % self.leaf_groups == self.place_of_rail(rail)[0]

    def home(self, gpu: Whole, plane: Whole) -> tuple[Whole, Whole]:
        """Return the segment of a NIC port, and its block there."""
        if self.spans_rails:
            return plane, plane * 0
        group, block = self.place_of_rail(self.fabric.coordinates.rail(gpu))
        return group * self.fabric.planes + plane, block

    def pattern(self) -> Int32Array:
        """Return the GPU of each endpoint position of a block of rail 0; -1 for a vacant position.

        Shape (slots,). On a block of rail r the GPU is r higher. GPUs count by HB domain.
        """
        if self.baseline and self.baseline.endpoints is not None:
            return self.baseline.endpoints
        slot = np.arange(self.sizing.slots, dtype=np.int32)
        gpu: Int32Array
        if self.fabric.design is Design.RAIL_OPTIMIZED and self.sizing.leaf > 1:
            gpu = self._striped(slot)
        elif self.spans_rails:
            gpu = self._endpoint(slot)
        else:
            gpu = self._first_rail_gpus(self._endpoint(slot))
        planned = np.where(gpu < self.fabric.planned_gpus, gpu, np.int32(-1))
        return self._numbered(planned) if self.fabric.domain_positions else planned

    def _numbered(self, gpu: Int32Array) -> Int32Array:
        """Return the GPUs at the positions of GPUs; -1 stays."""
        domain = np.argsort(self.fabric.domain_positions).astype(np.int32)
        position, rank = np.divmod(gpu, np.int32(self.fabric.domain_gpus))
        return np.where(gpu < 0, gpu, self.fabric.coordinates.gpu(domain[position], rank))

    def _endpoint(self, slot: Int32Array) -> Int32Array:
        """Return the endpoint at each position of a block that takes them in order.

        A position that its leaf leaves vacant gets a number behind all endpoints.
        """
        packing, down = self.packing, self.sizing.leaf_down
        if packing is None:
            return slot
        leaf, port = np.divmod(slot, np.int32(down))
        place, offset = np.divmod(port, np.int32(packing.group))
        group = packing.group_at(leaf, place, down)
        endpoint = group * np.int32(packing.group) + offset
        behind = np.int32(self.fabric.planned_gpus)
        return np.where(group < 0, behind, endpoint).astype(np.int32)

    def _first_rail_gpus(self, slot: Int32Array) -> Int32Array:
        """Return the GPUs at the endpoints of a block of rail 0, by HB domain and rank."""
        domain, rail_slot = np.divmod(slot, np.int32(self.fabric.ranks_per_rail))
        return self.fabric.coordinates.rail_gpu(domain, np.zeros_like(slot), rail_slot)

    def _striped(self, slot: Int32Array) -> Int32Array:
        """Return the GPUs at the endpoints of a rail-optimized block.

        A leaf serves `per_switch` rails of one stripe, by HB domain and rank.
        """
        fabric, down = self.fabric, self.sizing.leaf_down
        per_domain = self.per_switch * fabric.ranks_per_rail
        stripe_domains = down // per_domain
        leaf, port = np.divmod(slot, np.int32(down))
        stripe, group = np.divmod(leaf, np.int32(self.leaf_groups))
        place, within = np.divmod(port, np.int32(per_domain))
        rail_slot, offset = np.divmod(within, np.int32(self.per_switch))
        domain = (
            self.packing.group_at(stripe, place, down)
            if self.packing
            else np.where(place < stripe_domains, stripe * stripe_domains + place, np.int32(-1))
        )
        gpu = fabric.coordinates.rail_gpu(domain, self.rail_of_place(group, offset), rail_slot)
        return np.where(domain < 0, np.int32(fabric.planned_gpus), gpu).astype(np.int32)

"""Rail-only, rail-optimized and fat-tree: the block and the endpoint of each NIC port.

A design is a mapping. Blocks that share switches form a *segment*; all segments of a fabric have
the same links, so that one is planned for all. Rail-only: a segment for each plane and each group
of `per_switch` rails, with a block for each rail. Rail-optimized and fat-tree: a segment for each
plane, with one block that spans all rails.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.core.terms import Design, Role
from fabricgen.planning.baseline.baseline import ExpansionStages, check_baseline, stage_of
from fabricgen.planning.clos import SizingContext, Widths, size, width

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.baseline.baseline import Baseline
    from fabricgen.planning.clos import Sizing, Width
    from fabricgen.planning.coordinates import Whole
    from fabricgen.planning.port_layout import PortLayout
    from fabricgen.planning.resolve import ResolvedFabric


@dataclass(frozen=True, slots=True)
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

    @property
    def stages(self) -> ExpansionStages:
        """The stages in which the switches of a block were added."""
        return self.baseline.stages if self.baseline else ExpansionStages((stage_of(self.sizing),))

    def digits(self, names: str, largest: int) -> int:
        """Return the digits of the numbers in names of a kind.

        Names of the baseline keep theirs; otherwise the largest number decides.
        """
        kept = self.baseline.digits.get(names) if self.baseline else None
        return kept or len(str(largest))

    @property
    def spans_rails(self) -> bool:
        """Whether a block spans rails."""
        return self.fabric.design is not Design.RAIL_ONLY

    @property
    def segment_blocks(self) -> int:
        """Blocks that share leaves."""
        return 1 if self.spans_rails else self.per_switch

    @property
    def segments(self) -> int:
        """Segments of the fabric, in order of rail group and plane."""
        return self.rail_groups * self.fabric.planes

    @property
    def rail_groups(self) -> int:
        """Groups of rails, each with switches of its own: one where blocks span rails."""
        return 1 if self.spans_rails else self.fabric.rails // self.per_switch

    def rail_group(self, segment: Whole) -> Whole:
        """Return the group of rails of a segment."""
        return segment // self.fabric.planes

    def plane(self, segment: Whole) -> Whole:
        """Return the plane of a segment."""
        return segment % self.fabric.planes

    def rail(self, segment: int, block: int = 0) -> int | None:
        """Return the rail of a block of a segment; None where blocks span rails."""
        return None if self.spans_rails else self.first_rail(segment, block)

    def segment_rail(self, segment: Whole) -> Whole:
        """Return the lowest rail of a segment, which is 0 where blocks span rails."""
        return segment * 0 if self.spans_rails else self.rail_group(segment) * self.per_switch

    def first_rail(self, segment: int, block: Whole) -> Whole:
        """Return the lowest rail of a block of a segment; 0 where blocks span rails."""
        return self.segment_rail(segment) + block

    def lower_gpu(self, segment: int, lower: Whole, block: Whole) -> Whole:
        """Return the GPU at a host link; `Segment.lower` is the one on the first rail."""
        return lower + self.first_rail(segment, block)

    def pattern_gpu(self, gpu: Whole) -> Whole:
        """Return the GPU that represents a GPU in `pattern`.

        It has the same rail slot on rail 0; where blocks span rails, it is the GPU itself.
        """
        return gpu if self.spans_rails else gpu - self.fabric.coordinates.rail(gpu)

    def pattern_index(self, gpu: Whole) -> Whole:
        """Return the place of a GPU among those of its rail, or among all where blocks span rails."""
        return gpu if self.spans_rails else self.fabric.coordinates.rail_index(gpu)

    def serves(self, leaf: int, rail: int) -> bool:
        """Return whether a leaf of a block that spans rails by stripes serves a rail."""
        return leaf % (self.fabric.rails // self.per_switch) == rail // self.per_switch

    def home(self, gpu: Whole, plane: Whole) -> tuple[Whole, Whole]:
        """Return the segment of a NIC port, and its block there."""
        if self.spans_rails:
            return plane, plane * 0
        rail = self.fabric.coordinates.rail(gpu)
        return rail // self.per_switch * self.fabric.planes + plane, rail % self.per_switch

    def pattern(self) -> Int32Array:
        """Return the GPU of each endpoint position of a block of rail 0; -1 for a vacant position.

        Shape (slots,). On a block of rail r the GPU is r higher. GPUs count by HB domain.
        """
        if self.baseline and self.baseline.endpoints is not None:
            return self.baseline.endpoints
        slot = np.arange(self.sizing.slots, dtype=np.int32)
        gpu: Int32Array
        if self.fabric.design is Design.RAIL_OPTIMIZED and self.sizing.tiers > 1:
            gpu = self._striped(slot)
        elif self.spans_rails:
            gpu = slot
        else:
            gpu = self._first_rail_gpus(slot)
        return np.where(gpu < self.fabric.planned_gpus, gpu, np.int32(-1))

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
        stripe_leaves, stripe_domains = fabric.rails // self.per_switch, down // per_domain
        leaf, port = np.divmod(slot, np.int32(down))
        stripe, group = np.divmod(leaf, np.int32(stripe_leaves))
        place, within = np.divmod(port, np.int32(per_domain))
        rail_slot, offset = np.divmod(within, np.int32(self.per_switch))
        gpu = fabric.coordinates.rail_gpu(
            stripe * stripe_domains + place, group * self.per_switch + offset, rail_slot
        )
        return np.where(place < stripe_domains, gpu, np.int32(fabric.planned_gpus)).astype(np.int32)


def map_design(fabric: ResolvedFabric, baseline: Baseline | None = None) -> Mapping:
    """Choose how many rails share a leaf, and size the block.

    Raises Refusal where no allowed number of tiers holds it, or the baseline does not fit it.
    """
    mapping = _mapping(fabric)
    if baseline is None:
        return mapping
    radix = {role: port_layout.radix for role, port_layout in fabric.port_layouts.items()}
    check_baseline(baseline, mapping.sizing, mapping.pattern(), radix)
    return replace(mapping, baseline=baseline)


def _mapping(fabric: ResolvedFabric) -> Mapping:
    """Map the NIC ports of a fabric to blocks by its design."""
    if fabric.design is Design.RAIL_ONLY:
        return _rail_only(fabric)
    if fabric.design is Design.RAIL_OPTIMIZED:
        return _rail_optimized(fabric)
    ports = fabric.planned_gpus
    return Mapping(
        fabric,
        _size(fabric, 1, lambda down: -(-ports // down), _sizing_context(fabric)),
        fabric.rails,
    )


def _rail_only(fabric: ResolvedFabric) -> Mapping:
    """Map a block to each rail and plane, with endpoints in order of HB domain."""
    ports = fabric.coordinates.planned_rail_gpus
    asked = fabric.spec.rails.per_switch
    radix = fabric.port_layouts[Role.LEAF].radix
    shared = rails_of_a_box(fabric) if asked == "auto" else asked
    if shared > radix:
        because = (f"each of {shared} rails needs a port at least, and a leaf has {radix}",)
        most = _most(fabric.rails, lambda rails: _fits(fabric, rails, ports))
        hint = f"use `per_switch: {most}`, or `per_switch: auto`"
        raise refuse(
            "too-many-rails-per-switch",
            f"{shared} rails cannot share a leaf",
            path=("rails", "per_switch"),
            because=because,
            hint=hint,
        )
    return Mapping(
        fabric,
        _size(fabric, shared, lambda down: -(-ports // down), _sizing_context(fabric, shared)),
        shared,
    )


def rails_of_a_box(fabric: ResolvedFabric) -> int:
    """Return how many whole rails fit on one leaf, at least 1: `per_switch: auto` of rail-only."""
    ports, radix = fabric.coordinates.planned_rail_gpus, fabric.port_layouts[Role.LEAF].radix
    return _most(fabric.rails, lambda rails: rails * ports <= radix)


def _fits(fabric: ResolvedFabric, shared: int, ports: int) -> bool:
    """Return whether a rail fits where so many share their leaves."""
    try:
        _size(fabric, shared, lambda down: -(-ports // down), _sizing_context(fabric))
    except Refusal:
        return False
    return True


def _rail_optimized(fabric: ResolvedFabric) -> Mapping:
    """Map a block to each plane, so that a leaf serves `per_switch` rails of a stripe."""
    ranks, rails, domains = fabric.ranks_per_rail, fabric.rails, fabric.coordinates.planned_domains
    down = _widths(fabric, 1).leaf.down
    asked = fabric.spec.rails.per_switch
    shared = (
        _most(rails, lambda number: number * ranks * domains <= down) if asked == "auto" else asked
    )
    per_domain = shared * ranks
    one_box = fabric.planned_gpus <= fabric.port_layouts[
        Role.LEAF
    ].radix and fabric.spec.rails.tiers in ("auto", 1)
    if per_domain > down and not one_box:
        raise _stripe_too_wide(fabric, shared, down)

    def leaves_of(ports: int) -> int:
        if ports == down and not one_box:
            return -(-domains // (down // per_domain)) * (rails // shared)
        return -(-fabric.planned_gpus // ports)

    return Mapping(fabric, _size(fabric, 1, leaves_of, _sizing_context(fabric)), shared)


def _stripe_too_wide(fabric: ResolvedFabric, shared: int, down: int) -> Refusal:
    """Refuse a leaf that cannot serve one HB domain; the hint is the smallest change."""
    ranks, domain = fabric.ranks_per_rail, fabric.domain_gpus
    because = (
        (
            f"{shared} of {fabric.rails} rails x {ranks} of an HB domain's GPUs on each"
            f" = {shared * ranks} endpoints on one leaf"
        ),
        f"a leaf gives {down} ports to endpoints",
    )
    fewer = _most(fabric.rails, lambda rails: rails * ranks <= down)
    counts = [
        count
        for count in range(fabric.rails, domain + 1)
        if domain % count == 0 and domain // count * shared <= down and count % shared == 0
    ]
    if fewer * ranks <= down:
        path, hint = "per_switch", f"use `per_switch: {fewer}`"
    else:
        path, hint = (
            "count",
            f"use `rails.count: {counts[0]}`" if counts else "choose a leaf of a larger radix",
        )
    return refuse(
        "stripe-too-wide",
        "a leaf cannot hold one HB domain's GPUs of its rails",
        path=("rails", path),
        because=because,
        hint=hint,
    )


def _sizing_context(fabric: ResolvedFabric, shared: int = 1) -> SizingContext:
    """Return the words of a refusal of this block, with remedies beside tiers and radix."""
    rail_only, radix = fabric.design is Design.RAIL_ONLY, fabric.port_layouts[Role.LEAF].radix
    ports = fabric.coordinates.planned_rail_gpus if rail_only else fabric.planned_gpus
    remedies = []
    if rail_only and fabric.rails < fabric.domain_gpus:
        remedies.append(f"use more than {fabric.rails} rails")
    if rail_only and shared > 1:
        remedies.append("let fewer rails share a switch")
    return SizingContext(
        subject=f"a rail of {ports} endpoints" if rail_only else f"a fabric of {ports} endpoints",
        boxes=f"{radix}-port switches" + (f" that {shared} rails share" if shared > 1 else ""),
        path=("reserve", "gpus") if fabric.spec.reserve else ("gpus",),
        remedies=tuple(remedies),
    )


def _most(rails: int, fits: Callable[[int], bool]) -> int:
    """Return the largest divisor of the rails that satisfies `fits`, at least 1."""
    return max(
        (number for number in range(1, rails + 1) if rails % number == 0 and fits(number)),
        default=1,
    )


def _widths(fabric: ResolvedFabric, shares: int) -> Widths:
    """Divide the ports of the switches of every role; rails share only leaves."""
    leaf, spine, core = (fabric.port_layouts[role] for role in Role)
    return Widths(
        single=leaf.radix // shares,
        leaf=_width(leaf, fabric.spec.oversubscription, shares),
        spine_radix=spine.radix,
        spine=_width(spine, Fraction(1), 1),
        core_radix=core.radix,
    )


def _width(port_layout: PortLayout, ratio: Fraction, shares: int) -> Width:
    """Divide the ports of one switch."""
    return width(
        port_layout.fits,
        port_layout.radix,
        (port_layout.down.speed_gbps, port_layout.up.speed_gbps),
        ratio,
        shares,
    )


def _size(
    fabric: ResolvedFabric, shares: int, leaves_of: Callable[[int], int], words: SizingContext
) -> Sizing:
    """Size a block of the fabric."""
    tiers = fabric.spec.rails.tiers
    return size(
        leaves_of,
        _widths(fabric, shares),
        None if tiers == "auto" else tiers,
        even=fabric.spec.spread == "even",
        words=words,
    )

"""Rail-only, rail-optimized and fat-tree: the block and the endpoint of each NIC port.

A design is a mapping. Blocks that share switches form a *segment*; all segments of a fabric have
the same links, so that one is planned for all. Rail-only: a segment for each plane and each group
of `per_switch` rails, with a block for each rail. Rail-optimized and fat-tree: a segment for each
plane, with one block that spans all rails.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from fabricgen.core.divisors import divisors
from fabricgen.core.terms import Design, Role
from fabricgen.planning.baseline.baseline import check_baseline
from fabricgen.planning.block_shape import Block, Shape, rail_gpus
from fabricgen.planning.clos import LeafRule, Width, Widths, size, uplinks_of, width
from fabricgen.planning.leaf_packing import leaf_packing, one_unit, unit_domains
from fabricgen.planning.mapping import Mapping
from fabricgen.planning.size_refusals import (
    bad_leaf_ports,
    bad_uplinks,
    block_too_large,
    stripe_too_wide,
    too_many_rails,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.core.diagnostics import Refusal
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.baseline.baseline import Baseline
    from fabricgen.planning.block_shape import Fits
    from fabricgen.planning.clos import Sizing
    from fabricgen.planning.port_layout import PortLayout
    from fabricgen.planning.resolve import ResolvedFabric


def map_design(fabric: ResolvedFabric, baseline: Baseline | None = None) -> Mapping:
    """Choose how many rails share a leaf, and size the block.

    Raises Refusal where no allowed number of tiers holds it, or the baseline does not fit it.
    """
    if fabric.spec.rails.medium == "direct" and not fabric.network:
        from fabricgen.planning.direct_sizing import map_direct  # noqa: PLC0415 - for direct rails only

        return map_direct(fabric)
    sizer, shape = Sizer(fabric), shape_of(fabric.spec)
    mapping = sizer.mapping(shape)
    if mapping is None:
        raise sizer.too_large(shape)
    if baseline is None:
        return mapping
    radix = {role: port_layout.radix for role, port_layout in fabric.port_layouts.items()}
    check_baseline(baseline, mapping.sizing, mapping.pattern(), radix)
    return replace(mapping, baseline=baseline)


def shape_of(spec: FabricSpec) -> Shape:
    """Return the shape that an inventory asks for."""
    tiers = None if spec.rails.tiers == "auto" else spec.rails.tiers
    return Shape(tiers, spec.rails.per_switch, spec.oversubscription, spec.spread)


@dataclass(frozen=True)
class Sizer:
    """A fabric sized in any shape, whatever its inventory asks for.

    A search sizes thousands of shapes, so the ports of switches are divided once for each ratio.
    """

    fabric: ResolvedFabric
    _widths: dict[tuple[int, Fraction], Widths] = field(default_factory=dict)

    def mapping(self, shape: Shape) -> Mapping | None:
        """Map the fabric; None where no allowed number of tiers holds the block.

        Raises Refusal for rails that cannot share a leaf.
        """
        block = self.block(shape)
        sizing = self.size(block, shape)
        own = [Mapping(self.fabric, sizing, block.per_switch)] if sizing else []
        striped = self.fabric.design is Design.RAIL_OPTIMIZED and not self.fabric.network
        if striped and shape.per_switch == "auto" and shape.ratio > 1:
            own += self._fewer_rails(block.per_switch, shape)
        return min(own, key=_tiers_and_boxes, default=None)

    def _fewer_rails(self, most: int, shape: Shape) -> Iterator[Mapping]:
        """Yield the mappings with fewer rails on a leaf than `most`.

        A higher ratio has more of them, which may take more switches.
        """
        for shared in reversed(divisors(self.fabric.rails)):
            own = shape._replace(per_switch=shared)
            if shared < most and (sizing := self.size(self.block(own), own)):
                yield Mapping(self.fabric, sizing, shared)

    def block(self, shape: Shape) -> Block:
        """Return the block of the design; the endpoints of a fat-tree are in order of hosts."""
        if self.fabric.network:
            return Block(lambda down: -(-self.fabric.gpus // down), 1, 1)
        if self.fabric.design is Design.RAIL_ONLY:
            return self._rail_only(shape)
        if self.fabric.design is Design.RAIL_OPTIMIZED:
            return self._rail_optimized(shape)
        gpus = self.fabric.planned_gpus
        block = Block(lambda down: -(-gpus // down), 1, self.fabric.rails)
        return self._packed(self.fabric, block, shape)

    def size(self, block: Block, shape: Shape) -> Sizing | None:
        """Size a block; None where no allowed number of tiers holds it."""
        if self.fabric.network:
            from fabricgen.planning.network_sizing import size_network  # noqa: PLC0415 - for networks only

            widths = self.widths(block.shares, shape.ratio)
            return size_network(self.fabric, self.fabric.network, widths, shape)
        widths = self._used_widths(block, shape)
        return size(block.leaves_of, widths, self._tiers(shape), even=shape.spread == "even")

    def _tiers(self, shape: Shape) -> Literal[1, 2, 3] | None:
        """Return the tiers that a shape asks for: circuits have one."""
        return 1 if self.fabric.has_circuits else shape.tiers

    def too_large(self, shape: Shape) -> Refusal:
        """Return the refusal of a shape that has no mapping."""
        if self.fabric.network:
            from fabricgen.planning.network_sizing import network_too_large  # noqa: PLC0415 - for networks only

            return network_too_large(self.fabric, self.fabric.network)
        block = self.block(shape)
        widths = self._used_widths(block, shape)
        if not widths.leaf.down and self.widths(block.shares, shape.ratio).leaf.down:
            return bad_uplinks(self.fabric, shape, widths.leaf.up)
        return block_too_large(self.fabric, block, widths, shape, self._fitting(shape))

    def _fitting(self, shape: Shape) -> Fits:
        """Return whether a rail fits, were there so many of them and so many on a leaf."""
        return lambda rails, shared: self.size(self._rail(rails, shared, shape), shape) is not None

    def widths(self, shares: int, ratio: Fraction) -> Widths:
        """Divide the ports of the switches of every role; rails share only leaves."""
        known = self._widths.get((shares, ratio))
        if known is None:
            leaf, spine, core = (self.fabric.port_layouts[role] for role in Role)
            known = self._widths[shares, ratio] = Widths(
                single=leaf.usable // shares,
                leaf=_width(leaf, ratio, shares),
                spine_radix=spine.usable,
                spine=_width(spine, Fraction(1), 1),
                core_radix=core.usable,
                least_spines=_minimum(self.fabric.spec, Role.SPINE),
                least_cores=_minimum(self.fabric.spec, Role.CORE),
            )
        return known

    def _packed(self, fabric: ResolvedFabric, block: Block, shape: Shape) -> Block:
        """Return a block whose leaves belong to scalable units, where the inventory has any."""
        down = self.widths(block.shares, shape.ratio).leaf.down
        packing = leaf_packing(fabric, block.per_switch, down) if down else None
        if packing is None:
            return block
        return block._replace(leaves_of=packing.leaves, packing=packing, group=packing.group)

    def _used_widths(self, block: Block, shape: Shape) -> Widths:
        """Return the widths of a block, with the uplinks that its scalable units ask for.

        A leaf with another number of uplinks than it needs and has ports for has no downlinks.
        Raises Refusal `bad-leaf-ports`.
        """
        widths, unit = self.widths(block.shares, shape.ratio), self.fabric.spec.scalable_unit
        if not widths.leaf.down:
            return widths
        asked, rule = self.fabric.spec.leaf_ports, self._rule(widths.leaf.down, block, shape)
        if ":" in asked:
            given = Width(*map(int, asked.split(":")))
            if not rule.allows(given):
                raise bad_leaf_ports(self.fabric, shape, given, rule)
            widths = widths._replace(leaf=given)
        elif asked == "fewest" and shape.ratio > 1:
            widths = widths._replace(rule=rule)
        down = widths.leaf.down
        if block.packing:
            widths = widths._replace(pod_leaves=block.packing.unit_leaves(down))
        if unit is None or unit.uplinks == "all":
            return widths
        if ":" in asked:
            return widths._replace(used_only=True)
        used = block.packing.used(down) if block.packing else down
        needed = rule.needed(used)
        uplinks = rule.uplinks or needed
        allowed = rule.fits(used, uplinks) and uplinks >= needed
        leaf = Width(used, uplinks) if allowed else Width(0, needed)
        return widths._replace(leaf=leaf, used_only=True)

    def _rule(self, most: int, block: Block, shape: Shape) -> LeafRule:
        """Return what a leaf may have, of which the widest has `most` downlinks."""
        layout, shares, unit = (
            self.fabric.port_layouts[Role.LEAF],
            block.shares,
            self.fabric.spec.scalable_unit,
        )
        return LeafRule(
            most=most,
            group=block.group,
            leaves=block.leaves_of,
            needed=lambda down: uplinks_of(down, _speeds(layout), shape.ratio),
            fits=lambda down, up: layout.fits(down * shares, up * shares),
            pod_leaves=block.packing.unit_leaves if block.packing else lambda _: 0,
            uplinks=unit.uplinks if unit and isinstance(unit.uplinks, int) else 0,
            blocks=shares,
        )

    def _rail_only(self, shape: Shape) -> Block:
        """Return the block of each rail and plane, with endpoints in order of HB domain."""
        fabric, asked = self.fabric, shape.per_switch
        shared = rails_of_a_box(fabric) if asked == "auto" else asked
        if shared > fabric.port_layouts[Role.LEAF].usable:
            raise too_many_rails(fabric, shared, self._fitting(shape))
        return self._rail(fabric.rails, shared, shape)

    def _rail(self, rails: int, shared: int, shape: Shape) -> Block:
        """Return the block of a rail, were there so many of them and so many on a leaf."""
        ports = rail_gpus(self.fabric, rails)
        block = Block(lambda down: -(-ports // down), shared, shared)
        return self._packed(replace(self.fabric, rails=rails), block, shape)

    def _rail_optimized(self, shape: Shape) -> Block:
        """Return the block of each plane, in which a leaf serves `per_switch` rails of a stripe."""
        fabric, asked = self.fabric, shape.per_switch
        ranks, rails, domains = (
            fabric.ranks_per_rail,
            fabric.rails,
            fabric.coordinates.planned_domains,
        )
        down, gpus = self.widths(1, shape.ratio).leaf.down, fabric.planned_gpus
        stripe = min(domains, unit_domains(fabric) or domains)
        shared = (
            most_rails(rails, lambda number: number * ranks * stripe <= down)
            if asked == "auto"
            else asked
        )
        per_domain = shared * ranks
        one_box = (
            gpus <= fabric.port_layouts[Role.LEAF].usable
            and shape.tiers in (None, 1)
            and one_unit(fabric)
        )
        if per_domain > down and not one_box:
            raise stripe_too_wide(fabric, shared, down)

        packing = leaf_packing(fabric, shared, down) if down and not one_box else None

        def leaves_of(ports: int) -> int:
            if packing:
                return packing.leaves(ports)
            if ports <= down and not one_box:
                return -(-domains // (ports // per_domain)) * (rails // shared)
            return -(-gpus // ports)

        return Block(leaves_of, 1, shared, packing, per_domain)


def rails_of_a_box(fabric: ResolvedFabric) -> int:
    """Return how many whole rails fit on one leaf, at least 1: `per_switch: auto` of rail-only."""
    if not one_unit(fabric):
        return 1
    ports, radix = fabric.coordinates.planned_rail_gpus, fabric.port_layouts[Role.LEAF].usable
    return most_rails(fabric.rails, lambda rails: rails * ports <= radix)


def _tiers_and_boxes(mapping: Mapping) -> tuple[int, int]:
    """Return the tiers of a block, and its switches."""
    sizing = mapping.sizing
    return sizing.tiers, sizing.leaf + sizing.spine + sizing.core


def most_rails(rails: int, fits: Callable[[int], bool]) -> int:
    """Return the largest divisor of the rails that satisfies `fits`, at least 1."""
    return next((number for number in reversed(divisors(rails)) if fits(number)), 1)


def _width(port_layout: PortLayout, ratio: Fraction, shares: int) -> Width:
    """Divide the ports of one switch."""
    return width(
        port_layout.fits,
        port_layout.usable,
        _speeds(port_layout),
        ratio,
        shares,
    )


def _minimum(spec: FabricSpec, role: Role) -> int:
    """Return the fewest switches of a role above the leaves."""
    choice = spec.switches.spine if role is Role.SPINE else spec.switches.core
    return choice.minimum if choice else 1


def _speeds(port_layout: PortLayout) -> tuple[int, int]:
    """Return the speeds of a downlink and of an uplink, in Gbps; serial ports, of 0, count as 1."""
    return max(port_layout.down.speed_gbps, 1), max(port_layout.up.speed_gbps, 1)

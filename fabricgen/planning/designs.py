"""Rail-only, rail-optimized and fat-tree: the block and the endpoint of each NIC port.

A design is a mapping. Blocks that share switches form a *segment*; all segments of a fabric have
the same links, so that one is planned for all. Rail-only: a segment for each plane and each group
of `per_switch` rails, with a block for each rail. Rail-optimized and fat-tree: a segment for each
plane, with one block that spans all rails.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from fabricgen.core.diagnostics import refuse
from fabricgen.core.divisors import divisors
from fabricgen.core.terms import Design, Role
from fabricgen.planning.baseline.baseline import check_baseline
from fabricgen.planning.clos import SizingContext, Widths, size, too_large, width
from fabricgen.planning.mapping import Mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.core.diagnostics import Refusal
    from fabricgen.planning.baseline.baseline import Baseline
    from fabricgen.planning.clos import Sizing, Width
    from fabricgen.planning.port_layout import PortLayout
    from fabricgen.planning.resolve import ResolvedFabric


def map_design(fabric: ResolvedFabric, baseline: Baseline | None = None) -> Mapping:
    """Choose how many rails share a leaf, and size the block.

    Raises Refusal where no allowed number of tiers holds it, or the baseline does not fit it.
    """
    block = _block(fabric)
    sizing = _size(fabric, block)
    if sizing is None:
        raise _too_large(fabric, block)
    mapping = Mapping(fabric, sizing, block.per_switch)
    if baseline is None:
        return mapping
    radix = {role: port_layout.radix for role, port_layout in fabric.port_layouts.items()}
    check_baseline(baseline, mapping.sizing, mapping.pattern(), radix)
    return replace(mapping, baseline=baseline)


def map_if_it_fits(fabric: ResolvedFabric) -> Mapping | None:
    """Map a design; None where no allowed number of tiers holds the block.

    A search of thousands needs no text for each. Raises Refusal for rails that cannot share a leaf.
    """
    block = _block(fabric)
    sizing = _size(fabric, block)
    return Mapping(fabric, sizing, block.per_switch) if sizing else None


class _Block(NamedTuple):
    """What a design asks of a block.

    `leaves_of(down)` returns the leaves that its endpoints need with `down` on each. `shares`
    blocks share a leaf; `per_switch` rails do.
    """

    leaves_of: Callable[[int], int]
    shares: int
    per_switch: int


def _block(fabric: ResolvedFabric) -> _Block:
    """Return the block of a design; the endpoints of a fat-tree are in order of hosts."""
    if fabric.design is Design.RAIL_ONLY:
        return _rail_only(fabric)
    if fabric.design is Design.RAIL_OPTIMIZED:
        return _rail_optimized(fabric)
    return _Block(lambda down: -(-fabric.planned_gpus // down), 1, fabric.rails)


def _rail_only(fabric: ResolvedFabric) -> _Block:
    """Return the block of each rail and plane, with endpoints in order of HB domain."""
    asked = fabric.spec.rails.per_switch
    radix = fabric.port_layouts[Role.LEAF].usable
    shared = rails_of_a_box(fabric) if asked == "auto" else asked
    if shared > radix:
        because = (f"each of {shared} rails needs a port at least, and a leaf has {radix}",)
        most = _most(fabric.rails, lambda rails: _fits(fabric, fabric.rails, rails))
        hint = f"use `per_switch: {most}`, or `per_switch: auto`"
        raise refuse(
            "too-many-rails-per-switch",
            f"{shared} rails cannot share a leaf",
            path=("rails", "per_switch"),
            because=because,
            hint=hint,
        )
    return _rail_block(fabric, fabric.rails, shared)


def _rail_block(fabric: ResolvedFabric, rails: int, shared: int) -> _Block:
    """Return the block of a rail, were there so many of them and so many on a leaf."""
    ports = _rail_gpus(fabric, rails)
    return _Block(lambda down: -(-ports // down), shared, shared)


def _rail_gpus(fabric: ResolvedFabric, rails: int) -> int:
    """Return the endpoints of a rail, were there so many rails."""
    return replace(fabric, rails=rails).coordinates.planned_rail_gpus


def rails_of_a_box(fabric: ResolvedFabric) -> int:
    """Return how many whole rails fit on one leaf, at least 1: `per_switch: auto` of rail-only."""
    ports, radix = fabric.coordinates.planned_rail_gpus, fabric.port_layouts[Role.LEAF].usable
    return _most(fabric.rails, lambda rails: rails * ports <= radix)


def _fits(fabric: ResolvedFabric, rails: int, shared: int) -> bool:
    """Return whether a rail fits, were there so many of them and so many on a leaf."""
    return _size(fabric, _rail_block(fabric, rails, shared)) is not None


def _rail_optimized(fabric: ResolvedFabric) -> _Block:
    """Return the block of each plane, in which a leaf serves `per_switch` rails of a stripe."""
    ranks, rails, domains = fabric.ranks_per_rail, fabric.rails, fabric.coordinates.planned_domains
    down = _widths(fabric, 1).leaf.down
    asked = fabric.spec.rails.per_switch
    shared = (
        _most(rails, lambda number: number * ranks * domains <= down) if asked == "auto" else asked
    )
    per_domain = shared * ranks
    one_box = fabric.planned_gpus <= fabric.port_layouts[
        Role.LEAF
    ].usable and fabric.spec.rails.tiers in ("auto", 1)
    if per_domain > down and not one_box:
        raise _stripe_too_wide(fabric, shared, down)

    def leaves_of(ports: int) -> int:
        if ports == down and not one_box:
            return -(-domains // (down // per_domain)) * (rails // shared)
        return -(-fabric.planned_gpus // ports)

    return _Block(leaves_of, 1, shared)


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
        for count in divisors(domain)
        if count >= fabric.rails and domain // count * shared <= down and count % shared == 0
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


def _sizing_context(fabric: ResolvedFabric, shared: int) -> SizingContext:
    """Return the words of a refusal of this block, with remedies beside tiers and radix."""
    rail_only, leaf = fabric.design is Design.RAIL_ONLY, fabric.port_layouts[Role.LEAF]
    ports = fabric.coordinates.planned_rail_gpus if rail_only else fabric.planned_gpus
    return SizingContext(
        subject=f"a rail of {ports} endpoints" if rail_only else f"a fabric of {ports} endpoints",
        boxes=f"{leaf.radix}-port switches"
        + (f" with {leaf.spare} spare ports" if leaf.spare else "")
        + (f" that {shared} rails share" if shared > 1 else ""),
        path=("reserve", "gpus") if fabric.spec.reserve else ("gpus",),
        remedies=tuple(_remedies(fabric, shared)) if rail_only else (),
    )


def _remedies(fabric: ResolvedFabric, shared: int) -> Iterator[str]:
    """Yield the fewest rails whose blocks are small enough, and the most of them on a leaf."""
    for rails in divisors(fabric.domain_gpus):
        if rails > fabric.rails and rails % shared == 0 and _fits(fabric, rails, shared):
            yield f"use `rails.count: {rails}` ({_rail_gpus(fabric, rails)} endpoints each)"
            break
    for fewer in reversed(divisors(fabric.rails)):
        if fewer < shared and _fits(fabric, fabric.rails, fewer):
            yield f"use `rails.per_switch: {fewer}`"
            break


def _most(rails: int, fits: Callable[[int], bool]) -> int:
    """Return the largest divisor of the rails that satisfies `fits`, at least 1."""
    return next((number for number in reversed(divisors(rails)) if fits(number)), 1)


def _widths(fabric: ResolvedFabric, shares: int) -> Widths:
    """Divide the ports of the switches of every role; rails share only leaves."""
    leaf, spine, core = (fabric.port_layouts[role] for role in Role)
    return Widths(
        single=leaf.usable // shares,
        leaf=_width(leaf, fabric.spec.oversubscription, shares),
        spine_radix=spine.usable,
        spine=_width(spine, Fraction(1), 1),
        core_radix=core.usable,
    )


def _width(port_layout: PortLayout, ratio: Fraction, shares: int) -> Width:
    """Divide the ports of one switch."""
    return width(
        port_layout.fits,
        port_layout.usable,
        (port_layout.down.speed_gbps, port_layout.up.speed_gbps),
        ratio,
        shares,
    )


def _size(fabric: ResolvedFabric, block: _Block) -> Sizing | None:
    """Size a block of the fabric; None where no allowed number of tiers holds it."""
    return size(block.leaves_of, _widths(fabric, block.shares), **_limits(fabric))


def _too_large(fabric: ResolvedFabric, block: _Block) -> Refusal:
    """Refuse a block that cannot be sized."""
    widths, words = _widths(fabric, block.shares), _sizing_context(fabric, block.shares)
    return too_large(block.leaves_of, widths, **_limits(fabric), words=words)


class _Limits(TypedDict):
    """The tiers that a block must have, None for the fewest that hold it; and how spines divide."""

    tiers: int | None
    even: bool


def _limits(fabric: ResolvedFabric) -> _Limits:
    """Return what the inventory asks of the size of a block."""
    tiers = fabric.spec.rails.tiers
    return {"tiers": None if tiers == "auto" else tiers, "even": fabric.spec.spread == "even"}

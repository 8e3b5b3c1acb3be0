"""Why a design cannot be sized, with the arithmetic and the nearest numbers that can be.

Owns these refusals; `designs` sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import refuse
from fabricgen.core.divisors import divisors
from fabricgen.core.terms import Design, Role, ratio_text
from fabricgen.planning.block_shape import rail_gpus
from fabricgen.planning.clos import SizingContext, too_large

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.diagnostics import Refusal
    from fabricgen.planning.block_shape import Block, Fits, Shape
    from fabricgen.planning.clos import LeafRule, Width, Widths
    from fabricgen.planning.port_layout import PortLayout
    from fabricgen.planning.resolve import ResolvedFabric


def block_too_large(
    fabric: ResolvedFabric, block: Block, widths: Widths, shape: Shape, fits: Fits
) -> Refusal:
    """Refuse a block that no allowed number of tiers holds; remedies are beside tiers and radix."""
    if 0 < widths.leaf.up < widths.least_spines:
        return _more_spines_than_uplinks(widths)
    rail_only, leaf = fabric.design is Design.RAIL_ONLY, fabric.port_layouts[Role.LEAF]
    ports = fabric.coordinates.planned_rail_gpus if rail_only else fabric.planned_gpus
    words = SizingContext(
        subject=f"a rail of {ports} endpoints" if rail_only else f"a fabric of {ports} endpoints",
        boxes=f"{leaf.radix}-port switches"
        + (f" with {leaf.spare} spare ports" if leaf.spare else "")
        + (f" that {block.shares} rails share" if block.shares > 1 else ""),
        path=("reserve", "gpus") if fabric.spec.reserve else ("gpus",),
        remedies=tuple(_remedies(fabric, block.shares, fits)) if rail_only else (),
    )
    if fabric.has_circuits:
        return _rail_above_circuits(words, leaf, widths.single)
    even = shape.spread == "even"
    return too_large(block.leaves_of, widths, shape.tiers, even=even, words=words)


def _more_spines_than_uplinks(widths: Widths) -> Refusal:
    """Refuse more spines than a leaf has uplinks."""
    down, up = widths.leaf
    return refuse(
        "block-too-large",
        f"{widths.least_spines} spines are more than a leaf has uplinks",
        path=("switches", "spine", "minimum"),
        because=(f"a leaf of {down} downlinks has {up} uplinks, of which each spine has one",),
        hint=f"use `minimum: {up}`, or more `scalable_unit.uplinks`",
    )


def _rail_above_circuits(words: SizingContext, leaf: PortLayout, ports: int) -> Refusal:
    """Refuse a rail with more endpoints than a box has circuits for.

    Two boxes do not help: no circuit joins a port of one to a port of the other.
    """
    hints = [*words.remedies, "choose a box with more ports"]
    return refuse(
        "block-too-large",
        f"one {leaf.model.model} cannot hold {words.subject}",
        path=words.path,
        because=(
            f"it has {ports} ports for it, and every endpoint takes one",
            "no circuit joins ports of two boxes",
        ),
        hint=", or ".join(hints),
    )


def _remedies(fabric: ResolvedFabric, shared: int, fits: Fits) -> Iterator[str]:
    """Yield the fewest rails whose blocks are small enough, and the most of them on a leaf."""
    for rails in divisors(fabric.domain_gpus):
        if rails > fabric.rails and rails % shared == 0 and fits(rails, shared):
            yield f"use `rails.count: {rails}` ({rail_gpus(fabric, rails)} endpoints each)"
            break
    for fewer in reversed(divisors(fabric.rails)):
        if fewer < shared and fits(fabric.rails, fewer):
            yield f"use `rails.per_switch: {fewer}`"
            break


def bad_uplinks(fabric: ResolvedFabric, shape: Shape, needed: int) -> Refusal:
    """Refuse a number of uplinks that is too small for the downlinks, or has no ports."""
    leaf, unit = fabric.port_layouts[Role.LEAF], fabric.spec.scalable_unit
    asked = unit.uplinks if unit else 0
    return refuse(
        "bad-uplinks",
        f"a leaf cannot have {asked} uplinks",
        path=("scalable_unit", "uplinks"),
        because=(
            f"its downlinks in use need {needed} uplinks at {ratio_text(shape.ratio)}",
            f"it has {leaf.usable} ports for both",
        ),
        hint=f"use `uplinks: {needed}`, or `uplinks: used`, which is the same",
    )


def bad_leaf_ports(fabric: ResolvedFabric, shape: Shape, asked: Width, rule: LeafRule) -> Refusal:
    """Refuse ports of a leaf that are too few for the ratio or the endpoints, or too many."""
    layout = fabric.port_layouts[Role.LEAF]
    because = (
        (
            f"{asked.down} downlinks need {rule.needed(asked.down)} uplinks at"
            f" {ratio_text(shape.ratio)}"
        ),
        f"a leaf has {layout.usable // rule.blocks} ports for both"
        + (f", one of {rule.blocks} rails that share it" if rule.blocks > 1 else ""),
        *([f"{rule.group} endpoints stay on one leaf"] if rule.group > 1 else []),
    )
    return refuse(
        "bad-leaf-ports",
        f"a leaf cannot have {asked.down} downlinks and {asked.up} uplinks",
        path=("leaf_ports",),
        because=because,
        hint="use `leaf_ports: fewest`, which chooses them",
    )


def too_many_rails(fabric: ResolvedFabric, shared: int, fits: Fits) -> Refusal:
    """Refuse more rails on a leaf than it has ports."""
    rails, radix = fabric.rails, fabric.port_layouts[Role.LEAF].usable
    fitting = (number for number in reversed(divisors(rails)) if fits(rails, number))
    return refuse(
        "too-many-rails-per-switch",
        f"{shared} rails cannot share a leaf",
        path=("rails", "per_switch"),
        because=(f"each of {shared} rails needs a port at least, and a leaf has {radix}",),
        hint=f"use `per_switch: {next(fitting, 1)}`, or `per_switch: auto`",
    )


def stripe_too_wide(fabric: ResolvedFabric, shared: int, down: int) -> Refusal:
    """Refuse a leaf that cannot serve one HB domain; the hint is the smallest change."""
    ranks, domain = fabric.ranks_per_rail, fabric.domain_gpus
    because = (
        (
            f"{shared} of {fabric.rails} rails x {ranks} of an HB domain's GPUs on each"
            f" = {shared * ranks} endpoints on one leaf"
        ),
        f"a leaf gives {down} ports to endpoints",
    )
    fewer = next((rails for rails in reversed(divisors(fabric.rails)) if rails * ranks <= down), 1)
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

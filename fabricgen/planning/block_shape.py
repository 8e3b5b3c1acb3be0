"""What decides on the size of a block: keys of the inventory, and what the design asks for.

Owns `Shape` and `Block`; `designs` sizes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction

    from fabricgen.planning.leaf_packing import LeafPacking
    from fabricgen.planning.resolve import ResolvedFabric

Fits = Callable[[int, int], bool]
"""Whether a rail fits, for a number of rails and a number of them on a leaf."""


class Shape(NamedTuple):
    """The keys of an inventory that decide on the size of a block."""

    tiers: Literal[1, 2, 3] | None
    """None for the fewest that hold it."""
    per_switch: int | Literal["auto"]
    ratio: Fraction
    spread: Literal["even", "minimal"]


class Block(NamedTuple):
    """What a design asks of a block.

    `leaves_of(down)` returns the leaves that its endpoints need with `down` on each. `shares`
    blocks share a leaf; `per_switch` rails do. `packing` is None where leaves do not belong to
    scalable units. `group` endpoints stay on one leaf.
    """

    leaves_of: Callable[[int], int]
    shares: int
    per_switch: int
    packing: LeafPacking | None = None
    group: int = 1


def rail_gpus(fabric: ResolvedFabric, rails: int) -> int:
    """Return the endpoints of a rail, were there so many rails."""
    if rails == fabric.rails:
        return fabric.coordinates.planned_rail_gpus
    return replace(fabric, rails=rails).coordinates.planned_rail_gpus

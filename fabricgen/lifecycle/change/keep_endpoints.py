"""The leaf ports that GPUs keep when a fabric grows, and with them their addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import Design, LinkKind

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.planning.clos import Sizing
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.plan import Plan


def kept_endpoints(old: Plan, new: Mapping) -> Int32Array | None:
    """Return the leaf ports that endpoints of a block keep; None where the rule gives the same.

    Below a second tier every leaf port stays a leaf port. The ports of a lone leaf that become
    uplinks are given up, and on a leaf that now serves some rails only, so are those of the others.
    """
    rule = new.pattern()
    home = homes(rule, new.fabric.planned_gpus)
    here = (old.segment.kind == LinkKind.HOST) & (old.segment.block == 0)
    gpu, slot = old.segment.lower[here].astype(np.int64), old.segment.slot[here].astype(np.int64)
    if old.sizing.tiers == 1 and new.sizing.tiers > 1:
        stays = slot < new.sizing.leaf_down
        if new.fabric.design is Design.RAIL_OPTIMIZED:
            stays &= home[gpu] < new.sizing.leaf_down
        gpu, slot = gpu[stays], slot[stays]
    return filled(gpu, slot, home, rule, new.sizing)


def homes(rule: Int32Array, gpus: int) -> IntArray:
    """Return the slot of each GPU by a pattern of slots; -1 where it has none."""
    home: IntArray = np.full(gpus, -1, dtype=np.int64)
    home[rule[rule >= 0]] = np.flatnonzero(rule >= 0)
    return home


def filled(
    gpu: IntArray, slot: IntArray, home: IntArray, rule: Int32Array, sizing: Sizing
) -> Int32Array | None:
    """Keep GPUs at their slots, and put others at the rule's slot or the nearest free one.

    Returns None where this is the rule's pattern.
    """
    if (home[gpu] == slot).all():
        return None
    # kept GPUs and those with a free slot by the rule are placed in bulk; only the rest is searched
    pattern = np.full_like(rule, -1)
    pattern[slot] = gpu
    stays = np.zeros(len(home), dtype=bool)
    stays[gpu] = True
    rest = np.array([each for each in rule[rule >= 0].tolist() if not stays[each]], dtype=np.int64)
    free = pattern[home[rest]] < 0
    pattern[home[rest[free]]] = rest[free]
    down = sizing.leaf_down
    for each in rest[~free].tolist():
        first = home[each] // down * down
        near = np.flatnonzero(pattern[first : first + down] < 0)
        pattern[first + near[0] if len(near) else np.flatnonzero(pattern < 0)[0]] = each
    return pattern

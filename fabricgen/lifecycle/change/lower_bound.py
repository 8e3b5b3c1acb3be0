"""A lower bound of the cables that must move when a fabric grows, for any new wiring.

Owns `fewest_moves`. It depends on the links per pair of switches, not on a particular wiring: a
pair cannot keep more links than the larger block gives it, or another pair would lack bandwidth;
and where a switch gets uplinks, the cables on those ports must leave.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import Design, LinkKind
from fabricgen.planning.block_links import leaf_spine, spine_core

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan


def fewest_moves(old: Plan, new: Plan) -> int:
    """Return the number of cables that cannot stay when `old` grows to the size of `new`.

    A cable that can carry several links is assumed to carry as many of the moving ones as it can.
    """
    blocks = old.mapping.segments * old.mapping.segment_blocks
    links = {LinkKind.HOST: _endpoints(old, new)} | {
        kind: _between(old, new, kind) for kind in old.tier_kinds[1:]
    }
    most = {
        kind: max(joint.shared for joint in old.candidates if joint.kind is kind)
        if old.pieces
        else 1
        for kind in links
    }
    return sum(
        -(-blocks * count * old.link_parts[kind].cables // most[kind])
        for kind, count in links.items()
    )


def _endpoints(old: Plan, new: Plan) -> int:
    """Return how many endpoints of a block must leave their leaf: only a lone leaf loses ports."""
    if old.sizing.tiers > 1 or new.sizing.tiers == 1:
        return 0
    here = (old.segment.kind == LinkKind.HOST) & (old.segment.block == 0)
    slot, gpu = old.segment.slot[here], old.segment.lower[here]
    low = gpu[slot < new.sizing.leaf_down]
    if new.fabric.design is Design.RAIL_OPTIMIZED:
        leaf = np.full(new.fabric.planned_gpus, -1)
        pattern = new.mapping.pattern()
        leaf[pattern[pattern >= 0]] = np.flatnonzero(pattern >= 0) // new.sizing.leaf_down
        return len(slot) - int(np.bincount(leaf[low]).max(initial=0))
    return len(slot) - len(low)


def _between(old: Plan, new: Plan, kind: LinkKind) -> int:
    """Return the installed links of a kind and block beyond those that the grown block needs."""
    here = (old.segment.kind == kind) & (old.segment.block == 0)
    installed = int(np.count_nonzero(here))
    if kind.upper.tier < new.sizing.tiers:
        here &= old.segment.upper_port < new.widths[kind.upper][0]
    leaf, spine = old.sizing.leaf, old.sizing.spine
    if kind is LinkKind.LEAF_SPINE:
        lower, upper, rule = (
            old.segment.lower[here],
            old.segment.upper[here] - leaf,
            leaf_spine(new.sizing),
        )
    else:
        group, member = np.divmod(old.segment.upper[here] - leaf - spine, old.sizing.group_cores)
        lower, upper, rule = (
            old.segment.lower[here] - leaf,
            group * new.sizing.group_cores + member,
            spine_core(new.sizing),
        )
    given = Counter(zip(rule.lower.tolist(), rule.upper.tolist(), strict=True))
    have = Counter(zip(lower.tolist(), upper.tolist(), strict=True))
    return installed - (have & given).total()

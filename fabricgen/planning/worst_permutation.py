"""What the worst permutation of leaves gets of the bandwidth that they send upwards.

Owns the figure that is printed beside the oversubscription where `spread: minimal` joins switches
by unequal numbers of links. In a permutation every leaf sends to one other leaf, and receives from
one. The pair of leaves i and j shares the spines: it gets the sum of min(x_is, x_js) over the
spines s, where x are their links. The figure is that of the pair that gets the least, under the
best routing, because the slowest pair decides when a collective ends. In three tiers pods are
joined by equal numbers of links, so the pairs are spines of two pods, and cores join them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import LinkKind, ratio_text
from fabricgen.planning.bisection_width import leaf_endpoints
from fabricgen.planning.block_links import leaf_spine, spine_core

if TYPE_CHECKING:
    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.draft import Draft


def stated_ratio(draft: Draft) -> str:
    """Return the oversubscription of a fabric, with what the worst permutation of leaves gets."""
    return with_worst(ratio_text(draft.spec.oversubscription), worst_permutation_pct(draft))


def with_worst(ratio: str, worst_pct: float | None) -> str:
    """Return an oversubscription, with what the worst permutation gets where links are not even."""
    return ratio if worst_pct is None else f"{ratio}, worst permutation of leaves {worst_pct:g} %"


def worst_permutation_pct(draft: Draft) -> float | None:
    """Return the per cent of their bandwidth that the worst pair of leaves gets, rounded down.

    None where links are spread evenly by rule, so that every pair gets all of it.
    """
    sizing = draft.sizing
    if draft.spec.spread == "even" or sizing.tiers < 2:  # noqa: PLR2004 - no spines
        return None
    links, wanted = _links(draft), _wanted(draft)
    shared = wanted
    # by rule the links of all switches are shifts of those of the first, so it meets every pair
    by_rule = not (draft.mapping.baseline and draft.mapping.baseline.wired)
    for row in range(1 if by_rule else len(links) - 1):
        both = np.minimum(links[row], links[row + 1 :]).sum(axis=1)
        shared = min(shared, Fraction(int(both.min(initial=links[row].sum()))))
    return float(1000 * shared // wanted) / 10 if wanted else 100.0


def _links(draft: Draft) -> IntArray:
    """Count the links between lower and upper switches that meet; shape (lowers, uppers).

    The lowers are the leaves of a block, or in three tiers spine 0 of each pod.
    """
    sizing, kept = draft.sizing, draft.mapping.baseline
    kind = LinkKind.SPINE_CORE if sizing.core else LinkKind.LEAF_SPINE
    by_rule = (spine_core if sizing.core else leaf_spine)(sizing)
    upper = kept.wired[kind][0] if kept and kind in kept.wired else by_rule.upper
    lowers, uppers = (sizing.spine, sizing.core) if sizing.core else (sizing.leaf, sizing.spine)
    flat = by_rule.lower.astype(np.int64) * uppers + upper
    counts = np.bincount(flat, minlength=lowers * uppers).reshape(lowers, uppers)
    own = counts[:: sizing.pod_spines, : sizing.group_cores] if sizing.core else counts
    return own[own.any(axis=1)]


def _wanted(draft: Draft) -> Fraction:
    """Return the links that the fullest lower switch needs for what it sends upwards."""
    sizing = draft.sizing
    speeds = [draft.fabric.port_layouts[kind.upper].down.speed_gbps for kind in draft.kinds]
    if not all(speeds[: sizing.tiers]):
        return Fraction(0)
    ends = int(leaf_endpoints(draft).max(initial=0))
    leaf = min(Fraction(ends * speeds[0], speeds[1]), Fraction(sizing.leaf_up))
    if not sizing.core:
        return leaf
    pod = leaf * min(sizing.pod_leaves, sizing.leaf) / sizing.pod_spines
    return min(pod * speeds[1] / speeds[2], Fraction(sizing.spine_up))

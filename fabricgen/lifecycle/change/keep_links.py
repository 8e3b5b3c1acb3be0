"""Which cables between switches stay, and where the others go when a fabric grows.

Owns `kept_links` and `keep`, which works on one block. A fabric that grows over more switches has
another number of links between each pair of switches. As many old links as that allows stay, and
the rest take the free ports in order.

Old links differ in both their ports, so they never conflict: of a pair that needs `n` links, any
`n` of its old ones may stay. The number of links that stay is therefore exact, given the number of
links of each pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.block_links import TierLinks
from fabricgen.planning.segment_links import tier_links

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int32Array, IntArray
    from fabricgen.planning.clos import Sizing
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.plan import Plan


GROWN_TIERS = 3
"""A tier above an old one is new, and follows the rule."""


class TierPorts(NamedTuple):
    """The ports between two tiers: uplinks per lower switch, upper switches, downlinks of each."""

    uplinks: int
    uppers: int
    ports: int


def kept_links(old: Plan, new: Mapping) -> dict[LinkKind, tuple[Int32Array, Int32Array]]:
    """Return the switch links to keep, without kinds where every link follows the rule."""
    found = {}
    for kind in old.tier_kinds[1:]:
        rule = tier_links(new, kind)
        wired = (
            _leaf_spine(old, new, rule)
            if kind is LinkKind.LEAF_SPINE
            else _spine_core(old, new, rule)
        )
        if any(not np.array_equal(one, other) for one, other in zip(wired, rule, strict=True)):
            found[kind] = (wired.upper, wired.upper_port)
    return found


def _leaf_spine(old: Plan, new: Mapping, rule: TierLinks) -> TierLinks:
    """Keep the links of leaves to spines; both keep their number in the block."""
    sizing = new.sizing
    top = sizing.tiers < GROWN_TIERS
    side = TierPorts(
        sizing.leaf_up,
        sizing.spine,
        new.fabric.port_layouts[Role.SPINE].usable if top else sizing.spine_down,
    )
    was = tier_links(old.mapping, LinkKind.LEAF_SPINE)
    return keep(was, rule, side)


def _spine_core(old: Plan, new: Mapping, rule: TierLinks) -> TierLinks:
    """Keep the links of spines to cores, group by group; a group has its older cores first."""
    # renumber the cores as the larger groups do, then sort the groups' links back into block order
    sizing, was = new.sizing, tier_links(old.mapping, LinkKind.SPINE_CORE)
    group, member = np.divmod(was.upper, np.int32(old.sizing.group_cores))
    was = was._replace(upper=(group * sizing.group_cores + member).astype(np.int32))
    side = TierPorts(sizing.spine_up, sizing.group_cores, new.fabric.port_layouts[Role.CORE].usable)
    groups = [_group(was, rule, each, sizing, side) for each in range(sizing.pod_spines)]
    columns = TierLinks(*(np.concatenate(column) for column in zip(*groups, strict=True)))
    order = np.lexsort((columns.lower_port, columns.lower))
    return TierLinks(*(column[order] for column in columns))


def _group(
    was: TierLinks, rule: TierLinks, group: int, sizing: Sizing, side: TierPorts
) -> TierLinks:
    """Keep the links of one core group's spines; within it a spine counts as its pod."""
    spines, first = sizing.pod_spines, group * sizing.group_cores
    before, asked = (
        TierLinks(links.lower // spines, links.lower_port, links.upper - first, links.upper_port)
        for links in (
            TierLinks(*(column[links.lower % spines == group] for column in links))
            for links in (was, rule)
        )
    )
    kept = keep(before, asked, side)
    return kept._replace(lower=kept.lower * spines + group, upper=kept.upper + first)


def keep(old: TierLinks, rule: TierLinks, side: TierPorts) -> TierLinks:
    """Join two tiers as `rule` does, reusing the ports of as many links of `old` as possible.

    Each pair of switches gets as many links as in `rule`. Switches and ports of `old` are numbered
    as in `rule`. Returns rows in the order of `rule`: lower switch, then uplink.
    """
    pairs, need = np.unique(_pairs(rule, side.uppers), return_counts=True)
    stays = _staying(old, pairs, need, side)
    kept = TierLinks(*(column[stays] for column in old))
    have = np.zeros_like(need)
    np.add.at(have, np.searchsorted(pairs, _pairs(kept, side.uppers)), 1)
    # every pair repeated for its missing links; their lower ports are the free uplinks in order
    rest = np.repeat(pairs, need - have)
    lower, upper = np.divmod(rest, side.uppers)
    free = _free(kept.lower, kept.lower_port, np.bincount(rule.lower), side.uplinks)
    # sorted by upper switch, each switch hands out its lowest free ports
    above = np.argsort(upper, kind="stable")
    upper_port = np.empty_like(rest)
    wanted = np.bincount(upper, minlength=side.uppers)
    upper_port[above] = _lowest(
        _free(kept.upper, kept.upper_port, np.full(side.uppers, side.ports), side.ports),
        wanted,
        side.ports,
    )
    moved = TierLinks(
        *(column.astype(np.int32) for column in (lower, free % side.uplinks, upper, upper_port))
    )
    columns = TierLinks(*(np.concatenate(both) for both in zip(kept, moved, strict=True)))
    order = np.lexsort((columns.lower_port, columns.lower))
    return TierLinks(*(column[order] for column in columns))


def _pairs(joints: TierLinks, uppers: int) -> IntArray:
    """Return the number of the pair of switches that each link joins."""
    return joints.lower.astype(np.int64) * uppers + joints.upper


def _staying(old: TierLinks, pairs: IntArray, need: IntArray, side: TierPorts) -> IntArray:
    """Return the rows of the old links that stay: the first ones by uplink of each pair."""
    fits = np.flatnonzero(
        (old.upper < side.uppers) & (old.upper_port < side.ports) & (old.lower_port < side.uplinks)
    )
    pair = _pairs(old, side.uppers)[fits]
    order = np.lexsort((old.lower_port[fits], pair))
    pair = pair[order]
    # rank of each link within its pair: its index minus that of the pair's first link
    rank = np.arange(len(pair)) - np.searchsorted(pair, pair)
    at = np.minimum(np.searchsorted(pairs, pair), len(pairs) - 1)
    wanted = np.where(pairs[at] == pair, need[at], 0)
    rows: IntArray = np.sort(fits[order][rank < wanted])
    return rows


def _free(switch: Int32Array, port: Int32Array, ports: IntArray, width: int) -> IntArray:
    """Return the free ports of switches as switch * width + port, in order.

    Each switch has its number of `ports`.
    """
    open_ = np.arange(width)[None, :] < ports[:, None]
    open_[switch, port] = False
    return np.flatnonzero(open_)


def _lowest(free: IntArray, wanted: IntArray, width: int) -> IntArray:
    """Return the lowest `wanted` free ports of each switch, switch by switch."""
    switch, port = np.divmod(free, width)
    rank = np.arange(len(free)) - np.searchsorted(switch, switch)
    chosen: IntArray = port[rank < wanted[switch]]
    return chosen

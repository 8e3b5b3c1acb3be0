"""The links of one block: the port at each end of every link between two tiers.

Owns the rule that spreads uplinks over the switches above. Links are numpy columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.clos import Sizing


class TierLinks(NamedTuple):
    """Links between two tiers of one block as columns: the switch and the port at each end."""

    lower: Int32Array
    lower_port: Int32Array
    upper: Int32Array
    upper_port: Int32Array


def leaf_spine(sizing: Sizing) -> TierLinks:
    """Wire the leaves of a block of two or three tiers to its spines, in order of leaf and uplink.

    Ports count from 0 on each side of a switch. Two tiers: the spines take a leaf's uplinks in
    equal runs, in leaf order; where the number of spines does not divide the uplinks (`minimal`),
    the links take the spines in turn. Three tiers: the same rule within each pod, where it gives
    equal runs; with as many spines as uplinks, uplink `j` is joined to spine `j`.
    """
    if sizing.leaf_uplinks:
        return _uneven(np.array(sizing.leaf_uplinks, dtype=np.int32), sizing.spine)
    leaf = np.repeat(np.arange(sizing.leaf, dtype=np.int32), sizing.leaf_up)
    uplink = np.tile(np.arange(sizing.leaf_up, dtype=np.int32), sizing.leaf)
    if sizing.tiers == 3:  # noqa: PLR2004 - pods exist in the third tier only
        pod, position = np.divmod(leaf, np.int32(sizing.pod_leaves))
        spine, port = _spread(position, uplink, sizing.leaf_up, sizing.pod_spines)
        return TierLinks(leaf, uplink, pod * np.int32(sizing.pod_spines) + spine, port)
    return TierLinks(leaf, uplink, *_spread(leaf, uplink, sizing.leaf_up, sizing.spine))


def _uneven(uplinks: Int32Array, spines: int) -> TierLinks:
    """Wire leaves with so many uplinks each to spines that divide every number."""
    leaf = np.repeat(np.arange(len(uplinks), dtype=np.int32), uplinks)
    before = np.cumsum(uplinks) - uplinks
    uplink = (np.arange(len(leaf)) - before[leaf]).astype(np.int32)
    spine, offset = np.divmod(uplink, uplinks[leaf] // spines)
    port = before[leaf] // spines + offset
    return TierLinks(leaf, uplink, spine.astype(np.int32), port.astype(np.int32))


def spine_core(sizing: Sizing) -> TierLinks:
    """Wire the spines of a three-tier block to its cores, in order of spine and uplink.

    Spine `i` of every pod is joined to core group `i`, by the rule of `leaf_spine`.
    """
    spine = np.repeat(np.arange(sizing.spine, dtype=np.int32), sizing.spine_up)
    uplink = np.tile(np.arange(sizing.spine_up, dtype=np.int32), sizing.spine)
    pod, group = np.divmod(spine, np.int32(sizing.pod_spines))
    member, port = _spread(pod, uplink, sizing.spine_up, sizing.group_cores)
    return TierLinks(spine, uplink, group * sizing.group_cores + member, port)


def _spread(
    lower: Int32Array, uplink: Int32Array, uplinks: int, uppers: int
) -> tuple[Int32Array, Int32Array]:
    """Give each uplink of each lower switch an upper switch and its port."""
    if uplinks % uppers == 0:
        run = uplinks // uppers
        upper, offset = np.divmod(uplink, run)
        return upper, lower * run + offset
    port, upper = np.divmod(lower * uplinks + uplink, uppers)
    return upper, port

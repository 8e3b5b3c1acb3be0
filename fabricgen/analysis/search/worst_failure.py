"""The worst effect of one failure inside the network, by counts alone.

Owns the sums. A failed switch costs at least as much as any of its cables or ports, so the worst
failure is that of a switch. `impact` owns the shares and the definition of *cut off*; if one switch
is the only path, `impact` itself measures the failure, because such fabrics are small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.impact.ranking import rank
from fabricgen.analysis.search.part_counts import endpoints
from fabricgen.core.terms import Role
from fabricgen.planning.plan import complete

if TYPE_CHECKING:
    from fabricgen.core.arrays import BoolArray, Int32Array
    from fabricgen.planning.draft import Draft


class Worst(NamedTuple):
    """The effect of a failed switch: GPUs cut off, and the lost share of bandwidth in percent.

    Each is the worst of any switch, seldom of the same one.
    """

    gpus_cut_off: int
    bandwidth_lost_pct: float


def worst(draft: Draft, used: BoolArray | None = None) -> Worst:
    """Return the worst effect of the failure of any one switch.

    `used` are its `part_counts.endpoints`, where they are known.

    Raises Refusal if the draft has to be wired for it, and cannot be.
    """
    if _one_way(draft):
        impacts = [row.impact for row in rank(complete(draft), "switch")]
        return Worst(
            max(impact.gpus_cut_off for impact in impacts),
            max(impact.fabric_bandwidth_lost_pct for impact in impacts),
        )
    used = endpoints(draft) if used is None else used
    served = used.sum(axis=1, dtype=np.int64)
    lost = max(_taken(draft, role, served) for role in draft.roles)
    return Worst(_cut_off(draft), round(100 * lost / (draft.fabric.gpus * draft.fabric.planes), 6))


def _one_way(draft: Draft) -> bool:
    """Return whether one spine, or one core, alone joins the leaves of the only block."""
    sizing = draft.sizing
    ways = sizing.pod_spines
    return (
        draft.mapping.segments * draft.mapping.segment_blocks == 1
        and sizing.tiers > 1
        and ways == 1
    )


def _taken(draft: Draft, role: Role, served: Int32Array) -> float:
    """Return the most NIC ports, whole or in parts, that one switch of a role serves.

    `served` are the endpoints of each leaf of a block.
    """
    sizing = draft.sizing
    if role is Role.LEAF:
        return float(served.max()) * draft.mapping.segment_blocks
    pods = sizing.by_pod(served).sum(axis=1)
    if role is Role.CORE:
        shares = _links(sizing.pods, sizing.spine_up, sizing.group_cores) / sizing.spine_up
        return float((pods @ shares).max()) / sizing.pod_spines
    if sizing.core:
        return float(pods.max()) / sizing.pod_spines
    return (
        float((served @ _links(sizing.leaf, sizing.leaf_up, sizing.spine)).max()) / sizing.leaf_up
    )


def _links(lowers: int, uplinks: int, uppers: int) -> Int32Array:
    """Return the links between switches, as `clos` spreads them; shape (lowers, uppers)."""
    if uplinks % uppers == 0:
        return np.full((lowers, uppers), uplinks // uppers, dtype=np.int64)
    first = np.arange(lowers, dtype=np.int64)[:, None] * uplinks
    upper = np.arange(uppers, dtype=np.int64)
    return np.asarray((first + uplinks - 1 - upper) // uppers - (first - 1 - upper) // uppers)


def _cut_off(draft: Draft) -> int:
    """Return the most GPUs that a failed leaf leaves without a path out of their HB domain.

    A GPU is not cut off if it has a NIC port on another plane or box, or a GPU of its domain has.
    With one HB domain there is no outside.
    """
    fabric, sizing = draft.fabric, draft.sizing
    domains = fabric.coordinates.domains
    if draft.mapping.segments > 1 or domains == 1:
        return 0
    gpu = draft.mapping.pattern()
    slots = np.flatnonzero((gpu >= 0) & (gpu < fabric.gpus))
    domain, leaf = fabric.coordinates.domain(gpu[slots]), slots // sizing.leaf_down
    first, last = np.full(domains, sizing.leaf), np.full(domains, -1)
    np.minimum.at(first, domain, leaf)
    np.maximum.at(last, domain, leaf)
    alone = np.bincount(first[first == last], minlength=sizing.leaf)
    cut = np.where(
        domains - alone <= 1, domains, alone
    )  # a single domain that is left reaches nothing outside either
    return int(np.where(alone > 0, cut, 0).max()) * fabric.domain_gpus

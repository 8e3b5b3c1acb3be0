"""The traffic on links in figures: by kind of link, the busiest one, and those that carry nothing.

Owns the words and the lists; bytes come from `crossing`. What carries nothing in an any-to-any
fabric whose pods hold whole rails is what a rail-only fabric does without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.analysis.forwarding.ecmp_hash import spread
from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.workload.link_traffic import Links
    from fabricgen.core.arrays import BoolArray
    from fabricgen.planning.plan import Plan

MOST_FLOWS = 20_000
"""Flows that are hashed to see how evenly they spread."""


def document(links: Links) -> dict[str, Any]:
    """Return the traffic of a job on the links of its fabric, under the keys of `model --traffic --json`."""
    plan, (up, down) = links.plan, links.loads
    idle, segments = idle_rows(links), plan.mapping.segments
    kinds = {}
    for kind in plan.kinds:
        rows = plan.segment.kind == kind
        most = float(np.maximum(up, down)[rows].max(initial=0))
        seconds = most / (plan.link_parts[kind].speed_gbps * 10**9 / 8)
        count, empty = int(rows.sum()) * segments, int(idle[rows].sum()) * segments
        kinds[kind.key] = {
            "links": count,
            "idle": empty,
            "bytes_up": float(up[rows].sum()) * segments,
            "most_bytes": most,
            "most_s": seconds,
        }
    total, empty = plan.links, int(idle.sum()) * segments
    return {
        "links": kinds,
        "idle_links": empty,
        "idle_links_pct": 100 * empty / total,
        "busiest": _busiest(links),
        "hashing": _hashing(links),
    }


def idle_rows(links: Links) -> BoolArray:
    """Say of each link of a segment whether it carries nothing."""
    up, down = links.loads
    return np.asarray((up == 0) & (down == 0))


def _busiest(links: Links) -> dict[str, Any]:
    """Name the link that takes longest for its bytes, the first of those that do."""
    plan, (up, down) = links.plan, links.loads
    speeds = np.zeros(len(LinkKind) + 1)
    for kind in plan.kinds:
        speeds[kind] = plan.link_parts[kind].speed_gbps * 10**9 / 8
    seconds = np.maximum(up, down) / speeds[plan.segment.kind]
    row, most = int(seconds.argmax()), float(seconds.max())
    alike = int(np.count_nonzero(seconds >= most * (1 - 1e-9))) * plan.mapping.segments
    return {
        "cable": label(plan, 0, row),
        "up": bool(up[row] >= down[row]),
        "bytes": float(max(up[row], down[row])),
        "seconds": most,
        "alike": alike,
    }


def _hashing(links: Links) -> dict[str, Any] | None:
    """Say how far real hashing is from even: what the fullest uplink of the first leaf carries, over its share. None where a block spans rails."""
    plan, _ = links.plan, links.loads
    hosts = int(np.count_nonzero((plan.segment.kind == LinkKind.HOST) & (plan.segment.block == 0)))
    near = min(plan.sizing.leaf_down, hosts)
    if plan.mapping.spans_rails or plan.sizing.tiers == 1 or near == hosts:
        return None
    flows = min(near * (hosts - near), MOST_FLOWS)
    counts = spread(plan, 0, flows).get(LinkKind.LEAF_SPINE)
    return (
        None
        if counts is None
        else {
            "flows": flows,
            "uplinks": len(counts),
            "fullest": float(counts.max() / counts.mean()),
        }
    )


def label(plan: Plan, segment: int, row: int) -> str:
    """Return what the cables of a link are labelled with."""
    columns = plan.segment
    return f"{plan.label(LinkKind(int(columns.kind[row])), segment, int(columns.block[row]))}{int(columns.number[row]):0{plan.label_width}}"


def idle_csv(links: Links) -> Iterator[str]:
    """Yield the links that carry nothing as lines of CSV: the trimmed network is the fabric without them."""
    yield "cable,kind,lower,upper"
    plan, idle = links.plan, np.flatnonzero(idle_rows(links)).tolist()
    for segment in range(plan.mapping.segments):
        names = plan.naming.switches(segment)
        for row in idle:
            kind = LinkKind(int(plan.segment.kind[row]))
            lower = "" if kind is LinkKind.HOST else names[int(plan.segment.lower[row])]
            yield f"{label(plan, segment, row)},{kind.key},{lower},{names[int(plan.segment.upper[row])]}"

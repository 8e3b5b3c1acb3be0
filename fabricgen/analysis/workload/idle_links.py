"""The traffic on links in figures: by kind of link, the busiest link, and the idle links.

Owns the texts and the lists; `link_traffic` owns the bytes. A rail-only fabric does without the
links that are idle in an any-to-any fabric whose pods hold whole rails.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.analysis.forwarding.ecmp_hash import spread
from fabricgen.core.document import Document
from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.workload.collectives import TrafficShares
    from fabricgen.analysis.workload.link_traffic import LinkTraffic
    from fabricgen.core.arrays import BoolArray
    from fabricgen.planning.plan import Plan

MOST_FLOWS = 20_000
"""Flows that are hashed to measure how evenly they spread."""


@dataclass(frozen=True)
class KindTraffic(Document):
    """The traffic on links of one kind; `most_bytes` and `most_s` are those of the busiest."""

    links: int
    idle: int
    bytes_up: float
    most_bytes: float
    most_s: float


@dataclass(frozen=True)
class BusiestLink(Document):
    """The link that needs the longest time for its bytes, and how many links need as long."""

    cable: str
    up: bool
    bytes: float
    seconds: float
    alike: int


@dataclass(frozen=True)
class HashedFlows(Document):
    """Flows hashed over the uplinks of a leaf; `fullest` is the most on one, over its share."""

    flows: int
    uplinks: int
    fullest: float


@dataclass(frozen=True)
class LinkTotals(Document):
    """The traffic on all links; `hashing` is None where a flow has no choice of uplinks."""

    links: dict[str, KindTraffic]
    idle_links: int
    idle_links_pct: float
    busiest: BusiestLink
    hashing: HashedFlows | None


@dataclass(frozen=True)
class Traffic(Document):
    """The traffic of one iteration on a fabric: `traffic` of `model --traffic --json`."""

    design: str
    n_m: int
    collective: str
    shares: TrafficShares
    load: LinkTotals

    def document(self) -> dict[str, Any]:
        """Return the figures of pairs, then those of links."""
        asked = {"design": self.design, "n_m": self.n_m, "collective": self.collective}
        return asked | self.shares.document() | self.load.document()


def traffic_of(links: LinkTraffic) -> Traffic:
    """Return the traffic of a job in figures."""
    groups = links.groups
    return Traffic(
        links.plan.fabric.design.value,
        groups.n_m,
        groups.collective,
        groups.shares(),
        link_totals(links),
    )


def link_totals(links: LinkTraffic) -> LinkTotals:
    """Return the traffic of a job on the links of its fabric."""
    plan, (up, down) = links.plan, links.loads
    idle, segments = idle_rows(links), plan.mapping.segments
    kinds = {}
    for kind in plan.kinds:
        rows = plan.segment.kind == kind
        most = float(np.maximum(up, down)[rows].max(initial=0))
        kinds[kind.key] = KindTraffic(
            links=int(rows.sum()) * segments,
            idle=int(idle[rows].sum()) * segments,
            bytes_up=float(up[rows].sum()) * segments,
            most_bytes=most,
            most_s=most / (plan.link_parts[kind].speed_gbps * 10**9 / 8),
        )
    empty = int(idle.sum()) * segments
    return LinkTotals(kinds, empty, 100 * empty / plan.links, _busiest(links), _hashing(links))


def idle_rows(links: LinkTraffic) -> BoolArray:
    """Return whether each link of a segment carries nothing."""
    up, down = links.loads
    return np.asarray((up == 0) & (down == 0))


def _busiest(links: LinkTraffic) -> BusiestLink:
    """Return the link that needs the longest time for its bytes; the first of several."""
    plan, (up, down) = links.plan, links.loads
    speeds = np.zeros(len(LinkKind) + 1)
    for kind in plan.kinds:
        speeds[kind] = plan.link_parts[kind].speed_gbps * 10**9 / 8
    seconds = np.maximum(up, down) / speeds[plan.segment.kind]
    row, most = int(seconds.argmax()), float(seconds.max())
    alike = int(np.count_nonzero(seconds >= most * (1 - 1e-9))) * plan.mapping.segments
    return BusiestLink(
        cable=label(plan, 0, row),
        up=bool(up[row] >= down[row]),
        bytes=float(max(up[row], down[row])),
        seconds=most,
        alike=alike,
    )


def _hashing(links: LinkTraffic) -> HashedFlows | None:
    """Return how far hashing is from even.

    That is the load of the fullest uplink of the first leaf, over its share. It is None where a
    block spans rails.
    """
    plan, _ = links.plan, links.loads
    hosts = int(np.count_nonzero((plan.segment.kind == LinkKind.HOST) & (plan.segment.block == 0)))
    near = min(plan.sizing.leaf_down, hosts)
    if plan.mapping.spans_rails or plan.sizing.tiers == 1 or near == hosts:
        return None
    flows = min(near * (hosts - near), MOST_FLOWS)
    counts = spread(plan, 0, flows).get(LinkKind.LEAF_SPINE)
    if counts is None:
        return None
    return HashedFlows(flows, len(counts), float(counts.max() / counts.mean()))


def label(plan: Plan, segment: int, row: int) -> str:
    """Return the label of a link's cables, without a letter."""
    columns = plan.segment
    kind, block = LinkKind(int(columns.kind[row])), int(columns.block[row])
    return f"{plan.label(kind, segment, block)}{int(columns.number[row]):0{plan.label_width}}"


def idle_csv(links: LinkTraffic) -> Iterator[str]:
    """Yield the links that carry nothing as lines of CSV.

    The trimmed network is the fabric without them.
    """
    yield "cable,kind,lower,upper"
    plan, idle = links.plan, np.flatnonzero(idle_rows(links)).tolist()
    for segment in range(plan.mapping.segments):
        names = plan.naming.switches(segment)
        for row in idle:
            kind = LinkKind(int(plan.segment.kind[row]))
            lower = "" if kind is LinkKind.HOST else names[int(plan.segment.lower[row])]
            upper = names[int(plan.segment.upper[row])]
            yield f"{label(plan, segment, row)},{kind.key},{lower},{upper}"

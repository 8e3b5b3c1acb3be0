"""What a report writes about direct rails: the graph, its figures, and what it does not do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.count_text import counted
from fabricgen.core.terms import speed_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.summary import PlanSummary, TopologySummary

BY_LAWS = "no formula has it; the laws below compute it"


class GraphFigure(NamedTuple):
    """A figure of the graph of a rail: its key, label, value and note."""

    key: str
    label: str
    value: str
    note: str


def graph_title(found: TopologySummary) -> str:
    """Return the shape of a rail, as in `torus-2d 4 x 4`."""
    return " ".join([found.kind, " x ".join(map(str, found.dimensions))]).strip()


def graph_figures(summary: PlanSummary, found: TopologySummary) -> Iterator[GraphFigure]:
    """Yield the figures of the graphs of a plan; one that no formula has is not known."""
    each = f"{counted(found.parallel, 'link')} of {speed_text(found.link_gbps)}"
    idle = f"; {found.idle} of {found.links} links of a NIC port idle" if found.idle else ""
    endpoints = summary.per_block.endpoints
    blocks = f"{counted(summary.blocks, 'rail')} of {endpoints:,} GPUs"
    yield GraphFigure("graph", "graph of a rail", graph_title(found), f"{blocks}, without switches")
    yield GraphFigure(
        "degree", "neighbours of a GPU", f"{found.degree}", f"{each} to each of them{idle}"
    )
    known = found.diameter is not None
    yield GraphFigure(
        "diameter",
        "diameter",
        f"{found.diameter} links" if known else "not known",
        "between the two GPUs of a rail that are farthest apart" if known else BY_LAWS,
    )
    known = found.bisection_gbps is not None
    yield GraphFigure(
        "bisection",
        "bisection of a rail",
        f"{found.bisection_gbps:,} Gbps" if known else "not known",
        "between two halves of its GPUs" if known else BY_LAWS,
    )


def direct_limits(found: TopologySummary) -> Iterator[str]:
    """Yield what rails without switches do not do."""
    yield (
        f"GPUs of a rail that are no neighbours ({found.degree} others are) exchange data over the"
        " hosts between them: a path of several links takes the bandwidth of each of them. Between"
        " rails such traffic first takes a hop between two GPUs of one HB domain."
    )
    yield "A larger cluster has other links, so a technician moves cables when it grows."

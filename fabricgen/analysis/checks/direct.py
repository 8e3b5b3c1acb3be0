"""The laws of direct rails: links between GPUs, judged on the wiring.

Each public function is a law of `laws`. `direct_graphs` computes the figures of a graph; what a
rail claims is in `DirectTopology`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, violations
from fabricgen.core.count_text import counted
from fabricgen.core.terms import speed_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.analysis.direct_graphs import GraphFigures, PathFigures
    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.direct.topology import DirectTopology


F = TypeVar("F")
"""The figures of a graph."""


def direct_ports(evidence: Evidence) -> Verdict:
    """Every link of a split NIC port exists and is used once, or is idle as planned."""
    fabric, topology = evidence.plan.fabric, _topology(evidence)
    ports, rows = fabric.planes * fabric.split, np.arange(len(evidence.wiring.kind))
    gpu, port = _ends(evidence)
    inside = (gpu >= 0) & (gpu < fabric.gpus) & (port >= 0) & (port < ports)
    outside = np.flatnonzero(~inside) % len(rows)
    number = np.where(inside, gpu * ports + port, -1)
    used = np.bincount(number[inside], minlength=fabric.gpus * ports)
    twice, linked = np.flatnonzero(used > 1), int(np.count_nonzero(used))
    planned = fabric.gpus * fabric.planes * (fabric.split - topology.idle)

    def shared(port_number: int) -> Violation:
        cables = np.tile(rows, 2)[number == port_number][:2]
        names = " and ".join(evidence.label(int(row)) for row in cables)
        return Violation(f"{_port(evidence, *divmod(port_number, ports))} has cables {names}")

    short = [planned - linked] if not len(twice) and not len(outside) else []
    return Verdict(
        f"{linked:,} links of NIC ports in use, one cable each;"
        f" {fabric.gpus * ports - linked:,} idle",
        (
            violations(outside, lambda row: Violation(f"{_link(evidence, row)} ends nowhere")),
            violations(twice, shared),
            violations(
                [each for each in short if each],
                lambda count: Violation(f"{count} links of NIC ports have no cable"),
            ),
        ),
    )


def direct_rails(evidence: Evidence) -> Verdict:
    """Every link joins two GPUs of one rail, on one plane."""
    plan, wiring = evidence.plan, evidence.wiring
    gpu, port = (each.reshape(2, -1) for each in _ends(evidence))
    rail, plane = plan.fabric.coordinates.rail(gpu), port // plan.fabric.split
    own = np.array(
        [(plan.mapping.rail(each), plan.mapping.plane(each)) for each in range(evidence.segments)]
    )[wiring.segment]
    wrong = np.flatnonzero(
        (rail != own[:, 0]).any(axis=0) | (plane != own[:, 1]).any(axis=0) | (gpu[0] == gpu[1])
    )

    def describe(row: int) -> Violation:
        ends = (
            f"rail {rail[end, row]}" + (f" on plane {plane[end, row]}" * (plan.fabric.planes > 1))
            for end in range(2)
        )
        return Violation(f"{_link(evidence, row)} joins {' and '.join(ends)}")

    planes = f" x {plan.fabric.planes} planes" if plan.fabric.planes > 1 else ""
    return Verdict(
        f"{counted(evidence.segments, 'separate network')} for"
        f" {counted(plan.fabric.rails, 'rail')}{planes}",
        (violations(wrong, describe),),
    )


def direct_graph(evidence: Evidence) -> Verdict:
    """Every rail is connected, and has the degree and the diameter that its graph claims."""
    from fabricgen.analysis.direct_graphs import MOST_NODES, figures_of  # noqa: PLC0415 - networkx, for direct rails only
    from fabricgen.analysis.large_graphs import changed_dimensions, large_figures  # noqa: PLC0415 - as above

    topology = _topology(evidence)
    large = topology.nodes > MOST_NODES
    judge = partial(large_figures, topology) if large else partial(figures_of, topology.nodes)
    found = _rails(evidence, judge)
    faults = [
        Violation(f"{name} {fault}")
        for name, figures in found
        for fault in _graph_faults(topology, figures)
    ]
    faults += [
        Violation(f"{name} is no {topology.kind}: moved along dimension {each}, its cables differ")
        for name, changed in _rails(evidence, partial(changed_dimensions, topology))
        for each in changed
    ]
    diameter = max(figures.diameter or 0 for _, figures in found)
    many = f", {topology.parallel} links each" if topology.parallel > 1 else ""
    return Verdict(
        f"{topology.title}: degree {topology.degree}{many}, diameter {diameter}",
        (violations(faults, lambda violation: violation),),
    )


def direct_paths(evidence: Evidence) -> Verdict:
    """No pair of GPUs has fewer disjoint paths than neighbours, and halves meet as claimed."""
    from fabricgen.analysis.direct_graphs import MOST_NODES, paths_of  # noqa: PLC0415 - as above
    from fabricgen.analysis.large_graphs import large_paths  # noqa: PLC0415 - as above

    topology, fabric = _topology(evidence), evidence.plan.fabric
    large = topology.nodes > MOST_NODES
    judge = partial(large_paths, topology) if large else partial(paths_of, topology.nodes)
    found = _rails(evidence, judge)
    faults = [
        Violation(f"{name} {fault}")
        for name, figures in found
        for fault in _path_faults(topology, figures)
    ]
    least = min(figures.least for _, figures in found)
    most = min(figures.most for _, figures in found)
    disjoint = min(each.disjoint for _, each in found) * topology.parallel
    claimed = topology.bisection
    return Verdict(
        f"{disjoint} paths of {speed_text(fabric.link_gbps)} without a link in common;"
        f" {_bisection(evidence, claimed or least, claimed or most)}",
        (violations(faults, lambda violation: violation),),
    )


def _graph_faults(topology: DirectTopology, figures: GraphFigures) -> Iterator[str]:
    """Yield what of a rail's graph is not as claimed."""
    if figures.diameter is None:
        yield "is not connected"
    elif topology.diameter is not None and figures.diameter != topology.diameter:
        yield f"has a diameter of {figures.diameter}, and claims {topology.diameter}"
    if figures.degrees != (topology.degree, topology.degree):
        low, high = figures.degrees
        yield f"has degrees of {low} to {high}, and claims {topology.degree}"
    elif figures.parallel != (topology.parallel, topology.parallel):
        low, high = figures.parallel
        yield f"has {low} to {high} links between neighbours, and claims {topology.parallel}"


def _path_faults(topology: DirectTopology, figures: PathFigures) -> Iterator[str]:
    """Yield which paths of a rail are missing."""
    if figures.disjoint < topology.degree:
        yield (
            f"has {figures.disjoint} disjoint paths between two GPUs, and {topology.degree}"
            " neighbours of each"
        )
    claimed, least, most = topology.bisection, figures.least, figures.most
    if claimed is not None and not least <= claimed <= most:
        yield f"has halves joined by {least} to {most} pairs of neighbours, and claims {claimed}"


def _bisection(evidence: Evidence, least: int, most: int) -> str:
    """Return the bandwidth between the halves of a rail as text."""
    each = _topology(evidence).parallel * evidence.plan.fabric.link_gbps
    if least == most:
        return f"bisection of a rail {most * each:,} Gbps"
    return f"bisection of a rail {least * each:,} to {most * each:,} Gbps"


def _rails(evidence: Evidence, judge: Callable[[IntArray, IntArray], F]) -> list[tuple[str, F]]:
    """Return the name of each rail on a plane, and the figures of its graph; equal ones once."""
    plan, wiring, links = evidence.plan, evidence.wiring, len(evidence.plan.segment.kind)
    found, seen = list[tuple[str, F]](), dict[bytes, F]()
    for segment in range(evidence.segments):
        rows = slice(segment * links, (segment + 1) * links)
        ends = [
            plan.fabric.coordinates.rail_index(column[rows].astype(np.int64))
            for column in (wiring.lower, wiring.upper)
        ]
        key = np.stack(ends).tobytes()
        if key not in seen:
            seen[key] = judge(ends[0], ends[1])
        found.append((evidence.block(segment), seen[key]))
    return found


def _ends(evidence: Evidence) -> tuple[IntArray, IntArray]:
    """Return the GPU and the port at each end of all links, the lower ends first."""
    wiring = evidence.wiring
    return (
        np.concatenate([wiring.lower, wiring.upper]).astype(np.int64),
        np.concatenate([wiring.lower_port, wiring.upper_port]).astype(np.int64),
    )


def _port(evidence: Evidence, gpu: int, port: int) -> str:
    """Name a link of a NIC port."""
    return f"{evidence.plan.fabric.coordinates.name(gpu)} link {port}"


def _link(evidence: Evidence, row: int) -> str:
    """Name a cable and both of its ends."""
    wiring = evidence.wiring
    ends = ((wiring.lower, wiring.lower_port), (wiring.upper, wiring.upper_port))
    names = (_port(evidence, int(gpu[row]), int(port[row])) for gpu, port in ends)
    return f"cable {evidence.label(row)} ({' - '.join(names)})"


def _topology(evidence: Evidence) -> DirectTopology:
    """Return what the rails claim to be."""
    topology = evidence.plan.mapping.topology
    if topology is None:
        raise ValueError("the rails of this plan have switches")
    return topology

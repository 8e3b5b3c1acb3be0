"""The runs into which a build cuts switches, hosts and cables.

Owns their sizes and their limits to the scope of the build. A task serves one run, so that both
many small segments and one large one fill every core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.build.context import per_build
from fabricgen.views.cables.cable_rows import CableRows
from fabricgen.views.cables.view import Chunk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fabricgen.build.context import BuildContext
    from fabricgen.core.terms import Role
    from fabricgen.views.cables.view import CableSheet, CableView

ROWS, SWITCHES, HOSTS = 8192, 128, 64
"""Rows of a table that are rendered at once, and switches and hosts that one task serves."""


def switch_runs(context: BuildContext) -> Iterator[tuple[int, Sequence[int]]]:
    """Cut the switches into runs of boxes, each with its segment."""
    scope = context.scope
    segments = scope.segments if scope else range(context.plan.mapping.segments)
    boxes = scope.boxes if scope else range(len(context.plan.naming.boxes))
    return (
        (segment, boxes[first : first + SWITCHES])
        for segment in segments
        for first in range(0, len(boxes), SWITCHES)
    )


def installed_switches(
    context: BuildContext, segment: int, boxes: Sequence[int]
) -> Iterator[tuple[str, Role]]:
    """Name the installed switches of a run, with their roles."""
    plan = context.plan
    names, every = plan.naming.switches(segment), plan.naming.boxes
    return ((names[index], every[index].role) for index in boxes if plan.installed[index])


def host_runs(context: BuildContext) -> Iterator[Sequence[int]]:
    """Cut the hosts into runs."""
    hosts: Sequence[int] = range(len(context.plan.hosts))
    if context.scope:
        hosts = sorted({context.plan.fabric.coordinates.host(gpu) for gpu in context.scope.gpus})
    return (hosts[first : first + HOSTS] for first in range(0, len(hosts), HOSTS))


def gpus_of(context: BuildContext, hosts: Sequence[int]) -> Iterator[int]:
    """List the GPUs of a run of hosts."""
    coordinates, scope = context.plan.fabric.coordinates, context.scope
    every = (gpu for host in hosts for gpu in coordinates.host_range(host))
    return (gpu for gpu in every if scope is None or gpu in scope.gpus)


@per_build
def cable_rows(context: BuildContext) -> CableRows:
    """Return what makes the rows of cables."""
    return CableRows(context.views)


def cable_chunks(
    context: BuildContext, sheet_of: Callable[[BuildContext], CableSheet]
) -> Iterator[Chunk]:
    """Cut the cables of a sheet, a row for each, into runs of rows, segment by segment."""
    return _chunks(context, lambda own: cable_rows(own).rows, sheet_of)


def labelled_chunks(
    context: BuildContext, sheet_of: Callable[[BuildContext], CableSheet]
) -> Iterator[Chunk]:
    """Cut the links of a sheet, or the jumpers of those that have them, into runs of rows."""
    return _chunks(context, lambda own: cable_rows(own).labelled, sheet_of)


def link_chunks(
    context: BuildContext, sheet_of: Callable[[BuildContext], CableSheet]
) -> Iterator[Chunk]:
    """Cut the links of a sheet, a row for each, into runs of rows, segment by segment."""
    return _chunks(context, lambda own: own.views.cables, sheet_of)


def _chunks(
    context: BuildContext,
    rows_of: Callable[[BuildContext], Callable[[int, int, int], Sequence[CableView]]],
    sheet_of: Callable[[BuildContext], CableSheet],
) -> Iterator[Chunk]:
    """Cut rows into runs of links: those of the compute fabric, then of each network."""
    name, runs = context.plan.spec.name, [*_runs(context)]
    for number, (own, segment, start, stop) in enumerate(runs, start=1):
        rows = rows_of(own)(segment, start, stop)
        yield Chunk(name, rows, number == 1, number == len(runs), sheet_of(own))


def _runs(context: BuildContext) -> Iterator[tuple[BuildContext, int, int, int]]:
    """Yield the context, the segment, and the first and last row of each run of links."""
    for own in context.each:
        rows = len(own.plan.segment.kind)
        for segment in range(own.plan.mapping.segments):
            for start in range(0, rows, ROWS):
                yield own, segment, start, min(start + ROWS, rows)

"""What of the outputs is read: everything, or the first and the last segment of a large fabric.

Reading a row of an output costs microseconds. Segments are alike, which `wired-as-planned` has
verified by then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.views.switches.view import SwitchView

    Texts = NDArray[np.object_]
    """A column of texts."""

READ_LINKS = 50_000
"""Links up to which every row of every output is read, in two seconds."""


class Scope(NamedTuple):
    """What is read of the outputs: runs of rows of the wiring, and runs of switches.

    `formula` describes from what the rest follows.
    """

    rows: list[range]
    switches: list[range]
    formula: str


def scope(evidence: Evidence) -> Scope:
    """Choose what to read.

    That is everything; or the first and the last segment; or of these the first rows of each kind
    and the first switches of each role.
    """
    wiring, plan, boxes = evidence.wiring, evidence.plan, evidence.boxes
    total, segments = len(wiring.kind), plan.mapping.segments
    if total <= READ_LINKS:
        return Scope([range(total)], [range(len(evidence.switches))], "")
    ends, each = sorted({0, segments - 1}), total // segments
    where = f"segment{'s' if len(ends) > 1 else ''} {' and '.join(map(str, ends))}"
    if each <= READ_LINKS:
        formula = f"{where} of {segments:,}, which are alike"
        return Scope(
            [range(segment * each, (segment + 1) * each) for segment in ends],
            [range(segment * boxes, (segment + 1) * boxes) for segment in ends],
            formula,
        )
    runs = [run for segment in ends for run in _first_runs(evidence, segment, each)]
    return Scope(
        [rows for rows, _ in runs],
        [switches for _, switches in runs],
        f"the first links and switches of each kind in {where}, which all others are like",
    )


def _first_runs(evidence: Evidence, segment: int, each: int) -> Iterator[tuple[range, range]]:
    """Yield the first links of each kind in block 0 of a segment, and first switches by role.

    `each` is the number of links of a segment.
    """
    kind, own = evidence.wiring.kind[:each], evidence.wiring.block[:each] == 0
    for number, role in zip(evidence.plan.tier_kinds, evidence.plan.roles, strict=True):
        rows = np.flatnonzero(own & (kind == number))[: READ_LINKS // 8]
        boxes = np.flatnonzero((evidence.box_tier == role.tier) & (evidence.box_block <= 0))[
            : READ_LINKS // 8 // len(evidence.ports[role]) + 1
        ]
        first, box = segment * each, segment * evidence.boxes
        yield (
            range(first + int(rows[0]), first + int(rows[-1]) + 1),
            range(box + int(boxes[0]), box + int(boxes[-1]) + 1),
        )


def views_of(evidence: Evidence, switches: range) -> Iterator[SwitchView]:
    """Yield the views of a run of switches, segment by segment."""
    boxes = evidence.boxes
    for segment in range(switches.start // boxes, (switches.stop - 1) // boxes + 1):
        first = segment * boxes
        yield from evidence.configs(
            segment,
            range(max(switches.start, first) - first, min(switches.stop, first + boxes) - first),
        )

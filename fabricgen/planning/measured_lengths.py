"""The measured lengths of the inventory: of cables by label, and of all between two racks.

Owns the step from labels to links and from names of racks to racks, and the refusal of those that
the fabric does not have.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.diagnostics import Finding, Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.core.terms import LinkKind
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.room.room import Room
    from fabricgen.planning.segment_links import Segment

BETWEEN = "/"
"""What is between the names of two racks; no label has it."""

_LABEL = re.compile(r"(.*?)(\d+)")


def measured_rows(drafts: Sequence[Draft], segment: Segment) -> dict[tuple[int, int], int]:
    """Return the measured runs in millimetres, by segment and row of `segment`.

    `drafts` are the fabric of the segment, and of the compute fabric the networks beside it too.
    Raises Refusal `unknown-cable` with a finding for each label that no cable has; a network leaves
    the labels of others to them.
    """
    draft, *others = drafts
    site = draft.spec.site.measured_m if draft.spec.site else {}
    stated = {label: length for label, length in site.items() if BETWEEN not in label}
    prefixes = _prefixes(draft) if stated else {}
    theirs = {prefix for other in others for prefix in (_prefixes(other) if stated else ())}
    rows = {
        label: _row(draft, segment, prefixes, label)
        for label in stated
        if (_prefix(label) in prefixes if draft.fabric.network else _prefix(label) not in theirs)
    }
    findings = [_unknown(label) for label, row in rows.items() if row is None]
    if findings:
        raise Refusal(findings)
    return {row: int(stated[label] * 1000) for label, row in rows.items() if row}


def measured_racks(room: Room) -> dict[tuple[int, int], int]:
    """Return the measured runs between two racks in millimetres, by both racks, the lower first.

    Raises Refusal `unknown-cable` with a finding for each pair of which the room lacks a rack.
    """
    stated = {key: length for key, length in room.site.measured_m.items() if BETWEEN in key}
    numbers = {name: rack for rack, name in enumerate(room.names)} if stated else {}
    runs, findings = {}, []
    for key, length in stated.items():
        ends = key.split(BETWEEN)
        racks = sorted(numbers[end] for end in ends if end in numbers)
        if len(ends) == len(racks) == 2:  # noqa: PLR2004 - a cable has two ends
            runs[racks[0], racks[1]] = int(length * 1000)
        else:
            findings.append(_unknown_racks(key, [end for end in ends if end not in numbers]))
    if findings:
        raise Refusal(findings)
    return runs


def _unknown_racks(key: str, unknown: list[str]) -> Finding:
    """Refuse a pair that is not of two racks of the room."""
    fact = f"this room has no rack `{unknown[0]}`" if unknown else f"`{key}` is not two racks"
    hint = "write two racks as in A01-01/A01-09; `cables.csv` lists the rack of each end"
    return Finding("unknown-cable", fact, ("site", "measured_m", key), (), hint)


def _prefixes(draft: Draft) -> dict[str, tuple[int, int, LinkKind]]:
    """Return the segment, the block and the kind of link of each prefix of labels."""
    return {
        prefix: (segment, block, kind)
        for segment in range(draft.mapping.segments)
        for (kind, block), prefix in draft.label_prefixes(segment).items()
    }


def _prefix(label: str) -> str:
    """Return what precedes the number of a label; empty where it has none."""
    match = _LABEL.fullmatch(label)
    return match[1] if match else ""


def _row(
    draft: Draft, segment: Segment, prefixes: dict[str, tuple[int, int, LinkKind]], label: str
) -> tuple[int, int] | None:
    """Return the segment and the row of the link that a label names; None where there is none."""
    match = _LABEL.fullmatch(label)
    if match is None or match[1] not in prefixes or len(match[2]) != draft.label_width:
        return None
    number, block, kind = prefixes[match[1]]
    here = (segment.kind == kind) & (segment.block == block) & (segment.number == int(match[2]))
    rows = np.flatnonzero(here)
    return (number, int(rows[0])) if len(rows) else None


def _unknown(label: str) -> Finding:
    """Refuse a label that no cable has."""
    return Finding(
        "unknown-cable",
        f"this fabric has no cable `{label}`",
        ("site", "measured_m", label),
        (),
        "`cables.csv` lists every label; of a link's several cables, what their labels have in"
        " common stands for all",
    )

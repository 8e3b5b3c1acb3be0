"""The cables whose length was measured, as the inventory lists them by label.

Owns the step from labels to links, and the refusal of labels that no cable has.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.diagnostics import Finding, Refusal

if TYPE_CHECKING:
    from fabricgen.core.terms import LinkKind
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.segment_links import Segment

_LABEL = re.compile(r"(.*?)(\d+)")


def measured_rows(draft: Draft, segment: Segment) -> dict[tuple[int, int], int]:
    """Return the measured runs in millimetres, by segment and row of `segment`.

    Raises Refusal `unknown-cable` with a finding for each label that no cable has.
    """
    stated = draft.spec.site.measured_m if draft.spec.site else {}
    prefixes = _prefixes(draft) if stated else {}
    rows = {label: _row(draft, segment, prefixes, label) for label in stated}
    findings = [_unknown(label) for label, row in rows.items() if row is None]
    if findings:
        raise Refusal(findings)
    return {row: int(stated[label] * 1000) for label, row in rows.items() if row}


def _prefixes(draft: Draft) -> dict[str, tuple[int, int, LinkKind]]:
    """Return the segment, the block and the kind of link of each prefix of labels."""
    return {
        prefix: (segment, block, kind)
        for segment in range(draft.mapping.segments)
        for (kind, block), prefix in draft.label_prefixes(segment).items()
    }


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

"""Every part of a kind, ranked by what its failure costs.

Owns the rows and their order. Parts with the same loss are measured once; `equivalence` finds them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.forwarding.failures import find_failures
from fabricgen.analysis.impact.equivalence import Parts
from fabricgen.analysis.impact.measure import Impact, measure
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan

NAMED = 8
"""Parts of a row that are named."""

NAMING = ("failed", "rails_affected", "rails", "relay_load")
"""Fields of an impact that name parts, rails or GPUs."""


@dataclass(frozen=True)
class RankedImpact(Document):
    """A row: the impact of one part, the number of parts with the same loss, and some names."""

    impact: Impact
    count: int
    parts: list[str]

    def document(self) -> dict[str, Any]:
        """Return the row of `impact --each --json`."""
        return self.impact.document() | {"count": self.count, "parts": self.parts}


@dataclass(frozen=True)
class Ranking(Document):
    """All parts of a kind, the worst first: `impact --each --json`."""

    each: str
    rows: list[RankedImpact]


def rank(plan: Plan, kind: str) -> list[RankedImpact]:
    """Measure the failure of every part of one of `equivalence.KINDS`.

    There is one row for all parts with the same loss, and none if the fabric has no such part.
    """
    rows: dict[str, RankedImpact] = {}
    for group in Parts(plan).groups(kind):
        first = group.names[:1]
        found = measure(plan, first, find_failures(plan, first))
        key = repr(figures(found))
        same = rows.get(key, RankedImpact(found, 0, []))
        names = [*same.parts, *group.names][:NAMED]
        rows[key] = RankedImpact(same.impact, same.count + group.size, names)
    return sorted(rows.values(), key=lambda row: severity(row.impact))


def figures(impact: Impact) -> list[Any]:
    """Return the figures that the parts of a row have in common.

    These are all that contain no name, and the losses of the rails, whichever rails they are.
    """
    return [
        *(getattr(impact, field.name) for field in fields(impact) if field.name not in NAMING),
        sorted(impact.rails.values()),
    ]


def severity(impact: Impact) -> tuple[float, ...]:
    """Return the sort key of a failure, the worst first.

    GPUs cut off come first, then lost pairs, bandwidth, pairs that need a relay, and what is left
    of the bisection.
    """
    return (
        -impact.gpus_cut_off,
        -impact.pairs_lost,
        -impact.fabric_bandwidth_lost_pct,
        -impact.pairs_needing_relay,
        impact.bisection_left_pct,
    )

"""Every part of a kind, ranked by what its failure takes.

Owns the rows and their order. Parts that are alike are measured once; which are is said by `alike`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabricgen.analysis.forwarding.failures import find_failures
from fabricgen.analysis.impact.equivalence import Parts
from fabricgen.analysis.impact.measure import measure

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan

NAMED = 8
"""Parts of a row that are named."""

NAMING = ("failed", "rails_affected", "rails", "relay_load")
"""Figures in which parts that lose the same may differ, for they name something."""


def rank(plan: Plan, kind: str) -> list[dict[str, Any]]:
    """Measure the failure of every part of one of `alike.KINDS`: a row for all that lose the same, the worst first; empty where there is no such part.

    A row holds the keys of `impact --json`, and `count` and `parts`: how many parts it stands for,
    and the names of some.
    """
    rows: dict[str, dict[str, Any]] = {}
    for group in Parts(plan).groups(kind):
        first = group.names[:1]
        row = measure(plan, first, find_failures(plan, first))
        same = rows.setdefault(repr(figures(row)), {**row, "count": 0, "parts": []})
        same["count"] += group.size
        same["parts"] = [*same["parts"], *group.names][:NAMED]
    return sorted(rows.values(), key=severity)


def figures(row: dict[str, Any]) -> list[Any]:
    """Return what makes two parts alike: every figure that names nothing, and the losses of the rails, whichever they are."""
    return [
        *(value for key, value in row.items() if key not in NAMING),
        sorted(row["rails"].values()),
    ]


def severity(row: dict[str, Any]) -> tuple[float, ...]:
    """Return what orders failures, the worst first, from the keys of `impact --json`.

    Who is cut off, then lost pairs, bandwidth, pairs that need a relay, and what is left of the
    cut.
    """
    return (
        -row["gpus_cut_off"],
        -row["pairs_lost"],
        -row["fabric_bandwidth_lost_pct"],
        -row["pairs_needing_relay"],
        row["bisection_left_pct"],
    )

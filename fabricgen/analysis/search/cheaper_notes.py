"""The cheaper mapping of a plan as a note of `build` and of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.analysis.search.fewer_switches import drafts_with_fewer_switches

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan


def cheaper_notes(plan: Plan) -> list[str]:
    """Return the cheaper mappings of a plan, a note each."""
    if next(drafts_with_fewer_switches(plan), None) is None:
        return []
    from fabricgen.analysis.search.cheaper import cheaper_mappings
    from fabricgen.bom.priced_bill import make_bom

    return [f"a cheaper mapping: {found}" for found in cheaper_mappings(plan, make_bom(plan))]

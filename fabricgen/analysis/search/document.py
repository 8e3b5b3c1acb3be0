"""What a search found, in the keys of `search --json`."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.search.part_counts import switch_counts
from fabricgen.bom.summary import number
from fabricgen.core.terms import Design, Role, ratio_text

if TYPE_CHECKING:
    from fabricgen.analysis.search.score import Judged
    from fabricgen.analysis.search.search import Found
    from fabricgen.catalog.models.workload import Workload


def document(found: Found, llm: Workload | None) -> dict[str, Any]:
    """Return `search --json`: the rows by cost, and what became of every other combination."""
    first = found.rows[0][0]
    return {
        "name": found.spec.name,
        "gpus": first.draft.fabric.gpus,
        "llm": llm and llm.name,
        "currency": first.bom.book.currency,
        "book": first.bom.book.name,
        "tried": found.tried,
        "refused": dict(found.refused.most_common()),
        "same": found.same,
        "beyond": dict(found.beyond.most_common()),
        "feasible": found.feasible,
        "designs": [_row(found, place, row) for place, row in enumerate(found.rows, start=1)],
    }


def _row(found: Found, place: int, row: tuple[Judged, ...]) -> dict[str, Any]:
    """Return one row; `alike` are others with the very same figures, and null is what nobody knows."""
    judged, *others = row
    draft, fabric, cost = judged.draft, judged.draft.fabric, judged.cost(found.counted)
    counts = {role.value: switches for role, switches in switch_counts(draft).items()}
    return {
        "pick": place,
        "cheapest": cost < inf and cost == found.rows[0][0].cost(found.counted),
        "design": fabric.design.value,
        "switch": _boxes(judged),
        "breakout": fabric.port_layouts[Role.LEAF].down.name,
        "alike": [_words(other) for other in others],
        "tiers": draft.sizing.tiers,
        "host": fabric.host and fabric.host.model,
        "hb_domain_gpus": fabric.domain_gpus,
        "rails": fabric.rails,
        "planes": fabric.planes,
        "rails_per_box": None if fabric.design is Design.FAT_TREE else draft.mapping.per_switch,
        "oversubscription": ratio_text(draft.spec.oversubscription),
        "switches": {**counts, "total": judged.switches},
        "cables": judged.cables,
        "cost": number(judged.bom.cost()),
        "cost_is_known": cost < inf,
        "unpriced": judged.bom.unpriced,
        "power_w": number(judged.bom.power_w),
        "power_unknown": judged.bom.unknown_power,
        "across_gbps": number(float(judged.across_gbps)),
        "iteration_s": judged.times and judged.times.iteration_s,
        "relative": judged.times and judged.times.relative,
        "worst": {
            "gpus_cut_off": judged.worst.gpus_cut_off,
            "bandwidth_lost_pct": judged.worst.bandwidth_lost_pct,
        },
    }


def _boxes(judged: Judged) -> str:
    """Name the switch models from the leaf up, each once."""
    return " + ".join(
        dict.fromkeys(
            judged.draft.fabric.port_layouts[role].model.model for role in judged.draft.roles
        )
    )


def _words(judged: Judged) -> str:
    """Say in a line what a candidate is."""
    draft, fabric = judged.draft, judged.draft.fabric
    tiers = f"{draft.sizing.tiers} tier{'s' * (draft.sizing.tiers > 1)}"
    planes = f", {fabric.planes} planes" if fabric.planes > 1 else ""
    shared = (
        f", {draft.mapping.per_switch} rails a box"
        if fabric.design is not Design.FAT_TREE and draft.mapping.per_switch > 1
        else ""
    )
    return f"{fabric.design}, {_boxes(judged)} {fabric.port_layouts[Role.LEAF].down.name}, {tiers}{planes}{shared}"

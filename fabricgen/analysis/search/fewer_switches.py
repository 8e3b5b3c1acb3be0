"""Mappings of the same cluster with fewer switches: other rails, as many of them on a leaf as fit.

They are sized only, without a bill.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabricgen.analysis.search.switch_counts import switch_total
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.divisors import divisors
from fabricgen.core.terms import Design
from fabricgen.planning.designs import Sizer, shape_of
from fabricgen.planning.draft import draft_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.draft import Draft
    from fabricgen.planning.plan import Plan


def drafts_with_fewer_switches(plan: Plan) -> Iterator[Draft]:
    """Yield a draft of each number of rails that takes fewer switches, the plan's own first.

    None is in more tiers. A fat-tree, which has no rails, has none, nor has a plan that keeps the
    cables of another.
    """
    if plan.fabric.design is Design.FAT_TREE or plan.mapping.baseline:
        return
    own, spec, tiers = plan.fabric.rails, plan.spec.without_networks(), plan.sizing.tiers
    rails, total = spec.rails, switch_total(plan.mapping)
    for number_of in sorted(
        divisors(plan.fabric.domain_gpus), key=lambda each: (each != own, each)
    ):
        asked = number_of if number_of != own else rails.count
        changed = rails.model_copy(update={"count": asked, "per_switch": "auto"})
        other = spec.model_copy(update={"rails": changed, "leaf_ports": spec.leaf_rule})
        try:
            # nothing but the rails differs; the mapping that is chosen is resolved in full
            fabric = replace(plan.fabric, spec=other, rails=number_of)
            mapping = Sizer(fabric).mapping(shape_of(other))
            if mapping and mapping.sizing.tiers <= tiers and switch_total(mapping) < total:
                yield draft_of(mapping, plan.catalog)
        except Refusal:
            continue

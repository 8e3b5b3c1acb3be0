"""Mappings of the same cluster with fewer switches: other rails, as many of them on a leaf as fit.

They are sized only, without a bill.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from fabricgen.analysis.search.switch_counts import switch_total
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.divisors import divisors
from fabricgen.core.terms import Design
from fabricgen.planning.designs import Sizer, shape_of
from fabricgen.planning.draft import draft_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.plan import Plan


def drafts_with_fewer_switches(plan: Plan) -> Iterator[Draft]:
    """Yield a draft of each number of rails that takes fewer switches, the plan's own first.

    Rail-optimized, the plan's own number has one for each number of rails on a leaf and each rule
    for the uplinks of a unit. None is in more tiers. A fat-tree, which has no rails, has none, nor
    has a plan that keeps the cables of another.
    """
    if plan.fabric.design is Design.FAT_TREE or plan.mapping.baseline:
        return
    spec, tiers, total = plan.spec.without_networks(), plan.sizing.tiers, switch_total(plan.mapping)
    for number_of, other in _specs(plan, spec):
        try:
            # nothing but the rails differs; the mapping that is chosen is resolved in full
            fabric = replace(plan.fabric, spec=other, rails=number_of)
            mapping = Sizer(fabric).mapping(shape_of(other))
            if mapping and mapping.sizing.tiers <= tiers and switch_total(mapping) < total:
                yield draft_of(mapping, plan.catalog)
        except Refusal:
            continue


def _specs(plan: Plan, spec: FabricSpec) -> Iterator[tuple[int, FabricSpec]]:
    """Yield numbers of rails with the inventory that asks for each, the plan's own first."""
    own, rails, unit = plan.fabric.rails, spec.rails, spec.scalable_unit
    striped = plan.fabric.design is Design.RAIL_OPTIMIZED
    for number_of in sorted(
        divisors(plan.fabric.domain_gpus), key=lambda each: (each != own, each)
    ):
        count = number_of if number_of != own else rails.count
        kept = striped and number_of == own
        rules: tuple[Literal["all", "used"] | None, ...] = (None, "used", "all")
        for shared in divisors(own) if kept else ["auto"]:
            for rule in rules if kept and unit else (None,):
                changed = rails.model_copy(update={"count": count, "per_switch": shared})
                uplinks = unit.model_copy(update={"uplinks": rule}) if unit and rule else unit
                update = {
                    "rails": changed,
                    "scalable_unit": uplinks,
                    "leaf_ports": spec.leaf_rule,
                }
                yield number_of, spec.model_copy(update=update)

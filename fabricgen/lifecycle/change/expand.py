"""Planning a larger fabric around an existing one.

Owns `grow`. Boxes keep their numbers, and with them names, loopbacks and AS numbers. Endpoints stay
as `keep_endpoints` computes, links between switches as `keep_links` does, and devices of a
described room as `keep_positions` does. Whatever the inventory alone determines is not stored in
the plan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.core.terms import Design, Role
from fabricgen.lifecycle.change.growth_refusals import unlike
from fabricgen.lifecycle.change.keep_endpoints import kept_endpoints
from fabricgen.lifecycle.change.keep_links import kept_links
from fabricgen.lifecycle.change.keep_positions import kept_positions
from fabricgen.planning.baseline.baseline import Baseline, Slices
from fabricgen.planning.baseline.expansion_stages import ExpansionStages, stage_of
from fabricgen.planning.designs import map_design
from fabricgen.planning.excluded_hosts import resolve_positions
from fabricgen.planning.plan import make_draft, make_plan

if TYPE_CHECKING:
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.plan import Plan


def grow(old: Plan, spec: FabricSpec, catalog: Catalog) -> Plan:
    """Plan a larger fabric that keeps names, addresses, ports and cables wherever they fit.

    `rails.per_switch: auto` keeps its older value. Raises Refusal `cannot-grow` where the two have
    no common shape, or the refusal of the inventory.
    """
    if old.mapping.topology or spec.rails.medium == "direct":
        raise refuse(
            "cannot-grow",
            "direct rails do not grow",
            path=("rails", "medium"),
            because=("a graph of more GPUs has other links, so that most cables would move",),
            hint="plan the larger fabric anew",
        )
    spec = pinned(old, spec)
    domains = [old.fabric.domain_position(each) for each in range(old.fabric.coordinates.domains)]
    mapping = map_design(resolve_positions(spec, catalog, domains))
    findings = list(unlike(old, mapping))
    if findings:
        raise Refusal(findings)
    plain = make_draft(spec.model_copy(update={"site": None}), catalog, domains=domains)
    before, stage = old.mapping.stages.stages, stage_of(mapping.sizing)
    stages = before if before[-1] == stage else (*before, stage)
    digits = _kept_digits(old, plain)
    slices = _slices(old)
    endpoints = kept_endpoints(old, plain.mapping)
    wired = kept_links(old, plain.mapping)
    positions = kept_positions(old, spec, plain)
    moved = () if domains == [*range(len(domains))] else tuple(domains)
    if (
        len(stages) == 1
        and not digits
        and endpoints is None
        and not wired
        and slices == _slices(plain)
        and positions is None
        and not moved
    ):
        return make_plan(spec, catalog)
    return make_plan(
        spec,
        catalog,
        Baseline(
            ExpansionStages(stages),
            digits,
            slices,
            endpoints,
            wired,
            positions,
            moved,
        ),
    )


def _slices(plan: Draft) -> Slices:
    """Return the size of the address slices of each block."""
    return Slices(plan.addresses.hosts.size, plan.addresses.loopbacks.size)


def pinned(old: Plan, spec: FabricSpec) -> FabricSpec:
    """Keep the number of rails on a leaf: another one would move every host."""
    has_none = old.fabric.design is Design.FAT_TREE
    chosen_anew = has_none or (old.mapping.spans_rails and old.sizing.tiers == 1)
    if spec.rails.per_switch != "auto" or chosen_anew:
        return spec
    return spec.model_copy(
        update={"rails": spec.rails.model_copy(update={"per_switch": old.mapping.per_switch})}
    )


def _kept_digits(old: Plan, new: Draft) -> dict[str, int]:
    """Return the digits of names that would have others by the new size."""
    before, after = _digits(old), _digits(new)
    kept = {names: before.get(names, count) for names, count in after.items()}
    kept["cable"] = max(kept["cable"], after["cable"])
    return {names: count for names, count in kept.items() if count != after[names]}


def _digits(plan: Draft) -> dict[str, int]:
    """Return the digits of the numbers in the names of each kind."""
    mapping, sizing = plan.mapping, plan.sizing
    groups = mapping.rail_groups if mapping.segment_blocks > 1 else 1
    sizes = {Role.LEAF: sizing.leaf * groups, Role.SPINE: sizing.spine, Role.CORE: sizing.core}
    digits = {role.value: mapping.digits(role.value, sizes[role]) for role in plan.roles}
    return digits | {
        "host": mapping.digits("host", plan.fabric.coordinates.planned_hosts),
        "cable": plan.label_width,
    }

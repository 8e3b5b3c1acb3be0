"""The digits of names and the slices of address pools that a fabric keeps when it grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.terms import Role
from fabricgen.planning.baseline.baseline import Slices

if TYPE_CHECKING:
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.plan import Plan


def slices_of(plan: Draft) -> Slices:
    """Return the size of the address slices of each block."""
    return Slices(plan.addresses.hosts.size, plan.addresses.loopbacks.size)


def kept_digits(old: Plan, new: Draft) -> dict[str, int]:
    """Return the digits of names that would have others by the new size."""
    before, after = digits_of(old), digits_of(new)
    kept = {names: before.get(names, count) for names, count in after.items()}
    kept["cable"] = max(kept["cable"], after["cable"])
    return {names: count for names, count in kept.items() if count != after[names]}


def digits_of(plan: Draft) -> dict[str, int]:
    """Return the digits of the numbers in the names of each kind."""
    mapping, sizing = plan.mapping, plan.sizing
    groups = mapping.rail_groups if mapping.segment_blocks > 1 else 1
    sizes = {Role.LEAF: sizing.leaf * groups, Role.SPINE: sizing.spine, Role.CORE: sizing.core}
    digits = {role.value: mapping.digits(role.value, sizes[role]) for role in plan.roles}
    return digits | {
        "host": mapping.digits("host", plan.fabric.coordinates.planned_hosts),
        "cable": plan.label_width,
    }

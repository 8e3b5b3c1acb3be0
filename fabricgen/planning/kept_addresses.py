"""The management addresses that a plan file and a larger plan keep, by what counting skipped.

`named_addresses` has what a new plan skips.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.planning.addressing import IPV4_BITS, address_text
from fabricgen.planning.named_addresses import in_slices, named_addresses

if TYPE_CHECKING:
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.plan import Plan


def passed_over(plan: Plan) -> list[int]:
    """Return the addresses that a plan skipped between those that it gives, sorted."""
    found = set[int]()
    for own in plan.cluster:
        planned = own.management
        for first, last in planned.ranges if planned else ():
            found |= {one for one in planned.skip if first <= one <= last} if planned else set()
    compute, asked = plan.management, plan.spec.management
    if compute and asked and compute.server is not None and not asked.server:
        last = int(compute.subnet.broadcast_address)
        found |= {one for one in compute.skip if compute.server < one < last}
    return sorted(found)


def kept_skip(old: Plan, spec: FabricSpec) -> list[str] | None:
    """Return what a larger plan skips: what the old one passed over, and names that it gave none.

    So every address of the old plan stays, also of one that was saved before any was skipped. It is
    None where these are the addresses that the inventory names.
    """
    named = named_addresses(spec).keys()
    every = {*passed_over(old), *(address for address in named if not _gives(old, address))}
    if every == named:
        return None
    return [address_text(address) for address in sorted(every) if not address >> IPV4_BITS]


def _gives(plan: Plan, address: int) -> bool:
    """Return whether a pool of a plan has given an address, or its fabric may."""
    for own in plan.cluster:
        planned = own.management
        if planned and (address == planned.server or planned.gives(address)):
            return True
        if own.fabric.has_pools and in_slices(
            own.addresses, own.mapping.segments * own.mapping.segment_blocks, address
        ):
            return True
    return False

"""The addresses that an inventory names, which no pool gives to another device.

They are those of servers under `management`, and the texts under `vars`. `management` gives
addresses, and `lifecycle.change` keeps those of a plan that grows.
"""

from __future__ import annotations

from ipaddress import ip_address
from itertools import chain
from typing import TYPE_CHECKING, Any

from fabricgen.planning.addressing import address_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.addressing import AddressPlan
    from fabricgen.planning.plan import Plan


def named_addresses(spec: FabricSpec) -> dict[int, str]:
    """Return the addresses that the inventory gives to machines of the site, each with its key."""
    asked = spec.management
    if asked is None:
        return {}
    texts = {f"management.{key}": getattr(asked, key) for key in ("dns", "ntp", "syslog")}
    texts["management.aaa"] = asked.aaa.servers if asked.aaa else ()
    texts["vars"] = [*_texts(spec.vars), *chain(*(_texts(own.vars) for own in spec.overrides))]
    found = ((key, _address(text)) for key, own in texts.items() for text in own)
    return {address: key for key, address in found if address is not None}


def skipped_addresses(spec: FabricSpec) -> frozenset[int]:
    """Return the addresses that no device is given: `management.skip`, else those named."""
    asked = spec.management
    if asked is None or asked.skip is None:
        return frozenset(named_addresses(spec))
    return frozenset(map(int, asked.skip))


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


def kept_skip(old: Plan, spec: FabricSpec) -> list[str]:
    """Return what a larger plan skips: what the old one passed over, and names that it gave none.

    So every address of the old plan stays, also of one that was saved before any was skipped.
    """
    new = (address for address in named_addresses(spec) if not _gives(old, address))
    every = {*passed_over(old), *new}
    return [address_text(address) for address in sorted(every) if not address >> IPV4]


IPV4 = 32
"""Bits of the addresses that `management` gives."""


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


def in_slices(addresses: AddressPlan, blocks: int, address: int) -> str:
    """Return the pool in whose slices an address is; empty where it is in none."""
    for key, slices in (("host_pool", addresses.hosts), ("loopback_pool", addresses.loopbacks)):
        if slices.base <= address < slices.base + slices.size * blocks:
            return key
    return ""


def _texts(value: Any) -> Iterator[str]:  # noqa: ANN401 - any value of `vars`
    """Yield the texts in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def _address(text: str) -> int | None:
    """Return a text as an address; None where it is none."""
    try:
        return int(ip_address(text))
    except ValueError:
        return None

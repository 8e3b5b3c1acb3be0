"""The addresses that an inventory names, which no pool gives to another device.

They are those of servers under `management`, and the texts under `vars`. `management` gives
addresses, and `kept_addresses` keeps those of a plan that grows.
"""

from __future__ import annotations

from ipaddress import ip_address
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.addressing import AddressPlan


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

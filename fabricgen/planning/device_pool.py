"""The pool of what is on the network of management ports and is no switch, such as BMCs and PDUs.

An address is the first one of the pool plus the endpoint position of its port. `management` has the
pools of switches and hosts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding
from fabricgen.planning.addressing import address_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ipaddress import IPv4Network

    from fabricgen.inventory.management import Management
    from fabricgen.planning.draft import Draft

_PATH = "management", "device_pool"


def first_device_address(asked: Management, draft: Draft) -> int | None:
    """Return the address at endpoint position 0; None where no port of a network has any."""
    network, pool = draft.fabric.network, asked.device_pool
    return int(pool.network_address) + 1 if pool and network and network.vlan else None


def fit_device_pool(
    asked: Management, subnet: IPv4Network, taken: set[int], draft: Draft
) -> Iterator[Finding]:
    """Refuse a pool outside of the subnet, one that holds other addresses, and one without use.

    `taken` are the addresses that are given by name, or that nothing can have. Applies to compute,
    whose inventory has all networks.
    """
    pool = asked.device_pool
    if pool is None:
        return
    if draft.spec.networks.management is None:
        yield Finding(
            "unknown-key",
            "`device_pool` has no effect",
            _PATH,
            ("no network has the management ports of devices",),
            "leave `device_pool` out, or give the inventory a network `oob`",
        )
    elif not pool.subnet_of(subnet):
        yield Finding(
            "bad-management-address",
            f"{pool} is no part of the subnet {subnet}",
            _PATH,
            ("all ports of the out-of-band network are in one VLAN",),
            f"choose a part of {subnet}, or a larger `subnet`",
        )
    elif other := next((key for key in ("pool", "host_pool") if _overlaps(asked, key)), ""):
        yield Finding(
            "pools-overlap",
            f"{pool} and {getattr(asked, other)} share addresses",
            _PATH,
            (f"they are `device_pool` and `{other}` of `management`",),
            "choose two that share no address, and as `subnet` a prefix that holds `pool` and"
            " `device_pool`",
        )
    else:
        edges = {int(subnet.network_address), int(subnet.broadcast_address)}
        first, last = int(pool.network_address), int(pool.broadcast_address)
        for address in sorted(one for one in taken - edges if first <= one <= last)[:1]:
            yield Finding(
                "bad-management-address",
                f"{address_text(address)} is in {pool}, whose addresses are counted",
                _PATH,
                ("the gateway, the server and those under `addresses` are outside of it",),
                "choose a pool without it, or another address",
            )


def _overlaps(asked: Management, key: str) -> bool:
    """Return whether the pool of devices shares addresses with another."""
    other: IPv4Network | None = getattr(asked, key)
    return bool(asked.device_pool and other and asked.device_pool.overlaps(other))


def hold_devices(asked: Management, draft: Draft, skip: frozenset[int]) -> Iterator[Finding]:
    """Refuse a pool with fewer addresses than the network of management ports has positions.

    Addresses of `skip` are given to none.
    """
    first, pool = first_device_address(asked, draft), asked.device_pool
    positions = draft.mapping.sizing.slots
    last = int(pool.broadcast_address) if pool else 0
    skipped = sum(first <= one < last for one in skip) if first else 0
    if pool and first and first + positions + skipped > last:
        yield Finding(
            "pool-too-small",
            f"{pool} has too few addresses for devices",
            _PATH,
            (
                f"the switches of `{draft.fabric.network_name}` have {positions} ports for devices",
                f"{pool} has {pool.num_addresses - 2} addresses, without its first and its last",
                *([f"{skipped} of them are skipped"] if skipped else []),
            ),
            "give a larger pool",
        )

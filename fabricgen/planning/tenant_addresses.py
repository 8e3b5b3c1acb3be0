"""The subnet of a VLAN on leaves whose bonds use LACP: its gateway, its leaves and its devices.

The addresses of routed ports are in the first half of the slice of a network, those of its VLAN in
the second. The gateway is an anycast address of all leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.planning.addressing import Slice, address_text

if TYPE_CHECKING:
    from fabricgen.planning.addressing import AddressPlan
    from fabricgen.planning.networks.tenants import Tenant


def subnet_of(tenant: Tenant, addresses: AddressPlan) -> Slice:
    """Return the subnet of a VLAN, as the only slice of a pool."""
    half = addresses.hosts.size // 2
    return Slice(tenant.pool + half, half)


def gateway_of(subnet: Slice) -> int:
    """Return the address that all leaves have: the last of the subnet."""
    return subnet.base + subnet.size - 2


def leaf_address(subnet: Slice, leaf: int) -> int:
    """Return the address that a leaf alone has."""
    return gateway_of(subnet) - 1 - leaf


def bond_address(subnet: Slice, slot: int) -> int:
    """Return the address of the bond whose first member has an endpoint position."""
    return subnet.base + 1 + slot


def prefix_length(subnet: Slice) -> int:
    """Return the length of the prefix of a subnet."""
    return subnet.bits + 1 - subnet.size.bit_length()


def prefix_text(address: int, subnet: Slice) -> str:
    """Return an address with the length of a subnet's prefix.

    >>> prefix_text((10 << 24) + 1, Slice(10 << 24, 256))
    '10.0.0.1/24'
    """
    return f"{address_text(address)}/{prefix_length(subnet)}"

"""The networks on leaves whose bonds use LACP: a VLAN and a VRF for each, with their numbers.

A leaf is a VTEP: the VLAN of a network is stretched over all leaves by EVPN and VXLAN, and its VRF
has routes to no other. `tenant_addresses` owns the subnets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.inventory.networks import VLANS
from fabricgen.planning.networks.addressing import default_host_pool

if TYPE_CHECKING:
    from fabricgen.inventory.networks import Networks

VNI_BASE = 10_000
"""The VNI of a VLAN is this number more."""
VRF_VLANS = {"storage": 3001, "inband": 3002}
"""The VLAN of each VRF, whose VNI carries the packets that leaves route."""
VXLAN_BYTES = 50
"""What VXLAN adds to a packet of Ethernet over IPv4 (RFC 7348, 5)."""
SYSTEM_MACS = 0x4438_39FF_0000
"""The MAC addresses that NVIDIA reserves for pairs of switches: 44:38:39:ff:00:00 and up."""
PAIRS = 0xFFFF
"""Addresses of that range: one for each pair of leaves, and the last one for all gateways."""


class Tenant(NamedTuple):
    """A network as a VLAN of its leaves; without a subnet it is bridged, and has no VRF."""

    name: str
    vlan: int
    vrf_vlan: int = 0
    """The VLAN of its VRF; 0 without one."""
    pool: int = 0
    """The first address of the pool of its subnet."""

    @property
    def vni(self) -> int:
        """The VNI of the VLAN."""
        return VNI_BASE + self.vlan

    @property
    def vrf_vni(self) -> int:
        """The VNI of the VRF."""
        return VNI_BASE + self.vrf_vlan


def tenants_of(networks: Networks, name: str) -> tuple[Tenant, ...]:
    """Return the networks on the leaves of a network, itself first; none without LACP."""
    every = networks.each()
    network = every[name]
    if network.bonding != "lacp":
        return ()
    own = network.addressing.host_pool or default_host_pool(name)
    routed = [
        Tenant(name, network.vlan or 0, VRF_VLANS.get(name, 0), int(own.network_address)),
        *(
            Tenant(
                each.network,
                each.vlan or VLANS[each.network],
                VRF_VLANS[each.network],
                int((each.host_pool or default_host_pool(each.network)).network_address),
            )
            for each in network.carries
        ),
    ]
    bridged = [
        Tenant(other, lower.vlan or 0)
        for other, lower in every.items()
        if lower.uplink
        and lower.kind == "access"
        and networks.carrier(lower.uplink.network) == name
    ]
    return (*routed, *bridged)


def overlay_mtu(mtu: int) -> int:
    """Return the MTU of bonds, whose packets are within those of VXLAN on links of an MTU."""
    return mtu - VXLAN_BYTES


def mac_text(pair: int) -> str:
    """Return the MAC address of a pair of leaves, counted from 1.

    >>> mac_text(1), mac_text(PAIRS)
    ('44:38:39:ff:00:01', '44:38:39:ff:ff:ff')
    """
    return (SYSTEM_MACS + pair).to_bytes(6, "big").hex(":")

"""The pools and AS numbers of the networks, and the defaults of each."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import UPLINKS
from fabricgen.inventory.settings import Addressing

if TYPE_CHECKING:
    from fabricgen.inventory.networks import Network


class _Defaults(NamedTuple):
    """The pools and the first AS number of a network."""

    host_pool: IPv4Network
    loopback_pool: IPv4Network
    asn_base: int


_DEFAULTS = {
    "storage": _Defaults(IPv4Network("10.192.0.0/12"), IPv4Network("10.240.0.0/14"), 4_210_000_000),
    "inband": _Defaults(IPv4Network("10.208.0.0/12"), IPv4Network("10.244.0.0/14"), 4_220_000_000),
    "oob": _Defaults(IPv4Network("10.224.0.0/12"), IPv4Network("10.248.0.0/14"), 4_230_000_000),
    "console": _Defaults(IPv4Network("10.224.0.0/12"), IPv4Network("10.248.0.0/14"), 4_230_000_000),
    UPLINKS: _Defaults(IPv4Network("10.252.0.0/15"), IPv4Network("10.254.0.0/15"), 4_240_000_000),
}
"""Parts of 10.192.0.0/10, which the default pools of the compute fabric leave free."""

ACCESS_MTU = 1500
"""The MTU of management ports, which BMCs and PDUs have by default."""


def default_host_pool(name: str) -> IPv4Network:
    """Return the pool of the devices of a network, where the inventory has no other."""
    return _DEFAULTS[name].host_pool


def network_addressing(compute: Addressing, name: str, network: Network) -> Addressing:
    """Return the addressing of a network: its own, its defaults, and the settings of compute."""
    own, defaults = network.addressing, _DEFAULTS[name]
    return Addressing.model_construct(
        host_pool=own.host_pool or defaults.host_pool,
        loopback_pool=own.loopback_pool or defaults.loopback_pool,
        asn_base=own.asn_base or defaults.asn_base,
        mtu=own.mtu or (compute.mtu if network.kind == "clos" else ACCESS_MTU),
        bfd=compute.bfd,
        timers=compute.timers,
        bgp=compute.bgp.model_copy(update={"hosts_password": None}),
    )

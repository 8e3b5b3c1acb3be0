"""The refusals of address pools: of two families, overlapping, without router IDs, too small.

`addressing` divides the pools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ipaddress import IPv4Network, IPv6Network

    from fabricgen.inventory.settings import Addressing

ROUTER_ID_VERSION = 4
"""The version of IP whose addresses have as many bits as a router ID."""

EXAMPLES = {
    4: ("10.0.0.0/9", "10.128.0.0/10"),
    6: ("2001:db8:100::/40", "2001:db8:200::/40"),
}
"""By version of IP, a pool of hosts and one of loopbacks."""


def family_findings(asked: Addressing) -> Iterator[Finding]:
    """Refuse pools of two families or that overlap, and IPv6 loopbacks without router IDs."""
    hosts, loopbacks = asked.host_pool, asked.loopback_pool
    ids = "" if asked.router_id_pool else ", router_id_pool: 10.128.0.0/10"
    example = "host_pool: {}, loopback_pool: {}".format(*EXAMPLES[6])
    hint = f"write `addressing: {{{example}{ids}}}` with your own prefixes"
    if hosts.version != loopbacks.version:
        yield Finding(
            "mixed-families",
            f"{hosts} is IPv{hosts.version}, and {loopbacks} is IPv{loopbacks.version}",
            ("addressing", "host_pool" if hosts.version > loopbacks.version else "loopback_pool"),
            ("a BGP session of the fabric carries one address family, for hosts and loopbacks",),
            hint,
        )
    elif loopbacks.version > ROUTER_ID_VERSION and not asked.router_id_pool:
        yield Finding(
            "no-router-ids",
            f"the loopbacks of {loopbacks} cannot be BGP router IDs",
            ("addressing", "loopback_pool"),
            ("a router ID has 32 bits (RFC 4271), and an IPv6 address has 128",),
            "add `router_id_pool: 10.128.0.0/10`, a prefix that no other router takes its ID from",
        )
    if hosts.overlaps(loopbacks):
        example = "`host_pool: {}` and `loopback_pool: {}`".format(*EXAMPLES[hosts.version])
        yield Finding(
            "pools-overlap",
            f"{hosts} and {loopbacks} share addresses",
            ("addressing", "loopback_pool"),
            hint=f"choose two that share no address, like {example}",
        )


def size_findings(
    pool: IPv4Network | IPv6Network,
    size: int,
    blocks: int,
    path: Path,
    what: str,
    speakers: int = 0,
) -> Iterator[Finding]:
    """Refuse a pool that is smaller than its slices, and the router IDs of so many hosts."""
    needed = size * blocks + speakers
    if needed <= pool.num_addresses:
        return
    hosts = f" + {speakers} hosts" if speakers else ""
    because = (
        f"{what} need a slice of {size} addresses",
        f"{blocks} slices x {size}{hosts} = {needed}",
        f"{pool} holds {pool.num_addresses}",
    )
    length = pool.max_prefixlen - (needed - 1).bit_length()
    hint = f"give a pool of /{length} or larger" if length > 0 else "reserve fewer GPUs"
    yield Finding(
        "pool-too-small", f"{pool} cannot give every rail and plane its slice", path, because, hint
    )

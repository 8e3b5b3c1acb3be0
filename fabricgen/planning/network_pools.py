"""The addresses and AS numbers of all networks of a cluster, of which no two share any."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import Finding, Path, Refusal
from fabricgen.core.terms import COMPUTE
from fabricgen.planning.tenant_addresses import subnet_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabricgen.planning.draft import Draft


class _Range(NamedTuple):
    """The first and the last number of something that no other network may have."""

    network: str
    key: str
    first: int
    last: int
    shown: str

    @property
    def path(self) -> Path:
        """The key that gives the numbers."""
        place = () if self.network == COMPUTE else ("networks", self.network)
        return (*place, "addressing", self.key)

    def meets(self, other: _Range) -> bool:
        """Return whether two networks share a number."""
        apart = self.last < other.first or other.last < self.first
        return self.network != other.network and not apart


def check_apart(drafts: Mapping[str, Draft]) -> None:
    """Refuse addresses and AS numbers that two networks of a cluster have.

    `drafts` begin with the compute fabric. Raises Refusal.
    """
    routed = {name: draft for name, draft in drafts.items() if draft.fabric.has_pools}
    findings = [
        *_shared([each for name, draft in routed.items() for each in _prefixes(name, draft)]),
        *_shared([each for name, draft in routed.items() for each in _as_numbers(name, draft)]),
        *_of_routers(drafts[COMPUTE], routed),
        *_of_carried(drafts[COMPUTE], routed),
    ]
    if findings:
        raise Refusal(findings)


def _prefixes(name: str, draft: Draft) -> Iterator[_Range]:
    """Yield the addresses that a network uses of its pools."""
    plan, blocks = draft.addresses, draft.mapping.segments * draft.mapping.segment_blocks
    for key, slices in (("host_pool", plan.hosts), ("loopback_pool", plan.loopbacks)):
        last = slices.base + slices.size * blocks - 1
        yield _Range(name, key, slices.base, last, slices.cover(blocks))
    network = draft.fabric.network
    for tenant in network.tenants[1:] if network else ():
        if tenant.vrf_vlan:
            own = subnet_of(tenant, plan)
            last = own.base + own.size - 1
            yield _Range(name, "host_pool", own.base, last, own.prefix(0))


def _as_numbers(name: str, draft: Draft) -> Iterator[_Range]:
    """Yield the AS numbers of a network; on leaves of compute, they are those of compute."""
    if draft.fabric.shared_leaves:
        return
    for first, last in draft.addresses.as_numbers.ranges:
        shown = f"AS {first}" if first == last else f"AS {first} to {last}"
        yield _Range(name, "asn_base", first, last, shown)


def _shared(ranges: list[_Range]) -> Iterator[Finding]:
    """Refuse the first pair of ranges of two networks that share numbers."""
    pairs = ((one, other) for one, other in combinations(ranges, 2) if one.meets(other))
    for one, other in list(pairs)[:1]:
        because = tuple(
            f"`{'.'.join(map(str, each.path))}` gives {each.shown}" for each in (one, other)
        )
        both, place = f"`{one.network}` and `{other.network}`", ".".join(map(str, other.path))
        if one.key == "asn_base":
            fact = f"the networks {both} would share AS numbers"
            yield Finding(
                "asn-twice", fact, other.path, because, f"give `{place}` a number of its own"
            )
        else:
            fact = f"the networks {both} would share addresses"
            yield Finding(
                "pools-overlap", fact, other.path, because, f"give `{place}` a prefix of its own"
            )


def _of_carried(compute: Draft, routed: Mapping[str, Draft]) -> Iterator[Finding]:
    """Refuse a pool of a network on the leaves of another that cannot hold its subnet."""
    for name, network in compute.spec.networks.each().items():
        need = routed[name].addresses.hosts.size if name in routed else 0
        for at, carried in enumerate(network.carries):
            if carried.host_pool and carried.host_pool.num_addresses < need:
                yield Finding(
                    "pool-too-small",
                    f"{carried.host_pool} has no room for the subnet of `{carried.network}`",
                    ("networks", name, "carries", at, "host_pool"),
                    (f"a slice of `{name}` has {need} addresses, half of them for devices",),
                    f"give a prefix of {need} addresses or more",
                )


def _of_routers(compute: Draft, routed: Mapping[str, Draft]) -> Iterator[Finding]:
    """Refuse AS numbers of the site's routers that switches have."""
    ranges = [each for name, draft in routed.items() for each in _as_numbers(name, draft)]
    for at, devices in enumerate(compute.spec.devices):
        asn = devices.bgp.asn if devices.bgp else 0
        for each in [each for each in ranges if each.first <= asn <= each.last][:1]:
            yield Finding(
                "asn-twice",
                f"the routers `{devices.name}` and switches of `{each.network}` would share AS"
                f" {asn}",
                ("devices", at, "bgp", "asn"),
                (f"`{'.'.join(map(str, each.path))}` gives {each.shown}",),
                "give the AS number that the routers have, or move that of the network",
            )

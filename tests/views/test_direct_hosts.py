"""The views of the hosts of direct rails: both ends of a link agree, and rails stay apart."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.core.diagnostics import Refusal
from fabricgen.views.hosts.direct import hosts_of
from fabricgen.views.hosts.view import MAIN_TABLE
from tests.fabrics import IPV6, plan_of, refusal_codes
from tests.mutations.test_direct import TORUS

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan
    from fabricgen.views.hosts.view import HostView

VARIANTS: dict[str, dict[str, Any]] = {
    "a torus": {},
    "two planes": {"rails": {"planes": 2, **TORUS["rails"]}},
    "a ring of two links each": {"rails": {"medium": "direct"}},
    "an idle link": {
        "rails": {"medium": "direct", "topology": {"kind": "expander", "degree": 3}},
    },
    "two GPUs of a host on a rail": {
        "hb_domain": {"gpus": 4},
        "rails": {"count": 2} | TORUS["rails"],
    },
    "IPv6": {"addressing": IPV6},
}


def views(name: str) -> tuple[Plan, list[HostView]]:
    """Plan a variant, and return the views of all its hosts."""
    plan = plan_of(**TORUS | VARIANTS[name])
    return plan, list(hosts_of(plan).views(range(len(plan.hosts))))


@pytest.mark.parametrize("name", VARIANTS)
def test_both_ends_of_a_link_agree(name: str) -> None:
    """Each link has the far end's interface and address, and the cable of the list of cables."""
    plan, hosts = views(name)
    ends = {(host.name, nic.interface): nic for host in hosts for nic in host.nics}
    assert len(ends) == 2 * len(plan.segment.kind) * plan.mapping.segments
    for (host, interface), nic in ends.items():
        far = ends[nic.leaf, nic.leaf_interface]
        assert (far.leaf, far.leaf_interface) == (host, interface)
        assert (far.address, far.gateway) == (nic.gateway, nic.address)
        assert (far.cable, far.rail, far.plane) == (nic.cable, nic.rail, nic.plane)
        pair = {f"{each}/{nic.prefix_length}" for each in (nic.address, nic.gateway)}
        assert len({ip_network(each, strict=False) for each in pair}) == 1


@pytest.mark.parametrize("name", VARIANTS)
def test_addresses_and_as_numbers_are_unique(name: str) -> None:
    """No two ends of links, no two GPUs on a plane and no two hosts have the same."""
    plan, hosts = views(name)
    links = [nic.address for host in hosts for nic in host.nics]
    gpus = [address for host in hosts for rail in host.rails for address in rail.addresses]
    assert len({*links, *gpus}) == len(links) + len(gpus)
    assert len(gpus) == plan.fabric.gpus * plan.fabric.planes
    assert len({host.asn for host in hosts}) == len({host.router_id for host in hosts})
    assert len({host.asn for host in hosts}) == len(hosts)


@pytest.mark.parametrize("name", VARIANTS)
def test_rules_keep_a_rail_and_plane_apart(name: str) -> None:
    """From the addresses of one, the main table is read for itself, and nothing else leaves."""
    _, hosts = views(name)
    for host in hosts[:2]:
        tables = {route.table for route in host.routes if not route.gateway} - {MAIN_TABLE}
        assert tables == {rail.table for rail in host.rails}
        for rail in host.rails:
            own = [ip_network(rail.prefix), ip_network(rail.link_prefix)]
            assert all(ip_address(address) in own[0] for address in rail.addresses)
            links = [nic for nic in host.nics if nic.interface in rail.interfaces]
            assert {(nic.rail, nic.plane) for nic in links} == {(rail.rail, rail.plane)}
            assert all(ip_address(nic.address) in own[1] for nic in links)
            for each in map(str, own):
                found = [
                    (rule.destination, rule.table) for rule in host.rules if rule.source == each
                ]
                assert found == [(each, MAIN_TABLE), ("", rail.table)]


def test_a_host_has_the_speed_of_its_links_and_forwards() -> None:
    """The split divides the speed of a NIC port."""
    _, (host, *_) = views("a torus")
    assert (host.speed_mbps, host.kernel[-1]) == (100_000, ("forwarding", 1))
    assert [nic.interface for nic in host.nics][:5] == [
        *(f"nic0s{link}" for link in range(4)),
        "nic1s0",
    ]


def test_links_without_addresses_are_refused() -> None:
    """RDMA has no other address than that of its link."""
    unnumbered = {"addressing": {"host_links": "unnumbered"}}
    assert refusal_codes(**TORUS | unnumbered) == ["medium-conflict"]


def test_hosts_count_from_an_as_number_of_their_own() -> None:
    """It is followed by one for each host, and refused where they run out or are reserved."""
    (host, second, *_) = views("a torus")[1]
    assert (host.asn, second.asn) == (4200000000, 4200000001)
    given = {"addressing": {"asn": {"hosts": 64512}}}
    assert next(hosts_of(plan_of(**TORUS | given)).views([3])).asn == 64515
    for first, code in ((4294967290, "asn-out-of-range"), (64490, "asn-reserved")):
        assert refusal_codes(**TORUS | {"addressing": {"asn": {"hosts": first}}}) == [code]


@pytest.mark.parametrize(
    ("pool", "least", "because"),
    [
        ("host_pool", "10.0.0.0/25", "32 links x 2 need a slice of 64 addresses"),
        ("loopback_pool", "10.128.0.0/26", "16 GPUs need a slice of 32 addresses"),
    ],
)
def test_pools_hold_links_and_gpus(pool: str, least: str, because: str) -> None:
    """Two rails of 16 GPUs with 32 links fit, and half the pool is refused with what takes it."""
    assert plan_of(**TORUS | {"addressing": {pool: least}}).fabric.gpus == 32
    half = f"{least[:-2]}{int(least[-2:]) + 1}"
    with pytest.raises(Refusal) as refused:
        plan_of(**TORUS | {"addressing": {pool: half}})
    (finding,) = refused.value.findings
    assert (finding.code, finding.because[0]) == ("pool-too-small", because)

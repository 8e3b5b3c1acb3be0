"""Addresses and AS numbers: a slice per rail and plane, a run per leaf, too small pools."""

from __future__ import annotations

from ipaddress import IPv6Address
from itertools import product
from typing import TYPE_CHECKING

import pytest

from fabricgen.core.terms import Role
from fabricgen.planning.addressing import HEADROOM, Slice, address_text
from fabricgen.views.factory import Views
from fabricgen.views.hosts.build import Hosts
from tests.fabrics import IPV6, IPV6_UNNUMBERED, plan_of, refusal_codes

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan

DGX = {"gpus": 8}


def numbers(plan: Plan, segment: int, role: Role) -> list[int]:
    """Return the AS numbers of a segment's switches of one role."""
    return [plan.addresses.asn(segment, box) for box in plan.naming.boxes if box.role is role]


def test_slices_are_powers_of_two() -> None:
    """A rail of 128 endpoints takes 256 addresses.

    It has room for sixteen times that, so that rail 2 is one /20.
    """
    plan = plan_of(gpus=1024, hb_domain=DGX, radix=64)
    assert plan.addresses.hosts == Slice(10 << 24, 256 * HEADROOM)
    assert [plan.addresses.hosts.prefix(rail) for rail in (0, 2, 7)] == [
        "10.0.0.0/20",
        "10.0.32.0/20",
        "10.0.112.0/20",
    ]
    assert Slice(0, 1).prefix(5) == "0.0.0.5/32"


def test_numbered_links() -> None:
    """The leaf has the even address of a /31 and the NIC port the odd one.

    They are in the order of endpoint positions.
    """
    plan = plan_of(gpus=1024, hb_domain=DGX, radix=64)
    assert [address_text(address) for address in plan.addresses.host_addresses(1, range(3))] == [
        "10.0.16.1",
        "10.0.16.3",
        "10.0.16.5",
    ]
    leaf = next(Views(plan).switches(1))
    assert [port.address for port in leaf.ports[:3]] == [
        "10.0.16.0/31",
        "10.0.16.2/31",
        "10.0.16.4/31",
    ]
    assert leaf.ports[-1].address == ""


def test_unnumbered_links() -> None:
    """A NIC port has one address of its own and the leaf none; a slice is half as large."""
    plan = plan_of(gpus=1024, hb_domain=DGX, radix=64, addressing={"host_links": "unnumbered"})
    assert plan.addresses.hosts.size == 128 * HEADROOM
    assert [address_text(address) for address in plan.addresses.host_addresses(2, [0, 127])] == [
        "10.0.16.0",
        "10.0.16.127",
    ]
    assert {port.address for port in next(Views(plan).switches(2)).ports} == {""}


def test_planes_are_slices_too() -> None:
    """Slices go by rail, then plane."""
    plan = plan_of(gpus=64, hb_domain=DGX, radix=16, rails={"planes": 2})
    views = [next(Views(plan).switches(segment)) for segment in range(3)]
    assert [(view.rail, view.plane, view.instances[0].host_prefix) for view in views] == [
        ("0", 0, "10.0.0.0/23"),
        ("0", 1, "10.0.2.0/23"),
        ("1", 0, "10.0.4.0/23"),
    ]


def test_loopbacks() -> None:
    """Leaves, spines and cores of a block are consecutive, from the second address of its slice."""
    plan = plan_of(gpus=1024, hb_domain=DGX, radix=8)
    assert plan.sizing.tiers == 3
    views = list(Views(plan).switches(1))
    loopbacks = [view.instances[0].loopback for view in views]
    start = plan.addresses.loopbacks.start(1)
    assert loopbacks == [address_text(start + 1 + index) for index in range(len(views))]
    assert len(views) < plan.addresses.loopbacks.size


def test_a_shared_leaf_has_a_loopback_in_every_rail() -> None:
    """Two VRFs, two loopbacks, each in the slice of its rail; one AS number for the box."""
    plan = plan_of(gpus=512, hb_domain=DGX, radix=128, rails={"per_switch": 2})
    leaf = next(Views(plan).switches(1))
    assert [(one.vrf, one.rail, one.loopback, one.host_prefix) for one in leaf.instances] == [
        ("rail2", "2", "10.128.0.65", "10.0.16.0/21"),
        ("rail3", "3", "10.128.0.97", "10.0.24.0/21"),
    ]
    assert {one.asn for one in leaf.instances} == {leaf.asn}


def test_as_numbers() -> None:
    """One for each leaf, one for the spines of a pod, one for the cores of a block.

    The next segment follows.
    """
    plan = plan_of(gpus=1024, hb_domain=DGX, radix=8)
    sizing, base = plan.sizing, 4200000000
    assert numbers(plan, 0, Role.LEAF) == list(range(base, base + sizing.leaf))
    assert numbers(plan, 0, Role.SPINE) == [
        base + sizing.leaf + pod for pod in range(sizing.pods) for _ in range(sizing.pod_spines)
    ]
    assert set(numbers(plan, 0, Role.CORE)) == {base + sizing.leaf + sizing.pods}
    assert numbers(plan, 1, Role.LEAF)[0] == base + sizing.leaf + sizing.pods + 1


def test_growth_renumbers_nothing() -> None:
    """Slices follow the reserve, so the addresses of today's endpoints are kept."""
    small, large = (
        plan_of(gpus=gpus, reserve={"gpus": 2048}, hb_domain=DGX, radix=64) for gpus in (512, 2048)
    )
    assert (small.addresses.hosts, small.addresses.loopbacks) == (
        large.addresses.hosts,
        large.addresses.loopbacks,
    )
    assert numbers(small, 3, Role.SPINE) == numbers(large, 3, Role.SPINE)


def test_ipv6_addresses_are_written_as_rfc_5952_recommends() -> None:
    """Each text is that of `ipaddress`, which follows it: one run of zeros, the first longest."""
    for groups in product((0, 1, 0xDB8), repeat=6):
        address = IPv6Address(":".join(f"{group:x}" for group in (0x2001, 0xDB8, *groups)))
        assert address_text(int(address)) == str(address)


def test_ipv6_links() -> None:
    """A link is a /127, and the third group from the right counts the rails.

    No port has an address whose last 64 bits are 0 (RFC 6164).
    """
    plan = plan_of(gpus=1024, hb_domain=DGX, radix=64, addressing=IPV6)
    assert plan.addresses.hosts.prefix(7) == "2001:db8:100::7:0:0/96"
    assert plan.addresses.hosts.cover(8) == "2001:db8:100::/93"
    leaf = next(Views(plan).switches(0))
    assert [port.address for port in leaf.ports[:2]] == [
        "2001:db8:100::2/127",
        "2001:db8:100::4/127",
    ]
    assert (leaf.family, leaf.address_bits) == ("ipv6", 128)
    (instance,) = leaf.instances
    assert (instance.loopback, instance.router_id) == ("2001:db8:200::1", "10.128.0.1")
    assert [address_text(address) for address in plan.addresses.host_addresses(7, [0, 127])] == [
        "2001:db8:100::7:0:3",
        "2001:db8:100::7:0:101",
    ]


def test_router_ids_have_the_place_of_the_loopbacks() -> None:
    """They are distinct, also those of hosts that speak BGP, from the end of the pool."""
    plan = plan_of(gpus=64, hb_domain=DGX, radix=8, addressing=IPV6_UNNUMBERED)
    switches = [
        instance.router_id
        for segment in range(plan.mapping.segments)
        for switch in Views(plan).switches(segment)
        for instance in switch.instances
    ]
    hosts = [host.router_id for host in Hosts(plan).views(range(8))]
    assert hosts[:2] == ["10.191.255.255", "10.191.255.254"]
    assert len({*switches, *hosts}) == len(switches) + len(hosts)


def test_ipv6_slices_stay_when_the_fabric_grows() -> None:
    """A larger fabric of the same rails has the slices, loopbacks and router IDs of the smaller."""
    small, large = (
        plan_of(gpus=gpus, hb_domain=DGX, radix=64, addressing=IPV6).addresses
        for gpus in (512, 1024)
    )
    assert (small.hosts, small.loopbacks.base) == (large.hosts, large.loopbacks.base)
    assert small.host_addresses(3, [5]) == large.host_addresses(3, [5])


def test_ipv4_loopbacks_may_have_router_ids_of_their_own() -> None:
    """The key is the same for both families."""
    plan = plan_of(gpus=64, hb_domain=DGX, radix=8, addressing={"router_id_pool": "192.168.0.0/16"})
    instance = next(Views(plan).switches(0)).instances[0]
    assert (instance.loopback, instance.router_id) == ("10.128.0.1", "192.168.0.1")


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"host_pool": "10.0.0.0/21"}, None),
        ({"host_pool": "10.0.0.0/22"}, "pool-too-small"),
        ({"loopback_pool": "10.128.0.0/26"}, None),
        ({"loopback_pool": "10.128.0.0/27"}, "pool-too-small"),
        ({"host_pool": "10.0.0.0/8"}, "pools-overlap"),
        ({**IPV6, "host_pool": "2001:db8:100::/116"}, None),
        ({**IPV6, "host_pool": "2001:db8:100::/117"}, "pool-too-small"),
        ({**IPV6, "loopback_pool": "2001:db8:200::/122"}, None),
        ({**IPV6, "loopback_pool": "2001:db8:200::/123"}, "pool-too-small"),
        ({**IPV6, "router_id_pool": "10.0.0.0/26"}, None),
        ({**IPV6, "router_id_pool": "10.0.0.0/27"}, "pool-too-small"),
        ({**IPV6, "loopback_pool": "2001:db8:100::/48"}, "pools-overlap"),
        ({"asn_base": 4294967247}, None),
        ({"asn_base": 4294967248}, "asn-out-of-range"),
    ],
)
def test_pools(asked: dict[str, object], code: str | None) -> None:
    """1,024 GPUs on eight rails of 4 leaves and 2 spines take a /21, a /26 and 48 AS numbers.

    Nothing smaller is enough.
    """
    keys = {"gpus": 1024, "hb_domain": DGX, "radix": 64, "addressing": asked}
    if code:
        assert refusal_codes(**keys) == [code]
    else:
        assert plan_of(**keys).sizing.leaf == 4


@pytest.mark.parametrize(("pool", "fits"), [("10.0.0.0/22", True), ("10.0.0.0/23", False)])
def test_rails_on_a_shared_box_need_a_slice_each(pool: str, *, fits: bool) -> None:
    """Eight rails of 64 endpoints take eight slices of 128, however many share a box."""
    keys = {
        "gpus": 512,
        "hb_domain": DGX,
        "radix": 128,
        "rails": {"per_switch": 2},
        "addressing": {"host_pool": pool},
    }
    if fits:
        assert plan_of(**keys).addresses.hosts.prefix(7) == "10.0.3.128/25"
    else:
        assert refusal_codes(**keys) == ["pool-too-small"]


def test_a_role_has_as_numbers_of_its_own() -> None:
    """The first is counted up rail by rail, a list is taken in order, other roles keep theirs."""
    asn = {"leaf": 64600, "spine": [65100 + block % 2 for block in range(8)]}
    keys = {"gpus": 1024, "hb_domain": DGX, "radix": 64}
    plan, plain = plan_of(**keys, addressing={"asn": asn}), plan_of(**keys)
    assert [numbers(plan, rail, Role.LEAF) for rail in (0, 7)] == [
        [64600, 64601, 64602, 64603],
        [64628, 64629, 64630, 64631],
    ]
    assert [set(numbers(plan, rail, Role.SPINE)) for rail in (0, 7)] == [{65100}, {65101}]
    spines = plan_of(**keys, addressing={"asn": {"spine": 64512}})
    assert numbers(spines, 3, Role.LEAF) == numbers(plain, 3, Role.LEAF)
    assert plain.spec.addressing.asn.leaf is None


def test_as_numbers_of_roles_stay_when_the_fabric_grows() -> None:
    """Three tiers: each pod has its own number, and the reserve counts."""
    keys = {"hb_domain": DGX, "radix": 8, "addressing": {"asn": {"leaf": 1, "spine": 64512}}}
    small, large = (plan_of(gpus=gpus, reserve={"gpus": 1024}, **keys) for gpus in (512, 1024))
    for role in Role:
        assert numbers(small, 1, role) == numbers(large, 1, role)
    pods = small.sizing.pods
    assert numbers(small, 1, Role.SPINE)[:: small.sizing.pod_spines] == list(
        range(64512 + pods, 64512 + 2 * pods)
    )


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"asn": {"leaf": 64600, "spine": 64601}}, "asn-twice"),
        ({"asn": {"leaf": [64600] * 16}}, "asn-twice"),
        ({"asn": {"spine": [64600] * 8}}, None),
        ({"asn": {"spine": [64600] * 7}}, "too-few-asns"),
        ({"asn": {"hosts": 64600, "leaf": 64600}, "host_links": "unnumbered"}, "asn-twice"),
        ({"asn": {"leaf": 4294967280}}, "asn-out-of-range"),
        ({"asn": {"leaf": 65520}}, "asn-reserved"),
        ({"asn_base": 23450}, "asn-reserved"),
        ({"asn_base": 23457}, None),
    ],
)
def test_as_numbers_are_distinct_and_usable(asked: dict[str, object], code: str | None) -> None:
    """Leaves never share a number, spines of different rails may; reserved ones are refused."""
    keys = {"gpus": 64, "hb_domain": DGX, "radix": 8, "rails": {"tiers": 2}, "addressing": asked}
    if code:
        assert refusal_codes(**keys) == [code]
    else:
        assert plan_of(**keys).sizing.leaf == 2


@pytest.mark.parametrize(
    ("asked", "number"),
    [({}, None), ({"asn_base": 64512}, None), ({"asn_base": 65520}, None), ({"asn_base": 1}, 1)],
)
def test_public_as_numbers_are_noticed(asked: dict[str, object], number: int | None) -> None:
    """Numbers that are assigned to networks are used, with a notice."""
    plan = plan_of(gpus=16, hb_domain={"gpus": 4}, radix=64, addressing=asked)
    assert plan.addresses.as_numbers.public == number

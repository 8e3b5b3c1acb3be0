"""The views of hosts.

Every NIC port agrees with the leaf port at the other end, and routes, rules and NCCL settings
follow from the plan.
"""

from __future__ import annotations

from functools import cache
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings

from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import Design, LinkKind
from fabricgen.views.factory import Views
from fabricgen.views.hosts.build import FIRST_TABLE, Hosts
from fabricgen.views.hosts.view import MAIN_TABLE
from tests.fabrics import VARIANTS, plan_of, refusal_codes
from tests.laws.drawing import Inventory, inventories

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan
    from fabricgen.views.hosts.view import HostView, NicView
    from fabricgen.views.switches.view import Instance, PortView

DGX: dict[str, Any] = {
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600"}},
}
TRAYS: dict[str, Any] = {
    "gpus": 288,
    "hb_domain": {"gpus": 72},
    "host": {"model": "gb200-nvl72"},
    "switches": {"leaf": {"model": "sn5600"}},
}
KERNEL_MAIN_RULE = 32766
"""Priority of the kernel's rule for the main table (ip-rule(8)).

Rules after it are never reached.
"""


@cache
def variant_plan(name: str) -> Plan:
    """Plan a variant once for all tests."""
    return plan_of(**VARIANTS[name])


def hosts_of(plan: Plan) -> list[HostView]:
    """Return the view of every installed host."""
    return list(Hosts(plan).views(range(len(plan.hosts))))


def leaf_ports(plan: Plan) -> dict[tuple[str, str], tuple[PortView, Instance]]:
    """Return every leaf port that faces a host, by switch and interface.

    Each has its routing instance.
    """
    views = Views(plan)
    found: dict[tuple[str, str], tuple[PortView, Instance]] = {}
    for segment in range(plan.mapping.segments):
        for switch in views.switches(segment):
            for instance in switch.instances:
                found |= {
                    (switch.name, port.interface): (port, instance) for port in instance.host_ports
                }
    return found


def assert_agrees(plan: Plan) -> None:
    """Assert that both ends of every host link agree."""
    ports = leaf_ports(plan)
    ethernet = Hosts(plan).ethernet
    for host in hosts_of(plan):
        for nic in host.nics:
            port, instance = ports.pop((nic.leaf, nic.leaf_interface))
            assert (port.peer_device, port.peer_interface, port.cable) == (
                host.name,
                nic.interface,
                nic.cable,
            )
            assert (port.alias, port.speed_mbps) == (nic.leaf_alias, host.speed_mbps)
            assert port.rail in ("", str(nic.rail))
            assert nic.rail_prefix == (instance.host_prefix if ethernet else "")
            if nic.gateway:
                assert port.address == f"{nic.gateway}/{nic.prefix_length}"
                assert nic.prefix_length == host.address_bits - 1
                assert int(ip_address(nic.address)) == int(ip_address(nic.gateway)) + 1
                assert int(ip_address(nic.address)) % 2, "the leaf is even and the host is odd"
            elif ethernet:
                assert (port.address, nic.prefix_length) == ("", host.address_bits)
            if nic.address:
                assert ip_address(nic.address) in ip_network(instance.host_prefix)
    assert not ports, "a leaf port leads to no host"


@pytest.mark.parametrize("name", VARIANTS)
def test_both_ends_of_a_link_agree(name: str) -> None:
    """Interface, cable, address and prefix of the host are those of the leaf's port."""
    assert_agrees(variant_plan(name))


@pytest.mark.parametrize("name", VARIANTS)
def test_devices_have_the_settings_that_are_compared(name: str) -> None:
    """The law `ends-agree` compares the values from which the files of all devices are rendered."""
    plan = variant_plan(name)
    views, settings = Views(plan), Hosts(plan).settings
    for host in hosts_of(plan):
        assert (host.mtu, host.timers, host.roce, host.bgp) == (settings.mtu, *settings[2:])
    for segment in range(plan.mapping.segments):
        shared = views.settings(segment)
        for switch in views.switches(segment):
            assert (switch.mtu, switch.bfd, switch.timers, switch.roce, switch.bgp) == shared


def test_both_ends_agree_on_drawn_inventories() -> None:
    """Planes, shared boxes, partial blocks, reserves and every design.

    Fabrics have up to a few hundred GPUs.
    """
    seen = set()

    @settings(max_examples=80)
    @given(inventories())
    def hold(inventory: Inventory) -> None:
        assume(inventory["gpus"] <= 1024)
        try:
            plan = plan_of(**inventory)
        except Refusal:
            return
        seen.add((inventory["design"], Hosts(plan).ethernet))
        assert_agrees(plan)
        for host in hosts_of(plan):
            assert_sound(host, plan)

    hold()
    assert {design for design, _ in seen} == {design.value for design in Design}
    assert {ethernet for _, ethernet in seen} == {True, False}


def is_inside(prefix: str, other: str) -> bool:
    """Return whether a prefix is part of another one."""
    small, large = ip_network(prefix), ip_network(other)
    return small.prefixlen >= large.prefixlen and small[0] in large


def assert_sound(host: HostView, plan: Plan) -> None:
    """Assert that a host has one table and one rule per address, before the kernel's main rule."""
    assert (
        len({nic.interface for nic in host.nics})
        == len(host.nics)
        == plan.fabric.host_gpus * plan.fabric.planes
    )
    tables = [nic.table for nic in host.nics]
    assert len(set(tables)) == len(tables)
    assert min(tables) >= FIRST_TABLE > MAIN_TABLE + 1
    wide = [route.destination for route in host.routes]
    for nic in host.nics:
        assert (
            bool(nic.rules)
            == bool(nic.routes)
            == bool(nic.address)
            == (host.transport == "ethernet")
        )
        assert all(
            rule.source == nic.address and rule.priority < KERNEL_MAIN_RULE for rule in nic.rules
        )
        assert [rule.table for rule in nic.rules if not rule.destination] == [nic.table] * bool(
            nic.rules
        )
        assert all(
            route.gateway == nic.gateway and route.source == nic.address
            for route in nic.routes
            if route.gateway
        )
        assert not nic.address or any(is_inside(nic.rail_prefix, pool) for pool in wide)
    metrics = [
        (route.destination, route.metric)
        for nic in host.nics
        for route in nic.routes
        if route.table == MAIN_TABLE
    ]
    assert len(set(metrics)) == len(metrics), "one of two routes would replace the other"
    assert all(metric < route.metric for _, metric in metrics for route in host.routes)
    assert all(is_inside(prefix, str(plan.spec.addressing.host_pool)) for prefix in wide)


@pytest.mark.parametrize("name", VARIANTS)
def test_tables_and_rules(name: str) -> None:
    """Every kind of fabric."""
    plan = variant_plan(name)
    for host in hosts_of(plan):
        assert_sound(host, plan)
    assert sum(len(host.nics) for host in hosts_of(plan)) == plan.link_count(LinkKind.HOST)


def routes_of(nic: NicView) -> list[tuple[str, str, int, int]]:
    """Return the destinations of the routes of a NIC port."""
    return [(route.destination, route.gateway, route.table, route.metric) for route in nic.routes]


def test_a_dgx_by_hand() -> None:
    """The second host of 128.

    From its address a table reaches its own rail only, and without one every rail is reached.
    """
    host = hosts_of(plan_of(gpus=1024, **DGX))[1]
    nic = host.nics[3]
    assert (nic.gpu, nic.interface, nic.rdma, nic.pci, nic.leaf) == (
        "d1-g3",
        "enp94s0np0",
        "mlx5_5",
        "0000:5e:00.0",
        "r3-leaf-1",
    )
    assert (nic.address, nic.gateway, nic.rail_prefix, nic.table) == (
        "10.0.48.3",
        "10.0.48.2",
        "10.0.48.0/20",
        1003,
    )
    assert routes_of(nic) == [
        ("10.0.48.0/20", "10.0.48.2", 1003, 0),
        ("0.0.0.0/0", "", 1003, 0),
        ("10.0.48.0/20", "10.0.48.2", 254, 100),
    ]
    assert [(route.destination, route.gateway, route.table) for route in host.routes] == [
        ("10.0.0.0/17", "", 254)
    ]
    assert (host.notes, host.placeholders, host.mtu, host.speed_mbps) == ([], False, 9216, 400_000)


def test_several_nics_on_one_rail_are_ordered() -> None:
    """A socket without an address takes the first that works, in order of rank.

    Each address keeps a table of its own.
    """
    nics = hosts_of(variant_plan("four rails for eight GPUs"))[0].nics
    main = [
        (nic.rail, route.metric)
        for nic in nics
        for route in nic.routes
        if route.table == MAIN_TABLE
    ]
    assert main == [(0, 100), (1, 100), (2, 100), (3, 100), (0, 101), (1, 101), (2, 101), (3, 101)]


def test_rails_without_a_nic_are_named() -> None:
    """A tray of a large HB domain reaches other rails over the interconnect.

    The files state so. Where rails meet, no rail is unreachable.
    """
    host = hosts_of(plan_of(**TRAYS))[1]
    assert [nic.rail for nic in host.nics] == [4, 5, 6, 7]
    assert [note for note in host.notes if "0-3, 8-71" in note]
    assert not [
        note
        for note in hosts_of(plan_of(**TRAYS, design="rail-optimized"))[1].notes
        if "0-3" in note
    ]


def test_growth_renumbers_no_host() -> None:
    """The hosts installed in a reserve keep their numbers in the grown fabric."""
    small, large = (
        hosts_of(plan_of(gpus=gpus, reserve={"gpus": 1024}, **DGX)) for gpus in (256, 1024)
    )
    assert small == large[: len(small)]


def test_infiniband_has_no_addresses() -> None:
    """The map of NICs and NCCL's settings remain."""
    host = hosts_of(plan_of(**DGX | {"gpus": 64, "switches": {"leaf": {"model": "qm9700"}}}))[0]
    assert (host.transport, host.routes, host.nics[0].interface) == ("infiniband", [], "ibp24s0")
    assert not any(nic.address or nic.routes or nic.rules for nic in host.nics)
    assert "NCCL_IB_TC" not in [setting.name for setting in host.nccl]


def test_unnumbered_hosts_use_bgp() -> None:
    """All hosts share the AS number behind those of the switches.

    An address looks up only its own rail in routes from BGP.
    """
    plan = variant_plan("unnumbered hosts")
    switches = {
        switch.asn
        for segment in range(plan.mapping.segments)
        for switch in Views(plan).switches(segment)
    }
    host = hosts_of(plan)[0]
    assert host.asn > max(switches)
    assert [(rule.destination, rule.table) for rule in host.nics[2].rules] == [
        (host.nics[2].rail_prefix, MAIN_TABLE),
        ("", host.nics[2].table),
    ]
    assert routes_of(host.nics[2]) == [("0.0.0.0/0", "", host.nics[2].table, 0)]


def test_the_as_number_of_hosts_is_counted() -> None:
    """A fabric whose switches take the last AS number has none left for unnumbered hosts."""
    keys: dict[str, Any] = {"gpus": 1024, "hb_domain": {"gpus": 8}, "radix": 64}
    last = {"asn_base": 4294967247}
    assert plan_of(**keys, addressing=last)
    assert refusal_codes(**keys, addressing={**last, "host_links": "unnumbered"}) == [
        "asn-out-of-range"
    ]


# --- NCCL


def nccl(**keys: Any) -> dict[str, str]:  # noqa: ANN401 - keys of an inventory
    """Return the settings of the second host of a fabric, those with a value."""
    host = hosts_of(plan_of(**{"gpus": 64, **DGX, **keys}))[1]
    assert all(setting.why and "=" not in " ".join(setting.why) for setting in host.nccl), (
        "older versions take a comment with a sign for a setting"
    )
    return {setting.name: setting.value for setting in host.nccl if setting.value}


BY_RAIL = ("mlx5_0", "mlx5_3", "mlx5_4", "mlx5_5", "mlx5_6", "mlx5_9", "mlx5_10", "mlx5_11")
"""RDMA devices of a DGX H100 in order of GPU, from the user guide's table."""


@pytest.mark.parametrize(
    ("version", "attributed"),
    [
        (None, False),
        ("2.18", False),
        ("2.30.4", False),
        ("2.30.5", True),
        ("2.30.7", True),
        ("2.31", True),
        ("3.0.0", True),
    ],
)
def test_rail_attributes_need_their_version(version: str | None, *, attributed: bool) -> None:
    """They need 2.30.5 or newer.

    Without a version, the form that every version reads is written.
    """
    found = nccl(**({"nccl": version} if version else {}))
    wanted = [
        f"{device}:1:{rail}" if attributed else f"{device}:1" for rail, device in enumerate(BY_RAIL)
    ]
    assert found["NCCL_IB_HCA"] == "=" + ",".join(wanted)
    assert found.get("NCCL_NET_MERGE_POLICY") == ("RAIL" if attributed else None)


def test_devices_are_in_order_of_rail() -> None:
    """Four rails for eight GPUs: ranks 0 and 4 share rail 0."""
    wanted = [f"{BY_RAIL[rank]}:1:{rank % 4}" for rail in range(4) for rank in (rail, rail + 4)]
    assert nccl(nccl="2.30.7", rails={"count": 4})["NCCL_IB_HCA"] == "=" + ",".join(wanted)


def test_a_rail_only_fabric_relays() -> None:
    """The whole file of a rail-only fabric, without its reasons."""
    found = nccl()
    assert {name: value for name, value in found.items() if name != "NCCL_IB_HCA"} == {
        "NCCL_CROSS_NIC": "0",
        "NCCL_PXN_DISABLE": "0",
        "NCCL_P2P_PXN_LEVEL": "2",
        "NCCL_IB_TC": "104",
    }


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        ({"design": "rail-optimized"}, {"NCCL_CROSS_NIC": "0", "NCCL_PXN_DISABLE": "0"}),
        (
            {"design": "rail-optimized", "nccl": {"pxn": False}},
            {"NCCL_CROSS_NIC": "0", "NCCL_PXN_DISABLE": "1"},
        ),
        ({"design": "rail-optimized", "host": {"model": "pcie-8gpu"}}, {"NCCL_CROSS_NIC": "0"}),
        ({"design": "fat-tree"}, {}),
        ({"rails": {"count": 1}}, {}),
        (
            {"host": {"model": "dgx-b300"}, "rails": {"planes": 2}},
            {"NCCL_CROSS_NIC": "0", "NCCL_PXN_DISABLE": "0", "NCCL_P2P_PXN_LEVEL": "2"},
        ),
    ],
)
def test_nccl_settings_of_each_design(keys: dict[str, Any], wanted: dict[str, str]) -> None:
    """Rails are kept where there are any, and relayed where a relay exists."""
    found = nccl(**keys)
    assert {
        name: value for name, value in found.items() if "NIC" in name or "PXN" in name
    } == wanted | ({"NCCL_IB_MERGE_NICS": "0"} if "planes" in keys.get("rails", {}) else {})


@pytest.mark.parametrize(("dscp", "tos"), [(26, "104"), (24, "96"), (63, "252")])
def test_the_traffic_class_is_the_tos_byte(dscp: int, tos: str) -> None:
    """The DSCP is in the upper six bits of the byte (RFC 2474)."""
    assert nccl(roce={"dscp": dscp})["NCCL_IB_TC"] == tos


def test_a_tray_names_the_limits_of_pxn() -> None:
    """PXN relays inside one host.

    A comment names the rails that it reaches.
    """
    output = {setting.name: " ".join(setting.why) for setting in hosts_of(plan_of(**TRAYS))[1].nccl}
    assert "(4-7)" in output["NCCL_PXN_DISABLE"]


def test_interfaces_whose_devices_are_unknown_are_listed() -> None:
    """A DGX B200 has no published names of RDMA devices."""
    plan = plan_of(
        gpus=64, hb_domain={"gpus": 8}, host={"model": "dgx-b200"}, switches=TRAYS["switches"]
    )
    output = {setting.name: " ".join(setting.why) for setting in hosts_of(plan)[0].nccl}
    assert "nic0 nic1 nic2 nic3" in output["NCCL_IB_HCA"]


@pytest.mark.parametrize("rails", [{}, {"count": 2}])
@pytest.mark.parametrize("keys", [{"nccl": {"pxn": False}}, {"host": {"model": "pcie-8gpu"}}])
def test_a_rail_only_fabric_without_a_relay_is_refused(
    keys: dict[str, Any], rails: dict[str, int]
) -> None:
    """Whatever removes the relay, unless all NICs are on one rail."""
    wanted = {"gpus": 64, **DGX, **keys}
    assert refusal_codes(**wanted, rails=rails) == ["relay-impossible"]
    assert plan_of(**wanted, rails={"count": 1})
    assert plan_of(**wanted, rails=rails, design="rail-optimized")

"""Management addresses: one for each switch, in an order that growth and pins do not change."""

from __future__ import annotations

import json
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.checks.management import reachable
from fabricgen.analysis.checks.plan_evidence import evidence_of
from fabricgen.core.diagnostics import Refusal
from fabricgen.inventory.fields import KEY_EXAMPLE
from fabricgen.inventory.load import read_inventory
from fabricgen.lifecycle.change.expand import grow
from fabricgen.planning.addressing import address_text
from fabricgen.planning.baseline.expansion_stages import ExpansionStage, ExpansionStages
from fabricgen.planning.management import _places
from fabricgen.planning.notices import advice
from fabricgen.planning.plan import make_plan
from fabricgen.planning.plan_document import plan_document
from fabricgen.views.hosts.network_ports import managed_device_ports, network_ports
from tests.fabrics import CATALOG, plan_of, refusal_codes, spec_of

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan

OPS = {"name": "ops", "key": KEY_EXAMPLE}
MANAGEMENT: dict[str, Any] = {"pool": "10.200.0.0/24", "ntp": ["10.200.0.123"], "users": [OPS]}
SMALL = {"gpus": 16, "hb_domain": {"gpus": 8}, "switches": {"leaf": {"generic": {"radix": 4}}}}


def addresses(**keys: Any) -> dict[str, str]:  # noqa: ANN401 - keys of an inventory
    """Return the management address of each switch of the small fabric, and of each host."""
    plan = plan_of(**SMALL, management=MANAGEMENT | keys)
    assert plan.management
    given = dict(
        zip(
            plan.switches(),
            map(address_text, plan.management.switches.ravel().tolist()),
            strict=True,
        )
    )
    return given | {host: plan.management.host(row) for row, host in enumerate(plan.hosts)}


def test_switches_are_counted_from_the_pool() -> None:
    """The gateway is the first address of the subnet; hosts have none without a pool."""
    found = addresses()
    assert [*found.values()][:3] == ["10.200.0.2", "10.200.0.3", "10.200.0.4"]
    assert {found[host] for host in found if host.startswith("host")} == {""}
    switches = [address for address in found.values() if address]
    assert len(set(switches)) == len(switches)


AAA = {"protocol": "tacacs", "servers": ["10.200.0.6"], "secret": "env:AAA"}
NAMED: dict[str, Any] = {
    "ntp": ["10.200.0.2", "ntp.example.com"],
    "dns": ["10.200.0.4", "2001:db8::53"],
    "syslog": ["10.200.0.5"],
    "aaa": AAA,
}
"""Servers in the first addresses of the pool."""


def test_no_pool_gives_an_address_that_the_inventory_names() -> None:
    """Those of servers, and of `vars`, are skipped by switches, hosts and the boot server."""
    plain = [*addresses().values()]
    found = [*addresses(**NAMED).values()]
    switches = [address for address in found if address]
    assert switches[:3] == ["10.200.0.3", "10.200.0.7", "10.200.0.8"]
    assert len(switches) == len([address for address in plain if address])
    hosts = addresses(host_pool="10.201.0.0/24", dns=["10.201.0.1"], syslog=["10.201.0.3"])
    assert [hosts["host-1"], hosts["host-2"]] == ["10.201.0.2", "10.201.0.4"]
    plan = plan_of(
        **SMALL,
        management=MANAGEMENT | {"syslog": ["10.200.0.254"]},
        vars={"site": {"mirrors": ["10.200.0.253", "10.200.0.3"]}},
    )
    assert plan.management
    assert address_text(plan.management.server or 0) == "10.200.0.252"
    assert int(IPv4Address("10.200.0.3")) not in plan.management.switches
    assert addresses(skip=["10.200.0.3"])["r1-leaf-1"] == "10.200.0.4"


OOB: dict[str, Any] = {
    "gpus": 16,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
    "networks": {"oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"}},
    "devices": [{"name": "pdu-{n}", "count": 4, "ports": {"oob": 1}}],
}


def test_devices_skip_named_addresses_as_well() -> None:
    """Their positions are counted without them, and a pool that is then too small is refused."""
    pools = {"subnet": "10.200.0.0/16", "device_pool": "10.200.1.0/25"}
    plain, found = (
        [port.address for port in managed_device_ports(plan_of(**OOB, management=own))]
        for own in (MANAGEMENT | pools, MANAGEMENT | pools | {"dns": ["10.200.1.1", "10.200.1.3"]})
    )
    assert len(found) == len(plain)
    assert "10.200.1.1" in plain
    assert not {"10.200.1.1", "10.200.1.3"}.intersection(found)
    assert len(set(found)) == len(found)
    full = MANAGEMENT | pools | {"device_pool": "10.200.1.0/28"}
    plan_of(**OOB, management=full)
    assert refusal_codes(**OOB, management=full | {"dns": ["10.200.1.9"]}) == ["pool-too-small"]


@pytest.mark.parametrize(
    ("pools", "named", "pool"),
    [
        ({}, {"ntp": ["10.0.0.9"]}, "host_pool"),
        ({}, {"dns": ["10.128.0.1"]}, "loopback_pool"),
        ({}, {"server": "10.0.0.9"}, "host_pool"),
        (
            {
                "host_pool": "2001:db8:100::/40",
                "loopback_pool": "2001:db8:200::/40",
                "router_id_pool": "10.128.0.0/10",
            },
            {"ntp": ["2001:db8:100::1:5"]},
            "host_pool",
        ),
    ],
)
def test_a_server_in_a_pool_of_the_fabric_is_refused(
    pools: dict[str, Any], named: dict[str, Any], pool: str
) -> None:
    """Hosts have routes to the slices of the pool, and would look for the server behind a NIC."""
    with pytest.raises(Refusal) as refused:
        plan_of(**SMALL, addressing=pools, management=MANAGEMENT | named)
    (finding,) = refused.value.findings
    assert finding.code == "pools-overlap"
    assert f"`addressing.{pool}` uses" in finding.because[0]


def test_growth_keeps_the_addresses_of_an_older_plan(tmp_path: Path) -> None:
    """Also of one that was saved before named addresses were skipped, and after a server moved."""
    old = plan_of(**SMALL, management=MANAGEMENT | NAMED)
    path, before = tmp_path / "old.json", tmp_path / "before.json"
    document = plan_document(old, {})
    assert document["inventory"]["management"]["skip"] == [
        "10.200.0.2",
        "10.200.0.4",
        "10.200.0.5",
        "10.200.0.6",
    ]
    path.write_text(json.dumps(document), "utf-8")
    again = make_plan(read_inventory(str(path)).spec, CATALOG)
    assert plan_document(again, {}) == document
    del document["inventory"]["management"]["skip"]
    before.write_text(json.dumps(document), "utf-8")
    unskipped = make_plan(read_inventory(str(before)).spec, CATALOG)
    assert plan_document(unskipped, {}) == document
    moved = {**NAMED, "ntp": ["10.200.0.66"], "syslog": ["10.200.0.20"]}
    for small in (old, again, unskipped):
        large = grow(small, spec_of(**SMALL | {"gpus": 64}, management=MANAGEMENT | moved), CATALOG)
        was, now = given(small), given(large)
        assert len(now) > len(was)
        assert {name: now[name] for name in was} == was
        assert not {"10.200.0.66", "10.200.0.20"}.intersection(now.values())
        new = {name: address for name, address in now.items() if name not in was}
        assert not {"10.200.0.4", "10.200.0.5", "10.200.0.6"}.intersection(new.values())
        assert len(set(now.values())) == len(now)
    assert given(unskipped)["r0-leaf-1"] == "10.200.0.2"
    broken, sound = (reachable(evidence_of(own)).violations for own in (unskipped, old))
    assert [own.total for own in broken if own.total] == [4]
    assert not any(own.total for own in sound)


def given(plan: Plan) -> dict[str, str]:
    """Return the management address of each switch of a plan."""
    assert plan.management
    rows = plan.management.switches.ravel().tolist()
    return dict(zip(plan.switches(), map(address_text, rows), strict=True))


def test_a_pinned_address_is_given_to_nothing_else() -> None:
    """A pin outside of the counted range changes no other address."""
    plain = addresses()
    pinned = addresses(addresses={"r0-leaf-1": "10.200.0.200"})
    assert pinned == plain | {"r0-leaf-1": "10.200.0.200"}
    inside = addresses(addresses={"r1-leaf-1": "10.200.0.2"})
    values = [address for address in inside.values() if address]
    assert inside["r1-leaf-1"] == "10.200.0.2"
    assert len(set(values)) == len(values)


def test_a_pool_may_be_a_part_of_its_subnet() -> None:
    """Its first and last address are then used as well."""
    found = addresses(pool="10.200.0.64/26", subnet="10.200.0.0/24", gateway="10.200.0.254")
    assert found["r0-leaf-1"] == "10.200.0.64"


def test_hosts_are_counted_by_their_positions() -> None:
    """A host pool gives each host an address; a pin may be in it."""
    found = addresses(host_pool="10.201.0.0/24", addresses={"host-2": "10.201.0.99"})
    assert (found["host-1"], found["host-2"]) == ("10.201.0.1", "10.201.0.99")


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ({"pool": "10.200.0.0/29"}, "pool-too-small"),
        ({"host_pool": "10.201.0.1/32"}, "pool-too-small"),
        ({"pool": "10.0.0.0/24"}, "pools-overlap"),
        ({"host_pool": "10.200.0.0/16"}, "pools-overlap"),
        ({"device_pool": "10.200.0.0/25"}, "unknown-key"),
        ({"addresses": {"r0-leaf-1": "10.200.0.1"}}, "bad-management-address"),
        ({"addresses": {"r0-leaf-1": "10.202.0.1"}}, "bad-management-address"),
    ],
)
def test_what_does_not_fit_is_refused(keys: dict[str, Any], code: str) -> None:
    """Each fault has its code."""
    with pytest.raises(Refusal) as refused:
        addresses(**keys)
    assert {finding.code for finding in refused.value.findings} == {code}


def test_switches_of_an_expansion_come_after_all_older_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An expansion changes no address: its leaves are counted after the spines of all segments."""
    plan = plan_of(**SMALL, management=MANAGEMENT)
    sizing = plan.sizing
    before = ExpansionStage(sizing.leaf - 1, sizing.spine, sizing.core, sizing.pods)
    after = ExpansionStage(sizing.leaf, sizing.spine, sizing.core, sizing.pods)
    monkeypatch.setattr(type(plan.mapping), "stages", ExpansionStages((before, after)))
    boxes = [box.role.value for box in plan.naming.boxes]
    places = _places(plan)
    new = places[:, boxes.index("leaf") + sizing.leaf - 1]
    assert sorted(new.tolist()) == list(range(places.size - len(new), places.size))


def test_a_server_outside_of_the_allowed_prefixes_is_named() -> None:
    """It serves what switches boot from, and from there no switch is managed."""
    keys = {"server": "10.200.0.9", "allow": ["10.201.0.0/24"]}
    (notice,) = (one for one in _advice(**keys) if "management.server" in one)
    assert "10.200.0.9 is outside of `management.allow` (10.201.0.0/24)" in notice
    inside = keys | {"allow": ["10.200.0.0/28", "10.201.0.0/24"]}
    assert not any("management.server" in one for one in _advice(**inside))


def test_the_server_shares_its_address_with_no_network() -> None:
    """The second management port of the only console server has the last address of this pool."""
    plan = plan_of(
        gpus=16,
        hb_domain={"gpus": 8},
        design="fat-tree",
        switches={"leaf": {"model": "sn5600"}},
        networks={
            "oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"},
            "console": {"switches": {"leaf": {"model": "cm8148"}}},
        },
        management=MANAGEMENT | {"pool": "10.200.0.0/27"},
    )
    console = plan.networks["console"].management
    assert console
    assert console.further.tolist() == [[[int(IPv4Address("10.200.0.30"))]]]
    servers = {own.management.server for own in plan.cluster if own.management}
    assert servers == {int(IPv4Address("10.200.0.29"))}


def _advice(**keys: Any) -> list[str]:  # noqa: ANN401 - keys of an inventory
    """Return the notices of the small fabric."""
    return advice(plan_of(**SMALL, management=MANAGEMENT | keys))


def test_what_has_no_switches_of_its_own_has_no_addresses() -> None:
    """Neither paired devices nor networks on compute leaves; a leaf keeps its own address."""
    plan = plan_of(
        gpus=56,
        hb_domain={"gpus": 8},
        switches={"leaf": {"model": "sn5600", "breakout": "2x400G"}},
        rails={"per_switch": 4},
        networks={
            "storage": {"converged_with": "compute", "speed": "200G", "cages": "20-33"},
            "oob": {"switches": {"leaf": {"generic": {"radix": 32}}}, "speed": "1G"},
        },
        devices=[
            {"name": "ufm-{n}", "count": 2, "ports": {"oob": 1, "storage": 2}, "peer_links": 1}
        ],
        management=MANAGEMENT,
    )
    assert plan.management is not None
    own = {name: network.management for name, network in plan.networks.items()}
    assert [name for name, planned in own.items() if planned] == ["oob"]
    managed = {port.device: port.address for port in network_ports(plan) if port.network == "oob"}
    assert managed["leaf-1"] == plan.management.switch(0, 0)


POOLS = {"pool": "10.200.0.0/23", "device_pool": "10.200.2.0/24", "subnet": "10.200.0.0/22"}


def managed_cluster(gpus: int, **keys: Any) -> Plan:  # noqa: ANN401 - keys of `management`
    """Return a cluster whose hosts, racks and switches are on an out-of-band network."""
    return plan_of(
        gpus=gpus,
        hb_domain={"gpus": 8},
        switches={"leaf": {"model": "sn5600"}},
        networks={"oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"}},
        devices=[{"name": "pdu-{n}", "count": 4, "ports": {"oob": 1}}],
        management=MANAGEMENT | POOLS | keys,
    )


def test_devices_are_counted_by_the_ports_of_their_switches() -> None:
    """All ports have addresses of one subnet, those of switches from another pool."""
    plan = managed_cluster(64)
    ports = [port for port in network_ports(plan) if port.network == "oob"]
    assert len({port.address for port in ports}) == len(ports)
    assert {port.prefix_length for port in ports} == {22}
    assert {port.gateway for port in ports} == {"10.200.0.1"}
    others = {port.device: port.address for port in ports if port.device not in plan.switches()}
    assert len(others) == len(plan.hosts) + 4
    assert others["host-1"] == "10.200.2.1"
    assert {address.startswith("10.200.2.") for address in others.values()} == {True}
    assert plan.management
    assert plan.management.server == int(IPv4Address("10.200.3.254"))


def test_growth_keeps_the_addresses_of_devices() -> None:
    """New hosts come before PDUs in the lists, and change none of their addresses."""
    old = managed_cluster(64)
    new = grow(old, managed_cluster(96).spec, CATALOG)
    before, after = (
        {(port.device, port.interface): port.address for port in managed_device_ports(plan)}
        for plan in (old, new)
    )
    assert len(after) == len(before) + 4
    assert {port: after[port] for port in before} == before


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ({"device_pool": "10.200.2.0/28"}, "pool-too-small"),
        ({"device_pool": "10.200.1.0/24"}, "pools-overlap"),
        ({"host_pool": "10.200.2.128/25"}, "pools-overlap"),
        ({"device_pool": "10.200.4.0/24"}, "bad-management-address"),
        ({"gateway": "10.200.2.9"}, "bad-management-address"),
        ({"addresses": {"leaf-1": "10.200.2.9"}}, "bad-management-address"),
    ],
)
def test_a_pool_of_devices_that_does_not_fit_is_refused(keys: dict[str, Any], code: str) -> None:
    """It is a part of the subnet that nothing else has."""
    with pytest.raises(Refusal) as refused:
        managed_cluster(64, **keys)
    assert {finding.code for finding in refused.value.findings} == {code}


def test_a_pool_of_devices_in_addresses_of_compute_is_refused() -> None:
    """Rails have all of 10.0.0.0/9 by default, and so does what it holds."""
    inside = {"pool": "10.200.0.0/24", "device_pool": "10.0.1.0/24", "subnet": "10.0.0.0/8"}
    with pytest.raises(Refusal) as refused:
        managed_cluster(64, **inside)
    (finding,) = refused.value.findings
    assert (finding.code, finding.path) == ("pools-overlap", ("management", "device_pool"))

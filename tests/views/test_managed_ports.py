"""Each management port with a cable has an address, a name and an entry of its own."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.analysis.checks.management import reachable
from fabricgen.analysis.checks.plan_evidence import evidence_of
from fabricgen.catalog.catalog import Catalog
from fabricgen.core.diagnostics import Refusal
from fabricgen.lifecycle.change.expand import grow
from fabricgen.outputs.dcim.management import ManagementPorts
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.provision.build import provision_view
from fabricgen.planning.addressing import address_text
from fabricgen.planning.managed_names import check_addresses
from fabricgen.views.hosts.network_ports import network_ports
from fabricgen.views.managed_ports import managed_ports
from tests.fabrics import CATALOG, plan_of, spec_of
from tests.outputs.packs.managed import LEAST

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan

CONSOLES: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "switches": {"leaf": {"model": "sn5600"}},
    "networks": {
        "oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"},
        "console": {"switches": {"leaf": {"model": "cm8148"}}, "leaves": 2},
    },
    "management": LEAST,
}
"""Two console servers, each with two management ports, below one out-of-band switch."""
FIRST = {"console-1": "10.200.0.224", "console-2": "10.200.0.225"}
SECOND = {"console-1-mgmt1": "10.200.0.240", "console-2-mgmt1": "10.200.0.241"}


@cache
def planned() -> Plan:
    """Plan the console servers."""
    return plan_of(**CONSOLES)


def addresses(plan: Plan) -> dict[str, str]:
    """Return the address of each management port of the console servers, by its name."""
    ports = managed_ports(plan.networks["console"])
    return {port.name: address_text(port.address) for port in ports}


def test_second_ports_have_the_second_half_of_the_part_of_their_switches() -> None:
    """So the first ones keep theirs, whether the second have a cable or not."""
    assert addresses(planned()) == FIRST | SECOND
    oob = CONSOLES["networks"]["oob"]
    for fewer in ({"oob": oob | {"switch_ports": 1}}, {"oob": oob | {"switch_ports": 0}}):
        assert addresses(plan_of(**CONSOLES | {"networks": CONSOLES["networks"] | fewer})) == FIRST
    alone = {"console": CONSOLES["networks"]["console"]}
    assert addresses(plan_of(**CONSOLES | {"networks": alone})) == FIRST


def test_addresses_stay_when_the_cluster_grows() -> None:
    """A console server more is counted behind the others in both halves."""
    console = CONSOLES["networks"]["console"] | {"leaves": 3}
    networks = CONSOLES["networks"] | {"console": console}
    new = grow(planned(), spec_of(**CONSOLES | {"gpus": 1024, "networks": networks}), CATALOG)
    assert addresses(planned()).items() <= addresses(new).items()
    assert addresses(new)["console-3-mgmt1"] == "10.200.0.242"


def test_every_cable_of_a_management_port_has_its_own_address() -> None:
    """In `hosts/networks.csv`, and in the files for NetBox, where the first one is primary."""
    ports = [port for port in network_ports(planned()) if port.address]
    assert len({port.address for port in ports}) == len(ports) == 8 + 4
    found = {(port.device, port.interface): port.address for port in ports}
    assert found["console-2", "mgmt1"] == SECOND["console-2-mgmt1"]
    rows = [*ManagementPorts(planned(), {}).rows()]
    assert {(row.device, row.name): row.prefix for row in rows if row.device != "oob-1"} == {
        port: f"{address}/24" for port, address in found.items()
    }
    assert {row.name for row in rows if row.primary == "false"} == {"mgmt1"}


def test_dhcp_has_an_entry_for_each_port(tmp_path: Path) -> None:
    """Each is known by a MAC address of its own; the README counts ports, and systems switches."""
    table = "name,mac\nconsole-1,94:6d:ae:00:a1:b2\nconsole-1-mgmt1,94:6d:ae:00:a1:b3\n"
    (tmp_path / "macs.csv").write_text(table, encoding="utf-8")
    plan = plan_of(
        Catalog(base=tmp_path), **CONSOLES | {"management": LEAST | {"macs": "macs.csv"}}
    )
    assert plan.spec.management
    assert plan.management
    view = provision_view(plan, plan.spec.management, plan.management, {})
    hosts = {switch.name: (switch.mac[-2:], switch.address) for switch in view.switches}
    assert hosts == {
        "console-1": ("b2", FIRST["console-1"]),
        "console-1-mgmt1": ("b3", SECOND["console-1-mgmt1"]),
    }
    assert {system.nos: system.switches for system in view.systems}["opengear"] == 2
    for file in ("dnsmasq.conf", "kea-dhcp4.conf", "README.md"):
        text = Packs().render("provision", f"{file}.j2", provision=view)
        assert "lacks 10 management ports" in text
        assert ("console-1-mgmt1" in text) == (file != "README.md")


def test_a_further_port_can_be_given_an_address() -> None:
    """By its name under `addresses`, like a switch; another name is refused."""
    given = {"console-2-mgmt1": "10.200.0.99"}
    plan = plan_of(**CONSOLES | {"management": LEAST | {"addresses": given}})
    assert addresses(plan) == FIRST | SECOND | given
    check_addresses(plan)
    unknown = plan_of(
        **CONSOLES | {"management": LEAST | {"addresses": {"console-2-mgmt2": "10.200.0.9"}}}
    )
    with pytest.raises(Refusal) as refused:
        check_addresses(unknown)
    assert refused.value.findings[0].code == "bad-management-address"


def test_a_small_pool_is_refused() -> None:
    """Its last eighth has one address, which two ports need."""
    with pytest.raises(Refusal) as refused:
        plan_of(**CONSOLES | {"management": LEAST | {"pool": "10.200.0.0/27", "ntp": ["10.9.0.1"]}})
    assert {finding.code for finding in refused.value.findings} == {"pool-too-small"}


def test_the_law_judges_every_port() -> None:
    """One address on two ports is found, and one outside of the subnet, which the port names."""
    plan = planned()
    assert check(plan).ok
    evidence = evidence_of(plan.networks["console"])
    facts = evidence.management
    assert facts
    assert reachable(evidence).figure.endswith("; 2 further management ports")
    base = int(IPv4Network("10.200.0.0/24").network_address)
    for further, words in (
        ({"console-1-mgmt1": base + 225}, "two ports have 10.200.0.225"),
        ({"console-2-mgmt1": base + 255}, "console-2-mgmt1 cannot be reached at 10.200.0.255"),
    ):
        broken = replace(evidence, management=facts._replace(further=facts.further | further))
        (finding,) = (each for own in reachable(broken).violations for each in own.first)
        assert finding.fact == words

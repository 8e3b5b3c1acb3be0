"""Console servers: a serial cable to every switch, and management ports in the OOB network."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.checks.laws import check
from fabricgen.api import plan_file
from fabricgen.bom.cluster_bill import cluster_bom
from fabricgen.lab.networks.choose import EVERY, lay_out_networks
from fabricgen.outputs.dcim.management import ManagementPorts
from fabricgen.planning.plan_document import plan_document
from fabricgen.views.factory import Views
from fabricgen.views.hosts.network_ports import network_ports
from tests.fabrics import plan_of
from tests.mutations.cluster import CLUSTER

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView


USER = {
    "name": "ops",
    "key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPKx0nN3b1Ux4CSj5gE0xrKPGsEzgHTAH0rJTzRSqZ2",
}


def planned(**keys: Any) -> Plan:  # noqa: ANN401 - keys of an inventory
    """Plan a cluster with a console server."""
    console = {"switches": {"leaf": {"model": "cm8148"}}, "fill": 85}
    return plan_of(**{**CLUSTER, "networks": {**CLUSTER["networks"], "console": console}, **keys})


def cables(name: str) -> list[CableView]:
    """Return the cables of a network."""
    return [*Views(planned().networks[name], kept=True).cables(0)]


def test_every_switch_has_a_console_cable() -> None:
    """Switches of all networks have one, on serial ports of console servers; hosts have none."""
    plan, found = planned(), cables("console")
    others = [own for name, own in plan.networks.items() if name != "console"]
    switches = [name for own in (plan, *others) for name in own.switches()]
    assert sorted(cable.a_device for cable in found) == sorted(switches)
    assert {(cable.a_interface, cable.speed, cable.part) for cable in found} == {
        ("console", "serial", "cat5e-serial")
    }
    assert (found[0].b_device, found[0].b_interface) == ("console-1", "port1")
    assert check(plan).ok


def test_console_servers_are_managed() -> None:
    """Both of their management ports have a cable in the OOB network."""
    ports = [cable.a_interface for cable in cables("oob") if cable.a_device == "console-1"]
    assert ports == ["mgmt0", "mgmt1"]


def test_console_ports_have_no_management_address() -> None:
    """NetBox has the address of a switch on its management port, and labs leave consoles out."""
    site = {"pool": "10.99.0.0/20", "ntp": ["10.90.0.1"], "users": [USER]}
    rows = [*ManagementPorts(planned(management=site), {}).rows()]
    assert {row.name for row in rows if row.device == "r0-leaf-1"} == {"mgmt"}
    networks = planned().spec.networks.model_dump(mode="json", exclude_unset=True)
    networks["oob"]["nos"] = "frr"
    layout = lay_out_networks(planned(networks=networks), EVERY)
    assert "console" not in {port.network for port in network_ports(planned(management=site))}
    assert "console has console servers" in layout.skipped
    assert "console-1" not in [each.name for each in layout.access_switches]


def test_fill_decides_how_many_console_servers_there_are() -> None:
    """At most so many of their 48 ports are planned: 40 of 85 %."""
    assert len(cables("console")) <= 40
    assert [*planned().networks["console"].switches()] == ["console-1"]


def test_a_console_server_has_no_price_by_bandwidth() -> None:
    """Its ports carry no packets, so the rate of a switch port is not one of them."""
    (line,) = (line for line in cluster_bom(planned()).lines if line.part == "cm8148")
    assert line.unit_price is None


def test_a_saved_plan_is_read_again(tmp_path: Path) -> None:
    """It has all keys of the network, those that only other networks may have by their defaults."""
    older = planned()
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan_document(older, {})), encoding="utf-8")
    assert plan_file(path).digest() == older.digest()

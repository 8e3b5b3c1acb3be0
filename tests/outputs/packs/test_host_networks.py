"""The addresses of hosts and devices in the networks beside compute."""

from __future__ import annotations

import csv
from collections import Counter
from ipaddress import IPv4Interface, IPv4Network
from typing import TYPE_CHECKING, Any

import pytest
from ruamel.yaml import YAML

from fabricgen.build.run import build
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import build_job, plan_of
from tests.outputs.packs.managed import LEAST
from tests.outputs.packs.netplan import assert_networkd_agrees, generated

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CLUSTER: dict[str, Any] = {
    "design": "rail-optimized",
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "switches": {"leaf": {"model": "sn5600"}},
    "networks": {
        "storage": {"switches": {"leaf": {"model": "sn4600c"}}, "speed": "100G"},
        "inband": {"switches": {"leaf": {"model": "sn4600c"}}, "speed": "100G"},
        "oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"},
    },
    "devices": [{"name": "mgmt-{n}", "count": 2, "ports": {"inband": 2, "oob": 1}}],
    "management": LEAST,
}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the files of hosts and switches of a small cluster."""
    folder = tmp_path_factory.mktemp("hosts") / "out"
    build(build_job(plan_of(**CLUSTER), Packs(), ("configs", "hosts")), folder)
    return folder


@pytest.fixture(scope="module")
def rows(out: Path) -> list[dict[str, str]]:
    """Return the table of addresses."""
    with (out / "hosts" / "addresses.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _interfaces(out: Path, name: str = "61-networks.yaml") -> dict[str, Any]:
    """Return the interfaces of the first host by a file for netplan."""
    file = out / "hosts" / "host-1" / "netplan" / name
    found: dict[str, Any] = YAML(typ="safe").load(file)["network"]["ethernets"]
    return found


def test_every_port_is_in_the_table_once(rows: list[dict[str, str]]) -> None:
    """Hosts, devices and switches are listed with their ports in each network."""
    ports = Counter((row["device"], row["interface"]) for row in rows)
    assert set(ports.values()) == {1}
    assert Counter(row["network"] for row in rows) == {
        "storage": 2 * 8,
        "inband": 2 * 8 + 2 * 2,
        "oob": 8 + 1 + 2 + 2 + 2,
    }
    addresses = [row["address"] for row in rows if row["address"]]
    assert len(set(addresses)) == len(addresses)


def test_both_ends_of_a_link_are_in_one_prefix(rows: list[dict[str, str]], out: Path) -> None:
    """The gateway of a port is the address that its switch has on the same cable."""
    for row in rows:
        if row["network"] != "oob":
            text = (out / "configs" / row["switch"] / "commands.txt").read_text(encoding="utf-8")
            end = f"interface {row['switch_interface']} ipv4 address {row['gateway']}/31"
            assert end in text
            assert (
                IPv4Interface(f"{row['gateway']}/31").network
                == IPv4Interface(row["address"]).network
            )


def test_management_ports_have_the_addresses_of_their_switches(
    rows: list[dict[str, str]],
) -> None:
    """Those of BMCs and devices are given by DHCP."""
    oob = {row["device"]: row["address"] for row in rows if row["network"] == "oob"}
    assert oob["inband-leaf-1"] == "10.200.0.160/24"
    assert (oob["host-1"], oob["mgmt-1"]) == ("", "")


def test_the_default_route_is_that_of_the_in_band_network(out: Path) -> None:
    """It is by the first port that works, and no rail has one in the main table."""
    found = _interfaces(out)
    assert [*found] == ["storage0", "storage1", "inband0", "inband1"]
    defaults = {
        name: [(own["to"], own["metric"]) for own in each["routes"]] for name, each in found.items()
    }
    assert defaults["inband0"] == [("0.0.0.0/0", 100)]
    assert defaults["inband1"] == [("0.0.0.0/0", 101)]
    ((reach, _),) = defaults["storage1"]
    assert IPv4Interface(found["storage0"]["addresses"][0]).ip in IPv4Network(reach)
    rails = [route for own in _interfaces(out, "60-rails.yaml").values() for route in own["routes"]]
    assert not any(
        route["to"] == "0.0.0.0/0" and route["table"] == 254 and "via" in route for route in rails
    )


def test_without_networks_there_is_no_table() -> None:
    """Neither is there a second file for netplan."""
    plan = plan_of(**{key: CLUSTER[key] for key in ("design", "gpus", "hb_domain", "switches")})
    paths = {*build_job(plan, Packs(), ("hosts",)).paths()}
    assert "hosts/host-1/netplan/60-rails.yaml" in paths
    assert not any("61-networks" in path or "addresses.csv" in path for path in paths)


def test_netplan_generates_both_files(
    out: Path, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """The files of rails and networks are accepted together."""
    made = generated(tool("netplan"), out / "hosts" / "host-1", tmp_path)
    assert "Gateway=10.208.0.0" in (made / "10-netplan-inband0.network").read_text(encoding="utf-8")
    assert_networkd_agrees(made, out / "hosts" / "host-1", 4)


def test_the_script_has_what_netplan_has(out: Path) -> None:
    """Addresses, MTU and routes of each port are those of the file for netplan."""
    text = (out / "hosts" / "host-1" / "networks.sh").read_text(encoding="utf-8")
    run = "run "
    lines = [line[len(run) :] for line in text.splitlines() if line.startswith(f"{run}ip ")]
    wanted = []
    for name, own in _interfaces(out).items():
        wanted.append(f"ip link set dev {name} mtu {own['mtu']}")
        wanted.append(f"ip link set dev {name} up")
        wanted += [f"ip address replace {address} dev {name}" for address in own["addresses"]]
        wanted += [
            f"ip route replace {to['to']} via {to['via']} dev {name} metric {to['metric']}"
            for to in own["routes"]
        ]
    assert lines == wanted

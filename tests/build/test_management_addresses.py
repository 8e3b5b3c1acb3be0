"""One management address for each device, the same in its files, in Ansible and in NetBox."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ruamel.yaml import YAML

from fabricgen.build.run import build
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.factory import Views
from tests.csv_rows import read_rows
from tests.fabrics import build_job, plan_of
from tests.outputs.packs.managed import LEAST, managed_plan
from tests.outputs.test_dcim import NETBOX

if TYPE_CHECKING:
    from pathlib import Path


def test_all_outputs_have_the_addresses_of_the_plan(tmp_path: Path) -> None:
    """Hosts have theirs from a pool of their own."""
    plan = managed_plan("eos", LEAST | {"host_pool": "10.201.0.0/24"})
    build(build_job(plan, Packs(), ("cluster", "dcim")), tmp_path)
    views = [
        one for segment in range(plan.mapping.segments) for one in Views(plan).switches(segment)
    ]
    wanted = {view.name: view.management.address for view in views if view.management}
    assert len(wanted) == len(views)
    assert plan.management
    wanted |= {name: plan.management.host(number) for number, name in enumerate(plan.hosts)}
    assert len(set(wanted.values())) == len(wanted)
    text = (tmp_path / "cluster/ansible/inventory.yml").read_text(encoding="utf-8")
    everything = YAML(typ="safe", pure=True).load(text)["all"]
    switches = everything["children"]["switches"]["children"]
    facts = everything["hosts"] | {
        name: own for group in switches.values() for name, own in group["hosts"].items()
    }
    assert {name: own["ansible_host"] for name, own in facts.items()} == wanted
    netbox = tmp_path / "dcim" / "netbox"
    ports = read_rows((netbox / "05-1-interfaces.csv").read_text(encoding="utf-8"))
    rows = read_rows((netbox / "05-2-ip-addresses.csv").read_text(encoding="utf-8"))
    assert {row["device"]: row["address"] for row in rows} == {
        name: f"{address}/24" for name, address in wanted.items()
    }
    assert [(row["device"], row["name"]) for row in ports] == [
        (row["device"], row["interface"]) for row in rows
    ]
    assert {row["name"] for row in ports} == {"management", "Management1"}
    for form, found in (("interfaces", ports), ("ip-addresses", rows)):
        assert set(found[0]) <= set(NETBOX[form]["fields"])
        assert set(NETBOX[form]["needed"]) <= set(found[0])
        for column, choices in NETBOX[form]["choices"].items():
            assert {row[column] for row in found if column in row} <= set(map(str, choices))


def test_without_management_there_are_none(tmp_path: Path) -> None:
    """Neither files of their own, nor facts."""
    plan = plan_of(gpus=8, hb_domain={"gpus": 4}, radix=16)
    build(build_job(plan, Packs(), ("cluster", "dcim")), tmp_path)
    assert not list((tmp_path / "dcim" / "netbox").glob("05-*"))
    text = (tmp_path / "cluster/ansible/inventory.yml").read_text(encoding="utf-8")
    assert not re.search("ansible_host", text)


def test_devices_on_the_network_of_management_have_the_addresses_of_its_table(
    tmp_path: Path,
) -> None:
    """NetBox has them on the ports of their cables, and the host's own on a port of its own."""
    plan = plan_of(
        gpus=64,
        hb_domain={"gpus": 8},
        switches={"leaf": {"model": "sn5600"}},
        networks={"oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"}},
        devices=[{"name": "pdu-{n}", "count": 2, "ports": {"oob": 1}}],
        management=LEAST
        | {"device_pool": "10.200.1.0/25", "subnet": "10.200.0.0/23", "host_pool": "10.201.0.0/24"},
    )
    build(build_job(plan, Packs(), ("hosts", "dcim")), tmp_path)
    listed = read_rows((tmp_path / "hosts/addresses.csv").read_text(encoding="utf-8"))
    wanted = {
        (row["device"], row["interface"]): row["address"]
        for row in listed
        if row["device"] not in plan.switches()
    }
    assert len(set(wanted.values())) == len(plan.hosts) + 2
    netbox = tmp_path / "dcim" / "netbox"
    rows = read_rows((netbox / "05-2-ip-addresses.csv").read_text(encoding="utf-8"))
    found = {(row["device"], row["interface"]): row for row in rows}
    assert len(found) == len(rows)
    assert {port: found[port]["address"] for port in wanted} == wanted
    assert {device: found[device, "oob0"]["is_primary"] for device, _ in wanted} == {
        device: "false" if device in plan.hosts else "true" for device, _ in wanted
    }
    assert found["host-1", "management"]["address"] == "10.201.0.1/24"
    interfaces = {
        (row["device"], row["name"])
        for file in netbox.glob("0*-interfaces*.csv")
        for row in read_rows(file.read_text(encoding="utf-8"))
    }
    assert {*found} <= interfaces

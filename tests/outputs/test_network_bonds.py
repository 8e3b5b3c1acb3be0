"""Bonds of LACP in what NetBox holds and in what loads and boots switches: those of the plan."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import pytest
from ruamel.yaml import YAML

from fabricgen.build.run import build
from fabricgen.outputs.dcim.bonds import Bonds
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.network_bonds import bond_members
from tests.csv_rows import read_rows
from tests.fabrics import build_job, plan_of
from tests.nos.switch_files import ROUTING_FILES
from tests.outputs.dcim_files import read_netbox
from tests.outputs.packs.managed import LEAST
from tests.outputs.packs.test_access_switches import ACCESS_MODELS
from tests.outputs.packs.test_bonds import leaves, oob
from tests.outputs.test_dcim import netbox_tables

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan

GROUPS = ("configs", "hosts", "push", "provision", "dcim")


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Plan a network of bonds that carries another, with routers and an out-of-band network."""
    storage = {"switches": {"leaf": {"model": "sn4600c"}}, "speed": "100G", "peer_links": 2}
    return plan_of(
        gpus=64,
        hb_domain={"gpus": 8},
        switches={"leaf": {"model": "sn5600"}},
        nos="nvue",
        networks={
            "storage": storage | {"bonding": "lacp", "carries": ["inband"]},
            "oob": {
                "switches": {"leaf": {"model": "sn2201"}},
                "speed": "1G",
                "uplink": {"network": "inband"},
            },
        },
        devices=[
            {"name": "mgmt-{n}", "count": 2, "ports": {"inband": 2, "oob": 1}},
            {"name": "edge-{n}", "count": 2, "ports": {"inband": 2}, "edge": True},
        ],
        management=LEAST,
    )


@pytest.fixture(scope="module")
def out(plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build its files."""
    folder = tmp_path_factory.mktemp("bonds") / "out"
    build(build_job(plan, Packs(), GROUPS), folder)
    return folder


def lags(out: Path) -> dict[tuple[str, str], set[str]]:
    """Return the members of each bond that NetBox holds, by device and name."""
    found: dict[tuple[str, str], set[str]] = {}
    paths = sorted((out / "dcim" / "netbox").glob("02-interfaces*.csv"))
    for row in (row for path in paths for row in read_rows(path.read_text(encoding="utf-8"))):
        assert bool(row["speed"]) == (row["type"] != "lag")
        if row["type"] == "lag":
            found[row["device"], row["name"]] = set()
        if row["lag"]:
            assert row["type"] != "lag"
            found[row["device"], row["lag"]].add(row["name"])  # its bond is in a row before it
    return found


def test_netbox_holds_each_bond_of_the_plan(plan: Plan, out: Path) -> None:
    """One on each of two leaves with a member, and one on the device with two members."""
    assert {"interfaces", "vlan-groups", "vlans"} <= netbox_tables(out / "dcim")
    bonds = {member.bond for member in bond_members(plan.networks["storage"]) if member.number}
    found = lags(out)
    switches = {*plan.networks["storage"].switches()}
    assert len(bonds) == 8 + 2 + len([*plan.networks["oob"].switches()])
    assert Counter((device in switches, len(own)) for (device, _), own in found.items()) == {
        (True, 1): 2 * len(bonds),
        (False, 2): len(bonds),
    }
    assert not any(device.startswith("edge-") for device, _ in found)


def test_cables_join_the_members_of_a_bond(out: Path) -> None:
    """The bond of a device leads to bonds of one name on both leaves, which it names."""
    netbox = read_netbox(out / "dcim")
    far = defaultdict(set)
    for pair in netbox.links:
        for near, other in (tuple(pair), tuple(pair)[::-1]):
            if bond := netbox.interfaces[near]["lag"]:
                far[near[0], bond].add((other[0], netbox.interfaces[other]["lag"]))
                assert netbox.interfaces[near]["mtu"]
    assert far.keys() == {*lags(out)}
    for (device, bond), ends in far.items():
        assert len({name for _, name in ends}) == 1
        assert all(ends)
        row = netbox.interfaces[device, bond]
        assert row["description"] == ", ".join(sorted(other for other, _ in ends))
        assert row["tags"] == ("network-oob" if device.startswith("oob") else "network-storage")


def test_netbox_and_configurations_agree(plan: Plan, out: Path) -> None:
    """Names and members are those that switches and hosts are configured with."""
    written: dict[tuple[str, str], set[str]] = {}
    for folder in (out / "configs").iterdir():
        text = (folder / "commands.txt").read_text(encoding="utf-8")
        for name, members in re.findall(r"interface (\S+) bond member (\S+)", text):
            written[folder.name, name] = {*members.split(",")}
    for host in plan.hosts:
        path = out / "hosts" / host / "netplan" / "61-networks.yaml"
        for name, bond in YAML(typ="safe").load(path)["network"]["bonds"].items():
            written[host, name] = {*bond["interfaces"]}
    found = {end: own for end, own in lags(out).items() if not end[0].startswith("mgmt-")}
    assert found == written


def test_ports_have_the_vlans_that_switches_are_configured_with(plan: Plan, out: Path) -> None:
    """Access ports, bonds of one VLAN and of several; each is in the table of VLANs."""
    written: dict[tuple[str, str], tuple[str, set[str]]] = {}
    numbers = set()
    for folder in (out / "configs").iterdir():
        text = (folder / "commands.txt").read_text(encoding="utf-8")
        for name, how, vlan in re.findall(
            r"interface (\S+) bridge domain \S+ (access|vlan) (\d+)", text
        ):
            mode = "access" if how == "access" else "tagged"
            written.setdefault((folder.name, name), (mode, set()))[1].add(vlan)
        numbers.update(re.findall(r"(?:bridge domain \S+|evpn) vlan (\d+)", text))
    tables = out / "dcim" / "netbox"
    netbox = read_netbox(out / "dcim")
    switches = {name for own in plan.cluster for name in own.switches()}
    assert {mode for mode, _ in written.values()} == {"access", "tagged"}
    found = {end: row for end, row in netbox.interfaces.items() if row["mode"]}
    assert written == {
        end: (row["mode"], {*(row["untagged_vlan"] or row["tagged_vlans"]).split(",")})
        for end, row in found.items()
        if end[0] in switches
    }
    assert {row["mode"] for end, row in found.items() if end[0] not in switches} == {"tagged"}
    (group,) = read_rows((tables / "00-8-vlan-groups.csv").read_text(encoding="utf-8"))
    assert {row["vlan_group"] for row in found.values()} == {group["name"]}
    vlans = read_rows((tables / "00-9-vlans.csv").read_text(encoding="utf-8"))
    assert {row["vid"] for row in vlans} == numbers
    assert len({row["name"] for row in vlans}) == len(vlans) == len(numbers)


def test_what_loads_and_boots_switches_has_all_of_the_plan(plan: Plan, out: Path) -> None:
    """Ansible knows every switch, and a leaf of bonds fetches the file with its bonds."""
    switches = {name for own in plan.cluster for name in own.switches()}
    assert {file.stem for file in (out / "push" / "host_vars").iterdir()} == switches
    plays = YAML(typ="safe").load(out / "push" / "site.yml")
    hosts = [play["hosts"] for play in plays if "hosts" in play]
    assert any(each.startswith("network_storage:&storage-leaf-") for each in hosts)
    with (out / "hosts" / "addresses.csv").open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["switch"].startswith("storage-leaf")]
    for name in {row["switch"] for row in rows}:
        fetched = out / "provision" / "www" / name / "startup.yaml"
        assert fetched.read_bytes() == (out / "configs" / name / "startup.yaml").read_bytes()
        bonds = YAML(typ="safe").load(fetched)[1]["set"]["interface"]
        ports = {each for own in bonds.values() for each in own.get("bond", {}).get("member", {})}
        assert ports == {
            row["switch_interface"]
            for row in rows
            if row["switch"] == name and not row["device"].startswith("edge-")
        }


@pytest.mark.parametrize("nos", ROUTING_FILES)
def test_packs_name_the_bonds_of_leaves(nos: str) -> None:
    """As their files do."""
    pack, one = Packs().for_nos(nos), leaves(nos)[0]
    assert pack
    assert one.switch.overlay
    text = "\n".join(one.files.values())
    for bond in one.switch.overlay.bonds:
        name = pack.bonds.leaf.format(number=bond.number)
        assert re.search(rf'(interfaces? |"){name}\b', text)


@pytest.mark.parametrize("nos", ACCESS_MODELS)
def test_packs_name_the_bonds_of_uplinks(nos: str) -> None:
    """As their files do."""
    pack = Packs().for_nos(nos)
    assert pack
    assert re.search(
        rf'(interfaces? |iface |"){pack.bonds.uplinks}\b', "\n".join(oob(nos).files.values())
    )


def test_switches_without_a_pack_have_bonds_too(plan: Plan) -> None:
    """Their names are those of Linux where no pack names them."""
    found = {
        row.name for row in Bonds(plan, {}).rows() if row.device.startswith(("oob", "storage"))
    }
    assert found >= {"uplink", "bond1", "bond2"}
    assert all(row.tag for row in Bonds(plan, {}).rows())

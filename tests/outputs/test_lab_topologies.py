"""The packs of labs in containers.

Engines accept the files, mounted files exist, and nodes and links are the plan's.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
from collections import Counter
from dataclasses import replace
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import assume, given, settings
from pydantic import ValidationError

from fabricgen.build.group_lab import topologies
from fabricgen.build.run import build
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import LinkKind
from fabricgen.outputs.lab_topologies.build import Topologies, give_addresses
from fabricgen.outputs.lab_topologies.containers import other_kinds
from fabricgen.outputs.packs.containers import Bind, Container
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.coordinates import gpu_name
from fabricgen.views.factory import Views
from fabricgen.views.hosts.build import Hosts
from fabricgen.views.switches.view import PortView
from tests.conftest import SYSTEM_PATH
from tests.fabrics import IN_COMPUTE, ON_COMPUTE, build_job, generic, plan_of
from tests.laws.drawing import Inventory, inventories
from tests.nos import eos, srlinux
from tests.nos.switch_files import PACKS
from tests.outputs import libyaml, resource_definitions
from tests.outputs.packs.managed import LEAST, LEAVES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabricgen.planning.plan import Plan
    from tests.conftest import PythonTool, Run

SN5600 = {"leaf": {"model": "sn5600", "breakout": "2x400G"}}
WHOLE = {"leaf": {"model": "sn4700", "breakout": "1x400G"}}
MIXED = SN5600 | {"spine": {"model": "sn5600", "breakout": "1x800G"}}
STRANGERS = {
    "leaf": {"model": "7060x6-64pe", "breakout": "2x400G"},
    "spine": {"model": "7220-ixr-h5-64", "breakout": "2x400G"},
}
SMALL: Inventory = {"gpus": 64, "hb_domain": {"gpus": 4}}
VARIANTS: dict[str, Inventory] = {
    "one tier": generic(32, gpus=64),
    "two tiers": generic(8, gpus=64),
    "three tiers": generic(4, gpus=64),
    "two planes": generic(8, gpus=64, rails={"planes": 2}),
    "shared boxes": generic(32, gpus=64, rails={"per_switch": 2}),
    "shared boxes below spines": generic(16, gpus=64, rails={"per_switch": 2, "tiers": 2}),
    "two GPUs a rail": generic(8, gpus=64, hb_domain={"gpus": 8}, rails={"count": 4}),
    "domains of several hosts": generic(8, gpus=64, hb_domain={"gpus": 8, "hosts": 4}),
    "room to grow": generic(8, gpus=24, reserve={"gpus": 128}),
    "unnumbered hosts": generic(8, gpus=64, addressing={"host_links": "unnumbered"}),
    "rail-optimized": generic(8, gpus=64, design="rail-optimized", hb_domain={"gpus": 2}),
    "fat-tree": generic(8, gpus=64, design="fat-tree"),
    "sn5600, frr": SMALL | {"switches": SN5600, "nos": "frr", "rails": {"tiers": 2}},
    "sn5600, sonic": SMALL | {"switches": SN5600, "nos": "sonic", "rails": {"tiers": 2}},
    "sonic on shared boxes": SMALL
    | {"switches": SN5600, "nos": "sonic", "rails": {"per_switch": 2}},
    "sonic with two speeds": SMALL | {"switches": MIXED, "nos": "sonic", "rails": {"tiers": 2}},
    "whole cages": SMALL | {"switches": WHOLE, "nos": "sonic", "rails": {"tiers": 2}},
    "leaves on sonic, spines on frr": SMALL
    | {"switches": SN5600, "nos": {"leaf": "sonic", "spine": "frr"}, "rails": {"tiers": 2}},
    "leaves on eos, spines on srlinux": SMALL
    | {
        "gpus": 16,
        "switches": STRANGERS,
        "nos": {"leaf": "eos", "spine": "srlinux"},
        "rails": {"tiers": 2},
        "addressing": {"mtu": 9214},
    },
    "managed leaves on sonic, spines on frr": SMALL
    | {
        "switches": SN5600,
        "nos": {"leaf": "sonic", "spine": "frr"},
        "rails": {"tiers": 2},
        "management": LEAST,
    },
    "a system for each rail": {
        "gpus": 32,
        "hb_domain": {"gpus": 4},
        "switches": {"leaf": {"model": "7060x6-64pe"}},
        "nos": {"leaf": "eos", "rails": {1: "sonic"}},
        "rails": {"tiers": 2},
        "addressing": {"mtu": 9214},
    },
    "two planes of sonic": {
        "gpus": 32,
        "hb_domain": {"gpus": 8},
        "host": {"model": "dgx-b300"},
        "rails": {"planes": 2},
        "switches": SN5600,
        "nos": "sonic",
    },
}
STORAGE = {"name": "target-{n}", "count": 2, "ports": {"storage": 2, "oob": 1}}
OOB = {"switches": {"leaf": {"generic": {"radix": 64}}}, "speed": "1G", "nos": "frr"}
VARIANTS |= {
    "networks": generic(
        16,
        gpus=32,
        networks={"storage": {"switches": {"leaf": {"generic": {"radix": 8}}}}, "oob": OOB},
        devices=[STORAGE],
    ),
    "networks, sonic": SMALL
    | {
        "gpus": 16,
        "switches": SN5600,
        "nos": "sonic",
        "rails": {"tiers": 2},
        "networks": {
            "storage": {"switches": SN5600, "nos": "sonic", "uplink": {"network": "inband"}},
            "inband": {"switches": SN5600, "nos": "sonic", "peer_links": 2},
            "oob": {
                "switches": {"leaf": {"model": "sn2201"}},
                "speed": "1G",
                "nos": "sonic",
                "uplink": {"network": "inband", "ports": 2, "speed": "100G"},
            },
        },
        "devices": [{"name": "mgmt-{n}", "count": 2, "ports": {"inband": 2, "oob": 1}}],
    },
}
VARIANTS |= {
    "networks on compute switches": ON_COMPUTE
    | {
        "devices": [
            STORAGE,
            {
                "name": "ufm-{n}",
                "count": 2,
                "ports": {"compute": 2, "oob": 1},
                "peer_links": 2,
            },
        ],
    },
    "networks on some leaves, sonic": SMALL
    | {
        "switches": {"leaf": SN5600["leaf"] | {"zones": {"down": "1-32", "up": "33-48"}}},
        "nos": "sonic",
        "networks": {
            "storage": IN_COMPUTE | {"cages": "49-58"},
            "oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G", "nos": "sonic"},
        },
        "devices": [STORAGE],
    },
    "networks with bonds": generic(
        16,
        gpus=16,
        networks={
            "storage": {
                "switches": {"leaf": {"model": "sn4600c"}},
                "nos": "frr",
                "speed": "100G",
                "bonding": "lacp",
                "carries": ["inband"],
                "peer_links": 2,
            },
            "oob": OOB,
        },
        devices=[
            STORAGE,
            {"name": "mgmt-{n}", "count": 2, "ports": {"inband": 2, "oob": 1}},
            {"name": "edge-{n}", "count": 2, "ports": {"inband": 2}, "edge": True},
        ],
    ),
}
MAPPED = ("sonic", "whole cages", "leaves on eos", "a system for each rail")
"""The interface names of the variants whose containers use other names than the NOS."""

LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")  # RFC 1123
KEY = re.compile(r"[-._a-zA-Z0-9]{1,253}")
CONFIG_MAP, REQUEST = 1 << 20, 3 << 19
"""The limits of Kubernetes for a ConfigMap, and of etcd for an object, in bytes."""

End = tuple[str, str]


class Tree:
    """The files of a lab as a build wrote them."""

    def __init__(self, plan: Plan, root: Path) -> None:
        """Keep the folder."""
        self.plan, self.root = plan, root

    @cached_property
    def clab(self) -> dict[str, Any]:
        """The containerlab topology."""
        return document(self.root / "lab/containerlab/fabric.clab.yml")

    @cached_property
    def nodes(self) -> dict[str, dict[str, Any]]:
        """Its nodes."""
        found: dict[str, dict[str, Any]] = self.clab["topology"]["nodes"]
        return found

    @cached_property
    def links(self) -> list[tuple[End, End]]:
        """The two ends of its links."""
        return [
            (end(link["endpoints"][0]), end(link["endpoints"][1]))
            for link in self.clab["topology"]["links"]
        ]

    @cached_property
    def cables(self) -> list[dict[str, str]]:
        """The rows of cables.csv."""
        return rows(self.root / "cabling/cables.csv")

    @cached_property
    def left_out(self) -> set[str]:
        """The cables to management ports of switches, and uplinks of access switches."""
        networks = [row for row in self.cables if row.get("network", "compute") != "compute"]
        routed = {
            (name, own.above.fabric.network_name)
            for own in self.plan.networks.values()
            if own.above
            for name in own.switches()
        }
        return {
            row["cable"]
            for row in networks
            if row["tier"] == "1"
            and row["a_device"] in self.switches
            and (row["a_device"], row["network"]) not in routed
        }

    @cached_property
    def switches(self) -> set[str]:
        """The switches of all networks."""
        return {name for own in self.plan.cluster for name in own.switches()}

    @cached_property
    def devices(self) -> list[str]:
        """The hosts and devices of networks, in the order of their cables."""
        networks = [row for row in self.cables if row.get("network", "compute") != "compute"]
        every = dict.fromkeys(row["a_device"] for row in networks if row["tier"] == "1")
        return [name for name in every if name not in self.switches]

    @cached_property
    def called(self) -> dict[End, str]:
        """The container's names of ports, by node and interface of the NOS."""
        return {
            (row["node"], row["interface"]): row["container_interface"]
            for row in rows(self.root / "lab/containerlab/interfaces.csv")
        }

    def interfaces(self, node: str) -> list[str]:
        """List the interfaces of a node."""
        return [name for link in self.links for other, name in link if other == node]

    def mounted(self, node: str) -> dict[str, str]:
        """Return the source of each mount of a container."""
        below = self.root / "lab/containerlab"
        parts = (bind.split(":") for bind in self.nodes[node]["binds"])
        return {at: (below / source).read_text() for source, at, mode in parts if mode == "ro"}


def end(text: str) -> End:
    """Read one end of a link."""
    node, interface = text.split(":")
    return node, interface


def rows(path: Path) -> list[dict[str, str]]:
    """Read a CSV."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file, strict=True))


def document(path: Path) -> dict[str, Any]:
    """Read a file of one YAML document; a duplicate key is an error."""
    return libyaml.document(path.read_text())


@pytest.fixture(scope="module", params=VARIANTS)
def tree(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """Build the lab of a variant once."""
    plan, root = plan_of(**VARIANTS[request.param]), tmp_path_factory.mktemp("topologies") / "out"
    job = build_job(plan, PACKS, ("cabling", "configs", "lab"))
    written = {file.path for file in build(job, root)}
    assert written == set(job.paths()) - {"manifest.json"}
    assert not [reason for reason in job.skipped if "lab/" in reason]
    assert topologies(job.context).size == len(Tree(plan, root).nodes)
    assert (request.param.startswith(MAPPED) or "sonic" in request.param) == (
        len((root / "lab/containerlab/interfaces.csv").read_text().splitlines()) > 1
    )
    return Tree(plan, root)


# --- containerlab


@pytest.fixture(scope="session")
def complaints(oracles: Path) -> Callable[[dict[str, Any]], list[str]]:
    """Return a function that lists the errors of a topology against containerlab's schema.

    Python's patterns lack the classes of Unicode in which the zone of an address is written.
    """
    text = (oracles / "clab.schema.json").read_text().replace(r"[\\p{N}\\p{L}]", r"\\w")
    schema = jsonschema.Draft7Validator(json.loads(text))
    return lambda read: [error.message for error in schema.iter_errors(read)]


def test_containerlab_accepts_the_topology(
    tree: Tree, complaints: Callable[[dict[str, Any]], list[str]]
) -> None:
    """Its schema allows the kinds, modes, mounts, commands and links."""
    assert complaints(tree.clab) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("kind", "sonic"),
        ("image", 7),
        ("binds", []),
        ("exec", "sh"),
        ("labels", ["leaf"]),
        ("colour", "blue"),
        ("network-mode", None),
        ("mgmt-ipv4", "10.200.0"),
    ],
)
def test_the_schema_finds_errors(
    key: str, value: object, complaints: Callable[[dict[str, Any]], list[str]], tmp_path: Path
) -> None:
    """Each injected error is reported."""
    build(build_job(plan_of(**VARIANTS["one tier"]), PACKS, ("configs", "lab")), tmp_path / "out")
    read = document(tmp_path / "out/lab/containerlab/fabric.clab.yml")
    assert complaints(read) == []
    read["topology"]["nodes"]["d0-g0"][key] = value
    assert complaints(read)


def test_nodes_and_links_are_the_plans(tree: Tree) -> None:
    """There is a node for each switch, GPU, HB domain, and host or device of networks.

    There is a link for each link of the plan, and one from each GPU to its HB domain; those to
    management ports and the uplinks of access switches are left out.
    """
    plan, request = tree.plan, tree.plan.fabric
    domains = request.gpus // request.domain_gpus
    gpus = [
        gpu_name(domain, rank) for domain in range(domains) for rank in range(request.domain_gpus)
    ]
    assert list(tree.nodes) == [
        *plan.switches(),
        *gpus,
        *(f"hb-{domain}" for domain in range(domains)),
        *(switch for own in plan.networks.values() for switch in own.switches()),
        *tree.devices,
    ]
    links = [own.link_count(kind) for own in plan.cluster for kind in own.kinds]
    assert len(tree.links) == sum(links) + request.gpus - len(tree.left_out)
    roles = Counter(node["labels"]["role"] for node in tree.nodes.values())
    switches = Counter[str]()
    for own in plan.cluster:
        switches.update({role.value: own.switch_count(role) for role in own.roles})
    hosts = len({*tree.devices} & {*plan.hosts})
    others = {"host": hosts, "device": len(tree.devices) - hosts} if hosts else {}
    assert roles == {**switches, "gpu": request.gpus, "hb-domain": domains, **others}


def test_links_are_the_cables(tree: Tree) -> None:
    """Each row of cables.csv is a link, with the containers' names of its ports and its label.

    Two cables may make one link.
    """
    nics = {
        (host.name, nic.interface): (nic.gpu, f"nic{nic.plane}")
        for host in Hosts(tree.plan).views(range(len(tree.plan.hosts)))
        for nic in host.nics
    }

    def port(row: dict[str, str], side: str) -> End:
        device, interface = row[f"{side}_device"], row[f"{side}_interface"]
        return nics.get((device, interface)) or (
            device,
            tree.called.get((device, interface), interface),
        )

    text = (tree.root / "lab/containerlab/fabric.clab.yml").read_text()
    labels = re.findall(r"\], mtu: \d+\}(?:  # (\S+))?$", text, re.MULTILINE)
    gpus, cables = tree.plan.fabric.gpus, dict[tuple[End, End], list[str]]()
    for row in tree.cables:
        if row["cable"] not in tree.left_out:
            cables.setdefault((port(row, "a"), port(row, "b")), []).append(row["cable"])
    found = list(zip(tree.links, labels, strict=True))
    first = [bool(label) for _, label in found].index(False)
    assert found[:first] + found[first + gpus :] == [
        (ends, names[0] if len(names) == 1 else names[0][:-1]) for ends, names in cables.items()
    ]
    assert len(tree.cables) == sum(own.cables for own in tree.plan.cluster)
    domain_gpus = tree.plan.fabric.domain_gpus
    hb = [divmod(gpu, domain_gpus) for gpu in range(gpus)]
    assert tree.links[first : first + gpus] == [
        ((gpu_name(domain, rank), "hb0"), (f"hb-{domain}", f"gpu{rank}")) for domain, rank in hb
    ]
    assert {link["mtu"] for link in tree.clab["topology"]["links"]} == {
        own.spec.addressing.mtu for own in tree.plan.cluster
    }


def test_management_has_the_addresses_of_the_configurations(tree: Tree) -> None:
    """The network has the subnet and the gateway of the plan, and a switch on it its own address.

    A node without a network has none, and without `management` the engine chooses them.
    """
    planned = tree.plan.management
    managed = {name for name, node in tree.nodes.items() if "network-mode" not in node}
    given = {name: node["mgmt-ipv4"] for name, node in tree.nodes.items() if "mgmt-ipv4" in node}
    if planned is None:
        assert ("mgmt" in tree.clab, given) == (False, {})
        return
    network = {"ipv4-subnet": "10.200.0.0/24", "ipv4-gw": "10.200.0.1"}
    assert tree.clab["mgmt"] == {"network": "test-management"} | network
    assert given.keys() == managed == {name for name in tree.plan.switches() if "leaf" in name}
    for name, address in given.items():
        config = json.loads((tree.root / "configs" / name / "config_db.json").read_text())
        assert f"eth0|{address}/24" in config["MGMT_INTERFACE"]


def test_every_end_is_an_interface_of_its_own(tree: Tree) -> None:
    """No interface has two links, and Linux accepts every name."""
    ends = [one for link in tree.links for one in link]
    assert len(set(ends)) == len(ends)
    assert {node for node, _ in ends} == set(tree.nodes)
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9._-]{0,14}", interface) for _, interface in ends)


def test_every_mounted_file_exists(tree: Tree) -> None:
    """Sources are files of this build, every mount is read only, and commands start mounted files.

    None needs an environment variable.
    """
    assert "$" not in (tree.root / "lab/containerlab/fabric.clab.yml").read_text()
    for name, node in tree.nodes.items():
        mounted = tree.mounted(name)
        assert len(mounted) == len(node["binds"])
        if "startup-config" in node:
            assert (
                tree.root / "lab/containerlab" / node["startup-config"]
            ).read_text() in mounted.values()
        for command in node.get("exec", ()):
            shell, script = command.split()
            assert mounted[script].startswith(("#!/bin/sh\n", "#!/bin/bash\n"))
            assert shell in mounted[script].splitlines()[0]


def test_configurations_name_the_interfaces_of_their_containers(tree: Tree) -> None:
    """FRR configures existing interfaces, and on SONiC each has the lanes of its port.

    A GPU's script configures its own devices.
    """
    for name, node in tree.nodes.items():
        mounted, here = tree.mounted(name), tree.interfaces(name)
        if node["labels"]["role"] == "gpu":
            assert (
                re.findall(
                    r"^address replace \S+ dev (\S+)$", mounted["/fabric/gpu.sh"], re.MULTILINE
                )
                == here
            )
        elif node["labels"]["role"] in ("host", "device"):
            script = mounted["/fabric/device.sh"]
            up = r"^(?:run )?(?:ip )?link set dev (?!bond)(\S+) .*up$"
            assert sorted(re.findall(up, script, re.MULTILINE)) == sorted(here)
        elif node["kind"] == "linux" and node["labels"].get("network") == "oob":
            start = mounted["/fabric/start.sh"]
            bridged = r"^ip link set dev (\S+) mtu 1500 master bridge up$"
            assert re.findall(bridged, start, re.MULTILINE) == here
        elif node["kind"] == "sonic-vs":
            _sonic_finds_its_ports(tree, name, mounted, here)
        elif node["kind"] == "arista_ceos":
            mapped = json.loads(mounted["/mnt/flash/EosIntfMapping.json"])["EthernetIntf"]
            assert set(mapped) == set(here)
            assert list(mapped.values()) == list(eos.read(mounted["/fabric/startup-config"]).ports)
            assert all(
                tree.called[name, interface] == device for device, interface in mapped.items()
            )
        elif node["kind"] == "nokia_srlinux":
            ports = srlinux.read(mounted["/fabric/config.json"]).ports
            assert {port.replace("ethernet-", "e").replace("/", "-") for port in ports} == set(here)
            assert {tree.called[name, port] for port in ports} == set(here)
        elif node["labels"]["role"] != "hb-domain":
            named = re.findall(r"^interface (\S+)$", mounted["/etc/frr/frr.conf"], re.MULTILINE)
            start = mounted["/fabric/start.sh"]
            made = {
                kind: re.findall(rf"^ip link add (\S+) type {kind}\b", start, re.MULTILINE)
                for kind in ("vrf", "bond")
            }
            absent = {
                row["b_interface"]
                for row in tree.cables
                if row["cable"] in tree.left_out and row["b_device"] == name
            }
            bonds = [each for each in named if each.startswith("bond")]
            loopbacks = ["lo"] if bonds else made["vrf"] or ["lo"]  # a bond's VRFs have none
            assert sorted({*named} - {*bonds} - absent) == sorted([*here, *loopbacks])
            assert {*made["bond"]} <= {*bonds}
            assert len(bonds) - len(made["bond"]) == (len(absent) if bonds else 0)
            set_up = re.findall(r"^ip link set dev (\S+) (?:down )?mtu", start, re.MULTILINE)
            assert sorted({*set_up} - {*bonds}) == sorted(here)


def _sonic_finds_its_ports(tree: Tree, name: str, mounted: dict[str, str], here: list[str]) -> None:
    """Do what docker-sonic-vs does at its start.

    It looks up each interface in lanemap.ini, and its lanes in port_config.ini and config_db.json.
    """
    ports = json.loads(mounted["/var/sonic/config_db.json"])["PORT"]
    sku = "/usr/share/sonic/device/x86_64-kvm_x86_64-r0/Force10-S6000/"
    lanes = dict(
        line.split(":")
        for line in mounted[f"{sku}lanemap.ini.orig"].splitlines()
        if not line.startswith("#")
    )
    assert (
        sorted(lanes)
        == sorted(here)
        == sorted(f"eth{number}" for number in range(1, len(here) + 1))
    )
    title, *lines = mounted[f"{sku}port_config.ini.orig"].splitlines()
    assert title.startswith("#")  # without a title the start script ends
    up = {port: row for port, row in ports.items() if row["admin_status"] == "up"}
    used = {port: row for port, row in up.items() if (name, port) in tree.called}
    assert len(up) == len(used) or tree.left_out
    for (port, row), number in zip(used.items(), range(1, len(used) + 1), strict=True):
        assert tree.called[name, port] == f"eth{number}"
        assert lanes[f"eth{number}"] == row["lanes"]
        (line,) = (line for line in lines if line.split()[1] == row["lanes"])
        assert line.split() == [port, row["lanes"], row["alias"], row["index"], row["speed"]]


# --- clabernetes


def test_the_definition_of_clabernetes_accepts_the_lab(tree: Tree, oracles: Path) -> None:
    """Keys and types of the topology are those of the definition."""
    topology = document(tree.root / "lab/clabernetes/topology.yaml")
    assert resource_definitions.complaints(oracles / "crds", topology) == []


def test_kubernetes_has_the_same_lab(tree: Tree) -> None:
    """The topology inside is containerlab's, except for the paths of files.

    Each file is in a ConfigMap, whole, under a name that Kubernetes accepts.
    """
    topology = document(tree.root / "lab/clabernetes/topology.yaml")
    inner = libyaml.document(topology["spec"]["definition"]["containerlab"])
    for node in tree.nodes:
        assert [
            f"../../{bind}" for bind in inner["topology"]["nodes"][node]["binds"]
        ] == tree.nodes[node]["binds"]
        inner["topology"]["nodes"][node]["binds"] = tree.nodes[node]["binds"]
        if startup := inner["topology"]["nodes"][node].get("startup-config"):
            inner["topology"]["nodes"][node]["startup-config"] = f"../../{startup}"
    assert inner == tree.clab

    maps = {
        one["metadata"]["name"]: one["data"]
        for one in libyaml.documents((tree.root / "lab/clabernetes/files.yaml").read_text())
    }
    files = topology["spec"]["deployment"]["filesFromConfigMap"]
    assert list(files) == list(tree.nodes)
    for node, mounts in files.items():
        binds = [bind.split(":")[0].removeprefix("../../") for bind in tree.nodes[node]["binds"]]
        assert [mount["filePath"] for mount in mounts] == binds
        assert all(
            maps[mount["configMapName"]][mount["configMapPath"]]
            == (tree.root / mount["filePath"]).read_text()
            for mount in mounts
        )
        assert {mount["configMapPath"] for mount in mounts} == set(maps[mounts[0]["configMapName"]])
    assert all(LABEL.fullmatch(name) for name in [topology["metadata"]["name"], *maps, *tree.nodes])
    assert all(KEY.fullmatch(key) for held in maps.values() for key in held)
    assert (
        max(sum(len(text.encode()) for text in held.values()) for held in maps.values())
        < CONFIG_MAP
    )
    assert len((tree.root / "lab/clabernetes/topology.yaml").read_bytes()) < REQUEST


def test_a_lab_that_kubernetes_cannot_hold_is_not_written_for_it() -> None:
    """The reasons have the number of nodes, which is that of the topology, and the limit."""
    plan = plan_of(gpus=1024, hb_domain={"gpus": 256}, radix=8, rails={"tiers": 1})
    job = build_job(plan, PACKS, ("lab",))
    nodes = 1024 + 4 + 256
    assert Topologies(Views(plan), PACKS, {}).size == nodes
    assert not job.skipped
    plan = plan_of(gpus=1024, hb_domain={"gpus": 256}, radix=8, rails={"planes": 2, "tiers": 1})
    job = build_job(plan, PACKS, ("lab",))
    why = f"{nodes + 256:,} nodes are more than the 1,400 that its reader takes"
    assert job.skipped == [f"lab/clabernetes/{name}.yaml: {why}" for name in ("topology", "files")]
    paths = {*job.paths()}
    assert "lab/containerlab/fabric.clab.yml" in paths
    assert not any("clabernetes" in path for path in paths)


# --- netlab


def test_netlab_has_the_same_lab(tree: Tree) -> None:
    """It has the same nodes and links in its own terms.

    It configures no device, and its limits are high enough.
    """
    read = document(tree.root / "lab/netlab/topology.yml")
    assert (read["provider"], read["defaults"]["device"]) == ("clab", "unknown")
    assert read["defaults"]["const"]["MAX_NODE_ID"] == len(tree.nodes)
    assert max(map(len, tree.nodes)) <= read["defaults"]["const"]["MAX_NODE_ID_LENGTH"]
    assert list(read["nodes"]) == list(tree.nodes)
    for name, node in read["nodes"].items():
        assert {
            "image": node["image"],
            **node["clab"],
            "labels": tree.nodes[name]["labels"],
        } == {key: value for key, value in tree.nodes[name].items() if key != "mgmt-ipv4"}
    found = [
        tuple((node, one["ifname"]) for node, one in link.items() if node != "prefix")
        for link in read["links"]
    ]
    assert found == tree.links
    assert {link["prefix"] for link in read["links"]} == {False}


def test_netlab_takes_no_more_addresses_than_its_nodes_need(tree: Tree) -> None:
    """Nodes with a management port have one each, in a network that Docker takes for no other."""
    read = document(tree.root / "lab/netlab/topology.yml")
    subnet = IPv4Network(read["addressing"]["mgmt"]["ipv4"])
    given = [node["mgmt"]["ipv4"] for node in read["nodes"].values() if node["mgmt"]["ipv4"]]
    ported = [name for name, node in tree.nodes.items() if node.get("network-mode") != "none"]
    assert len(set(given)) == len(given) == len(ported)
    assert all(IPv4Address(address) in [*subnet.hosts()][1:] for address in given)
    assert not subnet.overlaps(IPv4Network("172.16.0.0/12"))
    management = tree.plan.management
    if management is None or not given:
        assert str(subnet) == "192.168.121.0/24"
    else:
        assert subnet == management.subnet
        assert given == [own["mgmt-ipv4"] for own in tree.nodes.values() if "mgmt-ipv4" in own]


def test_the_management_port_of_eos_is_the_one_of_its_configuration(tmp_path: Path) -> None:
    """The file that names the container's ports names it as startup-config.cfg does.

    Every switch of EOS has it, also those of another network, in each of the three labs.
    """
    leaf = {"leaf": STRANGERS["leaf"]}
    plan = plan_of(
        gpus=8,
        hb_domain={"gpus": 4},
        rails={"tiers": 2},
        switches=leaf,
        nos="eos",
        addressing={"mtu": 9214},
        management=LEAST,
        networks={"storage": {"switches": leaf, "nos": "eos"}},
    )
    build(build_job(plan, PACKS, ("configs", "lab")), tmp_path)
    tree = Tree(plan, tmp_path)
    maps = libyaml.documents((tmp_path / "lab/clabernetes/files.yaml").read_text())
    kept = {own["metadata"]["name"]: own["data"] for own in maps}
    netlab = document(tmp_path / "lab/netlab/topology.yml")["nodes"]
    running = [name for name, node in tree.nodes.items() if node["kind"] == "arista_ceos"]
    assert sorted(running) == sorted(tree.switches)
    for name in running:
        mounted = tree.mounted(name)
        text = mounted["/mnt/flash/EosIntfMapping.json"]
        port = json.loads(text)["ManagementIntf"]["eth0"]
        configured = (
            f"interface {port}\n   vrf mgmt\n   ip address {tree.nodes[name]['mgmt-ipv4']}/"
        )
        assert configured in mounted["/fabric/startup-config"]
        assert kept[f"test-{name}"]["EosIntfMapping.json"] == text
        assert netlab[name]["clab"]["binds"] == [
            bind
            for bind in tree.nodes[name]["binds"]
            if "EosIntfMapping" in bind or "startup" in bind
        ]


@pytest.mark.parametrize(
    ("nodes", "subnet"), [(252, "192.168.121.0/24"), (254, "192.168.120.0/23")]
)
def test_a_larger_lab_takes_a_larger_network(nodes: int, subnet: str) -> None:
    """It is around that of a small one, and has an address for each node beside the gateway."""
    kind = other_kinds(PACKS)["gpu"]
    own = [replace(kind.node(f"n{at}", {}), network="") for at in range(nodes)]
    assert give_addresses(own) == subnet
    assert all(IPv4Address(node.host_address) in IPv4Network(subnet) for node in own)


def test_a_system_without_a_container_names_what_can_be_run() -> None:
    """Cumulus Linux, Junos and NX-OS have images with limits, which the reason names."""
    words = {"nvue": "nvidia_cumulusvx", "junos": "56 data ports", "nxos": "cisco_n9kv"}
    for nos, word in words.items():
        keys = {"nos": nos, "switches": {"leaf": LEAVES[nos]}, "addressing": {"mtu": 9000}}
        skipped = build_job(plan_of(gpus=8, hb_domain={"gpus": 4}, **keys), PACKS, ("lab",)).skipped
        (reason,) = [own for own in skipped if own.startswith("lab topologies")]
        assert word in reason
        assert "`nos: frr` on the same switches" in reason


@pytest.mark.slow
@pytest.mark.parametrize(
    "tree", ["networks, sonic", "leaves on eos, spines on srlinux"], indirect=True
)
def test_netlab_writes_the_same_lab_for_containerlab(tree: Tree, python_tool: PythonTool) -> None:
    """From its own topology it makes the nodes and links of fabric.clab.yml."""
    done = python_tool(
        "netlab", "create", "-o", "provider", "topology.yml", cwd=tree.root / "lab/netlab"
    )
    assert (done.returncode, done.stderr) == (0, "")
    made = document(tree.root / "lab/netlab/clab.yml")["topology"]
    links = Counter(frozenset(map(end, link["endpoints"])) for link in made["links"])
    assert links == Counter(map(frozenset, tree.links))
    assert made["nodes"].keys() == tree.nodes.keys()
    for name, node in tree.nodes.items():
        kept = {key: value for key, value in node.items() if key != "labels"}
        assert made["nodes"][name].items() >= kept.items()


# --- scripts


@pytest.fixture(scope="session")
def in_namespace(
    tool: Callable[[str], str], out_of_reach: Callable[[str], None]
) -> Callable[[str], str]:
    """Return a function that runs a shell script in its own network namespace.

    It returns the output.
    """
    command = [tool("unshare"), "--user", "--map-root-user", "--net", tool("sh"), "-s"]
    environment = {"PATH": SYSTEM_PATH, "LC_ALL": "C"}
    tried = subprocess.run(
        command,
        input="ip link add one type veth peer name two",
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    if tried.returncode:
        out_of_reach(f"no network namespace can be made here: {tried.stderr.strip()}")

    def start(script: str) -> str:
        done = subprocess.run(
            command, input=script, capture_output=True, text=True, check=False, env=environment
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return start


def test_shells_parse_the_scripts(tree: Tree, tool: Callable[[str], str]) -> None:
    """Each by the shell of its command."""
    scripts = {
        (command.split()[0], tree.mounted(name)[command.split()[1]])
        for name, node in tree.nodes.items()
        for command in node.get("exec", ())
    }
    for shell, text in scripts:
        done = subprocess.run(
            [tool(shell), "-n"], input=text, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_a_switch_and_an_hb_domain_start(
    tmp_path: Path, in_namespace: Callable[[str], str]
) -> None:
    """The bridge has exactly the GPUs' interfaces, and ports are up with the fabric's MTU."""
    build(build_job(plan_of(**VARIANTS["two tiers"]), PACKS, ("configs", "lab")), tmp_path / "out")
    made = Tree(plan_of(**VARIANTS["two tiers"]), tmp_path / "out")
    for name in ("hb-0", "r0-leaf-1"):
        here = made.interfaces(name)
        pairs = [
            f"ip link add {interface} type veth peer name far{index}"
            for index, interface in enumerate(here)
        ]
        (script,) = (
            text
            for at, text in made.mounted(name).items()
            if at == made.nodes[name]["exec"][0].split()[1]
        )
        shown = json.loads(
            in_namespace("\n".join([*pairs, f"(\n{script}\n) >&2", "ip -json link show"]))
        )
        links = {link["ifname"]: link for link in shown}
        assert all("UP" in links[interface]["flags"] for interface in here)
        if name.startswith("hb"):
            assert {
                interface for interface, link in links.items() if link.get("master") == "hb"
            } == set(here)
        else:
            assert {links[interface]["mtu"] for interface in here} == {
                made.plan.spec.addressing.mtu
            }


ANSWERS = re.compile(r"RTNETLINK answers: .*|Error: Unknown device type\.")
"""What the kernel answers where it lacks a kind of device, or something else has the name."""


def test_iproute2_knows_the_words_of_bonds(
    tmp_path: Path, in_namespace: Callable[[str], str]
) -> None:
    """It parses each line of a leaf and of a host, whatever devices the kernel has."""
    plan = plan_of(**VARIANTS["networks with bonds"])
    build(build_job(plan, PACKS, ("configs", "lab")), tmp_path / "out")
    made = Tree(plan, tmp_path / "out")
    scripts = (
        made.mounted("storage-leaf-1")["/fabric/start.sh"],
        made.mounted("host-1")["/fabric/device.sh"],
    )
    line = r"^(?:made \S+ \|\| )?((?:ip (?:link|address)|bridge) .+)$"
    lines = re.findall(line, "\n".join(scripts), re.MULTILINE)
    kinds = {word for each in lines for word in re.findall(r" type (\w+)", each)}
    assert kinds == {"bridge", "bond", "vxlan", "vrf", "vlan", "macvlan"}
    names = {name for each in lines for name in re.findall(r"(?:add|name|dev) (\w[\w.-]*)", each)}
    stand_ins = [
        f"ip link add {name} type veth peer name far{number}"
        for number, name in enumerate(sorted(names - {"link", "dev", "lo"}))
    ]

    def misread(lines: list[str]) -> list[str]:
        asked = [*stand_ins, *(f"{each} 2>&1 || :" for each in lines)]
        return [
            answer
            for answer in in_namespace("\n".join(asked)).splitlines()
            if not ANSWERS.fullmatch(answer)
        ]

    assert misread(lines) == []
    wrong = [each.replace("802.3ad", "802.3xx") for each in lines if "802.3ad" in each]
    assert len(misread(wrong)) >= len(wrong) > 0


# --- what names a container


def _ports(*names: tuple[str, int, int]) -> list[PortView]:
    """Make ports of these interfaces, cages and positions."""
    return [
        PortView(
            interface=name,
            alias="",
            cage=cage,
            subport=subport,
            facts={},
            speed="400G",
            speed_mbps=400000,
            breakout="",
            peer_device="",
            peer_interface="",
            cable="",
            address="",
            to_host=False,
            vrf="",
            rail="",
        )
        for name, cage, subport in names
    ]


@pytest.mark.parametrize(
    ("keys", "ports", "names"),
    [
        ({}, [("swp1s0", 1, 1), ("swp64", 64, 0)], ["swp1s0", "swp64"]),
        ({}, [("Ethernet1/1", 1, 0), ("swp2", 2, 0)], ["eth1", "eth2"]),
        ({}, [("a-long-name-of-16", 3, 0)], ["eth1"]),
        ({"interface": "eth{n}"}, [("Ethernet8", 2, 0), ("Ethernet0", 5, 0)], ["eth1", "eth2"]),
        (
            {"interface": "e1-{cage}", "split": "e1-{cage}-{subport}"},
            [("ethernet-1/3", 3, 0), ("ethernet-1/4/2", 4, 2)],
            ["e1-3", "e1-4-2"],
        ),
        (
            {"interface": "e1-{cage}"},
            [("ethernet-1/4/1", 4, 1), ("ethernet-1/4/2", 4, 2)],
            ["eth1", "eth2"],
        ),
    ],
)
def test_container_names_of_ports(
    keys: dict[str, str], ports: list[tuple[str, int, int]], names: list[str]
) -> None:
    """They follow the pack's pattern or the NOS.

    Names that Linux rejects, or that would be equal, are numbered.
    """
    assert Container(kind="linux", image="alpine:3", **keys).interfaces(_ports(*ports)) == names  # type: ignore[arg-type]  # keys of a pack.yaml


@pytest.mark.parametrize(
    "keys",
    [
        {"interface": "eth{n.__class__}"},
        {"interface": "{name}"},
        {"exec": ["echo $HOME"]},
        {"network": "host"},
        {
            "binds": [
                {"file": "configs/{switch}/a", "at": "/x/a"},
                {"file": "lab/{switch}/a", "at": "/y/a", "template": "a.j2"},
            ]
        },
        {
            "binds": [
                {"file": "configs/{switch}/a", "at": "/x/a"},
                {"file": "configs/{switch}/b", "at": "/x/a"},
            ]
        },
        {"binds": [{"file": "configs/{switch}/a", "at": "/x/a"}], "startup": "configs/{switch}/b"},
    ],
)
def test_a_container_that_does_not_fit_is_refused(keys: dict[str, Any]) -> None:
    """Patterns have three fields, commands no environment, and files differ in name and path."""
    with pytest.raises(ValidationError):
        Container(kind="linux", image="alpine:3", **keys)


@pytest.mark.parametrize(
    "file", ["configs/{switch}/a", "lab/a", "lab/{switch}", "lab/../{switch}/a"]
)
def test_a_file_for_a_container_belongs_to_the_lab(file: str) -> None:
    """It cannot replace another file."""
    with pytest.raises(ValidationError):
        Bind(file=file, at="/a", template="a.j2")


EOS = """
name: eos
description: A made-up pack, to show that a NOS needs no code for a lab
nos: eos
group: configs
verified: not verified
outputs:
  - {path: "configs/{switch}/startup.cfg", template: startup.cfg.j2, each: switch, reader: EOS}
containers:
  switch:
    kind: arista_ceos
    image: ceos:4.34.2F
    interface: "eth{n}"
    binds:
      - {file: "configs/{switch}/startup.cfg", at: /mnt/flash/startup-config}
      - file: "lab/switches/{switch}/map.json"
        at: /mnt/flash/EosIntfMapping.json
        template: map.json.j2
"""


def _eos(folder: Path, text: str = EOS) -> Packs:
    """Write a user's pack for a NOS that no shipped pack configures."""
    (folder / "eos").mkdir()
    (folder / "eos/pack.yaml").write_text(text)
    (folder / "eos/startup.cfg.j2").write_text("hostname {{ switch.name }}\n")
    (folder / "eos/map.json.j2").write_text(
        "{% for port in node.ports %}{{ port.name }}={{ port.own.interface }}\n{% endfor %}"
    )
    return Packs([folder])


ARISTA: Inventory = SMALL | {
    "switches": {"leaf": {"model": "7060x6-64pe", "breakout": "2x400G"}},
    "nos": "eos",
    "rails": {"tiers": 2},
}


def test_a_pack_defines_its_container(
    tmp_path: Path, complaints: Callable[[dict[str, Any]], list[str]]
) -> None:
    """A new NOS is in the lab as soon as its pack defines a container and a map of interfaces."""
    packs = _eos(tmp_path)
    made = Tree(plan_of(**ARISTA), tmp_path / "out")
    build(build_job(made.plan, packs, ("cabling", "configs", "lab")), made.root)
    assert complaints(made.clab) == []
    leaf = made.nodes["r0-leaf-1"]
    assert (leaf["kind"], "exec" in leaf, "network-mode" in leaf) == ("arista_ceos", False, False)
    pairs = dict(
        line.split("=")
        for line in made.mounted("r0-leaf-1")["/mnt/flash/EosIntfMapping.json"].splitlines()
    )
    assert set(pairs) == set(made.interfaces("r0-leaf-1"))
    assert {pairs[name] for name in pairs} == {
        interface for node, interface in made.called if node == "r0-leaf-1"
    }
    assert pairs["eth2"] == "Ethernet1/5"
    assert len(made.links) == len(made.cables) + made.plan.fabric.gpus


def test_a_file_that_is_not_written_is_refused(tmp_path: Path) -> None:
    """The finding names the pack and the file."""
    packs = _eos(
        tmp_path,
        EOS.replace('{file: "configs/{switch}/startup.cfg"', '{file: "configs/{switch}/other.cfg"'),
    )
    with pytest.raises(Refusal) as refused:
        build(build_job(plan_of(**ARISTA), packs, ("configs", "lab")), tmp_path / "out")
    (finding,) = refused.value.findings
    assert finding.code == "bad-pack"
    assert "configs/{switch}/other.cfg" in str(finding.fact)


def test_without_a_container_only_gpu_scripts_are_written(tmp_path: Path) -> None:
    """Without a container there is no topology, and the build names the reason."""
    packs = _eos(tmp_path, EOS.partition("containers:")[0])
    job = build_job(plan_of(**ARISTA), packs, ("configs", "lab"))
    assert {path.split("/")[1] for path in job.paths() if path.startswith("lab/")} == {"gpus"}
    assert job.skipped == [
        "lab topologies: no pack names a container for eos, which the leaf switches run"
    ]


def test_a_switch_cannot_have_the_name_of_an_hb_domain(tmp_path: Path) -> None:
    """Two nodes would have one name."""
    plan = plan_of(
        **generic(64, gpus=8, design="fat-tree", naming={"leaf": "hb-{n}"})
        | {"hb_domain": {"gpus": 2}}
    )
    with pytest.raises(Refusal) as refused:
        build(build_job(plan, PACKS, ("configs", "lab")), tmp_path / "out")
    assert [finding.code for finding in refused.value.findings] == ["name-twice"]


def test_the_sizes_in_the_documentation(root: Path) -> None:
    """Nodes and links of its table are those of the fabrics that it names."""
    table = re.findall(
        r"^\| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| [\d.]+ s ",
        (root / "docs/labs.md").read_text(),
        re.MULTILINE,
    )
    assert table
    for gpus, nodes, links in ([int(cell.replace(",", "")) for cell in row] for row in table):
        plan = plan_of(gpus=gpus, hb_domain={"gpus": 8}, radix=16)
        assert (nodes, links) == (
            sum(map(plan.switch_count, plan.roles)) + gpus + gpus // 8,
            plan.links + gpus,
        )


# --- the command


def test_a_lab_includes_its_configurations(tmp_path: Path, run: Run) -> None:
    """`--only lab` writes the files that it mounts."""
    done = run(
        "build",
        "--gpus",
        64,
        "--hb-domain",
        8,
        "--radix",
        4,
        "--only",
        "lab",
        "-o",
        tmp_path / "out",
    )
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "manifest.json",
        "plan.json",
        "configs",
        "lab",
    }


def test_a_large_lab_is_written_on_request(tmp_path: Path, run: Run) -> None:
    """Above the stated size the command names the option, with which it lists all files."""
    sizing = ("--gpus", 1040, "--hb-domain", 8, "--radix", 64, "-o", tmp_path / "out", "--dry-run")
    done = run("build", *sizing)
    assert "lab/" not in done.stdout
    assert "1,040 GPUs are more than 1,024; `--only lab`" in done.stderr
    assert (
        "lab/containerlab/fabric.clab.yml" in run("build", *sizing, "--only", "lab").stdout.split()
    )


@pytest.mark.parametrize(
    ("model", "breakout", "emulated"),
    [("7220-ixr-d5", "2x200G", "ixr-d5"), ("7220-ixr-h5-64", "4x200G", "ixr-h5-64o")],
)
def test_the_type_of_a_container_is_that_of_the_switch(
    model: str, breakout: str, emulated: str
) -> None:
    """The catalog has it among the facts of the NOS, as one image emulates several models."""
    leaf = {"model": model, "breakout": breakout}
    plan = plan_of(**SMALL, switches={"leaf": leaf}, nic={"speed": "200G"})
    nodes = topologies(build_job(plan, PACKS, ("lab",)).context).view.nodes
    assert {node.type for node in nodes if node.kind == "nokia_srlinux"} == {emulated}


def test_a_switch_that_no_container_emulates_is_named() -> None:
    """Another model has other ports; the fact that its file in the catalog lacks is named."""
    leaf = {"model": "7220-ixr-h6-64", "breakout": "2x400G"}
    job = build_job(plan_of(**SMALL, switches={"leaf": leaf}), PACKS, ("lab",))
    assert any(
        "no container of srlinux is known to emulate a 7220-ixr-h6-64:"
        " its file in the catalog lacks container_type" in text
        for text in job.skipped
    )


def test_a_network_that_no_container_runs_is_named() -> None:
    """The rest of the lab is written, with the reason."""
    keys = VARIANTS["networks"]
    storage = keys["networks"]["storage"]
    changed = {"switches": {"leaf": {"model": "qm9700"}}}
    why = "no pack names a container for mlnxos, which the leaf switches run"
    networks = keys["networks"] | {"storage": storage | changed}
    job = build_job(plan_of(**keys | {"networks": networks}), PACKS, ("lab",))
    assert f"lab/ has no containers of storage: {why}" in job.skipped
    nodes = topologies(job.context).view.nodes
    assert {node.labels.get("network") for node in nodes} == {None, "oob"}


def test_infiniband_has_no_lab() -> None:
    """Containers are linked by Ethernet."""
    job = build_job(
        plan_of(**SMALL, switches={"leaf": {"model": "qm9700"}}),
        PACKS,
        ("configs", "lab"),
        frozenset({"lab"}),
    )
    assert not [path for path in job.paths() if path.startswith("lab/")]
    assert any("InfiniBand" in sentence for sentence in job.skipped)


# --- any fabric


@settings(max_examples=25)
@given(inventories())
def test_counts_of_drawn_fabrics(inventory: Inventory) -> None:
    """Counts are the plan's, and every end has one link."""
    assume(inventory["gpus"] <= 512)
    try:
        plan = plan_of(**inventory)
    except Refusal:
        assume(condition=False)
    frr = PACKS.for_nos("frr")
    assert frr is not None
    view = Topologies(
        Views(plan), PACKS, {plan.fabric.port_layouts[role].nos: frr for role in plan.roles}
    ).view
    request = plan.fabric
    assert (
        len(view.nodes)
        == sum(map(plan.switch_count, plan.roles))
        + request.gpus
        + request.gpus // request.domain_gpus
    )
    assert len(view.links) == plan.links + request.gpus
    ends = [
        one
        for link in view.links
        for one in ((link.a_node, link.a_interface), (link.b_node, link.b_interface))
    ]
    assert len(set(ends)) == len(ends)
    assert {node for node, _ in ends} == {node.name for node in view.nodes}
    assert sum(link.cable != "" for link in view.links) == sum(
        plan.link_count(kind) for kind in LinkKind if kind in plan.kinds
    )

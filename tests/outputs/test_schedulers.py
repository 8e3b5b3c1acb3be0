"""The packs of schedulers and automation.

Every host is in one stripe and one block, Slurm reads its files, and hostile names survive.
"""

from __future__ import annotations

import getpass
import json
import re
import socket
import subprocess
import time
from collections import Counter
from functools import cache
from itertools import chain, combinations, pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from fabricgen.build.run import build
from fabricgen.core.diagnostics import Refusal
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.schedulers.build import cluster_view, devices_view
from fabricgen.outputs.schedulers.hostlists import (
    LONGEST_RANGE,
    folded,
    host_ranges,
    node_expression,
)
from fabricgen.planning.name_checks import LONGEST_NAME
from fabricgen.planning.stripes import stripes
from fabricgen.views.factory import Views
from fabricgen.views.hosts.build import Hosts
from tests.fabrics import CLUSTER, build_job, cables_of, plan_of, set_limit
from tests.laws.drawing import Inventory, inventories
from tests.mutations.test_direct import TORUS
from tests.outputs import resource_definitions
from tests.outputs.packs.managed import LEAST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fabricgen.planning.plan import Plan
    from tests.conftest import PythonTool

SMALL: dict[str, Any] = {"gpus": 64, "hb_domain": {"gpus": 8}, "radix": 4}
VARIANTS: dict[str, dict[str, Any]] = {
    "one stripe": SMALL | {"radix": 16},
    "two tiers": SMALL,
    "three tiers": SMALL | {"gpus": 128},
    "pods": {"gpus": 128, "hb_domain": {"gpus": 2}, "radix": 8, "rails": {"tiers": 3}},
    "pods of a fat-tree": {
        "design": "fat-tree",
        "gpus": 64,
        "hb_domain": {"gpus": 4},
        "radix": 8,
        "rails": {"tiers": 3},
    },
    "domains that straddle pods": {
        "design": "fat-tree",
        "gpus": 32,
        "hb_domain": {"gpus": 2},
        "radix": 6,
        "rails": {"tiers": 3},
    },
    "domains of several hosts": SMALL | {"hb_domain": {"gpus": 8, "hosts": 4}},
    "every host on every rail": SMALL
    | {"hb_domain": {"gpus": 8, "hosts": 2}, "rails": {"count": 4}, "radix": 8},
    "domains that straddle leaves": {
        "gpus": 72,
        "hb_domain": {"gpus": 12, "hosts": 2},
        "rails": {"count": 4},
        "radix": 8,
    },
    "two planes": SMALL | {"rails": {"planes": 2}},
    "shared boxes": SMALL | {"rails": {"per_switch": 2, "tiers": 2}, "radix": 8},
    "rail-optimized": SMALL | {"design": "rail-optimized", "hb_domain": {"gpus": 2}, "radix": 8},
    "fat-tree": SMALL | {"design": "fat-tree", "radix": 8},
    "fat-tree of wide domains": {
        "design": "fat-tree",
        "gpus": 48,
        "hb_domain": {"gpus": 6, "hosts": 3},
        "radix": 8,
    },
    "room to grow": SMALL | {"gpus": 40, "reserve": {"gpus": 128}},
    "infiniband": {
        "gpus": 64,
        "hb_domain": {"gpus": 8},
        "switches": {"leaf": {"model": "qm9700"}},
        "rails": {"tiers": 2},
    },
    "hosts called like stripes": SMALL | {"naming": {"host": "stripe-{n}"}},
    "hosts called like numbers": SMALL | {"naming": {"host": "{n:03}"}},
    "hosts called like YAML": SMALL | {"naming": {"host": "1e{n}"}},
    "numbers in the middle": SMALL | {"naming": {"host": "h{n}-on"}},
    "numbers at both ends": SMALL
    | {"hb_domain": {"gpus": 8, "hosts": 4}, "naming": {"host": "7-{domain}-{host}"}},
    "long numbers": SMALL | {"naming": {"host": "a999999999999{n}"}},
    "fabric called like a stripe": SMALL | {"name": "stripe-1"},
    "direct rails": TORUS | {"name": "torus"},
    "direct rails between domains of two hosts": TORUS
    | {"name": "torus", "hb_domain": {"gpus": 2, "hosts": 2}},
}
SWITCHED = [name for name, keys in VARIANTS.items() if keys.get("rails", {}).get("medium") is None]
"""The variants with switches."""

PACKS = Packs()


@cache
def variant_plan(variant: str) -> Plan:
    """Plan a variant."""
    return plan_of(**VARIANTS[variant])


@cache
def files_of(variant: str) -> dict[str, str]:
    """Render every file of the group, by the part of the path below cluster/."""
    plan = variant_plan(variant)
    return {
        output.path.removeprefix("cluster/"): PACKS.render(
            pack.name, output.template, devices=devices_view(plan), cluster=cluster_view(plan)
        )
        for pack in PACKS.group("cluster")
        for output in pack.outputs
    }


def numbers(first: str, last: str) -> Iterator[str]:
    """Return the padded numbers from one to another."""
    return (str(number).zfill(len(first)) for number in range(int(first), int(last) + 1))


def expanded(expression: str) -> list[str]:
    """Expand a node expression as Slurm does.

    A pair of brackets ends the name, and numbers are padded like the first.
    """
    names = []
    for prefix, ranges, plain in re.findall(
        r"([a-z0-9-]*)\[([0-9,-]+)\](?=,|$)|([a-z0-9-]+)(?=,|$)", expression
    ):
        names += (
            [plain]
            if plain
            else [
                prefix + number
                for part in ranges.split(",")
                for number in numbers(part.split("-")[0], part.split("-")[-1])
            ]
        )
    return names


def expanded_pattern(pattern: str) -> list[str]:
    """Expand a host range as Ansible does.

    Where the first number begins with a zero, both have one length.
    """
    match = re.fullmatch(r"(.*)\[(\d+):(\d+)\]", pattern)
    if not match:
        return [pattern]
    assert not (match[2].startswith("0") and len(match[2]) > 1) or len(match[2]) == len(match[3])
    return [match[1] + number for number in numbers(match[2], match[3])]


def pairs(text: str) -> list[dict[str, str]]:
    """Read the lines of a topology.conf as their keys and values."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [dict(word.split("=", 1) for word in line.split(" ")) for line in lines]


def yaml_of(text: str) -> list[Any]:
    """Read every document of a YAML text as YAML 1.1 and as 1.2, which must agree."""
    read = []
    for version in ((1, 1), (1, 2)):
        yaml = YAML(typ="safe", pure=True)
        yaml.version = version
        read.append(list(yaml.load_all(text)))
    assert read[0] == read[1]
    return read[1]


def domain_hosts(plan: Plan) -> list[list[str]]:
    """Return the hosts of each HB domain."""
    size = plan.fabric.domain_hosts
    return [plan.hosts[first : first + size] for first in range(0, len(plan.hosts), size)]


@pytest.mark.parametrize("variant", SWITCHED)
def test_a_stripe_is_the_domains_that_share_their_leaves(variant: str) -> None:
    """Two HB domains are in one stripe exactly where their NICs are on the same leaves.

    NICs are compared rank by rank.
    """
    plan = variant_plan(variant)
    leaves = {
        host.name: [nic.leaf for nic in host.nics]
        for host in Hosts(plan).views(range(len(plan.hosts)))
    }
    hangs_on = [[leaf for host in hosts for leaf in leaves[host]] for hosts in domain_hosts(plan)]
    stripe = {
        domain: number for number, found in enumerate(stripes(plan)) for domain in found.domains
    }
    assert sorted(stripe) == list(range(len(hangs_on)))
    assert all(
        (hangs_on[one] == hangs_on[other]) == (stripe[one] == stripe[other])
        for one, other in combinations(stripe, 2)
    )


@settings(max_examples=25)
@given(inventories())
def test_any_fabric_divides_into_stripes(inventory: Inventory) -> None:
    """Each HB domain is in one stripe, and each stripe has a leaf and a domain.

    Each host is below one switch.
    """
    try:
        plan = plan_of(**inventory)
    except Refusal:
        reject()
    found = stripes(plan)
    assert sorted(domain for stripe in found for domain in stripe.domains) == list(
        range(len(plan.hosts) // plan.fabric.domain_hosts)
    )
    assert all(stripe.leaves and len(stripe.leaves) == len(set(stripe.leaves)) for stripe in found)
    assert [
        host for stripe in cluster_view(plan).stripes for batch in stripe.batches for host in batch
    ] == [
        host for stripe in found for domain in stripe.domains for host in domain_hosts(plan)[domain]
    ]


def test_growth_renames_no_stripe() -> None:
    """The stripes of the installed hosts are the same when the reserve is installed."""
    before, after = (
        variant_plan("room to grow"),
        plan_of(**VARIANTS["room to grow"] | {"gpus": 128}),
    )
    small, large = (
        {
            host: stripe.name
            for stripe in cluster_view(plan).stripes
            for host in expanded(stripe.nodes)
        }
        for plan in (before, after)
    )
    assert small.items() <= large.items()
    assert len(small) < len(large)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_tree_holds_every_host_once(variant: str) -> None:
    """Each host is below one switch, in order, and HB domains are whole.

    The root joins all switches exactly where any two hosts share a rail.
    """
    plan, text = variant_plan(variant), files_of(variant)["slurm/tree/topology.conf"]
    lines = pairs(text)
    leaves = [line for line in lines if "Nodes" in line]
    below = {line["SwitchName"]: expanded(line["Nodes"]) for line in leaves}
    assert Counter(host for hosts in below.values() for host in hosts) == Counter(plan.hosts)
    assert all(
        any(set(own) <= set(hosts) for hosts in below.values()) for own in domain_hosts(plan)
    )
    assert len(below) == len(leaves) == len(stripes(plan))
    on_hosts = map(plan.fabric.coordinates.host_range, range(len(plan.hosts)))
    rails = [{plan.fabric.coordinates.rail(gpu) for gpu in gpus} for gpus in on_hosts]
    meet = plan.mapping.spans_rails or all(one & other for one, other in combinations(rails, 2))
    above = {line["SwitchName"]: expanded(line["Switches"]) for line in lines if "Switches" in line}
    roots = [above.pop("fabric")] if "fabric" in above else []
    assert len(roots) == (len(leaves) > 1 and meet)
    assert roots == [list(above or below) for _ in roots]
    assert roots or not above
    assert sorted(name for names in above.values() for name in names) == sorted(above and below)
    assert len({line["SwitchName"] for line in lines}) == len(lines)
    assert all(len(line["SwitchName"]) <= LONGEST_NAME for line in lines)
    apart = not plan.mapping.spans_rails and variant in SWITCHED
    assert ("one common root would promise connectivity" in text) == apart
    assert ("No switch joins the hosts" in text) == (variant not in SWITCHED)


SPINE_TIER = 2


def spines_of(plan: Plan) -> dict[str, set[str]]:
    """Return the spines that each leaf is cabled to."""
    found: dict[str, set[str]] = {}
    for cable in cables_of(plan):
        if cable.tier == SPINE_TIER:
            found.setdefault(cable.a_device, set()).add(cable.b_device)
    return found


@pytest.mark.parametrize(
    ("variant", "pods"),
    [
        ("pods", 4),
        ("three tiers", 4),
        ("two tiers", 0),
        ("one stripe", 0),
        ("pods of a fat-tree", 4),
        ("domains that straddle pods", 0),
    ],
)
def test_a_pod_is_the_stripes_that_share_spines(variant: str, pods: int) -> None:
    """Two stripes are in one pod exactly where their leaves share spines in every rail.

    There is no such level where a stripe has leaves in several pods.
    """
    plan = variant_plan(variant)
    view, spines = cluster_view(plan), spines_of(plan)
    assert len(view.pods) == pods
    if not pods:
        return
    hosts = {host.name: host for host in Hosts(plan).views(range(len(plan.hosts)))}
    leaves = {
        stripe.name: [nic.leaf for nic in hosts[stripe.batches[0][0]].nics]
        for stripe in view.stripes
    }
    for one, other in combinations(view.stripes, 2):
        shared = [
            bool(spines[left] & spines[right])
            for left, right in zip(leaves[one.name], leaves[other.name], strict=True)
        ]
        assert set(shared) == {one.pod == other.pod}


def test_every_scheduler_has_the_level_of_pods() -> None:
    """Slurm, Kueue and topograph have pods between stripes and the root."""
    files = files_of("pods")
    tree = {line["SwitchName"]: line for line in pairs(files["slurm/tree/topology.conf"])}
    assert tree["pod-2"]["Switches"] == "stripe-[5-8]"
    assert tree["fabric"]["Switches"] == "pod-[1-4]"
    sizes = [line for line in pairs(files["slurm/block/topology.conf"]) if "BlockSizes" in line]
    assert sizes == [{"BlockSizes": "1,4,16"}]
    topology, flavor = yaml_of(files["kueue/topology.yaml"])
    tiers = [f"fabric.topograph.run/tier-{tier}" for tier in (2, 1, 0)]
    assert [level["nodeLabel"] for level in topology["spec"]["levels"]][:3] == tiers
    assert list(flavor["spec"]["nodeLabels"]) == tiers[:1]
    assert (
        "fabric.topograph.run/tier-0=stripe-5 fabric.topograph.run/tier-1=pod-2"
        in files["kueue/label-nodes.sh"]
    )
    ((model),) = yaml_of(files["topograph/model.yaml"])
    assert model["switches"]["fabric"]["switches"] == [f"pod-{number}" for number in range(1, 5)]
    assert model["switches"]["pod-4"]["switches"] == [f"stripe-{at}" for at in range(13, 17)]
    assert "cores of every rail side by side, which all pods share" in "".join(files.values())


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_block_is_an_hb_domain(variant: str) -> None:
    """There is a block for each HB domain, none below the base size.

    Each larger size is a power of two of it.
    """
    plan = variant_plan(variant)
    *lines, sizes = pairs(files_of(variant)["slurm/block/topology.conf"])
    blocks = {line["BlockName"]: expanded(line["Nodes"]) for line in lines}
    assert len(blocks) == len(lines)
    assert blocks == {f"hb-{number}": hosts for number, hosts in enumerate(domain_hosts(plan))}
    base, *larger = map(int, sizes["BlockSizes"].split(","))
    assert {len(hosts) for hosts in blocks.values()} == {base}
    view = cluster_view(plan)
    below = [{*expanded(stripe.nodes)} for stripe in view.stripes]
    pods = [
        {*chain.from_iterable(expanded(own.nodes) for own in view.stripes if own.pod == pod.name)}
        for pod in view.pods
    ]
    for size in larger:
        in_turn = [host for hosts in blocks.values() for host in hosts]
        assert (size // base).bit_count() == 1
        groups = [set(in_turn[first : first + size]) for first in range(0, len(in_turn), size)]
        assert groups in (below, pods)


def test_the_size_of_a_stripe_needs_a_power_of_two() -> None:
    """Two domains a stripe are a power of two, one needs no size, and three are none."""
    assert [
        cluster_view(variant_plan(variant)).block_sizes
        for variant in ("two tiers", "domains of several hosts", "fat-tree of wide domains")
    ] == [
        [1, 2],
        [4, 8],
        [3],
    ]
    assert cluster_view(plan_of(gpus=18, hb_domain={"gpus": 2}, radix=6)).block_sizes == [1]


@pytest.mark.parametrize("variant", VARIANTS)
def test_topology_yaml_agrees_with_the_other_files(variant: str) -> None:
    """The name is first in each entry, and one is the default.

    Tree and blocks are those of topology.conf.
    """
    files = files_of(variant)
    ((tree, block),) = yaml_of(files["slurm/topology.yaml"])
    assert [next(iter(entry)) for entry in (tree, block)] == ["topology", "topology"]
    assert [entry["cluster_default"] for entry in (tree, block)] == [True, False]
    words = {"SwitchName": "switch", "Nodes": "nodes", "Switches": "children", "BlockName": "block"}
    assert tree["tree"]["switches"] == [
        {words[key]: value for key, value in line.items()}
        for line in pairs(files["slurm/tree/topology.conf"])
    ]
    *lines, sizes = pairs(files["slurm/block/topology.conf"])
    assert block["block"]["blocks"] == [
        {words[key]: value for key, value in line.items()} for line in lines
    ]
    assert block["block"]["block_sizes"] == [int(size) for size in sizes["BlockSizes"].split(",")]


def run_script(
    text: str, stand_in: str, folder: Path, *words: str
) -> subprocess.CompletedProcess[str]:
    """Run a script with dash, with a program that prints its arguments in place of the real one."""
    program = folder / stand_in
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$*"\n', encoding="utf-8")
    program.chmod(0o755)
    (folder / "script.sh").write_text(text, encoding="utf-8")
    return subprocess.run(
        ["/bin/dash", "script.sh", *words],
        cwd=folder,
        env={"PATH": f"{folder}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "variant", ["two tiers", "pods", "numbers in the middle", "numbers at both ends"]
)
def test_a_stripe_is_reserved(variant: str, tmp_path: Path) -> None:
    """The script reserves the hosts of one stripe and keeps the given options.

    It refuses an unknown stripe.
    """
    text = files_of(variant)["slurm/reservations.sh"]
    below = [
        expanded(line["Nodes"])
        for line in pairs(files_of(variant)["slurm/tree/topology.conf"])
        if "Nodes" in line
    ]
    printed = run_script(
        text, "scontrol", tmp_path, "stripe-2", "StartTime=now", "Users=a b"
    ).stdout
    match = re.fullmatch(
        r"create reservation ReservationName=stripe-2 Nodes=(\S+) StartTime=now Users=a b\n",
        printed,
    )
    assert match
    assert expanded(match[1]) == below[1]
    assert (
        "ReservationName=stripe-2"
        not in run_script(text, "scontrol", tmp_path, "stripe-2", "ReservationName=mine").stdout
    )
    refused = run_script(text, "scontrol", tmp_path, f"stripe-{len(below) + 1}")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert run_script(text, "scontrol", tmp_path).returncode == 2


@pytest.mark.parametrize("variant", VARIANTS)
def test_kueues_definitions_accept_the_manifests(variant: str, oracles: Path) -> None:
    """Keys, types, lengths, patterns and the number of levels are those of the definitions."""
    for manifest in yaml_of(files_of(variant)["kueue/topology.yaml"]):
        assert resource_definitions.complaints(oracles / "crds", manifest) == []


@pytest.mark.parametrize(
    ("keys", "value", "words"),
    [
        (("spec", "levels", 0, "nodeLabel"), "no label", "does not match"),
        (("spec", "levels"), [], "[] should be non-empty"),
        (("spec", "colour"), "blue", "Additional properties are not allowed"),
    ],
)
def test_the_definitions_find_errors(
    keys: tuple[str | int, ...], value: object, words: str, oracles: Path
) -> None:
    """A pattern, a number of items, and an unknown key."""
    topology, _ = yaml_of(files_of("two tiers")["kueue/topology.yaml"])
    node = topology
    for key in keys[:-1]:
        node = node[key]
    node[keys[-1]] = value
    (complaint,) = resource_definitions.complaints(oracles / "crds", topology)
    assert words in complaint


@pytest.mark.parametrize("variant", VARIANTS)
def test_kueue_accepts_the_levels(variant: str, tmp_path: Path) -> None:
    """The manifests follow the rules that Kueue's resource definitions have in CEL.

    The script gives each node one value per level, and levels are nested.
    """
    plan, files = variant_plan(variant), files_of(variant)
    topology, flavor = yaml_of(files["kueue/topology.yaml"])
    levels = [level["nodeLabel"] for level in topology["spec"]["levels"]]
    assert len(levels) == len(set(levels))
    assert levels[-1] == "kubernetes.io/hostname"
    assert flavor["spec"]["topologyName"] == topology["metadata"]["name"] == plan.spec.name
    printed = run_script(files["kueue/label-nodes.sh"], "kubectl", tmp_path)
    assert (printed.returncode, printed.stderr) == (0, "")
    labels: dict[str, dict[str, str]] = {host: {levels[-1]: host} for host in plan.hosts}
    for line in printed.stdout.splitlines():
        words = line.removeprefix("label --overwrite node ").split()
        for host in (word for word in words if "=" not in word):
            labels[host] |= dict(word.split("=") for word in words if "=" in word)
    assert len({tuple(sorted(own)) for own in labels.values()}) == 1
    assert all(len(value) <= 63 for own in labels.values() for value in own.values())
    assert all(own.items() >= flavor["spec"]["nodeLabels"].items() for own in labels.values())
    for above, level in pairwise(levels):
        assert len({(own[level], own[above]) for own in labels.values()}) == len(
            {own[level] for own in labels.values()}
        )
    assert Counter(own["fabric.topograph.run/tier-0"] for own in labels.values()) == {
        line["SwitchName"]: len(expanded(line["Nodes"]))
        for line in pairs(files["slurm/tree/topology.conf"])
        if "Nodes" in line
    }


@pytest.mark.parametrize("variant", VARIANTS)
def test_topograph_accepts_the_model(variant: str) -> None:
    """A switch has one parent, and each host is in one block.

    A block is below a declared switch and has nodes.
    """
    ((model),) = yaml_of(files_of(variant)["topograph/model.yaml"])
    children = [
        child for switch in model["switches"].values() for child in switch.get("switches", [])
    ]
    assert len(children) == len(set(children))
    assert set(children) <= set(model["switches"])
    assert all(block["switch"] in model["switches"] and block["nodes"] for block in model["blocks"])
    assert Counter(
        host for block in model["blocks"] for nodes in block["nodes"] for host in expanded(nodes)
    ) == Counter(variant_plan(variant).hosts)
    domains = [
        block["annotations"]["accelerator.topology.test/domain"] for block in model["blocks"]
    ]
    assert len(set(domains)) == len(domains)


@pytest.mark.parametrize("variant", VARIANTS)
def test_ansible_finds_every_device(variant: str) -> None:
    """Switches are listed once by role with their facts, hosts once by stripe.

    No group has the name of a device or an invalid name.
    """
    plan = variant_plan(variant)
    (document,) = yaml_of(files_of(variant)["ansible/inventory.yml"])
    groups = document["all"]["children"]
    switches = {
        name: facts
        for group in groups.get("switches", {"children": {}})["children"].values()
        for name, facts in group["hosts"].items()
    }
    views = [
        view for segment in range(plan.mapping.segments) for view in Views(plan).switches(segment)
    ]
    assert sorted(switches) == sorted(plan.switches())
    for view in views:
        facts = switches[view.name]
        assert (facts["role"], facts["nos"], facts["plane"]) == (view.role, view.nos, view.plane)
        assert [str(rail) for rail in facts["rails"]] == [
            instance.rail for instance in view.instances if instance.rail
        ]
        if plan.fabric.port_layouts[plan.roles[0]].model.transport == "ethernet":
            assert (facts["asn"], facts["loopback"]) == (view.asn, view.instances[0].loopback)
        members = {name for name, group in groups.items() if view.name in _members(group)}
        assert members == {
            f"plane_{view.plane}",
            f"nos_{view.nos}".replace("-", "_"),
            *(f"rail_{rail}" for rail in facts["rails"]),
        }
    assert Counter(
        host for group in groups["gpu_hosts"]["children"].values() for host in _members(group)
    ) == Counter(plan.hosts)
    names = {*groups, *groups["gpu_hosts"]["children"]}
    names |= {*(groups["switches"]["children"] if variant in SWITCHED else ())}
    assert all(name.isidentifier() for name in names)
    assert names.isdisjoint([*plan.switches(), *plan.hosts])


def test_ansible_finds_the_switches_of_all_networks() -> None:
    """Each network is a group apart, so that no play for a plane reaches it; systems are shared."""
    plan = plan_of(**CLUSTER, management=LEAST)
    text = Packs().render("ansible", "inventory.yml.j2", devices=devices_view(plan))
    (document,) = yaml_of(text)
    groups = document["all"]["children"]
    beside = groups["network_switches"]["children"]
    assert {name: [*group["hosts"]] for name, group in beside.items()} == {
        f"network_{name}": [*network.switches()] for name, network in plan.networks.items()
    }
    facts = beside["network_inband"]["hosts"]["inband-leaf-1"]
    assert (facts["network"], facts["role"], "plane" in facts) == ("inband", "leaf", False)
    addresses = [own["ansible_host"] for each in beside.values() for own in each["hosts"].values()]
    assert len({*addresses}) == len(addresses)
    others = {name for name in groups if name.startswith("plane_")}
    assert not {"inband-leaf-1"} & {name for each in others for name in _members(groups[each])}


@pytest.mark.slow
@pytest.mark.parametrize(
    "variant", ["two tiers", "infiniband", "numbers at both ends", "hosts called like numbers"]
)
def test_ansible_reads_the_inventory(variant: str, python_tool: PythonTool, tmp_path: Path) -> None:
    """It finds every device, with the facts of each switch, and a play can name each group."""
    text = files_of(variant)["ansible/inventory.yml"]
    (tmp_path / "inventory.yml").write_text(text, encoding="utf-8")
    listed = python_tool("ansible-inventory", "-i", "inventory.yml", "--list", cwd=tmp_path)
    assert (listed.returncode, listed.stderr) == (0, "")
    read, plan = json.loads(listed.stdout), variant_plan(variant)
    facts = read.pop("_meta")["hostvars"]
    assert sorted(facts) == sorted([*plan.switches(), *plan.hosts])
    (document,) = yaml_of(text)
    groups = document["all"]["children"]["switches"]["children"]
    assert {name: facts[name] for group in groups.values() for name in group["hosts"]} == {
        name: own for group in groups.values() for name, own in group["hosts"].items()
    }
    play = [{"hosts": ":".join(read), "tasks": [{"ansible.builtin.debug": {"var": "nos"}}]}]
    (tmp_path / "play.yml").write_text(json.dumps(play), encoding="utf-8")
    checked = python_tool(
        "ansible-playbook", "-i", "inventory.yml", "--syntax-check", "play.yml", cwd=tmp_path
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def _members(group: dict[str, Any]) -> list[str]:
    """Expand the hosts of a group."""
    return [name for pattern in group.get("hosts", {}) for name in expanded_pattern(pattern)]


@given(
    st.lists(
        st.from_regex(r"[a-z]{0,2}-?[0-9]{0,4}x?", fullmatch=True).filter(bool),
        unique=True,
        max_size=12,
    )
)
def test_folded_names_expand_again(names: list[str]) -> None:
    """A folded expression expands to the same names."""
    assert Counter(expanded(node_expression(names))) == Counter(names)
    assert [name for pattern in host_ranges(names) for name in expanded_pattern(pattern)] == names


def test_ranges_are_as_short_as_they_can_be() -> None:
    """Many names take a few words, and no range exceeds Slurm's limit."""
    names = [f"host-{number:07}" for number in range(1, 200_001)]
    runs = folded(names)
    assert len(runs) == -(-len(names) // LONGEST_RANGE)
    assert max(int(run.last) - int(run.first) + 1 for run in runs) == LONGEST_RANGE
    assert len(node_expression(names)) < 20 * len(runs)


def test_long_files_are_written_on_request(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Files with a line per host, HB domain or switch may be long.

    Those with a line per stripe are always written.
    """
    plan = variant_plan("two tiers")
    set_limit(monkeypatch, "cluster", 7)
    job = build_job(plan, PACKS, ("cluster",))
    written = {file.path for file in build(job, tmp_path / "short")}
    assert written - {"plan.json"} == {
        f"cluster/{name}"
        for name in ("slurm/tree/topology.conf", "slurm/reservations.sh", "kueue/topology.yaml")
    }
    asked = {
        file.path
        for file in build(
            build_job(plan, PACKS, ("cluster",), frozenset({"cluster"})), tmp_path / "long"
        )
    }
    assert {sentence.split(":")[0] for sentence in job.skipped} == asked - written


@pytest.fixture
def slurm(tool: Callable[[str], str], tmp_path: Path) -> Callable[[Plan, str], tuple[str, str]]:
    """Return a function that boots slurmctld with a topology.conf.

    It returns the log, and scontrol's topology.
    """
    programs = [tool("slurmctld"), tool("scontrol")]

    def boot(plan: Plan, topology: str) -> tuple[str, str]:
        (tmp_path / "topology.conf").write_text(topology, encoding="utf-8")
        (tmp_path / "slurm.conf").write_text(
            f"ClusterName=test\nSlurmctldHost={socket.gethostname().split('.')[0]}(127.0.0.1)\n"
            f"SlurmctldPort={free_port()}\nSlurmUser={getpass.getuser()}\n"
            "AuthType=auth/none\nCredType=cred/none\n"
            "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nMpiDefault=none\n"
            "SelectType=select/cons_tres\nTopologyPlugin=topology/tree\n"
            f"StateSaveLocation={tmp_path}\nSlurmctldPidFile={tmp_path}/pid\n"
            f"NodeName={node_expression(plan.hosts)} NodeAddr=127.0.0.1\n"
            "PartitionName=all Nodes=ALL Default=YES\n",
            encoding="utf-8",
        )
        log = tmp_path / "log"
        with log.open("wb") as stream:
            daemon = subprocess.Popen(
                [programs[0], "-D", "-c", "-i", "-f", tmp_path / "slurm.conf"],
                stdout=stream,
                stderr=stream,
            )
        try:
            while daemon.poll() is None and "Running as primary" not in log.read_text(
                encoding="utf-8"
            ):
                time.sleep(0.01)
            environment = {"SLURM_CONF": str(tmp_path / "slurm.conf")}
            asked = [programs[1], "show", "topology"]
            shown = (
                subprocess.run(
                    asked, env=environment, capture_output=True, text=True, check=False
                ).stdout
                if daemon.poll() is None
                else ""
            )
        finally:
            daemon.kill()
            daemon.wait()
        printed = log.read_text(encoding="utf-8")
        return boot(plan, topology) if "Address already in use" in printed else (printed, shown)

    return boot


def free_port() -> int:
    """Return a port that is free now; a caller that finds it in use retries."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


COMPLAINTS = re.compile(r"fatal|switch|topology|hostname|invalid", re.IGNORECASE)
HARMLESS = ("MailProg", "state file", "read_slurm_conf")


@pytest.mark.slow
@pytest.mark.parametrize(
    "variant",
    [
        "two tiers",
        "pods",
        "domains of several hosts",
        "hosts called like stripes",
        "numbers in the middle",
        "numbers at both ends",
    ],
)
def test_slurm_reads_the_tree(variant: str, slurm: Callable[[Plan, str], tuple[str, str]]) -> None:
    """Slurm's controller boots with the file without an error. Its switches have the same hosts."""
    plan, text = variant_plan(variant), files_of(variant)["slurm/tree/topology.conf"]
    log, shown = slurm(plan, text)
    complaints = [
        line
        for line in log.splitlines()
        if COMPLAINTS.search(line) and not any(word in line for word in HARMLESS)
    ]
    apart = [line for line in complaints if "no switch can reach all nodes" in line]
    assert complaints == apart
    assert bool(apart) == ("Switches=" not in text)
    seen = {line["SwitchName"]: line for line in map(_words, shown.splitlines())}
    written = {line["SwitchName"]: line for line in pairs(text)}
    assert set(seen) == set(written)
    for name, line in written.items():
        if "Nodes" in line:
            assert sorted(expanded(seen[name]["Nodes"])) == sorted(expanded(line["Nodes"]))
        else:
            assert sorted(expanded(seen[name]["Switches"])) == sorted(expanded(line["Switches"]))


def _words(line: str) -> dict[str, str]:
    """Read a line of `scontrol show topology`."""
    return dict(word.split("=", 1) for word in line.split())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "printed"),
    [
        (
            "Switches=stripe-[1-4]",
            "Switches=stripe-[1-5]",
            "fatal: Switch configuration fabric has invalid child (stripe-5)",
        ),
        (
            "SwitchName=stripe-2 Nodes=",
            "SwitchName=stripe-2 Nodez=",
            "fatal: something wrong with opening/reading",
        ),
        ("Nodes=host-[3-4]", "Nodes=host-[3-5]", "Multiple leaf switches contain nodes: host-5"),
        ("Nodes=host-[7-8]", "Nodes=host-7", "switches lack access to 1 nodes: host-8"),
    ],
)
def test_slurm_refuses_a_broken_tree(
    old: str, new: str, printed: str, slurm: Callable[[Plan, str], tuple[str, str]]
) -> None:
    """A missing child, a wrong key, and a host that occurs twice or never are reported."""
    text = files_of("two tiers")["slurm/tree/topology.conf"]
    assert old in text
    log, _ = slurm(variant_plan("two tiers"), text.replace(old, new))
    assert printed in log


@pytest.mark.slow
def test_slurm_expands_every_expression(tool: Callable[[str], str], tmp_path: Path) -> None:
    """Slurm's hosts of each expression are the plan's, hostile names included."""
    scontrol = tool("scontrol")
    (tmp_path / "slurm.conf").write_text(
        "ClusterName=test\nSlurmctldHost=localhost\n", encoding="utf-8"
    )
    for variant in [name for name in VARIANTS if "naming" in VARIANTS[name]]:
        plan = variant_plan(variant)
        asked = [scontrol, "show", "hostnames", node_expression(plan.hosts)]
        printed = subprocess.run(
            asked,
            env={"SLURM_CONF": str(tmp_path / "slurm.conf")},
            capture_output=True,
            text=True,
            check=True,
        )
        assert printed.stdout.split() == plan.hosts

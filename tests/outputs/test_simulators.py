"""The inputs of simulators, read by their readers' rules.

Counts in headers are right, and the links are the plan's.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
import pytest

from fabricgen.analysis.graph import graph
from fabricgen.core.terms import Design, LinkKind, Role
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.simulators.build import Simulator
from tests.fabrics import VARIANTS, build_job, plan_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.planning.plan import Plan
    from tests.conftest import Run

HB_GBPS = 3600
LAB: dict[str, Any] = {
    "gpus": 64, "hb_domain": {"gpus": 8, "bandwidth": "3.6Tbps"}, "rails": {"tiers": 2},
    "switches": {"leaf": {"generic": {"radix": 8}}, "spine": {"generic": {"radix": 4}}},
}  # fmt: skip


def fast(name: str) -> Plan:
    """Plan a variant whose HB domains have a bandwidth."""
    keys = VARIANTS[name]
    return plan_of(**keys | {"hb_domain": keys["hb_domain"] | {"bandwidth": "3.6Tbps"}})


def written(plan: Plan, packs: Packs | None = None) -> dict[str, str]:
    """Write the group; return every file by its path below it."""
    job = build_job(plan, packs or Packs(), ("simulators",))
    with TemporaryDirectory() as root:
        paths = [file.path for task in job.tasks for file in task.write(job.context, Path(root))]
        return {
            path.removeprefix("simulators/"): (Path(root) / path).read_text(encoding="utf-8")
            for path in paths
        }


class Link(NamedTuple):
    """A line of links."""

    low: int
    high: int
    gbps: int
    latency: str
    error: str


class Topology(NamedTuple):
    """A topology of ns-3 as its frontends read it: a header and the lines that follow."""

    header: list[str]
    switches: list[int]
    links: list[Link]


def read(text: str) -> Topology:
    """Read a topology strictly: a header, the switches, then links to the end."""
    head, ids, *rows = text.splitlines()
    assert text.endswith("\n")
    links = []
    for row in rows:
        found = re.fullmatch(r"(\d+) (\d+) (\d+)Gbps ([\d.]+ms) ([\d.]+)", row)
        assert found, row
        links.append(Link(int(found[1]), int(found[2]), int(found[3]), found[4], found[5]))
    return Topology(head.split(), [int(number) for number in ids.split()], links)


def names(files: dict[str, str], pack: str) -> dict[int, tuple[str, str, str]]:
    """Read the names of the nodes: name, kind and rail by number."""
    rows = csv.DictReader(io.StringIO(files[f"{pack}/nodes.csv"]))
    return {int(row["node"]): (row["name"], row["kind"], row["rail"]) for row in rows}


def rates(plan: Plan) -> Counter[tuple[str, str]]:
    """Return the capacity between every two nodes of the plan's graph.

    NIC ports are merged into their GPUs.
    """
    found: Counter[tuple[str, str]] = Counter()
    made = graph(plan)
    for a, b, edge in made.edges(data=True):
        if edge["kind"] != "nic":
            ends = sorted(
                end.split("/")[0] if made.nodes[end]["kind"] == "nic" else end.replace("hb:", "hb-")
                for end in (a, b)
            )
            found[ends[0], ends[1]] += edge["capacity_gbps"]
    return found


@pytest.mark.parametrize("name", VARIANTS)
def test_both_topologies_are_the_plan(name: str) -> None:
    """Header, ids and links agree, and every link has the plan's ends and rate.

    A shared box is one node for each rail.
    """
    plan = fast(name)
    files, fabric = written(plan), plan.fabric
    domains = fabric.gpus // fabric.domain_gpus
    for pack in ("simai", "astra-sim"):
        topology, named = read(files[f"{pack}/topology.txt"]), names(files, pack)
        switches = len(named) - fabric.gpus - domains
        if pack == "simai":
            counts = [len(named), fabric.domain_gpus, domains, switches, len(topology.links)]
            assert topology.header == [*map(str, counts), "H100" if fabric.host else "NONE"]
        else:
            assert topology.header == [
                str(number) for number in (len(named), domains + switches, len(topology.links))
            ]
        assert topology.switches == list(range(fabric.gpus, len(named)))
        assert list(named) == list(range(len(named)))
        assert [kind for _, kind, _ in named.values()] == [
            *["gpu"] * fabric.gpus,
            *["hb-domain"] * domains,
            *tiers(named),
        ]
        found: Counter[tuple[str, str]] = Counter()
        for link in topology.links:
            low, high = sorted((named[link.low][0], named[link.high][0]))
            assert (low, high) not in found, "parallel links are one line"
            found[low, high] = link.gbps
        assert found == rates(plan)


def tiers(named: dict[int, tuple[str, str, str]]) -> list[str]:
    """Return the roles of the switches by tier."""
    return [role for role in Role for _, kind, _ in named.values() if kind == role]


@pytest.mark.parametrize(
    "name", ["three tiers", "shared boxes below spines", "two planes", "rail-optimized"]
)
def test_rails_meet_where_they_meet_in_the_plan(name: str) -> None:
    """Without HB domains a rail-only fabric divides into its rails and planes.

    Each GPU is in one part for each plane.
    """
    plan = fast(name)
    files, fabric = written(plan), plan.fabric
    topology, named = read(files["simai/topology.txt"]), names(files, "simai")
    joined = nx.Graph(
        (link.low, link.high)
        for link in topology.links
        if named[link.low][1] != "gpu" and named[link.high][1] != "hb-domain"
    )
    parts = list(nx.connected_components(joined))
    assert len(parts) == fabric.planes * (fabric.rails if fabric.design is Design.RAIL_ONLY else 1)
    if fabric.design is Design.RAIL_ONLY:
        assert all(len({named[node][2] for node in part}) == 1 for part in parts)
    hb = {
        link.low: link.high - fabric.gpus
        for link in topology.links
        if named[link.high][1] == "hb-domain"
    }
    assert hb == {gpu: gpu // fabric.domain_gpus for gpu in range(fabric.gpus)}


def test_assumptions_are_data_of_the_pack(tmp_path: Path) -> None:
    """Latencies are data of the pack; a user's pack may change them, and the notes list them."""
    files = written(plan_of(**LAB))
    hb, fabric = (
        {
            link.latency
            for link in read(files["simai/topology.txt"]).links
            if (link.gbps == HB_GBPS) is inside
        }
        for inside in (True, False)
    )
    assert (hb, fabric) == ({"0.000025ms"}, {"0.0005ms"})
    assert "Assumed, because no plan knows it: 0.000025ms latency" in files["simai/notes.txt"]
    assert "400000000000 800000000000 3600000000000" in files["simai/notes.txt"].splitlines()
    assert "AS_PXN_ENABLE=1" in files["simai/notes.txt"]
    (tmp_path / "simai").mkdir()
    text = Packs().files("simai", "pack.yaml")[0].read_text(encoding="utf-8")
    (tmp_path / "simai/pack.yaml").write_text(
        text.replace("link_latency: 0.0005ms", "link_latency: 0.002ms"), encoding="utf-8"
    )
    other = read(written(plan_of(**LAB), Packs([tmp_path]))["simai/topology.txt"])
    assert {link.latency for link in other.links if link.gbps < HB_GBPS} == {"0.002ms"}


def test_the_dimensions_of_astra_sim() -> None:
    """They are an HB domain, and the GPUs of one rank.

    Their product is every GPU, and a single domain has no second dimension.
    """
    for keys, dims, gbytes in (
        (LAB, [8, 8], [450.0, 50.0]),
        (LAB | {"gpus": 8, "rails": {"tiers": 1}}, [8], [450.0]),
        (LAB | {"gpus": 32, "rails": {"planes": 2}}, [8, 4], [450.0, 100.0]),
    ):
        files = written(plan_of(**keys))
        assert [
            int(size) for size in json.loads(files["astra-sim/logical.json"])["logical-dims"]
        ] == dims
        found = dict(
            re.findall(r"^(\w+): \[ (.*) \]", files["astra-sim/analytical.yml"], re.MULTILINE)
        )
        assert found["topology"].split(", ") == ["Switch"] * len(dims)
        assert [int(size) for size in found["npus_count"].split(", ")] == dims
        assert [float(rate) for rate in found["bandwidth"].split(", ")] == gbytes
        assert len(found["latency"].split(", ")) == len(dims)


# --- htsim


def tree(text: str) -> dict[str, Any]:
    """Read a file of htsim by the rules and conditions of its FatTreeTopology.

    Return the switches, and the links of each pair.
    """
    head: dict[str, int] = {}
    found: list[dict[str, int]] = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            key, value = line.lower().split()
            if key == "tier":
                assert int(value) == len(found)
                found.append({"bundle": 1, "oversubscribed": 1, "radix_up": 0})
            else:
                (found[-1] if found else head)[key] = int(value)
    assert head["tiers"] == len(found) in (2, 3)
    return head | built(head, found)


def built(head: dict[str, int], tier: Sequence[dict[str, int]]) -> dict[str, Any]:
    """Build the tree as htsim does."""
    nodes, pods = head["nodes"], head["nodes"] // head["podsize"]
    assert nodes % head["podsize"] == head["podsize"] % tier[0]["radix_down"] == 0
    leaves = head["podsize"] // tier[0]["radix_down"]
    assert tier[0]["radix_down"] // tier[0]["radix_up"] == tier[0]["oversubscribed"]
    uplinks = (
        nodes
        * tier[0]["downlink_speed_gbps"]
        // (tier[1]["downlink_speed_gbps"] * tier[0]["oversubscribed"])
    )
    assert uplinks % (pods * tier[1]["radix_down"]) == 0
    spines = uplinks // (pods * tier[1]["radix_down"])
    assert spines * tier[1]["bundle"] == tier[0]["radix_up"]
    pairs = Counter(
        {
            ("leaf", pod * leaves + leaf, pod * spines + spine): tier[1]["bundle"]
            for pod in range(pods)
            for leaf in range(leaves)
            for spine in range(spines)
        }
    )
    cores = 0
    if len(tier) == 3:
        above = uplinks // tier[1]["oversubscribed"]
        assert above % tier[2]["radix_down"] == 0
        cores = above // tier[2]["radix_down"]
        assert cores * tier[2]["bundle"] // spines == tier[1]["radix_up"]
        group = cores // spines
        pairs.update(
            {
                ("spine", spine, spine % spines * group + core): tier[2]["bundle"]
                for spine in range(pods * spines)
                for core in range(group)
            }
        )
    return {"leaf": pods * leaves, "spine": pods * spines, "core": cores, "pairs": pairs}


def planned_pairs(plan: Plan) -> Counter[tuple[str, int, int]]:
    """Count the links between every two switches of a block, by their positions in their tiers."""
    segment, boxes = plan.segment, plan.naming.boxes
    rows = zip(
        segment.kind.tolist(),
        segment.block.tolist(),
        segment.lower.tolist(),
        segment.upper.tolist(),
        strict=True,
    )
    return Counter(
        (boxes[low].role.value, boxes[low].index, boxes[high].index)
        for kind, block, low, high in rows
        if kind > LinkKind.HOST and block == 0
    )


TREES = [
    "two tiers",
    "three tiers",
    "two planes",
    "shared boxes below spines",
    "oversubscribed",
    "room to grow",
    "rail-optimized",
    "fat-tree of three tiers",
]


@pytest.mark.parametrize("name", TREES)
def test_htsim_builds_the_block(name: str) -> None:
    """Each tier has as many switches, and each pair as many links, as in the plan's block."""
    plan = fast(name)
    text = written(plan)["htsim/block.topo"]
    found = tree(text)
    installed = Counter(
        box.role
        for box, has in zip(plan.naming.boxes, plan.installed, strict=True)
        if has and box.block in (-1, 0)
    )
    assert {role: found[role] for role in Role if found[role]} == dict(installed)
    assert found["pairs"] == planned_pairs(plan)
    hosts = plan.link_count(LinkKind.HOST) // (plan.mapping.segments * plan.mapping.segment_blocks)
    assert f"# {found['nodes'] - hosts} of its nodes stand for places" in text
    assert f"one block; {plan.mapping.segments * plan.mapping.segment_blocks} in all" in text


def test_htsim_fills_the_last_pod() -> None:
    """The file names the leaves that the tree adds to the last pod; every planned link is in it."""
    plan = plan_of(gpus=36, hb_domain={"gpus": 4}, radix=4)
    text = written(plan)["htsim/block.topo"]
    found = tree(text)
    assert (plan.sizing.leaf, found["leaf"], found["spine"], found["core"]) == (
        5,
        6,
        plan.sizing.spine,
        plan.sizing.core,
    )
    assert "that the plan does not have, all without hosts: 1." in text
    assert "# 3 of its nodes stand for places" in text
    assert found["pairs"] - planned_pairs(plan) == Counter({("leaf", 5, 4): 1, ("leaf", 5, 5): 1})
    assert planned_pairs(plan) <= found["pairs"]


GAPS: list[tuple[dict[str, Any], str]] = [
    ({"gpus": 32, "radix": 64}, "a block is one switch"),
    (VARIANTS["two speeds"], "htsim wants one speed"),
    ({"gpus": 256, "radix": 20, "oversubscription": "3:2"}, "a whole number of downlinks"),
    ({"gpus": 544, "radix": 32, "spread": "minimal"}, "use `spread: even`"),
]
"""Fabrics that htsim cannot build, with the reason."""


@pytest.mark.parametrize(("keys", "why"), GAPS, ids=[why for _, why in GAPS])
def test_fabrics_that_htsim_cannot_build(keys: dict[str, Any], why: str) -> None:
    """The build names the reason, and writes no tree that htsim refuses or builds differently."""
    output = Simulator(plan_of(**{"hb_domain": {"gpus": 4}, **keys})).block()
    assert isinstance(output, str)
    assert why in output


def test_wide_switches_have_a_note() -> None:
    """Above the 96 ports that htsim asserts, the file names the necessary change."""
    wide, narrow = (
        written(plan_of(gpus=ports * 4, hb_domain={"gpus": 2}, radix=ports))["htsim/block.topo"]
        for ports in (128, 64)
    )
    assert "A switch has 128 ports: raise the 96" in wide
    assert "raise" not in narrow


def test_simulators_that_are_left_out_are_named(tmp_path: Path, run: Run) -> None:
    """Simulators are written on request.

    The build names a missing HB domain bandwidth, or too many links.
    """
    keys = ("--gpus", "64", "--hb-domain", "8", "--radix", "4")
    done = run("build", *keys, "--only", "simulators", "--dry-run", "-o", tmp_path / "out")
    assert [path for path in done.stdout.split() if path.startswith("simulators/")] == [
        "simulators/htsim/block.topo"
    ]
    assert (
        "simulators/simai/topology.txt: the speed of an HB domain is unknown; "
        "`hb_domain.bandwidth` states it"
    ) in done.stderr
    job = build_job(
        plan_of(gpus=32768, hb_domain={"gpus": 8, "bandwidth": "3.6Tbps"}, radix=64),
        Packs(),
        ("simulators",),
    )
    assert {
        path for task in job.tasks for path in task.paths(job.context) if "htsim" not in path
    } == {
        "simulators/astra-sim/analytical.yml",
        "simulators/astra-sim/logical.json",
    }
    assert any(
        re.fullmatch(
            r"simulators/simai/topology.txt: [\d,]+ links are more than the 64,516 that "
            r"its reader takes",
            output,
        )
        for output in job.skipped
    )

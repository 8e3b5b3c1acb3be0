"""Every output agrees with every other, for every ready inventory of up to 4,096 GPUs.

Cables, configurations, graph and bill of one build are read back from their bytes, independent of
the plan.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.build.run import build
from fabricgen.inventory.load import read_inventory
from fabricgen.outputs.packs.render import Packs
from tests import ROOT
from tests.fabrics import build_job, plan_file, plan_of
from tests.outputs.dcim_files import read_netbox

if TYPE_CHECKING:
    from pathlib import Path

LARGEST, MEDIUM = 4096, 1024
"""GPUs of the inventories that are built, and of those that `make test` builds."""

SHIPPED = sorted([*ROOT.glob("inventories/*.yaml"), *ROOT.glob("examples/*.yaml")])
GPUS = {path: read_inventory(str(path)).spec.gpus for path in SHIPPED}
READY = [path for path in SHIPPED if GPUS[path] <= LARGEST]

End = tuple[str, str]
FRR_PORT = re.compile(r"^interface (\S+)[^\n]*\n description (\S+):(\S+) (\S+)$", re.MULTILINE)


def read_csv(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def ends(row: dict[str, str]) -> tuple[End, End]:
    """Return both ends of a row."""
    return (row["a_device"], row["a_interface"]), (row["b_device"], row["b_interface"])


def read_configs(out: Path) -> dict[End, tuple[End, str]]:
    """Return the peer and the cable of each configured port."""
    found: dict[End, tuple[End, str]] = {}
    for folder in sorted((out / "configs").glob("*")):
        for path in [*folder.glob("frr.conf"), *folder.glob("frr/frr.conf")]:
            for port, device, interface, cable in FRR_PORT.findall(
                path.read_text(encoding="utf-8")
            ):
                found[folder.name, port] = (device, interface), cable
        for path in folder.glob("config_db.json"):
            for port, fields in json.loads(path.read_text(encoding="utf-8"))["PORT"].items():
                if fields["admin_status"] == "up":
                    peer, cable = fields["description"].split(" ")
                    device, _, interface = peer.partition(":")
                    end = (device, interface), cable
                    assert found.setdefault((folder.name, port), end) == end
    return found


def read_graph(out: Path) -> dict[str, tuple[str, str]]:
    """Return the two nodes that each cable of the graph joins.

    The host takes the place of its NIC ports.
    """
    graph = json.loads((out / "graph/fabric.json").read_text(encoding="utf-8"))
    hosts = {
        node["id"]: node.get("host") or node.get("switch") or node["id"] for node in graph["nodes"]
    }
    return {
        edge["cable"]: (hosts[edge["source"]], hosts[edge["target"]])
        for edge in graph["edges"]
        if "cable" in edge
    }


def read_topology(out: Path) -> set[tuple[End, End]]:
    """Return the links of topology.dot."""
    text = (out / "graph/topology.dot").read_text(encoding="utf-8")
    return {
        ((a, b), (c, d)) for a, b, c, d in re.findall(r'"(.*?)":"(.*?)" -- "(.*?)":"(.*?)"', text)
    }


CLUSTER: dict[str, Any] = {
    "name": "small",
    "design": "rail-optimized",
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "nos": "frr",
    "switches": {"leaf": {"generic": {"radix": 16}}},
    "networks": {
        "storage": {"switches": {"leaf": {"generic": {"radix": 8}}}},
        "inband": {"switches": {"leaf": {"generic": {"radix": 32}}}},
        "oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"},
    },
    "devices": [{"name": "mgmt-{n}", "count": 2, "ports": {"storage": 2, "inband": 2, "oob": 1}}],
}
"""Four networks, of which FRR runs on three."""


@pytest.mark.slow
def test_every_output_has_the_same_cables_of_all_networks(tmp_path: Path) -> None:
    """The sheet, labels, graph, drawings, NetBox, configurations, inventory and totals agree."""
    plan = plan_of(**CLUSTER)
    groups = ("cabling", "bom", "configs", "graph", "dcim", "drawings", "cluster")
    out = tmp_path / "out"
    build(build_job(plan, Packs(), groups), out)
    rows = read_csv(out / "cabling/cables.csv")
    links = {row["cable"]: row for row in rows}
    by_network = Counter(row["network"] for row in rows)
    figures = json.loads((out / "plan.json").read_text(encoding="utf-8"))
    planned = {name: each["links"] for name, each in figures["networks"].items()}
    assert by_network == {"compute": figures["links"]["total"], **planned}
    assert len(links) == len(rows) == figures["totals"]["cables"]

    joined = {label: frozenset(ends(row)) for label, row in links.items()}
    netbox = read_netbox(out / "dcim")
    assert {label: pair for pair, label in netbox.links.items()} == joined
    assert {frozenset(pair) for pair in read_topology(out)} == {*joined.values()}
    devices = {label: {device for device, _ in pair} for label, pair in joined.items()}
    assert {label: {*pair} for label, pair in read_graph(out).items()} == devices
    for name, count in planned.items():
        drawing = (out / f"drawings/network-{name}.svg").read_text(encoding="utf-8")
        assert f"{count:,} links" in drawing

    peers = {
        mine: (other, label)
        for label, row in links.items()
        for mine, other in (ends(row), ends(row)[::-1])
    }
    configured = read_configs(out)
    frr = {device for device, _ in configured}
    assert configured == {
        end: peer
        for end, peer in peers.items()
        if end[0] in frr and links[peer[1]]["network"] != "oob"  # no port of FRR is on that network
    }
    beside = [network for name, network in plan.networks.items() if name != "oob"]
    assert frr == {name for each in (plan, *beside) for name in each.switches()}
    text = (out / "cluster/ansible/inventory.yml").read_text(encoding="utf-8")
    switches = [name for each in (plan, *plan.networks.values()) for name in each.switches()]
    assert all(f'"{name}": {{' in text for name in switches)
    bought = {row["class"]: 0 for row in read_csv(out / "bom/bom.csv")}
    for row in read_csv(out / "bom/bom.csv"):
        if row["row"] == "part":
            bought[row["class"]] += int(row["quantity"])
    assert (bought["switches"], bought["cables"]) == (len(switches), len(rows))
    assert len(switches) == figures["totals"]["switches"]


def test_there_are_outputs_to_compare() -> None:
    """The collector below finds inventories."""
    assert len(READY) >= 12


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] * (GPUS[path] > MEDIUM), id=path.stem)
        for path in READY
    ],
)
def test_every_output_has_the_same_cables(path: Path, tmp_path: Path) -> None:
    """Compared are the sheet, the labels, both ends' configurations, the graph and the bill."""
    plan = plan_file(path)
    job = build_job(plan, Packs(), ("cabling", "bom", "configs", "graph"))
    out = tmp_path / "out"
    build(job, out)

    rows = read_csv(out / "cabling/cables.csv")
    assert len({row["cable"] for row in rows}) == len(rows), "a label names two cables"
    links = {link_of(row): row for row in rows}
    used = Counter(end for row in links.values() for end in ends(row))
    assert used.most_common(1)[0][1] == 1, "a port is cabled twice"
    connectors = Counter((row[f"{end}_device"], row[f"{end}_port"]) for row in rows for end in "ab")
    assert connectors.most_common(1)[0][1] == 1, "a connector is cabled twice"

    labels = read_csv(out / "cabling/labels.csv")
    assert Counter(label["cable_id"] for label in labels) == {row["cable"]: 2 for row in rows}

    wanted = {
        mine: (other, label)
        for label, row in links.items()
        for mine, other in (ends(row), ends(row)[::-1])
    }
    switches = {row["b_device"] for row in rows if int(row["tier"])} | {
        row["a_device"] for row in rows if int(row["tier"]) > 1
    }
    found = read_configs(out)
    configured = {device for device, _ in found}
    assert found == {end: peer for end, peer in wanted.items() if end[0] in configured}
    none = any(reason.startswith("no ") for reason in job.skipped)
    assert configured == (set() if none else switches)

    assert read_graph(out) == {
        label: (row["a_device"], row["b_device"]) for label, row in links.items()
    }
    assert read_topology(out) == {ends(row) for row in rows}
    check_bill(out, rows, len(links))


def link_of(row: dict[str, str]) -> str:
    """Return the label that the cables of one link share.

    A link of two connectors has two cables, which differ in a letter.
    """
    return row["cable"].rstrip("ab")


def check_bill(out: Path, rows: list[dict[str, str]], links: int) -> None:
    """Verify that the bill has the cables and modules of the sheet. The summary must count them."""
    bill = [line for line in read_csv(out / "bom/bom.csv") if line["row"] == "part"]
    bought: Counter[str] = Counter()
    for line in bill:
        bought[line["part"]] += int(line["quantity"])
    lengths = {
        (line["part"], line["length_m"]): int(line["quantity"])
        for line in bill
        if line["class"] == "cables"
    }
    assert lengths == Counter((row["part"], row["length_m"]) for row in rows)
    summary = json.loads((out / "plan.json").read_text(encoding="utf-8"))
    cables = {
        part: count for part, count in bought.items() if part in {row["part"] for row in rows}
    }
    assert sum(cables.values()) == summary["cables"]["total"] == len(rows)
    assert links == summary["links"]["total"]
    cages: Counter[str] = Counter()
    for device, module, cage in {
        (row[f"{end}_device"], row[f"{end}_transceiver"], cage_of(row[f"{end}_port"]))
        for row in rows
        for end in "ab"
    }:
        assert device
        cages[module] += bool(cage)
    assert {part: count for part, count in bought.items() if part in cages} == dict(cages)
    devices = {row["b_device"] for row in rows if int(row["tier"])} | {
        row["a_device"] for row in rows if int(row["tier"]) > 1
    }
    assert (
        sum(int(line["quantity"]) for line in bill if line["class"] == "switches")
        == len(devices)
        == summary["switches"]["total"]
    )


def cage_of(port: str) -> str:
    """Return the cage behind a printed port: `5/2` and `OSFP4P2` name the second port of a cage."""
    return re.sub(r"(?:/\d+|(?<=\d)P\d+)$", "", port)

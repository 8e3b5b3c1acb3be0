"""The data of the report equals the plan, the sheets and the laws.

It has the shapes that the page reads.
"""

from __future__ import annotations

import json
import re
from functools import cache
from gzip import decompress
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.analysis.impact.ranking import severity
from fabricgen.api import plan_file
from fabricgen.bom.comparison import compare
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.core.terms import COMPUTE, LinkKind
from fabricgen.outputs.report import tables
from fabricgen.outputs.report.failure_impacts import impact_of, measured
from fabricgen.outputs.report.packed_parts import packed
from fabricgen.outputs.report.report import PARTS, Report
from fabricgen.outputs.report.tables import CABLE_COLUMNS
from tests import ROOT
from tests.fabrics import CLUSTER, cables_of, plan_of
from tests.outputs.report.decoding import cells

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan

MODEL = ROOT / "web" / "src" / "model.ts"
FABRICS: dict[str, dict[str, Any]] = {
    "rail-only": {"gpus": 32, "hb_domain": {"gpus": 2}, "radix": 8},
    "shared boxes": {
        "gpus": 32,
        "hb_domain": {"gpus": 4},
        "radix": 16,
        "rails": {"per_switch": 2, "planes": 2},
    },
    "shared leaves": {
        "gpus": 64,
        "hb_domain": {"gpus": 4},
        "radix": 16,
        "rails": {"per_switch": 2},
    },
    "rail-optimized": {
        "design": "rail-optimized",
        "gpus": 40,
        "hb_domain": {"gpus": 4},
        "radix": 8,
    },
    "fat-tree": {"design": "fat-tree", "gpus": 32, "hb_domain": {"gpus": 4}, "radix": 6},
    "reserve": {"gpus": 16, "reserve": {"gpus": 48}, "hb_domain": {"gpus": 2}, "radix": 8},
    "two connectors": {
        "gpus": 16,
        "hb_domain": {"gpus": 2},
        "switches": {"leaf": {"model": "sn5600"}},
        "nic": {"speed": "800G"},
        "rails": {"tiers": 2},
    },
    "several systems": {
        "gpus": 16,
        "hb_domain": {"gpus": 4},
        "switches": {"leaf": {"model": "7060dx5-64s", "breakout": "2x200G"}},
        "nos": {"leaf": "eos", "rails": {1: "sonic"}},
        "addressing": {"mtu": 9214},
    },
    "cluster": CLUSTER,
    "nowhere": {"gpus": 16, "hb_domain": {"gpus": 4}, "radix": 8, "site": "unknown"},
}
"""Fabrics with each difference that the report has.

They differ in tiers, design, shared boxes, planned leaves, links of two cables, NOS of rails, and
racks.
"""
every_fabric = pytest.mark.parametrize("name", FABRICS)


@cache
def report_named(name: str) -> Report:
    """Return the report of one of the fabrics."""
    return Report.of(plan_of(**FABRICS[name]))


@cache
def part_of(name: str, part: Any) -> Any:  # noqa: ANN401 - each part has its own keys
    """Return a part of a report as the page reads it: through JSON."""
    return json.loads(decompress(packed(report_named(name).part(part))))


def table(name: str, part: str) -> list[dict[str, str]]:
    """Decode the rows of a table that are of the compute fabric."""
    rows = cluster_table(name, part)
    return [
        row
        for row in rows
        if row.get("network", "") in ("", COMPUTE) and row.get("role") != "device"
    ]


def cluster_table(name: str, part: str) -> list[dict[str, str]]:
    """Decode a table into rows, those of networks too."""
    columns = {key: cells(column) for key, column in part_of(name, part)["columns"].items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def interfaces() -> dict[str, set[str]]:
    """Read the keys of every interface of the contract."""
    text = MODEL.read_text(encoding="utf-8")
    bodies = re.findall(r"export interface (\w+)[^{]*\{\n(.*?)\n\}", text, re.DOTALL)
    return {name: set(re.findall(r"^  (\w+):", body, re.MULTILINE)) for name, body in bodies}


def columns_in_model(name: str) -> set[str]:
    """Read the names of the columns of a table in the model."""
    body = re.search(
        rf"export interface {name} \{{(.*?)\n\}}", MODEL.read_text(encoding="utf-8"), re.DOTALL
    )
    assert body
    return set(re.findall(r'"(\w+)"', body[1]))


@every_fabric
def test_shapes_are_those_of_the_model(name: str) -> None:
    """Every object has the keys that the page reads, and no other."""
    keys, page = interfaces(), report_named(name).page
    rails, devices, cables = (part_of(name, part) for part in ("rails", "devices", "cables"))
    stripe = next(iter(part_of(name, "stripes").values()))
    shown = {
        "Page": page,
        "Answer": page["decision"][0],
        "Figure": page["figures"][0],
        "Chart": page["charts"][0],
        "Bill": page["bill"],
        "Face": page["faces"]["leaf"],
        "Colour": page["colours"][0],
        "Devices": devices,
        "Cables": cables,
        "Impact": devices["impacts"][0],
        "Rails": rails,
        "Drawing": stripe,
        "Box": stripe["rows"][0]["boxes"][0],
        "Stroke": stripe["strokes"][0],
        "Law": part_of(name, "laws")[0],
        "Configs": part_of(name, "configs"),
        "Column": devices["columns"]["name"],
    }
    assert {key: set(value) for key, value in shown.items()} == {key: keys[key] for key in shown}
    own = {"network"} if report_named(name).plan.networks else set()
    assert set(devices["columns"]) == columns_in_model("Devices") | own
    assert set(cables["columns"]) == columns_in_model("Cables") | own
    assert set(PARTS) == keys["Parts"]
    assert all(set(drawing) == keys["Drawing"] for drawing in rails["blocks"])


@every_fabric
def test_counts_are_those_of_the_plan(name: str) -> None:
    """The page counts what `plan --json` counts, and its tables have as many rows."""
    report = report_named(name)
    plan, counts = report.plan, report.page["counts"]
    summary = summarize(plan, make_bom(plan)).document()
    assert {key: counts[key] for key in ("gpus", "rails", "planes")} == {
        key: summary[key] for key in ("gpus", "rails", "planes")
    }
    devices = table(name, "devices")
    roles = [row["role"] for row in devices]
    assert {role.value: roles.count(role) for role in plan.roles} == {
        role.value: summary["switches"][role] for role in plan.roles
    }
    assert counts["switches"] == summary["switches"]["total"]
    assert roles.count("host") == counts["hosts"] == counts["gpus"] // counts["host_gpus"]
    assert len(table(name, "cables")) == summary["cables"]["total"]
    assert len(cluster_table(name, "cables")) == counts["cables"] == counts["rows"]
    figures = {figure["key"]: figure["value"] for figure in report.page["figures"]}
    assert (figures["switches"], figures["cables"]) == (
        f"{counts['switches']:,}",
        f"{summary['cables']['total']:,}",
    )
    assert figures["oversubscription"] == summary["oversubscription"]


@every_fabric
def test_cables_are_those_of_the_list(name: str) -> None:
    """Columns decode to the rows of cables.csv. Each host cable names the GPU of its interface."""
    plan = report_named(name).plan
    rows = table(name, "cables")
    assert [[row[column] for column in CABLE_COLUMNS] for row in rows] == [
        [str(getattr(cable, column)) for column in CABLE_COLUMNS] for cable in cables_of(plan)
    ]
    for row in rows:
        host = plan.hosts.index(row["a_device"]) if row["tier"] == "1" else -1
        gpus = {
            plan.naming.interface(gpu, int(row["plane"])): host * plan.fabric.host_gpus + gpu
            for gpu in range(plan.fabric.host_gpus)
        }
        domain, rank = (
            divmod(gpus[row["a_interface"]], plan.fabric.domain_gpus) if host >= 0 else (0, 0)
        )
        assert row["gpu"] == (f"d{domain}-g{rank}" if host >= 0 else "")


@every_fabric
def test_positions_of_devices_are_those_of_the_cable_list(name: str) -> None:
    """Every device occurs once, in the rack and rack unit of both ends in the list of cables.

    Its rail is that of its cables.
    """
    devices = {row["name"]: row for row in table(name, "devices")}
    plan = report_named(name).plan
    assert len(devices) == len(plan.hosts) + plan.mapping.segments * len(plan.naming.boxes)
    ends: dict[str, set[str]] = {}
    for row in table(name, "cables"):
        for end in "ab":
            device = devices[row[f"{end}_device"]]
            assert (device["rack"], device["unit"]) == (row[f"{end}_rack"], row[f"{end}_unit"])
            assert device["role"] in ("host", "leaf", "spine", "core")
            assert device["plane"] == ("" if device["role"] == "host" else row["plane"])
            ends.setdefault(device["name"], set()).add(row["rail"])
    for name_of, rails in ends.items():
        own, device_rail = rails - {""}, devices[name_of]["rail"]
        assert device_rail in own | {""}
        assert devices[name_of]["role"] != "leaf" or (device_rail == "") == (len(own) != 1)
    assert {row["role"] for row in devices.values() if row["name"] not in ends} <= {"planned"}


@every_fabric
def test_impact_of_every_part(name: str) -> None:
    """The impact of a class equals that of each of its switches and cables, measured one by one."""
    plan, impacts = report_named(name).plan, part_of(name, "devices")["impacts"]
    devices = [row for row in table(name, "devices") if row["role"] not in ("host", "planned")]
    parts = [(f"switch:{row['name']}", row["alike"]) for row in devices] + [
        (f"link:{row['cable']}", row["alike"]) for row in table(name, "cables")
    ]
    documents = {part: measured(plan, part) for part, _ in parts}
    assert {part: impacts[int(alike)] for part, alike in parts} == {
        part: impact_of(document) for part, document in documents.items()
    }
    worst = [severity(documents[part]) for part, _ in sorted(parts, key=lambda each: int(each[1]))]
    assert worst == sorted(worst)
    assert all(
        not row["alike"] for row in table(name, "devices") if row["role"] in ("host", "planned")
    )
    assert {alike for _, alike in parts} == {str(number) for number in range(len(impacts))}


@every_fabric
def test_drawings_hold_everything_once(name: str) -> None:
    """Each box of a rail's drawing has its own switches and GPUs, and all links are drawn.

    Stripes have every HB domain once.
    """
    plan, rails, page = report_named(name).plan, part_of(name, "rails"), report_named(name).page
    assert [each["name"] for each in rails["named"]] == page["drawings"]["rails"]
    gpus = []
    for each in rails["named"]:
        drawing = rails["blocks"][each["block"]]
        boxes = [box for row in drawing["rows"] for box in row["boxes"]]
        switches = sorted(
            member for box in boxes if box["kind"] == "switch" for member in box["members"]
        )
        assert switches == [
            at
            for at, box in enumerate(plan.naming.boxes)
            if plan.installed[at] and box.block in (-1, each["block"])
        ]
        gpus += [
            member + max(0, each["rail"])
            for box in boxes
            if box["kind"] == "gpu"
            for member in box["members"]
        ]
        assert all(
            row["count"] == sum(len(box["members"]) for box in row["boxes"])
            for row in drawing["rows"]
        )
        assert {stroke[end] for stroke in drawing["strokes"] for end in "ab"} <= {
            box["id"] for box in boxes
        }
    assert sorted(gpus) == sorted(list(range(plan.fabric.gpus)) * plan.fabric.planes)
    assert (
        sum(
            stroke["links"]
            for each in rails["named"]
            for stroke in rails["blocks"][each["block"]]["strokes"]
        )
        == plan.links
    )
    assert rails["first"] == len(plan.hosts)
    assert rails["boxes"] == len(plan.naming.boxes)
    stripes = part_of(name, "stripes")
    drawings = page["drawings"]
    assert list(stripes) == [*drawings["stripes"], *drawings["networks"]]
    beside = {f"network-{other}": each.links for other, each in plan.networks.items()}
    assert beside == {
        drawing: sum(stroke["links"] for stroke in stripes.pop(drawing)["strokes"])
        for drawing in drawings["networks"]
    }
    domains = [
        member
        for drawing in stripes.values()
        for box in drawing["rows"][-1]["boxes"]
        for member in box["members"]
    ]
    assert sorted(domains) == sorted(
        f"d{domain}" for domain in range(plan.fabric.gpus // plan.fabric.domain_gpus)
    )
    assert sum(
        stroke["links"] for drawing in stripes.values() for stroke in drawing["strokes"]
    ) == plan.link_count(LinkKind.HOST)


@every_fabric
def test_faces_hold_every_interface(name: str) -> None:
    """Each interface in the list of cables is a port of the front of its switch.

    Its cage has a position, and no two share one.
    """
    faces, roles = (
        report_named(name).page["faces"],
        {row["name"]: row["role"] for row in table(name, "devices")},
    )
    for cable in cables_of(report_named(name).plan):
        behind = f"/{cable.connector}" if cable.connector else ""
        for device, interface, port in (
            (cable.a_device, cable.a_interface, cable.a_port),
            (cable.b_device, cable.b_interface, cable.b_port),
        ):
            if (role := roles[device]) != "host":
                cage, position = faces.get(f"{role}@{cable.rail}", faces[role])["ports"][interface]
                assert port == (f"{cage}/{position}" if position else str(cage)) + behind
    for face in faces.values():
        places = [tuple(place) for place in face["ports"].values()]
        assert len(set(places)) == len(places)
        assert (
            len({tuple(seat) for seat in face["seats"]})
            == len(face["seats"])
            == max(cage for cage, _ in places)
        )
        assert all(row < face["rows"] and column < face["columns"] for row, column in face["seats"])


@every_fabric
def test_inventory_makes_the_same_fabric(name: str, tmp_path: Path) -> None:
    """The inventory on the page, built, has the same wiring."""
    (tmp_path / "inventory.yaml").write_text(report_named(name).page["inventory"])
    assert plan_file(tmp_path / "inventory.yaml").digest() == report_named(name).plan.digest()


@every_fabric
def test_laws_and_comparison_are_complete(name: str) -> None:
    """The laws are in order with their figures.

    The bars are the figures of `compare --json`, and an infeasible design has no bar.
    """
    plan, page = report_named(name).plan, report_named(name).page
    assert [(law["code"], law["ok"], law["figure"]) for law in part_of(name, "laws")] == [
        (judgement.law.code, judgement.ok, judgement.figure) for judgement in check(plan).judgements
    ]
    comparison = compare(plan.spec, plan.catalog)
    bars = {
        chart["figure"]: {bar["design"]: bar["value"] for bar in chart["bars"]}
        for chart in page["charts"]
    }
    refused = {each["design"]: None for each in page["refused"]}
    for figure in ("switches", "cost"):
        assert bars[figure] == refused | {
            summary.design: getattr(summary, figure).total for summary in comparison.summaries
        }


def test_a_part_contains_neither_time_nor_system() -> None:
    """The header of gzip has no time, and 255 for an unknown system, on every version of Python."""
    assert packed({"a": 1})[:10] == bytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])


def hosted(model: str, **domain: int) -> Plan:
    """Plan two HB domains of a host model."""
    return plan_of(
        gpus=2 * domain["gpus"],
        hb_domain=domain,
        host={"model": model},
        switches={"leaf": {"model": "sn5600", "breakout": "2x400G"}},
    )


def test_the_iteration_is_that_of_a_model_that_fits() -> None:
    """The time of an iteration names the source of each figure.

    There is none where no group of an HB domain holds the weights, 696 GB: eight H100 have 640 GB,
    and four GPUs of a GB200 have 744 GB; or where the memory of a GPU is unknown.
    """
    assert report_named("rail-only").page["iteration"] is None
    assert Report.of(hosted("dgx-h100", gpus=8)).page["iteration"] is None
    printed = Report.of(hosted("gb200-nvl72", gpus=72, hosts=18)).page["iteration"]
    assert printed["llm"] == "gpt3"
    assert {"name": "N_M", "value": "4"}.items() <= printed["symbols"][2].items()
    assert all(figure["value"] for figure in [*printed["parts"], *printed["symbols"]])
    assert {"iteration_s", "compute_s"} <= {figure["key"] for figure in printed["parts"]}
    assert {"N", "B_F", "B_S", "C", "M"} <= {symbol["name"] for symbol in printed["symbols"]}
    silent = plan_of(
        design="rail-optimized",
        gpus=16,
        hb_domain={"gpus": 8},
        host={"model": "pcie-8gpu"},
        switches={"leaf": {"model": "sn5600", "breakout": "2x400G"}},
    )
    assert Report.of(silent).page["iteration"] is None


def test_the_networks_are_those_of_the_plan_and_the_bill() -> None:
    """A row of each network has the counts of `plan --json`, the last row its totals.

    The bill of the page is that of all networks, and the decision states what its answers are of.
    """
    assert report_named("rail-only").page["networks"] is None
    page, plan = report_named("cluster").page, report_named("cluster").plan
    shown = page["networks"]
    summary = summarize(plan, make_bom(plan)).document()
    rows = {row[0]: dict(zip(shown["columns"], row, strict=True)) for row in shown["rows"]}
    counted = {"compute": summary, **summary["networks"]}
    assert {name: row["switches"] for name, row in rows.items() if name != "in all"} == {
        name: f"{each['switches']['total']:,}" for name, each in counted.items()
    }
    assert rows["storage"]["cables"] == f"{summary['networks']['storage']['cables']['total']:,}"
    assert rows["oob"]["speed"] == "1G"
    totals, last = summary["totals"], rows["in all"]
    assert (last["switches"], last["cables"]) == (
        f"{totals['switches']:,}",
        f"{totals['cables']:,}",
    )
    assert float(last["cost"].replace(",", "")) == totals["cost"]
    at = page["bill"]["columns"].index("total")
    assert page["bill"]["rows"][-1]["cells"][at] == last["cost"]
    answers = {answer["key"]: " ".join(answer["sentences"]) for answer in page["decision"]}
    assert last["cost"] in answers["cost"]
    assert "storage, inband and oob networks" in answers["buy"]
    assert "of the compute fabric alone" in answers["savings"]


def test_cables_and_devices_of_networks_follow() -> None:
    """Their cables are those of the list; each end is a device, in the rack and rack unit there."""
    plan = report_named("cluster").plan
    rows, devices = (cluster_table("cluster", part) for part in ("cables", "devices"))
    rows = [row for row in rows if row["network"] != COMPUTE]
    wanted = [
        (network, cable) for network, own in plan.networks.items() for cable in cables_of(own)
    ]
    assert [[row[column] for column in ("network", *CABLE_COLUMNS)] for row in rows] == [
        [network, *(str(getattr(cable, column)) for column in CABLE_COLUMNS)]
        for network, cable in wanted
    ]
    places = {row["name"]: (row["rack"], row["unit"]) for row in devices}
    assert len(places) == len(devices)
    for row in rows:
        for end in "ab":
            assert places[row[f"{end}_device"]] == (row[f"{end}_rack"], row[f"{end}_unit"])
    found = {row["network"]: row["role"] for row in devices if row["name"] == "oob-1"}
    assert found == {"oob": "leaf"}
    assert {row["alike"] for row in rows} == {row["gpu"] for row in rows} == {""}


def test_networks_count_against_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they do not fit beside all cables of compute, the page states where they are."""
    plan = plan_of(**CLUSTER)
    monkeypatch.setattr(tables, "MOST_CABLES", sum(own.rows for own in plan.cluster) - 1)
    report = Report.of(plan)
    assert "network" not in report.part("cables")["columns"]
    assert "network" not in report.part("devices")["columns"]
    assert report.page["counts"]["cables"] == plan.cables
    assert any("cables and devices of networks" in note for note in report.page["notes"])


def test_devices_on_leaves_of_compute_are_listed() -> None:
    """Each end of their cables is a device of the table, also without a switch of a network."""
    devices = [{"name": "ufm-{n}", "count": 2, "ports": {"compute": 2}}]
    keys = {"gpus": 24, "hb_domain": {"gpus": 8}, "radix": 8, "rails": {"tiers": 1}}
    report = Report.of(plan_of(**keys, devices=devices))
    tables_of = {part: report.part(part)["columns"] for part in ("devices", "cables")}
    names = set(cells(tables_of["devices"]["name"]))
    ends = {end: set(cells(tables_of["cables"][f"{end}_device"])) for end in "ab"}
    assert {"ufm-1", "ufm-2"} <= ends["a"] <= names
    assert ends["b"] <= names

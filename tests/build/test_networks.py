"""What a build writes of the networks beside the compute fabric: cables, labels and the bill."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import pytest

from fabricgen.analysis.checks import laws
from fabricgen.bom.cluster_bill import cluster_bom
from fabricgen.build.context import BuildContext
from fabricgen.build.run import build
from fabricgen.outputs.packs.render import Packs
from tests import ROOT
from tests.fabrics import CLUSTER, build_job, plan_of
from tests.published.tables import table

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the cabling, the bill and the drawings of a small cluster."""
    folder = tmp_path_factory.mktemp("cluster") / "out"
    build(build_job(plan_of(**CLUSTER), Packs(), ("cabling", "bom", "drawings")), folder)
    return folder


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _figures(out: Path) -> dict[str, Any]:
    figures: dict[str, Any] = json.loads((out / "plan.json").read_text(encoding="utf-8"))
    return figures


def test_one_list_has_the_cables_of_all_networks(out: Path) -> None:
    """Each row has its network, each label is unique, and the counts are those of the plan."""
    rows, figures = _rows(out / "cabling" / "cables.csv"), _figures(out)
    counted = Counter(row["network"] for row in rows)
    planned = {name: each["cables"]["total"] for name, each in figures["networks"].items()}
    assert counted == {"compute": figures["cables"]["total"], **planned}
    assert sum(counted.values()) == figures["totals"]["cables"]
    assert len({row["cable"] for row in rows}) == len(rows)
    assert {row["rail"] for row in rows if row["network"] != "compute"} == {""}


def _texts(file: Path) -> str:
    """Return the text of a file, or of all sheets of a workbook."""
    if file.suffix != ".xlsx":
        return file.read_text(encoding="utf-8")
    with ZipFile(file) as book:
        return "".join(book.read(name).decode() for name in book.namelist() if ".xml" in name)


def test_documents_without_markdown_have_no_marks_of_it(out: Path) -> None:
    """Pages, pictures, tables and workbooks show a backtick or asterisks as they are."""
    files = [file for file in out.rglob("*.*") if file.suffix in (".csv", ".html", ".svg", ".xlsx")]
    assert {file.suffix for file in files} == {".csv", ".html", ".svg", ".xlsx"}
    marked = {
        file.name: found[0]
        for file in files
        if (found := re.search(r".{,40}(`|\*\*|]\().{,40}", _texts(file)))
    }
    assert not marked


def test_every_managed_port_has_one_cable(out: Path) -> None:
    """Hosts, switches and devices have one cable to the out-of-band network each."""
    rows = _rows(out / "cabling" / "cables.csv")
    managed = Counter(row["a_device"] for row in rows if row["network"] == "oob")
    switches = {
        row["b_device"] for row in rows if row["network"] in ("compute", "storage", "inband")
    }
    others = {row["a_device"] for row in rows if row["a_device"].startswith(("host-", "mgmt-"))}
    assert managed == dict.fromkeys(switches | others, 1)


def test_both_ends_of_every_cable_have_a_label(out: Path) -> None:
    """The list of labels has two for each cable, and each network has pages of its own."""
    labels = _rows(out / "cabling" / "labels.csv")
    assert len(labels) == 2 * _figures(out)["totals"]["cables"]
    pages = {file.name for file in (out / "cabling").glob("labels*.html")}
    assert pages == {
        "labels.html",
        "labels-storage.html",
        "labels-inband.html",
        "labels-oob.html",
    }


def test_the_bill_is_that_of_the_cluster(out: Path) -> None:
    """It has the switches and cables of all networks once, and its total is that of the plan."""
    rows, figures = _rows(out / "bom" / "bom.csv"), _figures(out)
    parts = [row for row in rows if row["row"] == "part"]

    def count(part_class: str) -> int:
        return sum(int(row["quantity"]) for row in parts if row["class"] == part_class)

    assert count("switches") == figures["totals"]["switches"]
    assert count("cables") == figures["totals"]["cables"]
    twisted = [row for row in parts if row["part"] == "cat5e"]
    assert sum(int(row["quantity"]) for row in twisted) == figures["networks"]["oob"]["links"]
    for row in twisted:
        assert row["for"] == f"{row['quantity']} host (oob)"
        assert int(row["spares"]) == -(-int(row["quantity"]) // 10)
    assert len({(row["part"], row["length_m"]) for row in parts}) == len(parts)


@pytest.mark.parametrize("division", ["by-role", "by-rack"])
def test_divisions_sum_to_the_bill(out: Path, division: str) -> None:
    """What no rack is known of has no place, as spares have none."""
    parts = [row for row in _rows(out / "bom" / "bom.csv") if row["row"] == "part"]
    ordered = {(row["part"], row["length_m"]): int(row["order"]) for row in parts}
    divided: Counter[tuple[str, str]] = Counter()
    rows = _rows(out / "bom" / f"{division}.csv")
    for row in rows:
        if row["quantity"]:
            divided[row["part"], row["length_m"]] += int(row["quantity"])
    assert divided == ordered
    (total,) = (row for row in _rows(out / "bom" / "bom.csv") if row["row"] == "total")
    assert (rows[-1]["total"], rows[-1]["power_w"]) == (total["total"], total["power_w"])


def test_the_bill_of_the_superpod_is_that_of_its_page() -> None:
    """The column `planned` beside NVIDIA's list is what the bill has, by part and purpose."""
    page = (ROOT / "docs" / "how-to" / "networks.md").read_text(encoding="utf-8")
    cells = (line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| "))
    planned = {row[0]: row[2].strip(" |") for row in cells if len(row) > 2}
    bought = Counter[tuple[str, str]]()
    for line in cluster_bom(plan_of(**table("dgx-h100-superpod").fabric)).lines:
        for purpose, count in line.purposes:
            bought[line.part, purpose] += count

    def sums(part: str, *purposes: str) -> str:
        return f"{sum(bought[part, purpose] for purpose in purposes):,}"

    def both(*texts: str) -> str:
        return " + ".join(texts)

    storage = sums("qm9700", "leaf (storage)", "spine (storage)")
    devices = (sums("ufm-appliance", "devices"), sums("management-node", "devices"))
    assert {
        "QM9700, compute and storage": both(sums("qm9700", "leaf", "spine"), storage),
        "DGX H100": sums("dgx-h100", "host"),
        "SN4600C": sums("sn4600c", "leaf (inband)", "spine (inband)"),
        "SN2201": sums("sn2201", "leaf (oob)"),
        "UFM, management servers": both(*devices),
        "PDUs": sums("ap8886", "devices"),
        "compute, 400G fibres": sums("mfp7e10", "host", "leaf-spine"),
        "compute, modules in switches": sums("mma4z00-ns", "leaf", "spine"),
        "compute, to UFM": sums("mfp7e10", "host (devices)"),
        "compute, modules in hosts and UFM": both(
            sums("mma4z00-ns-flt", "host"), sums("mma4z00-ns400", "host (devices)")
        ),
        "storage, 2x200G cables to targets and management": sums("mfa7u10", "host (storage)"),
        "storage, splitter cables to UFM": sums("mfp7e20", "host (storage)"),
        "storage, modules in hosts and UFM": both(
            sums("mma1z00-ns400", "host (storage)"), sums("mma4z00-ns400", "host (storage)")
        ),
        "storage, modules in switches": sums("mma4z00-ns", "leaf (storage)", "spine (storage)"),
        "in-band, leaf to spine": sums("mfa1a00", "leaf-spine (inband)"),
        "out-of-band, Cat5e": both(sums("cat5e", "host (oob)"), sums("cat5e", "direct (peers)")),
    }.items() <= planned.items()
    racks = [
        line
        for line in cluster_bom(plan_of(**table("dgx-h100-superpod-racks").fabric)).lines
        if line.part_class == "racks"
    ]
    assert [f"{line.quantity}" for line in racks] == [planned["racks"]] == ["38"]


def test_the_total_has_the_prices_of_all_networks(out: Path) -> None:
    """The sum over the cluster is more than that of compute, by the other switches and modules."""
    figures = _figures(out)
    (total,) = (row for row in _rows(out / "bom" / "bom.csv") if row["row"] == "total")
    assert float(total["total"]) == figures["totals"]["cost"] > figures["cost"]["total"]


def test_laws_judge_the_views_that_templates_see(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of networks, too, are made once for both."""
    context = BuildContext(plan_of(**CLUSTER), Packs())
    monkeypatch.setattr(laws, "Views", None)
    assert context.check_report.ok

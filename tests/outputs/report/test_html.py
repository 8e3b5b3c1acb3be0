"""The report file contains the files built beside it, escapes markup in names, and is small."""

from __future__ import annotations

import csv
import io
from base64 import b64encode
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.api import plan_file
from fabricgen.build import group_report
from fabricgen.build.group_report import configs_part, report_of
from fabricgen.build.run import build
from fabricgen.build.selection import BuildScope
from fabricgen.core.resources import shipped
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.report import tables
from fabricgen.outputs.report.html import html, json_block, safe_json
from fabricgen.outputs.report.packed_parts import ValueColumn
from fabricgen.outputs.report.report import PARTS, Report
from fabricgen.views.factory import Views
from tests.fabrics import SUPERPOD, build_context, build_job, plan_of
from tests.outputs.report.decoding import Blocks, cells

if TYPE_CHECKING:
    from pathlib import Path

SMALL: dict[str, Any] = {"gpus": 32, "hb_domain": {"gpus": 2}, "radix": 8}


@pytest.mark.parametrize("design", ["rail-only", "rail-optimized", "fat-tree"])
def test_a_build_writes_the_report(design: str, tmp_path: Path) -> None:
    """It agrees with the sheet, the bill and the configurations, and allows only its own script.

    It is in the manifest.
    """
    leaf = {"switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}}, "nos": "sonic"}
    plan, out = plan_of(**SUPERPOD | leaf | {"gpus": 64, "design": design}), tmp_path / "out"
    build(build_job(plan, Packs(), ("cabling", "bom", "configs", "report")), out)
    blocks = Blocks((out / "report.html").read_text())
    found = blocks.documents
    assert set(found) == {"page", *PARTS}
    rows = list(csv.DictReader(io.StringIO((out / "cabling" / "cables.csv").read_text())))
    columns = {key: cells(column) for key, column in found["cables"]["columns"].items()}
    assert {key: columns[key] for key in rows[0] if key in columns} == {
        key: [row[key] for row in rows] for key in rows[0] if key in columns
    }
    bill = [
        row
        for row in csv.DictReader(io.StringIO((out / "bom" / "bom.csv").read_text()))
        if row["row"] == "part"
    ]
    shown = [
        dict(zip(found["page"]["bill"]["columns"], row["cells"], strict=True))
        for row in found["page"]["bill"]["rows"]
        if row["kind"] == "part"
    ]
    keys = ("part", "quantity", "spares", "total")
    assert [[row[key].replace(",", "") for key in keys] for row in shown] == [
        [row[key] for key in keys] for row in bill
    ]
    files = {
        path.relative_to(out / "configs").as_posix(): path.read_text()
        for path in (out / "configs").rglob("*")
        if path.is_file()
    }
    assert {
        f"{switch}/{file['file']}": file["text"]
        for switch, own in found["configs"]["switches"].items()
        for file in own
    } == files
    configs = found["configs"]
    assert set(configs["systems"].items()) == {(switch, "sonic") for switch in configs["switches"]}
    assert configs["verified"]["sonic"].keys() >= {"config_db.json", "frr.conf"}
    (script,) = (text for attributes, text in blocks.scripts if "type" not in attributes)
    assert (
        f"script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}';"
        in blocks.policy
    )
    assert "default-src 'none'" in blocks.policy
    assert "report.html" in (out / "manifest.json").read_text()


def test_the_same_bytes_twice() -> None:
    """Two reports on one inventory are the same file."""
    once, again = ("".join(html(Report.of(plan_of(**SMALL, nos="frr")))) for _ in range(2))
    assert once == again


@settings(max_examples=50)
@given(
    st.dictionaries(
        st.text(st.sampled_from("<>&!-/'\"\\\u2028\u2029scriptaelon() =")),
        st.text() | st.just("</script><script>alert(1)</script>"),
    )
)
def test_json_contains_no_markup(value: dict[str, str]) -> None:
    """Any text is inside of one element, and is read back unchanged."""
    blocks = Blocks(json_block("page", value))
    assert blocks.tags == ["script"]
    assert blocks.documents == {"page": value}
    assert not set(safe_json(value)) & set("<>&\u2028\u2029")


@settings(max_examples=50)
@given(st.lists(st.lists(st.sampled_from(["", "a", "b", "long"]))))
def test_columns_are_read_back(runs: list[list[str]]) -> None:
    """A column written in runs decodes to its rows, and has each value once."""
    column = ValueColumn()
    for run in runs:
        column.extend(run)
    document = column.document()
    assert cells(document) == [cell for run in runs for cell in run]
    assert len(set(document["values"])) == len(document["values"])


@pytest.mark.parametrize(("most", "segments"), [(31, 3), (9, 0)])
def test_too_many_cables_are_left_out_by_segment(
    most: int, segments: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole segments are shown, or none, and a note names the complete list.

    Each segment of this fabric has ten cables.
    """
    plan = plan_of(gpus=40, hb_domain={"gpus": 4}, radix=16)
    monkeypatch.setattr(tables, "MOST_CABLES", most)
    report = Report.of(plan)
    assert plan.cables == 10 * plan.mapping.segments
    names = cells(report.part("cables")["columns"]["cable"])
    assert names == [
        cable.cable for segment in range(segments) for cable in Views(plan).cables(segment)
    ]
    assert any("cabling/cables.csv" in note for note in report.page["notes"])
    assert report.page["counts"]["cables"] == plan.cables


def test_too_many_switch_files_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of each role remain, and a note has both counts."""
    context = build_context(plan_of(**SMALL, nos="frr"), Packs())
    whole = report_of(context).part("configs")
    assert (set(whole["switches"]), whole["note"]) == (set(context.plan.switches()), "")
    most = sum(len(file["text"]) for files in whole["switches"].values() for file in files) // 2
    monkeypatch.setattr(group_report, "MOST_TEXT", most)
    part = configs_part(context)
    assert 0 < len(part["switches"]) < len(whole["switches"])
    assert all(whole["switches"][switch] == files for switch, files in part["switches"].items())
    assert {name.split("-")[1] for name in part["switches"]} == {"leaf", "spine"}
    assert f"{len(part['switches'])} of {len(whole['switches'])}" in part["note"]


def test_a_partial_build_has_no_report() -> None:
    """A report is of the whole fabric."""
    plan = plan_of(**SMALL)
    assert [*build_job(plan, Packs(), ("report",)).paths()][2:] == ["report.html"]
    assert not build_job(
        plan, Packs(), ("report",), scope=BuildScope((0,), (0,), frozenset({0}))
    ).tasks


@pytest.mark.slow
def test_the_report_of_a_large_fabric_is_small() -> None:
    """For 131,072 cables it takes less than 3 MB, with all cables."""
    report = Report.of(plan_file(shipped("inventories") / "paper-65k-r128.yaml"))
    text = "".join(html(report))
    assert len(text) < 3_000_000
    assert (
        len(Blocks(text).documents["cables"]["columns"]["cable"]["steps"])
        == report.plan.cables
        == 131_072
    )

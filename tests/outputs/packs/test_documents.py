"""The tables and the wiring file of the document packs, read back."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.bom.bill_table import bom_view
from fabricgen.bom.comparison import Comparison, compare
from fabricgen.bom.comparison_table import comparison_view
from fabricgen.bom.priced_bill import make_bom
from fabricgen.catalog.catalog import Catalog
from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.core.terms import Design
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.cables.view import CableView, Chunk
from tests import ROOT
from tests.csv_rows import FORMULA, read_rows
from tests.fabrics import SUPERPOD, cables_of, plan_of, small_plan

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan

PAPER: dict[str, Any] = {
    "gpus": 32768,
    "hb_domain": {"gpus": 256},
    "switches": {"leaf": {"generic": {"radix": 64}}},
}
COLUMNS = (
    "cable,rail,plane,tier,a_device,a_interface,a_port,b_device,b_interface,b_port,speed,"
    "a_rack,a_unit,b_rack,b_unit,length_m,medium,part,"
    "a_transceiver,b_transceiver,piece"
)
TABLES = [("cabling", "cables.csv.j2"), ("cabling", "labels.csv.j2"), ("ptm", "topology.dot.j2")]


def _table(
    pack: str, template: str, rows: list[CableView], packs: Packs | None = None, run: int = 10**6
) -> str:
    """Render a table in runs of rows."""
    packs = packs or Packs()
    chunks = (
        Chunk("small", rows[at : at + run], first=at == 0, last=at + run >= len(rows))
        for at in range(0, len(rows), run)
    )
    return "".join(packs.render(pack, template, chunk=chunk) for chunk in chunks)


def _bom(plan: Plan) -> list[dict[str, str]]:
    return read_rows(Packs().render("bom", "bom.csv.j2", bom=bom_view(make_bom(plan), plan)))


def _figures(comparison: Comparison) -> dict[str, dict[str, str]]:
    text = Packs().render("bom", "compare.csv.j2", comparison=comparison_view(comparison))
    return {row["figure"]: row for row in read_rows(text)}


def _kinds(rows: list[dict[str, str]], kind: str) -> list[dict[str, str]]:
    return [row for row in rows if row["row"] == kind]


def test_each_pack_is_in_its_group() -> None:
    """The build finds the documents by their group, and every template of a pack exists."""
    packs, found = Packs(), set()
    for group in ("cabling", "bom", "graph"):
        for pack in packs.group(group):
            for output in pack.outputs:
                assert (ROOT / "templates" / pack.name / output.template).is_file()
                found.add(output.path)
    assert found >= {
        "cabling/cables.csv",
        "cabling/labels.csv",
        "bom/bom.csv",
        "bom/compare.csv",
        "graph/topology.dot",
    }


@pytest.mark.parametrize("keys", [{}, SUPERPOD], ids=["generic", "superpod"])
def test_a_row_for_each_cable(keys: dict[str, Any]) -> None:
    """The columns are those of the contract, and each row is the view of its cable."""
    cables = cables_of(small_plan(**keys))
    text = _table("cabling", "cables.csv.j2", cables)
    assert text.partition("\n")[0] == COLUMNS
    rows = read_rows(text)
    assert [list(row.values()) for row in rows] == [
        [str(getattr(cable, column)) for column in COLUMNS.split(",")] for cable in cables
    ]
    ends = Counter(
        (row[f"{side}_device"], row[f"{side}_interface"]) for row in rows for side in "ab"
    )
    assert set(ends.values()) == {1}


@pytest.mark.parametrize(("pack", "template"), TABLES)
def test_runs_concatenate_to_the_whole(pack: str, template: str) -> None:
    """A table rendered in runs equals the table rendered at once."""
    cables = cables_of(small_plan())
    assert len(cables) % 7
    assert _table(pack, template, cables, run=7) == _table(pack, template, cables)


def test_the_wiring_for_ptm() -> None:
    """One graph with an edge for each cable, both ends quoted, as in ptmd's own examples."""
    cables = cables_of(plan_of(**SUPERPOD))
    first, *edges, last = _table("ptm", "topology.dot.j2", cables, run=100).splitlines()
    assert (first, last) == ("graph G {", "}")
    found = [
        re.fullmatch(r'    "([^"]+)":"([^"]+)" -- "([^"]+)":"([^"]+)"', edge) for edge in edges
    ]
    assert [edge and edge.groups() for edge in found] == [
        (cable.a_device, cable.a_interface, cable.b_device, cable.b_interface) for cable in cables
    ]


@pytest.mark.parametrize("keys", [{}, SUPERPOD, PAPER], ids=["generic", "superpod", "paper"])
def test_the_totals_are_the_sums(keys: dict[str, Any]) -> None:
    """Each class has a subtotal, and the total is their sum.

    Both name the parts that they do not contain.
    """
    plan = small_plan(**keys)
    rows = _bom(plan)
    parts, subtotals, (total,) = (
        _kinds(rows, "part"),
        _kinds(rows, "subtotal"),
        _kinds(rows, "total"),
    )
    for row in parts:
        count = int(row["order"])
        assert count == int(row["quantity"]) + int(row["spares"])
        assert row["total"] == "" or Decimal(row["total"]) == Decimal(row["unit_price"]) * count
        assert (
            (row["unit_price"] == "")
            == (row["total"] == "")
            == (row["currency"] == "")
            == (row["price_book"] == "")
        )
    for row in subtotals:
        mine = [part for part in parts if part["class"] == row["class"]]
        assert Decimal(row["total"] or 0) == sum(Decimal(part["total"] or 0) for part in mine)
        assert Decimal(row["power_w"]) == sum(Decimal(part["power_w"]) for part in mine)
    assert (
        Decimal(total["total"])
        == sum(Decimal(row["total"] or 0) for row in subtotals)
        == make_bom(plan).cost()
    )
    unpriced = [row["part"] for row in parts if not row["total"]]
    assert [row["part"] for row in _kinds(rows, "unpriced")] == unpriced
    assert total["description"] == f"unpriced: {', '.join(dict.fromkeys(unpriced))}"
    assert "0" not in {row["unit_price"] for row in rows}


def test_modules_are_not_link_ends() -> None:
    """A twin-port module serves two links, so a bill counts half as many as the paper.

    Both counts are in it, by name.
    """
    link_ends, modules = _kinds(_bom(plan_of(**SUPERPOD)), "count")
    assert (link_ends["quantity"], modules["quantity"]) == ("1024", "512")
    assert "per link end" in link_ends["description"]
    assert "as sold" in modules["description"]


def test_a_price_names_its_origin() -> None:
    """A price is of the book, with its date, or of the inventory, which has none."""
    prices = {"book": "street-2026-09", "parts": {"mfp7e10": "12.50"}}
    rows = {
        row["part"]: row
        for row in _bom(small_plan(**SUPERPOD | {"prices": prices, "site": "unknown"}))
    }
    assert [rows["qm9700"][key] for key in ("price_book", "price_date", "currency")] == [
        "street-2026-09",
        "2026-09-22",
        "USD",
    ]
    assert [
        rows["mfp7e10"][key] for key in ("unit_price", "price_book", "price_date", "total")
    ] == ["12.50", "inventory", "", "6400"]
    assert not _kinds(list(rows.values()), "unpriced")


def test_the_designs_of_the_paper_side_by_side() -> None:
    """32,768 GPUs at radix 64, as published (Wang et al., arXiv 2307.12169v5, table II)."""
    plan = small_plan(**PAPER)
    rows = _figures(compare(plan.spec, plan.catalog))
    shown = {
        figure: (row["rail-only"], row["fat-tree"], row["saving_pct"])
        for figure, row in rows.items()
    }
    assert shown["switches"][:2] == ("1536", "2560")
    assert shown["transceivers, one per link end"][:2] == ("131072", "196608")
    assert shown["cost"] == ("94306304", "152829952", "38.3")
    assert (
        rows["cost"]["note"] == "unpriced in paper-v5: generic-fibre; the saving is of priced parts"
    )
    assert [row["saving_pct"] for row in rows.values()].count("") == len(rows) - 4


def test_unknown_figures_are_empty_with_a_reason() -> None:
    """A design that cannot be built is empty and never 0.

    So is a class of parts without a price.
    """
    plan = small_plan()
    refused = tuple(
        (design, Finding("block-too-large", f"no {design} here"))
        for design in (Design.RAIL_OPTIMIZED, Design.FAT_TREE)
    )
    first, *rest = _figures(Comparison(((plan, make_bom(plan)),), refused)).values()
    assert list(first.values())[2:5] == ["yes", "no", "no"]
    assert first["note"] == "rail-optimized: no rail-optimized here; fat-tree: no fat-tree here"
    for row in rest:
        assert row["rail-optimized"] == row["fat-tree"] == row["saving_pct"] == ""
        assert row["note"].endswith("rail-optimized, fat-tree: cannot be built")
    empty = [row for row in rest if not row["rail-only"]]
    assert [(row["figure"], row["note"]) for row in empty] == [
        (
            "cost of cables",
            (
                "rail-only: unpriced in paper-v5: generic-fibre; rail-optimized, fat-tree: "
                "cannot be built"
            ),
        )
    ]


def test_a_hostile_catalog_stays_text(tmp_path: Path) -> None:
    """A description in a user's own catalog is text for a spreadsheet.

    Its commas and quotes are escaped.
    """
    (tmp_path / "cables").mkdir()
    text = (ROOT / "inventories/catalog/cables/generic-fibre.yaml").read_text(encoding="utf-8")
    hostile = f'{FORMULA}, "twice"'
    (tmp_path / "cables/generic-fibre.yaml").write_text(
        re.sub(r"(?m)^description: .*$", lambda _: f"description: >-\n  {hostile}", text),
        encoding="utf-8",
    )
    described = {
        row["description"]
        for row in _bom(small_plan(Catalog([tmp_path])))
        if row["row"] == "part" and row["part"] == "generic-fibre"
    }
    assert described == {f"'{hostile}"}


@pytest.mark.parametrize(
    "template",
    [
        "{{ chunk.__class__ }}",
        "{{ chunk.select.__globals__ }}",
        '{% for row in chunk.select(["__class__"]) %}{{ row }}{% endfor %}',
        '{% for row in chunk.select(["cable.__class__"]) %}{{ row }}{% endfor %}',
        "{{ chunk.rows.clear() }}",
        '{{ "{0.__class__}".format(chunk) }}',
        '{{ ("{0.__class__}" | attr("format"))(chunk) }}',
        "{{ chunk.nothing }}",
        "{% include '../../pyproject.toml' %}",
        "{{ chunk.rows[0].cable",
    ],
)
def test_a_hostile_template_is_refused(tmp_path: Path, template: str) -> None:
    """Templates run in a sandbox: they read the fields of a view and no Python attribute."""
    (tmp_path / "cabling").mkdir()
    (tmp_path / "cabling/cables.csv.j2").write_text(template, encoding="utf-8")
    cables = cables_of(small_plan())
    with pytest.raises(Refusal) as refused:
        _table("cabling", "cables.csv.j2", cables, Packs([tmp_path]))
    assert refused.value.findings[0].code == "bad-template"
    assert len(cables) == sum(small_plan().link_count(kind) for kind in small_plan().kinds)


def test_an_unknown_column_is_refused() -> None:
    """The refusal names the nearest column."""
    with pytest.raises(Refusal) as refused:
        Chunk("small", [], first=True, last=True).select(["cable", "lenght_m"])
    assert refused.value.findings[0].hint == "did you mean `length_m`?"


def test_a_copy_of_the_pack_changes_the_columns(tmp_path: Path) -> None:
    """A user's folder shadows the shipped pack file by file. One column is as valid as twenty."""
    shutil.copytree(ROOT / "templates/cabling", tmp_path / "cabling")
    path = tmp_path / "cabling/cables.csv.j2"
    text = path.read_text(encoding="utf-8")
    cables, labels = (
        cables_of(small_plan()),
        _table("cabling", "labels.csv.j2", cables_of(small_plan())),
    )
    for columns in (["cable"], ["b_device", "b_interface", "cable"]):
        path.write_text(
            text.replace("[chunk.columns]", f"[{tuple(columns)}]").replace(
                "chunk.table()", f"chunk.select({columns})"
            ),
            encoding="utf-8",
        )
        packs = Packs([tmp_path])
        rows = read_rows(_table("cabling", "cables.csv.j2", cables, packs))
        assert rows == [{column: getattr(cable, column) for column in columns} for cable in cables]
        assert _table("cabling", "labels.csv.j2", cables, packs) == labels

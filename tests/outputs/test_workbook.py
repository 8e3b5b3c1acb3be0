"""The workbooks as read by a spreadsheet program."""

from __future__ import annotations

import os
import zipfile
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from openpyxl import load_workbook
from openpyxl.styles.colors import Color
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.properties import PageSetupProperties

from fabricgen.bom.bill_table import bom_view
from fabricgen.bom.breakdown.breakdown import by_role
from fabricgen.bom.breakdown.build import division_view
from fabricgen.bom.comparison import compare
from fabricgen.bom.comparison_table import comparison_view
from fabricgen.bom.priced_bill import make_bom
from fabricgen.catalog.catalog import Catalog
from fabricgen.core.colours import HUES
from fabricgen.outputs.dcim.wiring_view import EndToEndView, SheetEnd
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.workbook import cables as cable_sheets
from fabricgen.outputs.workbook import point_to_point, tab
from fabricgen.outputs.workbook.bom import write_bom
from fabricgen.outputs.workbook.breakdown import FIXED_PRICES
from fabricgen.outputs.workbook.cables import write_cables
from fabricgen.outputs.workbook.palette import AMBER
from fabricgen.outputs.workbook.point_to_point import write_point_to_point
from fabricgen.outputs.workbook.workbook import A3, A4, ON_A4, Book
from fabricgen.views.cables.columns import WORKBOOK, read_profiles
from fabricgen.views.cables.view import CableSheet, Chunk
from tests import ROOT
from tests.csv_rows import FORMULA
from tests.fabrics import SUPERPOD, cables_of, plan_of, small_plan
from tests.outputs.formulas import Formulas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from openpyxl.worksheet.worksheet import Worksheet

    from fabricgen.planning.plan import Plan
    from fabricgen.views.bom import BomView, ComparisonView
    from fabricgen.views.cables.view import CableView


BOOK = CableSheet(read_profiles(Packs().files("cabling", "profiles.yaml"))[WORKBOOK])
"""The sheet of a workbook with the default columns."""


def _chunk(rows: list[CableView]) -> Chunk:
    return Chunk("small", rows, first=False, last=False, sheet=BOOK)


def _write(tmp_path: Path, rows: list[CableView], run: int = 50) -> Path:
    path = tmp_path / "cables.xlsx"
    write_cables(
        path,
        "small",
        BOOK,
        (_chunk(rows[start : start + run]) for start in range(0, len(rows), run)),
        len(rows),
    )
    return path


def _bom(plan: Plan) -> tuple[BomView, ComparisonView]:
    return bom_view(make_bom(plan), plan), comparison_view(compare(plan.spec, plan.catalog))


def _rows(sheet: Worksheet) -> Iterator[dict[str, Any]]:
    """Read the rows of a sheet by their titles, without the lines below the empty one."""
    titles, *rows = sheet.iter_rows(values_only=True)
    for row in rows:
        if not any(row):
            return
        yield dict(zip(map(str, titles), row, strict=True))


def _open_files() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def test_one_sheet_of_cables(tmp_path: Path) -> None:
    """Every cable has its row, in order, with numbers as numbers.

    The header is frozen and has a filter.
    """
    cables = cables_of(small_plan())
    book = load_workbook(_write(tmp_path, cables))
    assert book.sheetnames == ["Summary", "Cables"]
    sheet = book["Cables"]
    rows = list(_rows(sheet))
    assert [row["Cable"] for row in rows] == [cable.cable for cable in cables]
    assert [(row["A device"], row["B interface"], row["Tier"]) for row in rows] == [
        (cable.a_device, cable.b_interface, cable.tier) for cable in cables
    ]
    assert [row["Rail"] for row in rows] == [int(cable.rail) for cable in cables]
    assert {row["Done"] for row in rows} == {None}
    assert sheet.freeze_panes == "B2"
    assert sheet.auto_filter.ref == f"A1:W{len(cables) + 1}"


def test_sheets_print_well(tmp_path: Path) -> None:
    """Each sheet prints in landscape and one page wide.

    The header is on every page, the fabric and the page number at the foot.

    The comparison is one page altogether, so that its charts are not cut.
    """
    write_bom(tmp_path / "bom.xlsx", *_bom(small_plan()))
    for path in (_write(tmp_path, cables_of(small_plan())), tmp_path / "bom.xlsx"):
        for sheet in load_workbook(path):
            assert sheet.page_setup.orientation == "landscape"
            assert sheet.sheet_properties.pageSetUpPr == PageSetupProperties(fitToPage=True)
            assert sheet.page_setup.fitToWidth in (None, 1)
            assert sheet.page_setup.paperSize == (A3 if sheet.max_column > ON_A4 else A4), (
                "a wide table is too small on A4"
            )
            assert sheet.page_setup.fitToHeight == (None if sheet.title == "Comparison" else 0), (
                "0 is any number of pages, none is 1"
            )
            assert str(sheet.HeaderFooter.oddFooter) == "&Lsmall&C&A&RPage &P of &N"
            assert sheet.title == "Summary" or sheet.print_title_rows == "$1:$1"


def test_empty_columns_are_hidden(tmp_path: Path) -> None:
    """Racks, rack units and lengths are shown once known.

    The plane is shown once there are two, and pieces once there are some. Columns are as wide as
    texts.
    """
    cables = cables_of(small_plan(site="unknown"))
    dimensions = load_workbook(_write(tmp_path, cables))["Cables"].column_dimensions
    hidden = {letter for letter, dimension in dimensions.items() if dimension.hidden}
    assert hidden == {"D", "I", "N", "Q", "V"}, (
        "openpyxl groups like neighbours under the first: I and J, N and O"
    )
    assert dimensions["K"].width > max(len(cable.b_device) for cable in cables)
    placed = [
        replace(
            cable,
            plane=at % 2,
            a_rack="R1",
            a_unit="12",
            b_rack="R2",
            b_unit="12b",
            length_m="2.5",
            piece="x:1",
        )
        for at, cable in enumerate(cables)
    ]
    sheet = load_workbook(_write(tmp_path, placed))["Cables"]
    assert not [letter for letter, dimension in sheet.column_dimensions.items() if dimension.hidden]
    first = next(_rows(sheet))
    assert (first["A unit"], first["B unit"], first["Length m"]) == (12, "12b", 2.5)


def test_a_sheet_for_each_rail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one sheet would be too long, each rail has its own, in its colour.

    Together they have every cable once.
    """
    monkeypatch.setattr(cable_sheets, "ONE_SHEET", 100)
    cables = cables_of(small_plan())
    assert len(cables) > 100
    book = load_workbook(_write(tmp_path, cables))
    assert book.sheetnames == ["Summary", *(f"Rail {rail}" for rail in range(8))]
    found: dict[str, str] = {}
    for rail in range(8):
        sheet = book[f"Rail {rail}"]
        assert sheet.sheet_properties.tabColor == Color(f"FF{HUES[rail].fill[1:]}")
        assert {row["Rail"] for row in _rows(sheet)} == {rail}
        found |= {row["Cable"]: row["A device"] for row in _rows(sheet)}
    assert found == {cable.cable: cable.a_device for cable in cables}


def test_cables_of_no_rail_have_a_sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a rail-optimized fabric the links above the leaves belong to every rail."""
    monkeypatch.setattr(cable_sheets, "ONE_SHEET", 100)
    book = load_workbook(_write(tmp_path, cables_of(plan_of(**SUPERPOD)), run=64))
    assert book.sheetnames == ["Summary", *(f"Rail {rail}" for rail in range(8)), "Across rails"]
    assert [len(list(_rows(book[name]))) for name in book.sheetnames[1:]] == [32] * 8 + [256]


def test_a_long_table_continues_on_the_next_sheet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No sheet exceeds the limit of rows, and no row is lost."""
    monkeypatch.setattr(tab, "LAST_ROW", 31)
    cables = cables_of(small_plan())
    book = load_workbook(_write(tmp_path, cables))
    assert book.sheetnames[1:4] == ["Cables", "Cables (2)", "Cables (3)"]
    sheets = [list(_rows(sheet)) for sheet in book.worksheets[1:]]
    assert {len(rows) for rows in sheets[:-1]} == {30}
    assert [row["Cable"] for rows in sheets for row in rows] == [cable.cable for cable in cables]


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="open files are counted in /dev/fd")
def test_hundreds_of_rails_keep_few_files_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some systems allow a process 256 open files, and a fabric may have more rails."""
    monkeypatch.setattr(cable_sheets, "ONE_SHEET", 0)
    first, most = cables_of(small_plan())[0], 0

    def chunks() -> Iterator[Chunk]:
        nonlocal most
        for _ in range(2):
            yield _chunk(
                [replace(first, rail=str(rail), piece_rail=str(rail)) for rail in range(300)]
            )
            most = max(most, _open_files())

    before = _open_files()
    write_cables(tmp_path / "cables.xlsx", "wide", BOOK, chunks(), 600)
    assert most - before < 10
    book = load_workbook(tmp_path / "cables.xlsx", read_only=True)
    assert len(book.sheetnames) == 301
    book.close()


def test_the_summary_adds_up(tmp_path: Path) -> None:
    """Tiers, parts and rails each count every cable, and each rail links to its sheet."""
    cables = cables_of(plan_of(**SUPERPOD))
    sheet = load_workbook(_write(tmp_path, cables))["Summary"]
    tables: dict[str, list[tuple[Any, ...]]] = {}
    for row in sheet.iter_rows(min_row=5, values_only=True):
        if "Cables" in row[:3]:
            tables[str(row[0])] = []
        elif row[0] is not None:
            tables[list(tables)[-1]].append(row)
    assert list(tables) == ["All", "Tier", "Part", "Rail"]
    assert {sum(row[2] for row in rows) for rows in tables.values()} == {len(cables)} == {512}
    assert [row[:3] for row in tables["Tier"]] == [
        (1, "host to leaf", 256),
        (2, "leaf to spine", 256),
    ]
    assert [row[0] for row in tables["Rail"]] == [*range(8), "across rails"]
    assert [row[1] for row in tables["Rail"]] == [hue.name for hue in HUES[:8]] + [None]
    assert all(sum(row[3:5]) == row[2] and row[5] == "Cables" for row in tables["Rail"])
    link = sheet.cell(sheet.max_row, 6).hyperlink
    assert link is not None
    assert link.location == "'Cables'!A1"


def test_text_is_readable_on_every_colour() -> None:
    """The contrast of text and fill is at least 4.5 to 1, as WCAG 2 requires."""

    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    assert [hue.name for hue in HUES[:8]] == [
        "blue",
        "orange",
        "green",
        "brown",
        "slate",
        "white",
        "red",
        "black",
    ]
    for hue in HUES:
        low, high = sorted((light(hue.fill), light(hue.text)))
        assert (high + 0.05) / (low + 0.05) >= 4.5, hue.name


def test_the_rail_has_its_colour(tmp_path: Path) -> None:
    """The cells of the rail and of its colour's name have that colour, in every row."""
    sheet = load_workbook(_write(tmp_path, cables_of(small_plan())))["Cables"]
    for row in sheet.iter_rows(min_row=2, min_col=2, max_col=3):
        hue = HUES[int(str(row[0].value))]
        assert row[1].value == hue.name
        assert {cell.fill.fgColor.rgb for cell in row} == {f"FF{hue.fill[1:]}"}


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("nic0", "12"),
        ("nic0", "12b"),
        ("nic0", "nan"),
        ("nic0", "1e3"),
        ("a & b", "1"),
        ("_x0041_", "1"),
        (" é", "1"),
        ("", ""),
    ],
)
def test_streamed_rows_equal_those_of_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, unit: str
) -> None:
    """Rows streamed as XML have the bytes of XlsxWriter, in partial runs and sheet by sheet."""
    monkeypatch.setattr(cable_sheets, "ONE_SHEET", 10)
    cables = [
        replace(cable, a_interface=text, a_unit=unit) if at == 70 else cable
        for at, cable in enumerate(cables_of(small_plan()))
    ]
    links = [
        EndToEndView(*(SheetEnd(rack, "1", "host", "leaf", text) for rack in ("A", text)))
        for _ in range(3)
    ]
    made = []
    for _ in ("streamed", "by the library"):
        write_point_to_point(tmp_path / "links.xlsx", "small", links)
        made.append((_write(tmp_path, cables).read_bytes(), (tmp_path / "links.xlsx").read_bytes()))
        monkeypatch.setattr(tab, "is_plain", lambda _: False)
        monkeypatch.setattr(point_to_point, "is_plain", lambda _: False)
    assert made[0] == made[1]


@pytest.mark.parametrize(
    "text",
    [FORMULA, "+1", "-1+1", "@SUM(A1)", "<r><t>x</t></r>", "a & b < c", "'quoted", "tab\there"],
)
def test_no_text_becomes_a_formula(tmp_path: Path, text: str) -> None:
    """Every name of a catalog or an inventory is written as text."""
    cable = replace(cables_of(small_plan())[0], a_interface=text, part=text, a_rack=text)
    sheet = load_workbook(_write(tmp_path, [cable]))["Cables"]
    for column in ("G", "I", "S"):
        assert sheet[f"{column}2"].data_type == "s"
        assert str(sheet[f"{column}2"].value).strip() == text


def test_a_hostile_catalog_stays_text(tmp_path: Path) -> None:
    """A description in a user's own catalog reaches the sheet of parts as text."""
    (tmp_path / "cables").mkdir()
    shipped = ROOT / "inventories/catalog/cables/generic-fibre.yaml"
    lines = [
        f'description: "{FORMULA}"' if line.startswith("description") else line
        for line in shipped.read_text(encoding="utf-8").splitlines()
    ]
    (tmp_path / "cables/generic-fibre.yaml").write_text("\n".join(lines), encoding="utf-8")
    write_bom(tmp_path / "bom.xlsx", *_bom(small_plan(Catalog([tmp_path]))))
    cells = [
        cell for row in load_workbook(tmp_path / "bom.xlsx")["Parts"].iter_rows() for cell in row
    ]
    described = [cell for cell in cells if cell.value == FORMULA]
    assert described
    assert {cell.data_type for cell in described} == {"s"}


def test_the_same_plan_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock, the time zone, the umask and the directory have no effect.

    No other file is left beside it.
    """
    made = []
    for place, mask, zone in (("one", 0o022, "UTC"), ("two", 0o077, "Asia/Tokyo")):
        monkeypatch.setenv("TZ", zone)
        before = os.umask(mask)
        try:
            (tmp_path / place).mkdir()
            cables, parts = (
                _write(tmp_path / place, cables_of(small_plan())),
                tmp_path / place / "bom.xlsx",
            )
            write_bom(parts, *_bom(small_plan()))
        finally:
            os.umask(before)
        assert sorted(path.name for path in (tmp_path / place).iterdir()) == [
            "bom.xlsx",
            "cables.xlsx",
        ]
        made.append((cables.read_bytes(), parts.read_bytes()))
        with zipfile.ZipFile(cables) as packed:
            assert {entry.date_time[0] for entry in packed.infolist()} == {1980}
    assert made[0] == made[1]


def test_the_parts_add_up(tmp_path: Path) -> None:
    """Every part has its row and every sum is the sum of its rows.

    The numbers are those of the view and of bom.csv.
    """
    bom, comparison = _bom(plan_of(**SUPERPOD))
    write_bom(tmp_path / "bom.xlsx", bom, comparison)
    sheet = load_workbook(tmp_path / "bom.xlsx", data_only=True)["Parts"]
    parts = list(_rows(sheet))
    assert [(row["Part"], row["Quantity"], row["Spares"], row["Order"]) for row in parts] == [
        (part.part, int(part.quantity), int(part.spares), int(part.order)) for part in bom.parts
    ]
    assert sheet.freeze_panes == "B2"
    assert sheet.auto_filter.ref == f"A1:P{len(parts) + 1}", "the sums are outside of the filter"
    below = {
        str(row[1]): row
        for row in sheet.iter_rows(min_row=len(parts) + 3, values_only=True)
        if row[1]
    }
    for name in ("switches", "transceivers", "cables", "parts"):
        mine = [row for row in parts if name in (row["Class"], "parts")]
        assert (below[f"all {name}"][10] or 0) == sum(row["Total"] or 0 for row in mine)
        assert below[f"all {name}"][12] == sum(row["Power W"] for row in mine)
    assert below["all parts"][10] == float(Decimal(bom.sums[-1].total)) == 940187
    assert below["all parts"][4] == "unpriced: mfp7e10"
    assert (
        below["transceivers, one per link end with a module, as the rail-only paper counts"][6]
        == 1024
    )
    assert below["transceiver modules as sold"][6] == 512


def test_a_changed_price_changes_the_sums(tmp_path: Path) -> None:
    """Orders, totals and sums are formulas on every sheet of parts, each with its value.

    A price where there was none counts from then on.
    """
    plan = plan_of(**SUPERPOD)
    bom = make_bom(plan)
    path = tmp_path / "bom.xlsx"
    division = division_view("pod", "role", by_role(bom), bom)
    write_bom(path, *_bom(plan), [division])
    shown = load_workbook(path, data_only=True)
    formulas = Formulas(path)
    notes = [row[-1] for row in shown["By role"].iter_rows(min_row=2) if row[-1].value]
    assert notes
    assert all(cell.alignment.wrap_text for cell in notes)
    for (sheet, cell), value in formulas.every().items():
        assert (shown[sheet][cell].value or "") == value, (sheet, cell)
    places = {
        (sheet.title, str(title.value)): get_column_letter(at)
        for sheet in formulas.book.worksheets
        for at, title in enumerate(sheet[1], start=1)
    }
    price, ordered = (places["Parts", title] for title in ("Unit price", "Order"))
    parts = formulas.book["Parts"]
    row = next(row for row in range(2, 20) if parts[f"{price}{row}"].value == "no price")
    parts[f"{price}{row}"].value = 10
    order = formulas.value("Parts", f"{ordered}{row}")
    assert isinstance(order, int)
    totals = [
        formulas.value(name, f"{places[name, 'Total']}{last[0].row}")
        for name in ("Parts", "By role")
        for last in formulas.book[name].iter_rows()
        if "all parts" in [cell.value for cell in last]
    ]
    assert totals == [940187 + 10 * order] * 2


def test_an_unpriced_part_is_marked(tmp_path: Path) -> None:
    """It is amber and marked; its total is empty and never 0."""
    write_bom(tmp_path / "bom.xlsx", *_bom(small_plan()))
    sheet = load_workbook(tmp_path / "bom.xlsx", data_only=True)["Parts"]
    rows = {str(row[1].value): row for row in sheet.iter_rows(min_row=2)}
    assert [cell.value for cell in rows["generic-fibre"][9:11]] == ["no price", None]
    assert {cell.fill.fgColor.rgb for cell in rows["generic-fibre"]} == {f"FF{AMBER[1:]}"}
    assert rows["generic-400g"][9].value == 199


def test_the_designs_side_by_side(tmp_path: Path) -> None:
    """The second sheet compares the designs with numbers as numbers. It has two charts of them."""
    write_bom(
        tmp_path / "bom.xlsx",
        *_bom(
            small_plan(
                gpus=32768, hb_domain={"gpus": 256}, switches={"leaf": {"generic": {"radix": 64}}}
            )
        ),
    )
    sheet = load_workbook(tmp_path / "bom.xlsx")["Comparison"]
    rows = {row["Figure"]: row for row in _rows(sheet)}
    assert (
        rows["switches"]["rail-only"],
        rows["switches"]["fat-tree"],
        rows["switches"]["Saving %"],
    ) == (1536, 2560, 40)
    assert (rows["cost"]["rail-only"], rows["cost"]["fat-tree"], rows["cost"]["Saving %"]) == (
        94_306_304,
        152_829_952,
        38.3,
    )
    assert rows["cost of cables"]["rail-only"] is None
    saving = next(cell for cell in sheet[1] if cell.value == "Saving %").column_letter
    assert sheet.column_dimensions[saving].width > len("38.3 of priced parts")
    assert FIXED_PRICES in [cell.value for cell in sheet["A"]]
    with zipfile.ZipFile(tmp_path / "bom.xlsx") as packed:
        assert sum(name.startswith("xl/charts/chart") for name in packed.namelist()) == 2


def test_a_full_disk_is_an_error_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exception of XlsxWriter does not reach the caller."""
    monkeypatch.setattr(
        "xlsxwriter.workbook.ZipFile", lambda *_, **__: os.open("/dev/null/x", os.O_WRONLY)
    )
    with pytest.raises(NotADirectoryError):
        Book(tmp_path / "book.xlsx", str(tmp_path), "west", "Cables").close()

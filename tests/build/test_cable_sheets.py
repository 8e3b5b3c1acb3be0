"""The sheets of cables with selected columns.

They have profiles, lookups, both directions, serials and a schema.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from openpyxl import load_workbook

from fabricgen.build.cable_sheets import sheets as sheets_of
from fabricgen.build.context import BuildContext
from fabricgen.build.selection import SheetOptions
from fabricgen.cli import run
from fabricgen.core.colours import colour
from fabricgen.lifecycle.change.cut_sheet import read_cut_sheet
from fabricgen.outputs.packs.quoted_text import csv_cell, csv_rows
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.workbook.cables import write_cables
from fabricgen.views.cables.columns import (
    COLUMNS,
    DEFAULT,
    FORMAT,
    LOOKED_UP,
    WORKBOOK,
    choose_columns,
    read_profiles,
    schema_of,
)
from fabricgen.views.cables.view import ON_REQUEST, CableSheet, Chunk, opposite
from tests.csv_rows import FORMULA, read_rows
from tests.fabrics import SUPERPOD, cables_of, plan_of, small_plan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.build.cable_sheets import Sheets
    from fabricgen.planning.plan import Plan

CONTRACT = (
    "cable,rail,plane,tier,a_device,a_interface,b_device,b_interface,speed,a_rack,"
    "a_unit,b_rack,b_unit,length_m,medium,part"
)
"""The columns of the contract, in this order."""

VERSIONS = {
    "fabricgen-cables/2": {
        "cable",
        "rail",
        "plane",
        "tier",
        "speed",
        "length_m",
        "medium",
        "part",
        "connector",
        "site",
        "direction",
        "colour",
        "fibre",
        *(
            f"{end}_{name}"
            for end in "ab"
            for name in ("device", "interface", "port", "rack", "unit", "transceiver")
        ),
        *(
            f"{end}_{name}"
            for end in "ab"
            for name in ("role", "platform", "serial", "hall", "row", "connector")
        ),
    },
}
"""The columns that each version of the schema promises."""

PROFILES = read_profiles(Packs().files("cabling", "profiles.yaml"))
PHRASES = [
    "plain",
    "2 m, blue",
    'a "quoted" one',
    "two\nlines",
    "tab\tinside",
    FORMULA,
    "+1",
    "-x",
    "-1.5",
    "@cell",
    "\rcr",
    "",
    "a,b\n-c",
    "r0-h00001",
]
"""Cells that a spreadsheet might interpret."""


@pytest.fixture(scope="module")
def pod() -> Plan:
    """Plan hosts and switches of the catalog, on two tiers, in a generated room."""
    return plan_of(**SUPERPOD)


def settled(plan: Plan, columns: str = "", *, packs: Packs | None = None, **asked: Any) -> Sheets:  # noqa: ANN401 - any option of a sheet
    """Return the sheets of some options."""
    return sheets_of(
        BuildContext(plan, packs or Packs(), sheet_options=SheetOptions(columns, **asked))
    )


def table(plan: Plan, sheet: CableSheet, run: int = 100) -> str:
    """Render the table of a sheet, in runs."""
    cables = cables_of(plan)
    chunks = (
        Chunk(
            "small", cables[at : at + run], first=at == 0, last=at + run >= len(cables), sheet=sheet
        )
        for at in range(0, len(cables), run)
    )
    return "".join(Packs().render("cabling", "cables.csv.j2", chunk=chunk) for chunk in chunks)


def test_the_default_columns_are_those_of_the_contract() -> None:
    """The default has them in order. The workbook has the same columns, one end after the other."""
    default = PROFILES[DEFAULT]
    assert [column for column in default if column in CONTRACT.split(",")] == CONTRACT.split(",")
    assert default == CableSheet().columns
    assert sorted(PROFILES[WORKBOOK]) == sorted(default)
    ends = [column[:2] for column in PROFILES[WORKBOOK] if column[:2] in {"a_", "b_"}][:-2]
    assert ends == sorted(ends)


def test_a_version_keeps_its_columns() -> None:
    """A column that is removed or changes its meaning needs a new version in this list."""
    assert VERSIONS[FORMAT] <= set(COLUMNS)


def test_every_profile_is_valid() -> None:
    """Each shipped profile can be selected.

    Together they show every column but those that only programs need, and that of the networks,
    which default sheets have where there are several.
    """
    assert [choose_columns(name, PROFILES) for name in PROFILES] == [*PROFILES.values()]
    assert set(COLUMNS) - {column for columns in PROFILES.values() for column in columns} == {
        *ON_REQUEST,
        "network",
    }


def test_looked_up_columns_equal_the_plan(pod: Plan) -> None:
    """Hall and row are those of the rack, role and platform those of the device.

    Connectors are those of the modules.
    """
    rows, cables = (
        read_rows(table(pod, settled(pod, ",".join(["cable", *LOOKED_UP])).table)),
        cables_of(pod),
    )
    assert len(rows) == len(cables)
    assert pod.lengths
    room = pod.lengths.room
    where = {
        name: ("ABC"[hall], str(row + 1))
        for name, hall, row in zip(
            room.names, room.positions.hall.tolist(), room.positions.row.tolist(), strict=True
        )
    }
    hosts = set(pod.hosts)
    for row, cable in zip(rows, cables, strict=True):
        for end, device, rack, module in (
            ("a", cable.a_device, cable.a_rack, cable.a_transceiver),
            ("b", cable.b_device, cable.b_rack, cable.b_transceiver),
        ):
            role = "host" if device in hosts else device.partition("-")[0]
            part = pod.catalog.transceiver(module)
            output = [
                row[f"{end}_{name}"]
                for name in ("role", "platform", "hall", "row", "connector", "serial")
            ]
            assert output == [
                role,
                "dgx-h100" if role == "host" else "qm9700",
                *where[rack],
                part.connector if part else "",
                "",
            ]
        assert (row["cable"], row["site"], row["direction"]) == (cable.cable, "pod", "a-b")
        assert row["colour"] == (colour(int(cable.rail)) if cable.rail else "")
        assert row["fibre"] == {"mmf": "multimode", "smf": "single-mode"}.get(cable.medium, "")
    assert {row["b_role"] for row in rows} == {"leaf", "spine"}


def test_without_a_room_positions_are_empty() -> None:
    """Nothing is assumed where the inventory disables placement."""
    plan = small_plan(site="unknown")
    rows = read_rows(table(plan, settled(plan, "run-list").table))
    assert {
        row[f"{end}_{name}"]
        for row in rows
        for end in "ab"
        for name in ("hall", "row", "rack", "unit")
    } == {""}
    assert {row["a_platform"] for row in rows if row["a_role"] == "host"} == {""}, (
        "a host that the catalog does not know"
    )


def test_both_directions_list_each_cable_from_either_end(pod: Plan) -> None:
    """The second row has the ends exchanged; nothing else differs."""
    once = read_rows(table(pod, settled(pod, "run-list").table))
    rows = read_rows(table(pod, settled(pod, "run-list", both_ways=True).table))
    assert rows[::2] == once
    assert {row["direction"] for row in rows[1::2]} == {"b-a"}
    for row, turned in zip(once, rows[1::2], strict=True):
        assert {opposite(column): cell for column, cell in turned.items()} | {
            "direction": "a-b"
        } == row
    assert len({(row["cable"], row["direction"]) for row in rows}) == len(rows)


def test_the_workbook_has_the_same_rows(pod: Plan, tmp_path: Path) -> None:
    """Columns are in the selected order, in both directions.

    Cells of the rail have its colour, and a last column is for ticks.
    """
    sheets, cables = (
        settled(pod, "cable,direction,rail,b_rack,a_rack,length_m", both_ways=True),
        cables_of(pod),
    )
    chunks = (
        Chunk("pod", cables[at : at + 100], first=False, last=False, sheet=sheets.book)
        for at in range(0, len(cables), 100)
    )
    write_cables(tmp_path / "cables.xlsx", "pod", sheets.book, chunks, len(cables))
    book = load_workbook(tmp_path / "cables.xlsx")
    titles, *rows = book["Cables"].iter_rows(values_only=True)
    assert titles == (
        "Cable",
        "Direction",
        "Rail",
        "Colour",
        "B rack",
        "A rack",
        "Length m",
        "Done",
    )
    wanted = [
        [row[name] for name in sheets.table.columns] for row in read_rows(table(pod, sheets.table))
    ]
    assert [
        ["" if cell is None else str(cell) for at, cell in enumerate(row[:-1]) if at != 3]
        for row in rows
    ] == wanted
    fills = {
        cell.value: book["Cables"].cell(cell.row, 4).fill.fgColor.rgb
        for cell in book["Cables"]["C"][1:]
        if cell.value is not None
    }
    assert len(set(fills.values())) == 8
    assert book["Cables"].auto_filter.ref == f"A1:H{2 * len(cables) + 1}"
    assert "two rows" in str(book["Summary"]["A2"].value)
    assert book["Summary"]["C7"].value == len(cables), "the summary counts cables"


def test_serials_are_joined(pod: Plan, tmp_path: Path) -> None:
    """By device, at either end.

    A missing device has none, which is reported, and any serial is text.
    """
    path = tmp_path / "assets.csv"
    path.write_text(
        f'\ufeffowner,Serial,device\nus,"{FORMULA}",leaf-1\nus,"S/N 7, rev B",{pod.hosts[0]}\n',
        encoding="utf-8",
    )
    sheets = settled(pod, "cable,a_device,a_serial,b_device,b_serial", serials=path)
    wanted = {"leaf-1": f"'{FORMULA}", pod.hosts[0]: "S/N 7, rev B"}
    for row in read_rows(table(pod, sheets.table)):
        assert (row["a_serial"], row["b_serial"]) == tuple(
            wanted.get(row[f"{end}_device"], "") for end in "ab"
        )
    devices = len(pod.hosts) + len([*pod.switches()])
    assert sheets.notes == (f"{devices - 2} of {devices} devices have no serial in the sheet",)
    cables = cables_of(pod)
    write_cables(
        tmp_path / "cables.xlsx",
        "pod",
        sheets.book,
        [Chunk("pod", cables, first=True, last=True, sheet=sheets.book)],
        len(cables),
    )
    cells = [
        cell
        for row in load_workbook(tmp_path / "cables.xlsx")["Cables"].iter_rows()
        for cell in row
        if cell.value == FORMULA
    ]
    assert cells
    assert {cell.data_type for cell in cells} == {"s"}
    assert settled(pod, serials=path).notes == (
        "no column shows the serials; choose columns that do, such as `--columns run-list`",
    )


def test_a_users_profiles_extend_the_shipped_ones(pod: Plan, tmp_path: Path) -> None:
    """A file of the user adds a profile and shadows a shipped one; the others stay."""
    (tmp_path / "cabling").mkdir()
    (tmp_path / "cabling/profiles.yaml").write_text(
        "mine: [part, cable]\ndefault: [cable]\n", encoding="utf-8"
    )
    packs = Packs([tmp_path])
    found = {name: settled(pod, name, packs=packs).table.columns for name in ("mine", "", "ends")}
    assert found == {"mine": ("part", "cable"), "": ("cable",), "ends": PROFILES["ends"]}


@pytest.mark.parametrize("both_ways", [False, True])
def test_the_schema_describes_the_table(pod: Plan, *, both_ways: bool) -> None:
    """It names the columns in their order, with their meanings. Its key identifies the rows."""
    for name in PROFILES:
        sheet = settled(pod, name, both_ways=both_ways).table
        schema, text = schema_of(sheet, "pod"), table(pod, sheet)
        assert schema["format"] == FORMAT
        assert [field["name"] for field in schema["fields"]] == text.partition("\n")[0].split(",")
        assert all(len(field["description"].split()) > 2 for field in schema["fields"])
        rows = read_rows(text)
        numbers = {"integer": int, "number": float}
        assert all(
            numbers[field["type"]](row[field["name"]] or 0) >= 0
            for field in schema["fields"]
            if field["type"] in numbers
            for row in rows
        )
        key = schema.get("primaryKey")
        assert (key is None) == (both_ways and "direction" not in sheet.columns)
        assert key is None or len({tuple(row[column] for column in key) for row in rows}) == len(
            rows
        )


@pytest.mark.parametrize("both_ways", [False, True])
def test_the_written_sheet_is_imported_as_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, both_ways: bool
) -> None:
    """A cut sheet of any profile with both ends is read, also with each cable twice.

    The schema is beside it.
    """
    monkeypatch.chdir(tmp_path)
    sizing = ["--gpus", "16", "--hb-domain", "8", "--radix", "4"]
    assert run(["plan", *sizing, "-o", "plan.json"]) == 0
    for name in ("ends", "run-list"):
        assert (
            run(
                [
                    "build",
                    *sizing,
                    "-o",
                    "out",
                    "--only",
                    "cabling",
                    "--columns",
                    name,
                    *(["--both-ways"] if both_ways else []),
                ]
            )
            == 0
        )
        assert run(["import", "out/cabling/cables.csv", *sizing, "-o", "taken.json"]) == 0
        assert Path("taken.json").read_bytes() == Path("plan.json").read_bytes()
        schema = json.loads(Path("out/cabling/cables.schema.json").read_text(encoding="utf-8"))
        assert [field["name"] for field in schema["fields"]] == [*PROFILES[name]]


def test_a_duplicate_cable_is_still_found(tmp_path: Path) -> None:
    """Only the same cable listed from its other end is dropped."""
    path = tmp_path / "sheet.csv"
    lines = ["c1,x,1,y,2", "c1,y,2,x,1", "c2,y,2,x,1", "c3,x,1,z,1", "c1,x,1,y,2"]
    path.write_text(
        "\n".join(["cable,a_device,a_interface,b_device,b_interface", *lines]), encoding="utf-8"
    )
    assert [row.line for row in read_cut_sheet(path).rows] == [2, 4, 5, 6]


def hostile(phrases: Iterable[str]) -> list[tuple[object, ...]]:
    """Put phrases into rows among ordinary ones."""
    return [("cable", 7, phrase) for phrase in phrases] + [(phrase, "x", 0) for phrase in phrases]


@pytest.mark.parametrize(
    "rows", [hostile(PHRASES), [("a", 1)], [], *([row] for row in hostile(PHRASES))]
)
def test_rows_equal_their_cells(rows: list[tuple[object, ...]]) -> None:
    """The fast writer writes what `csv_cell` writes cell by cell, and it is read back."""
    text = csv_rows(rows)
    assert text == "\n".join(",".join(map(csv_cell, row)) for row in rows)
    back = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert [[cell.removeprefix("'") for cell in row] for row in back] == [
        [str(cell) for cell in row] for row in rows
    ]


def test_any_port_name_is_one_cell(pod: Plan) -> None:
    """The printed name of a port in a user's catalog is any text."""
    cables = [replace(cables_of(pod)[0], a_port=phrase) for phrase in PHRASES]
    sheet = settled(pod).table
    text = Packs().render(
        "cabling", "cables.csv.j2", chunk=Chunk("pod", cables, first=True, last=True, sheet=sheet)
    )
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    assert [row["a_port"].removeprefix("'") for row in rows] == PHRASES

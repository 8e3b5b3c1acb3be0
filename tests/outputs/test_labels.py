"""Labels: their texts, widths, uniqueness and printed pages."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from html import unescape
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import segno

from fabricgen.build import label_files
from fabricgen.build.cable_sheets import sheets as sheets_of
from fabricgen.core.colours import HUES, colour
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.yaml_text import load_facts
from fabricgen.outputs.labels import qr_codes
from fabricgen.outputs.labels.layouts import choose_layout
from fabricgen.outputs.labels.pages import cable_label_pages
from fabricgen.outputs.labels.qr_codes import ERROR, MASK, paths, size
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.cables.label_fit import fitting
from fabricgen.views.cables.labels import LINE, Labelling
from fabricgen.views.cables.view import Chunk
from tests.csv_rows import FORMULA
from tests.fabrics import (
    SUPERPOD,
    build_context,
    build_job,
    cables_of,
    plan_of,
    set_limit,
    small_plan,
)

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.outputs.labels.layouts import Layout
    from fabricgen.planning.plan import Plan

WIDE: dict[str, Any] = {
    "gpus": 1024,
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600"}},
}
"""Four rows of racks, whose names have little in common."""

FABRICS: dict[str, dict[str, Any]] = {
    "generic": {},
    "superpod": SUPERPOD,
    "no room": {"site": "unknown"},
    "two cables a link": {
        "host": {"model": "dgx-b300"},
        "rails": {"planes": 1},
        "switches": {"leaf": {"model": "sn5600", "breakout": "1x800G"}},
    },
    "long racks": {"naming": {"rack": "frankfurt-dc3-h{hall}-{row:03}-{rack:03}"}},
    "two rails a box": {
        "host": {"model": "dgx-h100"},
        "rails": {"per_switch": 2},
        "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
        "site": "unknown",
    },
    "long devices": {
        "site": "unknown",
        "naming": {
            "leaf": "frankfurt-dc3-r{rail}-leaf-{n}",
            "spine": "frankfurt-dc3-r{rail}-s{n}",
            "host": "frankfurt-dc3-{n}",
        },
    },
}


def labelling_of(plan: Plan) -> Labelling:
    """Return the labelling of a plan."""
    return fitting(plan)


@pytest.fixture(scope="module", params=FABRICS)
def plan(request: pytest.FixtureRequest) -> Plan:
    """Plan each of the fabrics."""
    return small_plan(**FABRICS[request.param])


def test_every_label_fits_and_names_one_port(plan: Plan) -> None:
    """A cable has two labels, the near end first, with the ends exchanged on the far one.

    No line is too long, and no line names two ports.
    """
    cables = cables_of(plan)
    labels = list(labelling_of(plan).labels(cables))
    ports: dict[str, set[tuple[str, str]]] = {}
    for cable, near, far in zip(cables, labels[::2], labels[1::2], strict=True):
        assert (near.end, far.end) == ("A", "B")
        assert near.cable_id == far.cable_id == cable.cable
        assert (near.qr, far.qr) == (f"{cable.cable}/A", f"{cable.cable}/B")
        assert (near.device, near.far_device) == (cable.a_device, cable.b_device)
        assert (far.device, far.far_device) == (cable.b_device, cable.a_device)
        assert near.length_m == far.length_m == cable.length_m
        assert (near.line1, near.line2) == (far.line2, far.line1)
        ports.setdefault(near.line1, set()).add((cable.a_device, cable.a_port))
        ports.setdefault(far.line1, set()).add((cable.b_device, cable.b_port))
        assert near.rail == far.rail == cable.rail
        assert near.colour.replace(" 1", ", 1") == (colour(int(cable.rail)) if cable.rail else "")
    assert max(map(len, ports)) <= LINE
    assert {len(named) for named in ports.values()} == {1}
    assert len(ports) == 2 * len(cables)
    assert max(len(cable.cable) for cable in cables) <= LINE


def test_an_end_is_written_as_in_tia_606() -> None:
    """Cabinet, rack unit and port where a room is planned, else device and port."""
    cable = cables_of(plan_of(**SUPERPOD))[0]
    near, far = Labelling().labels([cable])
    assert near.line1 == f"{cable.a_rack}-{cable.a_unit}:{cable.a_port}"
    assert far.line1 == f"{cable.b_rack}-{cable.b_unit}:{cable.b_port}"
    (near, _) = Labelling().labels([replace(cable, a_rack="")])
    assert near.line1 == f"{cable.a_device}:{cable.a_port}"


@pytest.mark.parametrize(
    ("name", "left_off"),
    [("superpod", ""), ("long racks", "frankfurt-dc3-hA-001-"), ("long devices", "frankfurt-dc3-")],
)
def test_common_prefixes_are_left_off_only_where_necessary(name: str, left_off: str) -> None:
    """A note names them."""
    plan = small_plan(**FABRICS[name])
    sheets = sheets_of(build_context(plan, Packs()))
    assert sheets.table.labelling in (Labelling(racks=left_off), Labelling(devices=left_off))
    assert [f"`{left_off}`" in note for note in sheets.notes] == ([True] if left_off else [])


@pytest.mark.parametrize(
    ("keys", "key", "over"),
    [
        (
            {"naming": {"rack": "{row}-of-hall-{hall}-rack-{rack}"}},
            "rack",
            len("04-of-hall-A-rack-03-25:OSFP4P2") - LINE,
        ),
        (
            {"naming": {"leaf": "r{rail}-a-leaf-of-the-first-tier-{n}"}, "site": "unknown"},
            "leaf",
            len("r0-a-leaf-of-the-first-tier-1:64/2") - LINE,
        ),
        (
            {"naming": {"host": "{n}-is-a-host-of-eight"}, "site": "unknown"},
            "host",
            len("001-is-a-host-of-eight:OSFP4P2") - LINE,
        ),
    ],
)
def test_a_label_that_is_too_long_is_refused(keys: dict[str, Any], key: str, over: int) -> None:
    """The finding has the end and the excess; without labels there is no refusal."""
    plan = small_plan(**WIDE | keys)
    with pytest.raises(Refusal) as refused:
        labelling_of(plan)
    (finding,) = refused.value.findings
    assert (finding.code, finding.path) == ("label-too-long", ("naming", key))
    assert finding.hint == f"make the pattern `naming.{key}` shorter by {over} characters"
    assert [*build_job(plan, Packs(), ("graph",)).tasks]


@pytest.mark.parametrize("port", ["1/1", "OSFP4P2", 'a "strange" one', "1, 2", FORMULA])
def test_the_fast_writer_writes_the_same_labels(port: str) -> None:
    """The lines of labels.csv are the labels, cell by cell, for any printed port.

    No cell can be a formula.
    """
    cables = [replace(cable, a_port=port) for cable in cables_of(plan_of(**SUPERPOD))[250:270]]
    text = Packs().render(
        "cabling", "labels.csv.j2", chunk=Chunk("pod", cables, first=True, last=True)
    )
    titles, *rows = csv.reader(io.StringIO(text), strict=True)
    labels = list(Labelling().labels(cables))
    assert titles == [*labels[0]._fields]
    assert [tuple(row) for row in rows] == labels
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]


def test_label_printers_read_the_file(plan: Plan) -> None:
    """Brady Workstation, DYMO Connect and P-touch Editor accept commas, field names and ASCII.

    None of them needs quotes.
    """
    text = Packs().render(
        "cabling", "labels.csv.j2", chunk=Chunk("pod", cables_of(plan), first=True, last=True)
    )
    assert text.isascii()
    assert text.startswith("end,cable_id,line1,line2,qr")
    assert '"' not in text
    assert {line.count(",") for line in text.splitlines()} == {9}


@pytest.mark.parametrize(
    "texts",
    [
        ["r0-h00001", "u00017abc", "zzzzzzzzz"],
        ["x" * 14, "r255p1-h00123b"],
        ["y" * 15],
        ["long enough for another version" * 2],
    ],
)
def test_codes_equal_those_of_segno(texts: list[str]) -> None:
    """Sums of codes are segno's code of the text itself, and paths draw them."""
    wanted = [
        np.array(
            [
                [*row]
                for row in segno.make_qr(
                    text, error=ERROR, mask=MASK, mode="byte", boost_error=False
                ).matrix
            ]
        )
        for text in texts
    ]
    for want, path, text in zip(wanted, paths(texts), texts, strict=True):
        assert (drawn(path, size(text)) == want).all()


def test_codes_of_several_lengths() -> None:
    """They are in the order of their texts."""
    texts = ["a", "abc", "b", "c", "abcdefghijklmnopqrst"]
    assert [*paths(texts)] == [path for text in texts for path in paths([text])]


def test_a_code_is_made_for_each_bit_that_a_text_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """`1` has three bits, `3` one more."""
    made = list[bytes]()
    for kept in (qr_codes._zeros, qr_codes._changes, qr_codes._change):  # noqa: SLF001 - another test may have filled them
        kept.cache_clear()

    def counted(text: bytes) -> np.ndarray[Any, np.dtype[np.int64]]:
        made.append(text)
        return made_by_segno(text)

    made_by_segno = qr_codes._code  # noqa: SLF001 - the one call of segno
    monkeypatch.setattr(qr_codes, "_code", counted)
    for texts in (["1" * 17], ["3" * 17, "1" * 17]):
        [*paths(texts)]
    assert len(made) == 1 + 17 * 3 + 17


def drawn(path: str, side: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Follow a path."""
    found, x, y = np.zeros((side, side), dtype=np.uint8), 0, 0
    for letter, first, second in re.findall(r"([Mmh])(\d+)(?: ([\d.]+))?", path):
        if letter == "M":
            x, y = int(first), int(float(second))
        else:
            found[y, x : x + int(first)] = letter == "h"
            x += int(first)
    return found


def layout_named(name: str, *folders: Path) -> Layout:
    """Return a layout of a file in a folder of templates, or a shipped one."""
    return choose_layout(name, Packs(folders).files("cabling", "layouts.yaml"))


FLAT = layout_named("a4-48")
SHIPPED = [*load_facts(Packs().files("cabling", "layouts.yaml")[0])]


def pages_of(plan: Plan, layout: Layout = FLAT) -> str:
    """Render the label pages of a plan."""
    pages = cable_label_pages("<fabric> & co", labelling_of(plan), layout, cables_of(plan))
    return "".join(Packs().render("cabling", "labels.html.j2", page=page) for page in pages)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_printed_page(name: str) -> None:
    """Each label has its lines, its own code and the colour of its rail, in each of its panels."""
    plan, layout = plan_of(**SUPERPOD), layout_named(name)
    text, cables = pages_of(plan, layout), cables_of(plan)
    sheets = re.findall(r'<section class="sheet">.*?</section>', text, re.DOTALL)
    assert len(sheets) == -(-2 * len(cables) // layout.per_page)
    cells = re.split(r'<div class="label">', text)[1:]
    shown = {*layout.beside, *layout.below}
    for cell, label in zip(cells, labelling_of(plan).labels(cables), strict=True):
        panels = re.split(r'<div class="panel">', cell)[1:]
        assert len(panels) == len(layout.sides)
        for panel in panels:
            lines = dict(re.findall(r'<p class="([a-z]+)"[^>]*>([^<]*)</p>', panel))
            assert set(lines) == {*shown} - ({"rail"} if not label.rail else set())
            assert (lines["cable"], lines["near"], lines["far"]) == (
                label.cable_id,
                label.line1,
                label.line2,
            )
            assert lines["device"] == label.device
            assert "rail" not in lines or f"background:{HUES[int(label.rail)].fill}" in panel
        assert re.findall(r'id="([^"]+)"', cell) == [label.qr]
        assert f"{label.length_m} m" in cell or not shown & {"end", "length"}
    codes = dict(re.findall(r'<path id="([^"]+)" fill="none" d="([^"]+)"', text))
    assert [*codes] == [f"{cable.cable}/{end}" for cable in cables for end in "AB"]
    assert codes["h00001/B"] == next(paths(["h00001/B"]))
    assert "&lt;fabric&gt; &amp; co" in text
    assert [text.count(tag) for tag in ("<html", "</html>", "<body>", "</body>")] == [1, 1, 1, 1]


@pytest.mark.parametrize("name", SHIPPED)
def test_the_lines_of_a_shipped_layout_fit(name: str) -> None:
    """The longest ends of a label fit its panels, and its labels the sheet, which is cited."""
    layout = layout_named(name)
    assert layout.used_mm <= layout.panel_height
    assert {"cable", "near", "far", "device"} <= {*layout.beside, *layout.below}
    assert all(layout.characters(line) >= 9 for line in ("cable", "near", "far", "device"))


def test_a_long_device_name_is_cut_and_an_end_is_not() -> None:
    """A row of the flat label holds 24 characters beside its code."""
    cable = replace(cables_of(plan_of(**SUPERPOD))[0], a_device="a-device-with-a-long-name-01")
    (page,) = cable_label_pages("x", Labelling(), FLAT, [cable])
    lines = dict(page.labels[0].beside)
    assert lines["device"] == "a-device-wit…ong-name-01"
    assert dict(page.labels[0].below)["near"] == page.labels[0].label.line1


LAYOUT = """\
mine:
  {use: mine, source: mine, paper: A4, columns: 2, rows: 2, left_mm: 5, top_mm: 5, width_mm: 60,
   height_mm: 30, pitch_x_mm: 60, pitch_y_mm: 30, code_mm: 10, text_pt: 6, line_pt: 6,
   beside: [cable, near, far]}
"""


@pytest.mark.parametrize(
    ("old", "new", "fact"),
    [
        ("", "", ""),
        ("line_pt: 6", "line_pt: 30", "its code and lines take 104.6 mm of 30.0 mm"),
        ("columns: 2", "columns: 4", "its labels take 245.0 x 65.0 mm of a sheet"),
        ("[cable", "[colour", "beside.0: input should be 'cable'"),
        ("rows: 2,", "", "rows: field required"),
    ],
)
def test_layouts_of_the_user(old: str, new: str, fact: str, tmp_path: Path) -> None:
    """A layout of a folder of templates is used; one whose labels do not fit is refused."""
    (tmp_path / "cabling").mkdir()
    (tmp_path / "cabling/layouts.yaml").write_text(LAYOUT.replace(old, new), encoding="utf-8")
    if not fact:
        assert layout_named("mine", tmp_path).per_page == 4
        assert layout_named("a4-48", tmp_path) == FLAT
        return
    with pytest.raises(Refusal) as refused:
        layout_named("mine", tmp_path)
    (finding,) = refused.value.findings
    assert finding.code == "bad-label-layout"
    assert finding.fact.startswith(f"the layout `mine`: {fact}")


def test_markup_in_a_port_name_is_text() -> None:
    """The page shows any name of a catalog as text."""
    strange = "<b onload=x>&\"'"
    cables = [replace(cable, a_port=strange) for cable in cables_of(small_plan())[:2]]
    text = "".join(
        Packs().render("cabling", "labels.html.j2", page=page)
        for page in cable_label_pages("x", Labelling(), FLAT, cables)
    )
    assert strange not in text
    assert (
        sum(
            unescape(words).endswith(strange)
            for words in re.findall(r'<p class="(?:near|far)">([^<]*)</p>', text)
        )
        == 4
    )


def test_many_labels_are_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are numbered, and contain each cable once, across segments."""
    plan = small_plan()
    monkeypatch.setattr(label_files, "LINKS", 50)
    job = build_job(plan, Packs(), ("cabling",))
    tasks = [
        task
        for task in label_files.label_tasks(
            job.context, "cabling/labels.html", "cabling", "labels.html.j2"
        )
        if isinstance(task, label_files.LabelFile)
    ]
    assert [task.path for task in tasks] == [
        f"cabling/labels-{number}.html" for number in range(1, -(-plan.links // 50) + 1)
    ]
    texts = [
        (tmp_path / written.path).read_text(encoding="utf-8")
        for task in tasks
        for written in task.write(job.context, tmp_path)
    ]
    found = [name for text in texts for name in re.findall(r'<path id="([^"]+)"', text)]
    assert found == [f"{cable.cable}/{end}" for cable in cables_of(plan) for end in "AB"]
    assert all(text.startswith("<!DOCTYPE html>") and text.endswith("</html>\n") for text in texts)


def test_many_labels_are_written_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """The build names what it leaves out, and the option that writes it."""
    plan = small_plan()
    set_limit(monkeypatch, "labels", plan.cables - 1)
    job = build_job(plan, Packs(), ("cabling",))
    assert "cabling/labels.html" not in set(job.paths())
    assert [
        sentence
        for sentence in job.skipped
        if "labels.html" in sentence and "`--only labels`" in sentence
    ]
    asked = build_job(plan, Packs(), ("cabling",), frozenset({"labels"}))
    assert "cabling/labels.html" in set(asked.paths())

"""Labels: what they say, that they fit, that they tell one port from every other, and how they look on paper."""

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

from fabricgen.build import group_cable_sheets, group_cabling
from fabricgen.build.group_cable_sheets import SheetAsked, label_files
from fabricgen.build.job import Job
from fabricgen.core.colours import HUES, colour
from fabricgen.core.diagnostics import Refusal
from fabricgen.outputs.labels.pages import PAGE, label_pages
from fabricgen.outputs.labels.qr_codes import ERROR, MASK, matrices, paths, size
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.cables.labels import LINE, Labelling
from fabricgen.views.cables.view import Chunk
from tests.csv_rows import FORMULA
from tests.fabrics import SUPERPOD, cables_of, plan_of, small_plan

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan

WIDE: dict[str, Any] = {
    "gpus": 1024,
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600"}},
}
"""Four rows of racks, so that their names have little in common."""

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
    """Return how the labels of a plan are written."""
    return SheetAsked().sheets(plan, Packs()).table.labelling


@pytest.fixture(scope="module", params=FABRICS)
def plan(request: pytest.FixtureRequest) -> Plan:
    """Plan each of the fabrics."""
    return small_plan(**FABRICS[request.param])


def test_every_label_fits_and_names_one_port(plan: Plan) -> None:
    """Two for each cable, the near end first, the far label turned over; no line is too long, and no line stands for two ports."""
    cables = cables_of(plan)
    labels = list(labelling_of(plan).labels(cables))
    ports: dict[str, set[tuple[str, str]]] = {}
    for cable, near, far in zip(cables, labels[::2], labels[1::2], strict=True):
        assert (near.end, far.end) == ("A", "B")
        assert near[1] == near.qr == far[1] == far.qr == cable.cable
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
    """Cabinet, unit, port, where a room is planned; device and port where none is."""
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
def test_what_all_names_share_is_left_off_where_it_must_be(name: str, left_off: str) -> None:
    """And only then, and that is told."""
    plan = small_plan(**FABRICS[name])
    sheets = SheetAsked().sheets(plan, Packs())
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
def test_what_does_not_fit_is_refused(keys: dict[str, Any], key: str, over: int) -> None:
    """With the end that is too long, and by how much; without labels there is nothing to refuse."""
    plan = small_plan(**WIDE | keys)
    with pytest.raises(Refusal) as refused:
        labelling_of(plan)
    (finding,) = refused.value.findings
    assert (finding.code, finding.path) == ("label-too-long", ("naming", key))
    assert finding.hint == f"make the pattern `naming.{key}` shorter by {over} characters"
    assert [*Job(plan, Packs(), ("graph",)).tasks]


@pytest.mark.parametrize("port", ["1/1", "OSFP4P2", 'a "strange" one', "1, 2", FORMULA])
def test_the_fast_way_writes_the_same_labels(port: str) -> None:
    """The lines of labels.csv are the labels, cell by cell, whatever a catalog prints beside a port; no cell can be a formula."""
    cables = [replace(cable, a_port=port) for cable in cables_of(plan_of(**SUPERPOD))[250:270]]
    text = Packs().render(
        "cabling", "labels.csv.j2", chunk=Chunk("pod", cables, first=True, last=True)
    )
    titles, *rows = csv.reader(io.StringIO(text), strict=True)
    labels = list(Labelling().labels(cables))
    assert titles == [*labels[0]._fields]
    assert [tuple(row) for row in rows] == labels
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]


def test_programs_of_label_printers_read_it(plan: Plan) -> None:
    """Brady Workstation, DYMO Connect and P-touch Editor take commas, a row of field names and ASCII; none of them must know quotes."""
    text = Packs().render(
        "cabling", "labels.csv.j2", chunk=Chunk("pod", cables_of(plan), first=True, last=True)
    )
    assert text.isascii()
    assert text.startswith("end,cable_id,line1,line2,qr")
    assert '"' not in text
    assert {line.count(",") for line in text.splitlines()} == {6}


@pytest.mark.parametrize(
    "texts",
    [
        ["r0-h00001", "u00017abc", "zzzzzzzzz"],
        ["x" * 14, "r255p1-h00123b"],
        ["y" * 15],
        ["long enough for another version" * 2],
    ],
)
def test_codes_are_segnos(texts: list[str]) -> None:
    """Sums of codes are what segno makes of the text itself, and paths draw them."""
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
    for made, want, path, text in zip(matrices(texts), wanted, paths(texts), texts, strict=True):
        assert (made == want).all()
        assert (drawn(path, size(text)) == want).all()


def test_codes_of_several_lengths() -> None:
    """They come in the order of their texts."""
    texts = ["a", "abc", "b", "c", "abcdefghijklmnopqrst"]
    assert [*paths(texts)] == [path for text in texts for path in paths([text])]


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


def pages_of(plan: Plan) -> str:
    """Render the labels to print of a plan."""
    pages = label_pages("<fabric> & co", labelling_of(plan), cables_of(plan))
    return "".join(Packs().render("cabling", "labels.html.j2", page=page) for page in pages)


def test_the_page_to_print() -> None:
    """Both labels of a cable stand side by side with its texts, its code and the colour of its rail."""
    plan = plan_of(**SUPERPOD)
    text, cables = pages_of(plan), cables_of(plan)
    sheets = re.findall(r'<section class="sheet">.*?</section>', text, re.DOTALL)
    assert len(sheets) == -(-2 * len(cables) // PAGE)
    cells = re.findall(r'<div class="label">(.*?)</div>', text, re.DOTALL)
    for cell, label in zip(cells, labelling_of(plan).labels(cables), strict=True):
        shown = {
            name: unescape(words)
            for name, words in re.findall(r'<span class="([a-z ]+)"[^>]*>([^<]*)</span>', cell)
        }
        assert (shown["id"], shown["line near"], shown["line far"]) == (
            label.cable_id,
            label.line1,
            label.line2,
        )
        assert shown["end"] == f"end {label.end}" + (f", rail {label.rail}" if label.rail else "")
        assert shown.get("rail", "") == label.colour
        assert not label.rail or f"background:{HUES[int(label.rail)].fill}" in cell
        (link,) = re.findall(r'(?:id|href)="#?([^"]+)"', cell)
        assert link == label.qr
        assert ("<path" in cell) == (label.end == "A")
    codes = dict(re.findall(r'<path id="([^"]+)" fill="none" d="([^"]+)"', text))
    assert [*codes] == [cable.cable for cable in cables]
    assert (drawn(codes["h00001"], 21) == matrices(["h00001"])[0]).all()
    assert "&lt;fabric&gt; &amp; co" in text
    assert [text.count(tag) for tag in ("<html", "</html>", "<body>", "</body>")] == [1, 1, 1, 1]


def test_a_strange_port_stays_text() -> None:
    """Whatever a catalog prints beside a port, the page shows it and does nothing with it."""
    strange = "<b onload=x>&\"'"
    cables = [replace(cable, a_port=strange) for cable in cables_of(small_plan())[:2]]
    text = "".join(
        Packs().render("cabling", "labels.html.j2", page=page)
        for page in label_pages("x", Labelling(), cables)
    )
    assert strange not in text
    assert (
        sum(
            unescape(words).endswith(strange)
            for words in re.findall(r'<span class="line[a-z ]+">([^<]*)</span>', text)
        )
        == 4
    )


def test_many_labels_are_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are numbered, and hold each cable once between them, across units."""
    plan = small_plan()
    monkeypatch.setattr(group_cable_sheets, "FILE", 50)
    job = Job(plan, Packs(), ("cabling",))
    tasks = list(label_files(job, "cabling/labels.html", "cabling", "labels.html.j2"))
    assert [task.path for task in tasks] == [
        f"cabling/labels-{number}.html" for number in range(1, -(-plan.links // 50) + 1)
    ]
    texts = [
        (tmp_path / written.path).read_text(encoding="utf-8")
        for task in tasks
        for written in task.write(job, tmp_path)
    ]
    found = [name for text in texts for name in re.findall(r'<path id="([^"]+)"', text)]
    assert found == [cable.cable for cable in cables_of(plan)]
    assert all(text.startswith("<!DOCTYPE html>") and text.endswith("</html>\n") for text in texts)


def test_above_the_limit_they_are_printed_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """A build says what it leaves out, and how to have it."""
    plan = small_plan()
    monkeypatch.setattr(group_cabling, "WORKBOOK_CABLES", plan.cables - 1)
    job = Job(plan, Packs(), ("cabling",))
    assert "cabling/labels.html" not in set(job.paths())
    assert [
        sentence
        for sentence in job.skipped
        if "labels.html" in sentence and "`--only labels`" in sentence
    ]
    asked = Job(plan, Packs(), ("cabling",), frozenset({"labels"}))
    assert "cabling/labels.html" in set(asked.paths())

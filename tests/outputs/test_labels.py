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
from fabricgen.outputs.labels.pages import PAGE, label_pages
from fabricgen.outputs.labels.qr_codes import ERROR, MASK, matrices, paths, size
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
    for made, want, path, text in zip(matrices(texts), wanted, paths(texts), texts, strict=True):
        assert (made == want).all()
        assert (drawn(path, size(text)) == want).all()


def test_codes_of_several_lengths() -> None:
    """They are in the order of their texts."""
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
    """Render the label pages of a plan."""
    pages = label_pages("<fabric> & co", labelling_of(plan), cables_of(plan))
    return "".join(Packs().render("cabling", "labels.html.j2", page=page) for page in pages)


def test_the_printed_page() -> None:
    """Both labels of a cable are side by side.

    They have its texts, its code and the colour of its rail.
    """
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


def test_markup_in_a_port_name_is_text() -> None:
    """The page shows any name of a catalog as text."""
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
    assert found == [cable.cable for cable in cables_of(plan)]
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

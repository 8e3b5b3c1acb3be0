"""The documents of structured cabling, read back and compared with the channels of the plan."""

from __future__ import annotations

import csv
import io
from collections import Counter
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from fabricgen.build.label_files import layout_of
from fabricgen.build.patching_files import (
    PanelLabels,
    PatchingFiles,
    panel_maps,
    patching,
    patching_tasks,
)
from fabricgen.outputs.labels.pages import label_pages
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import build_context, plan_of, set_limit
from tests.planning.channels.test_channels import SMALL, STRUCTURED, channels_of, duplex_plan

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from fabricgen.build.context import BuildContext

FILES = {
    "trunks",
    "panels",
    "channels",
    "routes",
    "trays",
    "losses",
    "labels",
}
"""The templates of the tables."""


@cache
def context_of() -> BuildContext:
    """Return a build of hosts behind panels."""
    return build_context(plan_of(**SMALL | {"cabling": {"where": STRUCTURED}}), Packs())


@cache
def table(name: str) -> list[dict[str, str]]:
    """Render a table and read it back."""
    context = context_of()
    text = context.packs.render("patching", f"{name}.csv.j2", patching=patching(context).view)
    return list(csv.DictReader(io.StringIO(text)))


def test_cross_connects_are_the_channels() -> None:
    """A row for each, with its ends, its ports and its loss within the budget."""
    channels, rows = channels_of(context_of().plan), table("channels")
    assert len(rows) == len(channels.row) == 64
    ports = [int(port) + 1 for port in channels.lower.port]
    assert [int(row["a_panel_port"]) for row in rows] == ports
    for row in rows:
        assert Decimal(row["loss_db"]) + Decimal(row["margin_db"]) == Decimal(row["budget_db"])
        assert row["fibres"] == "1-4 9-12"
        assert row["lanes"] == "1>12 2>11 3>10 4>9"


def test_the_map_of_panels_has_every_port_once() -> None:
    """Both jumpers of every channel are in front, and every connector of a trunk is behind."""
    rows, channels = table("panels"), table("channels")
    assert len({(row["panel"], row["port"]) for row in rows}) == len(rows)
    plugged = Counter(row["jumper"] for row in rows if row["jumper"])
    jumpers = [row[end] for row in channels for end in ("a_jumper", "b_jumper")]
    assert plugged == Counter(jumpers)
    behind = Counter(row["trunk"] for row in rows if row["trunk"])
    assert behind == Counter({row["trunk"]: 24 for row in table("trunks")})
    assert all(row["trunk"] for row in rows if row["jumper"])
    ports = {(row["panel"], row["port"]): (row["far_panel"], row["far_port"]) for row in rows}
    for row in channels:
        near = row["a_panel"], row["a_panel_port"]
        assert ports[near] == (row["b_panel"], row["b_panel_port"])
        assert ports[ports[near]] == near


def test_routes_and_trunks_count_alike() -> None:
    """The connectors in use and the spare ones of all trunks are those of the routes."""
    trunks, routes = table("trunks"), table("routes")
    for column in ("used", "spare", "fibres"):
        whole = sum(int(row[column]) for row in trunks)
        assert whole == sum(int(row[column]) for row in routes)
    assert sum(int(row["used"]) for row in trunks) == 64
    assert all(int(row["used"]) + int(row["spare"]) == 12 for row in trunks)
    assert sum(int(row["fibres"]) for row in table("trays")) >= sum(
        int(row["fibres"]) for row in routes if row["a_rack"] != row["b_rack"]
    )


def test_every_loss_has_a_source() -> None:
    """Figures that no source confirms are marked."""
    rows = {row["part"]: row for row in table("losses")}
    assert all(len(row["source"]) > 20 for row in rows.values())
    assert rows["mpo12"]["decibels"] == "0.35"
    assert rows["mma4z00-ns"]["verified"] == "no"


def test_a_map_has_the_front_and_the_rear() -> None:
    """The first port is on the left in front, and on the right from behind."""
    context = context_of()
    view = panel_maps(context).panel("A01-01-P1")
    assert (len(view.front_ports), len(view.rear_ports)) == (48, 48)
    assert view.front_ports[0].x < view.front_ports[1].x
    assert view.rear_ports[0].x > view.rear_ports[1].x
    text = context.packs.render("patching", "panel.svg.j2", panel=view)
    titles = [each.text or "" for each in ET.fromstring(text).iter() if each.tag.endswith("title")]  # noqa: S314 - a drawing of our own
    assert "port 1: h00001-1 to host-1 OSFP4P2" in titles
    assert len(titles) == 97
    first, rear = view.front_ports[0], view.rear_ports[0]
    assert (first.top, first.middle, first.bottom) == ("h00001-1", "host-1", "OSFP4P2")
    assert (rear.middle, rear.bottom) == ("A01-01/A01-02-T1", "A01-02-P1 R1")
    assert [row.text for row in view.cassettes[:4]] == ["C1", "C2", "C3", "C4"]


def test_each_panel_and_each_cassette_has_a_label() -> None:
    """Each has a name of its own; a cassette names the ports at the far end, which name it."""
    rows, channels = table("labels"), channels_of(context_of().plan)
    count = len(channels.panels) + sum(panel.parts.cassettes for panel in channels.panels)
    assert len({row["qr"] for row in rows}) == len(rows) == count
    first, *cassettes = (row for row in rows if row["device"] == "A01-02-P1")
    assert (first["end"], first["line1"]) == ("panel", "A01-02-41")
    assert first["line2"] == "A01-01-42 A01-03-42"
    assert [row["line2"] for row in cassettes[2:]] == ["A01-01-42:25-36", "A01-03-42:1-12"]
    back = {row["line1"]: row["line2"] for row in rows if row["end"] == "cassette"}
    assert all(back[back[own]] == own for own in back if back[own])


def test_labels_of_cassettes_lead_to_the_far_end_of_each_link(tmp_path: Path) -> None:
    """Those with fibres of their own too, behind which the ports of a connector count down."""
    context = build_context(duplex_plan(tmp_path), Packs())
    rows = {row.qr: row for row in patching(context).view.labels}
    channels = channels_of(context.plan)
    each = channels.parts[0].cassette.front_ports
    ends = [(end.panel.tolist(), end.port.tolist()) for end in (channels.lower, channels.upper)]
    for panel, port, far, far_port in zip(*ends[0], *ends[1], strict=True):
        own, other = (channels.panels[number].name for number in (panel, far))
        near, peer = (f"-C{at // each + 1}" for at in (port, far_port))
        assert rows[own + near].far_device == other
        assert rows[own + near].line2 == rows[other + peer].line1


def test_labels_are_printed_on_the_sheets_of_those_of_cables() -> None:
    """A code and two lines for each."""
    context = context_of()
    rows, layout = patching(context).view.labels, layout_of(context)
    pages = [*label_pages("panels", layout, rows)]
    text = "".join(context.packs.render("patching", "labels.html.j2", page=page) for page in pages)
    assert text.count("<svg") == len(rows)
    assert "cassette</p>" in text
    assert "end cassette" not in text
    assert text.count("to </p>") == 0


def test_files_are_written_where_links_run_through_panels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven tables, sheets of labels and a map of each panel; none above the limit."""
    context = context_of()
    paths = [
        path
        for task in patching_tasks(context)
        if isinstance(task, (PatchingFiles, PanelLabels))
        for path in task.paths(context)
    ]
    assert len(paths) == len(FILES) + 1 + len(channels_of(context.plan).panels)
    assert [*patching_tasks(build_context(plan_of(**SMALL), Packs()))] == []
    set_limit(monkeypatch, "patching", 10)
    (skipped,) = patching_tasks(context)
    assert "64 links through panels are more than 10" in str(skipped)

"""The documents of structured cabling, read back and compared with the channels of the plan."""

from __future__ import annotations

import csv
import io
from collections import Counter
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from fabricgen.build.patching_files import PatchingFiles, panel_maps, patching, patching_tasks
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import build_context, plan_of, set_limit
from tests.planning.channels.test_channels import SMALL, STRUCTURED, channels_of

if TYPE_CHECKING:
    import pytest

    from fabricgen.build.context import BuildContext

FILES = {
    "trunks",
    "panels",
    "channels",
    "routes",
    "trays",
    "losses",
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


def test_files_are_written_where_links_run_through_panels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six tables and a map of each panel; nothing without `cabling`, or above the limit."""
    context = context_of()
    paths = [
        path
        for task in patching_tasks(context)
        if isinstance(task, PatchingFiles)
        for path in task.paths(context)
    ]
    assert len(paths) == len(FILES) + len(channels_of(context.plan).panels)
    assert [*patching_tasks(build_context(plan_of(**SMALL), Packs()))] == []
    set_limit(monkeypatch, "patching", 10)
    (skipped,) = patching_tasks(context)
    assert "64 links through panels are more than 10" in str(skipped)

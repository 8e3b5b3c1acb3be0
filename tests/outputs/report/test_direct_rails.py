"""The report of direct rails: its figures are those of the plan, in the page and in a browser."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect

from fabricgen.api import plan_file, plan_inventory, report
from fabricgen.outputs.report.failure_impacts import losses
from tests import ROOT
from tests.fabrics import cables_of
from tests.mutations.test_direct import TORUS
from tests.outputs.report.browsing import section
from tests.outputs.report.decoding import Blocks, cells

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest
    from playwright.sync_api import Page

PLAN = plan_file(ROOT / "examples" / "direct-torus.yaml")


@cache
def documents() -> dict[str, Any]:
    """Return the page of a torus and its parts."""
    return Blocks(report(PLAN)).documents


def test_the_figures_are_those_of_the_graph() -> None:
    """The page has the graph with degree, diameter and bisection, and no figure of switches."""
    page = documents()["page"]
    figures = {figure["key"]: figure["value"] for figure in page["figures"]}
    graph = [figures[key] for key in ("graph", "degree", "diameter", "bisection", "switches")]
    assert graph == ["torus-2d 4 x 4", "4", "4 links", "800 Gbps", "0"]
    assert not figures.keys() & {"tiers", "oversubscription", "spare_ports", "rack_units"}
    assert page["headline"].endswith("no switches, each rail a torus-2d 4 x 4, 256 cables.")
    (limits,) = (each["sentences"] for each in page["decision"] if each["key"] == "limits")
    assert limits[-1] == (
        "The failure of one host, such as host-01, takes 12.5 % of the network's bandwidth, its own"
        " included: 32 GPUs of other hosts lose 25 % of theirs."
    )


def test_what_no_formula_has_is_not_known() -> None:
    """The diameter and the bisection of an expander point to the laws."""
    keys = TORUS | {"rails": {"medium": "direct", "topology": {"kind": "expander"}}}
    page = Blocks(report(plan_inventory(keys))).documents["page"]
    unknown = {each["key"] for each in page["figures"] if each["value"] == "not known"}
    assert {"diameter", "bisection"} <= unknown


def test_a_cable_has_the_gpus_of_both_ends() -> None:
    """Each GPU is at as many cables as its degree, at the host of the end that it is named for."""
    columns = documents()["cables"]["columns"]
    ends = [text.split(" ") for text in cells(columns["gpu"])]
    assert set(Counter(gpu for pair in ends for gpu in pair).values()) == {4}
    hosts = [cells(columns[f"{end}_device"]) for end in "ab"]
    for (a, b), *devices in zip(ends, *hosts, strict=True):
        places = [int(gpu[1:].partition("-")[0]) for gpu in (a, b)]  # a host is an HB domain
        assert [PLAN.hosts[domain] for domain in places] == devices
    assert cells(columns["cable"]) == [cable.cable for cable in cables_of(PLAN)]
    assert {*cells(columns["alike"])} == {"0"}


def test_the_drawing_has_each_cable() -> None:
    """One drawing serves all rails; its boxes are the GPUs of rail 0, and its lines all links."""
    rails = documents()["rails"]
    (block,) = rails["blocks"]
    (row,) = block["rows"]
    assert [box["members"] for box in row["boxes"]] == [[8 * domain] for domain in range(16)]
    assert sum(stroke["links"] for stroke in block["strokes"]) == 32
    assert sum("bend" in stroke for stroke in block["strokes"]) == 8
    assert [named["rail"] for named in rails["named"]] == [*range(8)]


def test_many_different_cables_are_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each cable of an expander is a class; above the limit none has an impact."""
    keys = TORUS | {"rails": {"medium": "direct", "topology": {"kind": "expander"}}}
    plan = plan_inventory(keys)
    assert len(losses(plan, cables=True).impacts) > 1
    monkeypatch.setattr("fabricgen.outputs.report.failure_impacts.MOST_CLASSES", 20)
    assert losses(plan, cables=True).impacts == []


def test_the_page_shows_neighbours(opened: Callable[[str], Page]) -> None:
    """A GPU of the drawing opens its cables; there is neither a section of switches nor a route."""
    page = opened("direct")
    for name in ("switches", "route"):
        expect(page.locator(f"#{name}")).to_have_count(0)
    drawing = section(page, "topology")
    drawing.get_by_role("button", name="d5-g0", exact=True).click()
    panel = page.get_by_role("complementary", name="Details")
    expect(panel.get_by_role("listitem")).to_have_count(4)
    expect(panel.get_by_role("listitem").first).to_contain_text("d1-g0 in host-02")
    expect(panel.get_by_role("button", name="Route from here")).to_have_count(0)
    page.get_by_test_id("chosen").get_by_role("button", name="d6-g0: 1 x 100G").click()
    expect(section(page, "cables")).to_contain_text("1 of 256 cables")
    failures = section(page, "failures").get_by_role("row")
    expect(failures.last).to_contain_text("direct cable")

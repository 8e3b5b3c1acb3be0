"""The details of a box, a switch, a cable, a GPU and a rack, and the impact of their failures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from fabricgen.analysis.impact.text import FIGURES
from tests.outputs.report.browsing import Built, number, reading, section

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Locator, Page

KINDS = {
    "lab-64": ("r0-leaf-1", "r3-spine-2"),
    "fat-tree": ("leaf-2", "spine-1"),
    "planes": ("r1p1-leaf-1",),
    "shared-leaf": ("leaf-2",),
}
"""Switches of several fabrics, leaves first."""


def panel(page: Page) -> Locator:
    """Return the side panel."""
    return page.get_by_role("complementary", name="Details")


def point_at(page: Page, kind: str, name: str) -> None:
    """Open the panel of an element, as a link to it does."""
    page.evaluate("hash => { location.hash = hash }", f"{kind}={name}")
    expect(panel(page).get_by_role("heading", level=2)).to_contain_text(name)


def assert_figures(shown: dict[str, str], printed: dict[str, Any]) -> None:
    """Assert that the panel has the figures of `impact --json`, to the panel's precision."""
    assert number(shown["rails affected"]) == len(printed["rails_affected"])
    for figure in FIGURES:
        text = shown[figure.name].removesuffix(" %").replace(",", "")
        assert shown[figure.name].endswith(" %") == bool(figure.unit), figure.name
        assert float(text.lstrip("<> ")) == pytest.approx(printed[figure.key], abs=0.01), (
            figure.name
        )


def facts(place: Locator) -> dict[str, str]:
    """Return the facts of an element by their names."""
    found: list[tuple[str, str]] = place.locator("dl > div").evaluate_all(
        "all => all.map(each => [...each.children].map(child => child.textContent.trim()))"
    )
    return dict(found)


@pytest.mark.parametrize(
    ("name", "device"), [(name, device) for name, devices in KINDS.items() for device in devices]
)
def test_a_switch_lists_its_gpus_and_its_impact(
    opened: Callable[[str], Page], fabric: Callable[[str], Built], name: str, device: str
) -> None:
    """The GPUs are those of cables.csv, the figures those of `impact`."""
    built, page = fabric(name), opened(name)
    point_at(page, "device", device)
    served = built.gpus_at(device)
    assert (
        set(
            panel(page).get_by_test_id("gpus").get_by_role("listitem").all_inner_texts()
            if served
            else []
        )
        == served
    )
    assert facts(panel(page))["Cables"] == str(
        sum(
            device in {row["a_device"], row["b_device"]} for row in built.rows("cabling/cables.csv")
        )
    )
    assert_figures(
        facts(panel(page).get_by_test_id("impact")),
        built.json_of("impact", "--fail", f"switch:{device}"),
    )


@pytest.mark.parametrize("at", [0, -1])
def test_a_cable_lists_its_ends_and_its_impact(page: Page, lab: Built, at: int) -> None:
    """A click on its name in the table opens it; the figures are those of `impact`."""
    page.get_by_role("button", name="Clear").click()
    row = lab.rows("cabling/cables.csv")[at]
    section(page, "cables").get_by_role("searchbox").fill(row["cable"])
    section(page, "cables").get_by_role("button", name=row["cable"], exact=True).click()
    for key in ("a_device", "a_interface", "b_device", "b_interface", "part"):
        expect(panel(page)).to_contain_text(row[key])
    assert_figures(
        facts(panel(page).get_by_test_id("impact")),
        lab.json_of("impact", "--fail", f"link:{row['cable']}"),
    )


def test_a_box_of_the_drawing_opens_its_switch(page: Page, lab: Built) -> None:
    """A click on a leaf lists its links below the drawing, and opens the panel with its GPUs.

    Another rail has other switches.
    """
    drawing = section(page, "topology")
    drawing.get_by_role("combobox", name="Rail", exact=True).select_option("rail-5")
    drawing.locator("[data-box]").get_by_text("r5-leaf-2", exact=True).click()
    expect(panel(page).get_by_role("heading", level=2)).to_contain_text("r5-leaf-2")
    assert set(
        panel(page).get_by_test_id("gpus").get_by_role("listitem").all_inner_texts()
    ) == lab.gpus_at("r5-leaf-2")
    links = (
        drawing.get_by_test_id("chosen")
        .get_by_role("list", name="Links of r5-leaf-2")
        .get_by_role("listitem")
        .all_inner_texts()
    )
    assert sum(int(count) for text in links for count in re.findall(r"(\d+) x ", text)) == sum(
        "r5-leaf-2" in {row["a_device"], row["b_device"]} for row in lab.rows("cabling/cables.csv")
    )


def test_a_line_of_the_drawing_leads_to_its_cables(page: Page, lab: Built) -> None:
    """The list of a box's links filters the table to the cables of one of them."""
    drawing = section(page, "topology")
    drawing.get_by_role("combobox", name="Rail", exact=True).select_option("rail-0")
    drawing.locator("[data-box]").get_by_text("r0-leaf-1", exact=True).click()
    drawing.get_by_role("list", name="Links of r0-leaf-1").get_by_role(
        "button", name="r0-spine-1"
    ).click()
    between = [
        row
        for row in lab.rows("cabling/cables.csv")
        if {row["a_device"], row["b_device"]} == {"r0-leaf-1", "r0-spine-1"}
    ]
    expect(page.get_by_test_id("cable-count")).to_have_text(re.compile(f"^{len(between)} of "))


def test_a_gpu_lists_its_host_and_its_cables(
    opened: Callable[[str], Page], fabric: Callable[[str], Built]
) -> None:
    """With two planes it has two cables, to a leaf of each."""
    built, page = fabric("planes"), opened("planes")
    point_at(page, "gpu", "d1-g2")
    leaves = {
        row["b_device"]
        for row in built.rows("cabling/cables.csv")
        if "d1-g2" in built.gpus_at(row["b_device"])
    }
    strands = panel(page).locator("ul.cables").get_by_role("listitem").all_inner_texts()
    assert {text.rpartition(" to ")[2] for text in strands} == leaves
    assert len(strands) == built.json_of("plan")["planes"] == 2


def test_a_stale_link_is_reported(page: Page) -> None:
    """A name that the fabric does not have opens no empty panel."""
    point_at(page, "device", "r99-leaf-1")
    expect(panel(page).get_by_role("status")).to_contain_text("has no device of this name")


def test_racks_hold_the_devices_of_the_table(page: Page, lab: Built) -> None:
    """Every device is in its rack, at its rack units."""
    rows = lab.rows("cabling/cables.csv")
    placed = {
        (row[f"{side}_rack"], row[f"{side}_device"], int(row[f"{side}_unit"]))
        for row in rows
        for side in "ab"
    }
    for rack in {rack for rack, *_ in placed}:
        standing = section(page, "racks").locator(f"[data-rack='{rack}'] .standing")
        labels = standing.evaluate_all("all => all.map(each => each.getAttribute('aria-label'))")
        found = {
            (rack, label.split(",")[0], int(re.findall(r"units? (\d+)", label)[0]))
            for label in labels
        }
        assert found == {place for place in placed if place[0] == rack}


@pytest.mark.parametrize(
    ("name", "device"),
    [("lab-64", "r2-spine-1"), ("shared-leaf", "leaf-1"), ("infiniband", "leaf-3")],
)
def test_a_front_has_the_ports_of_a_switch(
    opened: Callable[[str], Page], fabric: Callable[[str], Built], name: str, device: str
) -> None:
    """Its used ports are as many as its cables, and the list has the data of cables.csv."""
    built, page = fabric(name), opened(name)
    point_at(page, "device", device)
    panel(page).get_by_role("button", name="Front and files").click()
    switches = section(page, "switches")
    expect(switches.get_by_role("heading", name=f"Ports of {device}")).to_be_visible()
    own = {
        row[f"{near}_interface"]: row[f"{far}_interface"]
        for row in built.rows("cabling/cables.csv")
        for near, far in (("a", "b"), ("b", "a"))
        if row[f"{near}_device"] == device
    }
    assert switches.get_by_test_id("port").count() == len(own)
    table = switches.locator("table.portmap tbody tr").evaluate_all(
        "rows => rows.map(row => [row.cells[0].textContent, row.cells[5].textContent])"
    )
    assert dict(table) == own


def test_files_of_a_switch_are_those_of_the_build(browser: Browser, lab: Built) -> None:
    """Each file is complete, can be copied, and can be saved."""
    with reading(browser, lab.report, permissions=["clipboard-read", "clipboard-write"]) as page:
        switches, home = section(page, "switches"), lab.out / "configs" / "r0-leaf-1"
        field = switches.get_by_role("combobox", name="File", exact=True)
        files = field.get_by_role("option").all_inner_texts()
        assert set(files) == {path.name for path in home.iterdir()}
        for file in files:
            field.select_option(file)
            assert page.get_by_test_id("config").text_content() == (home / file).read_text(
                encoding="utf-8"
            )
        switches.get_by_role("button", name="Copy", exact=True).click()
        expect(switches.get_by_text("Copied.")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == (home / files[-1]).read_text(
            encoding="utf-8"
        )
        field.select_option("ports.conf")
        verified = switches.get_by_test_id("verified")
        expect(verified).to_contain_text("No tool verified this file.")
        verified.locator("summary").click()
        expect(verified.get_by_role("definition")).to_contain_text("Switch Port Attributes")
        field.select_option("frr.conf")
        expect(verified).to_contain_text("Verified by FRR's parser")
        field.select_option(files[-1])
        with page.expect_download() as download:
            switches.get_by_role("button", name="Download").click()
        assert download.value.path().read_bytes() == (home / files[-1]).read_bytes()

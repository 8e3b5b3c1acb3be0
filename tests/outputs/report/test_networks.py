"""The section of the networks beside the compute fabric, in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.outputs.report.browsing import section
from tests.outputs.report.test_cables import kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.outputs.report.browsing import Built


def test_each_network_has_a_row_and_a_drawing(
    opened: Callable[[str], Page], fabric: Callable[[str], Built]
) -> None:
    """A button shows the drawing of a network, in which a box lists its links."""
    page, built = opened("cluster"), fabric("cluster")
    figures = built.json_of("plan")
    table = section(page, "networks").get_by_role("table")
    expect(table.get_by_role("row")).to_have_count(len(figures["networks"]) + 3)
    expect(table.get_by_role("row").last).to_contain_text(f"{figures['totals']['cables']:,}")
    page.get_by_role("button", name="Drawing: network-oob").click()
    drawing = section(page, "topology")
    expect(drawing.get_by_role("heading", name="Network oob")).to_be_visible()
    drawing.get_by_role("button", name="oob-1", exact=True).click()
    expect(page.get_by_test_id("chosen")).to_contain_text("1 x 1G")


def test_cables_are_narrowed_to_a_network(
    opened: Callable[[str], Page], fabric: Callable[[str], Built]
) -> None:
    """The saved file has the column `network`; the panel of a switch has no route without it."""
    page, built = opened("cluster"), fabric("cluster")
    field = section(page, "cables").get_by_role("combobox", name="Network", exact=True)
    field.select_option("oob")
    cables = built.json_of("plan")["networks"]["oob"]["cables"]["total"]
    expect(page.get_by_test_id("cable-count")).to_contain_text(f"{cables:,} of ")
    assert {row["network"] for row in kept(page)} == {"oob"}
    section(page, "cables").get_by_role("button", name="oob-1", exact=True).first.click()
    panel = page.get_by_role("complementary")
    expect(panel).to_contain_text("Network")
    expect(panel.get_by_role("button", name="Its cables")).to_be_visible()
    expect(panel.get_by_role("button", name="Route without it")).to_have_count(0)
    field.select_option("")


def test_racks_hold_the_devices_of_networks(opened: Callable[[str], Page]) -> None:
    """A switch of a network is in its rack, and none of the fronts is that of another model."""
    page = opened("cluster")
    racks = section(page, "racks")
    expect(racks.get_by_role("button", name="oob-1, leaf").first).to_be_attached()
    expect(section(page, "switches").get_by_role("option", name="oob-1")).to_have_count(0)


def test_a_fabric_without_networks_has_no_such_section(page: Page) -> None:
    """The contents have no link to it either."""
    expect(page.locator("#networks")).to_have_count(0)
    expect(page.get_by_role("link", name="Networks")).to_have_count(0)
    network = section(page, "cables").get_by_role("combobox", name="Network", exact=True)
    expect(network).to_have_count(0)


def test_the_columns_of_text_of_the_bill_are_wide(opened: Callable[[str], Page]) -> None:
    """The purposes of a part, a network each, have room for 16 characters in a line."""
    page = opened("cluster")
    size = page.viewport_size
    assert size
    try:
        for width in (1400, 1000):
            page.set_viewport_size({"width": width, "height": size["height"]})
            for title in ("description", "purpose"):
                cell = section(page, "bill").get_by_role("columnheader", name=title)
                wide = cell.evaluate("cell => cell.getBoundingClientRect().width")
                assert wide >= 16 * 0.6 * 13, f"{title} at {width} px"
    finally:
        page.set_viewport_size(size)

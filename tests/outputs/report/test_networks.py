"""The section of the networks beside the compute fabric, in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.outputs.report.browsing import section

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


def test_a_fabric_without_networks_has_no_such_section(page: Page) -> None:
    """The contents have no link to it either."""
    expect(page.locator("#networks")).to_have_count(0)
    expect(page.get_by_role("link", name="Networks")).to_have_count(0)

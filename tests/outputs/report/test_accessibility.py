"""The page is accessible.

It is used by keyboard alone, in light and dark, on a phone, on paper and by screen readers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.outputs.report.browsing import DESK_PX, PHONE_PX, reading, violations

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

    from tests.outputs.report.browsing import Built

MOST_STOPS = 500
"""Presses of the tab key, after which it is called a trap."""


@pytest.mark.parametrize(
    ("name", "scheme", "width", "at"),
    [
        ("lab-64", "light", DESK_PX, "#device=r0-leaf-1"),
        ("lab-64", "dark", DESK_PX, ""),
        ("planes", "light", PHONE_PX, ""),
        ("planes", "dark", PHONE_PX, "#device=r0p0-leaf-1"),
    ],
)
def test_axe_finds_no_serious_violation(
    browser: Browser, fabric: Callable[[str], Built], name: str, scheme: str, width: int, at: str
) -> None:
    """Names, roles, contrast and order are right in each scheme and width.

    That includes the panel, and the page never scrolls sideways.
    """
    with reading(
        browser,
        fabric(name).report,
        at=at,
        color_scheme=scheme,
        viewport={"width": width, "height": 900},
    ) as page:
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page) == []


def test_the_finder_returns_the_focus(page: Page) -> None:
    """`/` opens it, and the arrows and Enter choose.

    Escape returns the focus from the finder and from the panel.
    """
    before = page.get_by_role("link", name="Cables").first
    before.focus()
    page.keyboard.press("/")
    field = page.get_by_role("combobox", name="Find")
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(field).to_have_count(0)
    expect(before).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.type("r0-leaf")
    page.keyboard.press("ArrowDown")
    expect(
        page.get_by_role("listbox", name="Found").get_by_role("option", selected=True)
    ).to_contain_text("r0-leaf-2")
    page.keyboard.press("Enter")
    panel = page.get_by_role("complementary", name="Details")
    expect(panel.get_by_role("heading", level=2)).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(before).to_be_focused()


def test_the_tab_key_reaches_every_section(opened: Callable[[str], Page]) -> None:
    """From the skip link to the end of the page, without a trap. The first stop skips the head."""
    page = opened("no-room")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the decision")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    wanted = set(
        page.locator("main section:has(button, a, input, select, [tabindex='0'])").evaluate_all(
            "all => all.map(each => each.id)"
        )
    )
    assert len(wanted) > 5
    reached = set()
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        place = page.evaluate(
            "document.activeElement === document.body ? 'end' : "
            "document.activeElement.closest('main section')?.id"
        )
        if place == "end":
            break
        reached.add(place)
    assert place == "end"
    assert reached >= wanted


def test_light_and_dark_can_be_chosen(page: Page) -> None:
    """Against the system's setting, and back."""
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Dark", exact=True).click()
    assert page.evaluate(ground) != light
    page.get_by_role("button", name="Light", exact=True).click()
    assert page.evaluate(ground) == light


def test_a_print_has_all_cables_and_no_controls(page: Page, lab: Built) -> None:
    """It has the sections one after another, the whole table of cables, and no buttons."""
    assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") > 1
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    controls = page.locator(
        "nav, .skip, .inspector, input, select, button:not(.name, .port, .standing, "
        "[aria-pressed=true])"
    )
    assert (
        controls.evaluate_all(
            "all => all.filter(each => each.getClientRects().length).map(each => each.outerHTML)"
        )
        == []
    )
    assert page.locator(".cables-paper tbody tr").count() == len(lab.rows("cabling/cables.csv"))
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media=None)
    expect(page.locator(".cables-paper")).to_have_count(0)

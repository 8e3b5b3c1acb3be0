"""The page is accessible.

It is used by keyboard alone, in light and dark, on a phone, on paper and by screen readers.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.outputs.report.browsing import (
    DESK_PX,
    PHONE_PX,
    build_file,
    reading,
    section,
    violations,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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
        ("cluster", "light", PHONE_PX, ""),
        ("cluster", "dark", DESK_PX, ""),
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


TABLES_CUT = """() => [...document.querySelectorAll("table")].flatMap((table) => {
  const box = table.closest(".scrolling") ?? table.parentElement;
  const cut = box.scrollWidth > box.clientWidth + 1 || table.offsetWidth > box.clientWidth + 1;
  return cut ? [box.getAttribute("aria-label") ?? box.className] : [];
})"""
"""The labels of the tables that are wider than their place."""
DRAWN = """() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => done(innerWidth))))"""
"""The width of the page, as soon as everything that observes it has drawn."""


@pytest.mark.parametrize("name", ["lab-64", "planes", "twin-copper", "three-tiers"])
def test_no_table_is_cut(browser: Browser, fabric: Callable[[str], Built], name: str) -> None:
    """On a phone and a desk every table has the width of its place.

    Only drawings and texts of files scroll sideways. What the page measures, it measures again when
    its width changes.
    """
    with reading(browser, fabric(name).report) as page:
        assert page.locator("table").count() > 4
        for width in (DESK_PX, PHONE_PX):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(DRAWN) == width
            assert page.evaluate(TABLES_CUT) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


PODS: dict[str, object] = {
    "name": "pods",
    "gpus": 512,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600"}},
    "site": {"rack": {"units": 48}, "hosts_per_rack": 4},
    "prices": "street-2026-09",
}


@pytest.mark.parametrize("design", ["rail-only", "rail-optimized"])
def test_a_print_of_512_gpus_has_six_pages(browser: Browser, tmp_path: Path, design: str) -> None:
    """It has the decision, the bill and the laws, and not the ports of a single switch."""
    inventory = tmp_path / "pods.yaml"
    inventory.write_text(json.dumps(PODS | {"design": design}), encoding="utf-8")
    built = build_file(inventory, tmp_path / "out", "report")
    with reading(browser, built.report) as page:
        printed = page.pdf(prefer_css_page_size=True, print_background=True)
        assert 1 <= printed.count(b"/Type /Page\n") <= 6
        page.emulate_media(media="print")
        for name in ("decision", "numbers", "comparison", "bill", "laws", "inventory"):
            expect(section(page, name)).to_be_visible()
        for name in ("racks", "switches", "route"):
            expect(section(page, name)).to_be_hidden()


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
    page.emulate_media(media="screen")
    expect(page.locator(".cables-paper")).to_have_count(0)

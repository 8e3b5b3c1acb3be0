"""Names may contain markup, which the page shows as text."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.outputs.report.browsing import GENERIC, Built, build_file, reading, section, settled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser, Page

MARKUP = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "<svg onload=alert(3)>",
    "\"'><b onmouseover=alert(4)>&lt;i&gt;",
    "javascript:alert(5)",
]


def respelled(document: str, old: str, new: str) -> str:
    """Replace a name wherever it is a whole value in the documents of a report."""
    whole = re.compile(rf'(?<=")([^"]*)\b{re.escape(old)}\b([^"]*)(?=")')
    spelled = json.dumps(new)[1:-1]

    def value(text: str) -> str:
        return whole.sub(lambda match: f"{match[1]}{spelled}{match[2]}", text)

    def element(match: re.Match[str]) -> str:
        head, text, tail = match.groups()
        if text.lstrip().startswith(("{", "[")):
            return head + value(text).replace("<", "\\u003c") + tail
        return (
            head
            + base64.b64encode(
                gzip.compress(value(gzip.decompress(base64.b64decode(text)).decode()).encode())
            ).decode()
            + tail
        )

    return re.sub(r'(<script [^>]*data-part="?\w+"?[^>]*>)([^<]+)(</script>)', element, document)


def assert_no_markup(page: Page) -> None:
    """Assert that no element of the markup is in the page."""
    assert (
        page.locator(
            "img, main script, [onerror], [onload], [onmouseover], a[href^='javascript:']"
        ).count()
        == 0
    )


def test_markup_in_device_names_is_text(
    browser: Browser, fabric: Callable[[str], Built], tmp_path: Path
) -> None:
    """It is text in the tables, drawings, racks and the panel.

    A dialog or a request would fail the test.
    """
    text = fabric("fat-tree").report.read_text(encoding="utf-8")
    for at, markup in enumerate(MARKUP, start=1):
        text = respelled(text, f"leaf-{at}", markup)
    changed = tmp_path / "report.html"
    changed.write_text(text, encoding="utf-8")
    with reading(browser, changed) as page:
        for markup in MARKUP:
            for place in ("racks", "topology"):
                assert markup in (section(page, place).text_content() or ""), place
            page.evaluate(
                "name => { location.hash = 'device=' + encodeURIComponent(name) }", markup
            )
            expect(
                page.get_by_role("complementary").get_by_role("heading", level=2)
            ).to_contain_text(markup)
            expect(page.get_by_role("complementary").get_by_test_id("impact")).to_be_visible()
            section(page, "cables").get_by_role("combobox", name="Device", exact=True).fill(markup)
            expect(
                section(page, "cables").get_by_role("button", name=markup, exact=True).first
            ).to_be_visible()
        assert_no_markup(page)


@pytest.mark.parametrize(
    "at",
    [
        "#device=<img src=x onerror=alert(1)>",
        "#device=%E0%A4%A",
        "#rack=%3Cscript%3Ealert(1)%3C/script%3E",
        "#gpu=d9999999-g0",
    ],
)
def test_a_malformed_address_is_shown_as_text(opened: Callable[[str], Page], at: str) -> None:
    """A truncated or hostile link opens the page, which shows the requested name."""
    page = opened("fat-tree")
    page.goto(f"{page.url.partition('#')[0]}{at}")
    page.reload()
    settled(page)
    expect(page.get_by_role("complementary")).to_contain_text("This page has no")
    assert_no_markup(page)


def test_markup_in_a_part_description_is_text(browser: Browser, root: Path, tmp_path: Path) -> None:
    """A catalog of the user describes parts in free text, and the bill repeats it."""
    known = root / "inventories" / "catalog" / "transceivers" / "generic-400g.yaml"
    own = tmp_path / "catalog" / "transceivers" / known.name
    own.parent.mkdir(parents=True)
    own.write_text(
        re.sub(
            r"(?m)^description: .*",
            lambda _: f"description: {json.dumps(' '.join(MARKUP))}",
            known.read_text(encoding="utf-8"),
        ),
        encoding="utf-8",
    )
    inventory = tmp_path / "fabric.yaml"
    inventory.write_text(json.dumps({"name": "strange", **GENERIC, "gpus": 8}), encoding="utf-8")
    built = build_file(inventory, tmp_path / "out", "report", "--catalog", str(own.parents[1]))
    with reading(browser, built.report) as page:
        expect(section(page, "bill")).to_contain_text(" ".join(MARKUP))
        assert_no_markup(page)

"""The recorder of errors that the other tests use detects each kind of error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.outputs.report.browsing import reading, violations

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

FAULTS = {
    "<script>console.warn('a word')</script>": "warning: a word",
    "<script>undefined.field</script>": "uncaught: ",
    "<script>alert('hello')</script>": "dialog: hello",
    "<img src='https://example.com/a.png' alt=''>": "request: https://example.com/a.png",
    "<script>fetch('https://example.com/a').catch(() => 0)</script>": (
        "request: https://example.com/a"
    ),
    "<img src='other.png' alt=''>": "other.png",
}


def document(path: Path, text: str) -> Path:
    """Write a page that has a section."""
    path.write_text(
        "<!doctype html><html "
        f"lang=en><title>page</title><main><h1>page</h1><section>{text}</section></main>",
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize("text", FAULTS)
def test_each_fault_is_detected(browser: Browser, tmp_path: Path, text: str) -> None:
    """A page that prints a message, raises, opens a dialog or uses the network fails the test."""
    with (
        pytest.raises(AssertionError) as noticed,
        reading(browser, document(tmp_path / "page.html", f"<p>text</p>{text}")) as page,
    ):
        page.wait_for_load_state("networkidle")
    assert FAULTS[text] in str(noticed.value)


def test_a_good_page_passes_and_low_contrast_fails(browser: Browser, tmp_path: Path) -> None:
    """A missing name fails too."""
    with reading(browser, document(tmp_path / "clean.html", "<p>text</p>")) as page:
        assert violations(page) == []
    with reading(
        browser,
        document(tmp_path / "pale.html", "<p style='color: #ccc'>text</p><button></button>"),
    ) as page:
        assert {each.partition(":")[0] for each in violations(page)} == {
            "color-contrast",
            "button-name",
        }

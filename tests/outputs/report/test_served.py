"""The served page: controls, refusals in the words of the command line, and files."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from fabricgen.api import plan_file, summary
from tests.outputs.report.browsing import (
    FABRICS,
    Built,
    called,
    number,
    section,
    serving,
    settled,
    violations,
    watched,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

NAME = "no-room"


@pytest.fixture(scope="module")
def inventory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the inventory that is served."""
    path = tmp_path_factory.mktemp("served") / "fabric.yaml"
    keys = FABRICS[NAME]
    assert isinstance(keys, dict)
    path.write_text(json.dumps({"name": NAME} | keys), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def address(inventory: Path) -> Iterator[str]:
    """Serve it, and return its address."""
    with serving(inventory) as url:
        yield url


@pytest.fixture(scope="module")
def served(browser: Browser, address: str) -> Iterator[Page]:
    """Open the page.

    A refusal is answered with 422, which the browser logs like any such answer.
    """
    with watched(
        browser.new_context(reduced_motion="reduce"),
        lambda url: url.startswith(address),
        forgiven="status of 422",
    ) as page:
        page.goto(address)
        settled(page)
        yield page


@pytest.fixture
def live(served: Page) -> Page:
    """Return the page in its first state."""
    reset = served.get_by_role("button", name="Reset")
    if reset.is_enabled():
        reset.click()
    expect(section(served, "numbers").locator("[data-figure=gpus] .value")).to_have_text("8")
    return served


def turn(page: Page, **controls: str) -> None:
    """Set controls by their names, and wait for the answer."""
    for name, value in controls.items():
        field = page.get_by_test_id("controls").locator(f"[name={name}]")
        select = field.evaluate("each => each.tagName") == "SELECT"
        field.select_option(value) if select else field.fill(value)
    expect(page.get_by_test_id("state")).not_to_have_text("Sizing …")


@pytest.mark.parametrize(
    "controls",
    [
        {"gpus": "64"},
        {"hb_domain": "8", "gpus": "32"},
        {"design": "fat-tree", "gpus": "64"},
        {"planes": "2"},
        {"radix": "16", "gpus": "64"},
        {"rails": "2", "gpus": "64"},
        {"per_switch": "auto", "gpus": "64", "radix": "32"},
    ],
)
def test_the_page_follows_its_controls(
    live: Page, inventory: Path, controls: dict[str, str]
) -> None:
    """Numbers and cables are those of the command line with the same settings."""
    keys = {
        "gpus": "gpus",
        "hb_domain": "hb_domain.gpus",
        "design": "design",
        "planes": "rails.planes",
        "radix": "switches.leaf.generic.radix",
        "rails": "rails.count",
        "per_switch": "rails.per_switch",
    }
    sets = [word for name, value in controls.items() for word in ("--set", f"{keys[name]}={value}")]
    plan = Built(inventory, inventory.parent).json_of("plan", *sets)
    turn(live, **controls)
    total = plan["cables"]["total"]
    expect(live.get_by_test_id("cable-count")).to_have_text(f"{total} of {total} cables")
    shown = {
        key: section(live, "numbers").locator(f"[data-figure={key}] .value").inner_text()
        for key in ("gpus", "switches", "cables")
    }
    assert {key: number(text) for key, text in shown.items()} == {
        "gpus": plan["gpus"],
        "switches": plan["switches"]["total"],
        "cables": total,
    }
    expect(section(live, "laws").get_by_text("laws hold")).to_be_visible()


def test_a_refusal_equals_that_of_the_command_line(live: Page, inventory: Path) -> None:
    """The text is that of `plan`, and the control is marked and explains it.

    The page keeps the last valid fabric.
    """
    before = live.get_by_test_id("cable-count").inner_text()
    turn(live, gpus="13")
    diagnostics = live.get_by_test_id("diagnostics")
    expect(diagnostics.locator("pre")).to_have_text(
        called("plan", str(inventory), "--set", "gpus=13", stream="stderr").strip()
    )
    expect(live.get_by_test_id("controls").locator("[name=gpus]")).to_have_attribute(
        "aria-invalid", "true"
    )
    expect(live.get_by_test_id("wrong-gpus")).to_contain_text("13 = 3 x 4 + 1")
    assert live.get_by_test_id("cable-count").inner_text() == before
    turn(live, gpus="16")
    expect(live.get_by_test_id("wrong-gpus")).to_have_count(0)
    expect(diagnostics).to_be_empty()


def test_the_saved_inventory_is_that_of_the_page(live: Page, tmp_path: Path) -> None:
    """It plans to the same numbers."""
    turn(live, gpus="64")
    expect(section(live, "numbers").locator("[data-figure=gpus] .value")).to_have_text("64")
    with live.expect_download() as download:
        live.get_by_test_id("inventory-link").click()
    kept = tmp_path / download.value.suggested_filename
    download.value.save_as(kept)
    assert kept.name == f"{NAME}.yaml"
    assert summary(plan_file(kept))["gpus"] == 64


def test_the_saved_build_is_complete(live: Page, inventory: Path, tmp_path: Path) -> None:
    """The archive has the files of a build, with their bytes."""
    with live.expect_download() as download:
        live.get_by_test_id("build-link").click()
    called("build", str(inventory), "-o", str(tmp_path / "out"))
    with zipfile.ZipFile(download.value.path()) as archive:
        found = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    assert found == {
        path.relative_to(tmp_path / "out").as_posix(): path.read_bytes()
        for path in (tmp_path / "out").rglob("*")
        if path.is_file()
    }


def test_axe_finds_no_serious_violation_in_the_controls(live: Page) -> None:
    """Also where a control is refused."""
    turn(live, gpus="13")
    expect(live.get_by_test_id("wrong-gpus")).to_be_visible()
    assert violations(live, "[data-testid=controls]") == []

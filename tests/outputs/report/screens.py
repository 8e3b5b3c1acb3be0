"""The screenshots of the report. Without a folder only those of the README are taken.

    python -m tests.outputs.report.screens [FOLDER]

`tests/pictures.py` makes those that are drawn. No test compares these: another version of the
browser makes other pixels.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tests import ROOT
from tests.outputs.report.browsing import (
    DESK_PX,
    PHONE_PX,
    Built,
    browsing,
    build_file,
    find_browser,
    reading,
    section,
    serving,
    settled,
    watched,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

PICTURES = ROOT / "docs" / "pictures"
DESK: dict[str, Any] = {"viewport": {"width": DESK_PX, "height": 900}}
PHONE: dict[str, Any] = {"viewport": {"width": PHONE_PX, "height": 760}, "device_scale_factor": 2}


REST_MS = 1500
"""Animations of scrolling and controls have ended after this time."""


def take(page: Page, file: Path) -> None:
    """Take a picture of the window."""
    page.screenshot(path=file, animations="disabled", caret="hide")


def top(page: Page) -> None:
    """Scroll to the top."""
    page.mouse.move(0, 0)


def to(name: str) -> Callable[[Page], None]:
    """Return a function that scrolls a section to the top of the window."""
    return lambda page: section(page, name).evaluate(
        "each => each.scrollIntoView({block: 'start'})"
    )


class Shot(NamedTuple):
    """A picture: the view, the fabric, the context, and the fragment of the address."""

    look: Callable[[Page], None]
    fabric: str = "inventories/lab-64.yaml"
    looks: dict[str, Any] = DESK
    scheme: Literal["light", "dark"] = "light"
    at: str = ""


LEAF = "#device=r0-leaf-1"
SHOTS = {
    "report-light.png": Shot(top),
    "report-dark.png": Shot(top, scheme="dark"),
    "report-phone.png": Shot(top, looks=PHONE),
    "report-phone-cables.png": Shot(to("cables"), looks=PHONE, scheme="dark"),
    "report-rail.png": Shot(to("topology"), at=LEAF),
    "report-rail-dark.png": Shot(to("topology"), scheme="dark", at=LEAF),
    "report-comparison.png": Shot(to("comparison"), fabric="inventories/paper-32k-r64.yaml"),
    "report-front.png": Shot(to("switches"), fabric="examples/two-rails-one-leaf.yaml"),
    **{
        f"report-{name}.png": Shot(to(name))
        for name in ("topology", "cables", "racks", "switches", "route", "failures", "bill", "laws")
    },
}
"""The pictures of a file, by name."""
LIVE = {
    "report-live.png": {"gpus": "65536", "radix": "128"},
    "report-refused.png": {"gpus": "1000"},
}
"""The pictures of the served page, and the controls set in it."""

KEPT = ("report-comparison.png", "report-rail.png", "report-live.png")
"""The pictures that the README shows."""


def photograph(browser: Browser, built: dict[str, Built], folder: Path) -> None:
    """Take every picture of the files, and those of the served page."""
    for name, shot in SHOTS.items():
        with reading(
            browser, built[shot.fabric].report, at=shot.at, color_scheme=shot.scheme, **shot.looks
        ) as page:
            shot.look(page)
            page.wait_for_timeout(REST_MS)
            take(page, folder / name)
    with serving(ROOT / "inventories" / "paper-32k-r64.yaml") as url:
        for name, controls in LIVE.items():
            with watched(
                browser.new_context(color_scheme="light", **DESK),
                lambda asked: asked.startswith(url),
                forgiven="status of 422",
            ) as page:
                page.goto(url)
                settled(page)
                for control, value in controls.items():
                    page.get_by_test_id("controls").locator(f"[name={control}]").fill(value)
                page.wait_for_timeout(REST_MS)
                settled(page)
                take(page, folder / name)


def main(folder: Path) -> None:
    """Build the fabrics and take their pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as home, browsing(find_browser() or "chromium") as browser:
        fabrics = dict.fromkeys(shot.fabric for shot in SHOTS.values())
        built = {name: build_file(ROOT / name, Path(home) / Path(name).stem) for name in fabrics}
        photograph(browser, built, folder)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with TemporaryDirectory() as taken:
            main(Path(taken))
            for name in KEPT:
                shutil.copy(Path(taken) / name, PICTURES)

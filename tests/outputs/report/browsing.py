"""Opening a report in a browser without a network, where every error message is a failure.

Owns the browser, the fabrics of the tests, and the JSON of commands about them. What a page must
show is in the tests.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from fabricgen.cli import run
from tests import ROOT
from tests.fabrics import CLUSTER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import (
        Browser,
        BrowserContext,
        ConsoleMessage,
        Dialog,
        Locator,
        Page,
        Request,
    )

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Programs that are Chromium, by their names on PATH. The first is the same engine without windows,
and takes half the time of the others to open a page."""
PATIENCE_MS = 15_000
"""How long to wait for what must come, on a busy machine."""
PHONE_PX, DESK_PX = 375, 1400
expect.set_options(timeout=PATIENCE_MS)

GENERIC: dict[str, Any] = {
    "gpus": 32,
    "hb_domain": {"gpus": 4},
    "switches": {"leaf": {"generic": {"radix": 8}}},
}
FABRICS: dict[str, str | dict[str, Any]] = {
    "lab-64": "inventories/lab-64.yaml",
    "planes": GENERIC | {"rails": {"planes": 2}},
    "rail-optimized": GENERIC | {"design": "rail-optimized", "hb_domain": {"gpus": 8}},
    "fat-tree": GENERIC | {"design": "fat-tree"},
    "shared-leaf": GENERIC
    | {"rails": {"per_switch": 2}, "switches": {"leaf": {"generic": {"radix": 32}}}},
    "infiniband": "inventories/dgx-h100-superpod-1su.yaml",
    "direct": "examples/direct-torus.yaml",
    "twin-copper": {
        "gpus": 64,
        "hb_domain": {"gpus": 8},
        "design": "rail-optimized",
        "host": {"model": "dgx-h100"},
        "rails": {"tiers": 2},
        "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
        "site": {"rack": {"units": 48}, "hosts_per_rack": 4},
    },
    "cluster": CLUSTER,
    "no-room": GENERIC | {"gpus": 8, "site": "unknown"},
    "three-tiers": GENERIC
    | {"hb_domain": {"gpus": 2}, "switches": {"leaf": {"generic": {"radix": 4}}}},
}
"""Inventories by name: the path of one that we ship, or its keys."""


def find_browser() -> str | None:
    """Return the path of Chromium, or None where there is none."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


@contextmanager
def browsing(program: str) -> Iterator[Browser]:
    """Run a browser without a window or its sandbox.

    Root and containers have no sandbox, and it reads only our own pages.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, chromium_sandbox=False)
        yield browser
        browser.close()


@dataclass(frozen=True)
class Built:
    """A built fabric: its inventory and its files."""

    inventory: Path
    out: Path

    @property
    def report(self) -> Path:
        """Return the file of the report."""
        return self.out / "report.html"

    def rows(self, path: str) -> list[dict[str, str]]:
        """Read a table of the build."""
        with (self.out / path).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    @property
    def link_rows(self) -> list[dict[str, str]]:
        """Return those of `listed_rows` that are of the compute fabric."""
        return [row for row in self.listed_rows if row.get("network", "compute") == "compute"]

    @property
    def listed_rows(self) -> list[dict[str, str]]:
        """Return the rows of links.csv, or of cables.csv where no cable carries several links."""
        apart = (self.out / "cabling/links.csv").is_file()
        return self.rows("cabling/links.csv" if apart else "cabling/cables.csv")

    def gpus_at(self, device: str) -> set[str]:
        """Return the GPUs whose cables end at a switch, by cables.csv.

        In the generic fabrics a host is an HB domain, and a NIC has the number of its GPU.
        """
        rows = [
            row
            for row in self.rows("cabling/cables.csv")
            if row["b_device"] == device and row["tier"] == "1"
        ]
        numbers = [
            (re.findall(r"\d+", row["a_device"])[-1], re.findall(r"\d+", row["a_interface"])[0])
            for row in rows
        ]
        return {f"d{int(host) - 1}-g{nic}" for host, nic in numbers}

    def json_of(self, command: str, *arguments: str) -> Any:  # noqa: ANN401 - each command's JSON has its own keys
        """Return the `--json` of a command for the inventory."""
        return json.loads(called(command, str(self.inventory), *arguments, "--json"))


def called(*arguments: str, stream: Literal["stdout", "stderr"] = "stdout") -> str:
    """Run a command in this process, and return its output on a stream.

    Findings are no failure, and neither is a refusal whose text is wanted.
    """
    with (
        contextlib.redirect_stdout(io.StringIO()) as printed,
        contextlib.redirect_stderr(io.StringIO()) as complained,
    ):
        code = run(list(arguments))
    assert code in ({2} if stream == "stderr" else {0, 1}), complained.getvalue()
    return (printed if stream == "stdout" else complained).getvalue()


def build(name: str, home: Path) -> Built:
    """Build one of `FABRICS` with its report into a directory."""
    keys = FABRICS[name]
    home.mkdir(parents=True, exist_ok=True)
    inventory = ROOT / keys if isinstance(keys, str) else home / "fabric.yaml"
    if not isinstance(keys, str):
        inventory.write_text(json.dumps({"name": name} | keys), encoding="utf-8")
    return build_file(inventory, home / "out")


def build_file(
    inventory: Path, out: Path, groups: str = "report,cabling,bom,configs", *options: str
) -> Built:
    """Build an inventory with its report."""
    called("build", str(inventory), "-o", str(out), "--only", groups, *options)
    built = Built(inventory, out)
    assert built.report.is_file()
    return built


@contextmanager
def reading(browser: Browser, report: Path, *, at: str = "", **looks: Any) -> Iterator[Page]:  # noqa: ANN401 - options of Playwright's contexts
    """Open a report from the disk, and wait until it is complete.

    At the end there must be no request and no error.

    `at` follows the file in the address; `looks` are settings of the context.
    """
    looks.setdefault("viewport", {"width": DESK_PX, "height": 1000})
    context = browser.new_context(offline=True, reduced_motion="reduce", **looks)
    with watched(context, lambda url: url.partition("#")[0] == report.as_uri()) as page:
        page.goto(f"{report.as_uri()}{at}")
        settled(page)
        yield page


@contextmanager
def watched(
    context: BrowserContext, allowed: Callable[[str], bool], *, forgiven: str = ""
) -> Iterator[Page]:
    """Open a page that may load the allowed addresses.

    Any other request, message or error is a failure. Closes the context.

    Errors that contain `forgiven` are ignored.
    """
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    watch = Watch(page, allowed)
    try:
        yield page
    except Exception as error:
        error.add_note("\n".join(["the page complained:", *watch.faults]))
        raise
    finally:
        context.close()
    faults = [fault for fault in watch.faults if not forgiven or forgiven not in fault]
    assert not faults, "\n".join(faults)


class Watch:
    """Records the errors of a page."""

    def __init__(self, page: Page, allowed: Callable[[str], bool]) -> None:
        """Record the events of a page."""
        self.faults: list[str] = []
        self.allowed = allowed
        page.on("console", self._printed)
        page.on("pageerror", lambda error: self.faults.append(f"uncaught: {error}"))
        page.on("dialog", self._opened)
        page.on("request", self._asked)

    def _printed(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning", "assert"}:
            self.faults.append(f"{message.type}: {message.text}")

    def _opened(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _asked(self, request: Request) -> None:
        if not (self.allowed(request.url) or request.url.startswith(("blob:", "data:"))):
            self.faults.append(f"request: {request.url}")


def settled(page: Page) -> None:
    """Wait until every part that a section loads is there."""
    page.locator("main section").first.wait_for()
    expect(page.locator(".reading")).to_have_count(0)


def violations(page: Page, place: str = "") -> list[str]:
    """Return axe-core's serious and critical violations in the page or in one element."""
    found: list[dict[str, Any]] = Axe().run(page, place or None).response["violations"]
    grave = [each for each in found if each["impact"] in {"serious", "critical"}]
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in grave
        for node in each["nodes"]
    ]


def number(text: str) -> int:
    """Read the first number of a text, with or without separators of thousands.

    >>> number("1,024 of 2,048 cables")
    1024
    """
    return int(text.replace(",", "").split()[0])


def section(page: Page, name: str) -> Locator:
    """Return a section of the page by its id."""
    return page.locator(f"section#{name}")


@contextmanager
def serving(inventory: Path) -> Iterator[str]:
    """Serve an inventory in a new process on a free port, and return the printed address."""
    command = [sys.executable, "-m", "fabricgen", "serve", str(inventory), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        assert server.stdout
        line = server.stdout.readline()
        try:
            yield re.findall(r"http://[\d.]+:\d+/", line)[0]
        finally:
            server.terminate()

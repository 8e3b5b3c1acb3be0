"""The README and the pages of docs/: every block runs as shown, and the reference is complete."""

from __future__ import annotations

import doctest
import html
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fabricgen.api import plan_file
from fabricgen.catalog.catalog import Catalog
from fabricgen.catalog.kinds import KINDS
from fabricgen.cli.topics import pages as topics
from fabricgen.inventory.fabric import json_schema
from fabricgen.lab.requirements import doctor
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.cables.columns import COLUMNS
from tests import ROOT
from tests.blocks import blocks_of, checkout, matches, run_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from tests.conftest import Once

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCKS = {page: blocks_of(page) for page in PAGES}


def pages_with(language: str) -> pytest.MarkDecorator:
    """Run a test once for each page that has an unmarked block of a language."""
    found = [
        page
        for page in PAGES
        if any(block.language == language and not block.mark for block in BLOCKS[page])
    ]
    assert found
    return pytest.mark.parametrize("page", found, ids=lambda page: page.stem)


REACHES_OUT = re.compile(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"?(?:https?:)?//[^>]*>")


@pages_with("console")
def test_the_commands_of_a_page_print_what_it_shows(page: Path, tmp_path: Path) -> None:
    """A page is one session: it writes its files and runs its commands in order.

    It runs in an empty directory, as after an installation without a checkout.
    """
    assert run_session((block for block in BLOCKS[page] if not block.mark), tmp_path)


@pages_with("yaml")
def test_the_inventories_of_a_page_plan(page: Path, tmp_path: Path) -> None:
    """A block without a title is a whole inventory, which a reader copies."""
    for block in BLOCKS[page]:
        if block.language == "yaml" and not block.title:
            (tmp_path / "fabric.yaml").write_text(block.text, encoding="utf-8")
            assert plan_file(tmp_path / "fabric.yaml").fabric.spec.gpus


@pages_with("pycon")
def test_the_python_of_a_page_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page are one session in a checkout."""
    text = "".join(block.text for block in BLOCKS[page] if block.language == "pycon")
    monkeypatch.chdir(ROOT)
    session = doctest.DocTestParser().get_doctest(text, {}, page.name, None, None)
    report: list[str] = []
    outcome = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(
        session, out=report.append
    )
    assert outcome.failed == 0, "".join(report)
    assert outcome.attempted


def test_blocks_that_boot_a_lab_run_where_a_lab_can(
    tmp_path: Path, out_of_reach: Callable[[str], NoReturn]
) -> None:
    """The lab of the tutorial is booted."""
    missing = [need.what for need in doctor() if not need.ok]
    if missing:
        out_of_reach(f"no lab here: {', '.join(missing)}")
    place = checkout(tmp_path / "checkout")
    (place / "lab-64.yaml").symlink_to(ROOT / "inventories" / "lab-64.yaml")
    assert run_session(
        (block for page in PAGES for block in BLOCKS[page] if block.mark == "lab"), place
    )


def test_no_block_is_skipped() -> None:
    """A block is run, planned or written to a file, or has a reason why not.

    Most of them are run.
    """
    every = [block for page in BLOCKS for block in BLOCKS[page]]
    lost = [
        (block.page, block.text)
        for block in every
        if not (block.mark or block.title or block.language in {"console", "yaml", "pycon"})
    ]
    assert not lost
    silent = [
        (block.page, block.text)
        for block in every
        if block.language == "console" and not re.match(r"\$ \w", block.text)
    ]
    assert not silent
    marked = [block for block in every if block.mark == "not run"]
    assert all(len(block.reason.split()) >= 5 for block in marked)
    assert 0 < len(marked) < len(every) / 4


def test_a_wrong_block_is_detected(tmp_path: Path) -> None:
    """A session fails where a command prints other text or has another exit code."""
    page = tmp_path / "page.md"
    for printed in ("$ echo right\nwrong", "$ false", "$ echo fine\nerror[fine]"):
        page.write_text(f"# A page\n\n```console\n{printed}\n```\n", encoding="utf-8")
        with pytest.raises(AssertionError):
            run_session(blocks_of(page), tmp_path)
    assert not matches("...\nb", "a\nc")


@pytest.mark.parametrize("name", ["docs/architecture.md", "docs/style.md", "CONTRIBUTING.md"])
def test_the_paths_on_a_page_exist(name: str) -> None:
    """A page for developers names files and folders that are there."""
    text = (ROOT / name).read_text(encoding="utf-8")
    named = re.findall(r"`((?:fabricgen|tests|docs|web|templates|inventories)/[\w./-]*)`", text)
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.fixture(scope="module")
def site(once: Once, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as `make docs` does, with warnings as errors."""

    def make() -> str:
        out = tmp_path_factory.mktemp("docs") / "site"
        command = [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--strict",
            "--quiet",
            "--site-dir",
            str(out),
        ]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return str(out)

    return Path(once("site", make))


def text_of(site: Path, page: str) -> str:
    """Return a page of the reference as text, without markup and without source paths."""
    return html.unescape(
        re.sub(r"<[^>]+>", "", (site / "reference" / f"{page}.html").read_text(encoding="utf-8"))
    )


def anchors_of(site: Path, page: str) -> set[str]:
    """Return the anchors of a page of the reference."""
    return set(
        re.findall(
            r'id="([^"]+)"', (site / "reference" / f"{page}.html").read_text(encoding="utf-8")
        )
    )


@pytest.mark.slow
def test_the_reference_is_complete(site: Path) -> None:
    """Every key, model, pack, output, column and message has an entry."""
    schema, packs, catalog = json_schema(), Packs(), Catalog()
    keys = {
        key
        for part in [schema, *schema["definitions"].values()]
        for key in part.get("properties", {})
    }
    models = {model for kind in KINDS for model in catalog.names(kind)}
    pages = {path.stem for path in (ROOT / "fabricgen/cli/pages").rglob("*.md")}
    written = {
        output.path
        for name in packs.names()
        if (pack := packs.pack(name))
        for output in pack.outputs
    }
    for page, wanted in (
        ("inventory", keys),
        ("catalog", models),
        ("packs", written),
        ("columns", set(COLUMNS)),
    ):
        shown = text_of(site, page)
        assert wanted
        assert not [word for word in wanted if word not in shown], page
    assert pages <= anchors_of(site, "messages")
    glossary = text_of(site, "glossary")
    for text in topics("terms").values():
        term, _, meaning = text.read_text(encoding="utf-8").partition("\n")[0][2:].partition(": ")
        assert term in glossary
        assert meaning in glossary
    assert set(packs.names()) <= anchors_of(site, "packs")


@pytest.mark.slow
def test_every_kind_of_output_links_to_its_view(site: Path) -> None:
    """Each output links to the view of its template, which is shown with values.

    The strict build verifies the links.
    """
    shown = text_of(site, "views")
    assert "r0-leaf-1" in shown
    assert "One port in use on a switch." in shown
    assert {
        "views-switches-view-SwitchView",
        "views-switches-view-PortView",
        "views-hosts-view-NicView",
        "outputs-installation-picture_view-ElevationView",
    } <= anchors_of(site, "views")


@pytest.mark.slow
def test_the_site_is_self_contained(site: Path) -> None:
    """A reader fetches nothing, no machine is named, and no built file is kept in the checkout."""
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not REACHES_OUT.findall(text), path.name
        assert str(ROOT) not in text, path.name
    assert not list(site.rglob("*.py"))
    assert not (ROOT / "docs/reference").exists()

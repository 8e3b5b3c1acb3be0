"""Every Markdown file of a pack, parsed as CommonMark with tables. Every table is complete."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from fabricgen.catalog.catalog import Catalog
from fabricgen.inventory.purchasing import Prices
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.plan import make_plan
from tests.fabrics import build_job, plan_of
from tests.outputs.packs.managed import LEAST

if TYPE_CHECKING:
    from pathlib import Path

    from markdown_it.token import Token

FABRIC = {"gpus": 64, "hb_domain": {"gpus": 8}, "radix": 16, "nos": "frr", "management": LEAST}


def of_packs() -> set[str]:
    """Return the Markdown files of every pack."""
    packs = [pack for pack in map(Packs().pack, Packs().names()) if pack]
    return {output.path for pack in packs for output in pack.outputs if output.path.endswith(".md")}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Write the Markdown files of a small fabric."""
    out: Path = tmp_path_factory.mktemp("markdown")
    job = build_job(plan_of(**FABRIC), Packs())
    tasks = [
        task for task in job.tasks if any(path.endswith(".md") for path in task.paths(job.context))
    ]
    written = [file.path for task in tasks for file in task.write(job.context, out)]
    return {path: (out / path).read_text("utf-8") for path in written if path.endswith(".md")}


def parsed(text: str) -> list[Token]:
    """Parse a page as GitHub does."""
    return MarkdownIt("commonmark").enable("table").parse(text)


def test_every_markdown_file_is_written(pages: dict[str, str]) -> None:
    """The fabric has every Markdown file of every pack."""
    assert set(pages) == of_packs() >= {"bom/savings.md"}


def test_every_table_has_its_rows(pages: dict[str, str]) -> None:
    """Every line that begins with a bar is a row of a table or the rule below its head.

    All rows have as many cells.
    """
    for path, text in pages.items():
        tokens = parsed(text)
        kinds = [token.type for token in tokens]
        bars = [line for line in text.splitlines() if line.lstrip().startswith("|")]
        assert kinds.count("tr_open") == len(bars) - kinds.count("table_open"), path
        assert not [
            token.content
            for token in tokens
            if token.type == "inline" and token.content.startswith("|")
        ], path
        cells = kinds.count("td_open") + kinds.count("th_open")
        assert cells == sum(line.count("|") - 1 for line in bars if "---" not in line), path


def test_a_blank_line_within_a_table_is_detected() -> None:
    """The parser reads a head without its rule in the next line as a paragraph."""
    whole, torn = "| a | b |\n| - | - |\n| 1 | 2 |\n", "| a | b |\n| - | - |\n\n| 1 | 2 |\n"
    rows = [[token.type for token in parsed(text)].count("tr_open") for text in (whole, torn)]
    assert rows == [2, 1]


def test_a_price_book_cannot_write_markup(tmp_path: Path) -> None:
    """The name of a user's price book is text in the page: no HTML, no link, no new cell."""
    name = "<script>x</script> &copy; [a](b) | c"
    book = {
        "name": name,
        "description": name,
        "source": "-",
        "currency": "USD",
        "switch_port_400g": 1,
        "transceiver_400g": 1,
    }
    (tmp_path / "own.yaml").write_text(json.dumps(book), encoding="utf-8")
    plan = make_plan(
        plan_of(**FABRIC).spec.model_copy(update={"prices": Prices(book="own.yaml")}),
        Catalog(base=tmp_path),
    )
    job = build_job(plan, Packs())
    task = next(task for task in job.tasks if "bom/savings.md" in task.paths(job.context))
    written = [file.path for file in task.write(job.context, tmp_path) if file.path.endswith(".md")]
    text = (tmp_path / written[0]).read_text("utf-8")
    inline = [child for token in parsed(text) for child in token.children or ()]
    assert name in "".join(child.content for child in inline)
    assert {child.type for child in inline} <= {"text", "text_special", "softbreak", "code_inline"}
    assert not [token for token in parsed(text) if token.type == "html_block"]

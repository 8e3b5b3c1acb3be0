"""Every block of the README runs, and prints what the README says that it prints."""

from __future__ import annotations

import doctest
from typing import TYPE_CHECKING

from tests import ROOT
from tests.blocks import blocks_of, checkout, run_session

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.conftest import Run

BLOCKS = blocks_of(ROOT / "README.md")


def test_commands_print_what_the_readme_says(tmp_path: Path) -> None:
    """The blocks are one session: an inventory that one command writes is read by the next."""
    assert (
        run_session((block for block in BLOCKS if not block.mark), checkout(tmp_path / "readme"))
        >= 5
    )


def test_the_inventories_of_the_readme_plan(run: Run) -> None:
    """A newcomer copies them first."""
    found = [block for block in BLOCKS if block.language == "yaml" and not block.title]
    for block in found:
        assert run("plan", "-", stdin=block.text).returncode == 0
    assert found


def test_the_python_of_the_readme_runs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks are one session in a checkout, and each line prints what stands below it."""
    text = "".join(block.text for block in BLOCKS if block.language == "pycon")
    monkeypatch.chdir(root)
    session = doctest.DocTestParser().get_doctest(text, {}, "README.md", None, None)
    heard: list[str] = []
    outcome = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(
        session, out=heard.append
    )
    assert outcome.failed == 0, "".join(heard)
    assert outcome.attempted >= 5

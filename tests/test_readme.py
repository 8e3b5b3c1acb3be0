"""Every command block of the README runs, and prints what the README says that it prints."""

from __future__ import annotations

import doctest
import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.conftest import Run

CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
PYTHON = re.compile(r"```pycon\n(.*?)```", re.DOTALL)
YAML = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


def sessions(text: str) -> list[tuple[str, str]]:
    """Return each command of the console blocks with the output that stands below it."""
    found = []
    for block in CONSOLE.findall(text):
        for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = piece.partition("\n")
            found.append((command, output.strip()))
    return found


def test_commands_print_what_the_readme_says(root: Path, tmp_path: Path, run: Run) -> None:
    """The blocks are one session: an inventory that one command writes is read by the next."""
    found = sessions((root / "README.md").read_text(encoding="utf-8"))
    for command, output in found:
        program, *arguments = shlex.split(command)
        assert program == "fabricgen"
        done = run(*arguments, cwd=tmp_path)
        assert done.returncode == (1 if output.startswith("error[") else 0), done.stderr
        if output:
            assert (done.stdout + done.stderr).strip() == output, command
    assert len(found) >= 5


def test_the_inventory_of_the_readme_plans(root: Path, run: Run) -> None:
    """A newcomer copies it first."""
    texts = YAML.findall((root / "README.md").read_text(encoding="utf-8"))
    for text in texts:
        assert run("plan", "-", stdin=text).returncode == 0
    assert texts


def test_the_python_of_the_readme_runs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks are one session in a checkout, and each line prints what stands below it."""
    text = "".join(PYTHON.findall((root / "README.md").read_text(encoding="utf-8")))
    monkeypatch.chdir(root)
    session = doctest.DocTestParser().get_doctest(text, {}, "README.md", None, None)
    heard: list[str] = []
    outcome = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(session, out=heard.append)
    assert outcome.failed == 0, "".join(heard)
    assert outcome.attempted >= 5

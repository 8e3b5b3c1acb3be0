"""Every refusal prints the text of its file, writes nothing and has a page.

Its hint works when it is followed.
"""

from __future__ import annotations

import ast
import io
import os
import re
import shlex
import sys
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest

from fabricgen.cli import run
from fabricgen.cli.topics import ALIASES
from tests import ROOT
from tests.refusals import CASES, write_expected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.refusals import Case

SOURCES = sorted((ROOT / "fabricgen").rglob("*.py"))
PAGES = ROOT / "fabricgen" / "cli" / "pages"
FEWEST = 54
"""The number of error codes when this was written."""

MAKERS = {"Finding", "refuse", "_refuse", "_undivided"}
"""The functions whose first argument is an error code; others take it as `code`."""


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder with its contents, and every directory."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Case, list[str]], int]:
    """Return a function that writes a case into an empty directory and runs a command there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FABRICGEN_CATALOG", raising=False)
    monkeypatch.delenv("FABRICGEN_TEMPLATES", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))

    def start(case: Case, command: list[str]) -> int:
        stdin = io.TextIOWrapper(io.BytesIO(case.body if case.reads_stdin else b""))
        monkeypatch.setattr(sys, "stdin", stdin)
        return run(command)

    return start


@pytest.mark.parametrize(
    "case", [case for case in CASES if not case.shown_by], ids=lambda case: case.path.stem
)
def test_refusal(
    case: Case,
    play: Callable[[Case, list[str]], int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The text is exact, the exit code is 2, stdout is empty, and the disk is unchanged."""
    case.lay_out(tmp_path)
    before = snapshot(tmp_path)
    code = play(case, case.command)
    output = capsys.readouterr()
    if os.environ.get("FABRICGEN_UPDATE"):
        write_expected(case.path, output.err)
    assert output.err == case.expected
    assert (code, output.out) == (2, "")
    assert output.err.startswith(f"error[{case.code}]: ") or f"\nerror[{case.code}]: " in output.err
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    ("case", "fix"),
    [
        pytest.param(case, fix, id=f"{case.path.stem}: {fix}")
        for case in CASES
        for fix in case.fixes
    ],
)
def test_following_the_hint_works(
    case: Case,
    fix: str,
    play: Callable[[Case, list[str]], int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An inventory changed as the hint asks is accepted."""
    command = list(case.command)
    old, arrow, new = (
        fix.replace("\\n", "\n").replace("\\t", "\t").removesuffix("(nothing)").partition(" => ")
    )
    if arrow:
        assert old.encode() in case.body or any(old in word for word in command)
        case = replace(case, body=case.body.replace(old.encode(), new.encode()))
        command = [word.replace(old, new) for word in command]
    else:
        command += shlex.split(fix)
    case.lay_out(tmp_path)
    code = play(case, command)
    assert (code, capsys.readouterr().err.partition("error[")[2]) == (0, "")


def test_cases_of_other_tests_are_tested_there() -> None:
    """A case that needs a machine in some state names the test that provides it.

    That test names the case.
    """
    elsewhere = [case for case in CASES if case.shown_by]
    assert elsewhere
    assert [
        case.path.name
        for case in elsewhere
        if f'"{case.path.stem}"' not in (ROOT / case.shown_by).read_text(encoding="utf-8")
    ] == []


def test_numbers_are_those_of_an_inventory() -> None:
    """No digits are grouped, apart from those of an input that is quoted."""
    quoted = re.compile(r"`[^`]*`|\"[^\"]*\"")
    texts = {case.path.name: quoted.sub("", case.expected) for case in CASES}
    assert any(re.search(r"\d{4}", text) for text in texts.values())
    assert [name for name, text in texts.items() if re.search(r"\d,\d{3}\b", text)] == []


def literal(node: ast.expr | None) -> str | None:
    """Return the value of a string literal."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _codes(source: Path) -> Iterator[str | None]:
    """Yield the code of each finding in a source."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            names = [argument.arg for argument in node.args.args]
            defaults = dict(zip(reversed(names), reversed(node.args.defaults), strict=False))
            if "code" in defaults:
                yield literal(defaults["code"])
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        given = [keyword.value for keyword in node.keywords if keyword.arg == "code"]
        if name in MAKERS:
            yield literal(given[0] if given else node.args[0])
        elif given:
            yield literal(given[0])


@cache
def codes_of(source: Path) -> frozenset[str | None]:
    """Return the error codes of the findings in a source. A code held in a variable is None."""
    return frozenset(_codes(source))


def test_every_code_has_a_refusal_and_a_page() -> None:
    """Each error code of the source has a file here and a page.

    No file has a code that was removed. A code of what a command finds is no refusal; `explain`
    takes it as another word for a page.
    """
    codes = {code for source in SOURCES for code in codes_of(source) if code} - set(ALIASES)
    shown = {case.code for case in CASES}
    pages = {page.stem for page in PAGES.glob("*.md")}
    assert codes - shown == set(), "codes without a file in tests/refusals"
    assert shown - codes == set(), "files about codes that no source makes"
    assert codes - pages == set(), "codes without a page in fabricgen/cli/pages"
    assert len(codes) >= FEWEST
    assert len(CASES) >= len(codes)


def test_the_collector_finds_every_finding() -> None:
    """Code in a variable is allowed in the few functions that take it from their caller.

    `law` takes it from a law, `registry` and `lab_output` from a lab, `audit` from a kind of
    miscabling.
    """
    variable = {source.name for source in SOURCES for code in codes_of(source) if code is None}
    assert variable == {
        "diagnostics.py",
        "yaml_text.py",
        "yaml_tree.py",
        "consistency.py",
        "law.py",
        "registry.py",
        "lab_output.py",
        "audit.py",
    }


def test_every_refusal_has_a_hint() -> None:
    """A refusal always names a remedy."""
    assert [case.path.name for case in CASES if "hint: " not in case.expected] == []


def test_most_hints_are_followed() -> None:
    """Cases whose hint is a change of the inventory contain that change."""
    followed = [case for case in CASES if case.fixes]
    assert len(followed) * 2 > len(CASES)


def test_no_refusal_names_a_path_of_the_machine() -> None:
    """A refusal prints the names that were typed."""
    for case in CASES:
        assert "/tmp" not in case.expected, case.path.name  # noqa: S108 - the path must be absent from the texts

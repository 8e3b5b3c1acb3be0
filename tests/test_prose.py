"""The prose of the project keeps to docs/style.md: no word of the list below, in any text."""

from __future__ import annotations

import io
import re
import tokenize
from itertools import chain
from typing import TYPE_CHECKING

import pytest

from tests import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WORDS = {
    r'nobody(?!")|somebody|anybody|whoever': "name the actor, or use the passive voice of a manual",
    r"stands?(?! for\b)": "is, is listed, is located",
    r"hears?|heard": "receives, is reported; a neighbor record",
    r"reckon(?:s|ed|ing)?": "compute, estimate",
    r"mend(?:s|ed|ing)?": "fix, repair",
    r"tells?|told": "print, show, describe, report",
    r"says": "print, state, describe, have",
    r"(?:is|are|was|were|be|been) said": "is listed, is documented",
    r"take(?:s|n)? over|taking over|took over": "import, adopt",
    r"so-manieth": "every fifth",
}
"""Words of the old tone -> what to write instead."""

FIRST = re.compile(r'^[rf]?"""(?:Say|Tell|Ask)\b')
"""How no docstring begins: a function returns, prints, computes or verifies."""

ANYWHERE = re.compile(FIRST.pattern.removeprefix("^"))
"""The same in a whole file, of which it may be no docstring."""

BANNED = re.compile("|".join(rf"(?<![-`\w])(?:{words})(?![-\w])" for words in WORDS), re.IGNORECASE)
SUFFIXES = {".md", ".yaml", ".j2", ".ts", ".tsx", ".toml", ".py"}
OWN = "tests/test_prose.py"
LEFT_OUT = {"node_modules", "__pycache__", "found"}
"""Directories that are made, or that contain the words of others."""

MADE = {".venv", ".venv-peers", ".venv-tools", ".git", "site", "out", "build", "dist"}
"""Such directories at the top; `build` is also the name of a package."""


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers; of Python its comments and strings."""
    source = path.read_text(encoding="utf-8", errors="replace")  # some cases are no UTF-8
    if not (BANNED.search(source) or ANYWHERE.search(source)):
        return  # most files need not be split into tokens, which takes a hundred times as long
    if path.suffix != ".py":
        yield from enumerate(source.splitlines(), start=1)
        return
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            for offset, line in enumerate(token.string.splitlines()):
                yield token.start[0] + offset, line


def faults_of(path: Path) -> list[str]:
    """Return what to reword in a file."""
    name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name
    return [
        f"{name}:{number}: {word[0]!r}"
        for number, line in texts_of(path)
        for word in (*BANNED.finditer(line), *FIRST.finditer(line))
    ]


def files() -> list[Path]:
    """List every text of the project."""
    own = (top for top in ROOT.iterdir() if top.name not in MADE)
    return sorted(
        path
        for path in chain.from_iterable((top, *top.rglob("*")) for top in own)
        if path.suffix in SUFFIXES
        and LEFT_OUT.isdisjoint(path.relative_to(ROOT).parts)
        and str(path.relative_to(ROOT)) != OWN
    )


def test_the_prose_is_plain() -> None:
    """Every text is free of the words."""
    texts = files()
    assert len(texts) > 20
    assert [fault for path in texts for fault in faults_of(path)] == []


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.md", "What it costs is said by `impact`.", 1),
        ("a.md", "It stands for a plan; a `stand` and a code `nothing-heard` are left alone.", 0),
        ("a.py", 'def reckon():\n    """Say whether it holds."""\n', 1),
        ("a.py", "told = 1  # for whoever comes\n", 1),
        ("a.yaml", "fact: nobody knows\n", 1),
    ],
)
def test_a_word_is_found(name: str, text: str, found: int, tmp_path: Path) -> None:
    """Names in code are no prose, and neither are words in backticks."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert len(faults_of(path)) == found

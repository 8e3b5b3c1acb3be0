"""Reads YANG modules as statements, as far as the conversion of a configuration to XML needs them.

yanglint validates the XML. It knows types, ranges, references and conditions; this reader knows
only which statement is inside which.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_TOKEN = re.compile(
    r'\s+|//[^\n]*|/\*.*?\*/|(?P<text>"(?:[^"\\]|\\.)*"|\'[^\']*\'|[{};]|[^\s{};"\']+)', re.DOTALL
)


@dataclass
class Statement:
    """One statement of a YANG module: `list PORT_LIST { … }`."""

    word: str
    argument: str = ""
    body: list[Statement] = field(default_factory=list)

    def of(self, word: str) -> list[Statement]:
        """Return the statements of one kind in the body."""
        return [inner for inner in self.body if inner.word == word]

    def value(self, word: str) -> str:
        """Return the argument of the only statement of a kind."""
        (one,) = self.of(word)
        return one.argument


def statements(text: str) -> list[Statement]:
    """Read the statements of a text."""
    return _parse(found["text"] for found in _TOKEN.finditer(text) if found["text"])


def _parse(tokens: Iterator[str]) -> list[Statement]:
    """Read statements up to the brace that closes them."""
    found, words = [], list[str]()
    for text in tokens:
        if text == "}":
            break
        if text in "{;":
            statement = Statement(
                words[0], "".join(word.strip("\"'") for word in words[1:] if word != "+")
            )
            statement.body = _parse(tokens) if text == "{" else []
            found.append(statement)
            words = []
        else:
            words.append(text)
    return found


@cache
def module(path: Path) -> Statement:
    """Read a module."""
    (found,) = statements(path.read_text(encoding="utf-8"))
    return found


def importing(names: Iterable[str], folder: Path) -> Path:
    """Write a module that imports others, with which yanglint reads them without compiling each."""
    imports = "".join(f"import {name} {{prefix p{at};}}" for at, name in enumerate(names))
    path = folder / "every.yang"
    path.write_text(f"module every {{namespace urn:every; prefix e; {imports}}}", encoding="utf-8")
    return path


def element(name: str, inner: str, namespace: str = "") -> str:
    """Return an element of XML."""
    space = f' xmlns="{namespace}"' if namespace else ""
    return f"<{name}{space}>{inner}</{name}>"


def leaf(name: str, value: object) -> str:
    """Return a leaf as an element of XML."""
    return element(name, escape(str(value)))

"""Converts a config_db.json into XML, which yanglint validates against SONiC's YANG models.

In ConfigDB every scalar is a string. YANG's JSON has numbers and booleans and XML does not, hence
XML. A table is a container. Its rows are entries of the list with as many keys as the row's name
has parts. A map is a list in that list.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.nos.sonic import ConfigDb

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
def _module(path: Path) -> Statement:
    """Read a module."""
    text = path.read_text(encoding="utf-8")
    (module,) = _parse(found["text"] for found in _TOKEN.finditer(text) if found["text"])
    return module


@cache
def _home(models: Path, table: str) -> Path:
    """Find the module that describes a table, as a child of its top container."""
    named = (
        path
        for path in sorted(models.glob("sonic-*.yang"))
        if re.search(rf"\bcontainer\s+{table}\s*\{{", path.read_text(encoding="utf-8"))
    )
    found = [
        path
        for path in named
        if table
        in {
            inner.argument for top in _module(path).of("container") for inner in top.of("container")
        }
    ]
    assert len(found) == 1, f"{len(found)} models describe {table}"
    return found[0]


def to_xml(tables: ConfigDb, models: Path) -> tuple[str, list[Path]]:
    """Convert a configuration; return it with the modules that it needs."""
    homes: dict[Path, list[str]] = {}
    for table in tables:
        homes.setdefault(_home(models, table), []).append(table)
    parts = []
    for path, names in homes.items():
        module = _module(path)
        (top,) = module.of("container")
        rows = "".join(
            _table(next(one for one in top.of("container") if one.argument == name), tables[name])
            for name in names
        )
        parts.append(f'<{top.argument} xmlns="{module.value("namespace")}">{rows}</{top.argument}>')
    return "\n".join(parts), list(homes)


def _table(shape: Statement, rows: dict[str, dict[str, object]]) -> str:
    """Convert a table."""
    return _element(shape.argument, "".join(_row(shape, name, row) for name, row in rows.items()))


def _row(shape: Statement, name: str, row: dict[str, object]) -> str:
    """Convert a row: the entry of a list, or a container, which some tables have instead."""
    if name in {inner.argument for inner in shape.of("container")}:
        return _element(name, _leaves(row))
    parts = name.split("|")
    chosen = next(
        (inner for inner in shape.of("list") if len(inner.value("key").split()) == len(parts)), None
    )
    assert chosen is not None, f"{shape.argument} has no list for {name}"
    keys = _leaves(dict(zip(chosen.value("key").split(), parts, strict=True)))
    maps = chosen.of("list")
    return _element(chosen.argument, keys + (_map(maps[0], row) if maps else _leaves(row)))


def _map(shape: Statement, row: dict[str, object]) -> str:
    """Convert a row that is itself a map: each pair is an entry of the inner list."""
    key = shape.value("key")
    (value,) = (leaf.argument for leaf in shape.of("leaf") if leaf.argument != key)
    return "".join(
        _element(shape.argument, _leaves({key: one, value: other})) for one, other in row.items()
    )


def _leaves(row: dict[str, object]) -> str:
    """Convert plain fields."""
    return "".join(_element(name, escape(str(value))) for name, value in row.items())


def _element(name: str, inner: str) -> str:
    return f"<{name}>{inner}</{name}>"


def validate(
    program: str, models: Path, tables: ConfigDb, folder: Path
) -> subprocess.CompletedProcess[str]:
    """Validate a configuration with yanglint.

    It returns 0, or another code with the invalid node.
    """
    text, modules = to_xml(tables, models)
    path = folder / "config_db.xml"
    path.write_text(text, encoding="utf-8")
    return subprocess.run(
        [program, "-p", models, "-t", "config", "-f", "xml", *modules, path],
        capture_output=True,
        text=True,
        check=False,
    )

"""Converts a config_db.json into XML, which yanglint validates against SONiC's YANG models.

In ConfigDB every scalar is a string. YANG's JSON has numbers and booleans and XML does not, hence
XML. A table is a container. Its rows are entries of the list with as many keys as the row's name
has parts. A map is a list in that list.
"""

from __future__ import annotations

import re
import subprocess
from functools import cache
from typing import TYPE_CHECKING

from tests.nos.yang import Statement, element, leaf, module

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from tests.nos.sonic import ConfigDb


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
        in {inner.argument for top in module(path).of("container") for inner in top.of("container")}
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
        described = module(path)
        (top,) = described.of("container")
        rows = "".join(
            _table(next(one for one in top.of("container") if one.argument == name), tables[name])
            for name in names
        )
        parts.append(element(top.argument, rows, described.value("namespace")))
    return "\n".join(parts), list(homes)


def _table(shape: Statement, rows: dict[str, dict[str, object]]) -> str:
    """Convert a table."""
    return element(shape.argument, "".join(_row(shape, name, row) for name, row in rows.items()))


def _row(shape: Statement, name: str, row: dict[str, object]) -> str:
    """Convert a row: the entry of a list, or a container, which some tables have instead."""
    if name in {inner.argument for inner in shape.of("container")}:
        return element(name, _leaves(row))
    parts = name.split("|")
    chosen = next(
        (inner for inner in shape.of("list") if len(inner.value("key").split()) == len(parts)), None
    )
    assert chosen is not None, f"{shape.argument} has no list for {name}"
    keys = _leaves(dict(zip(chosen.value("key").split(), parts, strict=True)))
    maps = chosen.of("list")
    lists = {inner.argument for inner in chosen.of("leaf-list")}
    return element(chosen.argument, keys + (_map(maps[0], row) if maps else _leaves(row, lists)))


def _map(shape: Statement, row: dict[str, object]) -> str:
    """Convert a row that is itself a map: each pair is an entry of the inner list."""
    key = shape.value("key")
    (value,) = (one.argument for one in shape.of("leaf") if one.argument != key)
    return "".join(
        element(shape.argument, _leaves({key: one, value: other})) for one, other in row.items()
    )


def _leaves(row: dict[str, object], lists: Collection[str] = ()) -> str:
    """Convert plain fields; those of `lists` have values separated by commas."""
    return "".join(
        leaf(name, each)
        for name, value in row.items()
        for each in (str(value).split(",") if name in lists else [value])
    )


def validate(
    program: str, models: Path, folder: Path, *databases: ConfigDb
) -> subprocess.CompletedProcess[str]:
    """Validate configurations with yanglint, which reads the models once for all of them.

    It returns 0, or another code with the invalid node.
    """
    modules: dict[Path, None] = {}  # in the order of the tables, in which yanglint needs them
    paths = [folder / f"{number}.xml" for number in range(len(databases))]
    for path, tables in zip(paths, databases, strict=True):
        text, used = to_xml(tables, models)
        path.write_text(text, encoding="utf-8")
        modules |= dict.fromkeys(used)
        if "VLAN_MEMBER" in tables:  # whose conditions are on tables of these
            modules |= {
                models / f"sonic-{name}.yang": None for name in ("interface", "mirror-session")
            }
    return subprocess.run(
        [program, "-p", models, "-t", "config", "-f", "xml", *modules, *paths],
        capture_output=True,
        text=True,
        check=False,
    )

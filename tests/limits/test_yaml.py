"""Anchors and brackets of every YAML file that a user may name."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from tests import ROOT
from tests.limits.bounded import LAB, answers

if TYPE_CHECKING:
    from pathlib import Path

ALIASES = ", ".join(["*{0}"] * 10)
TEXTS = {
    "itself": "a: &a {b: *a}\n",
    "unfolds": "a: &a [x]\n"
    + "".join(
        f"{new}: &{new} [{ALIASES.format(old)}]\n"
        for old, new in zip("abcdefghijkl", "bcdefghijklm", strict=True)
    ),
    "deep": f"a: {'[' * 200}{']' * 200}\n",
}
"""Texts of less than 1 kB; the second one unfolds into 10^12 values."""

READERS = {
    "inventory": ("f.yaml", "plan f.yaml"),
    "prices": ("f.yaml", "plan LAB --prices f.yaml"),
    "llm": ("f.yaml", "model LAB --llm ./f.yaml"),
    "published": ("f.yaml", "model LAB --llm gpt3 --published f.yaml"),
    "import": ("f.yaml", "catalog import f.yaml"),
    "set": ("f.yaml", "plan LAB --set TEXT"),
    "switch": ("c/switches/sn5600.yaml", "catalog show sn5600 --catalog c"),
    "list": ("c/switches/own.yaml", "catalog list --catalog c"),
    "pack": ("t/frr/pack.yaml", "build LAB -o out --only configs --templates t"),
    "profiles": ("t/cabling/profiles.yaml", "build LAB -o out --only cabling --templates t"),
    "layouts": ("t/cabling/layouts.yaml", "build LAB -o out --only cabling --templates t"),
}
"""What reads YAML -> the path of the file, and the command that reads it."""


def test_every_yaml_file_is_answered_within_its_limits(tmp_path: Path) -> None:
    """An anchor in itself, one that unfolds into 10^12 values, and deep brackets are refused."""
    commands = []
    for reader, (path, command) in READERS.items():
        for fault, text in TEXTS.items():
            file = tmp_path / f"{reader}-{fault}" / path
            file.parent.mkdir(parents=True)
            file.write_text(text, encoding="utf-8")
            words = command.replace("LAB", LAB).split()
            words = [word if word != "TEXT" else f"rails={text[3:]}" for word in words]
            commands.append((tmp_path / f"{reader}-{fault}", words))
    codes = answers(commands)
    assert {
        folder.name: code for (folder, _), code in zip(commands, codes, strict=True) if code != 2
    } == {}


def test_deep_json_is_refused(tmp_path: Path) -> None:
    """What reads the values of a JSON text may recurse: brackets have a limit there too."""
    deep = f"{'[' * 900}{']' * 900}"
    plan = '{"format": "fabricgen-plan/1", "inventory": {"name": "a", "rails": DEEP}}'
    (tmp_path / "plan.json").write_text(plan.replace("DEEP", deep), encoding="utf-8")
    (tmp_path / "platform.json").write_text(
        f'{{"chassis": {{}}, "interfaces": {deep}}}', encoding="utf-8"
    )
    commands = ["plan plan.json", "catalog import platform.json", f"audit {LAB} --lldp plan.json"]
    assert answers([(tmp_path, command.split()) for command in commands]) == [2, 2, 2]


def test_one_function_parses_yaml() -> None:
    """One call composes a text, within the limits; import-linter keeps ruamel in this module."""
    source = (ROOT / "fabricgen" / "core" / "yaml_tree.py").read_text(encoding="utf-8")
    calls = [
        call.func.attr
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    ]
    assert [name for name in calls if re.search(r"load|compose$|parse|scan", name)] == ["compose"]

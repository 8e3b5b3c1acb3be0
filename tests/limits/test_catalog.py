"""Facts of catalog files: each number at its maximum is planned or refused, and refused above."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.catalog.kinds import KINDS
from fabricgen.catalog.parse import parse
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.yaml_text import load_facts
from tests import ROOT
from tests.limits.bounded import FABRIC, LAB, answers
from tests.limits.test_inventory import Key, values

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MODELS = {
    "switches": ("sn5600", "sn2201"),
    "hosts": ("dgx-h100",),
    "nics": ("connectx-7",),
    "accelerators": ("h100-sxm",),
    "transceivers": ("mma4z00-ns",),
    "cables": ("mfp7e10", "cat6"),
    "connectors": ("mpo12",),
    "cassettes": ("adapters-12-mpo12",),
    "panels": ("panel-1u",),
    "trunks": ("trunk-mpo12-mmf",),
    "devices": ("ap8886",),
    "workloads": ("gpt3",),
}
"""Kind -> models that the inventory or its commands read."""


def numbers(value: object, key: Key = ()) -> Iterator[Key]:
    """Yield the keys of the numbers of a file; of a list, those of its first entry."""
    if isinstance(value, dict):
        for name, below in value.items():
            yield from numbers(below, (*key, name))
    elif isinstance(value, list) and value:
        yield from numbers(value[0], (*key, 0))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield key


def changed(facts: Any, key: Key, number: float) -> Any:  # noqa: ANN401 - any facts
    """Return facts with another number at a key."""
    if not key:
        return number
    below = changed(facts[key[0]], key[1:], number)
    if isinstance(facts, list):
        return [below, *facts[1:]]
    return {**facts, key[0]: below}


def text_of(facts: object) -> str:
    """Return facts as the text of a file: JSON but for keys that are numbers."""
    return re.sub(r'"(\d+)": ', r"\1: ", json.dumps(facts, default=str))


def test_every_number_of_a_catalog_file_is_answered_within_the_limits(tmp_path: Path) -> None:
    """At its maximum a fact is planned or refused; a number above it is refused."""
    commands = []
    for kind, models in MODELS.items():
        schema = KINDS[kind].model_json_schema()
        schema["definitions"] = schema.pop("$defs", {})
        most = {
            key: form["maximum"] for key, form in values(schema, (), schema) if "maximum" in form
        }
        for model in models:
            file = ROOT / "inventories" / ("" if kind == "workloads" else "catalog") / kind
            facts = load_facts(file / f"{model}.yaml")
            for key in numbers(facts):
                known = [most[each] for each in most if same(each, key)]
                folder = tmp_path / f"{model}-{'.'.join(map(str, key))}"
                own = folder / "own" / kind / f"{model}.yaml"
                own.parent.mkdir(parents=True)
                (folder / "f.yaml").write_text(json.dumps(FABRIC), "utf-8")
                own.write_text(text_of(changed(facts, key, 10**15)), encoding="utf-8")
                with pytest.raises(Refusal):
                    parse(own, KINDS[kind])
                own.write_text(
                    text_of(changed(facts, key, int(known[0]) if known else 10**9)), "utf-8"
                )
                words = ["model", "--llm", model] if kind == "workloads" else ["plan"]
                commands.append((folder, [*words, "f.yaml", "--catalog", "own"]))
    codes = answers(commands)
    assert {
        folder.name: code
        for (folder, _), code in zip(commands, codes, strict=True)
        if code not in {0, 2}
    } == {}
    assert len(commands) > 80


FILES = (
    ("templates", "cabling/layouts.yaml", ("a4-48", "columns"), "build LAB -o o --only cabling"),
    ("templates", "cabling/layouts.yaml", ("a4-48", "text_pt"), "build LAB -o o --only cabling"),
    ("templates", "sonic/pack.yaml", ("assumed", "lossless_mtu"), "build LAB -o o --only configs"),
    ("inventories", "prices/street-2026-09.yaml", (), "plan LAB"),
)
"""Other files with numbers: where the shipped one is, a key, and a command that reads it."""


def test_numbers_of_packs_and_price_books_are_answered_within_the_limits(tmp_path: Path) -> None:
    """A huge number of a layout, of a NOS's pack or of a price book is used or refused."""
    commands = []
    for number, (root, name, key, command) in enumerate(FILES):
        facts = load_facts(ROOT / root / name)
        path = tmp_path / str(number) / name
        path.parent.mkdir(parents=True)
        path.write_text(text_of(changed(facts, key or next(numbers(facts)), 10**40)), "utf-8")
        own = f"--prices {name}" if root == "inventories" else "--templates ."
        commands.append((tmp_path / str(number), f"{command} {own}".replace("LAB", LAB).split()))
    assert {*answers(commands)} <= {0, 2}


def same(key: Key, other: Key) -> bool:
    """Return whether two keys are of the same fact: a mapping's own keys are free."""
    return len(key) == len(other) and all(
        one in {two, "sn5600"} for one, two in zip(key, other, strict=True)
    )

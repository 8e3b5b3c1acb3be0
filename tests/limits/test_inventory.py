"""Counts, lists and texts of an inventory: each has a maximum, and none is unfolded before."""

from __future__ import annotations

import json
from copy import deepcopy
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from fabricgen.inventory.fabric import FabricSpec, json_schema
from tests.limits.bounded import answers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COUNTS = (10**5, 10**9, 10**12, 10**15)
NUMBERS = {"integer", "number"}
Key = tuple[str | int, ...]

LEAF = {"switches": {"leaf": {"model": "sn5600"}}}
SMALL: dict[str, Any] = {"name": "lab", "gpus": 64, "hb_domain": {"gpus": 8}, **LEAF}
AROUND: dict[str, dict[str, Any]] = {
    "devices": {
        "devices": [{"name": "dev-{n}", "count": 2, "ports": {"oob": 1}}],
        "networks": {"oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"}},
    },
    "networks": {
        "devices": [{"name": "dev-{n}", "count": 4, "ports": {"oob": 1, "inband": 2}}],
        "networks": {
            "oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"},
            "inband": {"switches": {"leaf": {"model": "sn4600c"}}, "speed": "100G"},
            "storage": {**LEAF, "speed": "400G"},
        },
    },
    "overrides": {"overrides": [{"text": "x", "match": {}}], "nos": "frr"},
    "search": {"search": {"switches": ["sn5600"], "oversubscription": ["1:1"]}},
}
"""Section -> what it needs beside the smallest inventory."""


def forms(node: dict[str, Any], definitions: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the forms of a value, without references."""
    if "$ref" in node:
        yield from forms(definitions[node["$ref"].rpartition("/")[2]], definitions)
        return
    below = [*node.get("anyOf", ()), *node.get("allOf", ())]
    for form in below:
        yield from forms(form, definitions)
    if not below:
        yield node


def values(node: dict[str, Any], key: Key, schema: dict[str, Any]) -> Iterator[tuple[Key, Any]]:
    """Yield every form of every value of a schema, with its key."""
    for form in forms(node, schema["definitions"]):
        yield key, form
        if isinstance(form.get("items"), dict):
            yield from values(form["items"], (*key, 0), schema)
        if isinstance(form.get("additionalProperties"), dict):
            yield from values(form["additionalProperties"], (*key, "sn5600"), schema)
        for name, below in form.get("properties", {}).items():
            yield from values(below, (*key, name), schema)


def types(form: dict[str, Any]) -> set[str]:
    """Return the types of a form."""
    found = form.get("type", ())
    return {found} if isinstance(found, str) else set(found)


def test_every_value_of_the_schema_has_a_maximum() -> None:
    """Numbers, lists, mappings and texts; a price may be written as a text beside its number."""
    schema = json_schema()
    without = []
    found = list(values(schema, (), schema))
    decimals = {key for key, form in found if types(form) & NUMBERS}
    for key, form in found:
        if "enum" in form or "const" in form:
            continue
        for kind in types(form):
            if kind in {"boolean", "null"} or (kind == "object" and "properties" in form):
                continue
            if kind == "string" and key in decimals:
                continue
            word = {"string": "maxLength", "array": "maxItems", "object": "maxProperties"}
            if word.get(kind, "maximum") not in form:
                without.append((kind, *key))
    assert without == []
    assert len(found) > 700


def changed(key: Key, value: int) -> dict[str, Any]:
    """Return an inventory in which a key has a value."""
    inventory: dict[str, Any] = deepcopy({**SMALL, **AROUND.get(str(key[0]), {})})
    node: Any = inventory
    for word, below in pairwise(key):
        held: Any = node[0] if isinstance(node, list) and node else None
        if isinstance(node, dict) and isinstance(node.get(word), dict | list):
            held = node[word]
        if held is None:
            held = [] if below == 0 else {}
            if isinstance(node, list):
                node.append(held)
            else:
                node[word] = held
        node = held
    if isinstance(node, list):
        node[:] = [value]
    else:
        node[key[-1]] = value
    return inventory


def test_every_count_is_answered_within_the_limits(tmp_path: Path) -> None:
    """The maximum is compared by arithmetic: 10^15 of anything is refused as fast as 10^5."""
    schema = json_schema()
    counts: dict[int, tuple[Key, float]] = {}
    for key, form in values(schema, (), schema):
        if types(form) & NUMBERS and "maximum" in form:
            counts.setdefault(id(form), (key, form["maximum"]))  # once for each model
    commands = []
    for key, maximum in counts.values():
        for count in COUNTS:
            inventory = changed(key, count)
            if count > maximum:
                with pytest.raises(ValidationError):
                    FabricSpec.model_validate(inventory)
            elif count == COUNTS[0] or count * 1000 > maximum:
                folder = tmp_path / f"{'.'.join(map(str, key))}={count}"
                folder.mkdir()
                (folder / "f.yaml").write_text(json.dumps(inventory), encoding="utf-8")
                commands.append((folder, ["search" if key[0] == "search" else "plan", "f.yaml"]))
    assert len(counts) > 100
    assert len(commands) > 50
    codes = answers(commands)
    bad = [
        (folder.name, code)
        for (folder, _), code in zip(commands, codes, strict=True)
        if code not in {0, 2}
    ]
    assert bad == []


@pytest.mark.parametrize("number", ["1e999999999", "1e-999999999", "1" * 5000])
@pytest.mark.parametrize(
    "keys",
    [
        {"prices": {"discount": {"all": None}}},
        {"prices": {"parts": {"sn5600": None}}},
        {"ownership": {"kwh_price": None}},
        {"site": {"measured_m": {"a/b": None}}},
        {"oversubscription": None},
    ],
    ids=str,
)
def test_digits_of_a_number_are_limited(keys: dict[str, Any], number: str) -> None:
    """Exact arithmetic would take a power of ten of the exponent."""
    text = json.dumps({**SMALL, **keys}).replace("null", f'"{number}"')
    with pytest.raises(ValidationError):
        FabricSpec.model_validate(json.loads(text))


def test_counts_are_added_before_a_device_is_listed(tmp_path: Path) -> None:
    """Groups of many devices are refused by their sum, and a name without a number by its count."""
    group = {"count": 100_000, "ports": {"oob": 1}}
    many = [{"name": f"pdu-{letter}-{{n}}", **group} for letter in "abc"]
    commands = []
    for name, devices in {"many": many, "twice": [{"name": "pdu", **group}]}.items():
        (tmp_path / name).mkdir()
        text = json.dumps({**SMALL, "devices": devices})
        (tmp_path / name / "f.yaml").write_text(text, encoding="utf-8")
        commands.append((tmp_path / name, ["plan", "f.yaml"]))
    assert answers(commands) == [2, 2]

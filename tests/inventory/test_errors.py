"""Every mistake in a single key is reported in the terms of an inventory.

Every hint that names a value works.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.core.yaml_text import YamlDocument, read_document, read_scalar, write_yaml
from fabricgen.inventory.errors import findings_of
from fabricgen.inventory.fabric import FabricSpec
from fabricgen.inventory.fields import KEY_EXAMPLE
from fabricgen.inventory.load import read_text
from fabricgen.inventory.management import IMAGE_EXAMPLE
from fabricgen.inventory.model_keys import fields

SMALL: dict[str, Any] = {
    "name": "small",
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "switches": {"leaf": {"generic": {"radix": 64}}},
}
MANAGEMENT: dict[str, Any] = {
    "pool": "10.90.0.0/16",
    "ntp": ["10.90.0.123"],
    "users": [{"name": "ops", "key": KEY_EXAMPLE}],
}
"""The keys that `management` requires."""
READER = {"name": "monitor", "auth": "env:SNMP_AUTH", "privacy": "env:SNMP_PRIVACY"}
BAD: list[object] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    5,
    1.0,
    1.5,
    10**15,
    float("nan"),
    float("inf"),
    "",
    " ",
    "5",
    "1,024",
    "1 024",
    "yes",
    "off",
    "Auto",
    "SN5600",
    "400",
    "2x400",
    "10.0.0.1/9",
    "A b_c",
    "x" * 100,
    [],
    [1],
    {},
    {"a": 1},
    {"model": 1},
]
PYDANTIC = re.compile(
    r"input|string should|instance|dictionary|pydantic|\bNone\b|\bint\b|\bstr\b|\bdict\b",
    re.IGNORECASE,
)


def each_key(path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """List the path of every key of an inventory."""
    return [found for key in fields(path) for found in ((*path, key), *each_key((*path, key)))]


KEYS = each_key()


def changed(path: tuple[str, ...], value: object) -> dict[str, Any]:
    """Return the small inventory with one key set."""
    values = deepcopy(SMALL)
    own = path[2:] if path[:1] == ("networks",) else path
    if own[:2] == ("switches", "leaf") and own[2:3] in {("model",), ("breakout",)}:
        values["switches"]["leaf"] = {"model": "sn5600"}
    node = values
    for key in path[:-1]:
        upper = own[:1] == ("switches",) and key in ("spine", "core")
        network = {"switches": values["switches"]}
        network = {"count": 2} if path[0] == "devices" else network
        whole = {
            "reserve": {"gpus": 64},
            "scalable_unit": {} if path[-1] in ("hosts", "domains") else {"hosts": 1},
            "management": MANAGEMENT,
            **dict.fromkeys(("compute", "storage", "inband", "oob", "console"), network),
            "leaf_groups": [{"devices": ["nfs-{n}"]}],
            "snmp": {"users": [{**READER}]},
            "images": [{**IMAGE_EXAMPLE}],
            "aaa": {"protocol": "tacacs", "servers": ["10.90.0.49"], "secret": "env:TACACS_KEY"},
            "exchange": {"currency": "EUR", "rate": 0.92, "date": "2026-09-22"},
        }
        if path[0] == "devices":
            whole["bgp"] = {"asn": 65100}
            whole["devices"] = [{"name": "nfs-{n}", "count": 1, "ports": {"storage": {"count": 2}}}]
        if key not in node:
            node[key] = deepcopy(whole.get(key, {"generic": {"radix": 64}} if upper else {}))
        node = node[key]
        node = node[0] if isinstance(node, list) else node
    if path[-1] == "model" and own[:1] == ("switches",):
        node.pop("generic", None)
    if path[-1] == "breakout" and path[0] != "devices":
        node.update(model="sn5600")
        node.pop("generic", None)
    if path[-1] == "speed" and path[-2:-1] == ("generic",):
        node.update(radix=64)
    node[path[-1]] = value
    return values


def findings(values: dict[str, Any]) -> tuple[Finding, ...]:
    """Return the findings with which an inventory is refused, or none."""
    try:
        read_text(write_yaml(values), "x")
    except Refusal as refusal:
        return refusal.findings
    return ()


def findings_without_places(values: dict[str, Any]) -> list[Finding]:
    """Return the same findings for values that were never written as YAML, which takes longest."""
    try:
        FabricSpec.model_validate(values)
    except ValidationError as error:
        return findings_of(error, YamlDocument("x", values))[0]
    return []


def test_the_walk_finds_the_keys() -> None:
    """The tests below have keys to visit."""
    assert len(KEYS) >= 70
    assert ("switches", "core", "generic", "radix") in KEYS
    assert all(
        findings(changed(path, SMALL.get(path[0]))) == ()
        for path in KEYS
        if len(path) == 1 and path[0] in SMALL
    )


@pytest.mark.parametrize("value", BAD, ids=repr)
def test_a_value_equals_its_text(value: object) -> None:
    """Each value below is read from YAML as it is."""
    (read,) = read_document(write_yaml({"key": value}), "x").values.values()
    assert repr(read) == repr(value)


def test_the_findings_of_a_text_are_those_of_its_values() -> None:
    """A wrong value of some keys is read from YAML, which adds the places and the order."""
    for path in KEYS[::4]:
        values = changed(path, {"a": 1})
        assert {replace(finding, place=None) for finding in findings(values)} == {
            replace(finding, place=None) for finding in findings_without_places(values)
        }, path


@pytest.mark.parametrize("path", KEYS, ids=".".join)
def test_any_value_of_a_key_is_accepted_or_refused_clearly(path: tuple[str, ...]) -> None:
    """A finding names the key and has a reason or a hint, without wording of pydantic or Python.

    A hint that begins with `write` works.
    """
    for value in BAD:
        for finding in findings_without_places(changed(path, value)):
            text = " ".join([finding.fact, *finding.because])
            shown = re.sub(r'"[^"]*"|`[^`]*`|\([^)]*\)', "", text)
            assert not PYDANTIC.search(shown), (value, text)
            assert finding.hint, (value, text)
            assert path[-1] in finding.fact or (
                isinstance(value, dict)
                and finding.code in ("unknown-key", "missing-key", "bad-value", "wrong-type")
            )
            if finding.hint.startswith("write `") and finding.path == path:
                corrected = read_scalar(finding.hint.removeprefix("write `").removesuffix("`"))
                fixed = changed(path, corrected[path[-1]])
                assert findings_without_places(fixed) == [], (value, finding.hint)


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        ({"gpus": "1,024"}, "write `gpus: 1024`"),
        ({"gpus": 1024.0}, "write `gpus: 1024`"),
        ({"name": 5}, 'write `name: "5"`'),
        ({"name": "West Coast"}, "write `name: west-coast`"),
        ({"hb_domain": 8}, "write `hb_domain: {gpus: 8}`"),
        ({"host": "dgx-h100"}, "write `host: {model: dgx-h100}`"),
        ({"nic": "400G"}, "write `nic: {speed: 400G}`"),
        ({"nic": {"speed": "400 Gb"}}, "for example `speed: 400G`"),
        ({"rails": 4}, "write `rails: {count: 4}`"),
        ({"rails": {"tiers": "2"}}, "write `tiers: 2`"),
        ({"reserve": 128}, "write `reserve: {gpus: 128}`"),
        ({"switches": "sn5600"}, "write `switches: {leaf: {model: sn5600}}`"),
        ({"switches": {"leaf": "sn5600"}}, "write `leaf: {model: sn5600}`"),
        ({"switches": {"leaf": {"generic": 64}}}, "write `generic: {radix: 64}`"),
        ({"switches": {"leaf": {"model": "SN5600"}}}, "write `model: sn5600`"),
        (
            {"switches": {"leaf": {"model": "sn5600", "breakout": "2x400"}}},
            "write `breakout: 2x400G`",
        ),
        ({"spares": {"cables": 5}}, "write `cables: {percent: 5}`"),
        ({"addressing": {"bfd": "on"}}, "write `bfd: true`"),
        ({"addressing": {"host_pool": "10.1.2.3/8"}}, "write `host_pool: 10.0.0.0/8`"),
        ({"naming": "leaf-{n}"}, 'write `naming: {leaf: "leaf-{n}"}`'),
        ({"nos": "SONiC"}, "write `nos: sonic`"),
        ({"prices": 5}, "for example `prices: paper-v5`"),
        ({"prices": {"parts": {"sn5600": "cheap"}}}, "for example `parts: {sn5600: 50000}`"),
        ({"design": "Rail_Only"}, "write `design: rail-only`"),
        ({"design": "torus"}, "choose rail-only, rail-optimized or fat-tree"),
    ],
)
def test_hints(change: dict[str, Any], hint: str) -> None:
    """The hint is what the user most likely meant."""
    (finding,) = findings({**SMALL, **change})
    assert finding.hint == hint


@pytest.mark.parametrize(
    ("change", "fact", "hint"),
    [
        ({"rials": {}}, "`rials` is not a key of an inventory", "did you mean `rails`?"),
        ({"Rails": {}}, "`Rails` is not a key of an inventory", "did you mean `rails`?"),
        ({"planes": 2}, "`planes` is not a key of an inventory", "did you mean `rails.planes`?"),
        (
            {"hosts": 2},
            "`hosts` is not a key of an inventory",
            "did you mean `host` or `hb_domain.hosts`?",
        ),
        (
            {"gpu": 2},
            "`gpu` is not a key of an inventory",
            "`gpus` is already there; remove one of the two",
        ),
        ({"rails": {"cuont": 2}}, "`cuont` is not a key of `rails`", "did you mean `count`?"),
        (
            {"rails": {"spread": "even"}},
            "`spread` is not a key of `rails`",
            "did you mean the top-level `spread`?",
        ),
        (
            {"rails": {"x": 2}},
            "`x` is not a key of `rails`",
            "keys of `rails`: count, planes, per_switch, grouping, medium, topology, tiers",
        ),
        (
            {"rails.count": 2},
            "`rails.count` is not a key of an inventory",
            "write it as two levels: `rails: {count: …}`",
        ),
        (
            {"rails:{count": 2},
            "`rails:{count` is not a key of an inventory",
            "write a space after the colon: `rails: {count…`",
        ),
        (
            {"switches": {"leaf": {"radix": 64}}},
            "`radix` is not a key of `switches.leaf`",
            "did you mean `switches.leaf.generic.radix`?",
        ),
        (
            {"overrides": [{"match": {}, "text": "x"}, {"match": {}, "txt": "x"}]},
            "`txt` is not a key of `overrides.1`",
            "did you mean `text`?",
        ),
    ],
)
def test_unknown_keys(change: dict[str, Any], fact: str, hint: str) -> None:
    """The nearest known key of any level is suggested."""
    (finding,) = findings({**SMALL, **change})
    assert (finding.code, finding.fact, finding.hint) == ("unknown-key", fact, hint)


def test_a_required_key_that_is_mistyped_is_one_finding() -> None:
    """The missing key follows from the mistake and is part of its finding."""
    values = {("gpu" if key == "gpus" else key): value for key, value in SMALL.items()}
    (finding,) = findings(values)
    assert (finding.code, finding.hint, finding.because) == (
        "unknown-key",
        "did you mean `gpus`?",
        ("`gpus` is required and missing",),
    )


def test_missing_keys() -> None:
    """Each is reported at the mapping that lacks it, with its own example."""
    found = findings({"hb_domain": {}, "switches": {"leaf": {"generic": {}}}})
    assert [(finding.fact, finding.hint, str(finding.place)) for finding in found] == [
        ("`name` is missing", "add `name: paper-32k`", "x:1:1"),
        ("`gpus` is missing", "add `gpus: 1024`", "x:1:1"),
        ("`hb_domain.gpus` is missing", "add `gpus: 8` under `hb_domain`", "x:1:1"),
        (
            "`switches.leaf.generic.radix` is missing",
            "add `radix: 64` under `switches.leaf.generic`",
            "x:4:5",
        ),
    ]


def test_a_value_that_may_be_two_things_is_one_finding() -> None:
    """A value that is neither a number nor the word gives a single finding."""
    (finding,) = findings({**SMALL, "rails": {"per_switch": "all"}})
    assert finding.because == ("it must be a whole number or auto",)


def test_long_values_are_shortened() -> None:
    """A finding stays readable whatever the length of the value."""
    (finding,) = findings({**SMALL, "name": "x" * 5000})
    assert len(finding.fact) < 80

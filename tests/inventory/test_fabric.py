"""The inventory's models and their JSON Schema.

The schema is draft-07, complete, and agrees with the program.
"""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft7Validator
from pydantic import ValidationError

from fabricgen.catalog.catalog import Catalog
from fabricgen.core.terms import Design
from fabricgen.core.yaml_text import read_document
from fabricgen.inventory.fabric import FabricSpec, json_schema
from fabricgen.inventory.load import read_inventory, read_text
from fabricgen.planning.plan import make_plan
from fabricgen.planning.plan_document import plan_document
from tests import ROOT
from tests.inventory.test_errors import MANAGEMENT, READER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

INVENTORIES = sorted([*(ROOT / "inventories").glob("*.yaml"), *(ROOT / "examples").glob("*.yaml")])
SCHEMA = json_schema()
SMALL: dict[str, Any] = {
    "name": "small",
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "switches": {"leaf": {"generic": {"radix": 64}}},
}
DRAFT_7 = {
    "$schema",
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "const",
    "default",
    "maxProperties",
    "propertyNames",
    "definitions",
    "description",
    "enum",
    "examples",
    "exclusiveMinimum",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
}
"""The keywords in use.

Those that came after draft-07, such as `prefixItems` and `$defs`, are not among them.
"""

CONTRACT = {
    "name",
    "design",
    "gpus",
    "hb_domain",
    "host",
    "nic",
    "rails",
    "switches",
    "oversubscription",
    "leaf_ports",
    "spread",
    "reserve",
    "spares",
    "addressing",
    "naming",
    "prices",
    "nos",
    "nccl",
    "site",
}


def resolved(node: dict[str, Any]) -> dict[str, Any]:
    """Follow the reference of a node, which is alone, in an `allOf`, or a branch of an `anyOf`."""
    for branch in [node, *node.get("allOf", []), *node.get("anyOf", [])]:
        if "$ref" in branch:
            found: dict[str, Any] = SCHEMA["definitions"][branch["$ref"].rsplit("/", 1)[1]]
            return found
    return node


def each_key(
    node: dict[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """List every key of the schema."""
    for key, below in resolved(node).get("properties", {}).items():
        yield (*path, key), below
        yield from each_key(below, (*path, key))


KEYS = list(each_key(SCHEMA))


def keywords(node: object, *, names: bool = False) -> Iterator[str]:
    """List the keywords of a schema.

    The keys below `properties` and `definitions` are names, and `examples` holds values.
    """
    if isinstance(node, list):
        for item in node:
            yield from keywords(item)
    elif isinstance(node, dict):
        for key, value in node.items():
            if not names:
                yield key
            if key not in ("examples", "default", "enum") or names:
                yield from keywords(value, names=key in ("properties", "definitions") and not names)


def nested(path: tuple[str, ...], value: object) -> dict[str, Any]:
    """Put a value at a path, with the keys that `switches` requires."""
    for key in reversed(path):
        value = {key: value}
    made: dict[str, Any] = value  # type: ignore[assignment]  # a path has at least one key, so the value is a mapping now
    return made


def completed(change: dict[str, Any]) -> dict[str, Any]:
    """Put an example into the small inventory, with the keys that its path requires."""
    whole = {**SMALL, **change}
    for key in ("hb_domain", "reserve"):
        if key in change:
            whole[key] = {"gpus": 8, **change[key]}
    if "hosts_password" in change.get("addressing", {}).get("bgp", {}):
        whole["addressing"] = {"host_links": "unnumbered", **change["addressing"]}
    if unit := change.get("scalable_unit"):
        whole["scalable_unit"] = (
            unit if unit.keys() & {"hosts", "domains"} else {"hosts": 1, **unit}
        )
    if "management" in change:
        whole["management"] = complete_management(change["management"])
    if "exchange" in change.get("prices", {}):
        whole["prices"] = {
            "exchange": {
                "currency": "EUR",
                "rate": 0.92,
                "date": "2026-09-22",
                **change["prices"]["exchange"],
            }
        }
    if "networks" in change:
        whole["networks"] = {
            name: complete_network(network) for name, network in change["networks"].items()
        }
    if "devices" in change:
        group = {"name": "nfs-{n}", "count": 1, "ports": {"storage": 2}}
        whole["devices"] = [{**group, **each} for each in change["devices"]]
    if "switches" in change:
        leaf = {"leaf": SMALL["switches"]["leaf"], **change["switches"]}
        whole["switches"] = {role: complete_switch(switch) for role, switch in leaf.items()}
    return whole


def complete_management(given: dict[str, Any]) -> dict[str, Any]:
    """Complete `management` with the keys that it and its mappings require."""
    needed: dict[str, dict[str, Any]] = {
        "snmp": {"users": [READER]},
        "aaa": {"protocol": "tacacs", "servers": ["10.90.0.49"], "secret": "env:TACACS_KEY"},
    }
    ldap = {"protocol": "ldap", "base_dn": "dc=example", "bind_dn": "cn=switch"}
    if given.get("aaa", {}).keys() & {"base_dn", "bind_dn"}:
        needed["aaa"] |= ldap
    whole = {key: needed[key] | value if key in needed else value for key, value in given.items()}
    return MANAGEMENT | whole


def complete_network(given: Any) -> Any:  # noqa: ANN401 - an example need not be a network
    """Complete a network with the keys that it and its groups of leaves require."""
    if not isinstance(given, dict) or "converged_with" in given:
        return given
    switches = {**SMALL["switches"], **given.get("switches", {})}
    groups = [{"devices": ["nfs-{n}"], **each} for each in given.get("leaf_groups", ())]
    return {
        **given,
        "switches": {role: complete_switch(switch) for role, switch in switches.items()},
        **({"leaf_groups": groups} if groups else {}),
    }


def complete_switch(switch: Any) -> Any:  # noqa: ANN401 - an example need not be a switch
    """Complete a switch of which an example gives one key."""
    if not isinstance(switch, dict):
        return switch
    if "generic" in switch:
        return {**switch, "generic": {"radix": 64, **switch["generic"]}}
    return {"model": "sn5600", **switch}


def faults(document: object) -> list[str]:
    """List the errors of a document against the schema."""
    return [
        f"{'.'.join(map(str, error.absolute_path))}: {error.message}"
        for error in Draft7Validator(SCHEMA).iter_errors(document)
    ]


def test_the_schema_is_draft_07() -> None:
    """It is valid and self-contained, begins with its marker, and uses no later keyword."""
    Draft7Validator.check_schema(SCHEMA)
    assert next(iter(SCHEMA.items())) == ("$schema", "http://json-schema.org/draft-07/schema#")
    assert set(keywords(SCHEMA)) <= DRAFT_7
    references = {
        line.split('"')[3] for line in json.dumps(SCHEMA, indent=1).splitlines() if '"$ref"' in line
    }
    assert references
    assert all(
        reference.removeprefix("#/definitions/") in SCHEMA["definitions"]
        for reference in references
    )


def test_the_schema_has_the_keys_of_the_contract() -> None:
    """All of them, and no other."""
    newer = {
        "exclude",
        "roce",
        "phases",
        "outputs",
        "search",
        "spare",
        "spare_ports",
        "scalable_unit",
        "ownership",
        "labels",
        "cabling",
        "management",
        "vars",
        "overrides",
        "networks",
        "devices",
    }
    assert CONTRACT | newer == set(SCHEMA["properties"])
    assert set(SCHEMA["required"]) == {"name", "gpus", "hb_domain", "switches"}
    assert len(KEYS) >= 70


@pytest.mark.parametrize(("path", "node"), KEYS, ids=[".".join(path) for path, _ in KEYS])
def test_every_key_has_a_description_and_valid_examples(
    path: tuple[str, ...], node: dict[str, Any]
) -> None:
    """Examples are valid for the schema.

    They are valid for the program once the rest of the inventory is filled in.
    """
    assert len(node["description"]) > 8
    assert node["examples"]
    for example in node["examples"]:
        assert (
            list(
                Draft7Validator({**node, "definitions": SCHEMA["definitions"]}).iter_errors(example)
            )
            == []
        )
        document = completed(nested(path, example))
        assert faults(document) == []
        FabricSpec.model_validate(document)


@pytest.mark.parametrize(
    "path", sorted({path[:-1] for path, _ in KEYS}), ids=lambda path: ".".join(path) or "top"
)
def test_unknown_keys_are_rejected_at_every_level(path: tuple[str, ...]) -> None:
    """By the schema, so that an editor marks them, and by the program."""
    document = completed(nested((*path, "colour"), "blue"))
    assert any("colour" in fault for fault in faults(document))
    with pytest.raises(ValidationError, match="colour"):
        FabricSpec.model_validate(document)


def test_inventories_are_found() -> None:
    """The test below has inventories to validate."""
    assert len(INVENTORIES) >= 19


@pytest.mark.parametrize("path", INVENTORIES, ids=lambda path: path.stem)
def test_every_inventory_fits_the_schema(path: Path) -> None:
    """What is shipped fits; the marker of yaml-language-server names the same schema."""
    document = read_document(path.read_text(encoding="utf-8"), path.name)
    assert faults(document.values) == []


def test_the_inventory_of_a_plan_fits_the_schema() -> None:
    """A plan file contains the inventory with every default, which is a valid inventory."""
    text = (
        "name: x\ngpus: 64\nhb_domain: {gpus: 8, bandwidth: 7.68Tbps}\nswitches: {leaf: "
        "{model: sn5600}}\nprices: {book: paper-v5, parts: {sn5600: 1.10}}\n"
    )
    spec = read_text(text, "x").spec
    plan = make_plan(spec, Catalog())
    inventory = json.loads(json.dumps(plan_document(plan, {})["inventory"]))
    assert faults(inventory) == []
    assert FabricSpec.model_validate(inventory) == spec


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"gpus": "1024"}, "gpus"),
        ({"gpus": 0}, "gpus"),
        ({"design": "torus"}, "design"),
        ({"rails": {"tiers": 4}}, "rails.tiers"),
        ({"rails": {"per_switch": "all"}}, "rails.per_switch"),
        ({"nic": {"speed": "fast"}}, "nic.speed"),
        ({"oversubscription": "3 to 1"}, "oversubscription"),
        ({"addressing": {"host_pool": "10.0.0/9"}}, "addressing.host_pool"),
        ({"switches": {"leaf": {}}}, "switches.leaf"),
        ({"switches": {"leaf": {"model": "sn5600", "generic": {"radix": 64}}}}, "switches.leaf"),
        ({"nos": 5}, "nos"),
    ],
)
def test_the_program_refuses_what_the_schema_refuses(change: dict[str, Any], fault: str) -> None:
    """An editor marks no value that the program accepts."""
    document = {**SMALL, **change}
    assert [found for found in faults(document) if found.startswith(fault)]
    with pytest.raises(ValidationError):
        FabricSpec.model_validate(document)


def test_short_forms() -> None:
    """`prices` and `nos` may be one word."""
    spec = FabricSpec.model_validate({**SMALL, "prices": "paper-v5", "nos": "frr"})
    assert spec.prices.book == "paper-v5"
    assert (spec.nos.leaf, spec.nos.spine, spec.nos.core) == ("frr", "frr", "frr")
    assert faults({**SMALL, "prices": "paper-v5", "nos": "frr"}) == []


def test_defaults() -> None:
    """The defaults are those of the contract."""
    spec = FabricSpec.model_validate(SMALL)
    assert spec.design is Design.RAIL_ONLY
    assert (spec.oversubscription, spec.spread) == (Fraction(1), "even")
    assert (spec.rails.count, spec.rails.planes, spec.rails.per_switch, spec.rails.tiers) == (
        None,
        1,
        1,
        "auto",
    )


def test_money_is_an_exact_decimal() -> None:
    """A float would add its binary error to every sum."""
    spec = FabricSpec.model_validate({**SMALL, "prices": {"parts": {"a": 0.1, "b": 3}}})
    assert spec.prices.parts == {"a": Decimal("0.1"), "b": Decimal(3)}


def test_values_never_change() -> None:
    """A spec is frozen."""
    spec = FabricSpec.model_validate(SMALL)
    with pytest.raises(ValidationError, match="frozen"):
        spec.gpus = 8


def test_every_inventory_is_read_by_the_program() -> None:
    """The schema accepts no shipped inventory that the program refuses."""
    for path in INVENTORIES:
        assert read_inventory(str(path)).spec.name

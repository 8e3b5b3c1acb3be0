"""Every key of an inventory by its dotted name, with its type, default and description.

Owns the walk through the JSON Schema. `explain`, shell completion and the reference pages format
the keys.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.inventory.fabric import json_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class InventoryKey(NamedTuple):
    """One key of an inventory."""

    name: str
    """Dotted: `rails.per_switch`; for a key of list entries too: `phases.planes`."""
    description: str
    values: str
    """A description of the accepted values."""
    choices: tuple[Any, ...]
    """The accepted values, where the model lists them."""
    default: Any
    """None where there is no default or a computed one."""
    examples: tuple[Any, ...]
    required: bool
    """Whether the mapping around it is refused without it."""
    in_list: bool
    """Whether it is a key of list entries, which `--set` cannot name."""
    below: tuple[str, ...] = ()
    """Names of the keys below it."""


@cache
def inventory_keys() -> Mapping[str, InventoryKey]:
    """Return every key by its dotted name, a mapping before the keys below it.

    >>> inventory_keys()["rails.per_switch"].values
    'integer from 1 to 4096, or `auto`'
    """
    schema = json_schema()
    return {key.name: key for key in _keys(schema, schema["definitions"], "", in_list=False)}


def _keys(
    mapping: Mapping[str, Any], definitions: Mapping[str, Any], prefix: str, *, in_list: bool
) -> Iterator[InventoryKey]:
    """Yield the keys of a mapping and of the mappings below it."""
    for word, node in mapping["properties"].items():
        name, (part, listed) = f"{prefix}{word}", _mapping(node, definitions)
        default = node.get("default")
        yield InventoryKey(
            name=name,
            description=node.get("description", ""),
            values=_values(node, definitions),
            choices=tuple(_choices(node, definitions)),
            default=None if isinstance(default, dict) or default == [] else default,
            examples=tuple(node.get("examples", ())),
            required=word in mapping.get("required", ()),
            in_list=in_list,
            below=tuple(f"{name}.{below}" for below in part["properties"]) if part else (),
        )
        if part:
            yield from _keys(part, definitions, f"{name}.", in_list=in_list or listed)


def _alternatives(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> list[Any]:
    """Return the alternative schemas of a value, without null; references are resolved."""
    if "$ref" in node:
        return _alternatives(definitions[node["$ref"].rsplit("/", 1)[1]], definitions)
    for word in ("anyOf", "oneOf", "allOf"):
        if word in node and "properties" not in node:  # of a mapping, they are conditions
            forms = [_alternatives(form, definitions) for form in node[word]]
            return [form for each in forms for form in each]
    return [] if node.get("type") == "null" else [node]


def _mapping(
    node: Mapping[str, Any], definitions: Mapping[str, Any]
) -> tuple[Mapping[str, Any] | None, bool]:
    """Return the schema of the mapping that a value may be, and whether it is a list of these."""
    for form in _alternatives(node, definitions):
        if "properties" in form:
            return form, False
        if form.get("type") == "array":
            part, _ = _mapping(form["items"], definitions)
            return part, True
    return None, False


def _choices(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the values that the model lists."""
    for form in _alternatives(node, definitions):
        yield from form.get("enum", ())
        if "const" in form:
            yield form["const"]


def _values(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """Return a description of the values of a key."""
    forms = [_form(form, definitions) for form in _alternatives(node, definitions)]
    # a number may be given as text too, which needs no mention
    is_number = any(form.startswith("number") for form in forms)
    return ", or ".join(
        dict.fromkeys(form for form in forms if not (is_number and form == "string"))
    )


def _form(form: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """Return a description of one alternative."""
    if "enum" in form or "const" in form:
        return ", ".join(f"`{value}`" for value in form.get("enum", [form.get("const")]))
    if "properties" in form:
        return "mapping"
    if form.get("type") == "array":
        return f"list of {_values(form['items'], definitions)}".replace("of mapping", "of mappings")
    if isinstance(form.get("additionalProperties"), dict):
        return f"mapping to {_values(form['additionalProperties'], definitions)}"
    types = form.get("type", "any value")
    bounds = [
        f"{word} {int(form[bound])}"
        for bound, word in (
            ("minimum", "from"),
            ("exclusiveMinimum", "above"),
            ("maximum", "to"),
        )
        if bound in form
    ]
    return " ".join([" or ".join(types) if isinstance(types, list) else types, *bounds])

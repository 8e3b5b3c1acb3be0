"""Every key of an inventory by its dotted name, with what its model declares.

Owns the walk through the JSON Schema. How a key is printed is left to `explain`, to completion and to
the reference pages.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.inventory.fabric import json_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Key(NamedTuple):
    """One key of an inventory."""

    name: str
    """Dotted: `rails.per_switch`; the keys of a list's entries too: `phases.planes`."""
    description: str
    values: str
    """The values that it takes, in words."""
    choices: tuple[Any, ...]
    """The values that the model lists one by one."""
    default: Any
    """None where it has no default, or where one is computed."""
    examples: tuple[Any, ...]
    required: bool
    """Whether a mapping without it is refused."""
    in_list: bool
    """Whether it is a key of a list's entries, which `--set` cannot name."""
    below: tuple[str, ...] = ()
    """The names of the keys of its mapping."""


@cache
def inventory_keys() -> Mapping[str, Key]:
    """Return every key by its dotted name, a mapping before its own keys.

    >>> inventory_keys()["rails.per_switch"].values
    'integer from 1, or `auto`'
    """
    schema = json_schema()
    return {key.name: key for key in _keys(schema, schema["definitions"], "", in_list=False)}


def _keys(
    mapping: Mapping[str, Any], definitions: Mapping[str, Any], prefix: str, *, in_list: bool
) -> Iterator[Key]:
    """Yield the keys of a mapping and of the mappings below it."""
    for word, node in mapping["properties"].items():
        name, (part, listed) = f"{prefix}{word}", _mapping(node, definitions)
        default = node.get("default")
        yield Key(
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
    """Return the forms that a value may have, without null; references are followed."""
    if "$ref" in node:
        return _alternatives(definitions[node["$ref"].rsplit("/", 1)[1]], definitions)
    for word in ("anyOf", "allOf"):
        if word in node:
            forms = [_alternatives(form, definitions) for form in node[word]]
            return [form for each in forms for form in each]
    return [] if node.get("type") == "null" else [node]


def _mapping(
    node: Mapping[str, Any], definitions: Mapping[str, Any]
) -> tuple[Mapping[str, Any] | None, bool]:
    """Return the mapping that a value may be, and whether it is a list of such."""
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
    """Describe the values of a key."""
    forms = [_form(form, definitions) for form in _alternatives(node, definitions)]
    is_number = any(form.startswith("number") for form in forms)  # which a text may hold as well
    return ", or ".join(
        dict.fromkeys(form for form in forms if not (is_number and form == "string"))
    )


def _form(form: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """Describe one form of a value."""
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

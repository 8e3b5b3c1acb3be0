"""The largest number, text and list of a model that states none.

A key whose value has a physical maximum states it; these are far above every other value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

MOST = 10**9
"""The largest whole number."""

MOST_ENTRIES = 10_000
"""Entries of a list or a mapping."""

LONGEST = 1000
"""Characters of a text."""

_ENTRIES = {"max_length": MOST_ENTRIES}
_BOUNDS: dict[str, dict[str, int]] = {
    "int": {"le": MOST},
    "float": {"le": MOST},
    "decimal": {"le": 10**15, "decimal_places": 9},
    "str": {"max_length": LONGEST},
    "tuple": _ENTRIES,
    "list": _ENTRIES,
    "dict": _ENTRIES,
}
"""Kind of value in pydantic -> its bounds. Prices are the largest numbers, in any currency; exact
arithmetic takes a power of ten of the decimal places."""


def bounded_model(source: type[Any], handler: GetCoreSchemaHandler) -> CoreSchema:
    """Return the core schema of a model, with bounds for its values."""
    schema = handler(source)
    model: Any = handler.resolve_ref_schema(schema)
    while model["type"] != "model":  # a validator of the whole model is around it
        model = model["schema"]
    bound(model["schema"])
    return schema


def bound(node: Any) -> None:  # noqa: ANN401 - a part of a core schema
    """Add the bounds that a core schema lacks. A model in it has its own."""
    if isinstance(node, list | tuple):
        for below in node:
            bound(below)
    elif isinstance(node, dict) and node.get("type") != "model":
        for key, value in _BOUNDS.get(node.get("type", ""), {}).items():
            node.setdefault(key, value)
        for key, below in node.items():
            if key not in {"default", "metadata", "expected"} and isinstance(below, dict | list):
                bound(below)

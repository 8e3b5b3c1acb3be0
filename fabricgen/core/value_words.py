"""What a value must be, in words, from the type of a validation error; and values as they are read.

Owns the sentences that take the place of pydantic's.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from fabricgen.core.yaml_tree import LONGEST_SHOWN

if TYPE_CHECKING:
    from collections.abc import Mapping

_MUST = {
    "int": "a whole number",
    "string": "a text",
    "bool": "true or false",
    "float": "a number",
    "decimal": "a number",
    "finite": "a finite number",
    "dict": "a mapping",
    "tuple": "a list",
    "date": "a date, such as 2026-09-22",
    "model": "a mapping",
    "literal": "one of the choices",
    "enum": "one of the choices",
}
"""First word of pydantic's error type -> what the value must be."""

RANGES = {
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "string_too_long": "at most {max_length} characters long",
    "string_too_short": "at least {min_length} character long",
    "too_short": "a list of at least {min_length}",
    "too_long": "a list of at most {max_length}",
}
"""pydantic's error type -> the bound that a value exceeds."""

_KINDS = {
    dict: "a mapping",
    list: "a list",
    str: "a text",
    bool: "a truth value",
    int: "a whole number",
    float: "a number",
}


def must_be(kind: str) -> str:
    """Return what a value must be, by the type of an error.

    >>> must_be("decimal_parsing"), must_be("int_type"), must_be("is_instance_of")
    ('a number', 'a whole number', 'of another type')
    """
    return _MUST.get(kind.split("_", maxsplit=1)[0], "of another type")


def limit(kind: str, context: Mapping[str, Any]) -> str:
    """Return the bound that a value exceeds, by the type of an error in `RANGES`.

    >>> limit("greater_than", {"gt": 0.0})
    'more than 0'
    """
    whole = {
        name: int(bound) if bound == int(bound) else bound
        for name, bound in context.items()
        if isinstance(bound, int | float | Decimal)
    }
    return RANGES[kind].format(**whole)


def kind_of(value: object) -> str:
    """Return the name of a value's type.

    >>> kind_of([]), kind_of(1.5)
    ('a list', 'a number')
    """
    return _KINDS.get(type(value), type(value).__name__)


def shown(value: object) -> str:
    """Return a value as YAML, shortened.

    >>> shown("a lot"), shown(None)
    ('"a lot"', 'empty')
    """
    if value is None:
        return "empty"
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"

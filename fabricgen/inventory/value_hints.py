"""What to write instead of a wrong value: a correction, the nearest choice or an example.

A correction is proposed only if the key's own type accepts it.
"""

from __future__ import annotations

import contextlib
import json
import re
from functools import lru_cache
from ipaddress import ip_network
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from pydantic import TypeAdapter, ValidationError

from fabricgen.core.diagnostics import nearest
from fabricgen.core.yaml_text import read_scalar
from fabricgen.inventory.fabric import has_short_form
from fabricgen.inventory.model_keys import KNOWN, fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.diagnostics import Path


def value_hint(path: Path, value: object) -> str:
    """Return what to write: the value with a small correction that is valid, or an example."""
    adapter = _adapter(path, short=isinstance(value, str) and has_short_form(path))
    if adapter is not None:
        for candidate in _candidates(path, value):
            with contextlib.suppress(ValidationError):
                adapter.validate_python(candidate)
                return f"write `{path[-1]}: {_typed(candidate)}`"
    return f"for example `{typed_example(path)}`" if path else ""


@lru_cache(maxsize=KNOWN)
def _adapter(path: Path, *, short: bool) -> TypeAdapter[Any] | None:
    """Return what accepts the values of a key, or of its first key below; None for no known key."""
    known = fields(path[:-1]).get(str(path[-1])) if path else None
    if known is not None and short:
        known = next(iter(fields(path).values()))
    return None if known is None else TypeAdapter[Any](known.rebuild_annotation())


def _candidates(path: Path, value: object) -> Iterator[object]:
    """Yield values that may have been meant by a wrong one."""
    for key in fields(path) if isinstance(value, str | int | float) else ():
        yield {key: value}
        # one number cannot fill several keys, and a word is already the short form
        if has_short_form(path):
            continue
        yield from (
            {key: inner} for inner in _candidates((*path, key), value) if isinstance(inner, dict)
        )
    text = str(value).strip()
    if isinstance(value, float) and value.is_integer():
        yield int(value)
    if isinstance(value, str):
        digits = re.sub(r"[,_' ]", "", text)
        if digits.isascii() and digits.isdecimal():
            yield int(digits[:18])
            yield f"{digits[:18]}G"
        yield from {"yes": [True], "on": [True], "no": [False], "off": [False]}.get(
            text.lower(), []
        )
        yield normalize("NFC", text)
        yield text.lower()
        if text.isascii():  # of another alphabet only a fragment would be left
            yield re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
        yield f"{text}G"
        with contextlib.suppress(ValueError):
            yield str(ip_network(text, strict=False))
    if isinstance(value, int | float):
        yield text
        yield from [bool(value)] if value in (0, 1) else []


def choice_hint(path: Path, value: object, choices: str) -> str:
    """Return a hint with the nearest choice, or with all of them."""
    near = nearest(str(value), choices.replace(" or ", ", ").split(", "))
    return f"write `{path[-1]}: {near}`" if near else f"choose {choices}"


def _typed(value: object, *, inside: bool = False) -> str:
    """Return a value as one would type it; inside brackets more values need quotes."""
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{key}: {_typed(inner, inside=True)}" for key, inner in value.items())
            + "}"
        )
    if not isinstance(value, str):
        return json.dumps(value, default=str)
    plain = not (inside and set(value) & set(",[]{}")) and ": " not in value and " #" not in value
    with contextlib.suppress(ValueError):
        if plain and read_scalar(value) == value:
            return value
    return json.dumps(value, ensure_ascii=False)


def typed_example(path: Path) -> str:
    """Return `key: example` for a key, or for the nearest mapping around it that has an example."""
    for end in range(len(path), 0, -1):
        known = fields(path[: end - 1]).get(str(path[end - 1]))
        if known is not None and known.examples:
            return f"{path[end - 1]}: {_typed(known.examples[0])}"
    return "name: my-fabric"

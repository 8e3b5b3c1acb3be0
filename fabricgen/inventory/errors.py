"""What pydantic finds wrong with an inventory, in the words of an inventory.

Owns the sentences about a single key: unknown, missing, of the wrong type, out of range. Every hint
that names a value has been tried against the key's own type. Where a key stands in the text is
asked of the document.
"""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import replace
from decimal import Decimal
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError

from fabricgen.core.diagnostics import Finding, nearest
from fabricgen.core.yaml_text import read_scalar
from fabricgen.core.yaml_tree import LONGEST_SHOWN
from fabricgen.inventory.fabric import SHORT_FORMS, FabricSpec
from fabricgen.inventory.fields import PATTERNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic.fields import FieldInfo

    from fabricgen.core.diagnostics import Path
    from fabricgen.core.yaml_text import Document

_MUST = {
    "int": "a whole number",
    "string": "a text",
    "bool": "true or false",
    "float": "a number",
    "decimal": "a number",
    "finite": "a finite number",
    "dict": "a mapping",
    "tuple": "a list",
}
"""First word of pydantic's error type -> what the key must be."""

_RANGE = {
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "string_too_long": "at most {max_length} characters long",
    "string_too_short": "at least {min_length} character long",
}
_KINDS = {
    dict: "a mapping",
    list: "a list",
    str: "a text",
    bool: "a truth value",
    int: "a whole number",
    float: "a number",
}


def findings_of(error: ValidationError, document: Document) -> list[Finding]:
    """Turn a validation error into findings with places, one for each key."""
    details: list[dict[str, Any]] = [dict(detail) for detail in error.errors(include_url=False)]
    strangers = {detail["loc"] for detail in details if detail["type"] == "extra_forbidden"}
    merged: dict[tuple[object, ...], Finding] = {}
    for detail in details:
        path = _known_path(document.values, detail["loc"])
        if detail["type"] == "missing" and _mistyped(detail["loc"], strangers):
            continue
        finding = _finding(document, path, detail)
        key = (finding.place, finding.path, finding.fact if finding.code == "missing-key" else "")
        merged[key] = _merge(merged[key], finding) if key in merged else finding
    return list(merged.values())


def _merge(first: Finding, other: Finding) -> Finding:
    """Join what two branches of a union say about one key: it could have been either."""
    reasons = dict.fromkeys(
        reason.removeprefix("it must be ") for reason in (*first.because, *other.because)
    )
    return replace(first, because=(f"it must be {' or '.join(reasons)}",))


def _finding(document: Document, path: Path, detail: dict[str, Any]) -> Finding:
    """Turn one error into a finding."""
    kind, said, context = (
        detail["type"],
        str(detail["msg"]).removeprefix("Value error, "),
        detail.get("ctx", {}),
    )
    if kind == "extra_forbidden":
        return _unknown(document, path)
    if kind == "missing":
        return _missing(document, path, str(detail["loc"][-1]))
    key, value, place = (
        ".".join(map(str, path)),
        _value_at(document.values, path),
        document.locate(path),
    )
    if kind == "value_error" and isinstance(value, dict):
        return Finding(
            "bad-value",
            f"`{key}` {said}",
            path,
            hint=f"for example `{_typed_example(path)}`",
            place=place,
        )
    hint, is_value = _hint(path, value), f"`{key}` is {_shown(value)}"
    if kind in ("literal_error", "enum"):
        choices = str(context["expected"]).replace("'", "")
        return Finding(
            "not-a-choice",
            is_value,
            path,
            (f"it must be {choices}",),
            _choice_hint(path, value, choices),
            place,
        )
    if kind in _RANGE:
        return Finding(
            "out-of-range", is_value, path, (f"it must be {_limit(kind, context)}",), hint, place
        )
    if kind in ("string_pattern_mismatch", "value_error"):
        pattern = PATTERNS.get(str(context.get("pattern")))
        return Finding(
            "bad-value",
            is_value,
            path,
            (f"it must be written {pattern}" if pattern else said,),
            hint,
            place,
        )
    shown = f"{_kind(value)} ({_shown(value)})"
    return Finding(
        "wrong-type",
        is_value if value is None else f"`{key}` is {shown}",
        path,
        (f"it must be {_must(path, kind, said)}",),
        hint,
        place,
    )


def _unknown(document: Document, path: Path) -> Finding:
    """Refuse a key that the inventory does not know, with the nearest that it does."""
    key, parent = str(path[-1]), ".".join(map(str, path[:-1]))
    siblings, here = list(fields(path[:-1])), _value_at(document.values, path[:-1])
    level = f"`{parent}`" if parent else "an inventory"
    near, homes = nearest(key, siblings), [home for home in _homes(key) if home[:-1] != path[:-1]]
    options = ([f"`{near}`"] if near else []) + [
        f"the top-level `{home[0]}`" if len(home) == 1 else f"`{'.'.join(home)}`"
        for home in homes[:1]
    ]
    hint = (
        f"did you mean {' or '.join(options)}?"
        if options
        else f"keys of {level}: {', '.join(siblings)}"
    )
    if near and near in here:
        hint = f"`{near}` stands there already; remove one of the two"
    for sign, advice in (
        (":", "write a space after the colon: `{0}: {1}…`"),
        (".", "write it as two levels: `{0}: {{{1}: …}}`"),
    ):
        first, _, rest = key.partition(sign)
        hint = advice.format(first, rest) if rest and first in siblings else hint
    because = (
        (f"`{near}` is required, and missing",)
        if near and near not in here and fields(path[:-1])[near].is_required()
        else ()
    )
    return Finding(
        "unknown-key",
        f"`{key}` is not a key of {level}",
        path,
        because,
        hint,
        document.locate_key(path),
    )


def _missing(document: Document, path: Path, key: str) -> Finding:
    """Refuse a mapping that lacks a required key."""
    where = f" under `{'.'.join(map(str, path))}`" if path else ""
    fact = f"`{'.'.join([*map(str, path), key])}` is missing"
    return Finding(
        "missing-key",
        fact,
        path,
        hint=f"add `{_typed_example((*path, key))}`{where}",
        place=document.locate_key(path),
    )


def _mistyped(location: tuple[int | str, ...], strangers: set[tuple[int | str, ...]]) -> bool:
    """Say whether a missing key stands there under a name that is nearly its own; the finding about that name says so."""
    return any(
        other[:-1] == location[:-1] and nearest(str(other[-1]), [str(location[-1])])
        for other in strangers
    )


def _must(path: Path, kind: str, said: str) -> str:
    """Say what a key must be."""
    if kind.startswith("model"):
        keys = f"a mapping with the {'keys' if len(fields(path)) > 1 else 'key'} {', '.join(fields(path))}"
        return f"a word, or {keys}" if path[-1] in SHORT_FORMS else keys
    return _MUST.get(kind.split("_", maxsplit=1)[0], said[:1].lower() + said[1:])


def _limit(kind: str, context: dict[str, Any]) -> str:
    """Say which bound a value breaks."""
    whole = {
        name: int(bound) if bound == int(bound) else bound
        for name, bound in context.items()
        if isinstance(bound, int | float | Decimal)
    }
    return _RANGE[kind].format(**whole)


def _kind(value: object) -> str:
    """Name the type of a value."""
    return _KINDS.get(type(value), type(value).__name__)


def _hint(path: Path, value: object) -> str:
    """Return what to write: the value mended, where a small change makes it fit, else an example."""
    known = fields(path[:-1]).get(str(path[-1])) if path else None
    if known is not None and path[-1] in SHORT_FORMS and isinstance(value, str):
        known = next(iter(fields(path).values()))
    if known is not None:
        adapter = TypeAdapter[Any](known.rebuild_annotation())
        for candidate in _candidates(path, value):
            with contextlib.suppress(ValidationError):
                adapter.validate_python(candidate)
                return f"write `{path[-1]}: {_typed(candidate)}`"
    return f"for example `{_typed_example(path)}`" if path else ""


def _candidates(path: Path, value: object) -> Iterator[object]:
    """Propose what a typist may have meant by a value."""
    for key in fields(path) if isinstance(value, str | int | float) else ():
        yield {key: value}
        if (
            path[-1] in SHORT_FORMS
        ):  # a number of so many keys says nothing, and a word is the short form of one
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
        yield text.lower()
        yield re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
        yield f"{text}G"
        with contextlib.suppress(ValueError):
            yield str(IPv4Network(text, strict=False))
    if isinstance(value, int | float):
        yield text
        yield from [bool(value)] if value in (0, 1) else []


def _choice_hint(path: Path, value: object, choices: str) -> str:
    """Return the nearest choice, or all of them."""
    near = nearest(str(value), choices.replace(" or ", ", ").split(", "))
    return f"write `{path[-1]}: {near}`" if near else f"choose {choices}"


def _shown(value: object) -> str:
    """Show a value briefly, as one would type it."""
    if value is None:
        return "empty"
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def _typed(value: object, *, inside: bool = False) -> str:
    """Write a value as one would type it; `inside` brackets more has to be quoted."""
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


def _typed_example(path: Path) -> str:
    """Write the first example of a key, or of the mapping that it stands in, with the key."""
    for end in range(len(path), 0, -1):
        known = fields(path[: end - 1]).get(str(path[end - 1]))
        if known is not None and known.examples:
            return f"{path[end - 1]}: {_typed(known.examples[0])}"
    return "name: my-fabric"


def _value_at(values: Any, path: tuple[Any, ...]) -> Any:  # noqa: ANN401 - whatever YAML holds there
    """Follow a path that the document has."""
    for part in path:
        values = values[part]
    return values


def _known_path(values: object, location: Sequence[str | int]) -> Path:
    """Drop what pydantic puts into a location beside keys (union branches) and what the document does not have."""
    path: list[str | int] = []
    node: Any = values
    for part in location:
        known = (
            part in node
            if isinstance(node, dict)
            else isinstance(node, list) and isinstance(part, int) and part < len(node)
        )
        if known:
            node = node[part]
            path.append(part)
    return tuple(path)


def fields(path: Path) -> Mapping[str, FieldInfo]:
    """Return the keys that the inventory knows below a path.

    >>> list(fields(("rails",)))
    ['count', 'planes', 'per_switch', 'tiers']
    """
    model: type[BaseModel] | None = FabricSpec
    for part in path:
        known = model.model_fields.get(str(part)) if model else None
        model = next(_models(known.annotation), None) if known else None
    return model.model_fields if model else {}


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    """Find the models in an annotation."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)


def _homes(key: str, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Find every path that ends in a key, the highest first."""
    known = fields(above)
    if key in known:
        yield (*above, key)
    for other in known:
        yield from _homes(key, (*above, other))

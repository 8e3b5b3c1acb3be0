"""Validation errors of pydantic as findings about the keys of an inventory.

Owns the sentences about a single key: unknown, missing, of the wrong type, out of range.
`value_hints` proposes what to write, `model_keys` knows the keys, and the document gives places.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from fabricgen.core.diagnostics import MOST_FINDINGS, Finding, nearest
from fabricgen.core.value_words import RANGES, kind_of, limit, must_be, shown
from fabricgen.inventory.accounts import SECRET_KEYS
from fabricgen.inventory.fabric import has_short_form
from fabricgen.inventory.fields import PATTERNS
from fabricgen.inventory.model_keys import fields, key_paths, known_path, value_at
from fabricgen.inventory.value_hints import choice_hint, typed_example, value_hint

if TYPE_CHECKING:
    from pydantic import ValidationError

    from fabricgen.core.diagnostics import Path, Place
    from fabricgen.core.yaml_text import YamlDocument


def findings_of(error: ValidationError, document: YamlDocument) -> tuple[list[Finding], int]:
    """Return the first findings of a validation error, one per key, and the number of the others.

    Hints are searched for these alone.
    """
    details: list[dict[str, Any]] = [dict(detail) for detail in error.errors(include_url=False)]
    unknown: dict[tuple[int | str, ...], list[str]] = {}
    for detail in details:
        if detail["type"] == "extra_forbidden":
            unknown.setdefault(detail["loc"][:-1], []).append(str(detail["loc"][-1]))
    keys: dict[tuple[Path, str], list[dict[str, Any]]] = {}
    places: dict[tuple[Path, str], Place] = {}
    for detail in details:
        path, missing = known_path(document.values, detail["loc"]), detail["type"] == "missing"
        if missing and _mistyped(detail["loc"], unknown):
            continue
        key = (path, str(detail["loc"][-1]) if missing else "")
        keys.setdefault(key, []).append(detail)
        of_key = missing or detail["type"] == "extra_forbidden"
        places[key] = document.locate_key(path) if of_key else document.locate(path)
    position = document.positions()
    keys = _without_other_branches(keys)
    first = sorted(keys, key=lambda key: position(places[key]))[:MOST_FINDINGS]
    return [
        reduce(_merge, (_finding(document, key[0], detail) for detail in keys[key]))
        for key in first
    ], len(keys) - len(first)


OTHER_BRANCH = ("_type", "too_short")
"""The ends of the kinds of errors that a wrong entry causes for its list."""


def _without_other_branches(
    keys: dict[tuple[Path, str], list[dict[str, Any]]],
) -> dict[tuple[Path, str], list[dict[str, Any]]]:
    """Leave out that a list is no number, where an entry of the list is refused as well.

    pydantic counts refused entries as missing, so the list is too short as well.
    """
    inner = {path[:end] for path, _ in keys for end in range(len(path))}
    return {
        (path, name): details
        for (path, name), details in keys.items()
        if path not in inner or not all(each["type"].endswith(OTHER_BRANCH) for each in details)
    }


def _merge(first: Finding, other: Finding) -> Finding:
    """Join the findings of two branches of a union about one key."""
    reasons = dict.fromkeys(
        reason.removeprefix("it must be ") for reason in (*first.because, *other.because)
    )
    return replace(first, because=(f"it must be {' or '.join(reasons)}",))


def _finding(document: YamlDocument, path: Path, detail: dict[str, Any]) -> Finding:
    """Return the finding of one error."""
    kind, context = detail["type"], detail.get("ctx", {})
    message = str(detail["msg"]).removeprefix("Value error, ")
    if kind == "extra_forbidden":
        return _unknown(document, path)
    if kind == "missing":
        return _missing(document, path, str(detail["loc"][-1]))
    key, value, place = (
        ".".join(map(str, path)),
        value_at(document.values, path),
        document.locate(path),
    )
    if kind == "value_error" and isinstance(value, dict):
        return Finding(
            "bad-value",
            f"`{key}` {message}",
            path,
            hint=f"for example `{typed_example(path)}`",
            place=place,
        )
    if path == ("nic", "per_gpu") and isinstance(value, float) and 0 < value < 1:
        return replace(_shared_nics(document.values, value), place=place)
    hidden = _may_hold_secret(path, value)
    hint = f"for example `{typed_example(path)}`" if hidden else value_hint(path, value)
    is_value = f"`{key}` has a wrong value" if hidden else f"`{key}` is {shown(value)}"
    if kind in ("literal_error", "enum"):
        choices = str(context["expected"]).replace("'", "")
        return Finding(
            "not-a-choice",
            is_value,
            path,
            (f"it must be {choices}",),
            choice_hint(path, value, choices),
            place,
        )
    if kind in RANGES:
        return Finding(
            "out-of-range", is_value, path, (f"it must be {limit(kind, context)}",), hint, place
        )
    if kind in ("string_pattern_mismatch", "value_error"):
        pattern = PATTERNS.get(str(context.get("pattern")))
        return Finding(
            "bad-value",
            is_value,
            path,
            (f"it must be written {pattern}" if pattern else message,),
            hint,
            place,
        )
    described = kind_of(value) if hidden else f"{kind_of(value)} ({shown(value)})"
    return Finding(
        "wrong-type",
        is_value if value is None else f"`{key}` is {described}",
        path,
        (f"it must be {_must(path, kind)}",),
        hint,
        place,
    )


def _shared_nics(values: dict[str, Any], per_gpu: float) -> Finding:
    """Return the finding for NICs that GPUs share; the hint counts NICs as GPUs."""
    domain = values.get("hb_domain")
    wanted = (values.get("gpus"), domain.get("gpus") if isinstance(domain, dict) else None)
    ports = [each * per_gpu if type(each) is int else 0.0 for each in wanted]
    hint = "write `per_gpu: 1`, and count NICs as GPUs in `gpus` and `hb_domain.gpus`"
    if all(ports) and all(each.is_integer() for each in ports):
        hint = (
            f"count NICs as GPUs: write `gpus: {int(ports[0])}`, `hb_domain.gpus: {int(ports[1])}`"
            " and `per_gpu: 1`"
        )
        hint += ", and leave `host` out" if values.get("host") else ""
    return Finding(
        "shared-nics",
        f"`nic.per_gpu` is {shown(per_gpu)}: a NIC that GPUs share is not planned",
        ("nic", "per_gpu"),
        (
            "every GPU has a whole number of NICs",
            (
                "with NICs counted as GPUs, switches, cables and NICs are right; the number of"
                " GPUs, all figures per GPU, and files of hosts for NCCL and routes are not"
            ),
        ),
        hint,
    )


def _may_hold_secret(path: Path, value: object) -> bool:
    """Return whether a value may be or hold a secret that was written instead of a reference."""
    holds = path[:1] == ("management",) or path[:2] == ("addressing", "bgp")
    return holds and (path[-1] in SECRET_KEYS or isinstance(value, dict | list))


def _unknown(document: YamlDocument, path: Path) -> Finding:
    """Return the finding for an unknown key, with the nearest known one."""
    key, parent = str(path[-1]), ".".join(map(str, path[:-1]))
    siblings, here = list(fields(path[:-1])), value_at(document.values, path[:-1])
    level = f"`{parent}`" if parent else "an inventory"
    near = nearest(key, siblings)
    alike = [near] if near else [other for other in siblings if key in other.split("_")]
    homes = [home for home in key_paths(key) if home[:-1] != path[:-1]]
    below = [home for home in homes if home[: len(path) - 1] == path[:-1]]
    options = [f"`{other}`" for other in alike]
    if near or not alike:
        options += [
            f"the top-level `{home[0]}`" if len(home) == 1 else f"`{'.'.join(home)}`"
            for home in (below or homes)[:1]
        ]
    hint = (
        f"did you mean {' or '.join(options)}?"
        if options
        else f"keys of {level}: {', '.join(siblings)}"
    )
    place = document.locate_key(path)
    if near and near in here and place.line is not None:  # `--set` would replace the one there
        hint = f"`{near}` is already there; remove one of the two"
    for sign, advice in (
        (":", "write a space after the colon: `{0}: {1}…`"),
        (".", "write it as two levels: `{0}: {{{1}: …}}`"),
    ):
        first, _, rest = key.partition(sign)
        hint = advice.format(first, rest) if rest and first in siblings else hint
    because = (
        (f"`{near}` is required and missing",)
        if near and near not in here and fields(path[:-1])[near].is_required()
        else ()
    )
    return Finding(
        "unknown-key",
        f"`{key}` is not a key of {level}",
        path,
        because,
        hint,
        place,
    )


def _missing(document: YamlDocument, path: Path, key: str) -> Finding:
    """Return the finding for a mapping without a required key."""
    where = f" under `{'.'.join(map(str, path))}`" if path else ""
    fact = f"`{'.'.join([*map(str, path), key])}` is missing"
    return Finding(
        "missing-key",
        fact,
        path,
        hint=f"add `{typed_example((*path, key))}`{where}",
        place=document.locate_key(path),
    )


def _mistyped(
    location: tuple[int | str, ...], unknown: dict[tuple[int | str, ...], list[str]]
) -> bool:
    """Return whether a missing key is there under a similar name, which has its own finding."""
    others = unknown.get(location[:-1], [])[:MOST_FINDINGS]
    return any(nearest(other, [str(location[-1])]) for other in others)


def _must(path: Path, kind: str) -> str:
    """Return what a value must be."""
    if kind.startswith("model"):
        word = "keys" if len(fields(path)) > 1 else "key"
        keys = f"a mapping with the {word} {', '.join(fields(path))}"
        return f"a word, or {keys}" if has_short_form(path) else keys
    return must_be(kind)

"""A file of the catalog as a model, and the findings of facts that do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from fabricgen.catalog.models.base import Facts, Part
from fabricgen.core.diagnostics import MOST_FINDINGS, Finding, Place, Refusal, suggest
from fabricgen.core.yaml_text import load_facts

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.core.yaml_text import YamlDocument


Shape = TypeVar("Shape", bound=Facts)


def parse(path: Path, shape: type[Shape]) -> Shape:
    """Parse one file as a model. Raises Refusal with a finding per fact that does not fit."""
    facts = load_facts(path)
    try:
        made = shape.model_validate(facts)
    except ValidationError as fault:
        places, errors = _places(path), fault.errors(include_url=False)
        raise Refusal(
            (_finding(path, dict(error), shape, places) for error in errors[:MOST_FINDINGS]),
            len(errors[MOST_FINDINGS:]),
        ) from None
    if isinstance(made, Part) and made.model != path.stem:
        raise Refusal(
            [bad_file(path, f"`model` is {made.model}, but the file is called {path.name}")]
        )
    return made


def _places(path: Path) -> YamlDocument:
    """Return a file with the places of its keys."""
    from fabricgen.core.yaml_text import read_document  # noqa: PLC0415 - a file that fits needs none

    return read_document(path.read_text("utf-8"), str(path))


def _finding(
    path: Path, error: dict[str, Any], shape: type[Facts], places: YamlDocument
) -> Finding:
    """Return the finding for a fact that does not fit its model."""
    from fabricgen.core.value_words import shown  # noqa: PLC0415 - as above

    loc, kind = error["loc"], error["type"]
    key = ".".join(str(step) for step in loc)
    if kind == "extra_forbidden":
        of_nos = f"facts of one NOS belong under `nos`, such as `nos.{loc[-1]}`"
        hint = suggest(key, shape.model_fields, of_nos if "nos" in shape.model_fields else "")
        fact = f"`{key}` is not a fact of this kind of file"
        return bad_file(path, fact, hint, places.locate_key(loc))
    if kind == "missing":
        where = places.locate(loc[:-1]) if loc[:-1] else Place(str(path))
        return bad_file(path, f"`{key}` is missing", place=where)
    message = demand(kind, error.get("ctx", {}), error["msg"])
    if kind == "value_error":
        return bad_file(path, f"`{key}`: {message}" if key else message, place=places.locate(loc))
    fact = f"`{key}` is {shown(error['input'])}"
    return bad_file(path, fact, place=places.locate(loc), because=(f"it must be {message}",))


def demand(kind: str, context: dict[str, Any], message: str) -> str:
    """Return what a validation error asks for, by its type, context and, for ours, its message."""
    from fabricgen.core.value_words import RANGES, limit, must_be  # noqa: PLC0415 - as above

    if kind == "value_error":
        return message.removeprefix("Value error, ")
    if kind in RANGES:
        return limit(kind, context)
    if kind in ("literal_error", "enum"):
        return str(context["expected"]).replace("'", "")
    if kind == "string_pattern_mismatch":
        return f"written like {context['pattern'].strip('^$')}"
    return must_be(kind)


def bad_file(
    path: Path,
    fact: str,
    hint: str = "",
    place: Place | None = None,
    because: tuple[str, ...] = (),
) -> Finding:
    """Return the finding of a fault in a file of the catalog."""
    where = place or Place(str(path))
    return Finding(
        "bad-catalog-file", f"{path.name}: {fact}", because=because, hint=hint, place=where
    )

"""A file of the catalog as a model, and the findings of facts that do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError

from fabricgen.catalog.models.base import Facts, Part
from fabricgen.core.diagnostics import Finding, Place, Refusal, suggest
from fabricgen.core.yaml_text import load_facts

if TYPE_CHECKING:
    from pathlib import Path


Shape = TypeVar("Shape", bound=Facts)


def parse(path: Path, shape: type[Shape]) -> Shape:
    """Parse one file as a model. Raises Refusal with a finding per fact that does not fit."""
    facts = load_facts(path)
    try:
        made = shape.model_validate(facts)
    except ValidationError as fault:
        raise Refusal(
            _finding(path, error["loc"], error["type"], error["msg"], shape)
            for error in fault.errors(include_url=False)
        ) from None
    if isinstance(made, Part) and made.model != path.stem:
        raise Refusal(
            [bad_file(path, f"`model` is {made.model}, but the file is called {path.name}")]
        )
    return made


def _finding(
    path: Path, loc: tuple[int | str, ...], kind: str, message: str, shape: type[Facts]
) -> Finding:
    """Return the finding for a fact that does not fit its model."""
    key = ".".join(str(step) for step in loc)
    if kind == "extra_forbidden":
        of_nos = f"facts of one NOS belong under `nos`, such as `nos.{loc[-1]}`"
        hint = suggest(key, shape.model_fields, of_nos if "nos" in shape.model_fields else "")
        return bad_file(path, f"`{key}` is not a fact of this kind of file", hint)
    if kind == "missing":
        return bad_file(path, f"`{key}` is missing")
    message = message.removeprefix("Value error, ")
    return bad_file(path, f"`{key}`: {message[:1].lower()}{message[1:]}" if key else message)


def bad_file(path: Path, fact: str, hint: str = "") -> Finding:
    """Return the finding of a fault in a file of the catalog."""
    return Finding("bad-catalog-file", f"{path.name}: {fact}", hint=hint, place=Place(str(path)))

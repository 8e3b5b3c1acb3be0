"""Opening a switch description and detecting its format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabricgen.catalog.importers.hedgehog import read_profile
from fabricgen.catalog.importers.model_draft import Description, bad, refused
from fabricgen.catalog.importers.netbox import read_device_type
from fabricgen.catalog.importers.sonic import read_platform
from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.core.files import FileError, OpenError, decode, parse_json, read_bytes
from fabricgen.core.yaml_text import control_text, parse_facts

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES = 2**22
"""Thirty times the largest platform.json; a larger file is refused."""


def read_description(path: Path, nos: str) -> Description:
    """Parse the description of a switch; `nos` is the NOS whose port names a NetBox file has.

    Raises Refusal `bad-switch-description` or `no-such-file`.
    """
    facts = _load(path)
    try:
        if facts.get("kind") == "SwitchProfile":
            return read_profile(path, facts)
        if {"chassis", "interfaces"} <= facts.keys():
            return read_platform(path, facts)
        if {"manufacturer", "model", "interfaces"} <= facts.keys():
            return read_device_type(path, facts, nos)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        fact = (
            f"`{error.args[0]}` is missing"
            if isinstance(error, KeyError)
            else "a value in it does not have the form that its format requires"
        )
        raise refused(path, fact, hint="give the file as its project ships it") from error
    keys = ", ".join(map(str, list(facts)[:6])) or "none"
    hint = (
        "give a NetBox device type (manufacturer, model, interfaces), a platform.json of SONiC "
        "(chassis, interfaces), or a SwitchProfile of Hedgehog"
    )
    raise refused(
        path, "this is not a known description of a switch", f"its keys are {keys}", hint=hint
    )


def _load(path: Path) -> dict[str, Any]:
    """Load a file: JSON if its name ends in .json, else YAML."""
    try:
        data = read_bytes(path, MOST_BYTES)
        facts: Any = (
            parse_json(decode(data))
            if path.suffix == ".json"
            else parse_facts(path, data, "bad-switch-description")
        )
    except OpenError as error:
        raise refuse(
            "no-such-file", f"`{path}` {error.fact}", hint="give the path of a description"
        ) from None
    except FileError as error:
        hint = error.hint or "give the file as its project ships it"
        raise Refusal(
            [bad(path, f"it {error.fact}", hint=hint, line=error.line, column=error.column)]
        ) from None
    if text := control_text(facts):
        raise refused(
            path,
            f"it has control characters in `{text}`",
            hint="give the file as its project ships it",
        )
    return facts if isinstance(facts, dict) else {}

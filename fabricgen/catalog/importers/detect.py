"""A description of a switch, whichever of the three it is.

Owns opening the file and telling the kinds apart by what they must hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabricgen.catalog.importers.draft import Description, bad, refused
from fabricgen.catalog.importers.hedgehog import read_profile
from fabricgen.catalog.importers.netbox import read_device_type
from fabricgen.catalog.importers.sonic import read_platform
from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.core.files import FileError, OpenError, decode, parse_json, read_bytes
from fabricgen.core.yaml_text import control_text, parse_facts

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES = 2**22
"""Thirty times the largest platform.json; a larger file is something else."""


def read_description(path: Path, nos: str) -> Description:
    """Read what a file says; `nos` is the system that calls ports as a device type does. Raises Refusal `bad-switch-description`, or `no-such-file`."""
    facts = _load(path)
    try:
        if facts.get("kind") == "SwitchProfile":
            return read_profile(path, facts)
        if {"chassis", "interfaces"} <= facts.keys():
            return read_platform(path, facts)
        if {"manufacturer", "model", "interfaces"} <= facts.keys():
            return read_device_type(path, facts, nos)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        said = (
            f"`{error.args[0]}` is missing"
            if isinstance(error, KeyError)
            else "a value in it is not of the form that its kind has"
        )
        raise refused(path, said, hint="give the file as its project ships it") from error
    keys = ", ".join(map(str, list(facts)[:6])) or "none"
    hint = "give a NetBox device type (manufacturer, model, interfaces), a platform.json of SONiC (chassis, interfaces), or a SwitchProfile of Hedgehog"
    raise refused(
        path, "this describes no switch that could be read", f"its keys are {keys}", hint=hint
    )


def _load(path: Path) -> dict[str, Any]:
    """Open a file: JSON by its name, everything else as YAML."""
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

"""A catalog file made from a description: its facts, the assumptions and the missing facts.

Owns the assumptions for required facts, the order of keys and the text. `models.switch` validates.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from fabricgen.catalog.catalog import MODEL
from fabricgen.catalog.models.switch import Switch
from fabricgen.core.diagnostics import Finding, Place, Refusal
from fabricgen.core.yaml_text import write_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ASSUMED: dict[str, Any] = {
    "vendor": "unknown",
    "form_factor": "generic",
    "transport": "ethernet",
    "cooling": "air",
}
"""Required facts and the value that is written where a description lacks one."""

WANTED = {
    "breakouts": "how a cage may be split",
    "rack_units": "needed to place it in a described room",
    "weight_kg": "needed to check the weight of racks",
    "typical_w": "needed for the sums of power",
    "maximum_w": "needed to check the power of racks",
    "nos": "needed for SONiC configurations: platform and lanes",
}
"""Optional facts and what each is needed for."""

EIGHT, FOUR = 8, 4
LANES = {
    "osfp": EIGHT,
    "qsfp-dd": EIGHT,
    "qsfp112": FOUR,
    "qsfp56": FOUR,
    "qsfp28": FOUR,
    "sfp28": 1,
}
"""Lanes of a cage by form factor, as its standard defines them."""


@dataclass
class Description:
    """The facts of a switch in another project's file; `source` describes that file."""

    source: str
    facts: dict[str, Any]
    doubtful: set[str] = field(default_factory=set)
    """Keys of `facts` that are derived from the file by a guess."""
    notes: list[str] = field(default_factory=list)
    """What was left out of the file, one sentence each."""
    missing: dict[str, str] = field(default_factory=dict)
    """Facts that the file does not have, and where they are found."""


@dataclass(frozen=True)
class ModelDraft:
    """A finished file: the model, its text, and what is still needed, one sentence each."""

    model: str
    text: str
    needed: tuple[str, ...]


def draft_model(path: Path, found: Description, stated: Mapping[str, Any]) -> ModelDraft:
    """Return a catalog file from a description and `stated` facts, which take precedence.

    Raises Refusal `bad-switch-description` where the facts contradict each other.

    >>> from pathlib import Path
    >>> mode = {"name": "1x400G", "count": 1, "speed_gbps": 400, "lanes": 4}
    >>> names = {"frr": {"whole": "p{cage}", "split": "p{cage}s{sub}"}}
    >>> facts = {"model": "x1", "cages": 2, "lanes_per_cage": 4, "breakouts": [mode]}
    >>> facts |= {"interfaces": names, "default_nos": "frr"}
    >>> stated = {"vendor": "Acme", "form_factor": "qsfp112"}
    >>> draft = draft_model(Path("x.yaml"), Description("x.yaml", facts), stated)
    >>> print(draft.needed[0])
    transport: not in the file; `ethernet` is assumed
    """
    assumed = {
        key: value for key, value in ASSUMED.items() if key not in found.facts and key not in stated
    }
    facts = found.facts | assumed | dict(stated)
    facts.setdefault(
        "description",
        f"{facts['vendor']} {facts['model']}, {facts['cages']} cages"
        if "cages" in facts
        else str(facts.get("model")),
    )
    doubtful = sorted({*assumed, *found.doubtful} - {*stated})
    facts |= {
        "source": [
            found.source,
            *([f"stated at import: {', '.join(sorted(stated))}"] if stated else []),
        ],
        "quality": "B",
    }
    facts |= {"notes": found.notes} if found.notes else {}
    facts |= {"unverified": doubtful} if doubtful else {}
    made = _checked(path, facts)
    needed = [f"{key}: not in the file; `{facts[key]}` is assumed" for key in assumed]
    needed += [
        f"{key}: derived from the file by a guess; check it"
        for key in doubtful
        if key not in assumed
    ]
    needed += [
        f"{key}: {why}"
        for key, why in WANTED.items()
        if not facts.get(key) or (key == "breakouts" and len(made.breakouts) < EIGHT // FOUR)
    ]
    needed += [f"{key}: {where}" for key, where in found.missing.items()]
    ordered = {
        key: facts[key]
        for key in ("model", "vendor", "description", *Switch.model_fields)
        if key in facts
    }
    head = "".join(f"# still needed: {sentence}\n" for sentence in needed)
    return ModelDraft(made.model, head + write_yaml(ordered), tuple(needed))


def _checked(path: Path, facts: dict[str, Any]) -> Switch:
    """Validate the facts as the catalog will."""
    try:
        made = Switch.model_validate(facts)
    except ValidationError as error:
        hint = "state a fact that fits with `--set`, or correct the file"
        raise Refusal(
            bad(path, _fault(dict(detail)), hint=hint) for detail in error.errors(include_url=False)
        ) from None
    if not MODEL.fullmatch(made.model):
        fact = f"`model`: `{made.model}` cannot be the name of a file in a catalog"
        example = f"--set model={model_name(made.model)}"
        hint = f"use small letters, digits, `-` and `.`, like `{example}`"
        raise refused(path, fact, hint=hint)
    return made


def _fault(detail: dict[str, Any]) -> str:
    """Return the text of a validation error, with its key where it has one."""
    key = ".".join(str(step) for step in detail["loc"])
    message = str(detail["msg"]).removeprefix("Value error, ")
    if detail["type"] == "extra_forbidden":
        return f"`{key}` is not a fact of a switch"
    return f"`{key}`: {message[:1].lower()}{message[1:]}" if key else message


def bad(
    path: Path,
    fact: str,
    *because: str,
    hint: str = "",
    line: int | None = None,
    column: int | None = None,
) -> Finding:
    """Return a finding about a description."""
    place = Place(str(path), line, column)
    return Finding(
        "bad-switch-description", f"{path.name}: {fact}", because=because, hint=hint, place=place
    )


def refused(path: Path, fact: str, *because: str, hint: str = "") -> Refusal:
    """Return the refusal of a description; the caller raises it."""
    return Refusal([bad(path, fact, *because, hint=hint)])


def model_name(text: object) -> str:
    """Return a name in the form of a catalog file's name.

    >>> model_name("DCS-7060DX5-64S"), model_name("Celestica DS5000")
    ('dcs-7060dx5-64s', 'celestica-ds5000')
    """
    return re.sub(r"[^a-z0-9.]+", "-", str(text).lower()).strip("-.")


def mode(count: int, speed_gbps: int, lanes: int) -> dict[str, Any]:
    """Return one breakout; `lanes` are those of each port."""
    return {
        "name": f"{count}x{speed_gbps}G",
        "count": count,
        "speed_gbps": speed_gbps,
        "lanes": lanes,
    }

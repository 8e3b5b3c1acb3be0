"""A file of the catalog in the making: what a description gives, what is assumed, and what is still needed.

Owns what is assumed where a catalog file cannot do without, the order of its keys, and its text. It
judges nothing that `parts` judges.
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
"""What a catalog file must say, and what is written where a description does not."""

WANTED = {
    "breakouts": "how a cage may be split",
    "rack_units": "a described room cannot place it without",
    "weight_kg": "racks are checked for weight only with it",
    "typical_w": "power is left out of every sum without it",
    "maximum_w": "racks are checked for power with it",
    "sonic": "SONiC cannot be configured without its platform and lanes",
}
"""Facts that a file may leave out, and what they are good for."""

EIGHT, FOUR = 8, 4
LANES = {"osfp": EIGHT, "qsfp-dd": EIGHT, "qsfp112": FOUR, "qsfp56": FOUR}
"""Lanes of a cage of each form, by the standard of the form."""


@dataclass
class Description:
    """What somebody's file says of a switch. `facts` are in the words of the catalog, `source` says what file it was."""

    source: str
    facts: dict[str, Any]
    doubtful: set[str] = field(default_factory=set)
    """Keys of `facts` that follow from the file only by a guess."""
    notes: list[str] = field(default_factory=list)
    """What of the file is left out, in a sentence each."""


@dataclass(frozen=True)
class Draft:
    """A finished file: the model, its text, and what is still needed, in a sentence each."""

    model: str
    text: str
    needed: tuple[str, ...]


def make_draft(path: Path, found: Description, stated: Mapping[str, Any]) -> Draft:
    """Make the file of what was found and what somebody states besides, which wins. Raises Refusal `bad-switch-description` where it does not hold together.

    >>> from pathlib import Path
    >>> mode = {"name": "1x400G", "count": 1, "speed_gbps": 400, "lanes": 4}
    >>> facts = {"model": "x1", "cages": 2, "lanes_per_cage": 4, "breakouts": [mode], "interfaces": {"frr": {"whole": "p{cage}", "split": "p{cage}s{sub}"}}}
    >>> draft = make_draft(Path("x.yaml"), Description("x.yaml", facts | {"default_nos": "frr"}), {"vendor": "Acme", "form_factor": "qsfp112"})
    >>> print(draft.needed[0])
    transport: the file does not say; `ethernet` is assumed
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
    needed = [f"{key}: the file does not say; `{facts[key]}` is assumed" for key in assumed]
    needed += [
        f"{key}: it follows from the file by a guess; check it"
        for key in doubtful
        if key not in assumed
    ]
    needed += [
        f"{key}: {why}"
        for key, why in WANTED.items()
        if not facts.get(key) or (key == "breakouts" and len(made.breakouts) < EIGHT // FOUR)
    ]
    ordered = {
        key: facts[key]
        for key in ("model", "vendor", "description", *Switch.model_fields)
        if key in facts
    }
    head = "".join(f"# still needed: {sentence}\n" for sentence in needed)
    return Draft(made.model, head + write_yaml(ordered), tuple(needed))


def _checked(path: Path, facts: dict[str, Any]) -> Switch:
    """Read the facts as the catalog will."""
    try:
        made = Switch.model_validate(facts)
    except ValidationError as error:
        hint = "state a fact that fits with `--set`, or correct the file"
        raise Refusal(
            bad(path, _fault(dict(detail)), hint=hint) for detail in error.errors(include_url=False)
        ) from None
    if not MODEL.fullmatch(made.model):
        fact = f"`model`: `{made.model}` cannot be the name of a file in a catalog"
        raise refused(
            path,
            fact,
            hint=f"use small letters, digits, `-` and `.`, like `--set model={model_name(made.model)}`",
        )
    return made


def _fault(detail: dict[str, Any]) -> str:
    """Say what does not fit, with the key that it is about; a fault of several has none."""
    key, said = (
        ".".join(str(step) for step in detail["loc"]),
        str(detail["msg"]).removeprefix("Value error, "),
    )
    if detail["type"] == "extra_forbidden":
        return f"`{key}` is not a fact of a switch"
    return f"`{key}`: {said[:1].lower()}{said[1:]}" if key else said


def bad(
    path: Path,
    fact: str,
    *because: str,
    hint: str = "",
    line: int | None = None,
    column: int | None = None,
) -> Finding:
    """Make a finding about a description."""
    place = Place(str(path), line, column)
    return Finding(
        "bad-switch-description", f"{path.name}: {fact}", because=because, hint=hint, place=place
    )


def refused(path: Path, fact: str, *because: str, hint: str = "") -> Refusal:
    """Refuse a description; the caller raises it."""
    return Refusal([bad(path, fact, *because, hint=hint)])


def model_name(text: object) -> str:
    """Write a name as a file of the catalog may be called.

    >>> model_name("DCS-7060DX5-64S"), model_name("Celestica DS5000")
    ('dcs-7060dx5-64s', 'celestica-ds5000')
    """
    return re.sub(r"[^a-z0-9.]+", "-", str(text).lower()).strip("-.")


def mode(count: int, speed_gbps: int, lanes: int, sonic: str | None = None) -> dict[str, Any]:
    """Write one breakout; `lanes` are those of each port."""
    facts: dict[str, Any] = {
        "name": f"{count}x{speed_gbps}G",
        "count": count,
        "speed_gbps": speed_gbps,
        "lanes": lanes,
    }
    return facts | ({"sonic": sonic} if sonic else {})

"""The site's own lines in configurations, and its own values for templates."""

import math
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, JsonValue, WithJsonSchema, model_validator

from fabricgen.core.bounds import MOST_ENTRIES
from fabricgen.core.terms import Role
from fabricgen.inventory.fields import LOCAL_FILE, VARIABLE, InventoryModel, Pattern, Word

MOST_TEXT = 2**18
"""Characters of the text of one override, written in the inventory or in a file."""
DEEPEST = 20
"""Levels of lists and mappings in a value of `vars`."""


def plain_value(value: object, depth: int = 0) -> object:
    """Return a value that JSON can represent. Raises ValueError for any other."""
    if depth > DEEPEST:
        raise ValueError(f"is nested in more than {DEEPEST} levels")
    if isinstance(value, dict):
        return {str(key): plain_value(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(each, depth + 1) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("has a number that is not finite")
    return value


Vars = Annotated[
    dict[
        Annotated[str, Field(strict=True, pattern=f"^{VARIABLE}$", max_length=40)],
        Annotated[JsonValue, BeforeValidator(plain_value)],
    ],
    WithJsonSchema({"type": "object", "additionalProperties": {}, "maxProperties": MOST_ENTRIES}),
    Field(examples=[{"contact": "noc@example.net"}]),
]


class OverrideMatch(InventoryModel):
    """The switches of an override: those that have every value given here."""

    role: Annotated[Role | None, Field(examples=["leaf"])] = None
    """The role of the switch."""
    rail: Annotated[int | None, Field(strict=True, ge=0, le=65_536, examples=[0])] = None
    """A rail that the switch serves, from 0."""
    plane: Annotated[int | None, Field(strict=True, ge=0, le=8, examples=[0])] = None
    """The plane of the switch, from 0."""
    name: Annotated[Pattern | None, Field(examples=["r0-*"])] = None
    """The name of the switch, or a pattern: `*` is any text, `?` any character."""
    nos: Annotated[Word | None, Field(examples=["eos"])] = None
    """The network operating system of the switch."""
    network: Annotated[Literal["storage", "inband", "oob"] | None, Field(examples=["inband"])] = (
        None
    )
    """The network beside compute that the switch is in. Default: the compute fabric."""


class Override(InventoryModel):
    """One entry of `overrides`."""

    match: Annotated[OverrideMatch, Field(examples=[{"role": "leaf", "rail": 0}])] = (
        OverrideMatch.model_construct()
    )
    """The switches, by role, rail, plane, name, NOS and network. Default: those of compute."""
    place: Annotated[
        str, Field(strict=True, min_length=1, max_length=200, examples=["after", "bgp"])
    ] = "after"
    """`before` or `after` the lines of the configuration, or after one of its sections, such as
    `bgp`. In JSON and YAML the text is a fragment: `after` merges it into the document, `before`
    adds only what is missing, and `/KEY/KEY` merges it below these keys. `FILE:PLACE` names another
    file of the switch, such as `frr.conf:after` of SONiC."""
    text: Annotated[
        str | None,
        Field(strict=True, max_length=MOST_TEXT, examples=["aaa authorization exec default local"]),
    ] = None
    """The lines, or the fragment, as they are written."""
    file: Annotated[
        str | None,
        Field(strict=True, pattern=f"^{LOCAL_FILE}$", max_length=200, examples=["lines/eos.cfg"]),
    ] = None
    """A file with the text, in the directory of the inventory or below it."""
    vars: Vars = {}
    """Values for the templates of these switches, in addition to the top-level `vars`."""

    @property
    def has_lines(self) -> bool:
        """Whether it has a text, and not values alone."""
        return self.text is not None or self.file is not None

    @model_validator(mode="after")
    def _has_one_text(self) -> Any:  # noqa: ANN401 - the model itself
        """Refuse two texts, and an override without effect."""
        if self.text is not None and self.file is not None:
            raise ValueError("has both `text` and `file`")
        if not self.has_lines and not self.vars:
            raise ValueError("has neither `text`, `file` nor `vars`")
        return self

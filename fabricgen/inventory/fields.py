"""The types of the values in an inventory, how each is written, and the base of its models.

Owns counts, speeds, ratios, prefixes, prices, lengths, dates and names.
"""

from __future__ import annotations

import ast
import datetime as dt
import inspect
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib import import_module
from ipaddress import IPv4Network, IPv6Network
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    TypeAdapter,
    WithJsonSchema,
)
from pydantic_core.core_schema import definitions_schema, no_info_plain_validator_function

from fabricgen.core.bounds import MOST, bound, bounded_model
from fabricgen.core.terms import (
    FASTEST_GBPS,
    MOST_TIMES,
    parse_ratio,
    parse_speed,
    ratio_text,
    speed_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema

NAME = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
MODEL = r"[a-z0-9][a-z0-9.-]*"
FILE = r"[A-Za-z0-9_./-]+"
SECRET = rf"(env:[A-Za-z_][A-Za-z0-9_]*|file:{FILE}|sops:{FILE}#[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*)"
SERVER = r"[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?"
ADDRESS = r"[0-9A-Fa-f:.]{2,45}"
SSH_KEY = (
    r"(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)) [A-Za-z0-9+/]{40,}={0,2}"
    r"( [A-Za-z0-9@._-]+)?"
)
KEY_EXAMPLE = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPKx0nN3b1Ux4CSj5gE0xrKPGsEzgHTAH0rJTzRSqZ2"
BANNER_ENDS = "^#%@~|&+"
"""Signs that may end a banner on a NOS that takes any sign for it."""
ACCOUNT = r"[a-z_][a-z0-9_-]{0,30}"
SNMP_NAME = r"[a-z_][a-z0-9_-]{3,30}"
PLAIN_TEXT = r"[A-Za-z0-9][A-Za-z0-9 .,:()@/_+-]*"
DN = r"[A-Za-z0-9]+=[A-Za-z0-9 ._-]+(,[A-Za-z0-9]+=[A-Za-z0-9 ._-]+)*"
ZONE = r"[A-Z][A-Za-z]+(/[A-Za-z0-9_+-]+){0,2}"
CAGES = r"[1-9]\d{0,3}(-[1-9]\d{0,3})?(,[1-9]\d{0,3}(-[1-9]\d{0,3})?)*"
VRF = r"[A-Za-z][A-Za-z0-9_-]{0,14}"
BREAKOUT = r"\d+x\d+(\.\d+)?[GT]"
PREFIX = "[A-Za-z0-9][A-Za-z0-9-]{0,19}"
"""The beginning of the names of a fabric's devices."""

VERSION = r"\d{1,4}\.\d{1,4}(\.\d{1,4})?"
IMAGE = r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}"
LEAF_PORTS = r"(fewest|widest|[1-9]\d{0,3}:[1-9]\d{0,3})"
RELEASE = r"[A-Za-z0-9][A-Za-z0-9._()+-]{0,59}"
SHA256 = r"[0-9a-f]{64}"
CURRENCY = r"[A-Z]{3}"
LINUX_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,14}"
NO_PLACE = (
    r"\x00-,/:-@\[-^`{-\xbf\s\u2000-\u206f\u3000-\u3004\ue000-\uf8ff\ufe00-\ufe0f\ufeff"
    r"\ufff0-\uffff"
)
"""Signs that no name of a place holds: punctuation, spaces, and what is invisible.

A class of characters that are left out is written alike for pydantic, for Python and for editors,
where one of all letters is not.
"""
PLACE = rf"[^{NO_PLACE}._-]([^{NO_PLACE}]*[^{NO_PLACE}._-])?"
LOCAL_FILE = r"(\./)?([A-Za-z0-9_][A-Za-z0-9._-]*/)*[A-Za-z0-9_][A-Za-z0-9._-]*"
TABLE = rf"{LOCAL_FILE}\.csv"
DEVICES = rf"({NAME}|[a-z0-9-]*\{{n(:0[1-9])?\}}[a-z0-9-]*)"
VARIABLE = r"[a-z_][a-z0-9_]*"
PATTERNS = {
    f"^{NAME}$": "in lower case letters, digits and hyphens",
    f"^{MODEL}$": "in lower case letters, digits, dots and hyphens",
    f"^{BREAKOUT}$": "as ports, `x` and their speed, like 2x400G",
    f"^{CAGES}$": "as cages and ranges of them, like 1-16,18",
    f"^{VERSION}$": "as numbers with dots, like 2.30.7",
    f"^({PREFIX})?$": "in up to 20 letters, digits and hyphens, like dc2-",
    f"^{LINUX_NAME}$": "as Linux writes it, in at most 15 letters, digits, dots and hyphens",
    f"^{PLACE}$": "in letters, digits, `.`, `_` and `-`, like DH3",
    f"^{IMAGE}$": "as the name of a file, in letters, digits, `.`, `_`, `+` and `-`",
    f"^{LEAF_PORTS}$": "as `fewest`, `widest`, or downlinks and uplinks, like 79:40",
    f"^{RELEASE}$": "in letters, digits, `.`, `_`, `+`, `-` and parentheses, like 4.34.2F",
    f"^{SHA256}$": "in 64 hexadecimal digits, as sha256sum prints it",
    f"^{CURRENCY}$": "as the three capital letters of ISO 4217, like EUR",
    f"^{SECRET}$": "as env:NAME, file:PATH or sops:PATH#KEY, never as the secret itself",
    f"^{SERVER}$": "as an address or a name of DNS, like ntp.example.com",
    f"^{ADDRESS}$": "as an address, like 10.90.0.53",
    f"^{SSH_KEY}$": "as the line of a public key file of SSH: type, key and, at most, one comment",
    f"^{ACCOUNT}$": "in at most 31 lower case letters, digits, `_` and `-`, not a digit first",
    f"^{SNMP_NAME}$": "in 4 to 31 lower case letters, digits, `_` and `-`, not a digit first",
    f"^{PLAIN_TEXT}$": "in letters, digits, spaces and `.,:()@/_+-`",
    f"^{DN}$": "as a distinguished name, like dc=example,dc=com",
    f"^{ZONE}$": "as in the tz database, like Europe/Berlin",
    f"^{VRF}$": "in at most 15 letters, digits, `_` and `-`, a letter first",
    f"^{LOCAL_FILE}$": "as the path of a file below the inventory's directory, like lines/eos.cfg",
    f"^{VARIABLE}$": "in lower case letters, digits and `_`, like ntp_servers",
    f"^{DEVICES}$": "in lower case letters, digits and hyphens, with {n} for the number",
    f"^{TABLE}$": "as the path of a .csv file below the inventory's directory, like positions.csv",
}
"""Pattern -> how a value that matches it is written."""

UNICAST = IPv6Network("2000::/3"), IPv6Network("fc00::/7")
"""Global and unique local IPv6 addresses (RFC 4291, RFC 4193); all others have special uses."""


def decimal_of(value: object) -> object:
    """Return a YAML number as the decimal that was typed, without the error of a binary float."""
    return (
        Decimal(str(value))
        if isinstance(value, int | float) and not isinstance(value, bool)
        else value
    )


def network_of(value: object) -> IPv4Network:
    """Parse an IPv4 prefix; host bits are an error, so that no pool moves unnoticed."""
    rule = "an IPv4 prefix is written like 10.0.0.0/9"
    if not isinstance(value, str | IPv4Network):
        raise ValueError(rule)  # noqa: TRY004 - pydantic reports a ValueError and lets a TypeError through
    try:
        return IPv4Network(value)
    except ValueError as error:
        raise ValueError(f"{rule}: {error}") from error


def pool_of(value: object) -> IPv4Network | IPv6Network:
    """Parse a pool of addresses for interfaces: IPv6 where its text has a colon, else IPv4."""
    if not isinstance(value, IPv6Network) and ":" not in str(value):
        return network_of(value)
    rule = "an IPv6 prefix is written like 2001:db8:100::/40"
    try:
        pool = IPv6Network(str(value))
    except ValueError as error:
        raise ValueError(f"{rule}: {error}") from error
    if not any(pool.subnet_of(usable) for usable in UNICAST):
        raise ValueError(
            f"{rule}: {pool} is neither in 2000::/3 (global unicast) nor in fc00::/7 (unique local)"
        )
    return pool


def cages_of(text: str) -> list[int]:
    """Return the cages that a text lists; a range may begin at either end.

    >>> cages_of("26,28,38-40")
    [26, 28, 38, 39, 40]
    """
    ends = (sorted(map(int, part.split("-"))) for part in text.split(",") if part)
    return [cage for each in ends for cage in range(each[0], each[-1] + 1)]


def day_of(value: object) -> dt.date:
    """Parse a date; pydantic would take a number for seconds since 1970."""
    rule = "a day is written like 2026-09-22"
    try:
        day = dt.date.fromisoformat(str(value))
    except ValueError as error:
        raise ValueError(rule) from error
    if day.isoformat() != str(value):
        raise ValueError(rule)
    return day


Cages = Annotated[str, Field(strict=True, pattern=f"^{CAGES}$", max_length=400)]
Count = Annotated[int, Field(strict=True, ge=1, le=MOST)]
Ports = Annotated[int, Field(strict=True, ge=0, le=64)]
Speed = Annotated[
    int,
    BeforeValidator(parse_speed),
    PlainSerializer(speed_text),
    WithJsonSchema(
        {
            "type": ["string", "integer"],
            "pattern": r"^\s*\d+(\.\d+)?\s*[GgTt]([Bb][Pp][Ss]|[Bb]/[Ss]|[Bb][Ii][Tt]/[Ss])?\s*$",
            "minimum": 1,
            "maximum": FASTEST_GBPS,
            "maxLength": 40,
        }
    ),
]
Ratio = Annotated[
    Fraction,
    BeforeValidator(parse_ratio),
    PlainSerializer(ratio_text),
    WithJsonSchema(
        {
            "type": ["string", "number"],
            "pattern": r"^\s*\d+(\.\d+)?(\s*:\s*\d+(\.\d+)?)?\s*$",
            "exclusiveMinimum": 0,
            "maximum": MOST_TIMES,
            "maxLength": 40,
        }
    ),
]
Prefix = Annotated[
    IPv4Network,
    BeforeValidator(network_of),
    PlainSerializer(str),
    WithJsonSchema({"type": "string", "pattern": r"^\d+(\.\d+){3}(/\d+)?$", "maxLength": 18}),
]
Pool = Annotated[
    IPv4Network | IPv6Network,
    BeforeValidator(pool_of),
    PlainSerializer(str),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": r"^(\d+(\.\d+){3}|[0-9A-Fa-f]*:[0-9A-Fa-f:]*)(/\d+)?$",
            "maxLength": 43,
        }
    ),
]
Price = Annotated[Decimal, Field(ge=0), BeforeValidator(decimal_of)]
Percent = Annotated[Decimal, Field(ge=0, le=100, allow_inf_nan=False), BeforeValidator(decimal_of)]
Metres = Annotated[Decimal, Field(gt=0, le=10_000, decimal_places=3), BeforeValidator(decimal_of)]
Lengths = Annotated[tuple[Metres, ...], Field(min_length=1)]
Day = Annotated[
    dt.date,
    BeforeValidator(day_of),
    WithJsonSchema({"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$", "maxLength": 10}),
]
Model = Annotated[str, Field(strict=True, pattern=f"^{MODEL}$")]
Breakout = Annotated[str, Field(strict=True, pattern=f"^{BREAKOUT}$")]
Pattern = Annotated[str, Field(strict=True, min_length=1, max_length=80)]
Word = Annotated[str, Field(strict=True, pattern=f"^{NAME}$", max_length=40)]
Secret = Annotated[str, Field(strict=True, pattern=f"^{SECRET}$", max_length=200)]


class DefaultBounds:
    """Marks a type outside of a model that has the bounds of a model's values."""

    def __get_pydantic_core_schema__(
        self,
        marked: Any,  # noqa: ANN401 - the form of any type
        handler: GetCoreSchemaHandler,
    ) -> CoreSchema:
        """Add the bounds that the type lacks."""
        schema = handler(marked)
        bound(schema)
        return schema


class OnDemand:
    """Marks an optional section whose validator is built when an inventory first has the section.

    An inventory has few of them; to build the validators of all took a twentieth of `plan`. The
    type that is marked has no constraints of its own. A section of a module that nothing else
    needs marks `Any`, with the module and the name of its model: it is imported then, too.
    """

    def __init__(self, module: str = "", model: str = "", most: int | None = None) -> None:
        """Mark a type, or `Any` in the place of a model of another module of this package.

        A list has at most `most` entries.
        """
        self._module, self._model = module, model
        self._limits = (*([] if most is None else [Field(max_length=most)]), DefaultBounds())

    def section(self, marked: Any) -> Any:  # noqa: ANN401 - the form of any type
        """Return the type of the section: the one that is marked, or the named model."""
        if not self._module:
            return marked
        return getattr(import_module(f"{__package__}.{self._module}"), self._model)

    def __get_pydantic_core_schema__(
        self,
        marked: Any,  # noqa: ANN401 - the form of any type
        _: GetCoreSchemaHandler,
    ) -> CoreSchema:
        """Return a schema that builds the section's own one for its first value."""

        @cache
        def adapter() -> TypeAdapter[Any]:
            section = self.section(marked)
            return TypeAdapter(Annotated[(section, *self._limits)])  # type: ignore[arg-type]  # made at run time

        return no_info_plain_validator_function(
            lambda value: adapter().validate_python(value), metadata={"section": adapter}
        )

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Return the JSON Schema of the section: a reference, where it is one model."""
        return handler(definitions_schema(schema["metadata"]["section"]().core_schema, []))


def marks(parts: Iterable[Any]) -> Iterator[OnDemand]:
    """Yield the marks of sections in the parts of a type."""
    for part in parts:
        if isinstance(part, OnDemand):
            yield part
        else:
            yield from marks(get_args(part))


class InventoryModel(BaseModel):
    """A mapping of the inventory: unknown keys are refused, values are frozen.

    Every command imports these models, so they are built when the first inventory is read, and the
    docstrings of their keys are parsed only for a schema.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[Any], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Give every number, text and list without a maximum one that is far above its values."""
        return bounded_model(source, handler)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Add the docstring of each key as its description.

        A reference to the definition of a section has no title, because the definition has one.
        """
        schema = handler(core_schema)
        keys = handler.resolve_ref_schema(schema)["properties"]
        for key, field in cls.model_fields.items():
            if "type" not in keys[key] and [*marks((field.annotation, *field.metadata))]:
                keys[key].pop("title", None)
        models = [each for each in cls.__mro__[::-1] if issubclass(each, InventoryModel)]
        for model in models[1:]:
            for key, text in _docstrings(model).items():
                keys[key]["description"] = text
        return schema


@cache
def _docstrings(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstring that follows each key of a model in the source, on one line."""
    (shape,) = ast.parse(inspect.getsource(model)).body
    found = {}
    for key, text in pairwise(shape.body if isinstance(shape, ast.ClassDef) else ()):
        match key, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(
                value=ast.Constant(value=str(description))
            ):
                found[name] = " ".join(description.split())
    return found

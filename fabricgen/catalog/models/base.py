"""The base of all catalog models: types of values, sources, and unverified facts."""

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StringConstraints,
    model_validator,
)

from fabricgen.core.bounds import LONGEST, bounded_model
from fabricgen.core.terms import FASTEST_GBPS

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

Transport = Literal["ethernet", "infiniband", "serial"]
FormFactor = Literal[
    "osfp",
    "qsfp-dd",
    "qsfp56",
    "qsfp112",
    "qsfp28",
    "sfp28",
    "sfp+",
    "rj45",
    "mpo",
    "lc",
    "generic",
]
COMPATIBLE: dict[str, tuple[str, ...]] = {
    "qsfp112": ("qsfp56", "qsfp28"),
    "qsfp56": ("qsfp28",),
    "qsfp-dd": ("qsfp56", "qsfp28"),
    "sfp28": ("sfp+",),
}
"""The slower form factors that each cage takes besides its own, by the agreements that define them:
SFF-8679 (QSFP28 to QSFP112), the QSFP-DD MSA, and SFF-8402 (SFP28)."""


def takes(cage: str, plug: str) -> bool:
    """Return whether a cage takes a module or a plug of a form factor.

    >>> takes("qsfp112", "qsfp28"), takes("qsfp28", "qsfp112")
    (True, False)
    """
    return cage == plug or plug in COMPATIBLE.get(cage, ())


STANDARD_LANES: dict[str, tuple[int, int]] = {
    "sfp+": (1, 10),
    "sfp28": (1, 25),
    "qsfp28": (4, 25),
    "qsfp56": (4, 50),
    "qsfp112": (4, 100),
    "qsfp-dd": (8, 100),
    "osfp": (8, 200),
}
"""The lanes of each form factor, and the fastest of them in Gbps: SFF-8402, SFF-8679, the QSFP-DD
and the OSFP MSA."""

ANY_LANES = frozenset(range(1, 17))
"""The lanes of a port of unknown construction: any number."""


def possible_lanes(form_factor: str, speed_gbps: int, links: int = 1) -> frozenset[int]:
    """Return on how many lanes a port can have its speed, in a cage with so many ports.

    >>> sorted(possible_lanes("qsfp56", 200)), sorted(possible_lanes("qsfp112", 200))
    ([4], [2, 4])
    """
    lanes, fastest = STANDARD_LANES.get(form_factor, (0, 0))
    found = {many for many in (1, 2, 4, 8) if many * links <= lanes}
    return frozenset(many for many in found if speed_gbps <= many * fastest) or ANY_LANES


Medium = Literal["mmf", "smf", "dac", "acc", "aoc", "utp", "generic"]
Top = Literal["finned", "flat", "any"]
"""The top of a module: its own fins, or flat for the heat sink of the cage."""


def _one_line(text: str) -> str:
    """Refuse control characters and long texts: facts are in tables, bills and on terminals."""
    if len(text) > LONGEST:
        raise ValueError(f"a text has at most {LONGEST} characters")
    if not text.isprintable():
        raise ValueError("a text is one line, without control characters")
    return text


Text = Annotated[
    str, StringConstraints(min_length=1, strip_whitespace=True), AfterValidator(_one_line)
]
MOST_LANES = 16
"""Lanes of a cage: an OSFP-XD has as many."""

# physical maxima: what is counted is listed, and what is measured is multiplied by counts
Count = Annotated[int, Field(gt=0, le=4096, strict=True)]  # of parts of a device
Index = Annotated[int, Field(ge=0, le=4096, strict=True)]
Lanes = Annotated[int, Field(gt=0, le=MOST_LANES, strict=True)]
Many = Annotated[int, Field(gt=0, le=65_536, strict=True)]  # of a rack, a domain or a room
MOST_TOKENS = 10**12
"""The largest number of a file."""
Tokens = Annotated[int, Field(gt=0, le=MOST_TOKENS, strict=True)]  # of a batch
LinkGbps = Annotated[int, Field(ge=0, le=FASTEST_GBPS, strict=True)]  # 0 for serial links
Gbps = Annotated[int, Field(gt=0, le=FASTEST_GBPS, strict=True)]
RackUnits = Annotated[int, Field(gt=0, le=100, strict=True)]
Amount = Annotated[float, Field(ge=0, le=1e6, strict=True, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, le=1e6, strict=True, allow_inf_nan=False)]
Metres = Annotated[float, Field(ge=0, le=1e4, strict=True, allow_inf_nan=False)]
Watts = Annotated[float, Field(ge=0, le=1e7, strict=True, allow_inf_nan=False)]
Price = Annotated[Decimal, Field(gt=0, allow_inf_nan=False)]
Percent = Annotated[Decimal, Field(ge=0, le=100, allow_inf_nan=False)]


def _texts(value: object) -> object:
    """Return a single text as a list: most files cite one document."""
    return [value] if isinstance(value, str) else value


def _lane_ranges(value: object) -> object:
    """Parse `17-24 9-16`, one range of lanes per front cage, which is short and easy to review."""
    if not isinstance(value, str):
        return value
    if not _LANES.fullmatch(value.strip()):
        raise ValueError("the lanes of the cages are written as ranges, like 0-7 8-15")
    ends = [tuple(map(int, text.split("-"))) for text in value.split()]
    if any(last - first >= MOST_LANES or last > MOST_LANES * 4096 for first, last in ends):
        raise ValueError(f"a cage has at most {MOST_LANES} lanes")
    return tuple(tuple(range(first, last + 1)) for first, last in ends)


_LANES = re.compile(r"\d{1,9}-\d{1,9}(\s+\d{1,9}-\d{1,9})*")

Texts = Annotated[tuple[Text, ...], BeforeValidator(_texts), Field(min_length=1)]
LaneTable = Annotated[tuple[tuple[int, ...], ...], BeforeValidator(_lane_ranges)]


class Facts(BaseModel):
    """Facts of a file: frozen; unknown keys are rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[Any], handler: "GetCoreSchemaHandler"
    ) -> "CoreSchema":
        """Give every number, text and list without a maximum one that is far above its values."""
        return bounded_model(source, handler)


class LaneFact(Facts):
    """A fact of each lane: a number for every lane of every cage, in their order."""

    per_lane: LaneTable


def _word(text: str) -> str:
    """Refuse what a configuration would read as its own syntax: facts are values in all of them."""
    if not _WORD.fullmatch(_one_line(text)):
        raise ValueError("a fact of a NOS is written in letters, digits, spaces and `._:/+,()[]-`")
    return text


_WORD = re.compile(r"[A-Za-z0-9 ._:/+,()\[\]-]*")


def _nos_fact(value: object) -> object:
    """Accept a fact of a NOS in one of its forms."""
    match value:
        case bool() | LaneFact():
            return value
        case int() if abs(value) <= MOST_TOKENS:
            return value
        case str():
            return _word(value)
        case {"per_lane": _}:
            return LaneFact.model_validate(value)
        case dict() | list() | tuple() if all(isinstance(each, str) for each in _texts_of(value)):
            texts = [*map(_word, _texts_of(value))]
            return dict(zip(value, texts, strict=True)) if isinstance(value, dict) else (*texts,)
    raise ValueError(
        "a fact of a NOS is a text, a number, true or false, a list of texts, a mapping of "
        "breakouts to texts, or `per_lane` with ranges of lanes"
    )


def _texts_of(value: dict[str, Any] | list[Any] | tuple[Any, ...]) -> list[Any]:
    """Return the items of a list, or the values of a mapping."""
    return [*(value.values() if isinstance(value, dict) else value)]


if TYPE_CHECKING:
    NosFact = bool | int | str | tuple[str, ...] | dict[str, str] | LaneFact
    """A fact of a NOS: one of the switch, of each breakout, or of each lane."""
else:
    NosFact = Annotated[Any, PlainValidator(_nos_fact)]


def _unfolded(pattern: str) -> list[str]:
    """Return the names of a range of ports.

    >>> _unfolded("sw[1-2]p[1-2]")
    ['sw1p1', 'sw1p2', 'sw2p1', 'sw2p2']
    """
    head, *tail = _RANGE.split(pattern, maxsplit=1)
    if not tail:
        return [head]
    first, last, rest = tail
    numbers = range(int(first), int(last) + 1)
    return [f"{head}{number}{after}" for number in numbers for after in _unfolded(rest)]


def _has_names(pattern: str) -> str:
    """Refuse a range that ends before it begins."""
    if not _unfolded(pattern):
        raise ValueError("a range of ports begins with its smallest number, as in swp[1-64]")
    return pattern


_RANGE = re.compile(r"\[(\d{1,3})-(\d{1,3})\]")
PLAIN_PORT = r"[A-Za-z0-9 ._/:-]{0,40}"
"""The characters of names of ports that the catalog has."""

PortRange = Annotated[
    str,
    Field(pattern=rf"^{PLAIN_PORT}(\[\d{{1,3}}-\d{{1,3}}\]{PLAIN_PORT}){{0,2}}$", min_length=1),
    AfterValidator(_has_names),
]
"""The name of a port, with up to two ranges of numbers as NetBox writes them: `swp[1-64]`."""


class Sourced(Facts):
    """Facts with their sources.

    `unverified` lists the facts that no source confirms, such as `breakouts.4x200G` or `cooling`.
    """

    description: Text
    source: Texts
    unverified: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _unverified_are_facts(self) -> Self:
        fields = type(self).model_fields
        unknown = [key for key in self.unverified if key.split(".")[0] not in fields]
        if unknown:
            raise ValueError(f"unverified: {unknown[0]} is not a fact of this file")
        return self


class LibraryType(Facts):
    """A product in the NetBox community's library of device types, as that spells it."""

    manufacturer: Text
    model: Text | None = None  # None where the library lacks it
    ports: tuple[PortRange, ...] = ()  # interfaces and serial ports that a device of it has

    @property
    def port_names(self) -> frozenset[str]:
        """The names of its ports, one by one."""
        return frozenset(name for each in self.ports for name in _unfolded(each))


class Part(Sourced):
    """One product."""

    model: Text
    vendor: Text
    device_library: LibraryType | None = None
    quality: Literal["A", "B", "C"]
    """A: from a primary document. B: from a transcription or secondary source. C: derived."""
    notes: tuple[str, ...] = ()


class PortGroup(Facts):
    """Ports of a device that serve one purpose: their number, speed, and the cage or plug."""

    count: Count
    speed_gbps: Gbps
    connector: FormFactor


class Cords(Facts):
    """Power cords of a device, and the IEC 60320 inlet that each one is plugged into.

    A busbar takes none. `supplied` of them are in the box of the device.
    """

    count: Index
    inlet: Text | None = None
    supplied: Index = 0


_FIELDS = "cage|cage0|place0|sub|sub1|letter|lane|lane1"
_NAME = r"[A-Za-z0-9 ._/:-]"  # safe in configurations and in cells of tables
Pattern = Annotated[
    str, Field(pattern=rf"^([A-Za-z0-9]|\{{({_FIELDS})\}})({_NAME}|\{{({_FIELDS})\}})*$")
]
PortName = Annotated[str, Field(pattern=rf"^[A-Za-z0-9]{_NAME}*$")]
# a valid Linux device name that needs no quotes in a path or a shell
LinuxName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,14}$")]
PciAddress = Annotated[str, Field(pattern=r"^([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$")]

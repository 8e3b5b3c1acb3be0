"""The catalog models of transceivers and cables."""

import re
from fractions import Fraction
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fabricgen.catalog.models.base import (
    ANY_LANES,
    Count,
    Facts,
    FormFactor,
    Gbps,
    LinkGbps,
    Medium,
    Metres,
    Part,
    Positive,
    Text,
    Top,
    Transport,
    Watts,
    takes,
)

_LENGTH = re.compile(r"\{length(?::(0[1-9]))?\}")


class LaneMap(Facts):
    """The lanes of one port of a module: towards the cage, and on its fibre."""

    cage: Count
    fibre: Count


class Transceiver(Part):
    """A pluggable module with `ports` links of `port_gbps`, each on its own fibre connector."""

    opn: str | None = None
    form_factor: FormFactor
    cooling: Top
    ports: Count
    port_gbps: Gbps
    lanes: tuple[LaneMap, ...] = ()  # of one port, each way that it works; empty where unknown
    medium: Medium
    connector: str
    first_connector: Text | None = None  # where connector 1 is, like `the left one, cage label up`
    reach_m: Metres | None = None
    budget_db: Positive | None = None  # of a link: its fibre and all mated pairs, at modules too
    power_w: Watts | None = None
    transports: tuple[Transport, ...]
    built_in: bool = False  # whether it is a part of the switch: co-packaged optics
    # whether it is taken only where an inventory prefers it or its vendor
    on_request: bool = False

    def fits(self, form_factor: str, top: Top = "any") -> bool:
        """Return whether the module fits a cage of this form factor and module top."""
        return takes(form_factor, self.form_factor) and (
            "any" in (self.cooling, top) or self.cooling == top
        )

    def fibre_lanes(self, cage: frozenset[int], speed_gbps: int) -> frozenset[int]:
        """Return the lanes of a link on its fibre; none where the cage has others.

        `cage` are the possible lanes of the link in the cage. A link of half the speed of a port
        has half of the port's lanes.
        """
        if not self.lanes:
            return ANY_LANES
        return frozenset(
            each.fibre * speed_gbps // self.port_gbps
            for each in self.lanes
            if Fraction(each.cage * speed_gbps, self.port_gbps) in cage
        )


class Cable(Part):
    """Fibre between modules, or copper with its own ends; `legs` is its number of far ends.

    `opn` is its order number: `{length:03}` stands for a length in whole metres, filled up to three
    digits, and `opn_of` has the numbers of lengths that do not follow it.
    """

    opn: Annotated[str, Field(pattern=r"^([^{}]|\{length(:0[1-9])?\})+$")] | None = None
    opn_of: dict[Metres, Text] = {}
    medium: Medium
    ends: tuple[Text, ...]  # connectors, the near end first
    links: Count
    legs: Count
    lengths_m: tuple[Metres, ...] = ()
    reach_m: Metres | None = None
    speed_gbps: LinkGbps | None = None  # of one link
    lanes: Count | None = None  # of one link, of a cable with its own ends
    form_factors: tuple[FormFactor, ...] = ()  # the cages that copper plugs into, as in `ends`
    polarity: Literal["A", "B", "C", "A-B"] | None = None  # of fibre, by TIA-568
    db_per_km: Positive | None = None  # of fibre
    power_w: Watts | None = None
    diameter_mm: Positive | None = None
    kg_per_m: Positive | None = None
    transports: tuple[Transport, ...] = ("ethernet", "infiniband")

    @model_validator(mode="after")
    def _verify_consistency(self) -> Self:
        if len(self.ends) != 1 + self.legs or len(self.form_factors) not in {0, len(self.ends)}:
            raise ValueError(f"ends: a near end and {self.legs} far ends were expected")
        unknown = [length for length in self.opn_of if length not in self.lengths_m]
        if unknown:
            raise ValueError(f"opn_of: {unknown[0]:g} m is not one of `lengths_m`")
        return self

    def order_number(self, length_m: str) -> str | None:
        """Return the order number of a length; None where the file does not state it.

        A number without a length is that of a cable without stock lengths.
        """
        if not length_m or not self.lengths_m:
            return None if self.opn is None or "{" in self.opn or self.lengths_m else self.opn
        length = float(length_m)
        if length in self.opn_of:
            return self.opn_of[length]
        known = length in self.lengths_m and length.is_integer()
        if self.opn is None or "{" not in self.opn or not known:
            return None
        return _LENGTH.sub(lambda part: f"{int(length):{part[1] or ''}}", self.opn)

    def plugs_into(self, near: str, far: str) -> bool:
        """Return whether its own ends fit cages of these form factors; fibre has none."""
        cages = (near, *[far] * self.legs)
        return bool(self.form_factors) and all(map(takes, cages, self.form_factors))

    @property
    def crosses(self) -> bool:
        """Whether the fibre alone connects transmitters to receivers; True for unknown polarity."""
        return self.polarity in {None, "B", "A-B"}

"""The catalog models of transceivers and cables."""

from typing import Literal, Self

from pydantic import model_validator

from fabricgen.catalog.models.base import (
    Amount,
    Count,
    FormFactor,
    Medium,
    Part,
    Positive,
    Text,
    Top,
    Transport,
)


class Transceiver(Part):
    """A pluggable module with `ports` links of `port_gbps`, each on its own fibre connector."""

    opn: str | None = None
    form_factor: FormFactor
    cooling: Top
    ports: Count
    port_gbps: Count
    medium: Medium
    connector: str
    first_connector: Text | None = None  # where connector 1 is, like `the left one, cage label up`
    reach_m: Amount | None = None
    power_w: Amount | None = None
    transports: tuple[Transport, ...]

    def fits(self, form_factor: str, top: Top = "any") -> bool:
        """Return whether the module fits a cage of this form factor and module top."""
        return self.form_factor == form_factor and (
            "any" in (self.cooling, top) or self.cooling == top
        )


class Cable(Part):
    """Fibre between modules, or copper with its own ends; `legs` is its number of far ends."""

    opn: str | None = None
    medium: Medium
    ends: tuple[Text, ...]  # connectors, the near end first
    links: Count
    legs: Count
    lengths_m: tuple[Amount, ...] = ()
    reach_m: Amount | None = None
    speed_gbps: Count | None = None  # of one link
    form_factors: tuple[FormFactor, ...] = ()  # the cages that copper plugs into, as in `ends`
    polarity: Literal["A", "B", "C", "A-B"] | None = None  # of fibre, by TIA-568
    power_w: Amount | None = None
    diameter_mm: Positive | None = None
    kg_per_m: Positive | None = None
    transports: tuple[Transport, ...] = ("ethernet", "infiniband")

    @model_validator(mode="after")
    def _verify_consistency(self) -> Self:
        if len(self.ends) != 1 + self.legs or len(self.form_factors) not in {0, len(self.ends)}:
            raise ValueError(f"ends: a near end and {self.legs} far ends were expected")
        return self

    @property
    def crosses(self) -> bool:
        """Whether the fibre alone connects transmitters to receivers; True for unknown polarity."""
        return self.polarity in {None, "B", "A-B"}

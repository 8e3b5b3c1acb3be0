"""What a catalog file may say of transceivers and cables."""

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
    """A pluggable module; it carries `ports` links of `port_gbps`, each over its own fibre connector."""

    opn: str | None = None
    form_factor: FormFactor
    cooling: Top
    ports: Count
    port_gbps: Count
    medium: Medium
    connector: str
    reach_m: Amount | None = None
    power_w: Amount | None = None
    transports: tuple[Transport, ...]

    def fits(self, form_factor: str, top: Top = "any") -> bool:
        """Tell whether the module goes into a cage of this form factor that takes modules with this top."""
        return self.form_factor == form_factor and (
            "any" in (self.cooling, top) or self.cooling == top
        )


class Cable(Part):
    """A cable: fibre between modules, or copper with its own ends. `legs` is how many far ends it has: 1, or 2 of a splitter."""

    opn: str | None = None
    medium: Medium
    ends: tuple[Text, ...]  # connectors, the near end first
    links: Count
    legs: Count
    lengths_m: tuple[Amount, ...] = ()
    reach_m: Amount | None = None
    speed_gbps: Count | None = None  # of one link
    form_factors: tuple[
        FormFactor, ...
    ] = ()  # the cages that copper goes into, in the order of `ends`
    polarity: Literal["A", "B", "C", "A-B"] | None = None  # of fibre, by TIA-568
    power_w: Amount | None = None
    diameter_mm: Positive | None = None
    kg_per_m: Positive | None = None
    transports: tuple[Transport, ...] = ("ethernet", "infiniband")

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if len(self.ends) != 1 + self.legs or len(self.form_factors) not in {0, len(self.ends)}:
            raise ValueError(f"ends: a near end and {self.legs} far ends were expected")
        return self

    @property
    def crosses(self) -> bool:
        """Whether what one module sends arrives where the other receives, with nothing between but this fibre; so it is where nobody says."""
        return self.polarity in {None, "B", "A-B"}

"""What is to be built: GPUs, hosts, NICs, rails, switches, and what is reserved or bought later."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from fabricgen.inventory.fields import BREAKOUT, NAME, Count, Model, Part, Speed


class HbDomain(Part):
    """The GPUs that share one scale-up interconnect."""

    gpus: Annotated[Count, Field(examples=[8, 72, 256])]
    """GPUs in one HB domain (K)."""
    hosts: Annotated[Count | None, Field(examples=[1, 18])] = None
    """Chassis or trays that make up one HB domain; default: what the host model says, else 1."""
    bandwidth: Annotated[Speed | None, Field(examples=["3.6Tbps"])] = None
    """HB bandwidth per GPU, one direction; default: what the host model says."""


class HostChoice(Part):
    """The chassis or tray that carries the GPUs."""

    model: Annotated[Model, Field(examples=["dgx-h100"])]
    """A host of the catalog (`fabricgen catalog list hosts`); it must agree with `hb_domain`."""


class NicChoice(Part):
    """The network adapters of a GPU."""

    model: Annotated[Model | None, Field(examples=["connectx-7"])] = None
    """A NIC of the catalog; where it is named, the bill of materials counts NICs."""
    speed: Annotated[Speed | None, Field(examples=["400G"])] = None
    """Speed of one NIC port; default: the host model's, else the leaf's breakout, else 400G."""
    per_gpu: Annotated[Count | None, Field(examples=[1])] = None
    """NICs per GPU; must divide `rails.planes`, for every NIC port stands on its own plane. Default: the host model's, else 1."""


class Rails(Part):
    """How ranks become rails, and rails become switches."""

    count: Annotated[Count | None, Field(examples=[8, 4])] = None
    """Number of rails; a divisor of `hb_domain.gpus`, which is the default. The rail of a GPU is its rank modulo this."""
    planes: Annotated[Count, Field(le=8, examples=[1, 2])] = 1
    """NIC ports per GPU, each on its own plane."""
    per_switch: Annotated[Count | Literal["auto"], Field(examples=[1, 2, "auto"])] = 1
    """Rails that share one leaf box, kept apart by configuration; `auto` packs as many as fit."""
    tiers: Annotated[Literal["auto", 1, 2, 3], Field(examples=["auto", 2])] = "auto"
    """Clos tiers of a block; `auto` takes the fewest that hold it."""


class GenericSwitch(Part):
    """A switch described by its radix alone."""

    radix: Annotated[Count, Field(le=4096, examples=[64])]
    """Ports at the planned speed."""
    speed: Annotated[Speed | None, Field(examples=["400G"])] = None
    """Speed of a port; default: the NIC's."""


class SwitchChoice(Part):
    """The switch of one role: a model of the catalog, or a radix."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["model"]}, {"required": ["generic"]}]}
    )

    model: Annotated[Model | None, Field(examples=["sn5600"])] = None
    """A switch of the catalog (`fabricgen catalog list switches`)."""
    breakout: Annotated[
        str | None, Field(strict=True, pattern=f"^{BREAKOUT}$", examples=["2x400G"])
    ] = None
    """How a cage is split: a leaf's towards hosts, a spine's or core's downwards. Uplinks take the split that matches the tier above."""
    generic: Annotated[GenericSwitch | None, Field(examples=[{"radix": 64}])] = None
    """A radix and a speed instead of a model."""

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        """Refuse both and neither of model and generic; only a model has cages to split."""
        if self.model and self.generic:
            raise ValueError("names a `model` and is `generic`, and a switch is one or the other")
        if not self.model and not self.generic:
            raise ValueError("is neither a `model` of the catalog nor `generic: {radix: 64}`")
        if self.generic and self.breakout:
            raise ValueError(
                "is `generic`, so it has no cages to break out: give its `radix` and `speed`"
            )
        return self


class Switches(Part):
    """The switch of each role; spine and core default to the tier below."""

    leaf: Annotated[SwitchChoice, Field(examples=[{"model": "sn5600", "breakout": "2x400G"}])]
    """Tier 1: where hosts connect."""
    spine: Annotated[
        SwitchChoice | None, Field(examples=[{"model": "sn5600", "breakout": "1x800G"}])
    ] = None
    """Tier 2; default: like the leaf."""
    core: Annotated[SwitchChoice | None, Field(examples=[{"model": "sn5600"}])] = None
    """Tier 3; default: like the spine."""


class Reserve(Part):
    """What the fabric is sized and numbered for, beyond what is installed now."""

    gpus: Annotated[Count, Field(examples=[65536])]
    """GPUs to size, number and address for; only the top-level `gpus` are installed."""


class Phase(Part):
    """How much of the fabric stands at the end of one phase; what is left out stands in full."""

    name: Annotated[str, Field(strict=True, pattern=f"^{NAME}$", max_length=40, examples=["first"])]
    """Name of the phase: lower case letters, digits and hyphens."""
    planes: Annotated[Count | None, Field(examples=[1])] = None
    """Planes that stand, from plane 0 up."""
    rails: Annotated[Count | None, Field(examples=[4])] = None
    """Rails that stand, from rail 0 up."""
    spines: Annotated[Count | None, Field(examples=[2])] = None
    """Spines of each block that stand, or of each pod in three tiers with the cores above them."""

"""GPUs, hosts, NICs, rails and switches to build, what is reserved, and what is bought later."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from fabricgen.inventory.fields import (
    LINUX_NAME,
    NAME,
    Breakout,
    Cages,
    Count,
    InventoryModel,
    Model,
    Speed,
)


class HbDomain(InventoryModel):
    """The GPUs that share one scale-up interconnect."""

    gpus: Annotated[Count, Field(examples=[8, 72, 256])]
    """Number of GPUs in one HB domain (K)."""
    hosts: Annotated[Count | None, Field(examples=[1, 18])] = None
    """Number of chassis or trays in one HB domain; default: that of the host model, else 1."""
    bandwidth: Annotated[Speed | None, Field(examples=["3.6Tbps"])] = None
    """HB bandwidth per GPU, in one direction; default: that of the host model."""


LinuxNames = Annotated[
    tuple[Annotated[str, Field(strict=True, pattern=f"^{LINUX_NAME}$")], ...], Field(min_length=1)
]


class HostChoice(InventoryModel):
    """The chassis or tray that holds the GPUs."""

    model: Annotated[Model | None, Field(examples=["dgx-h100"])] = None
    """A host model of the catalog (`fabricgen catalog list hosts`); it must agree with `hb_domain`.
    """
    nics: Annotated[LinuxNames | None, Field(examples=[["enp24s0np0", "enp64s0np0"]])] = None
    """Interface names of the NIC ports of a host, in the order of its GPUs, and of the planes of
    each GPU; default: those of the host model, else placeholders."""
    rdma: Annotated[LinuxNames | None, Field(examples=[["mlx5_0", "mlx5_3"]])] = None
    """RDMA device names of the same ports, in the same order, as NCCL needs them; default: those of
    the host model."""


class NicChoice(InventoryModel):
    """The network adapters of a GPU."""

    model: Annotated[Model | None, Field(examples=["connectx-7"])] = None
    """A NIC model of the catalog; the bill of materials counts NICs only if it is given."""
    speed: Annotated[Speed | None, Field(examples=["400G"])] = None
    """Speed of one NIC port; default: that of the host model, else of the leaf's breakout, else
    400G."""
    per_gpu: Annotated[Count | None, Field(le=64, examples=[1])] = None
    """Number of NICs per GPU; must divide `rails.planes`, because each NIC port has its own plane.
    Default: that of the host model, else 1."""
    split: Annotated[
        Breakout | None, Field(examples=["4x200G"], exclude_if=lambda split: split is None)
    ] = None
    """How each NIC port is split into links, which `rails.medium: direct` joins to other GPUs;
    default: not split."""


TopologyKind = Literal[
    "ring", "multi-ring", "torus-2d", "torus-3d", "hypercube", "expander", "full-mesh"
]
"""The graphs that join the GPUs of a rail directly."""


class RailTopology(InventoryModel):
    """The graph that joins the GPUs of a rail where its medium is `direct`."""

    kind: Annotated[TopologyKind, Field(examples=["torus-2d"])] = "ring"
    """`ring`; `multi-ring`, several rings over the same GPUs; `torus-2d` and `torus-3d`;
    `hypercube`; `expander`, a random regular graph; `full-mesh`."""
    dimensions: Annotated[
        tuple[Annotated[Count, Field(ge=2)], ...] | None,
        Field(
            min_length=2,
            max_length=3,
            examples=[[4, 4]],
            exclude_if=lambda dimensions: dimensions is None,
        ),
    ] = None
    """GPUs of a rail along each dimension of a torus; default: the most equal ones."""
    rings: Annotated[
        Count | None, Field(ge=2, examples=[2], exclude_if=lambda rings: rings is None)
    ] = None
    """Number of rings of a `multi-ring`; default: as many as the split NIC port has ports for."""
    degree: Annotated[
        Count | None, Field(examples=[4], exclude_if=lambda degree: degree is None)
    ] = None
    """Neighbours of each GPU in an `expander`; default: the ports of the split NIC port."""
    seed: Annotated[
        int, Field(strict=True, ge=0, examples=[7], exclude_if=lambda seed: seed == 0)
    ] = 0
    """The seed of an `expander`; the same seed gives the same graph."""


class Rails(InventoryModel):
    """How ranks map to rails, and rails to switches."""

    count: Annotated[Count | None, Field(le=65_536, examples=[8, 4])] = None
    """Number of rails; a divisor of `hb_domain.gpus`, which is the default. The rail of a GPU is
    its rank modulo this number."""
    planes: Annotated[Count, Field(le=8, examples=[1, 2])] = 1
    """Number of NIC ports per GPU, each on its own plane."""
    per_switch: Annotated[
        Annotated[Count, Field(le=4096)] | Literal["auto"], Field(examples=[1, 2, "auto"])
    ] = 1
    """Number of rails that share one leaf switch, kept apart by configuration; `auto` packs as many
    as fit."""
    grouping: Annotated[
        Literal["adjacent", "strided"],
        Field(examples=["strided"], exclude_if=lambda grouping: grouping == "adjacent"),
    ] = "adjacent"
    """Which rails share a leaf where `per_switch` is above 1: neighbours (0 and 1 of 8 rails, two a
    switch) or those at equal distances (0 and 4)."""
    medium: Annotated[
        Literal["packet", "ocs", "patch-panel", "direct"],
        Field(examples=["packet"], exclude_if=lambda medium: medium == "packet"),
    ] = "packet"
    """What joins the NIC ports of a rail: packet switches, optical circuit switches (`ocs`), patch
    panels, or cables from GPU to GPU (`direct`)."""
    topology: Annotated[
        RailTopology | None,
        Field(examples=[{"kind": "torus-2d"}], exclude_if=lambda topology: topology is None),
    ] = None
    """The graph of a rail whose medium is `direct`; default: a ring."""
    tiers: Annotated[Literal["auto", 1, 2, 3], Field(examples=["auto", 2])] = "auto"
    """Number of Clos tiers of a block; `auto` chooses the fewest that hold it."""


class ScalableUnit(InventoryModel):
    """A number of hosts that is installed as a whole, with leaf switches of its own."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["hosts"]}, {"required": ["domains"]}]}
    )

    hosts: Annotated[Count | None, Field(examples=[32])] = None
    """Number of hosts in a scalable unit; whole HB domains."""
    domains: Annotated[Count | None, Field(examples=[8])] = None
    """Number of HB domains in a scalable unit, instead of `hosts`."""
    leaf: Annotated[Literal["per-unit", "packed"], Field(examples=["per-unit"])] = "per-unit"
    """`per-unit`: a leaf serves whole HB domains of one unit, and in three tiers a unit is a pod.
    `packed`: leaves are filled across units."""
    uplinks: Annotated[
        Literal["all", "used"] | Annotated[int, Field(strict=True, ge=1, le=4096)],
        Field(examples=["used"]),
    ] = "all"
    """Uplinks of a leaf: as many as its width allows (`all`), as many as the downlinks in use need
    (`used`), or a number, which is at least that."""

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        """Require exactly one of hosts and domains."""
        if (self.hosts is None) == (self.domains is None):
            raise ValueError("needs the size of a unit: `hosts` or `domains`, one of the two")
        return self


class GenericSwitch(InventoryModel):
    """A switch described by its radix alone."""

    radix: Annotated[Count, Field(le=4096, examples=[64])]
    """Number of ports at the planned speed."""
    speed: Annotated[Speed | None, Field(examples=["400G"])] = None
    """Speed of a port; default: that of the NIC."""


class PortZones(InventoryModel):
    """The cages of a switch that links of one direction may take, from the first on."""

    down: Annotated[
        Cages | None, Field(examples=["1-16"], exclude_if=lambda cages: cages is None)
    ] = None
    """Cages with ports towards hosts or the tier below; default: all that `up` leaves."""
    up: Annotated[
        Cages | None, Field(examples=["26,28,30-36"], exclude_if=lambda cages: cages is None)
    ] = None
    """Cages with uplinks; default: the last ones that `down` leaves."""


class SwitchChoice(InventoryModel):
    """The switch of one role: a model of the catalog, or a radix."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["model"]}, {"required": ["generic"]}]}
    )

    model: Annotated[Model | None, Field(examples=["sn5600"])] = None
    """A switch model of the catalog (`fabricgen catalog list switches`)."""
    breakout: Annotated[Breakout | None, Field(examples=["2x400G"])] = None
    """How a cage is split: towards hosts on a leaf, downwards on a spine or core. Uplinks use the
    split that matches the tier above."""
    generic: Annotated[GenericSwitch | None, Field(examples=[{"radix": 64}])] = None
    """A radix and a speed instead of a model."""
    zones: Annotated[
        PortZones | None,
        Field(examples=[{"down": "1-16", "up": "33-64"}], exclude_if=lambda zones: zones is None),
    ] = None
    """The cages of each direction; default: downlinks take the first cages, uplinks the last."""

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        """Require exactly one of model and generic, and a model for a breakout."""
        if self.model and self.generic:
            raise ValueError("has both `model` and `generic`; a switch is one or the other")
        if not self.model and not self.generic:
            raise ValueError("has neither a `model` of the catalog nor `generic: {radix: 64}`")
        if self.generic and self.breakout:
            raise ValueError(
                "is `generic`, so it has no cages to break out: give its `radix` and `speed`"
            )
        return self


class UpperSwitchChoice(SwitchChoice):
    """The switch of a spine or a core, and the fewest of them."""

    minimum: Annotated[
        Count, Field(le=4096, examples=[2], exclude_if=lambda minimum: minimum == 1)
    ] = 1
    """The fewest spines of a block, or of each pod of three tiers; the fewest cores of a core
    group."""


class Switches(InventoryModel):
    """The switch of each role; spine and core default to the tier below."""

    leaf: Annotated[SwitchChoice, Field(examples=[{"model": "sn5600", "breakout": "2x400G"}])]
    """Tier 1, to which hosts connect."""
    spine: Annotated[
        UpperSwitchChoice | None, Field(examples=[{"model": "sn5600", "breakout": "1x800G"}])
    ] = None
    """Tier 2; default: like the leaf."""
    core: Annotated[UpperSwitchChoice | None, Field(examples=[{"model": "sn5600"}])] = None
    """Tier 3; default: like the spine."""


class SparePorts(InventoryModel):
    """Ports of each switch that stay free, by role, at the speed that faces down."""

    leaf: Annotated[int, Field(strict=True, ge=0, le=4096, examples=[4])] = 0
    """Ports that every leaf keeps free."""
    spine: Annotated[int, Field(strict=True, ge=0, le=4096, examples=[2])] = 0
    """Ports that every spine keeps free."""
    core: Annotated[int, Field(strict=True, ge=0, le=4096, examples=[2])] = 0
    """Ports that every core keeps free."""


class Spare(InventoryModel):
    """Leaves and GPUs that are installed to take the place of failed ones."""

    gpus_per_rail: Annotated[int, Field(strict=True, ge=0, le=4096, examples=[1])] = 0
    """GPUs of each rail that no job uses: those of the last HB domains among the installed ones, in
    whole HB domains."""
    leaves_per_rail: Annotated[int, Field(strict=True, ge=0, le=16, examples=[1])] = 0
    """Leaves of each rail and plane that are installed and switched off; the cables of a failed one
    are moved to them."""


class Reserve(InventoryModel):
    """The final size that the fabric is planned for."""

    gpus: Annotated[Count, Field(examples=[65536])]
    """Number of GPUs to size, number and address for; only the top-level `gpus` are installed."""


class Phase(InventoryModel):
    """The part of the fabric that is installed by the end of a phase; without a key, all of it."""

    name: Annotated[
        str | None,
        Field(strict=True, pattern=f"^{NAME}$", max_length=40, examples=["first"]),
    ] = None
    """Name of the phase, in lower case letters, digits and hyphens; default: `gpus-256` for 256
    GPUs, or `phase-1` by its number."""
    gpus: Annotated[Count | None, Field(examples=[256])] = None
    """Number of GPUs installed. It is given in every phase or in none, and excludes the other keys.
    """
    planes: Annotated[Count | None, Field(le=8, examples=[1])] = None
    """Number of planes installed, from plane 0 up."""
    rails: Annotated[Count | None, Field(le=65_536, examples=[4])] = None
    """Number of rails installed, from rail 0 up."""
    spines: Annotated[Count | None, Field(examples=[2])] = None
    """Number of spines installed in each block, or with three tiers in each pod together with the
    cores above them."""

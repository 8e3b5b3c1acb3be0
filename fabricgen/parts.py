"""What a catalog file may say: of switches, hosts, accelerators, NICs, transceivers, cables and what they cost, and of a model to train.

Owns the shape of each kind of file and the facts of one file that contradict each other, and reads names and prices off the facts. Where
files lie, which of two shadows the other and how a bad one is refused belong to `catalog`.

Each fact has its source in its file, and a fact that could not be verified is named under `unverified`.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

if TYPE_CHECKING:
    from collections.abc import Iterator

Transport = Literal["ethernet", "infiniband"]
FormFactor = Literal["osfp", "qsfp-dd", "qsfp56", "qsfp112", "generic"]
Medium = Literal["mmf", "smf", "dac", "acc", "aoc", "generic"]
Top = Literal["finned", "flat", "any"]  # the heat sink of a module: its own fins, or a flat top under the cage's

Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(gt=0, strict=True)]
Index = Annotated[int, Field(ge=0, strict=True)]
Amount = Annotated[float, Field(ge=0, strict=True, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, strict=True, allow_inf_nan=False)]
Price = Annotated[Decimal, Field(gt=0, allow_inf_nan=False)]


def _texts(value: object) -> object:
    """Take one text for a list of one: most files cite a single document."""
    return [value] if isinstance(value, str) else value


def _lane_ranges(value: object) -> object:
    """Read `17-24 9-16`, one range of lanes per front cage; 64 lists of 8 numbers are slow to parse and hard to review."""
    if not isinstance(value, str):
        return value
    if not _LANES.fullmatch(value.strip()):
        raise ValueError("the lanes of the cages are written as ranges, like 0-7 8-15")
    ends = (text.split("-") for text in value.split())
    return tuple(tuple(range(int(first), int(last) + 1)) for first, last in ends)


_LANES = re.compile(r"\d+-\d+(\s+\d+-\d+)*")
Texts = Annotated[tuple[Text, ...], BeforeValidator(_texts), Field(min_length=1)]
LaneTable = Annotated[tuple[tuple[int, ...], ...], BeforeValidator(_lane_ranges)]


class Facts(BaseModel):
    """Facts from a file: immutable, and nothing in them that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Sourced(Facts):
    """Facts with where they come from; `unverified` names those that could not be checked there, `breakouts.4x200G` or `cooling`."""

    description: Text
    source: Texts
    unverified: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _unverified_are_facts(self) -> Self:
        fields = type(self).model_fields
        strangers = [key for key in self.unverified if key.split(".")[0] not in fields]
        if strangers:
            raise ValueError(f"unverified: {strangers[0]} is not a fact of this file")
        return self


class Part(Sourced):
    """One model that can be bought."""

    model: Text
    vendor: Text
    quality: Literal["A", "B", "C"]  # A: primary document read; B: transcription or secondary source; C: from memory or derived
    notes: tuple[str, ...] = ()


class Breakout(Facts):
    """One way to split a cage: `count` ports of `lanes` lanes each."""

    name: Text
    count: Count
    speed_gbps: Count
    lanes: Count
    sonic: str | None = None  # the mode of platform.json, verbatim with its brackets


_FIELDS = "cage|cage0|sub|sub1|letter|lane|lane1"
_NAME = r"[A-Za-z0-9 ._/:-]"  # what an interface may be called: it stands in configurations and in cells of tables
Pattern = Annotated[str, Field(pattern=rf"^([A-Za-z0-9]|\{{({_FIELDS})\}})({_NAME}|\{{({_FIELDS})\}})*$")]
PortName = Annotated[str, Field(pattern=rf"^[A-Za-z0-9]{_NAME}*$")]
LinuxName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,14}$")]  # what the kernel takes for a device, and a path and a shell leave alone
PciAddress = Annotated[str, Field(pattern=r"^([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$")]


class Interfaces(Facts):
    """How one NOS names the ports of a switch: patterns for str.format over where the port sits.

    `cage` counts from 1 and `cage0` from 0; `sub` from 0, `sub1` from 1 and `letter` from a, within the cage; `lane` is the port's
    first lane counted over the whole box from 0, `lane1` within the cage from 1.
    """

    whole: Pattern
    split: Pattern
    alias_whole: Pattern | None = None
    alias_split: Pattern | None = None


class CageLimit(Facts):
    """Cages `first` to `last`, both counted from 1, that can do only some of the breakouts."""

    first: Count
    last: Count
    breakouts: tuple[str, ...]


class Faceplate(Facts):
    """Where the cages of a switch sit on its front: so many rows, numbered from the top left, down each column or along each row."""

    rows: Count
    order: Literal["column", "row"] = "column"


class SonicPlatform(Facts):
    """What SONiC calls this switch, and the serdes lanes behind each front cage."""

    platform: str
    hwsku: str | None = None
    hwsku_split: str | None = None  # the breakout of every cage that this SKU stands for; another split has another SKU
    lanes: LaneTable = ()
    mixed_modes: tuple[str, ...] = ()  # modes of platform.json that split one cage unevenly; no breakout here plans them
    fec: str | None = None
    dynamic_buffers: bool = False  # whether its SONiC works lossless headroom out by itself, from speed and cable length


class Switch(Part):
    """A switch: cages, how each may split, what each NOS calls the ports, and what the box takes."""

    asic: str | None = None
    part_number: str | None = None
    cages: Index  # 0 only in `generic`, whose radix is the inventory's
    form_factor: FormFactor
    lanes_per_cage: Count
    breakouts: tuple[Breakout, ...]
    cage_limits: tuple[CageLimit, ...] = ()
    port_limit: Count | None = None
    faceplate: Faceplate | None = None
    rack_units: Count | None = None
    weight_kg: Amount | None = None
    typical_w: Amount | None = None
    maximum_w: Amount | None = None
    depth_mm: Amount | None = None
    interfaces: dict[str, Interfaces]
    default_nos: str
    transport: Transport
    cooling: Literal["air", "liquid"]
    sonic: SonicPlatform | None = None
    power_w_per_400g: Amount | None = None
    adaptive_routing: bool = False  # whether it can spread packets over equal paths by their load

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        for doubt in _doubts(self):
            raise ValueError(doubt)
        return self

    @property
    def module_top(self) -> Top:
        """Which modules its cages take: finned in a box cooled by air, flat under a cold plate; only OSFP comes in both."""
        if self.form_factor != "osfp":
            return "any"
        return "finned" if self.cooling == "air" else "flat"

    @property
    def capacity_gbps(self) -> int:
        """What all cages carry at their fastest, one direction."""
        return self.cages * max(mode.count * mode.speed_gbps for mode in self.breakouts)

    def breakout(self, name: str) -> Breakout | None:
        """Find a breakout by its name, `2x400G`; None where no cage can do it."""
        return next((mode for mode in self.breakouts if mode.name == name), None)

    def breakouts_of(self, cage: int) -> tuple[Breakout, ...]:
        """List what one cage, counted from 1, can do."""
        for limit in self.cage_limits:
            if limit.first <= cage <= limit.last:
                return tuple(mode for mode in self.breakouts if mode.name in limit.breakouts)
        return self.breakouts

    def interface(self, nos: str, cage: int, sub: int, breakout: Breakout) -> str:
        """Name a port as its NOS does; cage from 1, sub from 0. Raises KeyError for a NOS that the model does not run."""
        names = self.interfaces[nos]
        return (names.whole if breakout.count == 1 else names.split).format_map(self._seat(cage, sub, breakout))

    def alias(self, nos: str, cage: int, sub: int, breakout: Breakout) -> str | None:
        """Name a port as its front panel does, where the NOS keeps such a second name."""
        names = self.interfaces[nos]
        pattern = names.alias_whole if breakout.count == 1 else names.alias_split
        return pattern and pattern.format_map(self._seat(cage, sub, breakout))

    def _seat(self, cage: int, sub: int, breakout: Breakout) -> dict[str, int | str]:
        lane = sub * breakout.lanes
        return {
            "cage": cage,
            "cage0": cage - 1,
            "sub": sub,
            "sub1": sub + 1,
            "letter": "abcdefgh"[sub],
            "lane": (cage - 1) * self.lanes_per_cage + lane,
            "lane1": lane + 1,
        }


def _doubts(switch: Switch) -> Iterator[str]:
    """Find facts of one file that contradict each other."""
    names = {mode.name for mode in switch.breakouts}
    if len(names) != len(switch.breakouts):
        yield "breakouts: two of them have one name"
    for mode in switch.breakouts:
        if mode.count * mode.lanes > switch.lanes_per_cage:
            yield f"breakouts: {mode.name} takes {mode.count * mode.lanes} of the {switch.lanes_per_cage} lanes of a cage"
    for limit in switch.cage_limits:
        if not 1 <= limit.first <= limit.last <= switch.cages or not names.issuperset(limit.breakouts):
            yield f"cage_limits: {limit.first} to {limit.last} names cages or breakouts that the switch does not have"
    if switch.faceplate and switch.faceplate.rows > max(switch.cages, 1):
        yield f"faceplate: {switch.faceplate.rows} rows for {switch.cages} cages"
    if switch.default_nos not in switch.interfaces:
        yield f"default_nos: {switch.default_nos} has no entry under interfaces"
    if switch.sonic and switch.sonic.hwsku and switch.sonic.hwsku_split not in names:
        yield "sonic.hwsku_split: a SKU stands for one of the breakouts, and this is none of them"
    lanes = switch.sonic.lanes if switch.sonic else ()
    if lanes and (len(lanes) != switch.cages or {len(cage) for cage in lanes} != {switch.lanes_per_cage}):
        yield f"sonic.lanes: {switch.cages} cages of {switch.lanes_per_cage} lanes were expected"


class HostPort(Facts):
    """The NIC port of one GPU on one plane: where it leaves the chassis and what the host's software calls it."""

    gpu: Index
    plane: Index = 0
    cage: PortName
    sub: Count = 1
    label: PortName
    ethernet: LinuxName
    infiniband: LinuxName | None = None
    rdma: LinuxName | None = None
    pci: PciAddress | None = None


class Host(Part):
    """A chassis or tray of GPUs, and the HB domain that it is part of."""

    gpus: Count
    hb_domain_gpus: Count
    hb_domain_hosts: Count
    hb_bandwidth_gbps: Count | None = None  # per GPU, one direction
    accelerator: str | None = None  # its GPUs, as a file of the catalog; only `model` reckons with them
    scale_up: bool = True  # whether its GPUs share a scale-up interconnect; behind PCIe alone none can relay for another
    nic: str
    nics_per_gpu: Count
    speeds_gbps: dict[Count, Count]  # planes -> speed of one port
    form_factor: FormFactor
    cooling: Literal["air", "liquid"]
    module_top: Top = "any"
    ports: tuple[HostPort, ...]
    rack_units: Count | None = None
    weight_kg: Amount | None = None
    typical_w: Amount | None = None
    maximum_w: Amount | None = None
    hosts_per_rack: Count | None = None

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if self.hb_domain_gpus != self.gpus * self.hb_domain_hosts:
            raise ValueError(f"hb_domain_gpus: {self.hb_domain_hosts} hosts of {self.gpus} GPUs are not {self.hb_domain_gpus}")
        seats = {(port.gpu, port.plane) for port in self.ports}
        wanted = {(gpu, plane) for gpu in range(self.gpus) for plane in range(max(self.speeds_gbps, default=0))}
        if seats != wanted or len(self.ports) != len(seats):
            raise ValueError(f"ports: one per GPU and plane were expected, {len(wanted)} in all")
        if len({(port.cage, port.sub) for port in self.ports}) != len(self.ports):
            raise ValueError("ports: two of them sit at one place of one cage")
        for names in ([port.ethernet for port in self.ports], [port.infiniband for port in self.ports if port.infiniband]):
            if len(set(names)) != len(names):
                raise ValueError("ports: two of them have one interface name")
        return self

    def port(self, gpu: int, plane: int = 0) -> HostPort:
        """Find the port of a GPU, counted within the host, on a plane; both from 0. Raises KeyError where there is none."""
        for port in self.ports:
            if (port.gpu, port.plane) == (gpu, plane):
                return port
        raise KeyError((gpu, plane))


class Accelerator(Part):
    """A GPU, as far as the training model needs it: `tflops` without sparsity at `precision`, HB bandwidth in one direction."""

    tflops: Positive
    precision: Text
    hb_bandwidth_gbps: Count | None = None


class Nic(Part):
    """A network adapter; `speed_gbps` is the card's, over all its ports."""

    part_number: str | None = None
    ports: Count
    speed_gbps: Count
    form_factor: FormFactor
    transports: tuple[Transport, ...]
    power_w: Amount | None = None


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
        return self.form_factor == form_factor and ("any" in (self.cooling, top) or self.cooling == top)


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
    form_factors: tuple[FormFactor, ...] = ()  # the cages that copper goes into, in the order of `ends`
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


class PriceBook(Sourced):
    """Prices of one origin and date. The two rates are for 400G and scale linearly with bandwidth; parts are priced by model."""

    name: Text
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")]
    date: dt.date | None = None
    switch_port_400g: Price | None = None
    transceiver_400g: Price | None = None
    parts: dict[str, Price] = {}
    packs: dict[str, Count] = {}  # how many of a part are sold together; its price is that of one

    def switch_port(self, speed_gbps: int) -> Decimal | None:
        """Price one switch port of a speed by the book's rate.

        >>> PriceBook(name="paper-v5", description="-", source="-", currency="USD", switch_port_400g=694).switch_port(800)
        Decimal('1388')
        """
        return None if self.switch_port_400g is None else self.switch_port_400g * speed_gbps / 400

    def transceiver(self, speed_gbps: int) -> Decimal | None:
        """Price the transceiver of one link end of a speed by the book's rate."""
        return None if self.transceiver_400g is None else self.transceiver_400g * speed_gbps / 400


class Experts(Facts):
    """A mixture of experts: in every so many layers each token goes to `top_k` of the `experts`."""

    experts: Count
    top_k: Count
    every: Count = 1

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if self.top_k > self.experts:
            raise ValueError(f"top_k: a token cannot go to {self.top_k} of {self.experts} experts")
        return self


class Workload(Sourced):
    """A language model and the batch it is trained with; an iteration sees `batch_tokens` over all GPUs."""

    name: Text
    layers: Count
    hidden: Count
    sequence: Count
    batch_tokens: Count
    bytes_per_element: Positive
    pipeline_stages: Count = 1
    moe: Experts | None = None
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if self.pipeline_stages > self.layers:
            raise ValueError(f"pipeline_stages: {self.layers} layers cannot be cut into {self.pipeline_stages} stages")
        return self

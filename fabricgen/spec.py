"""What is asked for: the inventory as frozen values.

Owns the keys of an inventory, their types, defaults, descriptions and examples; the JSON Schema is made from these models. It does not
know the catalog, and it checks no key against another: `resolving` does.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from ipaddress import IPv4Network
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema, model_validator

from fabricgen.terms import Design, Role, parse_ratio, parse_speed, ratio_text, speed_text

NAME = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
MODEL = r"[a-z0-9][a-z0-9.-]*"
BREAKOUT = r"\d+x\d+(\.\d+)?[GT]"
VERSION = r"\d{1,4}\.\d{1,4}(\.\d{1,4})?"
CURRENCY = r"[A-Z]{3}"
TABLE = r"(\./)?([A-Za-z0-9_][A-Za-z0-9._-]*/)*[A-Za-z0-9_][A-Za-z0-9._-]*\.csv"
PATTERNS = {
    f"^{NAME}$": "in lower case letters, digits and hyphens",
    f"^{MODEL}$": "in lower case letters, digits, dots and hyphens",
    f"^{BREAKOUT}$": "as ports, `x` and their speed, like 2x400G",
    f"^{VERSION}$": "as numbers with dots, like 2.30.7",
    f"^{CURRENCY}$": "as the three capital letters of ISO 4217, like EUR",
    f"^{TABLE}$": "as the path of a .csv file below the inventory's directory, like positions.csv",
}
"""What each pattern asks for, in words."""


def _decimal(value: object) -> object:
    """Take a YAML number as the decimal that was typed; a float would add its binary error to every sum."""
    return Decimal(str(value)) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _network(value: object) -> IPv4Network:
    """Read an IPv4 prefix; host bits are an error, so that no pool is silently moved."""
    rule = "an IPv4 prefix is written like 10.0.0.0/9"
    if not isinstance(value, str | IPv4Network):
        raise ValueError(rule)  # noqa: TRY004 - pydantic makes a finding of a ValueError, and a fault of a TypeError
    try:
        return IPv4Network(value)
    except ValueError as error:
        raise ValueError(f"{rule}: {error}") from error


def _day(value: object) -> dt.date:
    """Read a day; a number would be taken for seconds since 1970."""
    rule = "a day is written like 2026-09-22"
    try:
        day = dt.date.fromisoformat(str(value))
    except ValueError as error:
        raise ValueError(rule) from error
    if day.isoformat() != str(value):
        raise ValueError(rule)
    return day


Count = Annotated[int, Field(strict=True, ge=1)]
Speed = Annotated[
    int,
    BeforeValidator(parse_speed),
    PlainSerializer(speed_text),
    WithJsonSchema({"type": ["string", "integer"], "pattern": r"^\s*\d+(\.\d+)?\s*[GgTt]([Bb][Pp][Ss]|[Bb]/[Ss]|[Bb][Ii][Tt]/[Ss])?\s*$", "minimum": 1}),
]
Ratio = Annotated[
    Fraction,
    BeforeValidator(parse_ratio),
    PlainSerializer(ratio_text),
    WithJsonSchema({"type": ["string", "number"], "pattern": r"^\s*\d+(\.\d+)?(\s*:\s*\d+(\.\d+)?)?\s*$", "exclusiveMinimum": 0}),
]
Prefix = Annotated[IPv4Network, BeforeValidator(_network), PlainSerializer(str), WithJsonSchema({"type": "string", "pattern": r"^\d+(\.\d+){3}(/\d+)?$"})]
Price = Annotated[Decimal, Field(ge=0), BeforeValidator(_decimal)]
Percent = Annotated[Decimal, Field(ge=0, le=100, allow_inf_nan=False), BeforeValidator(_decimal)]
Metres = Annotated[Decimal, Field(gt=0, le=10_000, decimal_places=3), BeforeValidator(_decimal)]
Lengths = Annotated[tuple[Metres, ...], Field(min_length=1)]
Day = Annotated[dt.date, BeforeValidator(_day), WithJsonSchema({"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"})]
Model = Annotated[str, Field(strict=True, pattern=f"^{MODEL}$")]
Pattern = Annotated[str, Field(strict=True, min_length=1, max_length=80)]


class Part(BaseModel):
    """A mapping of the inventory: unknown keys are refused and values never change."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


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

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["model"]}, {"required": ["generic"]}]})

    model: Annotated[Model | None, Field(examples=["sn5600"])] = None
    """A switch of the catalog (`fabricgen catalog list switches`)."""
    breakout: Annotated[str | None, Field(strict=True, pattern=f"^{BREAKOUT}$", examples=["2x400G"])] = None
    """How a cage is split: a leaf's towards hosts, a spine's or core's downwards. Uplinks take the split that matches the tier above."""
    generic: Annotated[GenericSwitch | None, Field(examples=[{"radix": 64}])] = None
    """A radix and a speed instead of a model."""

    @model_validator(mode="after")
    def _one_of(self) -> SwitchChoice:
        """Refuse both and neither of model and generic; only a model has cages to split."""
        if self.model and self.generic:
            raise ValueError("names a `model` and is `generic`, and a switch is one or the other")
        if not self.model and not self.generic:
            raise ValueError("is neither a `model` of the catalog nor `generic: {radix: 64}`")
        if self.generic and self.breakout:
            raise ValueError("is `generic`, so it has no cages to break out: give its `radix` and `speed`")
        return self


class Switches(Part):
    """The switch of each role; spine and core default to the tier below."""

    leaf: Annotated[SwitchChoice, Field(examples=[{"model": "sn5600", "breakout": "2x400G"}])]
    """Tier 1: where hosts connect."""
    spine: Annotated[SwitchChoice | None, Field(examples=[{"model": "sn5600", "breakout": "1x800G"}])] = None
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


class SparePolicy(Part):
    """Spares of one part class: a percentage, rounded up, and never fewer than a minimum, once for the inventory, which is one site."""

    percent: Annotated[float, Field(strict=True, ge=0, le=100, allow_inf_nan=False, examples=[2])] = 0
    """Per cent of the installed quantity."""
    minimum: Annotated[int, Field(strict=True, ge=0, examples=[1])] = 0
    """At least this many of each part."""
    pack: Annotated[Count | None, Field(le=100_000, examples=[10])] = None
    """Parts of a pack, where they are sold in packs: what is bought is rounded up to whole ones. Default: what the price book says, else 1."""


class Spares(Part):
    """Spare parts to buy along, by part class."""

    switches: Annotated[SparePolicy, Field(examples=[{"minimum": 1}])] = SparePolicy()
    """Spare switches."""
    transceivers: Annotated[SparePolicy, Field(examples=[{"percent": 2}])] = SparePolicy()
    """Spare modules."""
    cables: Annotated[SparePolicy, Field(examples=[{"percent": 5}])] = SparePolicy()
    """Spare cables."""
    nics: Annotated[SparePolicy, Field(examples=[{"minimum": 2}])] = SparePolicy()
    """Spare NICs, where the bill of materials counts NICs."""


class Addressing(Part):
    """Addresses, AS numbers and the protocol settings of every link."""

    host_links: Annotated[Literal["numbered", "unnumbered"], Field(examples=["numbered"])] = "numbered"
    """`numbered`: a /31 between NIC port and leaf. `unnumbered`: BGP over link-local addresses down to the host."""
    host_pool: Annotated[Prefix, Field(examples=["10.0.0.0/9"])] = IPv4Network("10.0.0.0/9")
    """Prefix that the NIC ports' addresses are cut from, an equal slice for each rail and plane, with room to grow."""
    loopback_pool: Annotated[Prefix, Field(examples=["10.128.0.0/10"])] = IPv4Network("10.128.0.0/10")
    """Prefix that the switches' loopbacks are cut from, an equal slice for each rail and plane, with room to grow."""
    asn_base: Annotated[int, Field(strict=True, ge=1, le=4294967294, examples=[4200000000])] = 4200000000
    """First AS number; leaves take one each, the spines of a pod share one, and so do the cores of a block, and all unnumbered hosts."""
    mtu: Annotated[int, Field(strict=True, ge=1280, le=9216, examples=[9216])] = 9216
    """MTU of every fabric link, in bytes; a rail-only fabric needs one value everywhere."""
    bfd: Annotated[bool, Field(strict=True, examples=[True])] = True
    """Bidirectional forwarding detection on every BGP session between switches."""
    guids: Annotated[str | None, Field(strict=True, pattern=f"^{TABLE}$", examples=["guids.csv"])] = None
    """A table of InfiniBand GUIDs, relative to the inventory: device, port (none for a switch), guid. Default: placeholders."""


class Roce(Part):
    """The lossless class, the same on every switch; one block, rendered everywhere."""

    dscp: Annotated[int, Field(strict=True, ge=1, le=63, examples=[26])] = 26
    """DSCP of RoCE traffic."""
    priority: Annotated[int, Field(strict=True, ge=1, le=7, examples=[3])] = 3
    """Traffic class, queue and PFC priority of RoCE traffic."""
    cnp_dscp: Annotated[int, Field(strict=True, ge=1, le=63, examples=[48])] = 48
    """DSCP of congestion notification packets."""
    cnp_priority: Annotated[int, Field(strict=True, ge=1, le=7, examples=[6])] = 6
    """Traffic class and queue of congestion notification packets, served first."""
    ecn_minimum_bytes: Annotated[int, Field(strict=True, ge=1, examples=[150000])] = 150_000
    """Queue depth at which ECN marking starts."""
    ecn_maximum_bytes: Annotated[int, Field(strict=True, ge=1, examples=[1500000])] = 1_500_000
    """Queue depth at which every packet is marked."""

    @property
    def queue_limit_bytes(self) -> int:
        """Where the queue ends, for systems that want to be told: well above what marking should ever let stand."""
        return 4 * self.ecn_maximum_bytes


class Naming(Part):
    """Patterns of names. Fields: `{rail}`, `{plane}`, `{n}` (from 1), `{domain}` and `{host}` for hosts; `{n:02}` pads."""

    leaf: Annotated[Pattern | None, Field(examples=["r{rail}-leaf-{n}"])] = None
    """Leaf switches; default `r{rail}-leaf-{n}`, with `p{plane}` after the rail where there are planes."""
    spine: Annotated[Pattern | None, Field(examples=["r{rail}-spine-{n}"])] = None
    """Spine switches."""
    core: Annotated[Pattern | None, Field(examples=["r{rail}-core-{n}"])] = None
    """Core switches."""
    host: Annotated[Pattern | None, Field(examples=["dgx-{n:03}"])] = None
    """Hosts; default `host-{n}`. `{domain}` is the HB domain from 0, `{host}` the chassis or tray in it from 1."""
    rack: Annotated[Pattern | None, Field(examples=["{hall}{row}-{rack}"])] = None
    """Racks; default `{hall}{row}-{rack}`: the hall's letter, then the row and the rack in it, both from 1."""


class Footprint(Part):
    """What one device takes of its rack."""

    units: Annotated[Count | None, Field(le=100, examples=[8])] = None
    """Rack units; default: what the catalog says."""
    power_w: Annotated[Count | None, Field(le=10_000_000, examples=[10200])] = None
    """Watts that the rack must provide; default: the most that the catalog says, else what is typical."""
    weight_kg: Annotated[Count | None, Field(le=1_000_000, examples=[131])] = None
    """Kilograms; default: what the catalog says."""


class Footprints(Part):
    """What a host and a switch of each role take of a rack, where the catalog does not know, or knows it otherwise."""

    host: Annotated[Footprint, Field(examples=[{"units": 8, "power_w": 10200}])] = Footprint()
    """Each host: a chassis or a tray."""
    leaf: Annotated[Footprint, Field(examples=[{"units": 2}])] = Footprint()
    """Each leaf switch."""
    spine: Annotated[Footprint, Field(examples=[{"units": 2}])] = Footprint()
    """Each spine switch."""
    core: Annotated[Footprint, Field(examples=[{"units": 4}])] = Footprint()
    """Each core switch."""


class Rack(Part):
    """What one rack holds and carries; all racks are alike."""

    units: Annotated[Count, Field(le=100, examples=[48])] = 42
    """Rack units, counted from the bottom."""
    power_w: Annotated[Count | None, Field(le=10_000_000, examples=[45000])] = None
    """Watts that a rack is fed; default: no limit is checked."""
    weight_kg: Annotated[Count | None, Field(le=1_000_000, examples=[1360])] = None
    """Kilograms that a rack carries; default: no limit is checked."""
    pitch_mm: Annotated[Count, Field(le=10_000, examples=[600, 800])] = 600
    """From the middle of a rack to the middle of the next one in its row."""


class Tray(Part):
    """The way of a cable: out of the rack, along the tray of the row, over a cross tray to another row, and down again."""

    run: Annotated[Literal["overhead", "underfloor"], Field(examples=["overhead"])] = "overhead"
    """Whether trays run above the racks or below the floor."""
    gap_mm: Annotated[int, Field(strict=True, ge=0, le=20_000, examples=[300])] = 300
    """From the top of a rack up to the tray, or from its foot down to it."""
    cross: Annotated[Literal["middle", "ends"], Field(examples=["middle"])] = "middle"
    """Where cross trays join the rows: one over the middle of every row, or one at each of the two ends."""
    slack_mm: Annotated[int, Field(strict=True, ge=0, le=20_000, examples=[500])] = 500
    """Cable to spare at each end, in and before the device."""
    width_mm: Annotated[Count | None, Field(le=10_000, examples=[300])] = None
    """Inner width of a tray, rows' and cross trays alike; with `depth_mm` it says how full trays become."""
    depth_mm: Annotated[Count | None, Field(le=10_000, examples=[100])] = None
    """Depth to which a tray may be filled."""
    fill_percent: Annotated[Count | None, Field(le=100, examples=[25, 40])] = None
    """Per cent of a tray's section that cables may take; more is refused. Default: nothing is refused, and more than 25 is pointed out."""


class StockLengths(Part):
    """The lengths that cables of a medium are kept in, in metres; default: those of the chosen part, else the usual ones."""

    dac: Annotated[Lengths | None, Field(examples=[[1, 2, 3]])] = None
    """Passive copper."""
    acc: Annotated[Lengths | None, Field(examples=[[3, 4, 5]])] = None
    """Active copper."""
    aoc: Annotated[Lengths | None, Field(examples=[[5, 10, 20, 30]])] = None
    """Active optical cables."""
    mmf: Annotated[Lengths | None, Field(examples=[[3, 5, 10, 20, 30, 50]])] = None
    """Multimode fibre."""
    smf: Annotated[Lengths | None, Field(examples=[[5, 10, 20, 50, 100]])] = None
    """Single-mode fibre."""
    generic: Annotated[Lengths | None, Field(examples=[[1, 2, 3, 5, 10, 20, 50]])] = None
    """Cables of which nothing is chosen yet."""


EVERY_MEDIUM: tuple[Literal["dac", "acc", "aoc", "mmf", "smf"], ...] = ("dac", "acc", "aoc", "mmf", "smf")
Media = Annotated[tuple[Literal["dac", "acc", "aoc", "mmf", "smf"], ...], Field(min_length=1)]


class MediaChoice(Part):
    """The media that may serve a kind of link, the preferred one first; each link takes the first that reaches."""

    host: Annotated[Media, Field(examples=[["dac", "mmf"]])] = EVERY_MEDIUM
    """From hosts to leaves."""
    leaf_spine: Annotated[Media, Field(examples=[["mmf", "smf"]])] = EVERY_MEDIUM
    """From leaves to spines."""
    spine_core: Annotated[Media, Field(examples=[["smf"]])] = EVERY_MEDIUM
    """From spines to cores."""


class Site(Part):
    """The room: what a rack holds, where racks stand, and how cables run. What is left out is planned by rule."""

    lengths: Annotated[Literal["planned", "unknown"], Field(examples=["planned"])] = "planned"
    """`unknown` leaves racks and lengths of cables open."""
    positions: Annotated[str | None, Field(strict=True, pattern=f"^{TABLE}$", examples=["positions.csv"])] = None
    """A table of where everything stands, relative to the inventory: device, hall, row, rack, unit. Default: placed by rule."""
    halls: Annotated[Count | None, Field(le=100, examples=[2])] = None
    """Halls that there are; default: one where `rows` is given, else as many as it takes."""
    rows: Annotated[Count | None, Field(le=1000, examples=[16])] = None
    """Rows of a hall; default: at most 32."""
    racks_per_row: Annotated[Count | None, Field(le=1000, examples=[20])] = None
    """Racks of a row; default: at most 20. Rows are filled alike, and are shorter where that suffices."""
    row_pitch_mm: Annotated[Count, Field(le=100_000, examples=[2400])] = 2400
    """From a row to the next one."""
    hall_pitch_mm: Annotated[Count | None, Field(le=1_000_000, examples=[20000])] = None
    """Cable from the cross tray of a hall, at its first row, to that of the next hall; default: a row's length and 6 m."""
    rack: Annotated[Rack, Field(examples=[{"units": 48, "power_w": 45000}])] = Rack()
    """What a rack holds."""
    hosts_per_rack: Annotated[Count | None, Field(examples=[4])] = None
    """Hosts of a rack; default: as many as fit, or fewer where the host's file says so."""
    network_racks: Annotated[Literal["row-middle", "row-end", "hall-middle"], Field(examples=["row-middle"])] = "row-middle"
    """Where racks of switches stand: in the middle of rows, at the end of rows, or in rows of their own in the middle of a hall."""
    leaves: Annotated[Literal["network-rack", "top-of-rack"], Field(examples=["network-rack"])] = "network-rack"
    """Whether leaves stand in racks of switches, or on top of the hosts' racks."""
    footprints: Annotated[Footprints, Field(examples=[{"host": {"units": 8, "power_w": 10200}}])] = Footprints()
    """What the devices take of a rack, where the catalog does not know it."""
    tray: Annotated[Tray, Field(examples=[{"gap_mm": 300, "width_mm": 300, "depth_mm": 100}])] = Tray()
    """How cables run."""
    stock_lengths_m: Annotated[StockLengths, Field(examples=[{"mmf": [3, 5, 10, 20, 30, 50]}])] = StockLengths()
    """The lengths that cables come in; each is rounded up to the next."""
    media: Annotated[MediaChoice, Field(examples=[{"host": ["dac", "mmf"]}])] = MediaChoice()
    """Copper and fibre by length: which media may be used, and which is preferred."""
    measured_m: Annotated[
        dict[str, Annotated[Decimal, Field(gt=0, le=10_000, decimal_places=3), BeforeValidator(_decimal)]], Field(examples=[{"r0-h00001": 12.5}])
    ] = {}
    """Ways that somebody measured, in metres with the slack, by the label of the cable; they win over what is reckoned."""

    @model_validator(mode="after")
    def _places_or_not(self) -> Site:
        """Refuse positions that nobody would read."""
        if self.lengths == "unknown" and self.positions:
            raise ValueError("has `positions`, and with `lengths: unknown` nobody reads them")
        return self


class Discount(Part):
    """Per cent off the prices of the book; what a class says replaces `all`. Prices that the inventory gives are paid as they are."""

    all: Annotated[Percent, Field(examples=[10])] = Decimal(0)
    """Off every part of the book."""
    switches: Annotated[Percent | None, Field(examples=[25])] = None
    """Off switches."""
    transceivers: Annotated[Percent | None, Field(examples=[40])] = None
    """Off transceivers."""
    cables: Annotated[Percent | None, Field(examples=[15])] = None
    """Off cables."""
    nics: Annotated[Percent | None, Field(examples=[5])] = None
    """Off NICs."""


class Exchange(Part):
    """The currency that is paid in, at a rate that is stated; no rate is ever looked up."""

    currency: Annotated[str, Field(strict=True, pattern=f"^{CURRENCY}$", examples=["EUR"])]
    """What is paid in, by its ISO code."""
    rate: Annotated[Decimal, Field(gt=0, le=1_000_000, allow_inf_nan=False, examples=[0.92]), BeforeValidator(_decimal)]
    """How much of it one unit of the book's currency costs."""
    date: Annotated[Day, Field(examples=["2026-09-22"])]
    """The day of the rate; it stands beside every sum."""


class Prices(Part):
    """A price book, with prices of single parts that win over it."""

    book: Annotated[str | None, Field(strict=True, examples=["paper-v5", "./our-prices.yaml"])] = None
    """A book of the catalog, or the path of a file (ending in .yaml)."""
    parts: Annotated[dict[str, Price], Field(examples=[{"sn5600": 50000}])] = {}
    """Price of one part by its model, in the currency of the book."""
    discount: Annotated[Discount, Field(examples=[{"all": 10, "switches": 25}])] = Discount()
    """Per cent off the prices of the book."""
    exchange: Annotated[Exchange | None, Field(examples=[{"currency": "EUR", "rate": 0.92, "date": "2026-09-22"}])] = None
    """Another currency to pay in. Default: that of the book."""


class Nos(Part):
    """The network operating system of each role; spine and core default to the tier below."""

    leaf: Annotated[Model | None, Field(examples=["sonic"])] = None
    """NOS of the leaves; default: the first choice of the switch model."""
    spine: Annotated[Model | None, Field(examples=["sonic"])] = None
    """NOS of the spines."""
    core: Annotated[Model | None, Field(examples=["sonic"])] = None
    """NOS of the cores."""
    rails: Annotated[dict[Annotated[int, Field(ge=0)], Model], Field(examples=[{"3": "eos"}])] = {}
    """NOS of every switch of a rail, by the rail's number from 0, where it is another; rails that share switches have one NOS."""
    versions: Annotated[dict[str, Annotated[str, Field(strict=True, pattern=f"^{VERSION}$")]], Field(examples=[{"nvue": "5.14"}])] = {}
    """Version of a NOS, quoted, where its syntax depends on it; default: the newest that its pack knows."""


class Nccl(Part):
    """The collective communication library of the hosts; NCCL, or one that reads the same settings."""

    version: Annotated[str | None, Field(strict=True, pattern=f"^{VERSION}$", examples=["2.30.7"])] = None
    """Version of NCCL, quoted; settings that an older one would not understand are written only where it is known and new enough."""
    pxn: Annotated[bool, Field(strict=True, examples=[True])] = True
    """Whether a GPU may send through the NIC of another GPU of its host (PXN): the relay that a rail-only fabric cannot do without."""


SHORT_FORMS: dict[str, tuple[str, ...]] = {"prices": ("book",), "nos": tuple(role.value for role in Role), "nccl": ("version",), "site": ("lengths",)}
"""Keys that take one word instead of a mapping -> the keys of the mapping that the word stands for."""


def long_form(key: str, word: str) -> dict[str, Any]:
    """Write out the short form of a key.

    >>> long_form("prices", "paper-v5")
    {'book': 'paper-v5'}
    """
    return dict.fromkeys(SHORT_FORMS[key], word)


class FabricSpec(Part):
    """One inventory: what is asked for, in full."""

    name: Annotated[str, Field(strict=True, pattern=f"^{NAME}$", max_length=40, examples=["paper-32k"])]
    """Name of the fabric: lower case letters, digits and hyphens."""
    design: Annotated[Design, Field(examples=["rail-only"])] = Design.RAIL_ONLY
    """How NIC ports are mapped onto switches."""
    gpus: Annotated[Count, Field(examples=[1024])]
    """GPUs installed; a multiple of `hb_domain.gpus`."""
    hb_domain: Annotated[HbDomain, Field(examples=[{"gpus": 8}])]
    """The scale-up (HB) domain."""
    host: Annotated[HostChoice | None, Field(examples=[{"model": "dgx-h100"}])] = None
    """The host model."""
    nic: Annotated[NicChoice, Field(examples=[{"speed": "400G", "per_gpu": 1}])] = NicChoice()
    """The NICs."""
    rails: Annotated[Rails, Field(examples=[{"count": 8, "tiers": "auto"}])] = Rails()
    """Rails, planes and tiers."""
    switches: Annotated[Switches, Field(examples=[{"leaf": {"model": "sn5600", "breakout": "2x400G"}}])]
    """The switch of each role."""
    oversubscription: Annotated[Ratio, Field(examples=["1:1", "3:1"])] = Fraction(1)
    """Bandwidth of a leaf towards hosts against its bandwidth towards spines."""
    spread: Annotated[Literal["even", "minimal"], Field(examples=["even"])] = "even"
    """`even`: the spines divide a leaf's uplinks. `minimal`: the fewest spines, as the rail-only paper counts."""
    reserve: Annotated[Reserve | None, Field(examples=[{"gpus": 65536}])] = None
    """Room for growth, sized and numbered now."""
    phases: Annotated[tuple[Phase, ...], Field(examples=[[{"name": "first", "planes": 1}, {"name": "second"}]])] = ()
    """The order in which a fabric is bought and cabled, where not at once; no cable is pulled twice. Default: at once."""
    spares: Annotated[Spares, Field(examples=[{"transceivers": {"percent": 2, "minimum": 2}}])] = Spares()
    """Spare parts."""
    site: Annotated[Site | None, Field(examples=[{"rack": {"units": 48}, "racks_per_row": 16}])] = None
    """The room. Without it one is generated; `unknown` leaves racks and lengths open."""
    addressing: Annotated[Addressing, Field(examples=[{"host_links": "numbered", "mtu": 9216}])] = Addressing()
    """Addresses, AS numbers and link settings."""
    roce: Annotated[Roce, Field(examples=[{"dscp": 26, "priority": 3}])] = Roce()
    """The lossless traffic class."""
    naming: Annotated[Naming, Field(examples=[{"host": "dgx-{n:03}"}])] = Naming()
    """Names of switches and hosts."""
    prices: Annotated[Prices, Field(examples=["paper-v5"])] = Prices()
    """A price book's name or path, or a mapping of `book` and `parts`."""
    nos: Annotated[Nos, Field(examples=[{"leaf": "sonic"}])] = Nos()
    """The network operating systems; one word stands for all roles."""
    nccl: Annotated[Nccl, Field(examples=["2.30.7"])] = Nccl()
    """NCCL's version, or a mapping of `version` and `pxn`."""

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, values: Any) -> Any:  # noqa: ANN401 - what YAML holds before it is checked
        """Write out `prices: NAME`, `nos: NAME`, `nccl: VERSION` and `site: unknown`."""
        if not isinstance(values, dict):
            return values
        return {key: long_form(key, value) if isinstance(value, str) and key in SHORT_FORMS else value for key, value in values.items()}


def json_schema() -> dict[str, Any]:
    """Return the inventory's JSON Schema in the draft-07 subset that yaml-language-server reads."""
    schema = FabricSpec.model_json_schema(mode="validation")
    keys = schema["properties"]
    for key in SHORT_FORMS:
        told = {fact: keys[key][fact] for fact in ("description", "examples")}
        keys[key] = {"anyOf": [{"type": "string"}, {"$ref": f"#/$defs/{key.capitalize()}"}], **told}
    definitions = schema.pop("$defs")
    moved = _moved({"definitions": definitions, **schema})
    return {"$schema": "http://json-schema.org/draft-07/schema#", **moved}


def _moved(node: Any) -> Any:  # noqa: ANN401 - any node of a JSON document
    """Rewrite 2020-12 references as draft-07 ones, and put what stands beside a reference beside an `allOf`, where it counts."""
    if isinstance(node, list):
        return [_moved(item) for item in node]
    if not isinstance(node, dict):
        return node
    out = {key: _moved(value) for key, value in node.items() if key != "$ref"}
    if "$ref" in node:
        reference = {"$ref": node["$ref"].replace("#/$defs/", "#/definitions/")}
        return {**out, "allOf": [reference]} if out else reference
    return out

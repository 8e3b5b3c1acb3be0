"""What can be bought: switches, hosts, NICs, transceivers, cables and what they cost.

Owns the shape of a catalog file, one per model, and finding it: a user's directory shadows the shipped one file by file, and a file
is read when its model is first asked for. It chooses nothing: which breakout, module or book a fabric uses is for `reading`,
`cabling` and `bom`. How YAML is read belongs to `source`.

A directory of files has the folders `switches`, `hosts`, `nics`, `transceivers`, `cables` and `prices`; each fact has its source in
its file, and a fact that could not be verified is named under `unverified`.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from fabricgen.diagnostics import Finding, Place, Refusal, nearest
from fabricgen.resources import shipped
from fabricgen.source import load_facts
from fabricgen.terms import speed_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Transport = Literal["ethernet", "infiniband"]
FormFactor = Literal["osfp", "qsfp-dd", "qsfp56", "qsfp112", "generic"]
Medium = Literal["mmf", "smf", "dac", "acc", "aoc", "generic"]
Top = Literal["finned", "flat", "any"]  # the heat sink of a module: its own fins, or a flat top under the cage's

Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(gt=0, strict=True)]
Index = Annotated[int, Field(ge=0, strict=True)]
Amount = Annotated[float, Field(ge=0, strict=True, allow_inf_nan=False)]
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


class SonicPlatform(Facts):
    """What SONiC calls this switch, and the serdes lanes behind each front cage."""

    platform: str
    hwsku: str | None = None
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
    if switch.default_nos not in switch.interfaces:
        yield f"default_nos: {switch.default_nos} has no entry under interfaces"
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
    ethernet: PortName
    infiniband: PortName | None = None
    rdma: PortName | None = None
    pci: str | None = None


class Host(Part):
    """A chassis or tray of GPUs, and the HB domain that it is part of."""

    gpus: Count
    hb_domain_gpus: Count
    hb_domain_hosts: Count
    hb_bandwidth_gbps: Count | None = None  # per GPU, one direction
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
        return self

    def port(self, gpu: int, plane: int = 0) -> HostPort:
        """Find the port of a GPU, counted within the host, on a plane; both from 0. Raises KeyError where there is none."""
        for port in self.ports:
            if (port.gpu, port.plane) == (gpu, plane):
                return port
        raise KeyError((gpu, plane))


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
    power_w: Amount | None = None
    transports: tuple[Transport, ...] = ("ethernet", "infiniband")

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if len(self.ends) != 1 + self.legs or len(self.form_factors) not in {0, len(self.ends)}:
            raise ValueError(f"ends: a near end and {self.legs} far ends were expected")
        return self


class PriceBook(Sourced):
    """Prices of one origin and date. The two rates are for 400G and scale linearly with bandwidth; parts are priced by model."""

    name: Text
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")]
    date: dt.date | None = None
    switch_port_400g: Price | None = None
    transceiver_400g: Price | None = None
    parts: dict[str, Price] = {}

    def switch_port(self, speed_gbps: int) -> Decimal | None:
        """Price one switch port of a speed by the book's rate.

        >>> Catalog().price_book("paper-v5").switch_port(800)
        Decimal('1388')
        """
        return None if self.switch_port_400g is None else self.switch_port_400g * speed_gbps / 400

    def transceiver(self, speed_gbps: int) -> Decimal | None:
        """Price the transceiver of one link end of a speed by the book's rate."""
        return None if self.transceiver_400g is None else self.transceiver_400g * speed_gbps / 400


KINDS: Mapping[str, type[Part | PriceBook]] = {
    "switches": Switch,
    "hosts": Host,
    "nics": Nic,
    "transceivers": Transceiver,
    "cables": Cable,
    "prices": PriceBook,
}
_MODEL = re.compile(r"[a-z0-9][a-z0-9.-]*")
_T = TypeVar("_T", bound=Facts)


class Catalog:
    """The models that a fabric may use, read as they are asked for and kept."""

    def __init__(self, roots: Sequence[Path] = (), base: Path | None = None) -> None:
        """Look in `roots` first, in their order, then in what ships with the program; a price book's path is relative to `base`."""
        self._base = base or Path()
        self._roots = tuple(Path(root) for root in roots)
        self._found: dict[tuple[str, str], object] = {}
        self._lists: dict[str, object] = {}

    def switch(self, model: str) -> Switch | None:
        """Find a switch; None where no file has that name."""
        return self._find("switches", model, Switch)

    def host(self, model: str) -> Host | None:
        """Find a host; None where no file has that name."""
        return self._find("hosts", model, Host)

    def nic(self, model: str) -> Nic | None:
        """Find a NIC; None where no file has that name."""
        return self._find("nics", model, Nic)

    def transceiver(self, model: str) -> Transceiver | None:
        """Find a transceiver; None where no file has that name."""
        return self._find("transceivers", model, Transceiver)

    def cable(self, model: str) -> Cable | None:
        """Find a cable; None where no file has that name."""
        return self._find("cables", model, Cable)

    def price_book(self, name: str) -> PriceBook | None:
        """Find a price book by its name, or by the path of a user's own file, which ends in .yaml."""
        if name.endswith((".yaml", ".yml")):
            path = Path(name)
            return _parse(path, PriceBook) if path.is_file() else None
        return self._find("prices", name, PriceBook)

    def switches(self) -> tuple[Switch, ...]:
        """Return every switch, in the order of the models."""
        return self._all("switches", Switch)

    def hosts(self) -> tuple[Host, ...]:
        """Return every host, in the order of the models."""
        return self._all("hosts", Host)

    def nics(self) -> tuple[Nic, ...]:
        """Return every NIC, in the order of the models."""
        return self._all("nics", Nic)

    def transceivers(self) -> tuple[Transceiver, ...]:
        """Return every transceiver, in the order of the models."""
        return self._all("transceivers", Transceiver)

    def cables(self) -> tuple[Cable, ...]:
        """Return every cable, in the order of the models."""
        return self._all("cables", Cable)

    def names(self, kind: str) -> list[str]:
        """List the models of a kind, a key of KINDS, sorted."""
        stems = {path.stem for folder in self._folders(kind) for path in folder.glob("*.yaml")}
        return sorted(stem for stem in stems if _MODEL.fullmatch(stem))

    def find(self, kind: str, name: str) -> Part | PriceBook | None:
        """Find a model of any kind, a key of KINDS."""
        return self._find(kind, name, KINDS[kind])

    def generic(self, radix: int, speed_gbps: int) -> Switch:
        """Make the switch that has nothing but a radix and a speed.

        >>> Catalog().generic(64, 400).model
        'generic-64x400G'
        """
        box = self._own("switches", "generic", Switch)
        speed = speed_text(speed_gbps)
        mode = Breakout(name=f"1x{speed}", count=1, speed_gbps=speed_gbps, lanes=1)
        power_w = None if box.power_w_per_400g is None else radix * box.power_w_per_400g * speed_gbps / 400
        made = {"model": f"generic-{radix}x{speed}", "cages": radix, "breakouts": (mode,), "typical_w": power_w}
        return box.model_copy(update=made)

    def generic_transceiver(self, speed_gbps: int, ports: int = 1) -> Transceiver:
        """Make the module of a cage that has nothing but link ends of a speed; a speed without a file takes the 400G one's facts, scaled.

        >>> Catalog().generic_transceiver(50).model
        'generic-50g'
        >>> Catalog().generic_transceiver(200, 4).model
        'generic-4x200g'
        """
        known = self.transceiver(f"generic-{speed_gbps}g")
        if known and ports == 1:
            return known
        base = self._own("transceivers", "generic-400g", Transceiver)
        power_w = None if base.power_w is None else base.power_w * ports * speed_gbps / 400
        times, ends = (f"{ports}x", f"{ports} {speed_text(speed_gbps)} link ends") if ports > 1 else ("", f"one {speed_text(speed_gbps)} link end")
        made = {"model": f"generic-{times}{speed_gbps}g", "ports": ports, "port_gbps": speed_gbps, "power_w": power_w}
        return base.model_copy(update={**made, "description": f"a transceiver of {ends}"})

    def generic_cable(self) -> Cable:
        """Return the cable that nothing is known of."""
        return self._own("cables", "generic-fibre", Cable)

    def _folders(self, kind: str) -> list[Path]:
        home = shipped("inventories")
        own = home / kind if kind == "prices" else home / "catalog" / kind
        return [*(root / kind for root in self._roots), own]

    def _find(self, kind: str, name: str, shape: type[_T]) -> _T | None:
        key = (kind, name)
        if key not in self._found:
            path = self._path(kind, name)
            self._found[key] = path and _parse(path, shape)
        return cast("_T | None", self._found[key])

    def _own(self, kind: str, name: str, shape: type[_T]) -> _T:
        """Find a file that this program brings along; that it is missing is a broken installation, said like any bad file."""
        found = self._find(kind, name, shape)
        if found is None:
            raise Refusal([_bad(self._folders(kind)[-1] / f"{name}.yaml", "the file is missing")])
        return found

    def _path(self, kind: str, name: str) -> Path | None:
        if not _MODEL.fullmatch(name):  # a name with a slash could leave the folder
            return None
        paths = (folder / f"{name}.yaml" for folder in self._folders(kind))
        return next((path for path in paths if path.is_file()), None)

    def _all(self, kind: str, shape: type[_T]) -> tuple[_T, ...]:
        if kind not in self._lists:
            found = (self._find(kind, name, shape) for name in self.names(kind))
            self._lists[kind] = tuple(facts for facts in found if facts is not None)
        return cast("tuple[_T, ...]", self._lists[kind])


def _parse(path: Path, shape: type[_T]) -> _T:
    """Read one file into its shape; every fact that does not fit is its own finding."""
    try:
        facts = load_facts(path)
    except OSError as fault:
        raise Refusal([_bad(path, f"the file cannot be read: {fault.strerror}")]) from fault
    try:
        made = shape.model_validate(facts)
    except ValidationError as fault:
        raise Refusal(_finding(path, error["loc"], error["type"], error["msg"], shape) for error in fault.errors(include_url=False)) from None
    if isinstance(made, Part) and made.model != path.stem:
        raise Refusal([_bad(path, f"`model` is {made.model}, but the file is called {path.name}")])
    return made


def _finding(path: Path, loc: tuple[int | str, ...], kind: str, said: str, shape: type[Facts]) -> Finding:
    """Say which fact of which file does not fit, in the words of a catalog file."""
    key = ".".join(str(step) for step in loc)
    if kind == "extra_forbidden":
        near = nearest(key, shape.model_fields)
        return _bad(path, f"`{key}` is not a fact that this kind of file has", f"did you mean `{near}`?" if near else "")
    if kind == "missing":
        return _bad(path, f"`{key}` is missing")
    said = said.removeprefix("Value error, ")
    return _bad(path, f"`{key}`: {said[:1].lower()}{said[1:]}" if key else said)


def _bad(path: Path, fact: str, hint: str = "") -> Finding:
    return Finding("bad-catalog-file", f"{path.name}: {fact}", hint=hint, place=Place(str(path)))

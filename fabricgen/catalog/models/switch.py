"""The catalog model of switches, and the names of their ports."""

from functools import cached_property
from itertools import accumulate, combinations, groupby
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from fabricgen.catalog.models.base import (
    Amount,
    Cords,
    Count,
    Facts,
    FormFactor,
    Index,
    LaneFact,
    Lanes,
    LinkGbps,
    Many,
    NosFact,
    Part,
    Pattern,
    PortGroup,
    Positive,
    RackUnits,
    Text,
    Top,
    Transport,
    Watts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


class Breakout(Facts):
    """One way to split a cage: `count` ports of `lanes` lanes each."""

    name: Text
    count: Lanes
    speed_gbps: LinkGbps
    lanes: Lanes


class Interfaces(Facts):
    """The port names of one NOS: patterns for str.format with the position of the port.

    `cage` counts from 1 and `cage0` from 0, `place0` from 0 within the group of cages; `sub` from
    0, `sub1` from 1 and `letter` from a, within the cage; `lane` is the port's first lane, counted
    over the whole switch from 0, `lane1` within the cage from 1.
    """

    whole: Pattern
    split: Pattern
    alias_whole: Pattern | None = None
    alias_split: Pattern | None = None


class CageGroup(Facts):
    """Cages `first` to `last`, both counted from 1, that differ from the others.

    They support only `breakouts`; their form factor, lanes and port names are the switch's where
    not stated.
    """

    first: Count
    last: Count
    breakouts: tuple[str, ...]
    form_factor: FormFactor | None = None
    lanes_per_cage: Lanes | None = None
    interfaces: dict[str, Interfaces] = {}  # by NOS, where its names differ from the switch's

    def __contains__(self, cage: int) -> bool:
        """Return whether a cage, counted from 1, belongs to the group."""
        return self.first <= cage <= self.last


class FaceplateFacts(Facts):
    """Rows of cages on the front, numbered from the top left along columns or rows."""

    rows: Count
    order: Literal["column", "row"] = "column"


class CircuitFacts(Facts):
    """How a box joins its ports two by two, without reading what they carry.

    A cage of such a box is a duplex port: what a module sends enters it, and what the module
    receives leaves it.
    """

    moved_by: Literal["mirrors", "piezo", "hand"]
    loss_db: Positive | None = None  # of a circuit, at most, both of its own connectors included
    switching_ms: Positive | None = None  # until all changed circuits carry light again


class Switch(Part):
    """A switch: its cages, their breakouts, port names by NOS, and its size and power."""

    asic: str | None = None
    part_number: str | None = None
    cages: Index  # 0 only in `generic`, whose radix is the inventory's
    form_factor: FormFactor
    lanes_per_cage: Lanes
    breakouts: Annotated[tuple[Breakout, ...], Field(max_length=32)]
    cage_groups: Annotated[tuple[CageGroup, ...], Field(max_length=64)] = ()
    service_cages: CageGroup | None = None  # numbered behind `cages`, for management traffic
    port_limit: Many | None = None
    faceplate: FaceplateFacts | None = None
    rack_units: RackUnits | None = None
    weight_kg: Amount | None = None
    typical_w: Watts | None = None
    maximum_w: Watts | None = None
    depth_mm: Amount | None = None
    management: PortGroup | None = None
    externally_managed: bool = False  # without a CPU of its own: no file configures it
    circuits: CircuitFacts | None = None  # of a box that forwards light instead of packets
    cords: Cords | None = None
    interfaces: dict[str, Interfaces]
    # other names by which an inventory may call a NOS under `interfaces`
    nos_aliases: dict[str, str] = {}
    default_nos: str
    transport: Transport
    subnet_nodes: Count = 1  # of InfiniBand: each plane of a multiplane switch is a node of its own
    cooling: Literal["air", "liquid"]
    # facts that one NOS needs, by NOS and name: the pack of the NOS declares which it reads
    nos: dict[str, dict[str, NosFact]] = {}
    power_w_per_400g: Amount | None = None
    adaptive_routing: bool = False  # whether it can spread packets over equal paths by their load

    @model_validator(mode="after")
    def _verify_consistency(self) -> Self:
        for contradiction in _contradictions(self):
            raise ValueError(contradiction)
        return self

    @property
    def passive(self) -> bool:
        """Whether it is a panel in which a person moves jumpers: without power and a CPU."""
        return self.circuits is not None and self.circuits.moved_by == "hand"

    @property
    def capacity_gbps(self) -> int:
        """The total of all cages at their fastest, in one direction."""
        return sum(
            max(mode.count * mode.speed_gbps for mode in self.breakouts_of(cage))
            for cage in range(1, self.cages + 1)
        )

    def form_factor_of(self, breakout: Breakout) -> FormFactor:
        """Return the form factor of the cages that support a breakout."""
        cages = self.cages_by_breakout[breakout.name]
        return self.form_factor_at(cages[0]) if cages else self.form_factor

    def form_factor_at(self, cage: int) -> FormFactor:
        """Return the form factor of one cage, counted from 1."""
        group = self._group(cage)
        return (group and group.form_factor) or self.form_factor

    def module_top_of(self, breakout: Breakout) -> Top:
        """Return the module top that fits the cages that support a breakout.

        An OSFP cage takes finned modules with air cooling, and flat ones with a cold plate.
        """
        if self.form_factor_of(breakout) != "osfp":
            return "any"
        return "finned" if self.cooling == "air" else "flat"

    def breakout(self, name: str) -> Breakout | None:
        """Return a breakout by its name, like `2x400G`; None where the switch has none."""
        return next((mode for mode in self.breakouts if mode.name == name), None)

    def mode_at(self, speed_gbps: int) -> Breakout | None:
        """Return the breakout with ports of this speed, and the most of them; None without one."""
        fitting = [mode for mode in self.breakouts if mode.speed_gbps == speed_gbps]
        return max(fitting, key=lambda mode: mode.count) if fitting else None

    def breakouts_of(self, cage: int) -> tuple[Breakout, ...]:
        """Return the breakouts of one cage, counted from 1."""
        group = self._group(cage)
        if group is None:
            return self.breakouts
        return tuple(mode for mode in self.breakouts if mode.name in group.breakouts)

    def splits(self, cage: int, breakout: str) -> bool:
        """Return whether one cage, counted from 1, supports a breakout, by name."""
        group = self._group(cage)
        return self.breakout(breakout) is not None if group is None else breakout in group.breakouts

    def lanes_of(self, cage: int) -> int:
        """Return the lanes of one cage, counted from 1."""
        group = self._group(cage)
        return (group and group.lanes_per_cage) or self.lanes_per_cage

    @cached_property
    def first_lanes(self) -> list[int]:
        """The first lane of each cage, counted over the whole switch from 0, in order."""
        last = self.service_cages.last if self.service_cages else self.cages
        return [0, *accumulate(self.lanes_of(cage) for cage in range(1, last + 1))]

    @cached_property
    def cages_by_breakout(self) -> dict[str, list[int]]:
        """The cages that support each breakout, by its name, in order.

        Service cages are among them where no other cage supports a breakout.
        """
        service = self.service_cages
        found = {
            mode.name: [cage for cage in range(1, self.cages + 1) if self.splits(cage, mode.name)]
            for mode in self.breakouts
        }
        return {
            name: cages or [*range(service.first, service.last + 1)]
            if service and name in service.breakouts
            else cages
            for name, cages in found.items()
        }

    @cached_property
    def numbers(self) -> frozenset[int]:
        """The numbers of all cages, service cages included."""
        service = self.service_cages
        more = range(service.first, service.last + 1) if service else ()
        return frozenset((*range(1, self.cages + 1), *more))

    def nos_name(self, name: str) -> str:
        """Return the name that `interfaces` has for a NOS; an unknown name is unchanged."""
        return name if name in self.interfaces else self.nos_aliases.get(name, name)

    def interface(self, nos: str, cage: int, sub: int, breakout: Breakout) -> str:
        """Return the name of a port in a NOS; cage from 1, sub from 0.

        Raises KeyError for a NOS that the model does not run.
        """
        names = self._names(nos, cage)
        return (names.whole if breakout.count == 1 else names.split).format_map(
            self._position(cage, sub, breakout)
        )

    def alias(self, nos: str, cage: int, sub: int, breakout: Breakout) -> str | None:
        """Return the front panel name of a port, where the NOS has such a second name."""
        names = self._names(nos, cage)
        pattern = names.alias_whole if breakout.count == 1 else names.alias_split
        return pattern and pattern.format_map(self._position(cage, sub, breakout))

    def _names(self, nos: str, cage: int) -> Interfaces:
        """Return the patterns of a NOS for the ports of a cage. Raises KeyError for another NOS."""
        group = self._group(cage)
        return (group and group.interfaces.get(nos)) or self.interfaces[nos]

    def _position(self, cage: int, sub: int, breakout: Breakout) -> dict[str, int | str]:
        lane, group = sub * breakout.lanes, self._group(cage)
        return {
            "cage": cage,
            "cage0": cage - 1,
            "place0": cage - (group.first if group else 1),
            "sub": sub,
            "sub1": sub + 1,
            "letter": "abcdefghijklmnop"[sub],
            "lane": self.first_lanes[cage - 1] + lane,
            "lane1": lane + 1,
        }

    def _group(self, cage: int) -> CageGroup | None:
        """Return the group of a cage, counted from 1; None where it is like the others."""
        service = self.service_cages
        return service if service and cage in service else self._grouped.get(cage)

    @cached_property
    def _grouped(self) -> dict[int, CageGroup]:
        """The group of each numbered cage that is unlike the others."""
        return {
            cage: group for group in self.cage_groups for cage in range(group.first, group.last + 1)
        }


def _contradictions(switch: Switch) -> "Iterator[str]":
    """Yield the contradictions between facts of one file."""
    names = {mode.name for mode in switch.breakouts}
    if len(names) != len(switch.breakouts):
        yield "breakouts: two of them have the same name"
    yield from _contradictions_of_groups(switch, names)
    if switch.circuits and switch.form_factor != "lc":
        yield "circuits: light passes duplex ports, so the form factor is lc"
    for mode in switch.breakouts:
        taken, cages = mode.count * mode.lanes, switch.cages_by_breakout[mode.name]
        lanes = min(map(switch.lanes_of, cages), default=switch.lanes_per_cage)
        if taken > lanes:
            yield f"breakouts: {mode.name} takes {taken} of {lanes} lanes of a cage"
        if len({switch.form_factor_at(cage) for cage in cages}) > 1:
            yield f"breakouts: {mode.name} is one of cages of several form factors"
    if switch.faceplate and switch.faceplate.rows > max(switch.cages, 1):
        yield f"faceplate: {switch.faceplate.rows} rows for {switch.cages} cages"
    if switch.default_nos not in switch.interfaces:
        yield f"default_nos: {switch.default_nos} has no entry under interfaces"
    yield from _contradictions_of_nos(switch, names)


def _contradictions_of_groups(switch: Switch, breakouts: set[str]) -> "Iterator[str]":
    """Find groups of cages that do not belong to the switch, or overlap."""
    for group in switch.cage_groups:
        exists = 1 <= group.first <= group.last <= switch.cages
        if not exists or not breakouts.issuperset(group.breakouts):
            yield (
                f"cage_groups: {group.first} to {group.last} "
                "names cages or breakouts that the switch does not have"
            )
        for nos in group.interfaces.keys() - switch.interfaces.keys():
            yield f"cage_groups.interfaces.{nos}: {nos} has no entry under interfaces"
    service = switch.service_cages
    if service and (
        not switch.cages < service.first <= service.last
        or not breakouts.issuperset(service.breakouts)
    ):
        yield "service_cages: they are numbered behind the others, with breakouts of the switch"
    for one, other in combinations(switch.cage_groups, 2):
        if max(one.first, other.first) in one and max(one.first, other.first) in other:
            yield f"cage_groups: cage {max(one.first, other.first)} is in two of them"


def _contradictions_of_nos(switch: Switch, breakouts: set[str]) -> "Iterator[str]":
    """Find facts of a NOS that do not belong to the switch."""
    for alias, nos in switch.nos_aliases.items():
        if nos not in switch.interfaces:
            yield f"nos_aliases.{alias}: {nos} has no entry under interfaces"
        if alias in switch.interfaces:
            yield f"nos_aliases.{alias}: {alias} has an entry of its own under interfaces"
    lanes = [switch.lanes_of(cage) for cage in range(1, switch.cages + 1)]
    for nos, facts in switch.nos.items():
        if nos not in switch.interfaces:
            yield f"nos.{nos}: {nos} has no entry under interfaces"
        for name, fact in facts.items():
            if isinstance(fact, dict) and (unknown := sorted(fact.keys() - breakouts)):
                yield f"nos.{nos}.{name}: {unknown[0]} is not a breakout of the switch"
            if isinstance(fact, LaneFact) and [*map(len, fact.per_lane)] != lanes:
                yield f"nos.{nos}.{name}: {_lanes_text(lanes)} were expected"


def _lanes_text(lanes: list[int]) -> str:
    """Format the lanes of all cages, like `48 cages of 1 lanes and 4 cages of 4 lanes`."""
    return " and ".join(f"{len([*run])} cages of {size} lanes" for size, run in groupby(lanes))

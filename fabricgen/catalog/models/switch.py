"""The catalog model of switches, and the names of their ports."""

from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self

from pydantic import model_validator

from fabricgen.catalog.models.base import (
    Amount,
    Count,
    Facts,
    FormFactor,
    Index,
    LaneFact,
    NosFact,
    Part,
    Pattern,
    Text,
    Top,
    Transport,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


class Breakout(Facts):
    """One way to split a cage: `count` ports of `lanes` lanes each."""

    name: Text
    count: Count
    speed_gbps: Count
    lanes: Count


class Interfaces(Facts):
    """The port names of one NOS: patterns for str.format with the position of the port.

    `cage` counts from 1 and `cage0` from 0; `sub` from 0, `sub1` from 1 and `letter` from a, within
    the cage; `lane` is the port's first lane, counted over the whole switch from 0, `lane1` within
    the cage from 1.
    """

    whole: Pattern
    split: Pattern
    alias_whole: Pattern | None = None
    alias_split: Pattern | None = None


class CageLimit(Facts):
    """Cages `first` to `last`, both counted from 1, that support only some of the breakouts."""

    first: Count
    last: Count
    breakouts: tuple[str, ...]


class FaceplateFacts(Facts):
    """Rows of cages on the front, numbered from the top left along columns or rows."""

    rows: Count
    order: Literal["column", "row"] = "column"


class Switch(Part):
    """A switch: its cages, their breakouts, port names by NOS, and its size and power."""

    asic: str | None = None
    part_number: str | None = None
    cages: Index  # 0 only in `generic`, whose radix is the inventory's
    form_factor: FormFactor
    lanes_per_cage: Count
    breakouts: tuple[Breakout, ...]
    cage_limits: tuple[CageLimit, ...] = ()
    port_limit: Count | None = None
    faceplate: FaceplateFacts | None = None
    rack_units: Count | None = None
    weight_kg: Amount | None = None
    typical_w: Amount | None = None
    maximum_w: Amount | None = None
    depth_mm: Amount | None = None
    interfaces: dict[str, Interfaces]
    # other names by which an inventory may call a NOS under `interfaces`
    nos_aliases: dict[str, str] = {}
    default_nos: str
    transport: Transport
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
    def module_top(self) -> Top:
        """The modules that fit: finned with air cooling, flat with a cold plate (OSFP only)."""
        if self.form_factor != "osfp":
            return "any"
        return "finned" if self.cooling == "air" else "flat"

    @property
    def capacity_gbps(self) -> int:
        """The total of all cages at their fastest, in one direction."""
        return self.cages * max(mode.count * mode.speed_gbps for mode in self.breakouts)

    def breakout(self, name: str) -> Breakout | None:
        """Return a breakout by its name, like `2x400G`; None where the switch has none."""
        return next((mode for mode in self.breakouts if mode.name == name), None)

    def breakouts_of(self, cage: int) -> tuple[Breakout, ...]:
        """Return the breakouts of one cage, counted from 1."""
        for limit in self.cage_limits:
            if limit.first <= cage <= limit.last:
                return tuple(mode for mode in self.breakouts if mode.name in limit.breakouts)
        return self.breakouts

    def splits(self, cage: int, breakout: str) -> bool:
        """Return whether one cage, counted from 1, supports a breakout, by name."""
        for limit in self.cage_limits:
            if limit.first <= cage <= limit.last:
                return breakout in limit.breakouts
        return self.breakout(breakout) is not None

    @cached_property
    def cages_by_breakout(self) -> dict[str, list[int]]:
        """The cages that support each breakout, by its name, in order."""
        return {
            mode.name: [cage for cage in range(1, self.cages + 1) if self.splits(cage, mode.name)]
            for mode in self.breakouts
        }

    def nos_name(self, name: str) -> str:
        """Return the name that `interfaces` has for a NOS; an unknown name is unchanged."""
        return name if name in self.interfaces else self.nos_aliases.get(name, name)

    def interface(self, nos: str, cage: int, sub: int, breakout: Breakout) -> str:
        """Return the name of a port in a NOS; cage from 1, sub from 0.

        Raises KeyError for a NOS that the model does not run.
        """
        names = self.interfaces[nos]
        return (names.whole if breakout.count == 1 else names.split).format_map(
            self._position(cage, sub, breakout)
        )

    def alias(self, nos: str, cage: int, sub: int, breakout: Breakout) -> str | None:
        """Return the front panel name of a port, where the NOS has such a second name."""
        names = self.interfaces[nos]
        pattern = names.alias_whole if breakout.count == 1 else names.alias_split
        return pattern and pattern.format_map(self._position(cage, sub, breakout))

    def _position(self, cage: int, sub: int, breakout: Breakout) -> dict[str, int | str]:
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


def _contradictions(switch: Switch) -> "Iterator[str]":
    """Yield the contradictions between facts of one file."""
    names = {mode.name for mode in switch.breakouts}
    if len(names) != len(switch.breakouts):
        yield "breakouts: two of them have the same name"
    for mode in switch.breakouts:
        lanes = mode.count * mode.lanes
        if lanes > switch.lanes_per_cage:
            yield f"breakouts: {mode.name} takes {lanes} of {switch.lanes_per_cage} lanes of a cage"
    for limit in switch.cage_limits:
        exists = 1 <= limit.first <= limit.last <= switch.cages
        if not exists or not names.issuperset(limit.breakouts):
            yield (
                f"cage_limits: {limit.first} to {limit.last} "
                "names cages or breakouts that the switch does not have"
            )
    if switch.faceplate and switch.faceplate.rows > max(switch.cages, 1):
        yield f"faceplate: {switch.faceplate.rows} rows for {switch.cages} cages"
    if switch.default_nos not in switch.interfaces:
        yield f"default_nos: {switch.default_nos} has no entry under interfaces"
    yield from _contradictions_of_nos(switch, names)


def _contradictions_of_nos(switch: Switch, breakouts: set[str]) -> "Iterator[str]":
    """Find facts of a NOS that do not belong to the switch."""
    for alias, nos in switch.nos_aliases.items():
        if nos not in switch.interfaces:
            yield f"nos_aliases.{alias}: {nos} has no entry under interfaces"
        if alias in switch.interfaces:
            yield f"nos_aliases.{alias}: {alias} has an entry of its own under interfaces"
    for nos, facts in switch.nos.items():
        if nos not in switch.interfaces:
            yield f"nos.{nos}: {nos} has no entry under interfaces"
        for name, fact in facts.items():
            if isinstance(fact, dict) and (unknown := sorted(fact.keys() - breakouts)):
                yield f"nos.{nos}.{name}: {unknown[0]} is not a breakout of the switch"
            sizes = {len(cage) for cage in fact.per_lane} if isinstance(fact, LaneFact) else set()
            if isinstance(fact, LaneFact) and (
                len(fact.per_lane) != switch.cages or sizes != {switch.lanes_per_cage}
            ):
                yield (
                    f"nos.{nos}.{name}: {switch.cages} cages of {switch.lanes_per_cage} lanes were "
                    "expected"
                )

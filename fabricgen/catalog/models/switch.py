"""What a catalog file may say of a switch, and what it calls its ports."""

from typing import TYPE_CHECKING, Literal, Self

from pydantic import model_validator

from fabricgen.catalog.models.base import (
    Amount,
    Count,
    Facts,
    FormFactor,
    Index,
    LaneTable,
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
    sonic: str | None = None  # the mode of platform.json, verbatim with its brackets


class Interfaces(Facts):
    """How one NOS names the ports of a switch: patterns for str.format over where the port sits.

    `cage` counts from 1 and `cage0` from 0; `sub` from 0, `sub1` from 1 and `letter` from a, within
    the cage; `lane` is the port's first lane counted over the whole box from 0, `lane1` within the
    cage from 1.
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


class FaceplateFacts(Facts):
    """Where the cages of a switch sit on its front: so many rows, numbered from the top left, down each column or along each row."""

    rows: Count
    order: Literal["column", "row"] = "column"


class SonicPlatform(Facts):
    """What SONiC calls this switch, and the serdes lanes behind each front cage."""

    platform: str
    hwsku: str | None = None
    hwsku_split: str | None = (
        None  # the breakout of every cage that this SKU stands for; another split has another SKU
    )
    lanes: LaneTable = ()
    mixed_modes: tuple[
        str, ...
    ] = ()  # modes of platform.json that split one cage unevenly; no breakout here plans them
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
    faceplate: FaceplateFacts | None = None
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

    def splits(self, cage: int, breakout: str) -> bool:
        """Return whether one cage, counted from 1, offers a breakout, by name."""
        for limit in self.cage_limits:
            if limit.first <= cage <= limit.last:
                return breakout in limit.breakouts
        return self.breakout(breakout) is not None

    def interface(self, nos: str, cage: int, sub: int, breakout: Breakout) -> str:
        """Name a port as its NOS does; cage from 1, sub from 0. Raises KeyError for a NOS that the model does not run."""
        names = self.interfaces[nos]
        return (names.whole if breakout.count == 1 else names.split).format_map(
            self._seat(cage, sub, breakout)
        )

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


def _doubts(switch: Switch) -> "Iterator[str]":
    """Find facts of one file that contradict each other."""
    names = {mode.name for mode in switch.breakouts}
    if len(names) != len(switch.breakouts):
        yield "breakouts: two of them have one name"
    for mode in switch.breakouts:
        if mode.count * mode.lanes > switch.lanes_per_cage:
            yield f"breakouts: {mode.name} takes {mode.count * mode.lanes} of the {switch.lanes_per_cage} lanes of a cage"
    for limit in switch.cage_limits:
        if not 1 <= limit.first <= limit.last <= switch.cages or not names.issuperset(
            limit.breakouts
        ):
            yield f"cage_limits: {limit.first} to {limit.last} names cages or breakouts that the switch does not have"
    if switch.faceplate and switch.faceplate.rows > max(switch.cages, 1):
        yield f"faceplate: {switch.faceplate.rows} rows for {switch.cages} cages"
    if switch.default_nos not in switch.interfaces:
        yield f"default_nos: {switch.default_nos} has no entry under interfaces"
    if switch.sonic and switch.sonic.hwsku and switch.sonic.hwsku_split not in names:
        yield "sonic.hwsku_split: a SKU stands for one of the breakouts, and this is none of them"
    lanes = switch.sonic.lanes if switch.sonic else ()
    if lanes and (
        len(lanes) != switch.cages or {len(cage) for cage in lanes} != {switch.lanes_per_cage}
    ):
        yield f"sonic.lanes: {switch.cages} cages of {switch.lanes_per_cage} lanes were expected"

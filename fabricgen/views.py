"""What templates see: the shapes of finished, sorted, named values.

A view holds every decision as text or number, so that a template only loops, tests and joins. Views are slotted dataclasses, because a
million-GPU fabric renders four million ports and attribute access on slots is what Jinja does fastest. Every public attribute may be used in a template.
`viewing` makes the views of a fabric, `tabulating` those of its bill.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from itertools import chain, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.diagnostics import refuse, suggest
from fabricgen.labelling import Labelling

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabricgen.labelling import Label
    from fabricgen.parts import SonicPlatform
    from fabricgen.spec import Roce


@dataclass(slots=True)
class CableView:
    """One cable: the lower end is `a`, the upper end `b`. Racks, units and lengths are empty where the inventory wants none."""

    cable: str
    """The cable's name, which stays with it when the fabric grows; it is on both labels."""
    rail: str
    """Rail, from 0; empty where the link carries several."""
    plane: int
    """Plane of the link, from 0."""
    tier: int
    """Tier of the upper end: 1 leaf, 2 spine, 3 core."""
    a_device: str
    """Host or switch at the lower end."""
    a_interface: str
    """What the system of that device calls the port."""
    a_port: str
    """What is printed beside the port: the chassis's own label, or cage/position."""
    b_device: str
    """Switch at the upper end."""
    b_interface: str
    """What the system of that device calls the port."""
    b_port: str
    """What is printed beside the port: cage/position."""
    speed: str
    """Speed of a link of the cable."""
    a_rack: str
    """Rack of the lower end."""
    a_unit: str
    """Lowest rack unit of that device, from 1."""
    b_rack: str
    """Rack of the upper end."""
    b_unit: str
    """Lowest rack unit of that device, from 1."""
    length_m: str
    """Length to buy, in metres: a stock length."""
    medium: str
    """What the cable is made of: mmf and smf are fibres."""
    part: str
    """Part of the cable, as the bill names it."""
    a_transceiver: str
    """Module at the lower end, as the bill names it."""
    b_transceiver: str
    """Module at the upper end, as the bill names it."""
    piece: str
    """Where one piece of cable, a splitter or twin copper, has several rows: the cage that it fills at one end; the same in each of those rows."""
    connector: int
    """Which connector of its modules the cable takes, from 1, where a link takes several cables; else 0."""


CABLE_COLUMNS = tuple(column.name for column in fields(CableView))


class Join(NamedTuple):
    """A column that is looked up: the text for the value of the column `key`, or `otherwise`."""

    key: str
    texts: Mapping[Any, str]
    otherwise: str = ""


@dataclass(frozen=True, slots=True)
class CableSheet:
    """What a sheet of cables shows: its columns, where those that are no attributes of a cable come from, its rows, and how labels are written."""

    columns: tuple[str, ...] = CABLE_COLUMNS[:-1]
    joins: Mapping[str, Join] = field(default_factory=dict)
    both_ways: bool = False
    """Whether each cable has a second row, from its other end."""
    labelling: Labelling = field(default_factory=Labelling)

    @property
    def rows(self) -> int:
        """Rows of a cable."""
        return 2 if self.both_ways else 1


@dataclass(slots=True)
class Chunk:
    """A run of cables. A table that is too long for memory is rendered chunk by chunk; `first` and `last` mark the ends."""

    fabric: str
    rows: list[CableView]
    first: bool
    last: bool
    sheet: CableSheet = CableSheet()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that were asked for."""
        return self.sheet.columns

    def table(self) -> Iterator[tuple[str | int, ...]]:
        """Read the columns that were asked for; with `both_ways`, each cable a second time with its ends exchanged."""
        if not self.sheet.both_ways:
            return self.select(self.columns)
        turned = [opposite(column) for column in self.columns]
        return chain.from_iterable(zip(self._cells(self.columns, "a-b"), self._cells(turned, "b-a"), strict=True))

    def labels(self) -> Iterator[Label]:
        """Write the labels, two for each cable."""
        return self.sheet.labelling.labels(self.rows)

    def label_lines(self) -> str:
        """Write the same labels as finished lines of a CSV: end, cable_id, line1, line2, qr, rail, colour."""
        return self.sheet.labelling.lines(self.rows)

    def select(self, columns: Sequence[str]) -> Iterator[tuple[str | int, ...]]:
        """Read these columns of every row at once, which is four times as fast as naming each in a template. Raises Refusal `bad-template`."""
        for column in columns:
            if column not in CABLE_COLUMNS and column not in self.sheet.joins and column != DIRECTION:
                known = [*CABLE_COLUMNS, DIRECTION, *self.sheet.joins]
                raise refuse("bad-template", f"a cable has no column `{column}`", hint=suggest(column, known, f"columns: {', '.join(known)}"))
        return self._cells(columns, "a-b")

    def _cells(self, columns: Sequence[str], direction: str) -> Iterator[tuple[str | int, ...]]:
        """Read columns that there are; `direction` is the text of that column."""
        if len(columns) > 1 and all(column in CABLE_COLUMNS for column in columns):
            return map(attrgetter(*columns), self.rows)
        return zip(*(self._column(column, direction) for column in columns), strict=True)

    def _column(self, column: str, direction: str) -> Iterator[str | int]:
        """Read one column."""
        if column in CABLE_COLUMNS:
            return map(attrgetter(column), self.rows)
        if column == DIRECTION:
            return repeat(direction, len(self.rows))
        key, texts, otherwise = self.sheet.joins[column]
        return (texts.get(value, otherwise) for value in map(attrgetter(key), self.rows))


DIRECTION = "direction"
"""The column that tells the two rows of a cable apart."""


def opposite(column: str) -> str:
    """Name the same column of the other end.

    >>> opposite("a_rack"), opposite("b_rack"), opposite("rail")
    ('b_rack', 'a_rack', 'rail')
    """
    return {"a_": "b_", "b_": "a_"}.get(column[:2], column[:2]) + column[2:]


@dataclass(slots=True)
class PortView:
    """One port in use on a switch."""

    interface: str
    alias: str
    cage: int
    subport: int
    """Position in the cage from 1; 0 where the cage is not split."""
    lanes: str
    """Lanes of the port, joined by commas; empty where the platform's lanes are not known."""
    speed: str
    speed_mbps: int
    breakout: str
    peer_device: str
    peer_interface: str
    cable: str
    """Label of the cable; where the link takes several, what their labels have in common."""
    address: str
    """The port's own address with its prefix length; empty where the link is unnumbered."""
    to_host: bool
    vrf: str
    """The VRF of the port's rail; empty where the box serves one rail only."""
    rail: str
    length_m: int = 0
    """Length of the cable in whole metres, rounded up; 0 where nobody described the room, for a switch must not reckon with a guess."""
    lane_count: int = 0
    """Serdes lanes of the port."""
    peer_asn: int = 0
    """AS number of the switch at the far end, or of all unnumbered hosts; 0 for a numbered host, which speaks no BGP."""


@dataclass(slots=True)
class IdlePort:
    """One port without a cable."""

    interface: str
    alias: str
    cage: int
    subport: int
    lanes: str
    speed: str
    speed_mbps: int


@dataclass(slots=True)
class CageView:
    """One cage and its split; `interface` is its first port, `whole` what the NOS calls the unsplit cage."""

    cage: int
    interface: str
    whole: str
    breakout: str
    count: int
    sonic_mode: str
    split: bool
    speed: str
    """Of each of its ports."""
    lane_count: int = 0
    """Serdes lanes of each of its ports."""


@dataclass(slots=True)
class Instance:
    """One routing instance of a switch: the default one, or the VRF of one rail on a shared box."""

    vrf: str
    """Empty for the default instance."""
    table: int
    """Linux routing table of the VRF; 0 for the default instance."""
    rail: str
    asn: int
    router_id: str
    loopback: str
    """The loopback address, without a length: it is a /32."""
    host_prefix: str
    """The slice of the host pool that belongs to this rail and plane, and the only one that may be announced here."""
    loopback_prefix: str
    host_prefix_length: int
    """Length of the prefixes that hosts bring in: 31 where links are numbered, else 32."""
    host_ports: list[PortView]
    fabric_ports: list[PortView]
    """Ports towards other switches; BGP is unnumbered on them."""
    ecmp_paths: int
    fabric_asns: list[int] = field(default_factory=list)
    """AS numbers at the far ends of the fabric ports, each once."""
    host_asn: int = 0
    """AS number of the hosts; 0 where none on this instance speaks BGP."""


@dataclass(slots=True)
class SwitchView:
    """One switch and everything that its configuration says."""

    name: str
    fabric: str
    role: str
    tier: int
    model: str
    nos: str
    rail: str
    plane: int
    asn: int
    mtu: int
    bfd: bool
    hosts_numbered: bool
    roce: Roce
    platform: SonicPlatform | None
    hwsku: str
    """SONiC's SKU of this platform; empty where the known one stands for another split of the cages."""
    ports: list[PortView]
    """Ports in use, in the order of the front panel."""
    idle_ports: list[IdlePort]
    """Ports without a cable, in the order of the front panel."""
    cages: list[CageView]
    instances: list[Instance]
    """The default instance alone, or one for each rail of a shared box."""
    vrfs: list[Instance] = field(default_factory=list)
    """The instances that are VRFs; empty on a box that serves one rail."""
    nos_version: str = ""
    """Version of the NOS that the inventory names; empty for the newest."""
    adaptive_routing: bool = False
    """Whether the box can spread packets over equal paths by their load."""

    def older_than(self, version: str) -> bool:
        """Say whether the inventory asks for a NOS before this version; one of which it names no version is the newest."""
        return bool(self.nos_version) and _numbers(self.nos_version) < _numbers(version)


def _numbers(version: str) -> list[int]:
    """Read a version as numbers, which compare as versions do.

    >>> _numbers("5.9") < _numbers("5.10")
    True
    """
    return [int(number) for number in version.split(".")]


@dataclass(slots=True)
class PartView:
    """One row of the bill of materials; what nobody knows is empty, never 0."""

    row: str
    """What the row is: part, subtotal of a class, or total."""
    part_class: str
    part: str
    part_number: str
    description: str
    purpose: str
    """What it is for: a count for each place, like `leaf 64, spine 32`."""
    quantity: str
    spares: str
    unit_price: str
    price_book: str
    """The book of the unit price, or `inventory` where the inventory gives it."""
    price_date: str
    currency: str
    total: str
    """Price of the quantity and its spares."""
    power_w: str
    """Typical power of the quantity; spares lie on a shelf."""
    pack: str = ""
    """How many are sold together; quantity and spares make whole packs."""
    list_price: str = ""
    """The price of the book, in its own currency, before any discount."""
    list_currency: str = ""
    discount_pct: str = ""
    power_max_w: str = ""
    """The most power that the quantity may take."""


@dataclass(slots=True)
class BomView:
    """The bill of materials. A sum names in its description what it misses."""

    fabric: str
    design: str
    currency: str
    price_book: str
    parts: list[PartView]
    sums: list[PartView]
    """A row for each class of parts, and the total."""
    unpriced: list[PartView]
    """The parts without a price, which no sum contains."""
    link_ends: str
    """Transceivers counted one per link end, as the rail-only paper counts."""
    modules: str
    """Transceivers as they are sold and counted in `parts`: a twin-port module serves two links."""
    terms: list[str] = field(default_factory=list)
    """Discount, exchange and spares, in a sentence each."""

    @property
    def rows(self) -> list[PartView]:
        """The parts, then the sums."""
        return [*self.parts, *self.sums]


@dataclass(slots=True)
class FigureView:
    """One figure of the compared designs."""

    figure: str
    unit: str
    values: list[str]
    """In the order of `ComparisonView.designs`; empty where the figure is not known, and then `note` says why."""
    saving_pct: str
    """What rail-only saves against the fat-tree."""
    note: str
    missing: str = ""
    """Of `note`, what the figures of the designs that can be built miss."""


@dataclass(slots=True)
class ComparisonView:
    """The same cluster in each design."""

    fabric: str
    designs: list[str]
    figures: list[FigureView]

"""What templates see: the shapes of finished, sorted, named values.

A view holds every decision as text or number, so that a template only loops, tests and joins. Views are slotted dataclasses, because a
million-GPU fabric renders four million ports and attribute access on slots is what Jinja does fastest. Every public attribute may be used in a template.
`viewing` makes the views of a fabric, `tabulating` those of its bill.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING

from fabricgen.diagnostics import refuse, suggest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.parts import SonicPlatform
    from fabricgen.spec import Roce


@dataclass(slots=True)
class CableView:
    """One cable: the lower end is `a`, the upper end `b`. Racks, units and lengths are empty where the inventory wants none."""

    cable: str
    rail: str
    """Rail, from 0; empty where the link carries several."""
    plane: int
    tier: int
    """Tier of the upper end: 1 leaf, 2 spine, 3 core."""
    a_device: str
    a_interface: str
    a_port: str
    """What is printed beside the port: the chassis's own label, or cage/position."""
    b_device: str
    b_interface: str
    b_port: str
    speed: str
    a_rack: str
    a_unit: str
    b_rack: str
    b_unit: str
    length_m: str
    medium: str
    part: str
    a_transceiver: str
    b_transceiver: str
    connector: int
    """Which connector of its modules the cable takes, from 1, where a link takes several cables; else 0."""


@dataclass(slots=True)
class Chunk:
    """A run of cables. A table that is too long for memory is rendered chunk by chunk; `first` and `last` mark the ends."""

    fabric: str
    rows: list[CableView]
    first: bool
    last: bool

    def select(self, columns: Sequence[str]) -> Iterator[tuple[str | int, ...]]:
        """Read these columns of every row at once, which is four times as fast as naming each in a template. Raises Refusal `bad-template`."""
        for column in columns:
            if column not in _CABLE_COLUMNS:
                hint = suggest(column, _CABLE_COLUMNS, f"columns: {', '.join(_CABLE_COLUMNS)}")
                raise refuse("bad-template", f"a cable has no column `{column}`", hint=hint)
        if len(columns) == 1:
            return ((getattr(row, columns[0]),) for row in self.rows)
        return map(attrgetter(*columns), self.rows)


_CABLE_COLUMNS = tuple(column.name for column in fields(CableView))


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


@dataclass(slots=True)
class ComparisonView:
    """The same cluster in each design."""

    fabric: str
    designs: list[str]
    figures: list[FigureView]

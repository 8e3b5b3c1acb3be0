"""What the templates of installation sheets see: pull sheets and lists of hosts.

Texts are ready to print. An unknown figure is a text that states it, never 0. `pull_sheets`,
`progress` and `host_lists` make these, and `picture_view` is what pictures see.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.core.template_api import for_templates

if TYPE_CHECKING:
    from fabricgen.outputs.installation.chips import Chip


@dataclass(slots=True, kw_only=True)
class PlugView:
    """One row of the cable list: both ends, and the plug order of its cage on each switch.

    A host has no plug order.
    """

    cable: str
    inside: str
    """The row whose cable it shares, where a cable carries several links; else empty."""
    chip: Chip
    a_device: str
    a_unit: str
    a_port: str
    a_turn: str
    b_device: str
    b_unit: str
    b_port: str
    b_turn: str


@dataclass(slots=True, kw_only=True)
class BundleView:
    """One bundle; `together` lists the others of its step."""

    name: str
    step: int
    together: list[str]
    a_rack: str
    b_rack: str
    chip: Chip
    serves: str
    """`several rails`, or the networks beside the compute fabric that its cables belong to."""
    plane: str
    """Empty where its cables are of several planes; the same with the tier."""
    tier: str
    part: str
    medium: str
    length_m: str
    cables: int
    metres: str
    labels: list[str]
    """Runs of labels, first and last joined by `..`, of neighbours in the list of cables."""
    weight_kg: str
    """Empty where the weight of a metre is unknown."""
    plugs: list[PlugView]
    day: int
    """The day, from 1, on which its last cable is plugged."""


@dataclass(slots=True, kw_only=True)
class DayView:
    """The bundles of one day of work, and the cables that are plugged when it ends."""

    day: int
    bundles: list[BundleView]
    cables: int
    total: int


@dataclass(slots=True)
class StretchView:
    """One segment of tray."""

    name: str
    cables: int
    section_mm2: str
    kg_per_m: str
    fill_percent: str
    note: str
    """A note that it is too full, or how many of its cables have unknown figures; may be empty."""
    full: bool


@dataclass(slots=True, kw_only=True)
class PairView:
    """Bundles that follow each other from one rack to another, or inside one."""

    a_rack: str
    b_rack: str
    inside: bool
    first_step: int
    last_step: int
    way: str
    cables: int
    bundle_count: int
    weight_kg: str
    fullest: StretchView | None
    """The fullest segment on its route, where the route has any."""
    bundles: list[BundleView]


@dataclass(slots=True, kw_only=True)
class SheetView:
    """The pull sheet of a rack: every cable whose upper end is in it."""

    fabric: str
    rack: str
    generated: bool
    cables: int
    bundle_count: int
    first_step: int
    last_step: int
    pairs: list[PairView]
    switches: list[str]
    """The switches of the rack that cables of this sheet go into."""
    assumed: str
    """The models of switches whose cages have no known positions, as text; may be empty."""

    @property
    @for_templates
    def from_racks(self) -> list[str]:
        """The racks of the lower ends, each once, in the order of the steps."""
        return list(dict.fromkeys(pair.a_rack for pair in self.pairs))


@dataclass(slots=True, kw_only=True)
class PullingView:
    """Everything that is pulled."""

    fabric: str
    generated: bool
    cables: int
    bundle_count: int
    steps: int
    assumed: str
    """The models of switches whose cages have no known positions, as text; may be empty."""
    most: int
    """Maximum cables of a bundle of fibres."""
    most_copper: int
    """Maximum cables of a bundle of copper."""
    sheets: list[SheetView]
    bundles: list[BundleView]
    """In the order of installation."""
    stretches: list[StretchView]
    tray: str
    """The known facts of a tray's section, and its recommended fill."""
    racks: list[str]
    host_racks: list[str]
    """The racks that have a list of their hosts."""
    days: list[DayView]
    cables_per_day: int
    """Cables that are planned for a day: `site.cables_per_day`."""


@dataclass(slots=True, kw_only=True)
class HostPortView:
    """One cable at a port of a host; `port` is printed beside it, `interface` is its name."""

    port: str
    interface: str
    cable: str
    chip: Chip
    part: str
    length_m: str
    b_device: str
    b_port: str
    b_rack: str
    b_unit: str


@dataclass(slots=True, kw_only=True)
class HostListView:
    """The cables of one host, in the order of its ports."""

    host: str
    place: str
    """The unit of its rack that it begins at; a PDU may be mounted beside the units."""
    ports: list[HostPortView]


@dataclass(slots=True, kw_only=True)
class HostRackView:
    """The hosts of a rack from the top down, with the cables of each."""

    fabric: str
    rack: str
    generated: bool
    hosts: list[HostListView]

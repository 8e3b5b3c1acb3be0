"""What the templates of the machine room see: pull sheets, rack elevations and port maps, finished.

Texts are ready to print, and so are the places of what is drawn, in the units of its picture. What
nobody knows says so; it is never 0. `pullsheets` and `elevations` make these.
"""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.core.colours import HUES, colour


@dataclass(slots=True)
class Chip:
    """A rail in its colour: its number, what the colour is called, its fill and the colour of a text on it. What serves several rails is pale."""

    rail: str
    colour: str
    fill: str
    text: str


SEVERAL = Chip("", "", "#ECEFF1", "#000000")
"""What bears no rail's colour."""


def chip(rail: str) -> Chip:
    """Return the colour of a rail; of none where a cable or a box serves several.

    >>> chip("13").colour, chip("").colour
    ('orange, 1 ring', '')
    """
    if not rail:
        return SEVERAL
    hue = HUES[int(rail) % len(HUES)]
    return Chip(rail, colour(int(rail)), hue.fill, hue.text)


@dataclass(slots=True)
class PlugView:
    """One row of the cable list: both ends, and the turn of its cage on the front of each switch; a host's has none."""

    cable: str
    inside: str
    """The row that it shares a cable with, where a cable carries several links and this is not the first; else empty."""
    a_device: str
    a_unit: str
    a_port: str
    a_turn: str
    b_device: str
    b_unit: str
    b_port: str
    b_turn: str


@dataclass(slots=True)
class BundleView:
    """One bundle; `together` names the others of its step."""

    name: str
    step: int
    together: list[str]
    a_rack: str
    b_rack: str
    chip: Chip
    plane: int
    tier: int
    part: str
    medium: str
    length_m: str
    cables: int
    metres: str
    labels: list[str]
    """Runs of labels, the first and the last joined by `..`; between them lie those that stand between them in the list of cables."""
    weight_kg: str
    """Empty where nobody knows what a metre weighs."""
    plugs: list[PlugView]


@dataclass(slots=True)
class StretchView:
    """One stretch of tray."""

    name: str
    cables: int
    section_mm2: str
    kg_per_m: str
    fill_percent: str
    note: str
    """That it is too full, or of how many of its cables a figure is not; what is known of none is empty."""
    full: bool


@dataclass(slots=True)
class PairView:
    """The bundles from one rack to another, or inside one."""

    a_rack: str
    b_rack: str
    inside: bool
    way: str
    cables: int
    bundle_count: int
    weight_kg: str
    fullest: StretchView | None
    """The fullest stretch of its way, where the way has any."""
    bundles: list[BundleView]


@dataclass(slots=True)
class SheetView:
    """The pull sheet of a rack: everything that ends there with its upper end."""

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


@dataclass(slots=True)
class PullingView:
    """Everything that is pulled."""

    fabric: str
    generated: bool
    cables: int
    bundle_count: int
    steps: int
    most: int
    """Cables that a bundle holds at most."""
    sheets: list[SheetView]
    bundles: list[BundleView]
    """In the order in which they are installed."""
    stretches: list[StretchView]
    tray: str
    """What is known of a tray's section, and how full it should become."""
    racks: list[str]


@dataclass(slots=True)
class Line:
    """A text at a height."""

    y: int
    text: str


@dataclass(slots=True)
class DeviceView:
    """One device in a rack."""

    name: str
    what: str
    units: str
    y: int
    height: int
    middle: int
    chip: Chip
    installed: bool
    """False for one that is planned, and not there yet."""
    cables: str
    switch: bool


@dataclass(slots=True)
class RackView:
    """The elevation of a rack."""

    fabric: str
    name: str
    place: str
    height: int
    body: int
    """Height of the rack's own frame."""
    units: list[Line]
    devices: list[DeviceView]
    foot: int
    lines: list[Line]
    """Where cables go, below the rack."""


@dataclass(slots=True)
class PortBox:
    """One connector of a cage, with its cable or without."""

    y: int
    chip: Chip
    cable: str
    peer: str
    title: str
    """The whole of it, which may be too long for the box."""


@dataclass(slots=True)
class CageBox:
    """One cage."""

    cage: int
    x: int
    y: int
    turn: str
    """Its turn among the cages of the switch; empty where no cable goes into it."""
    ports: list[PortBox]


@dataclass(slots=True)
class PortMapView:
    """The front of a switch."""

    fabric: str
    name: str
    role: str
    model: str
    place: str
    chip: Chip
    width: int
    height: int
    cage_height: int
    slot: int
    """Height of a connector in a cage."""
    assumed: bool
    """Whether the catalog does not know where the cages sit."""
    cages: list[CageBox]

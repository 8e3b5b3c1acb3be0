"""What the templates of pictures see: rack elevations and port maps.

Texts are ready to print, and places are in the units of the picture. `elevations` and `port_maps`
make these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabricgen.outputs.installation.chips import Chip


@dataclass(slots=True)
class TextLine:
    """A text at a height."""

    y: int
    text: str


@dataclass(slots=True, kw_only=True)
class RackedDeviceView:
    """One device in a rack."""

    name: str
    what: str
    units: str
    y: int
    height: int
    middle: int
    chip: Chip
    installed: bool
    """False for a device that is planned and not installed."""
    cables: str
    switch: bool


@dataclass(slots=True)
class ReservedView:
    """Rack units that are reserved, and for what."""

    y: int
    height: int
    middle: int
    use: str


@dataclass(slots=True, kw_only=True)
class ElevationView:
    """The elevation of a rack."""

    fabric: str
    name: str
    place: str
    height: int
    body: int
    """Height of the rack's own frame."""
    units: list[TextLine]
    devices: list[RackedDeviceView]
    reserved: list[ReservedView]
    headings: list[TextLine]
    """The headings of `lines`."""
    lines: list[TextLine]
    """PDUs beside the rack units, and destinations of cables, below the rack."""


@dataclass(slots=True)
class PortBox:
    """One connector of a cage, with its cable or without."""

    y: int
    chip: Chip
    cable: str
    peer: str
    title: str
    """The whole text, which may be too long for the box."""


@dataclass(slots=True)
class CageBox:
    """One cage."""

    cage: int
    x: int
    y: int
    turn: str
    """Its plug order; empty where no cable goes into it."""
    ports: list[PortBox]


@dataclass(slots=True)
class PortRow:
    """One port of a list, with its cable and the far end."""

    x: int
    y: int
    port: str
    chip: Chip
    cable: str
    peer: str
    length: str
    title: str
    """The whole text, which may be too long for the row."""
    peer_x: int
    """Where the far end begins, right of the longest label of the list."""
    length_x: int
    """Where the length ends."""
    width: int


@dataclass(slots=True, kw_only=True)
class PortMapView:
    """The ports of a switch: `cages` of a drawing of its front, or `rows` of a list."""

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
    reason: str
    """Why it is a list and no drawing; empty for a drawing."""
    connectors: str
    """Which connector of its modules is 1, or that this is unknown; empty without such modules."""
    cages: list[CageBox]
    rows: list[PortRow]

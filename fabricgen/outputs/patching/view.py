"""What templates see of structured cabling: rows of its tables, and the map of a panel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fabricgen.views.cables.labels import Label


class TrunkRow(NamedTuple):
    """A trunk: what it is, where both ends are, and how many of its connectors links use.

    `splices` are those of all of its fibres.
    """

    trunk: str
    part: str
    fibres: int
    polarity: str
    plugs: str
    medium: str
    length_m: str
    a_rack: str
    a_unit: int
    a_panel: str
    a_ports: str
    b_rack: str
    b_unit: int
    b_panel: str
    b_ports: str
    used: int
    spare: int
    splices: int


class PanelPortRow(NamedTuple):
    """A port of a panel: the jumper in front, the trunk behind, and the port at its far end.

    Empty where none is plugged in.
    """

    panel: str
    rack: str
    unit: int
    port: int
    connector: str
    jumper: str
    device: str
    device_port: str
    trunk: str
    trunk_end: str
    trunk_connector: str
    fibres: str
    far_panel: str
    far_port: str


class ChannelRow(NamedTuple):
    """A link that runs through panels, from its lower end to its upper one.

    `fibres` are those of the trunk's connector that it uses. `lanes` prove the polarity: each fibre
    that a module sends on, and the one on which the far module receives it, both ways alike.
    """

    link: str
    a_device: str
    a_port: str
    a_jumper: str
    a_jumper_m: str
    a_panel: str
    a_panel_port: int
    trunk: str
    trunk_connector: int
    fibres: str
    b_panel: str
    b_panel_port: int
    b_jumper: str
    b_jumper_m: str
    b_device: str
    b_port: str
    length_m: str
    loss_db: str
    budget_db: str
    margin_db: str
    lanes: str


class RouteRow(NamedTuple):
    """The trunks between two racks."""

    a_rack: str
    b_rack: str
    trunks: int
    fibres: int
    connectors: int
    used: int
    spare: int
    length_m: str


class TrayRow(NamedTuple):
    """The trunks in a segment of tray."""

    stretch: str
    trunks: int
    fibres: int


class LossRow(NamedTuple):
    """A figure that the loss of channels is made of, with its source in the catalog.

    `verified` is `no` where no source confirms it.
    """

    links: str
    figure: str
    part: str
    decibels: str
    verified: str
    source: str


@dataclass(slots=True, kw_only=True)
class PatchingView:
    """The structured cabling of a fabric as tables."""

    fabric: str
    trunks: list[TrunkRow]
    ports: list[PanelPortRow]
    channels: list[ChannelRow]
    routes: list[RouteRow]
    trays: list[TrayRow]
    losses: list[LossRow]
    labels: list[Label]
    """The labels of panels, each followed by those of its cassettes."""


class PortCell(NamedTuple):
    """A port in the map of a panel, with the lines of its text; `used` where one is plugged."""

    x: int
    y: int
    port: str
    top: str
    middle: str
    bottom: str
    title: str
    used: bool


class RowText(NamedTuple):
    """The cassettes of a row of ports, left of it."""

    y: int
    text: str


@dataclass(slots=True, kw_only=True)
class PanelView:
    """The front and the rear of a panel; at the rear the first port is on the right."""

    fabric: str
    name: str
    part: str
    place: str
    width: int
    height: int
    rear: int
    """Where the drawing of the rear begins."""
    front_ports: list[PortCell]
    rear_ports: list[PortCell]
    cassettes: list[RowText]

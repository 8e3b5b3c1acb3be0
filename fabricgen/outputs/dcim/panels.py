"""Patch panels and trunks as a data-centre database holds them.

A panel is a device whose front ports are mapped to positions of its rear ports, so that a trace
from an interface runs through both panels of a channel to the far interface. A connector of a trunk
is a cable between two rear ports; the connectors of a trunk are a bundle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.outputs.dcim.view import (
    EndView,
    FrontPortView,
    PieceView,
    RearPortView,
    TrunkBundleView,
)
from fabricgen.planning.cabling.stock_lengths import metres

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.models.patch import Connector, PatchPanel
    from fabricgen.planning.channels.channels import Channels
    from fabricgen.planning.channels.panels import Panel
    from fabricgen.planning.channels.trunks import TrunkRun
    from fabricgen.planning.plan import Plan

ROLE = "patch-panel"
"""The role of a panel."""

PORT_TYPES = frozenset({"mpo", "lc", "cs", "sn", "mdc"})
"""Port types of NetBox (PortTypeChoices) for the connectors of catalogs, without fibres."""

PROFILES = frozenset({1, 2, 4, 6, 8, 12, 16})
"""The positions that cables of one connector have in NetBox 4.5 (CableProfileChoices)."""


class PanelTables:
    """The panels of a plan and its networks, their ports, and the trunks between them."""

    def __init__(self, plan: Plan) -> None:
        """Keep the channels of all networks."""
        self._site = plan.spec.name
        self._each = [each.channels for each in plan.cluster if each.channels]
        self.panels: list[Panel] = [panel for each in self._each for panel in each.panels]
        self.trunks: list[TrunkRun] = [trunk for each in self._each for trunk in each.trunks]

    def models(self) -> list[PatchPanel]:
        """Return the models of the panels."""
        return list(dict.fromkeys(panel.parts.panel for panel in self.panels))

    @property
    def rear_count(self) -> int:
        """The number of rear ports."""
        return sum(panel.parts.rear_ports for panel in self.panels)

    @property
    def front_count(self) -> int:
        """The number of front ports."""
        return sum(panel.parts.ports for panel in self.panels)

    @property
    def leg_count(self) -> int:
        """The number of connectors at one end of all trunks."""
        return sum(trunk.parts.legs for trunk in self.trunks)

    def _numbered(self) -> Iterator[tuple[Channels, int, Panel]]:
        """Yield each panel with the channels of its network, and its number there."""
        for channels in self._each:
            for number, panel in enumerate(channels.panels):
                yield channels, number, panel

    def rear(self) -> Iterator[RearPortView]:
        """Yield the rear ports, panel by panel."""
        for channels, number, panel in self._numbered():
            for port in range(panel.parts.rear_ports):
                behind = channels.behind.get((number, port))
                text = f"{behind.trunk.name} end {behind.end}" if behind else ""
                kind, positions = _type(panel.parts.rear), panel.parts.cassette.fanout
                yield RearPortView(panel.name, rear_name(port), kind, positions, text)

    def front(self) -> Iterator[FrontPortView]:
        """Yield the front ports, each with the rear port and the position that it is mapped to."""
        for channels, number, panel in self._numbered():
            fanout, kind = panel.parts.cassette.fanout, _type(panel.parts.front)
            for port in range(panel.parts.ports):
                rear, inside = divmod(port, fanout)
                position = _position(channels, number, rear, inside) + 1
                yield FrontPortView(panel.name, str(port + 1), kind, 1, rear_name(rear), position)

    def bundles(self) -> Iterator[TrunkBundleView]:
        """Yield a bundle for each trunk."""
        return (TrunkBundleView(self._bundle(trunk), trunk.item) for trunk in self.trunks)

    def _bundle(self, trunk: TrunkRun) -> str:
        """Name the bundle of a trunk; NetBox has one of a name, whatever its site."""
        return f"{self._site} {trunk.name}"

    def legs(self) -> Iterator[PieceView]:
        """Yield a cable for each connector of each trunk."""
        for channels in self._each:
            for trunk in channels.trunks:
                for leg in range(trunk.parts.legs):
                    yield _leg(channels, trunk, leg, self._bundle(trunk))


def _leg(channels: Channels, trunk: TrunkRun, leg: int, bundle: str) -> PieceView:
    """Return the cable of a connector of a trunk."""
    a, b = (
        EndView(channels.panels[plug.panel].name, rear_name(plug.port + leg), "rearport")
        for plug in trunk.ends
    )
    fanout = trunk.parts.cassette.fanout
    return PieceView(
        label=f"{trunk.name}.{leg + 1}",
        type=trunk.parts.trunk.medium,
        color="",
        length_m=metres(trunk.length_mm),
        part=trunk.item,
        profile=f"single-1c{fanout}p" if fanout in PROFILES else "",
        a=[a],
        b=[b],
        tag="",
        bundle=bundle,
    )


def _position(channels: Channels, panel: int, rear: int, inside: int) -> int:
    """Return the position of a front port at its rear port.

    NetBox keeps positions from one end of a cable to the other. So at end B of a trunk, a port has
    the position of the port at end A that its fibres come from.
    """
    behind = channels.behind.get((panel, rear))
    if behind is None or behind.end == "A":
        return inside
    path, fanout = behind.trunk.parts.path, behind.trunk.parts.cassette.fanout
    return [path.far_port(port) for port in range(fanout)].index(inside)


def rear_name(port: int) -> str:
    """Name a port at the rear of a panel, which counts from 0, as labels do."""
    return f"R{port + 1}"


def _type(connector: Connector) -> str:
    """Return NetBox's type of a port."""
    kind = connector.model.rstrip("0123456789")
    return kind if kind in PORT_TYPES else "other"

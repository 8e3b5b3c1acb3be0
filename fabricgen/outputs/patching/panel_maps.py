"""The maps of panels: ports in front with their jumpers, those at the rear with their trunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.core.text_fit import cut
from fabricgen.outputs.patching.view import PanelView, PortCell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.outputs.patching.build import Patching
    from fabricgen.planning.channels.panels import Panel

COLUMNS, WIDTH, HEIGHT = 12, 104, 40
"""Ports of a row, and the sizes of a port in the drawing."""

MARGIN, HEAD, LETTERS = 20, 96, 15
"""The margin, the height above the first port, and the letters that fit a port."""


@dataclass(frozen=True)
class PanelMaps:
    """The maps of the panels of one fabric."""

    patching: Patching

    @property
    def panels(self) -> dict[str, int]:
        """The panels and their numbers."""
        return {panel.name: at for at, panel in enumerate(self.patching.channels.panels)}

    def panel(self, name: str) -> PanelView:
        """Draw a panel."""
        number = self.panels[name]
        panel = self.patching.channels.panels[number]
        deep = -(-panel.parts.ports // COLUMNS) * HEIGHT
        rear = HEAD + deep + 40
        behind = -(-panel.parts.rear_ports // COLUMNS) * HEIGHT
        return PanelView(
            fabric=self.patching.fabric,
            name=name,
            part=panel.parts.panel.model,
            place=f"{self.patching.room.names[panel.rack]} unit {panel.rack_unit}",
            width=2 * MARGIN + COLUMNS * WIDTH,
            height=rear + behind + MARGIN,
            rear=rear,
            front_ports=[*self._front(number, panel)],
            rear_ports=[*self._rear(number, panel, rear)],
        )

    def _front(self, number: int, panel: Panel) -> Iterator[PortCell]:
        """Yield the ports in front, the first on the left."""
        for port in range(panel.parts.ports):
            jumper, device, far = self.patching.plugged.get((number, port), ("", "", ""))
            row, column = divmod(port, COLUMNS)
            title = f"port {port + 1}: {jumper} to {device} {far}" if jumper else "free"
            yield PortCell(
                MARGIN + column * WIDTH,
                HEAD + row * HEIGHT,
                str(port + 1),
                cut(jumper, LETTERS),
                cut(f"{device} {far}".strip(), LETTERS),
                title,
                bool(jumper),
            )

    def _rear(self, number: int, panel: Panel, top: int) -> Iterator[PortCell]:
        """Yield the ports at the rear, the first on the right, as they are from behind."""
        for port in range(panel.parts.rear_ports):
            behind = self.patching.channels.behind.get((number, port))
            name, end = (behind.trunk.name, behind.end) if behind else ("", "")
            leg = behind.leg + 1 if behind else 0
            row, column = divmod(port, COLUMNS)
            yield PortCell(
                MARGIN + (COLUMNS - 1 - column) * WIDTH,
                top + row * HEIGHT,
                f"R{port + 1}",
                f"{end} no. {leg}" if behind else "",
                cut(name, LETTERS),
                f"R{port + 1}: {name}, end {end}, connector {leg}" if behind else "free",
                behind is not None,
            )

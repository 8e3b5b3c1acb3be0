"""The maps of panels: ports in front with their jumpers, those at the rear with their trunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.core.text_fit import cut
from fabricgen.outputs.patching.view import PanelView, PortCell, RowText

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.outputs.patching.build import Patching
    from fabricgen.planning.channels.panels import Panel

COLUMNS, WIDTH, HEIGHT = 12, 112, 54
"""Ports of a row, and the sizes of a port in the drawing."""

LEFT, MARGIN, HEAD, LETTERS = 64, 20, 96, 18
"""Both margins, the height above the first port, and the letters that fit a port."""


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
        parts = panel.parts
        rear = HEAD + _rows(parts.ports) * HEIGHT + 40
        return PanelView(
            fabric=self.patching.fabric,
            name=name,
            part=parts.panel.model,
            place=f"{self.patching.room.names[panel.rack]} unit {panel.rack_unit}",
            width=LEFT + MARGIN + COLUMNS * WIDTH,
            height=rear + _rows(parts.rear_ports) * HEIGHT + MARGIN,
            rear=rear,
            front_ports=[*self._front(number, panel)],
            rear_ports=[*self._rear(number, panel, rear)],
            cassettes=[
                *_cassettes(parts.ports, parts.cassette.front_ports, HEAD),
                *_cassettes(parts.rear_ports, parts.cassette.rear_ports, rear),
            ],
        )

    def _front(self, number: int, panel: Panel) -> Iterator[PortCell]:
        """Yield the ports in front, the first on the left."""
        for port in range(panel.parts.ports):
            jumper, device, far = self.patching.plugged.get((number, port), ("", "", ""))
            row, column = divmod(port, COLUMNS)
            title = f"port {port + 1}: {jumper} to {device} {far}" if jumper else "free"
            yield PortCell(
                LEFT + column * WIDTH,
                HEAD + row * HEIGHT,
                str(port + 1),
                cut(jumper, LETTERS),
                cut(device, LETTERS),
                cut(far, LETTERS),
                title,
                bool(jumper),
            )

    def _rear(self, number: int, panel: Panel, top: int) -> Iterator[PortCell]:
        """Yield the ports at the rear, the first on the right, as they are from behind."""
        panels = self.patching.channels.panels
        for port in range(panel.parts.rear_ports):
            row, column = divmod(port, COLUMNS)
            x, y = LEFT + (COLUMNS - 1 - column) * WIDTH, top + row * HEIGHT
            behind = self.patching.channels.behind.get((number, port))
            if behind is None:
                yield PortCell(x, y, f"R{port + 1}", "", "", "", "free", used=False)
                continue
            trunk, leg = behind.trunk, behind.leg
            plug = trunk.b if behind.end == "A" else trunk.a
            far = f"{panels[plug.panel].name} R{plug.port + leg + 1}"
            yield PortCell(
                x,
                y,
                f"R{port + 1}",
                f"{behind.end} no. {leg + 1}",
                cut(trunk.name, LETTERS),
                cut(far, LETTERS),
                f"R{port + 1}: {trunk.name}, end {behind.end}, connector {leg + 1}, to {far}",
                used=True,
            )


def _rows(ports: int) -> int:
    """Return the rows of ports."""
    return -(-ports // COLUMNS)


def _cassettes(ports: int, each: int, top: int) -> Iterator[RowText]:
    """Yield the cassettes of each row of ports.

    >>> [each.text for each in _cassettes(48, 12, 0)], [each.text for each in _cassettes(16, 2, 0)]
    (['C1', 'C2', 'C3', 'C4'], ['C1-C6', 'C7-C8'])
    """
    for row in range(_rows(ports)):
        first = row * COLUMNS // each + 1
        last = (min((row + 1) * COLUMNS, ports) - 1) // each + 1
        text = f"C{first}" if first == last else f"C{first}-C{last}"
        yield RowText(top + row * HEIGHT + HEIGHT // 2, text)

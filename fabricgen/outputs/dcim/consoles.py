"""The serial ports of a cluster, as a data-centre database holds them.

Owns which rows of a network of console servers are console ports of switches, and which are ports
of console servers.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.core.terms import LinkKind, Role
from fabricgen.outputs.dcim.interfaces import InterfaceRows
from fabricgen.outputs.dcim.view import ConsolePortView

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.outputs.dcim.view import InterfaceView
    from fabricgen.views.factory import Views

TYPES = {"rj45": "rj-45"}
"""Types of console ports of NetBox (ConsolePortTypeChoices) by the form factor of the catalog."""


class ConsolePorts:
    """The serial ports of one cluster; `serial` are the views of networks of console servers."""

    def __init__(self, serial: Iterable[Views]) -> None:
        """Keep the views; nothing is made before it is needed."""
        self._every = [*serial]

    @cached_property
    def own_count(self) -> int:
        """The number of console ports."""
        return sum(views.plan.link_count(LinkKind.HOST) for views in self._every)

    @cached_property
    def server_count(self) -> int:
        """The number of ports of console servers, with a cable or without."""
        every = sum(InterfaceRows(views.plan, views).count for views in self._every)
        return every - self.own_count

    def own(self) -> Iterator[ConsolePortView]:
        """Yield the console ports of switches."""
        return self._rows(servers=False)

    def servers(self) -> Iterator[ConsolePortView]:
        """Yield the ports of console servers."""
        return self._rows(servers=True)

    def _rows(self, *, servers: bool) -> Iterator[ConsolePortView]:
        """Yield the ports at one end of the cables."""
        for views in self._every:
            names, layout = {*views.plan.switches()}, views.plan.fabric.port_layouts[Role.LEAF]
            kind = TYPES.get(layout.model.form_factor_of(layout.down), "other")
            for row in InterfaceRows(views.plan, views).rows():
                if (row.device in names) == servers:
                    yield _port(row, kind)


def _port(row: InterfaceView, kind: str) -> ConsolePortView:
    """Return an interface as a serial port of a type."""
    return ConsolePortView(row.device, row.name, row.label, kind, row.description, row.tag)

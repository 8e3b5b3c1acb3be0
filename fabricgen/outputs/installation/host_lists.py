"""What hangs on each host: its cables in the order of its ports, rack by rack.

Owns the lists by host. Their rows are those of the cable list.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.core.terms import LinkKind
from fabricgen.outputs.installation.chips import chip
from fabricgen.outputs.installation.view import HostListView, HostPortView, HostRackView
from fabricgen.views.cables.view import turned

if TYPE_CHECKING:
    from fabricgen.outputs.installation.bundles import Bundle, Fronts
    from fabricgen.planning.room.room import Room
    from fabricgen.views.cables.view import CableView


@dataclass(frozen=True)
class HostLists:
    """The lists of one fabric, whose cables are in `bundles`."""

    fabric: str
    fronts: Fronts
    room: Room
    bundles: list[Bundle]

    @property
    def racks(self) -> list[str]:
        """The racks that contain hosts, in the order of the room."""
        return [name for name in self.room.names if name in self._cables]

    def rack(self, name: str) -> HostRackView:
        """List the hosts of a rack, from the top down."""
        hosts = sorted(
            self._cables[name].items(), key=lambda item: (-int(item[1][0].a_unit), item[0])
        )
        return HostRackView(
            fabric=self.fabric,
            rack=name,
            generated=self.room.generated,
            hosts=[_host(host, cables) for host, cables in hosts],
        )

    @cached_property
    def _cables(self) -> dict[str, dict[str, list[CableView]]]:
        """The cables of each host of each rack."""
        found: dict[str, dict[str, list[CableView]]] = {}
        for bundle in self.bundles:
            for cable, *_ in bundle.plugs:
                ends = [cable] if self.fronts.on_host(cable) else []
                for end in [*ends, turned(cable)] if cable.tier == LinkKind.DIRECT else ends:
                    hosts = found.setdefault(end.a_rack, {})
                    hosts.setdefault(end.a_device, []).append(end)
        return found


def _host(host: str, cables: list[CableView]) -> HostListView:
    """List the cables of a host."""
    ordered = sorted(cables, key=lambda cable: (port_order(cable.a_port), cable.cable))
    ports = [
        HostPortView(
            port=cable.a_port,
            interface=cable.a_interface,
            cable=cable.cable,
            chip=chip(cable.rail),
            part=cable.part,
            length_m=cable.length_m,
            b_device=cable.b_device,
            b_port=cable.b_port,
            b_rack=cable.b_rack,
            b_unit=cable.b_unit,
        )
        for cable in ordered
    ]
    unit = cables[0].a_unit
    place = f"unit {unit}" if int(unit) else "beside the units"
    return HostListView(host=host, place=place, ports=ports)


def port_order(port: str) -> list[tuple[int, str]]:
    """Return the sort key of a port: its numbers count as numbers.

    >>> sorted(["OSFP10P1", "OSFP4P2", "OSFP4P1"], key=port_order)
    ['OSFP4P1', 'OSFP4P2', 'OSFP10P1']
    """
    return [(int(digits or -1), text) for text, digits in re.findall(r"(\D*)(\d*)", port)]

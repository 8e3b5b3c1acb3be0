"""The list of power cords: for each cord of a rack the outlet that it is plugged into.

Devices follow each other from the bottom of a rack up, and racks as in the room.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.planning.power_cords import feed_name

if TYPE_CHECKING:
    from fabricgen.planning.power_cords import Cord, PowerPlan


class PowerCordRow(NamedTuple):
    """A power cord; `outlet` counts the outlets of its socket on the PDU, from 1.

    `inlet` is empty where it is unknown, and the last four where no outlet is free.
    """

    rack: str
    device: str
    cord: int
    inlet: str
    pdu: str
    socket: str
    outlet: str
    feed: str


@dataclass(slots=True)
class PowerCordsView:
    """The power cords of a fabric and of the devices beside it."""

    cords: list[PowerCordRow]


def power_cords_view(power: PowerPlan | None) -> PowerCordsView:
    """List all cords; none where no PDU is known."""
    return PowerCordsView([_row(power, cord) for cord in power.cords] if power else [])


def _row(power: PowerPlan, cord: Cord) -> PowerCordRow:
    """Return the row of a cord."""
    end = ("", "", "", "")
    if cord.pdu >= 0:
        pdu = power.pdus[cord.pdu]
        end = (pdu.name, cord.socket, str(cord.outlet), feed_name(pdu.feed))
    return PowerCordRow(power.racks[cord.rack], cord.device, cord.number, cord.inlet, *end)

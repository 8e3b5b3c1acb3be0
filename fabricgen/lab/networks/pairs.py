"""The cables of a lab between the two devices of each pair, which no switch is on."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from fabricgen.lab.topology import Wire
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from fabricgen.planning.plan import Plan

LINKS = IPv4Network("169.254.0.0/16")
"""Addresses of the lab for these cables, a /31 for each (RFC 3927): the plan has none for them."""


def peer_wires(plan: Plan, devices: Collection[str]) -> Iterator[Wire]:
    """Yield the cables between some devices."""
    cables = (cable for cable in Views(plan).cables(0) if cable.a_device in devices)
    for number, cable in enumerate(cables):
        yield Wire(
            cable.cable,
            cable.a_device,
            cable.a_interface,
            cable.b_device,
            cable.b_interface,
            str(LINKS[2 * number]),
            str(LINKS[2 * number + 1]),
            numbered=True,
        )

"""The cages at both ends of a kind of link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.catalog.models.base import ANY_LANES
from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.cabling.compatibility import Cage
from fabricgen.planning.lanes import nic_lanes, port_lanes

if TYPE_CHECKING:
    from fabricgen.catalog.models.switch import Breakout, Switch
    from fabricgen.planning.cabling.link_classes import LinkClass
    from fabricgen.planning.resolve import ResolvedFabric

GENERIC, TWISTED_PAIR = "generic", "rj45"
"""The form factor of cages that any module fits, and that of sockets for twisted pairs."""


def cages_of(fabric: ResolvedFabric, each: LinkClass) -> tuple[Cage, Cage]:
    """Return the cages at the lower and the upper end of a class of links."""
    kind, connector = each.kind, each.connector
    if kind is LinkKind.DIRECT:
        leaf = fabric.port_layouts[Role.LEAF]
        own = _cage(leaf.model, leaf.down)._replace(links=1)  # of a device: one port, one link
        cage = own if fabric.network else _nic_cage(fabric)
        return cage, cage
    above = fabric.port_layouts[kind.upper]
    if kind.lower is None:
        split = above.model.breakout(each.breakout) if each.breakout else None
        upper = _cage(above.model, split or above.down)
        if connector:
            own = Cage(connector, "any", 1, upper.speed_gbps, upper.transport, lanes=each.lanes)
            return own, upper
        return _host_cage(fabric, upper), upper
    upper = _cage(above.model, above.up if kind is LinkKind.PEER else above.down)
    below = fabric.port_layouts[kind.lower]
    return _cage(below.model, below.up), upper


def _cage(model: Switch, mode: Breakout) -> Cage:
    """Return a cage of a switch with a breakout."""
    return Cage(
        model.form_factor_of(mode),
        model.module_top_of(mode),
        mode.count,
        mode.speed_gbps,
        model.transport,
        (model.circuits.loss_db if model.circuits else None) or 0.0,
        port_lanes(model, mode),
    )


def _nic_cage(fabric: ResolvedFabric) -> Cage:
    """Return the cage of a NIC whose ports are split, each link on lanes of its own."""
    transport = fabric.port_layouts[Role.LEAF].model.transport
    whole = _host_cage(fabric, Cage(GENERIC, "any", 1, fabric.speed_gbps, transport))
    links = whole.links * fabric.split
    return whole._replace(links=links, speed_gbps=fabric.link_gbps, lanes=ANY_LANES)


def _host_cage(fabric: ResolvedFabric, upper: Cage) -> Cage:
    """Return a host's cage; a host outside the catalog has a generic one for each NIC port.

    On a network, the other end of a twisted pair is one too.
    """
    host, transport = fabric.host, upper.transport
    if fabric.network and upper.form_factor == TWISTED_PAIR:
        return upper
    lanes = nic_lanes(host, fabric.nic, fabric.speed_gbps, fabric.planes)
    if host is None:
        return Cage(GENERIC, "any", 1, upper.speed_gbps, transport, lanes=lanes)
    cage = host.ports[0].cage
    links = sum(port.cage == cage and port.plane < fabric.planes for port in host.ports)
    speed = fabric.speed_gbps
    return Cage(host.form_factor, host.module_top, links, speed, transport, lanes=lanes)

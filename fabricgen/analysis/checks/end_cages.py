"""The cages at both ends of a kind of link, and what the ports in them run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.catalog.models.base import ANY_LANES, possible_lanes
from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.lanes import nic_lanes, port_lanes

if TYPE_CHECKING:
    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.catalog.models.base import Top
    from fabricgen.planning.cabling.compatibility import LinkParts
    from fabricgen.planning.lanes import Lanes
    from fabricgen.planning.resolve import ResolvedFabric


GENERIC = "generic"
"""The form factor, the plug or the medium of a part that is not chosen yet."""

TWISTED_PAIR = "rj45"
"""The form factor of sockets, which a twisted pair has at both of its ends."""


class EndCage(NamedTuple):
    """The cage at one end of a kind of link."""

    name: str
    form_factor: str
    top: Top
    links: int
    speed_gbps: int
    transport: str
    lanes: Lanes = ANY_LANES
    """The numbers of lanes on which one of its links can run."""


def _split_cage(fabric: ResolvedFabric) -> EndCage:
    """Return the cage of a host whose NIC ports are split into links to other GPUs."""
    host, transport = fabric.host, fabric.port_layouts[Role.LEAF].model.transport
    if host is None:
        links, speed = fabric.split, fabric.link_gbps
        return EndCage("a NIC port of the host", GENERIC, "any", links, speed, transport)
    links = sum(
        port.cage == host.ports[0].cage and port.plane < fabric.planes for port in host.ports
    )
    return EndCage(
        f"a cage of the {host.model}",
        host.form_factor,
        host.module_top,
        links * fabric.split,
        fabric.link_gbps,
        transport,
    )


def _peer_socket(fabric: ResolvedFabric) -> EndCage:
    """Return the port of a paired device: as those of switches of an access network."""
    leaf = fabric.port_layouts[Role.LEAF]
    return EndCage(
        "the socket of a device",
        leaf.model.form_factor_of(leaf.down),
        leaf.model.module_top_of(leaf.down),
        1,
        leaf.down.speed_gbps,
        leaf.model.transport,
    )


def end_cages(evidence: Evidence, parts: LinkParts) -> tuple[EndCage, EndCage]:
    """Return the cages at both ends of the links that some parts serve."""
    fabric, kind = evidence.plan.fabric, parts.kind
    if kind is LinkKind.DIRECT:
        cage = _peer_socket(fabric) if fabric.network else _split_cage(fabric)
        return cage, cage
    above, below, host = (
        fabric.port_layouts[kind.upper],
        kind.lower and fabric.port_layouts[kind.lower],
        fabric.host,
    )
    own = above.up if kind is LinkKind.PEER else above.down
    mode = (parts.breakout and above.model.breakout(parts.breakout)) or own
    high = EndCage(
        f"a cage of the {kind.upper} {above.model.model}",
        above.model.form_factor_of(mode),
        above.model.module_top_of(mode),
        mode.count,
        mode.speed_gbps,
        above.model.transport,
        port_lanes(above.model, mode),
    )
    if below:
        model = below.model
        return (
            EndCage(
                f"a cage of the {below.role} {model.model}",
                model.form_factor_of(below.up),
                model.module_top_of(below.up),
                below.up.count,
                below.up.speed_gbps,
                model.transport,
                port_lanes(model, below.up),
            ),
            high,
        )
    if parts.connector:
        speed, lanes = high.speed_gbps, possible_lanes(parts.connector, high.speed_gbps)
        socket = EndCage(
            "a port of a device", parts.connector, "any", 1, speed, high.transport, lanes
        )
        return socket, high
    if fabric.network and high.form_factor == TWISTED_PAIR:
        return high._replace(name="the socket of a device"), high
    lanes = nic_lanes(host, fabric.nic, fabric.speed_gbps, fabric.planes)
    if host is None:
        name, speed = "a NIC port of the host", high.speed_gbps
        return EndCage(name, GENERIC, "any", 1, speed, high.transport, lanes), high
    links = max(
        sum(port.cage == cage for port in host.ports if port.plane < fabric.planes)
        for cage in {port.cage for port in host.ports}
    )
    return (
        EndCage(
            f"a cage of the {host.model}",
            host.form_factor,
            host.module_top,
            links,
            fabric.speed_gbps,
            high.transport,
            lanes,
        ),
        high,
    )

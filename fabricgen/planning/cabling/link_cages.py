"""The cages at both ends of a kind of link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.planning.cabling.compatibility import Cage

if TYPE_CHECKING:
    from fabricgen.core.terms import LinkKind
    from fabricgen.planning.port_layout import PortLayout
    from fabricgen.planning.resolve import ResolvedFabric

GENERIC = "generic"
"""The form factor of cages that any module fits."""


def cages_of(fabric: ResolvedFabric, kind: LinkKind) -> tuple[Cage, Cage]:
    """Return the cages at the lower and the upper end of a kind of link."""
    upper = _down_cage(fabric.port_layouts[kind.upper])
    if kind.lower is None:
        return _host_cage(fabric, upper.transport), upper
    port_layout = fabric.port_layouts[kind.lower]
    return (
        Cage(
            port_layout.model.form_factor,
            port_layout.model.module_top,
            port_layout.up.count,
            port_layout.up.speed_gbps,
            port_layout.model.transport,
        ),
        upper,
    )


def _down_cage(port_layout: PortLayout) -> Cage:
    """Return a cage that faces down."""
    return Cage(
        port_layout.model.form_factor,
        port_layout.model.module_top,
        port_layout.down.count,
        port_layout.down.speed_gbps,
        port_layout.model.transport,
    )


def _host_cage(fabric: ResolvedFabric, transport: str) -> Cage:
    """Return a host's cage; a host outside the catalog has a generic one for each NIC port."""
    host = fabric.host
    if host is None:
        return Cage(GENERIC, "any", 1, fabric.speed_gbps, transport)
    cage = host.ports[0].cage
    links = sum(port.cage == cage and port.plane < fabric.planes for port in host.ports)
    return Cage(host.form_factor, host.module_top, links, fabric.speed_gbps, transport)

"""The interfaces of a host in the networks beside compute: ports, bonds of LACP and VLANs on them.

`network_ports` finds the ports; this module orders what an operating system has to make of them.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from fabricgen.views.hosts.view import NetworkLinkView

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabricgen.views.hosts.view import NetworkBondView, NetworkPortView


def network_links(
    ports: Iterable[NetworkPortView], bonds: Sequence[NetworkBondView]
) -> list[NetworkLinkView]:
    """Return the interfaces of a host: its routed ports, then each bond with its members."""
    routed = [
        NetworkLinkView(name=port.interface, what=_place(port), mtu=port.mtu, port=port)
        for port in ports
    ]
    return [*routed, *chain.from_iterable(map(_of_bond, bonds))]


def _of_bond(bond: NetworkBondView) -> Iterator[NetworkLinkView]:
    """Yield the members of a bond, the bond itself, and the VLANs on it."""
    for member in bond.members:
        yield NetworkLinkView(name=member.interface, what=_place(member), parent=bond.name)
    tagged = {f"{bond.name}.{port.vlan}": port for port in bond.addresses if port.vlan}
    plain = next((port for port in bond.addresses if not port.vlan), None)
    yield NetworkLinkView(
        name=bond.name,
        what=plain.network if plain else "VLANs alone",
        kind="bond",
        mtu=bond.mtu,
        members=[member.interface for member in bond.members],
        vlans=[*tagged],
        port=plain,
    )
    for name, port in tagged.items():
        yield NetworkLinkView(
            name=name,
            what=port.network,
            kind="vlan",
            parent=bond.name,
            vlan=port.vlan,
            port=port,
        )


def _place(port: NetworkPortView) -> str:
    """Return the network of a port, the port of the switch and the cable."""
    return f"{port.network}: {port.switch} {port.switch_interface}, cable {port.cable}"

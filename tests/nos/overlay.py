"""The bonds, VLANs and VRFs of a leaf, as its plan has them and as readers of its files do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fabricgen.views.switches.view import OverlayView

ONE_BRIDGE = ("junos",)
"""Systems with one route distinguisher for all VLANs of a leaf."""


class Bond(NamedTuple):
    """A bond of LACP as a leaf has it."""

    member: str
    system: str
    segment: str
    """The Ethernet segment identifier."""
    vlans: frozenset[int]
    tagged: bool


class Vlan(NamedTuple):
    """A VLAN that VXLAN carries."""

    vni: int
    rd: str
    target: str


class Vrf(NamedTuple):
    """The VRF of a network; `gateway` is the address of its VLAN."""

    vlan: int
    gateway: str
    vni: int
    rd: str
    target: str
    neighbors: frozenset[str]
    """The routers that it has sessions with."""


class Overlay(NamedTuple):
    """The overlay of a leaf: bonds by their numbers, VLANs by theirs, VRFs by their names."""

    bonds: dict[int, Bond]
    vlans: dict[int, Vlan]
    vrfs: dict[str, Vrf]


def planned(overlay: OverlayView, nos: str) -> Overlay:
    """Return what the files of a leaf have to say."""
    rds = [own.rd for own in overlay.tenants]
    bridges = rds[:1] * len(rds) if nos in ONE_BRIDGE else rds
    return Overlay(
        {
            bond.number: Bond(
                bond.port.interface,
                bond.system_mac,
                bond.esi,
                frozenset(bond.vlans),
                tagged=not bond.vlan,
            )
            for bond in overlay.bonds
        },
        {
            own.vlan: Vlan(own.vni, rd, own.target)
            for own, rd in zip(overlay.tenants, bridges, strict=True)
        },
        {
            own.name: Vrf(
                own.vlan,
                own.gateway,
                own.vrf_vni,
                own.vrf_rd,
                own.vrf_target,
                frozenset(port.peer_address for port in own.edge_ports),
            )
            for own in overlay.vrfs
        },
    )

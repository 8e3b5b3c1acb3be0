"""The bonds of LACP of a network: their numbers, the leaves they are on, and their VLANs.

A bond has one number on both of its leaves, the port of its first member, so that it keeps it when
the network grows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind
from fabricgen.planning.networks.tenants import mac_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan


class BondMember(NamedTuple):
    """One link between a leaf and a device of a network with bonds of LACP."""

    row: int
    """The row of the link in `Plan.segment`."""
    bond: int
    """The bond among those of the network, from 0."""
    leaf: int
    port: int
    """The port of the leaf, by its number in `Plan.ports`."""
    slot: int
    """The endpoint position of the first member, which the addresses of the bond count."""
    pair: int
    """The pair of leaves, from 1."""
    number: int
    """The number of the bond on its pair, from 1; 0 where the link is routed."""
    vlans: tuple[int, ...]
    network: str
    """The network that a routed link is in."""

    @property
    def esi(self) -> str:
        """The Ethernet segment identifier of type 3: the system's MAC address and the number.

        It is the same on both leaves, and no other bond has it (RFC 7432, 5).
        """
        return f"03:{mac_text(self.pair)}:{self.number.to_bytes(3, 'big').hex(':')}"


def bond_members(plan: Plan) -> Iterator[BondMember]:
    """Yield the links to devices of a network, by leaf port; none without bonds of LACP."""
    network, segment = plan.fabric.network, plan.segment
    if network is None or not network.tenants:
        return
    rows = np.flatnonzero(segment.kind == LinkKind.HOST)
    size = network.attached.bond
    bonds, members = np.divmod(segment.lower[rows], size)
    groups = network.attached.group_of(bonds).tolist()
    first = {int(bonds[at]): int(rows[at]) for at in np.flatnonzero(members == 0)}
    vlans = [
        tuple(sorted(own.vlan for own in network.tenants if own.name in group.networks))
        for group in network.attached.groups
    ]
    for row, bond, group in zip(rows.tolist(), bonds.tolist(), groups, strict=True):
        own, head = network.attached.groups[group], first[bond]
        yield BondMember(
            row=row,
            bond=bond,
            leaf=int(segment.upper[row]),
            port=int(segment.upper_port[row]),
            slot=int(segment.slot[head]),
            pair=int(segment.upper[head]) // size + 1,
            number=0 if own.routed else int(segment.upper_port[head]) + 1,
            vlans=vlans[group],
            network=own.networks[0],
        )

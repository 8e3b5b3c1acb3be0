"""The bonds of LACP of a cluster, as a data-centre database holds them.

Owns their rows, and which ports are members of which. The numbers are those of the plan, and their
names on switches those of the packs; on hosts and devices they are those of the hosts' files.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import Role
from fabricgen.outputs.dcim.view import InterfaceView, tag_of
from fabricgen.outputs.packs.pack_yaml import BondNames
from fabricgen.planning.network_bonds import bond_members
from fabricgen.planning.networks.tenants import overlay_mtu
from fabricgen.views.hosts.network_ports import BondNumbers
from fabricgen.views.switches.ports import Ports

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabricgen.planning.plan import Plan

UNNAMED = BondNames(leaf="bond{number}", uplinks="uplink")
"""The names of bonds of switches that no pack configures."""

End = tuple[str, str]
"""A device and its interface."""


class Bonds:
    """The bonds of one cluster."""

    def __init__(self, plan: Plan, names: Mapping[str, BondNames]) -> None:
        """Keep the plan, and the names of the bonds of each NOS."""
        self._plan, self._names = plan, names

    @cached_property
    def members(self) -> dict[End, InterfaceView]:
        """The bond of each port that is a member of one."""
        bonds: dict[End, InterfaceView] = {}
        found: dict[End, InterfaceView] = {}
        for end, bond in self._ends():
            own = bonds.setdefault((bond.device, bond.name), bond)
            if own is not bond:
                own.description += f", {bond.description}"
            found[end] = own
        return found

    def rows(self) -> list[InterfaceView]:
        """List the bonds."""
        return [*{(bond.device, bond.name): bond for bond in self.members.values()}.values()]

    def _ends(self) -> Iterator[tuple[End, InterfaceView]]:
        """Yield both ends of each link of a bond, each with the bond as it is there."""
        numbers = BondNumbers()
        for name, network in self._plan.networks.items():
            members = [member for member in bond_members(network) if member.number]
            if not members:
                continue
            form = self._named(network).leaf
            rows = np.array([member.row for member in members], dtype=np.int32)
            links = Ports(network).link_ends.of_segment(0).columns(rows)
            for at, member in enumerate(members):
                leaf, device = links.upper_device[at], links.lower_device[at]
                bond = _bond(network, leaf, form.format(number=member.number), device, member.vlans)
                yield (leaf, links.upper_port[at].interface), bond
                own = f"bond{numbers.number(device, name, member.bond)}"
                bond = self._on_device(_bond(network, device, own, leaf, member.vlans))
                yield (device, links.lower_port[at].interface), bond

    def _named(self, network: Plan) -> BondNames:
        """Return the names of bonds on the leaves of a network."""
        return self._names.get(network.fabric.port_layouts[Role.LEAF].nos, UNNAMED)

    def _on_device(self, bond: InterfaceView) -> InterfaceView:
        """Return the bond of a device; that of an access switch is one of its own network.

        A device in one network knows no VLAN.
        """
        if bond.device not in self._uplinks:
            return replace(bond, vlan="")
        name, tag = self._uplinks[bond.device]
        return replace(bond, name=name, tag=tag, mtu="")

    @cached_property
    def _uplinks(self) -> dict[str, tuple[str, str]]:
        """The name of the bond of each access switch's uplinks, and the tag of its network."""
        return {
            name: (self._named(own).uplinks, tag_of(own))
            for own in self._plan.networks.values()
            if own.fabric.network and own.fabric.network.uplinks
            for name in own.switches()
        }


def _bond(
    network: Plan, device: str, name: str, peer: str, vlans: tuple[int, ...]
) -> InterfaceView:
    """Make a bond at one end of one of its links."""
    return InterfaceView(
        device=device,
        name=name,
        label="",
        type="lag",
        speed_kbps=None,
        enabled="true",
        mtu=str(overlay_mtu(network.spec.addressing.mtu)),
        description=peer,
        tag=tag_of(network),
        mgmt_only="false",
        vlan="" if vlans[1:] else str(vlans[0]),
        tagged_vlans=",".join(map(str, vlans)) if vlans[1:] else "",
    )

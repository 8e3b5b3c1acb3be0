"""The interfaces of a cluster: those of compute and of the networks beside it.

Owns what crosses networks: bonds, uplinks of switches into another network, and ports of compute
leaves that networks have. `interfaces` has those of one plan.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.core.terms import LinkKind
from fabricgen.outputs.dcim.interfaces import InterfaceRows, to_lower, to_upper

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.outputs.dcim.bonds import Bonds, End
    from fabricgen.outputs.dcim.view import InterfaceView
    from fabricgen.views.factory import Views


class ClusterInterfaces:
    """The interfaces of the compute fabric and of the networks beside it.

    A switch of one network may have uplinks into another. Such a port is one of its own network,
    with the cable of the other.
    """

    def __init__(self, every: Sequence[Views], bonds: Bonds) -> None:
        """Keep the views of the cables of each network, compute first, and the bonds."""
        self._every, self._bonds = every, bonds

    @cached_property
    def _uplinks(self) -> dict[End, str]:
        """The cable and the far end of each port that has its cable in another network."""
        asked = self._every[0].plan.spec.networks.each()
        lower = {name for name, network in asked.items() if network.uplink}
        own = {
            end
            for views in self._every
            if views.plan.fabric.network_name in lower
            for end in InterfaceRows(views.plan, views).switch_ends()
        }
        return {
            (cable.a_device, cable.a_interface): to_upper(cable)
            for views in (self._every if own else ())
            for segment in range(views.plan.mapping.segments)
            for cable in views.cables(segment)
            if (cable.a_device, cable.a_interface) in own
        }

    @cached_property
    def _devices(self) -> dict[End, str]:
        """The cable and the far end of each port of a compute leaf that a network has."""
        every = [
            cable
            for views in self._every
            if views.plan.fabric.network_name in self._every[0].plan.converged
            for cable in views.cables(0)
        ]
        peers = (cable for cable in every if cable.tier == LinkKind.PEER)
        return {
            **{(cable.b_device, cable.b_interface): to_lower(cable) for cable in every},
            **{(cable.a_device, cable.a_interface): to_upper(cable) for cable in peers},
        }

    @property
    def count(self) -> int:
        """The number of interfaces that `rows` yields."""
        every = sum(InterfaceRows(views.plan, views).count for views in self._every)
        return every - len(self._uplinks) + len(self._bonds.rows())

    def rows(self) -> Iterator[InterfaceView]:
        """Yield bonds, then the ports of each network, compute first.

        An import knows the bond of a port by a row before it.
        """
        yield from map(self._grouped, self._bonds.rows())
        for views in self._every:
            for row in InterfaceRows(views.plan, views, self._uplinks, self._devices).rows():
                if bond := self._bonds.members.get((row.device, row.name)):
                    row.lag, row.mtu, row.vlan = bond.name, bond.mtu or row.mtu, ""
                yield self._grouped(row)

    def _grouped(self, row: InterfaceView) -> InterfaceView:
        """Give the VLANs of a port their group, of which a cluster has one."""
        row.vlan_group = self._every[0].plan.spec.name if row.mode else ""
        return row

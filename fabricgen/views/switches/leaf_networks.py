"""The networks on leaves of the compute fabric, and single devices there, as leaves have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import Role
from fabricgen.views.switches.edges import Edges
from fabricgen.views.switches.instances import FIRST_TABLE, Instances
from fabricgen.views.switches.port_views import PortViews
from fabricgen.views.switches.ports import Ports, SegmentLabels

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import Port
    from fabricgen.views.switches.view import Instance, PortView


class LeafNetwork(NamedTuple):
    """What a network has on a leaf: its ports, their places, and its VRF.

    Single devices have no VRF: they are in the instances of compute.
    """

    ports: list[PortView]
    places: tuple[Port, ...]
    instance: Instance | None = None


class LeafNetworks:
    """Makes what one network has on the leaves of a compute fabric."""

    def __init__(self, compute: Plan, name: str) -> None:
        """Keep both plans; nothing is made yet."""
        self.compute, self.plan = compute, compute.networks[name]
        ports, self._edges = Ports(self.plan), Edges(self.plan)
        self._facts, self._views = ports.facts[Role.LEAF], PortViews(ports)
        self._labels = SegmentLabels(ports, 0)
        self._instances = Instances(self.plan, self._edges, tenants=False)
        # behind those of rails
        self._table = FIRST_TABLE + compute.fabric.rails + [*compute.converged].index(name)

    def on(self, box: int, labels: SegmentLabels) -> LeafNetwork | None:
        """Return what a leaf of the compute fabric has of the network; None for nothing."""
        shared, segment = self.plan.fabric.shared_leaves, labels.ends.segment
        if shared is None or not (places := shared.taken_on(segment, box)):
            return None
        leaf = shared.leaves.index((segment, box))
        (ports,) = self._views.of([leaf], self._labels)
        if not shared.in_compute:
            self._edges.set_peers(leaf, self._facts, ports)
            for port in ports:
                port.vrf = self.plan.fabric.network_name
            naming = self.plan.naming.boxes[leaf]
            return LeafNetwork(ports, places, self._instances.on_leaf(naming, ports, self._table))
        for port, number in zip(ports, shared.on(segment, box), strict=True):
            port.rail = labels.rail_texts[shared.blocks[number]]
            if self.compute.naming.boxes[box].block < 0:
                port.vrf = labels.vrfs[shared.blocks[number]]
        return LeafNetwork(ports, places)

"""The parts of a lab on switches of the compute fabric: networks in a VRF there, and devices.

Each VRF is a namespace, as those of rails are, because a kernel may have none. Devices in compute
have their leaf ports in the namespaces of compute itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, product
from typing import TYPE_CHECKING

from fabricgen.analysis.forwarding.path_names import PathNames
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.lab.booted_part import LabSwitch
from fabricgen.lab.networks.layout import NetworkLayout
from fabricgen.lab.topology import Wire
from fabricgen.planning.addressing import address_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.lab.topology import LabLayout
    from fabricgen.planning.networks.shared_leaves import SharedLeaves
    from fabricgen.planning.plan import Plan


def shared_leaves(plan: Plan) -> SharedLeaves:
    """Return the switches of compute that a network is on."""
    shared = plan.fabric.shared_leaves
    assert shared is not None  # noqa: S101 - the network is on compute
    return shared


@dataclass(frozen=True)
class VrfLayout(NetworkLayout):
    """The part of a network whose switches are its VRFs on switches of the compute fabric."""

    compute: Plan = field(kw_only=True)

    @cached_property
    def boxes(self) -> list[int]:
        """The compute switches that the booted devices are on, by their number in the network."""
        return sorted(set(self.plan.segment.upper[self._host_rows].tolist()))

    @cached_property
    def compute_boxes(self) -> list[tuple[int, int]]:
        """The segment and the box of each of these switches in the compute fabric."""
        return [shared_leaves(self.plan).leaves[box] for box in self.boxes]

    @cached_property
    def switches(self) -> list[LabSwitch]:
        """The VRFs."""
        names, vrf = shared_leaves(self.plan).names, self.name
        return [LabSwitch(f"{names[box]}:{vrf}", 0, 0, box, names[box], vrf) for box in self.boxes]

    @cached_property
    def management_addresses(self) -> dict[str, str]:
        """The planned management address of each switch of compute; empty without `management`."""
        planned = self.compute.management
        each = zip(self.switches, self.compute_boxes, strict=True)
        return {own.switch: planned.switch(*at) for own, at in each} if planned else {}


@dataclass(frozen=True)
class InComputeLayout(NetworkLayout):
    """The devices with ports in the compute fabric itself; it has no switches of its own."""

    compute: LabLayout = field(kw_only=True)
    """The booted part of the compute fabric, which has the leaves of these devices."""

    def _cables(self) -> Iterator[Wire]:
        """Yield the cables of ports whose leaf is booted."""
        shared, names = shared_leaves(self.plan), PathNames(Reach(self.plan))
        for port in self.gpus:
            nic, slot = names.nic(port, 0), shared.bonds.slot[port]
            segment, box = shared.leaves[int(self.plan.segment.upper[nic.row])]
            leaf = self.compute.node_names.get((segment, shared.blocks[port], box))
            if leaf:
                (own,) = self.plan.addresses.host_addresses(0, [slot])
                yield Wire(
                    nic.cable,
                    *self._port(port, 0),
                    leaf,
                    nic.switch_interface,
                    address_text(own),
                    address_text(own - 1),
                    numbered=True,
                )

    @property
    def port_count(self) -> int:
        """The number of ports whose leaf is booted."""
        return len(self.wires)

    @property
    def apart(self) -> bool:
        """Whether a device loses a part of its network with a port: where rails never meet."""
        return True

    @cached_property
    def compute_boxes(self) -> list[tuple[int, int]]:
        """The segments and boxes of the booted leaves."""
        nodes = self.compute.switch_nodes
        return [(nodes[wire.b].segment, nodes[wire.b].box) for wire in self.wires]

    def block(self, wire: Wire) -> tuple[int, int]:
        """Return the segment and the block of the compute fabric that a port is in."""
        return self.compute.switch_nodes[wire.b][1:3]

    def reach(self, wire: Wire) -> list[str]:
        """Return the addresses of that block: of hosts and of switches."""
        segment, block = self.block(wire)
        number = segment * self.compute.plan.mapping.segment_blocks + block
        addresses = self.compute.plan.addresses
        return [pool.prefix(number) for pool in (addresses.hosts, addresses.loopbacks)]

    @cached_property
    def device_ports(self) -> dict[str, list[Wire]]:
        """The ports of each device, and those of GPUs, which they share leaves with."""
        found = dict(super().device_ports)
        for wire in self.compute.wires:
            if wire.numbered and wire.a not in self.compute.tiers:
                found.setdefault(wire.a, []).append(wire)
        return found

    @cached_property
    def pairs(self) -> list[tuple[Wire, Wire]]:
        """The pairs of ports of which one at least is a device's, in one block."""
        ports = [*chain.from_iterable(self.device_ports.values())]
        own = [wire for wire in ports if wire.a in self.owners]
        gpus = [wire for wire in ports if wire.a not in self.owners]
        every = [*product(own, ports), *product(gpus, own)]
        return [(near, far) for near, far in every if near.a != far.a]


def leaves_of_devices(plan: Plan, devices: frozenset[str]) -> frozenset[int]:
    """Return the boxes of the compute leaves that some of its devices are on."""
    shared, rules = shared_leaves(plan), plan.fabric.network
    names = rules.attached.devices if rules else []
    stripes = zip(names, shared.bonds.stripe, strict=True)
    return frozenset(shared.leaves[leaf][1] for name, leaf in stripes if name in devices)

"""The two ends of every cable as a packet meets them: names, interfaces, labels and addresses of NIC ports and switches.

Owns the way from a GPU and plane, or from a row of `Plan.unit`, to what people read. What lives is said by `reaching`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.terms import LinkKind, gpu_name
from fabricgen.viewing import vrf_name

if TYPE_CHECKING:
    from fabricgen.clos import Ints
    from fabricgen.forwarding.reaching import Reach


class NicEnd(NamedTuple):
    """One NIC port and the leaf port that it is cabled to. `row` is that of its link; `gateway` the leaf's address on it, or its loopback."""

    row: int
    interface: str
    address: int
    gateway: int
    switch: str
    switch_interface: str
    cable: str


@dataclass(frozen=True)
class Ends:
    """The ends of a plan's cables. GPUs count over all domains; units, boxes, blocks and rows as in the plan."""

    reach: Reach

    @cached_property
    def _rows(self) -> Ints:
        """The row of the host link at each endpoint position, by block of the unit; shape (blocks of a unit, slots), -1 where it is vacant."""
        plan = self.reach.plan
        rows = np.full((plan.mapping.unit_blocks, plan.sizing.slots), -1, dtype=np.int32)
        links = np.flatnonzero(plan.unit.kind == LinkKind.HOST).astype(np.int32)
        rows[plan.unit.block[links], plan.unit.slot[links]] = links
        return rows

    @cached_property
    def _names(self) -> dict[int, list[str]]:
        """The switches' names of each unit that was asked for."""
        return {}

    def gpu(self, gpu: int) -> str:
        """Name a GPU."""
        return gpu_name(*divmod(gpu, self.reach.plan.request.domain_gpus))

    def host(self, gpu: int) -> str:
        """Name the host of a GPU."""
        return self.reach.plan.naming.host(gpu // self.reach.plan.request.host_gpus)

    def nic(self, gpu: int, plane: int) -> NicEnd:
        """Return the ends of a NIC port's cable."""
        plan, reach = self.reach.plan, self.reach
        (unit, block), slot = reach.home(gpu, plane), reach.slot(gpu)
        row = int(self._rows[block, slot])
        leaf, address = int(plan.unit.upper[row]), self.address(gpu, plane)
        gateway = address - 1 if plan.addresses.numbered else plan.addresses.loopback(unit, block, plan.naming.boxes[leaf])
        interface = plan.naming.interface(gpu % plan.request.host_gpus, plane)
        return NicEnd(row, interface, address, gateway, self.switch(unit, leaf), self.interface(unit, row, upper=True), self.cable(unit, row))

    def address(self, gpu: int, plane: int) -> int:
        """Return the address of a NIC port, as an integer."""
        unit, block = self.reach.home(gpu, plane)
        return self.reach.plan.addresses.host_addresses(unit * self.reach.plan.mapping.unit_blocks + block, [self.reach.slot(gpu)])[0]

    def switch(self, unit: int, box: int) -> str:
        """Name a switch."""
        if unit not in self._names:
            self._names[unit] = self.reach.plan.naming.switches(unit)
        return self._names[unit][box]

    def node(self, unit: int, block: int, box: int) -> str:
        """Name the node that a switch is in the graph for a block: the box itself, or its part for one rail where rails share it."""
        plan, name = self.reach.plan, self.switch(unit, box)
        return f"{name}/{vrf_name(plan.mapping.rail(unit, block))}" if plan.naming.boxes[box].block < 0 else name

    def interface(self, unit: int, row: int, *, upper: bool) -> str:
        """Name the switch's interface at an end of a link of a unit."""
        plan, links = self.reach.plan, self.reach.plan.unit
        box, port = (links.upper, links.upper_port) if upper else (links.lower, links.lower_port)
        return plan.interfaces(unit)[plan.naming.boxes[int(box[row])].role][int(port[row])]

    def cable(self, unit: int, row: int) -> str:
        """Label the cable of a link; where a link takes several, what their labels have in common."""
        plan = self.reach.plan
        prefix = plan.label(LinkKind(plan.unit.kind[row]), unit, int(plan.unit.block[row]))
        return f"{prefix}{int(plan.unit.number[row]):0{plan.label_width}}"

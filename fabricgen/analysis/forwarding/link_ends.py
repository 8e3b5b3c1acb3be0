"""The two ends of every cable as a packet meets them: names, interfaces, labels and addresses of NIC ports and switches.

Owns the way from a GPU and plane, or from a row of `Plan.unit`, to what people read. What lives is
said by `reaching`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.terms import LinkKind, gpu_name
from fabricgen.planning.addressing import dotted
from fabricgen.views.factory import vrf_name

if TYPE_CHECKING:
    from fabricgen.analysis.forwarding.reachability import Reach
    from fabricgen.core.arrays import Int32Array


class NicEnd(NamedTuple):
    """One NIC port and the leaf port that it is cabled to. `row` is that of its link; `gateway` the leaf's address on it, or its loopback."""

    row: int
    interface: str
    address: int
    gateway: int
    switch: str
    switch_interface: str
    cable: str


@lru_cache(maxsize=1)
def _domain_names(domain: int, size: int) -> tuple[str, ...]:
    """Name the GPUs of an HB domain; those of the last one are remembered."""
    return tuple(gpu_name(domain, rank) for rank in range(size))


@dataclass(frozen=True)
class Ends:
    """The ends of a plan's cables. GPUs count over all domains; segments, boxes, blocks and rows as in the plan."""

    reach: Reach

    @cached_property
    def _rows(self) -> Int32Array:
        """The row of the host link at each endpoint position, by block of the segment; shape (blocks of a segment, slots), -1 where it is vacant."""
        plan = self.reach.plan
        rows = np.full((plan.mapping.segment_blocks, plan.sizing.slots), -1, dtype=np.int32)
        links = np.flatnonzero(plan.segment.kind == LinkKind.HOST).astype(np.int32)
        rows[plan.segment.block[links], plan.segment.slot[links]] = links
        return rows

    @cached_property
    def _names(self) -> dict[int, list[str]]:
        """The switches' names of each segment that was asked for."""
        return {}

    @cached_property
    def _prefixes(self) -> dict[tuple[int, int], str]:
        """The prefixes of the blocks that were asked for."""
        return {}

    @cached_property
    def _domain(self) -> dict[tuple[int, int], list[str]]:
        """The addresses of the HB domain that was asked for last, by domain and plane."""
        return {}

    def gpu(self, gpu: int) -> str:
        """Name a GPU."""
        return self.reach.plan.fabric.coordinates.name(gpu)

    def gpus(self, domain: int) -> tuple[str, ...]:
        """Name the GPUs of an HB domain, by rank."""
        return _domain_names(domain, self.reach.plan.fabric.domain_gpus)

    def host(self, gpu: int) -> str:
        """Name the host of a GPU."""
        return self.reach.plan.naming.host(self.reach.plan.fabric.coordinates.host(gpu))

    def nic(self, gpu: int, plane: int) -> NicEnd:
        """Return the ends of a NIC port's cable."""
        plan, reach = self.reach.plan, self.reach
        (segment, block), slot = reach.home(gpu, plane), reach.slot(gpu)
        row = int(self._rows[block, slot])
        leaf, address = int(plan.segment.upper[row]), self.address(gpu, plane)
        interface = plan.naming.interface(plan.fabric.coordinates.host_slot(gpu), plane)
        return NicEnd(
            row,
            interface,
            address,
            self.gateway(gpu, plane),
            self.switch(segment, leaf),
            self.interface(segment, row, upper=True),
            self.cable(segment, row),
        )

    def address(self, gpu: int, plane: int) -> int:
        """Return the address of a NIC port, as an integer."""
        segment, block = self.reach.home(gpu, plane)
        return self.reach.plan.addresses.host_addresses(
            segment * self.reach.plan.mapping.segment_blocks + block, [self.reach.slot(gpu)]
        )[0]

    def gateway(self, gpu: int, plane: int) -> int:
        """Return the address of the leaf that a NIC port is cabled to: on the link, or its loopback."""
        plan, reach = self.reach.plan, self.reach
        if plan.addresses.numbered:
            return self.address(gpu, plane) - 1
        (segment, block), slot = reach.home(gpu, plane), reach.slot(gpu)
        return plan.addresses.loopback(
            segment, block, plan.naming.boxes[int(plan.segment.upper[self._rows[block, slot]])]
        )

    def addresses(self, domain: int, plane: int) -> list[str]:
        """Return the addresses of an HB domain's NIC ports on a plane, by rank; those of the last domain are remembered."""
        if (domain, plane) not in self._domain:
            for known in [known for known in self._domain if known[0] != domain]:
                del self._domain[known]
            self._domain[domain, plane] = [
                dotted(self.address(gpu, plane))
                for gpu in self.reach.plan.fabric.coordinates.domain_range(domain)
            ]
        return self._domain[domain, plane]

    def prefix(self, gpu: int, plane: int) -> str:
        """Return the prefix of the block that a NIC port belongs to."""
        home = self.reach.home(gpu, plane)
        if home not in self._prefixes:
            segment, block = home
            self._prefixes[home] = self.reach.plan.addresses.hosts.prefix(
                segment * self.reach.plan.mapping.segment_blocks + block
            )
        return self._prefixes[home]

    @cached_property
    def rail_prefixes(self) -> list[list[str]]:
        """The prefix of the block that each rank of an HB domain belongs to, by plane."""
        fabric = self.reach.plan.fabric
        return [
            [self.prefix(rank, plane) for rank in range(fabric.domain_gpus)]
            for plane in range(fabric.planes)
        ]

    def switch(self, segment: int, box: int) -> str:
        """Name a switch."""
        if segment not in self._names:
            self._names[segment] = self.reach.plan.naming.switches(segment)
        return self._names[segment][box]

    def node(self, segment: int, block: int, box: int) -> str:
        """Name the node that a switch is in the graph for a block: the box itself, or its part for one rail where rails share it."""
        plan, name = self.reach.plan, self.switch(segment, box)
        return (
            f"{name}/{vrf_name(plan.mapping.rail(segment, block))}"
            if plan.naming.boxes[box].block < 0
            else name
        )

    def interface(self, segment: int, row: int, *, upper: bool) -> str:
        """Name the switch's interface at an end of a link of a segment."""
        plan, links = self.reach.plan, self.reach.plan.segment
        box, port = (links.upper, links.upper_port) if upper else (links.lower, links.lower_port)
        return plan.interfaces(segment)[plan.naming.boxes[int(box[row])].role][int(port[row])]

    def cable(self, segment: int, row: int) -> str:
        """Label the cable of a link; where a link takes several, what their labels have in common."""
        plan = self.reach.plan
        prefix = plan.label(LinkKind(plan.segment.kind[row]), segment, int(plan.segment.block[row]))
        return f"{prefix}{int(plan.segment.number[row]):0{plan.label_width}}"

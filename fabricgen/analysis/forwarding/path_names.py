"""Names, interfaces, labels and addresses of the GPUs, NIC ports, switches and cables of a path.

Owns the texts for a GPU and plane, and for a row of `Plan.segment`. `reachability` owns what works.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import Role
from fabricgen.planning.addressing import address_text
from fabricgen.planning.coordinates import gpu_name
from fabricgen.views.link_ends import HostLinks, LinkEnds, cable_label
from fabricgen.views.switches.ports import vrf_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.analysis.forwarding.reachability import Reach
    from fabricgen.views.link_ends import NicLink


class NicAttachment(NamedTuple):
    """One NIC port and the leaf port that it is cabled to.

    `row` is that of its link; `gateway` the leaf's address on it, or the leaf's loopback.
    """

    row: int
    interface: str
    address: int
    gateway: int
    switch: str
    switch_interface: str
    cable: str


@lru_cache(maxsize=1)
def _domain_names(domain: int, size: int) -> tuple[str, ...]:
    """Return the names of the GPUs of an HB domain; those of the last one are cached."""
    return tuple(gpu_name(domain, rank) for rank in range(size))


@dataclass(frozen=True)
class PathNames:
    """The names in a plan; GPUs are counted over all domains, other things as in the plan."""

    reach: Reach

    @cached_property
    def _host_links(self) -> HostLinks:
        """The link of each NIC port."""
        return HostLinks(self.reach.plan)

    @cached_property
    def _links(self) -> dict[tuple[str, ...], LinkEnds[str]]:
        """The ends of the links with the names of switch ports, by the NOS of each role."""
        return {}

    def links(self, segment: int) -> LinkEnds[str]:
        """Return the ends of the links, with the names of ports in the NOS of a segment."""
        plan = self.reach.plan
        systems = tuple(layout.nos for layout in plan.port_layouts(segment).values())
        if systems not in self._links:
            planes, slots = range(plan.fabric.planes), range(plan.fabric.host_gpus)
            rules = plan.fabric.network
            nics = [[f"nic{plane}" for _ in slots] for plane in planes]
            nics = [rules.attached.interfaces] if rules else nics
            self._links[systems] = LinkEnds(plan, plan.interfaces(segment), nics)
        return self._links[systems]

    @cached_property
    def _names(self) -> dict[int, list[str]]:
        """A cache of the switches' names of each segment."""
        return {}

    @cached_property
    def _ports(self) -> dict[int, list[str]]:
        """A cache of the interfaces of a leaf in each segment."""
        return {}

    @cached_property
    def _prefixes(self) -> dict[tuple[int, int], str]:
        """A cache of the prefixes of blocks."""
        return {}

    @cached_property
    def _domain(self) -> dict[tuple[int, int], tuple[str, ...]]:
        """A cache of the prefixes of the last HB domain, by domain and plane."""
        return {}

    def gpu(self, gpu: int) -> str:
        """Return the name of a GPU."""
        return self.reach.plan.fabric.coordinates.name(gpu)

    def gpus(self, domain: int) -> tuple[str, ...]:
        """Return the names of the GPUs of an HB domain, by rank."""
        return _domain_names(domain, self.reach.plan.fabric.domain_gpus)

    def host(self, gpu: int) -> str:
        """Return the name of the host of a GPU."""
        return self.reach.plan.naming.host(self.reach.plan.fabric.coordinates.host(gpu))

    def nics(self, gpus: Sequence[int]) -> list[list[NicAttachment]]:
        """Return the ends of the cables of the NIC ports of some GPUs, by GPU and by plane."""
        planes = range(self.reach.plan.fabric.planes)
        found = self._attached([gpu for gpu in gpus for _ in planes], [*planes] * len(gpus))
        return [[*islice(found, len(planes))] for _ in gpus]

    def nic(self, gpu: int, plane: int) -> NicAttachment:
        """Return the ends of a NIC port's cable."""
        return next(self._attached([gpu], [plane]))

    def _attached(self, gpus: Sequence[int], planes: Sequence[int]) -> Iterator[NicAttachment]:
        """Yield the ends of the cables of some NIC ports, each given by its GPU and its plane."""
        naming, coordinates = self.reach.plan.naming, self.reach.plan.fabric.coordinates
        links = self._host_links.of(gpus, planes)
        for gpu, plane, link in zip(gpus, planes, links, strict=True):
            yield NicAttachment(
                row=link.row,
                interface=naming.interface(coordinates.host_slot(gpu), plane),
                address=link.address,
                gateway=self._gateway(link),
                switch=self.switch(link.segment, link.leaf),
                switch_interface=self._leaf_ports(link.segment)[link.leaf_port],
                cable=link.cable,
            )

    def address(self, gpu: int, plane: int) -> int:
        """Return the address of a NIC port, as an integer."""
        segment, block = self.reach.home(gpu, plane)
        return self.reach.plan.addresses.host_addresses(
            segment * self.reach.plan.mapping.segment_blocks + block, [self.reach.slot(gpu)]
        )[0]

    def _gateway(self, link: NicLink) -> int:
        """Return the address of a NIC port's leaf: beside the port's own, or its loopback."""
        plan = self.reach.plan
        if plan.addresses.numbered:
            return link.address - 1
        return plan.addresses.loopback(link.segment, link.block, plan.naming.boxes[link.leaf])

    def host_prefixes(self, domain: int, plane: int) -> tuple[str, ...]:
        """Return the prefix of each address of an HB domain's NIC ports on a plane, by rank.

        Those of the last domain are cached.
        """
        if (domain, plane) not in self._domain:
            self._domain.clear()
            plan = self.reach.plan
            planes, gpus = range(plan.fabric.planes), plan.fabric.coordinates.domain_range(domain)
            ports = [plane for plane in planes for _ in gpus]
            links = self._host_links.of([*gpus] * len(planes), ports)
            texts = (f"{address_text(link.address)}/{plan.addresses.hosts.bits}" for link in links)
            for each in planes:
                self._domain[domain, each] = tuple(islice(texts, len(gpus)))
        return self._domain[domain, plane]

    def _leaf_ports(self, segment: int) -> list[str]:
        """Return the interfaces of a leaf's ports in the NOS of a segment."""
        if segment not in self._ports:
            self._ports[segment] = self.reach.plan.interfaces(segment)[Role.LEAF]
        return self._ports[segment]

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
    def rail_prefixes(self) -> list[tuple[str, ...]]:
        """The prefix of the block that each rank of an HB domain belongs to, by plane."""
        fabric = self.reach.plan.fabric
        return [
            tuple(self.prefix(rank, plane) for rank in range(fabric.domain_gpus))
            for plane in range(fabric.planes)
        ]

    def switch(self, segment: int, box: int) -> str:
        """Return the name of a switch."""
        if segment not in self._names:
            self._names[segment] = self.reach.plan.naming.switches(segment)
        return self._names[segment][box]

    def node(self, segment: int, block: int, box: int) -> str:
        """Return the name of a switch's node in the graph of a block.

        It is the box itself, or its part for one rail if rails share the box.
        """
        plan, name = self.reach.plan, self.switch(segment, box)
        return (
            f"{name}/{vrf_name(plan.mapping.rail(segment, block))}"
            if plan.naming.boxes[box].block < 0
            else name
        )

    def interface(self, segment: int, row: int, *, upper: bool) -> str:
        """Name the switch's interface at an end of a link of a segment."""
        links = self.links(segment)
        return str((links.upper_ports if upper else links.lower_ports)[row])

    def cable(self, segment: int, row: int) -> str:
        """Return the label of a link's cable, without the letter of a link with several."""
        return cable_label(self.reach.plan, segment, row)

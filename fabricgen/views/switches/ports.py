"""The names and facts of ports, which are the same in every segment, and the texts of one segment.

`cables` and `switches` make views of them.
"""

from __future__ import annotations

from functools import cache, cached_property
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import Role, speed_text
from fabricgen.planning.addressing import address_text
from fabricgen.planning.port_layout import prints_of
from fabricgen.views.link_ends import LinkEnds
from fabricgen.views.switches.facts import port_facts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import Port, PortLayout
    from fabricgen.views.switches.facts import Values


class PortFacts(NamedTuple):
    """The facts of a port, which are the same on every box of a role."""

    interface: str
    alias: str
    cage: int
    subport: int
    facts: Values
    speed: str
    speed_mbps: int
    breakout: str
    filter_name: str


class PortName(NamedTuple):
    """The names of a port: in the device's system, and printed beside the port."""

    interface: str
    printed: str


class Ports:
    """The ports of one plan's switches and hosts; each property is computed once."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan; nothing is computed yet."""
        self.plan = plan

    @cached_property
    def facts(self) -> dict[Role, list[PortFacts]]:
        """The ports of each role's box, in the order of `Plan.ports`."""
        port_layouts = self.plan.fabric.port_layouts
        return {
            role: [facts_of(port_layouts[role], port) for port in ports]
            for role, ports in self.plan.ports.items()
        }

    @cached_property
    def host_numbering(self) -> tuple[bool, int, int]:
        """Whether links to hosts are numbered, the length of their prefixes, and the AS of hosts.

        The AS number is 0 where hosts have none.
        """
        addresses = self.plan.addresses
        numbered = addresses.numbered
        return numbered, addresses.host_length, 0 if numbered else addresses.host_asn

    @cached_property
    def lane_counts(self) -> dict[Role, list[int]]:
        """The lanes of each port of a role's box, in the order of `Plan.ports`."""
        return {
            role: [port.breakout.lanes for port in ports] for role, ports in self.plan.ports.items()
        }

    @cached_property
    def link_ends(self) -> LinkEnds[PortName]:
        """The ends of the links, with the names of their ports."""
        fabric, naming = self.plan.fabric, self.plan.naming
        links = range(fabric.split)
        ports = {
            role: [
                PortName(fact.interface, printed)
                for fact, printed in zip(self.facts[role], prints_of(ports), strict=True)
            ]
            for role, ports in self.plan.ports.items()
        }
        nics = [
            [
                PortName(naming.interface(slot, plane, link), naming.label(slot, plane, link))
                for slot in range(fabric.interface_count)
                for link in links
            ]
            for plane in range(fabric.planes)
        ]
        return LinkEnds(self.plan, ports, nics)


def facts_of(port_layout: PortLayout, port: Port) -> PortFacts:
    """Return the names and the lanes of a port."""
    cage, sub, mode = port
    alias = port_layout.model.alias(port_layout.nos, cage, sub, mode) or ""
    subport = sub + 1 if mode.count > 1 else 0
    return PortFacts(
        interface=port_layout.interface(port),
        alias=alias,
        cage=cage,
        subport=subport,
        facts=port_facts(port_layout, port),
        speed=speed_text(mode.speed_gbps),
        speed_mbps=mode.speed_gbps * 1000,
        breakout=mode.name,
        filter_name=f"HOST-{cage}-{subport}" if subport else f"HOST-{cage}",
    )


def vrf_name(rail: int | None) -> str:
    """Name the VRF of a rail on a shared box."""
    return f"rail{rail}"


class SegmentLabels:
    """The texts and numbers of one segment that all its ports share."""

    def __init__(self, ports: Ports, segment: int) -> None:
        """Compute those of each block, and name the switches."""
        plan, self.ends = ports.plan, ports.link_ends.of_segment(segment)
        blocks = range(plan.mapping.segment_blocks)
        self.rails = plan.mapping.rails(segment)
        self.rail_texts = ["" if rail is None else str(rail) for rail in self.rails]
        self.vrfs = [vrf_name(rail) for rail in self.rails]
        self._numbered, self._length, self._host_asn = ports.host_numbering
        self._starts = [
            plan.addresses.hosts.start(segment * plan.mapping.segment_blocks + block)
            + plan.addresses.skipped
            for block in blocks
        ]
        self._asn = cache(lambda box: plan.addresses.asn(segment, plan.naming.boxes[box]))

    def peer_asns(self, boxes: Iterable[int]) -> dict[int, int]:
        """Return the AS number of each of some boxes; that of the hosts where a box is below 0."""
        return {box: self._host_asn if box < 0 else self._asn(box) for box in {*boxes}}

    def addresses(self, blocks: list[int], slots: list[int]) -> Iterable[str]:
        """Return the leaf's address on each host link; empty without one, and between switches."""
        return self._host_texts(blocks, slots, 2) if self._numbered else repeat("")

    def host_routes(self, blocks: list[int], slots: list[int]) -> Iterable[str]:
        """Return the prefix that each unnumbered host announces; empty elsewhere."""
        return repeat("") if self._numbered else self._host_texts(blocks, slots, 1)

    def _host_texts(self, blocks: list[int], slots: list[int], step: int) -> list[str]:
        """Return an address for each host link, so many addresses apart."""
        starts, length = self._starts, self._length
        return [
            f"{address_text(starts[block] + step * slot)}/{length}" if slot >= 0 else ""
            for block, slot in zip(blocks, slots, strict=True)
        ]

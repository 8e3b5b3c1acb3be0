"""What is the same in every segment of a fabric: what its ports are called and made of; and the words that all ports of one segment use.

`cables` and `switches` make views of it.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import LinkKind, Role, speed_text
from fabricgen.planning.addressing import dotted

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import Port, PortLayout

HOST = int(LinkKind.HOST)
"""What the kind of each link is compared with: a plain number, which Python compares faster."""


class PortFacts(NamedTuple):
    """What is the same of a port on every box of a role."""

    interface: str
    alias: str
    cage: int
    subport: int
    lanes: str
    speed: str
    speed_mbps: int
    breakout: str


class Ports:
    """The ports of one plan's switches and hosts; each property is worked out once."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan; nothing is made before it is asked for."""
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
    def lane_counts(self) -> dict[Role, list[int]]:
        """The lanes of each port of a role's box, in the order of `Plan.ports`."""
        return {
            role: [port.breakout.lanes for port in ports] for role, ports in self.plan.ports.items()
        }

    @cached_property
    def host_interfaces(self) -> list[list[tuple[str, str]]]:
        """The interface and the printed label of each NIC port, by plane, then by GPU of a host."""
        fabric, naming = self.plan.fabric, self.plan.naming
        return [
            [
                (naming.interface(gpu, plane), naming.label(gpu, plane))
                for gpu in range(fabric.host_gpus)
            ]
            for plane in range(fabric.planes)
        ]

    @cached_property
    def printed(self) -> dict[Role, list[str]]:
        """What is printed beside the ports of each role's box: the cage, and the position in it."""
        return {role: [port.printed for port in ports] for role, ports in self.plan.ports.items()}


def facts_of(port_layout: PortLayout, port: Port) -> PortFacts:
    """Work out what a port is called and made of."""
    cage, sub, mode = port
    alias = port_layout.model.alias(port_layout.nos, cage, sub, mode) or ""
    lanes = (
        port_layout.model.sonic.lanes[cage - 1]
        if port_layout.model.sonic and port_layout.model.sonic.lanes
        else ()
    )
    own = ",".join(str(lane) for lane in lanes[sub * mode.lanes : (sub + 1) * mode.lanes])
    subport = sub + 1 if mode.count > 1 else 0
    return PortFacts(
        port_layout.interface(port),
        alias,
        cage,
        subport,
        own,
        speed_text(mode.speed_gbps),
        mode.speed_gbps * 1000,
        mode.name,
    )


def vrf_name(rail: int | None) -> str:
    """Name the VRF of a rail on a shared box."""
    return f"rail{rail}"


class SegmentLabels:
    """The words of one segment that every port of it uses."""

    def __init__(self, plan: Plan, segment: int) -> None:
        """Work them out."""
        blocks = range(plan.mapping.segment_blocks)
        self.rails = [plan.mapping.rail(segment, block) for block in blocks]
        self.rail_texts = ["" if rail is None else str(rail) for rail in self.rails]
        self.vrfs = [vrf_name(rail) for rail in self.rails]
        prefixes = {
            (int(kind), block): plan.label(kind, segment, block).replace("%", "%%")
            for kind in plan.kinds
            for block in blocks
        }
        self.cables = {
            each: f"{prefix}%0{plan.label_width}d".__mod__ for each, prefix in prefixes.items()
        }
        """What labels a cable by its number, by kind of link and block."""
        starts = [
            plan.addresses.hosts.start(segment * plan.mapping.segment_blocks + block)
            for block in blocks
        ]
        self._starts = starts if plan.addresses.numbered else []
        self._host_asn = 0 if plan.addresses.numbered else plan.addresses.host_asn
        self._asn = cache(lambda box: plan.addresses.asn(segment, plan.naming.boxes[box]))

    def peer_asn(self, box: int, *, to_host: bool) -> int:
        """Return the AS number behind a port: that of a box, or of the hosts."""
        return self._host_asn if to_host else self._asn(box)

    def address(self, block: int, slot: int) -> str:
        """Return the leaf's end of a host link's /31; empty where hosts are unnumbered."""
        return f"{dotted(self._starts[block] + 2 * slot)}/31" if self._starts else ""

"""The contents of a lab: switches, GPUs and HB domains, and the wires between them.

Files are used as emitted: in a slice the cables to other parts are absent, as if they had failed.
It starts nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.analysis.forwarding.gpu_routes import HB_DEVICE, hb_address
from fabricgen.analysis.forwarding.path_names import PathNames
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.lab.booted_part import BootedPart
from fabricgen.lab.frr_parts import part_of_gpu
from fabricgen.planning.addressing import address_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.terms import Family


ROUTER, OPERATOR = "management:router", "management:operator"
"""The nodes of the management network beside the switches' own: its router with the bridge, and the
operator, who is beyond the router."""


class Wire(NamedTuple):
    """A cable of the lab, or a GPU's port to its HB domain.

    `label` is the cable's, empty for an HB domain. Addresses are empty where an end has none.
    """

    label: str
    a: str
    a_interface: str
    b: str
    b_interface: str
    a_address: str = ""
    b_address: str = ""
    numbered: bool = False
    """Whether both addresses are of one prefix, as those of a host and its leaf usually are."""


class Size(NamedTuple):
    """The number of GPUs, switches, namespaces, BGP sessions between switches, and SSH servers."""

    gpus: int
    switches: int
    nodes: int
    sessions: int
    servers: int


@dataclass(frozen=True)
class LabLayout(BootedPart):
    """The nodes and wires of a part of a plan."""

    @cached_property
    def loopbacks(self) -> dict[str, str]:
        """The loopback of each switch."""
        addresses, boxes = self.plan.addresses, self.plan.naming.boxes
        return {
            each.name: address_text(addresses.loopback(each.segment, each.block, boxes[each.box]))
            for each in self.switches
        }

    @cached_property
    def size(self) -> Size:
        """The size of the lab, counted without naming anything, as it may be too large."""
        coordinates = self.plan.fabric.coordinates
        servers = len(self.segments) * len(self.boxes) if self.plan.management else 0
        management = servers + len((ROUTER, OPERATOR)) if servers else 0
        gpus = len(self.domains) * sum(
            coordinates.rail(gpu) in self.rails for gpu in coordinates.domain_range(0)
        )
        switches = sum(len(self._blocks(*place)) for place in product(self.segments, self.boxes))
        sessions = sum(len(self._rows_of(segment)) for segment in self.segments)
        nodes = switches + gpus + len(self.domains) + management
        return Size(gpus, switches, nodes, sessions, servers)

    @cached_property
    def bridges(self) -> dict[int, str]:
        """The node of each HB domain."""
        return {domain: f"hb:{domain}" for domain in self.domains}

    @cached_property
    def management(self) -> dict[str, str]:
        """The node of each switch's VRF of management; empty without `management`."""
        asked = self.plan.spec.management
        switches = dict.fromkeys(each.switch for each in self.switches)
        return {name: f"{name}:{asked.vrf}" for name in switches} if asked else {}

    @cached_property
    def management_addresses(self) -> dict[str, str]:
        """The planned management address of each switch; empty without `management`."""
        planned = self.plan.management
        every = self.switches if planned else []
        return {each.switch: planned.switch(each.segment, each.box) for each in every if planned}

    @cached_property
    def nodes(self) -> list[str]:
        """Every namespace of the lab."""
        return [
            *(each.name for each in self.switches),
            *self.gpus.values(),
            *self.bridges.values(),
            *self.management.values(),
            *((ROUTER, OPERATOR) if self.management else ()),
        ]

    @property
    def family(self) -> Family:
        """The family of all addresses."""
        return self.plan.addresses.family

    @property
    def numbered(self) -> bool:
        """Whether a NIC port and its leaf port share a prefix; else hosts speak BGP."""
        return self.plan.addresses.numbered

    @cached_property
    def speakers(self) -> dict[str, str]:
        """The host of each GPU that runs FRR: of all where links are unnumbered, else of none."""
        host = self.plan.fabric.coordinates.host
        gpus = {} if self.numbered else self.gpus
        return {name: self.plan.hosts[host(gpu)] for gpu, name in gpus.items()}

    def frr_part(self, text: str, node: str) -> str:
        """Return the part of a host's frr.conf that a GPU runs."""
        return part_of_gpu(text, self.nic_ports(node))

    def nic_ports(self, gpu: str) -> dict[tuple[str, str], str]:
        """Return the interfaces of a GPU's NIC ports, by leaf and leaf port."""
        return {
            (self.switch_nodes[wire.b].switch, wire.b_interface): wire.a_interface
            for wire in self._wires_of[gpu]
            if wire.label
        }

    @cached_property
    def _wires_of(self) -> dict[str, list[Wire]]:
        """The wires with a node at their lower end."""
        found: dict[str, list[Wire]] = {}
        for wire in self.wires:
            found.setdefault(wire.a, []).append(wire)
        return found

    @cached_property
    def wires(self) -> list[Wire]:
        """Every cable, and every GPU's port to its HB domain; a link is one wire."""
        return [*self._cables(), *self._hb_wires()]

    def _cables(self) -> Iterator[Wire]:
        """Yield the cables."""
        plan, ends = self.plan, PathNames(Reach(self.plan))
        block = plan.segment.block.tolist()
        for segment in self.segments:
            plane = plan.mapping.plane(segment)
            for row in self._host_rows:
                lower = int(plan.segment.lower[row])
                gpu = plan.mapping.lower_gpu(segment, lower, block[row])
                if gpu not in self.gpus:
                    continue
                nic = ends.nic(gpu, plane)
                yield Wire(
                    nic.cable,
                    *self._port(gpu, plane),
                    self.node_names[segment, block[row], int(plan.segment.upper[row])],
                    nic.switch_interface,
                    address_text(nic.address),
                    address_text(nic.gateway),
                    self.numbered,
                )
            for row in self._rows_of(segment):
                low, high = (
                    self.node_names[segment, block[row], int(column[row])]
                    for column in (plan.segment.lower, plan.segment.upper)
                )
                yield Wire(
                    ends.cable(segment, row),
                    low,
                    ends.interface(segment, row, upper=False),
                    high,
                    ends.interface(segment, row, upper=True),
                )

    def _port(self, gpu: int, plane: int) -> tuple[str, str]:
        """Return the node and the interface at the lower end of a host link."""
        return self.gpus[gpu], f"nic{plane}"

    def _hb_wires(self) -> Iterator[Wire]:
        """Yield the GPUs' ports to their HB domains."""
        coordinates = self.plan.fabric.coordinates
        for gpu, name in self.gpus.items():
            rank = coordinates.rank(gpu)
            yield Wire(
                "",
                name,
                HB_DEVICE,
                self.bridges[coordinates.domain(gpu)],
                f"gpu{rank}",
                hb_address(rank, self.plan.addresses.hosts.bits),
            )

    def not_booted(self) -> str:
        """Return which networks are not booted; empty where the plan has none."""
        names = ", ".join(self.plan.networks)
        text = f"not booted: the networks {names}; `--network all` boots those it can"
        return text if names else ""

    @property
    def host_packs(self) -> frozenset[str]:
        """The packs whose files the hosts of the lab need."""
        return frozenset(() if self.numbered else ("host-frr",))

    def joins(self, other: LabLayout) -> bool:
        """Return whether uplinks lead from this network to another one, or from that to it."""
        names = {plan.fabric.network_name for plan in self.plan.joined}
        return other.plan.fabric.network_name in names

    @property
    def parts(self) -> tuple[LabLayout, ...]:
        """The fabrics of the lab: this one alone, where no networks are beside it."""
        return (self,)

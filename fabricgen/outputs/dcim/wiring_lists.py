"""The plan in formats of other planners: wiring diagram, topology by rails, point-to-point sheet.

They are Hedgehog's, and those of NVIDIA's launch kit for Kubernetes and of its Cable Validation
Tool. Owns which fabrics each format can describe, and the translation of terms. `view` defines the
shapes; templates and `workbook` the syntax.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from fabricgen.core.terms import LinkKind, Role
from fabricgen.outputs.dcim.wiring_view import (
    EndToEndView,
    HcaPortView,
    RailLink,
    RailNode,
    RailsView,
    SheetEnd,
    WiredHost,
    WiredPair,
    WiredSwitch,
    WiringView,
)
from fabricgen.planning.stripes import stripes
from fabricgen.views.cables.view import first_cables
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView

PORTS = "hedgehog"
"""The key under a switch's `interfaces` for Hedgehog's port names.

The catalog has the names of the ports in Hedgehog's switch profile there.
"""

TIERS = 2
"""A wiring diagram has leaves and spines."""

RAILS, PLANES, PODS, UNITS, HOSTS = 8, 4, 32, 64, 128
"""Limits of the launch kit's addresses: 3 bits of rail, 2 plane, 5 pod, 6 unit, 7 host."""


class WireLists:
    """Makes the lists of one plan; `views` are those of its cables."""

    def __init__(self, plan: Plan, views: Views) -> None:
        """Keep both; nothing is made before it is needed."""
        self.plan, self.views = plan, views

    @property
    def _ethernet(self) -> bool:
        """Whether the fabric is Ethernet."""
        return self.plan.fabric.port_layouts[Role.LEAF].model.transport == "ethernet"

    @property
    def has_wiring(self) -> bool:
        """Whether Hedgehog can plan the fabric: two tiers at most, and known switch profiles."""
        known = all(
            PORTS in self.plan.fabric.port_layouts[role].model.interfaces
            for role in self.plan.roles
        )
        return self._ethernet and known and 0 < len(self.plan.roles) <= TIERS

    def wiring(self) -> WiringView:
        """Make the wiring diagram with the port names of Hedgehog's profiles."""
        views = Views(_named(self.plan))
        host_links: list[WiredHost] = []
        pairs: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        meshes: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        beside = (Views(_named(network)) for network in self.plan.converged.values())
        for cable in chain.from_iterable(map(_links, (views, *beside))):
            if cable.tier == LinkKind.PEER:
                meshes[cable.a_device, cable.b_device].append(
                    (cable.a_interface, cable.b_interface)
                )
            elif cable.tier == Role.LEAF.tier:
                host_links.append(
                    WiredHost(
                        cable.cable,
                        cable.a_device,
                        cable.a_interface,
                        cable.b_device,
                        cable.b_interface,
                    )
                )
            else:
                pairs[cable.b_device, cable.a_device].append((cable.b_interface, cable.a_interface))
        switches = [
            WiredSwitch(
                switch.name,
                switch.role,
                switch.model,
                [(cage.whole, cage.breakout) for cage in switch.cages],
            )
            for segment in range(self.plan.mapping.segments)
            for switch in views.switches(segment)
        ]
        return WiringView(
            self.plan.spec.name,
            switches,
            [*dict.fromkeys([*self.plan.hosts, *(link.host for link in host_links)])],
            host_links,
            [WiredPair(*ends, ports) for ends, ports in pairs.items()],
            [WiredPair(*ends, ports) for ends, ports in meshes.items()],
        )

    @property
    def has_rails(self) -> bool:
        """Whether the launch kit can address the fabric.

        Its fields limit rails, planes, scalable units and hosts, and a host has one NIC on
        each rail. Its links are those of NICs and packet switches.
        """
        fabric = self.plan.fabric
        small = (
            fabric.rails <= RAILS and fabric.planes <= PLANES and fabric.host_gpus == fabric.rails
        )
        packets = bool(self.plan.roles) and not fabric.has_circuits
        return packets and self._ethernet and small and self._fits

    @property
    def _fits(self) -> bool:
        """Whether pods, their scalable units, and the hosts of each are within the limits."""
        pods, scalable_units = zip(*self._scalable_units.values(), strict=True)
        hosts = self.plan.fabric.domain_hosts * max(
            len(stripe.domains) for stripe in stripes(self.plan)
        )
        return max(pods) < PODS and max(scalable_units) < UNITS and hosts <= HOSTS

    @cached_property
    def _scalable_units(self) -> dict[int, tuple[int, int]]:
        """The pod and the scalable unit of each HB domain: a stripe, counted within its pod."""
        scalable_units, count = dict[int, tuple[int, int]](), defaultdict[int, int](int)
        for stripe in stripes(self.plan):
            pod = stripe.leaves[0] // self.plan.sizing.pod_leaves
            scalable_units |= dict.fromkeys(stripe.domains, (pod, count[pod]))
            count[pod] += 1
        return scalable_units

    def rails(self) -> RailsView:
        """Make the topology: hosts, leaves and their links."""
        plan, links = (
            self.plan,
            [link for link in _links(self.views) if link.tier == Role.LEAF.tier],
        )
        scalable_units = {
            name: self._scalable_units[plan.fabric.coordinates.domain_of_host(host)]
            for host, name in enumerate(plan.hosts)
        }
        own: dict[str, set[int]] = defaultdict(set)
        for link in links:
            own[link.b_device].add(int(link.rail))
        nodes = [
            *(RailNode(name, "host", "") for name in plan.hosts),
            *(RailNode(name, "leaf", nos) for name, nos in self._leaves()),
        ]
        return RailsView(
            nodes,
            [
                RailLink(
                    host=link.a_device,
                    host_port=link.a_interface,
                    leaf=link.b_device,
                    leaf_port=link.b_interface,
                    rail=int(link.rail),
                    plane=link.plane,
                    pod=scalable_units[link.a_device][0],
                    su=scalable_units[link.a_device][1],
                    rails=sorted(own[link.b_device]),
                )
                for link in links
            ],
        )

    def _leaves(self) -> Iterator[tuple[str, str]]:
        """Name each installed leaf, with its NOS."""
        plan = self.plan
        for segment in range(plan.mapping.segments):
            nos = plan.port_layouts(segment)[Role.LEAF].nos
            boxes = zip(
                plan.naming.switches(segment), plan.naming.boxes, plan.installed, strict=True
            )
            yield from ((name, nos) for name, box, has in boxes if has and box.role is Role.LEAF)

    def point_to_point(self) -> Iterator[EndToEndView]:
        """Yield both ends of every link as a row of the sheet; `a` is the lower end."""
        for cable in _links(self.views):
            kind = "Host" if cable.tier == Role.LEAF.tier else "Switch"
            near = SheetEnd(
                cable.a_rack,
                cable.a_unit,
                cable.a_device,
                kind,
                self._sheet_port(cable.a_interface, cable.a_port),
            )
            yield EndToEndView(
                near,
                SheetEnd(
                    cable.b_rack,
                    cable.b_unit,
                    cable.b_device,
                    "Switch",
                    self._sheet_port(cable.b_interface, cable.b_port),
                ),
            )

    def _sheet_port(self, interface: str, printed: str) -> str:
        """Return the name of a port on the sheet.

        It is the interface; on InfiniBand a NIC has its number, and a switch's port is
        cage/position. Cable Validation Tool 1.5, P2P File: HCA ports are 1, 2, ..., a split port is
        1/2, and systems that name it in one word keep that name.
        """
        if self._ethernet:
            return interface
        return self._numbers.get(interface) or (printed if "/" in interface else interface)

    @cached_property
    def _numbers(self) -> dict[str, str]:
        """The number of each NIC port of a host, from 1, by its interface."""
        return {each.interface: each.port for each in self.hca_ports()}

    def hca_ports(self) -> list[HcaPortView]:
        """List the NIC ports of a host with numbers and RDMA devices, GPU by GPU."""
        fabric, naming = self.plan.fabric, self.plan.naming
        ports = [(gpu, plane) for gpu in range(fabric.host_gpus) for plane in range(fabric.planes)]
        return [
            HcaPortView(str(at), naming.interface(*port), fabric.rdma(*port))
            for at, port in enumerate(ports, start=1)
        ]


def _named(plan: Plan) -> Plan:
    """Return a plan whose ports have the names of Hedgehog's profiles."""
    port_layouts = {
        role: replace(port_layout, nos=PORTS) if role in plan.roles else port_layout
        for role, port_layout in plan.fabric.port_layouts.items()
    }
    return plan.with_port_layouts(port_layouts)


def _links(views: Views) -> Iterator[CableView]:
    """List every link of a plan once."""
    for segment in range(views.plan.mapping.segments):
        yield from first_cables(views.cables(segment))

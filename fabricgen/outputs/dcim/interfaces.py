"""The interfaces of hosts and switches of one plan, as a data-centre database holds them.

Owns which interfaces there are. Their names and positions are those of the cable list;
`interface_types` has NetBox's names of their types, and `cluster_interfaces` joins the networks.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.core.terms import LinkKind, Role
from fabricgen.outputs.dcim.bonds import End
from fabricgen.outputs.dcim.interface_types import type_of
from fabricgen.outputs.dcim.view import InterfaceView, tag_of
from fabricgen.planning.networks.shared_leaves import ports_with
from fabricgen.planning.switch_ports import port_set_of, port_sets
from fabricgen.views.cables.view import first_cables, turned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabricgen.catalog.models.switch import Breakout
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import Port, PortLayout
    from fabricgen.views.cables.view import CableView
    from fabricgen.views.factory import Views


class InterfaceRows:
    """The interfaces of one plan; `views` are those of its cables."""

    def __init__(
        self,
        plan: Plan,
        views: Views,
        uplinks: Mapping[End, str] | None = None,
        devices: Mapping[End, str] | None = None,
    ) -> None:
        """Keep all; nothing is made before it is needed.

        `uplinks` are ports of switches that have their cables in another network, `devices` those
        of compute leaves that devices have.
        """
        self.plan, self.views, self._elsewhere = plan, views, uplinks or {}
        self._devices = devices or {}

    @property
    def count(self) -> int:
        """The number of interfaces that `rows` yields without uplinks."""
        plan = self.plan
        each = {
            (role, number): len(self._ports(plan.fabric.port_layouts[role], number=number))
            for role in plan.roles
            for number in range(self._set_count(role))
        }
        own = sum(
            each[box.role, number]
            for box, number, has in zip(plan.naming.boxes, self._sets, plan.installed, strict=True)
            if has
        )
        nics = plan.link_count(LinkKind.HOST) + 2 * plan.link_count(LinkKind.DIRECT)
        split = sum(
            len(self._ports(plan.fabric.port_layouts[role], plan.converged_ports(*at)))
            - each[role, 0]
            for at in plan.converged_leaves()
            for role in [plan.naming.boxes[at[1]].role]
        )
        return nics + plan.mapping.segments * own + split

    def switch_ends(self) -> Iterator[End]:
        """Yield every port of the switches, used or not."""
        names = {
            (role, number): [
                facts[0]
                for facts in self._port_facts(self.plan.fabric.port_layouts[role], number=number)
            ]
            for role in self.plan.roles
            for number in range(self._set_count(role))
        }
        for segment in range(self.plan.mapping.segments):
            naming = self.plan.naming
            boxes = zip(naming.switches(segment), naming.boxes, self._sets, strict=True)
            for switch, box, number in boxes:
                own = names[box.role, number]
                yield from ((switch, name) for name in own)

    @cached_property
    def _sets(self) -> list[int]:
        """The set of ports of each box of a segment."""
        return port_set_of(self.plan.mapping, self.plan.naming.boxes)

    def _set_count(self, role: Role) -> int:
        """Count the sets of ports that boxes of a role may have."""
        return len(port_sets(self.plan.mapping, role, 0))

    def _ports(
        self, port_layout: PortLayout, devices: Iterable[Port] = (), number: int = 0
    ) -> list[Port]:
        """List every port of a box of this role, used or not, in the order of the front panel.

        Devices have some of them on a leaf of the compute fabric. `number` is the set of its ports.
        """
        planned = self.plan.ports[port_layout.role]
        own = port_sets(self.plan.mapping, port_layout.role, len(planned))[number]
        used = ports_with([*map(planned.__getitem__, own)], devices)
        return sorted([*used, *port_layout.idle(used)], key=lambda port: (port.cage, port.sub))

    def rows(self) -> Iterator[InterfaceView]:
        """Yield the cabled NIC ports and all ports of the switches, segment by segment."""
        for segment in range(self.plan.mapping.segments):
            links = first_cables(self.views.cables(segment))
            yield from (
                self._nic(cable)
                for cable in self._from_hosts(links)
                if (cable.a_device, cable.a_interface) not in self._elsewhere
            )
            yield from self._switch_ports(segment, links)

    def _from_hosts(self, links: list[CableView]) -> Iterator[CableView]:
        """Yield the cables of hosts, each host at `a`; a direct link has one at both ends."""
        if self.plan.mapping.topology:
            for cable in links:
                yield from (cable, turned(cable))
        else:
            yield from (cable for cable in links if cable.tier == Role.LEAF.tier)

    def _nic(self, cable: CableView) -> InterfaceView:
        """Make the interface of a NIC port, or of a link that it is split into."""
        fabric = self.plan.fabric
        leaf = fabric.port_layouts[Role.LEAF]
        mode = self._own_modes.get((cable.a_device, cable.a_interface))
        lanes = mode.lanes if mode else max(leaf.down.lanes // fabric.split, 1)
        speed_gbps = mode.speed_gbps if mode else fabric.link_gbps
        kind = type_of(speed_gbps, self._nic_form, lanes, leaf.model.transport)
        return InterfaceView(
            device=cable.a_device,
            name=cable.a_interface,
            label=cable.a_port,
            type=kind,
            speed_kbps=speed_gbps * 10**6,
            enabled="true",
            mtu=self._mtu,
            description=to_upper(cable),
            tag=tag_of(self.plan),
            mgmt_only=self._mgmt_only,
        )

    @cached_property
    def _own_modes(self) -> dict[End, Breakout]:
        """The breakout of the leaf's cages by port of a device, where it is not the network's."""
        fabric = self.plan.fabric
        attached = fabric.network.attached if fabric.network else None
        return attached.own_modes(fabric.port_layouts[Role.LEAF]) if attached else {}

    @property
    def _nic_form(self) -> str:
        """The form of a NIC port; both ends of twisted pairs have the same."""
        fabric = self.plan.fabric
        if fabric.host:
            return fabric.host.form_factor
        leaf = fabric.port_layouts[Role.LEAF]
        return "rj45" if leaf.model.form_factor_of(leaf.down) == "rj45" else "generic"

    @property
    def _mgmt_only(self) -> str:
        """Whether the ports of devices on this network are for management alone."""
        network = self.plan.fabric.network
        return "true" if network and not network.joined else "false"

    @property
    def _mtu(self) -> str:
        """The MTU of every link; empty on InfiniBand."""
        ethernet = self.plan.fabric.port_layouts[Role.LEAF].model.transport == "ethernet"
        return str(self.plan.spec.addressing.mtu) if ethernet else ""

    def _switch_ports(self, segment: int, links: list[CableView]) -> Iterator[InterfaceView]:
        """Yield the ports of a segment's installed switches; one without a cable is disabled."""
        plan, far = self.plan, dict[End, str]({**self._elsewhere, **self._devices})
        for cable in links:
            far[cable.b_device, cable.b_interface] = to_lower(cable)
            far[cable.a_device, cable.a_interface] = to_upper(cable)
        layouts = plan.port_layouts(segment)
        mtu, tag = "" if plan.fabric.has_circuits else self._mtu, tag_of(plan)
        rules = plan.fabric.network
        vlan = str(rules.vlan) if rules and rules.vlan else ""
        for at, (name, box, has) in enumerate(
            zip(plan.naming.switches(segment), plan.naming.boxes, plan.installed, strict=True)
        ):
            devices = plan.converged_ports(segment, at) if plan.converged else ()
            own = self._facts[box.role, layouts[box.role].nos, self._sets[at]]
            if devices:
                own = [*self._port_facts(layouts[box.role], devices)]
            for interface, label, kind, speed in own if has else ():
                peer = far.get((name, interface), "")
                yield InterfaceView(
                    device=name,
                    name=interface,
                    label=label,
                    type=kind,
                    speed_kbps=speed,
                    enabled="true" if peer else "false",
                    mtu=mtu,
                    description=peer,
                    tag=tag,
                    mgmt_only="false",
                    vlan=vlan if peer and (name, interface) not in self._elsewhere else "",
                )

    @cached_property
    def _facts(self) -> dict[tuple[Role, str, int], list[tuple[str, str, str, int]]]:
        """The facts of the ports of a box, by its role, its NOS and its set of ports."""
        return {
            (role, port_layout.nos, number): [*self._port_facts(port_layout, number=number)]
            for role in self.plan.roles
            for port_layout in self.plan.fabric.nos_variants(role)
            for number in range(self._set_count(role))
        }

    def _port_facts(
        self, port_layout: PortLayout, devices: Iterable[Port] = (), number: int = 0
    ) -> Iterator[tuple[str, str, str, int]]:
        """Return the facts that ports of every box of a role share: name, label, type, speed.

        Devices have some of them on a leaf of the compute fabric.
        """
        for port in self._ports(port_layout, devices, number):
            cage, sub, mode = port
            label = f"{cage}/{sub + 1}" if mode.count > 1 else str(cage)
            yield (
                port_layout.interface(port),
                label,
                type_of(
                    mode.speed_gbps,
                    port_layout.model.form_factor_of(mode),
                    mode.lanes,
                    port_layout.model.transport,
                ),
                mode.speed_gbps * 10**6,
            )


def to_lower(cable: CableView) -> str:
    """Return the cable and its lower end."""
    return f"{cable.cable} {cable.a_device}:{cable.a_interface}"


def to_upper(cable: CableView) -> str:
    """Return the cable and its upper end."""
    return f"{cable.cable} {cable.b_device}:{cable.b_interface}"

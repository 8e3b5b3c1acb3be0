"""The types of box in a subnet, as .ibnl files describe them, and the names of their ports.

A port has a number, a name on the box, and a name in UFM. Owns these names; they are the same in
every subnet.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.core.terms import DEVICES
from fabricgen.views.infiniband.view import PortNames, SystemNode, SystemView

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.terms import Role
    from fabricgen.planning.plan import Plan

DEVICE = "DEVICE"
"""The type of the devices on leaves of the compute fabric."""


class Systems:
    """The types of box of one plan: of its switches, and of its hosts."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan."""
        self.plan = plan

    @cached_property
    def names(self) -> list[str]:
        """The names of the types, sorted."""
        devices = [DEVICE] if DEVICES in self.plan.networks else []
        return sorted({*self.switches.values(), self.host, *devices})

    @cached_property
    def ports(self) -> dict[Role, list[PortNames]]:
        """The names of each planned port of a role's box."""
        port_layouts = self.plan.fabric.port_layouts
        return {
            role: [
                PortNames(
                    port_layouts[role].number(port),
                    _word(port_layouts[role].interface(port)),
                    port_layouts[role].interface(port),
                )
                for port in ports
            ]
            for role, ports in self.plan.ports.items()
        }

    @cached_property
    def nics(self) -> dict[tuple[int, int], PortNames]:
        """The names of each NIC port of a host, by place in the host and plane.

        On a network, the place is the index of the interface among those of all kinds of devices.

        An adapter has the name of its RDMA device, or of its interface where the chassis is
        unknown; UFM counts adapters from 1.
        """
        fabric, naming = self.plan.fabric, self.plan.naming
        found: dict[tuple[int, int], PortNames] = {}
        for gpu in range(fabric.interface_count):
            for plane in range(fabric.planes):
                known = fabric.rdma(gpu, plane)
                found[gpu, plane] = PortNames(
                    1,
                    f"{known or naming.interface(gpu, plane)}/P1",
                    f"HCA-{fabric.coordinates.nic(gpu, plane) + 1}/1",
                )
        return found

    @cached_property
    def host(self) -> str:
        """The type of the hosts, or of the devices on leaves of the compute fabric."""
        host = self.plan.fabric.host
        if self.plan.fabric.shared_leaves:
            return DEVICE
        return (
            _word(host.model.upper())
            if host
            else f"HOST-{self.plan.fabric.host_gpus * self.plan.fabric.planes}"
        )

    @cached_property
    def switches(self) -> dict[Role, str]:
        """The type of each role's box: its model, and how many ports its split makes."""
        port_layouts = self.plan.fabric.port_layouts
        return {
            role: f"{_word(port_layouts[role].model.model.upper())}-{port_layouts[role].numbers}"
            for role in self.plan.roles
        }

    @cached_property
    def views(self) -> list[SystemView]:
        """The types of box, by name."""
        views: dict[str, SystemView] = {}
        for role, name in self.switches.items():
            port_layout, used = self.plan.fabric.port_layouts[role], self.plan.ports[role]
            panel = {
                port_layout.number(port): _word(port_layout.interface(port))
                for port in [*port_layout.idle(used), *used]
            }
            # every number has a name, in use or not: ibdmchk crashes at a switch that lacks one
            known = (
                views[name].nodes[0].ports
                if name in views
                else [(number, f"N{number}") for number in range(1, port_layout.numbers + 1)]
            )
            views[name] = SystemView(
                name,
                [
                    SystemNode(
                        "SW",
                        _word(port_layout.model.model.upper()),
                        "U1",
                        port_layout.numbers,
                        sorted({**dict(known), **panel}.items()),
                    )
                ],
            )
        views[self.host] = self.host_view
        if devices := self.plan.networks.get(DEVICES):
            views[DEVICE] = Systems(devices).host_view
        return [views[name] for name in self.names]

    @property
    def host_view(self) -> SystemView:
        """The type of the hosts, with an adapter for each NIC port."""
        nic = self.plan.fabric.host.nic.upper() if self.plan.fabric.host else "NIC"
        nodes = [
            SystemNode("CA", _word(nic), panel.removesuffix("/P1"), 1, [(number, panel)])
            for number, panel, _ in self.nics.values()
        ]
        return SystemView(self.host, nodes)

    def nic_names(self) -> Iterator[str]:
        """Yield the names of a host's NIC ports: of their interfaces and of their RDMA devices."""
        for (within, plane), (_, panel, _) in self.nics.items():
            yield panel.removesuffix("/P1")
            yield self.plan.naming.interface(within, plane)


def _word(name: str) -> str:
    """Return the name of a port or a model in .ibnl and .topo files, where it begins with a letter.

    >>> _word("1/1/2"), _word("sw1p2")
    ('P1/1/2', 'sw1p2')
    """
    return name if name[:1].isalpha() else f"P{name}"

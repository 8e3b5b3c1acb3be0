"""The management ports of switches, hosts and devices, as a data-centre database holds them.

Owns their rows. The addresses are those of the plan, and the names of the ports those of the packs.
The port by which a host is managed has no name of its own in a plan: it is the first that the host
has on the out-of-band network, unless `device_pool` has the addresses there.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.outputs.dcim.view import ManagementPortView
from fabricgen.planning.addressing import address_text
from fabricgen.views.hosts.network_ports import managed_device_ports
from fabricgen.views.managed_ports import managed_ports

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabricgen.planning.plan import Plan

UNNAMED = "management"
"""The name of a management port that no pack names."""


class ManagementPorts:
    """The management ports of one plan."""

    def __init__(self, plan: Plan, names: Mapping[str, str]) -> None:
        """Keep the plan, and the name of the port of each NOS."""
        self.plan, self._names = plan, names

    @cached_property
    def _cabled(self) -> dict[str, tuple[str, ...]]:
        """The ports of each device on a network of management ports, by their names there."""
        return {
            device: group.interfaces
            for network in self.plan.networks.values()
            if not network.fabric.is_serial
            for group in (network.fabric.network.attached.groups if network.fabric.network else ())
            if network.fabric.network and not network.fabric.network.joined and group.interfaces
            for device in group.names
        }

    def uncabled(self) -> list[ManagementPortView]:
        """List the ports that no network has, which are interfaces of their own."""
        return [port for port in self.rows() if port.name not in self._cabled.get(port.device, ())]

    def rows(self) -> Iterator[ManagementPortView]:
        """List hosts, then the switches of each network, then its other devices."""
        yield from self._hosts()
        for plan in (self.plan, *self.plan.networks.values()):
            yield from self._switches(plan)
        yield from self._devices()

    def _hosts(self) -> Iterator[ManagementPortView]:
        """Yield the ports of hosts."""
        plan, given, asked = self.plan, self.plan.management, self.plan.spec.management
        if given is None or asked is None or asked.host_pool is None:
            return
        cabled = {} if asked.device_pool else self._cabled
        for number, host in enumerate(plan.hosts):
            name, *_ = cabled.get(host) or (UNNAMED,)
            prefix = f"{given.host(number)}/{asked.host_pool.prefixlen}"
            yield ManagementPortView(host, name, prefix, "true")

    def _devices(self) -> Iterator[ManagementPortView]:
        """Yield the ports of what is no switch on the network of management ports.

        A host is not reached by them, as they are those of its BMC.
        """
        seen = set(self.plan.hosts)
        for port in managed_device_ports(self.plan):
            prefix, primary = f"{port.address}/{port.prefix_length}", port.device not in seen
            seen.add(port.device)
            yield ManagementPortView(
                port.device, port.interface, prefix, "true" if primary else "false"
            )

    def _switches(self, plan: Plan) -> Iterator[ManagementPortView]:
        """Yield the ports of the switches of a network."""
        length = plan.management.subnet.prefixlen if plan.management else 0
        layouts = [plan.port_layouts(segment) for segment in range(plan.mapping.segments)]
        for port in managed_ports(plan):
            name = port.interface or self._names.get(layouts[port.segment][port.role].nos)
            prefix, primary = f"{address_text(port.address)}/{length}", port.name == port.switch
            yield ManagementPortView(
                port.switch, name or UNNAMED, prefix, "true" if primary else "false"
            )

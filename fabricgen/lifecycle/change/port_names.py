"""The ends of cables as a person names them: NIC ports and switch ports, found by device and interface.

Owns `Names`, which knows every name that a sheet may use, and the way back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import suggest

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import PortLayout


class Nic(NamedTuple):
    """An end at a NIC port; GPUs count over all HB domains."""

    gpu: int
    plane: int


class Port(NamedTuple):
    """An end at a switch: the segment, the box of the segment, and the port as `Plan.ports` counts."""

    segment: int
    box: int
    port: int


class Names:
    """What a sheet may call the devices and interfaces of a plan; capital letters do not matter."""

    def __init__(self, plan: Plan) -> None:
        """Collect the names of every planned switch, every installed host, and the interfaces of each."""
        self.plan, fabric = plan, plan.fabric
        self.hosts = {name.lower(): number for number, name in enumerate(plan.hosts)}
        every = (
            (segment, plan.naming.switches(segment)) for segment in range(plan.mapping.segments)
        )
        self.switches = {
            name.lower(): (segment, box)
            for segment, names in every
            for box, name in enumerate(names)
        }
        self.nics: dict[str, tuple[int, int]] = {}
        for gpu in range(fabric.host_gpus):
            for plane in range(fabric.planes):
                for text in (plan.naming.interface(gpu, plane), plan.naming.label(gpu, plane)):
                    self.nics.setdefault(text.lower(), (gpu, plane))
        self.ports = {
            (role, port_layout.nos): self._ports(port_layout)
            for role in plan.roles
            for port_layout in plan.fabric.nos_variants(role)
        }

    def _ports(self, port_layout: PortLayout) -> dict[str, int]:
        """Return the numbers of the ports of a box by interface, by alias, and by cage and position; the topmost boxes may use any port."""
        top = port_layout.role is self.plan.roles[-1]
        found: dict[str, int] = {}
        for number, port in enumerate(
            port_layout.ports(port_layout.radix, 0) if top else self.plan.ports[port_layout.role]
        ):
            alias = port_layout.model.alias(port_layout.nos, *port) or ""
            for text in (
                port_layout.interface(port),
                alias,
                f"{port.cage}/{port.sub + 1}" if port.breakout.count > 1 else str(port.cage),
            ):
                found.setdefault(text.lower(), number)
        return found

    def end(self, device: str, interface: str) -> Nic | Port | str:
        """Find a port, or say why there is none."""
        name, text = device.lower(), interface.lower()
        fabric = self.plan.fabric
        if name in self.hosts:
            if text not in self.nics:
                return f"hosts have no interface `{interface}`: {suggest(text, self.nics) or 'theirs are ' + ', '.join(list(self.nics)[:4])}"
            gpu, plane = self.nics[text]
            return Nic(fabric.coordinates.host_gpu(self.hosts[name], gpu), plane)
        if name not in self.switches:
            return f"this inventory has no device `{device}`: {suggest(name, [*self.switches, *self.hosts]) or 'leave out what is not part of the fabric'}"
        segment, box = self.switches[name]
        role = self.plan.naming.boxes[box].role
        ports = self.ports[role, self.plan.port_layouts(segment)[role].nos]
        if text not in ports:
            return f"`{device}` is a {role} switch, and of its ports the inventory does not use `{interface}`"
        return Port(segment, box, ports[text])


def end_name(base: Plan, end: Nic | Port) -> str:
    """Name a port."""
    if isinstance(end, Nic):
        coordinates = base.fabric.coordinates
        interface = base.naming.interface(coordinates.host_slot(end.gpu), end.plane)
        return f"{base.hosts[coordinates.host(end.gpu)]} {interface}"
    port_layout = base.port_layouts(end.segment)[base.naming.boxes[end.box].role]
    return f"{base.naming.switches(end.segment)[end.box]} {port_layout.interface(base.ports[port_layout.role][end.port])}"

"""The ends of cables by device and interface name: NIC ports and switch ports.

Owns `PlanNames`, which knows every name that a cut sheet may use, and the way back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import suggest

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import PortLayout


class NicEnd(NamedTuple):
    """An end at a NIC port; `gpu` counts over all HB domains."""

    gpu: int
    plane: int


class SwitchEnd(NamedTuple):
    """An end at a switch: the segment, its box, and the port as `Plan.ports` counts."""

    segment: int
    box: int
    port: int


class PlanNames:
    """The names of devices and interfaces that a sheet may use for a plan, in lower case."""

    def __init__(self, plan: Plan) -> None:
        """Collect every planned switch, every installed host, and the interfaces of each."""
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
        """Return the ports of a box by interface, alias, and cage and position.

        Boxes of the highest tier may use any port.
        """
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

    def end(self, device: str, interface: str) -> NicEnd | SwitchEnd | str:
        """Return the port, or the reason why there is none."""
        name, text = device.lower(), interface.lower()
        fabric = self.plan.fabric
        if name in self.hosts:
            if text not in self.nics:
                known = "they have " + ", ".join(list(self.nics)[:4])
                return f"hosts have no interface `{interface}`: {suggest(text, self.nics) or known}"
            gpu, plane = self.nics[text]
            return NicEnd(fabric.coordinates.host_gpu(self.hosts[name], gpu), plane)
        if name not in self.switches:
            near = suggest(name, [*self.switches, *self.hosts])
            hint = near or "leave out what is not part of the fabric"
            return f"this inventory has no device `{device}`: {hint}"
        segment, box = self.switches[name]
        role = self.plan.naming.boxes[box].role
        ports = self.ports[role, self.plan.port_layouts(segment)[role].nos]
        if text not in ports:
            return f"`{device}` is a {role} switch, and the inventory does not use `{interface}`"
        return SwitchEnd(segment, box, ports[text])


def end_name(base: Plan, end: NicEnd | SwitchEnd) -> str:
    """Return the name of a port: device and interface."""
    if isinstance(end, NicEnd):
        coordinates = base.fabric.coordinates
        interface = base.naming.interface(coordinates.host_slot(end.gpu), end.plane)
        return f"{base.hosts[coordinates.host(end.gpu)]} {interface}"
    port_layout = base.port_layouts(end.segment)[base.naming.boxes[end.box].role]
    interface = port_layout.interface(base.ports[port_layout.role][end.port])
    return f"{base.naming.switches(end.segment)[end.box]} {interface}"

"""The management ports of switches with their names and addresses.

`planning.management_ports` decides which of them have a cable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.planning.management_ports import port_name, ports_of_role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.terms import Role
    from fabricgen.planning.plan import Plan


class ManagedPort(NamedTuple):
    """A management port with an address."""

    name: str
    switch: str
    interface: str
    """Its name in the network of its cable; empty without a cable."""
    address: int
    segment: int
    role: Role


def managed_ports(plan: Plan) -> Iterator[ManagedPort]:
    """Yield the management ports of each installed switch: those with a cable, else the first."""
    given, ports = plan.management, {role: ports_of_role(plan.fabric, role) for role in plan.roles}
    for segment in range(plan.mapping.segments if given else 0):
        switches = zip(plan.naming.boxes, plan.naming.switches(segment), strict=True)
        for at, (box, switch) in enumerate(switches):
            for number, port in enumerate(ports[box.role] or ("",) if plan.installed[at] else ()):
                name = port_name(switch, port) if number else switch
                address = int(given.port(number)[segment, at]) if given else 0
                yield ManagedPort(name, switch, port, address, segment, box.role)

"""The management ports of switches that have a cable, and their names.

Each has an address of its own, and the first one the name of its switch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.terms import COMPUTE
from fabricgen.inventory.networks import CONSOLE

if TYPE_CHECKING:
    from fabricgen.core.terms import Role
    from fabricgen.inventory.networks import Networks
    from fabricgen.planning.port_layout import PortLayout
    from fabricgen.planning.resolve import ResolvedFabric


def named_interfaces(prefix: str, ports: int) -> tuple[str, ...]:
    """Name the interfaces of a device on a network."""
    return tuple(f"{prefix}{number}" for number in range(ports))


def cabled_ports(layout: PortLayout, most: int | None) -> tuple[str, ...]:
    """Name the management ports of a switch that have a cable, `most` of them or all.

    A switch whose management ports are unknown has one, and a panel none.
    """
    facts = layout.model.management
    count = facts.count if facts else int(not layout.model.passive)
    return (("mgmt",) if count == 1 else named_interfaces("mgmt", count))[:most]


def most_cabled(networks: Networks, name: str) -> int | None:
    """Return how many management ports of each switch of a network have a cable; None for all."""
    if networks.management is None:
        return 0
    every = networks.every()
    if name not in {COMPUTE, CONSOLE} and every[name].kind == "access":
        return 0
    return every[networks.management].switch_ports


def ports_of_role(fabric: ResolvedFabric, role: Role) -> tuple[str, ...]:
    """Name the management ports of the switches of a role that have a cable."""
    network = fabric.network
    most = network.managed_ports if network else most_cabled(fabric.spec.networks, COMPUTE)
    return cabled_ports(fabric.port_layouts[role], most)


def port_name(switch: str, port: str) -> str:
    """Return the name of a management port that is not the first of its switch.

    >>> port_name("console-1", "mgmt1")
    'console-1-mgmt1'
    """
    return f"{switch}-{port}"

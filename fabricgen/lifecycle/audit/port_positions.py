"""The position of each port on its device, by any of the names under which devices report it.

Owns the names of a port: the interface, its front panel name (SONiC's alias), the print beside it
(`1/1`, as on labels and pull sheets), a NIC's Ethernet, InfiniBand and RDMA names, and the number
of an InfiniBand switch's port.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabricgen.core.terms import Role
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import PortLayout


class PortPosition(NamedTuple):
    """A port on its device: interface, cage, position from 0, ports of the cage, rank."""

    interface: str
    cage: int
    sub: int
    ports: int
    rank: int

    @property
    def printed(self) -> str:
        """The print beside a port of a switch: the cage, and the position where it is split."""
        return f"{self.cage}/{self.sub + 1}" if self.ports > 1 else str(self.cage)


class ClusterPositions:
    """The positions of the ports of all devices: of the compute fabric, and of its networks."""

    def __init__(self, plans: Sequence[Plan]) -> None:
        """Find the port layout of every switch; the first plan is that of the compute fabric."""
        each = [PortPositions(plan) for plan in plans]
        self._compute = each[0]
        self._of_switch = {name: own for own in each for name in own.layouts}

    def has_switch(self, device: str) -> bool:
        """Return whether a device is a switch of any network."""
        return device in self._of_switch

    def named(self, device: str) -> dict[str, PortPosition]:
        """Return the ports of a device by name."""
        return self._of_switch.get(device, self._compute).named(device)

    def printed(self, device: str) -> Mapping[str, PortPosition]:
        """Return the ports of a device by the print beside them."""
        return self._of_switch.get(device, self._compute).printed(device)


class PortPositions:
    """The positions of the ports of a plan's devices; `layouts` has those of each switch."""

    def __init__(self, plan: Plan) -> None:
        """Find the port layout of every switch."""
        self._plan = plan
        self.layouts: dict[str, PortLayout] = {}
        self._known: dict[tuple[Role, str], dict[str, PortPosition]] = {}
        self._prints: dict[tuple[Role, str], dict[str, PortPosition]] = {}
        for segment in range(plan.mapping.segments):
            layouts = plan.port_layouts(segment)
            self.layouts |= {
                name: layouts[box.role]
                for name, box in zip(plan.naming.switches(segment), plan.naming.boxes, strict=True)
            }

    def named(self, device: str) -> dict[str, PortPosition]:
        """Return the ports of a device by name."""
        port_layout = self.layouts.get(device)
        return self._nics if port_layout is None else self._ports(port_layout)

    def printed(self, device: str) -> Mapping[str, PortPosition]:
        """Return the ports of a device by the print beside them."""
        port_layout = self.layouts.get(device)
        if port_layout is None:
            return self._nics_by_print
        key = port_layout.role, port_layout.nos
        if key not in self._prints:
            self._prints[key] = {
                position.printed: position for position in self._ports(port_layout).values()
            }
        return self._prints[key]

    def _ports(self, port_layout: PortLayout) -> dict[str, PortPosition]:
        """Return the ports of a switch by each of their names, in the order of the front panel."""
        if (port_layout.role, port_layout.nos) not in self._known:
            used, names = self._plan.ports[port_layout.role], dict[str, PortPosition]()
            for rank, port in enumerate(
                sorted([*used, *port_layout.idle(used)], key=lambda port: (port.cage, port.sub))
            ):
                cage, sub, mode = port
                position = PortPosition(port_layout.interface(port), cage, sub, mode.count, rank)
                alias = (
                    port_layout.model.alias(port_layout.nos, cage, sub, mode) or position.interface
                )
                for name in (position.interface, alias, f"#{port_layout.number(port)}"):
                    names.setdefault(name, position)
            self._known[port_layout.role, port_layout.nos] = names
        return self._known[port_layout.role, port_layout.nos]

    @cached_property
    def _nics(self) -> dict[str, PortPosition]:
        """The NIC ports of a host by each of their names, or the usual names where unknown."""
        fabric, naming, found = self._plan.fabric, self._plan.naming, dict[str, PortPosition]()
        if fabric.split > 1:
            links = [naming.interface(*port) for port in self._split_ports]
            return {name: PortPosition(name, 0, 0, 1, rank) for rank, name in enumerate(links)}
        for gpu in range(fabric.host_gpus):
            for plane in range(fabric.planes):
                number = fabric.coordinates.nic(gpu, plane)
                position = PortPosition(naming.interface(gpu, plane), 0, 0, 1, number)
                other = fabric.host and fabric.host.port(gpu, plane)
                second = "" if plane == 0 else f"/{plane + 1}"
                given = fabric.rdma(gpu, plane)
                names = (
                    (other.ethernet, other.infiniband, given)
                    if other
                    else (given or f"mlx5_{gpu}{second}",)
                )
                for name in (position.interface, *names, *map(_older, filter(None, names))):
                    found.setdefault(name or position.interface, position)
        return found

    @cached_property
    def _nics_by_print(self) -> dict[str, PortPosition]:
        """The NIC ports of a host by the print beside them."""
        naming = self._plan.naming
        return {
            naming.label(*port): self._nics[naming.interface(*port)] for port in self._split_ports
        }

    @property
    def _split_ports(self) -> Iterator[tuple[int, int, int]]:
        """The links of the NIC ports of a host, as GPU, plane and link; one where none is split."""
        fabric = self._plan.fabric
        return product(range(fabric.host_gpus), range(fabric.planes), range(fabric.split))


def _older(name: str) -> str:
    """Return what older drivers call an adapter in descriptions: they count from 1.

    Recorded beside each other in one subnet: NVIDIA/topograph,
    tests/output/ibnetdiscover/example.out.

    >>> _older("mlx5_3"), _older("mlx5_0/2"), _older("enp24s0np0")
    ('HCA-4', 'HCA-1/2', '')
    """
    found = re.fullmatch(r"mlx\d_(\d+)(/\d+)?", name)
    return f"HCA-{int(found[1]) + 1}{found[2] or ''}" if found else ""

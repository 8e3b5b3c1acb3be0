"""A running lab of direct rails: its addresses, and the routes that every GPU's kernel must have.

The routes are computed from the wires alone: each GPU of a rail and plane, over all links that are
on a shortest path to it. `RunningLab` reads kernels, waits and sends packets.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.lab.direct.layout import DirectLayout
from fabricgen.lab.measure import RunningLab

if TYPE_CHECKING:
    from collections.abc import Collection

    from fabricgen.lab.measure import Routes

Graph = dict[str, list["Neighbor"]]
"""GPU -> its links on one plane that work."""


class Neighbor(NamedTuple):
    """A link of a GPU: its interface there, and the GPU at the far end."""

    interface: str
    gpu: str


@dataclass(frozen=True)
class DirectLab(RunningLab):
    """A running lab of direct rails with its measurements."""

    @cached_property
    def layout(self) -> DirectLayout:
        """What is booted."""
        layout = self.machines.layout
        if not isinstance(layout, DirectLayout):
            raise TypeError("the rails of this lab have switches")
        return layout

    @cached_property
    def switches(self) -> list[str]:
        """The routers: the GPUs."""
        return list(self.layout.gpus.values())

    @cached_property
    def planes(self) -> range:
        """The planes."""
        return range(self.layout.plan.fabric.planes)

    @cached_property
    def addresses(self) -> dict[str, dict[str, str]]:
        """The addresses of each GPU, by plane."""
        layout = self.layout
        address = layout.plan.addresses.direct_gpu
        return {
            name: {f"nic{plane}": address(gpu, plane) for plane in self.planes}
            for gpu, name in layout.gpus.items()
        }

    @cached_property
    def loopbacks(self) -> dict[str, str]:
        """No switches."""
        return {}

    @cached_property
    def owner(self) -> dict[str, str]:
        """The GPU of each address in a packet's record: its own, or those of links."""
        owner = {own: gpu for gpu, ports in self.addresses.items() for own in ports.values()}
        for wire in self.layout.wires:
            owner |= {wire.a_address: wire.a}
            owner |= {wire.b_address: wire.b} if wire.label else {}
        return owner

    @cached_property
    def fabric_ports(self) -> dict[str, list[str]]:
        """The links of each GPU."""
        return {
            gpu: [name for name, end in self.machines.ends[gpu].items() if end.wire.label]
            for gpu in self.switches
        }

    @cached_property
    def host_sessions(self) -> dict[str, int]:
        """No sessions with hosts: all of BGP is between GPUs."""
        return dict.fromkeys(self.switches, 0)

    def graph(self, plane: int, dead: Collection[str] = ()) -> Graph:
        """Return the links of a plane that work."""
        found: Graph = defaultdict(list)
        working = (each for each in self.layout.wires if each.label and each.label not in dead)
        for wire in working:
            if wire.a_interface.startswith(f"nic{plane}s"):
                found[wire.a].append(Neighbor(wire.a_interface, wire.b))
                found[wire.b].append(Neighbor(wire.b_interface, wire.a))
        return found

    def expected(self, dead: Collection[str] = ()) -> dict[str, Routes]:
        """Return the BGP routes that every GPU must have despite some failures of links."""
        routes: dict[str, Routes] = {name: {} for name in self.switches}
        for plane in self.planes:
            graph = self.graph(plane, dead)
            for target in self.switches:
                prefix, steps = self.addresses[target][f"nic{plane}"], steps_to(graph, target)
                for gpu in steps:
                    if self.layout.same_domain(gpu, target):  # over the HB domain, without BGP
                        continue
                    routes[gpu][prefix] = frozenset(
                        link.interface for link in graph[gpu] if steps[link.gpu] < steps[gpu]
                    )
        return routes


def steps_to(graph: Graph, target: str) -> dict[str, int]:
    """Return the links on a shortest path from each GPU that reaches another.

    >>> graph = {"a": [Neighbor("nic0s0", "b")], "b": [Neighbor("nic0s1", "a")]}
    >>> steps_to(graph, "b")
    {'b': 0, 'a': 1}
    """
    steps, level = {target: 0}, [target]
    while level:
        beyond = dict.fromkeys(link.gpu for gpu in level for link in graph[gpu])
        level = [gpu for gpu in beyond if gpu not in steps]
        steps |= dict.fromkeys(level, max(steps.values()) + 1)
    return steps

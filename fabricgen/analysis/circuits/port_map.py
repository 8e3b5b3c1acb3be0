"""The ports of the boxes of a rail: the box and the port where each GPU ends, on each plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import LinkKind, Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.circuits.matchings import Pair
    from fabricgen.analysis.circuits.schedule import Configuration, Schedule
    from fabricgen.planning.plan import Plan


class CircuitPort(NamedTuple):
    """A port of a box, and the GPU that ends there.

    `cage` is the number of the port, and `number` that of the GPU.
    """

    box: str
    port: str
    gpu: str
    cage: int
    number: int


class Circuit(NamedTuple):
    """Two ports that a box joins, the lower position in the rail first."""

    low: CircuitPort
    high: CircuitPort


class PortMap:
    """The ports of one fabric by GPU and plane."""

    def __init__(self, plan: Plan) -> None:
        """Look up the port of every NIC port."""
        self.plan = plan
        self._ports: dict[tuple[int, int], CircuitPort] = {}
        coordinates, mapping, links = plan.fabric.coordinates, plan.mapping, plan.segment
        for segment in range(mapping.segments):
            boxes = plan.naming.switches(segment)
            names = plan.interfaces(segment)[Role.LEAF]
            plane = mapping.plane(segment)
            for at in range(len(links.kind)):
                if links.kind[at] != LinkKind.HOST:
                    continue
                gpu = int(mapping.lower_gpu(segment, int(links.lower[at]), int(links.block[at])))
                self._ports[gpu, plane] = CircuitPort(
                    str(boxes[int(links.upper[at])]),
                    names[int(links.upper_port[at])],
                    coordinates.name(gpu),
                    plan.ports[Role.LEAF][int(links.upper_port[at])].cage,
                    gpu,
                )

    def ports(self) -> list[CircuitPort]:
        """Return all ports, in order of GPUs."""
        return [self._ports[key] for key in sorted(self._ports)]

    def port(self, gpu: int, plane: int) -> CircuitPort:
        """Return the port of a NIC port."""
        return self._ports[gpu, plane]

    def circuits(self, schedule: Schedule, found: Configuration) -> Iterator[Circuit]:
        """Yield the circuits of a configuration on all rails of the job."""
        for rail in schedule.rails:
            for plane, pairs in enumerate(found.planes):
                yield from self.of_rail(schedule, rail, plane, pairs)

    def of_rail(
        self, schedule: Schedule, rail: int, plane: int, pairs: tuple[Pair, ...]
    ) -> Iterator[Circuit]:
        """Yield the circuits that join pairs of positions of a rail."""
        gpus = schedule.gpus(rail).tolist()
        for low, high in pairs:
            yield Circuit(self.port(gpus[low], plane), self.port(gpus[high], plane))

"""Makes the views of circuits: those of the AllReduce of all GPUs."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.core.terms import Role
from fabricgen.outputs.circuits.view import (
    BoxCircuitsView,
    BoxConfiguration,
    CircuitChangeRow,
    CircuitPortRow,
    CircuitRow,
    CircuitsView,
    PortPair,
)

if TYPE_CHECKING:
    from fabricgen.analysis.circuits.port_map import PortMap
    from fabricgen.analysis.circuits.schedule import Schedule


class CircuitFiles:
    """The views of the circuits of a schedule."""

    def __init__(self, schedule: Schedule, ports: PortMap) -> None:
        """Look up the circuits of every configuration."""
        self.schedule, self.ports = schedule, ports

    @cached_property
    def rows(self) -> list[CircuitRow]:
        """The circuits of every configuration."""
        return [
            CircuitRow(found.number, found.phase, low.box, low.port, high.port, low.gpu, high.gpu)
            for found in self.schedule.configurations
            for low, high in self.ports.circuits(self.schedule, found)
        ]

    @cached_property
    def boxes(self) -> dict[str, BoxCircuitsView]:
        """The configurations of each box, by its name."""
        pairs: dict[tuple[str, int], list[PortPair]] = defaultdict(list)
        model = self.schedule.plan.fabric.port_layouts[Role.LEAF].model
        for found in self.schedule.configurations:
            for low, high in self.ports.circuits(self.schedule, found):
                outputs = (low.cage + model.cages, high.cage + model.cages)
                pairs[low.box, found.number].append(PortPair(low.port, high.port, *outputs))
        return {
            box: _view(box, model.model, self._of_box(box, pairs))
            for box in dict.fromkeys(port.box for port in self.ports.ports())
        }

    def _of_box(
        self, box: str, pairs: dict[tuple[str, int], list[PortPair]]
    ) -> list[BoxConfiguration]:
        """Return the configurations of one box, with the fewest changes between them."""
        found = self.schedule.configurations
        before = found[-1].number if len(found) > 1 else 0
        configurations = []
        for each in found:
            old, new = pairs.get((box, before), []), pairs.get((box, each.number), [])
            kept = set(old) & set(new)
            configurations.append(
                BoxConfiguration(
                    each.number,
                    each.phase,
                    new,
                    [pair for pair in old if pair not in kept],
                    [pair for pair in new if pair not in kept],
                )
            )
            before = each.number
        return configurations

    @cached_property
    def view(self) -> CircuitsView:
        """The tables."""
        return CircuitsView(
            [CircuitPortRow(port.box, port.port, port.gpu) for port in self.ports.ports()],
            self.rows,
            [change for box in self.boxes.values() for change in _changes(box)],
        )


def _view(name: str, model: str, found: list[BoxConfiguration]) -> BoxCircuitsView:
    """Return the view of a box, with the steps that set its configurations one by one."""
    start = [each._replace(removed=[], added=each.circuits) for each in found[:1]]
    again = found[:1] if len(found) > 1 else []
    return BoxCircuitsView(name, model, found, [*start, *found[1:], *again])


def _changes(box: BoxCircuitsView) -> list[CircuitChangeRow]:
    """List the changes of a box from each configuration to the next."""
    numbers = [each.number for each in box.configurations]
    return [
        CircuitChangeRow(before, each.number, box.name, action, pair.a, pair.b)
        for before, each in zip(numbers[-1:] + numbers, box.configurations, strict=False)
        for action, pairs in (("remove", each.removed), ("add", each.added))
        for pair in pairs
    ]

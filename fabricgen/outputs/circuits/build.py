"""Makes the views of the circuits of a job."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.analysis.circuits.result import result_of
from fabricgen.core.terms import Role
from fabricgen.outputs.circuits.view import (
    BoxCircuitsView,
    BoxConfiguration,
    CircuitChangeRow,
    CircuitPortRow,
    CircuitRow,
    CircuitSetRow,
    CircuitsView,
    CordRow,
    PortPair,
)
from fabricgen.planning.patch_cords import cord_length, cord_of, panel_cords

if TYPE_CHECKING:
    from collections.abc import Iterator

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

    @property
    def sets(self) -> list[CircuitSetRow]:
        """The configurations, and what each joins."""
        result = result_of(self.schedule)
        turns = {phase.name: phase.turns for phase in result.phases}
        known = "" if result.switching_ms is None else f"{result.switching_ms:g}"
        return [
            CircuitSetRow(
                configuration=each.number,
                phase=each.phase,
                turns=turns[each.phase],
                circuits=each.circuits,
                added=each.added,
                removed=each.removed,
                kept=each.kept,
                change_ms=known if each.added or each.removed else "0",
                joined_pct=f"{each.reach.joined_pct:.4g}",
                relays=each.reach.relays,
                lost_with_box=each.lost_with_box,
            )
            for each in result.configurations
        ]

    @cached_property
    def view(self) -> CircuitsView:
        """The tables."""
        return CircuitsView(
            self.sets,
            [CircuitPortRow(port.box, port.port, port.gpu) for port in self.ports.ports()],
            self.rows,
            [change for box in self.boxes.values() for change in _changes(box)],
            [*self._cords()],
        )

    def _cords(self) -> Iterator[CordRow]:
        """Yield the cords of each panel in each configuration."""
        for number, name, cords in panel_cords(self.ports.plan):
            yield from self._of_panel(self.boxes[name], cords, number)

    def _of_panel(self, box: BoxCircuitsView, cords: list[str], number: int) -> Iterator[CordRow]:
        """Yield the cords of a panel, by its number among all boxes."""
        plan, cable, rack, unit = self.ports.plan, cord_of(self.ports.plan), "", ""
        length_m = cord_length(plan)
        if plan.lengths:
            room, device = plan.lengths.room, plan.lengths.room.hosts + number
            rack = room.names[int(room.positions.rack[device])]
            unit = str(room.positions.rack_unit[device])
        for configuration, plugged in _plugged(box, cords):
            ports = {cord: pair for pair, cord in plugged.items()}
            for cord in cords:
                a_port, b_port = ports.get(cord, ("", ""))
                yield CordRow(
                    configuration=configuration,
                    cord=cord,
                    part=cable.model if cable else "",
                    length_m=length_m,
                    box=box.name,
                    rack=rack,
                    unit=unit,
                    a_port=a_port,
                    b_port=b_port,
                )


def _plugged(
    box: BoxCircuitsView, cords: list[str]
) -> Iterator[tuple[int, dict[tuple[str, str], str]]]:
    """Yield the number of each configuration of a box, and the cord of each pair of ports."""
    held: dict[tuple[str, str], str] = {}
    for each in box.configurations:
        pairs = [(pair.a, pair.b) for pair in each.circuits]
        held = {pair: cord for pair, cord in held.items() if pair in pairs}
        free = (cord for cord in cords if cord not in {*held.values()})
        new = [pair for pair in pairs if pair not in held]
        held |= dict(zip(new, [*free], strict=False))
        yield each.number, held


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

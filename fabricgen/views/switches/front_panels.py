"""The front panel of a switch: its cages with their split, and its ports without a cable."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

from fabricgen.core.terms import speed_text
from fabricgen.planning.networks.shared_leaves import ports_with
from fabricgen.planning.switch_ports import port_set_of, port_sets
from fabricgen.views.switches.facts import cage_facts
from fabricgen.views.switches.ports import facts_of
from fabricgen.views.switches.view import CageView, IdlePort

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.core.terms import Role
    from fabricgen.planning.port_layout import Port, PortLayout
    from fabricgen.views.switches.ports import PortFacts, Ports
    from fabricgen.views.switches.view import PortView


_Kind = tuple["Role", int]
"""What boxes with the same planned ports have in common: their role and their set of ports."""


class FrontPanels:
    """Makes the views of the front panels of one plan's switches."""

    def __init__(self, ports: Ports) -> None:
        """Keep the ports of the plan."""
        self.plan, self.ports = ports.plan, ports
        self._open = cache(self._open_ports)  # few sets of ports in use, and many switches

    def of(
        self, index: int, ports: Sequence[PortView], devices: tuple[Port, ...]
    ) -> tuple[list[IdlePort], list[CageView]]:
        """Return the ports without a cable and the cages of a box with some ports in use.

        `devices` are the places of those that lead to devices.
        """
        kind = self._kinds[index]
        idle, cages = self._unused(kind, devices) if devices else self.idle[kind]
        if devices or len(ports) < len(self._planned[kind]):
            idle = self._open(kind, frozenset(port.interface for port in ports), devices)
        return idle, cages

    def _open_ports(
        self, kind: _Kind, used: frozenset[str], devices: tuple[Port, ...]
    ) -> list[IdlePort]:
        """List the ports without a cable of a box that uses some planned ones.

        They are in the order of the front panel.
        """
        idle = self._unused(kind, devices)[0] if devices else self.idle[kind][0]
        every, kept = self.ports.facts[kind[0]], {*ports_with(self._ports(kind), devices)}
        planned = [
            self._idle_port(every[at])
            for at, port in zip(self._planned[kind], self._ports(kind), strict=True)
            if every[at].interface not in used and port in kept
        ]
        return sorted([*planned, *idle], key=lambda port: (port.cage, port.subport))

    @cached_property
    def idle(self) -> dict[_Kind, tuple[list[IdlePort], list[CageView]]]:
        """The idle ports and the cages of each kind of box without devices."""
        return {kind: self._unused(kind, ()) for kind in self._planned}

    @cached_property
    def _kinds(self) -> list[_Kind]:
        """The kind of each box of a segment."""
        boxes = self.plan.naming.boxes
        sets = port_set_of(self.plan.mapping, boxes)
        return [(box.role, number) for box, number in zip(boxes, sets, strict=True)]

    @cached_property
    def _planned(self) -> dict[_Kind, list[int]]:
        """The planned ports of each kind of box, by their number among those of the role."""
        return {
            (role, number): own
            for role, ports in self.plan.ports.items()
            for number, own in enumerate(port_sets(self.plan.mapping, role, len(ports)))
        }

    def _ports(self, kind: _Kind) -> list[Port]:
        """Return the planned ports of a kind of box."""
        return [*map(self.plan.ports[kind[0]].__getitem__, self._planned[kind])]

    def _unused(
        self, kind: _Kind, devices: tuple[Port, ...]
    ) -> tuple[list[IdlePort], list[CageView]]:
        """Return the idle ports and the cages of a box with devices at some ports."""
        port_layout = self.plan.fabric.port_layouts[kind[0]]
        used = ports_with(self._ports(kind), devices)
        rest = port_layout.idle(used)
        return (
            [self._idle_port(facts_of(port_layout, port)) for port in rest],
            _cages(port_layout, [*used, *rest]),
        )

    def _idle_port(self, fact: PortFacts) -> IdlePort:
        """Return the view of a port without a cable."""
        network = self.plan.fabric.network
        uplinks = network.uplinks if network else ()
        return IdlePort(*fact[:7], uplink=fact.interface in uplinks)


def _cages(port_layout: PortLayout, ports: list[Port]) -> list[CageView]:
    """List the cages with their split."""
    splits = {port.cage: port.breakout for port in ports}
    views = []
    for cage in sorted(splits):
        mode, every = splits[cage], port_layout.model.breakouts_of(cage)
        whole = next((other for other in every if other.count == 1), None)
        first = port_layout.model.interface(port_layout.nos, cage, 0, mode)
        unsplit = port_layout.model.interface(port_layout.nos, cage, 0, whole) if whole else first
        views.append(
            CageView(
                cage=cage,
                interface=first,
                whole=unsplit,
                breakout=mode.name,
                count=mode.count,
                facts=cage_facts(port_layout, mode.name),
                split=mode.count > 1,
                speed=speed_text(mode.speed_gbps),
                lane_count=mode.lanes,
            )
        )
    return views

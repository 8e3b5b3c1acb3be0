"""The front panel of a switch: its cages with their split, and its ports without a cable."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

from fabricgen.core.terms import speed_text
from fabricgen.planning.networks.shared_leaves import ports_with
from fabricgen.views.switches.facts import cage_facts
from fabricgen.views.switches.ports import facts_of
from fabricgen.views.switches.view import CageView, IdlePort

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.core.terms import Role
    from fabricgen.planning.port_layout import Port, PortLayout
    from fabricgen.views.switches.ports import PortFacts, Ports
    from fabricgen.views.switches.view import PortView


class FrontPanels:
    """Makes the views of the front panels of one plan's switches."""

    def __init__(self, ports: Ports) -> None:
        """Keep the ports of the plan."""
        self.plan, self.ports = ports.plan, ports
        self._open = cache(self._open_ports)  # few sets of ports in use, and many switches

    def of(
        self, role: Role, ports: Sequence[PortView], devices: tuple[Port, ...]
    ) -> tuple[list[IdlePort], list[CageView]]:
        """Return the ports without a cable and the cages of a box with some ports in use.

        `devices` are the places of those that lead to devices.
        """
        idle, cages = self._unused(role, devices) if devices else self.idle[role]
        if devices or len(ports) < len(self.ports.facts[role]):
            idle = self._open(role, frozenset(port.interface for port in ports), devices)
        return idle, cages

    def _open_ports(
        self, role: Role, used: frozenset[str], devices: tuple[Port, ...]
    ) -> list[IdlePort]:
        """List the ports without a cable of a box that uses some planned ones.

        They are in the order of the front panel.
        """
        idle = self._unused(role, devices)[0] if devices else self.idle[role][0]
        kept = {*ports_with(self.plan.ports[role], devices)}
        planned = [
            self._idle_port(fact)
            for fact, port in zip(self.ports.facts[role], self.plan.ports[role], strict=True)
            if fact.interface not in used and port in kept
        ]
        return sorted([*planned, *idle], key=lambda port: (port.cage, port.subport))

    @cached_property
    def idle(self) -> dict[Role, tuple[list[IdlePort], list[CageView]]]:
        """The idle ports and the cages of each role's box without devices."""
        return {role: self._unused(role, ()) for role in self.plan.ports}

    def _unused(
        self, role: Role, devices: tuple[Port, ...]
    ) -> tuple[list[IdlePort], list[CageView]]:
        """Return the idle ports and the cages of a box with devices at some ports."""
        port_layout = self.plan.fabric.port_layouts[role]
        used = ports_with(self.plan.ports[role], devices)
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

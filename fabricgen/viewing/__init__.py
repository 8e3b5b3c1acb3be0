"""From a plan to the views of its cables and switches, unit by unit.

Owns `Views`, which also knows the rails whose switches run another NOS. `ports` owns what is the same in every unit, `cables` and `switches` make
the views. The shapes stand in `fabricgen.views`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.terms import ROLES, Role
from fabricgen.viewing.cables import CableViews
from fabricgen.viewing.ports import PortFacts, Ports, vrf_name
from fabricgen.viewing.switches import SwitchViews

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.planner import Plan
    from fabricgen.views import CableView, SwitchView

__all__ = ["Views", "vrf_name"]


class Views:
    """Makes the views of one plan, unit by unit; what is the same in every unit is worked out once."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan; nothing is made before it is asked for."""
        self.plan, self._ports = plan, Ports(plan)
        self._cables, self._switches = CableViews(self._ports), SwitchViews(self._ports)

    @property
    def facts(self) -> dict[Role, list[PortFacts]]:
        """The ports of each role's box, in the order of `Plan.ports`."""
        return self._ports.facts

    def prepare(self) -> None:
        """Work out now what all units share; workers that are forked afterwards inherit it."""
        _ = self._ports.facts, self._ports.host_interfaces, self.plan.hosts
        self._cables.prepare()
        self._switches.prepare()
        for views in self._spoken.values():
            views.prepare()

    def cables(self, unit: int, start: int = 0, stop: int | None = None) -> list[CableView]:
        """Return the cables of one unit, or a run of them, in the order of `Plan.unit`."""
        own = self._of(unit)
        return self._cables.cables(unit, start, stop) if own is self else own.cables(unit, start, stop)

    def switches(self, unit: int, roles: tuple[Role, ...] = ROLES, boxes: Sequence[int] | None = None) -> Iterator[SwitchView]:
        """Make the view of every installed switch of a unit, or of those at `boxes` of `Naming.boxes`."""
        own = self._of(unit)
        return self._switches.switches(unit, roles, boxes) if own is self else own.switches(unit, roles, boxes)

    @cached_property
    def _spoken(self) -> dict[int, Views]:
        """What makes the views of the rails whose switches run another NOS."""
        return {rail: Views(self.plan.speaking(rail)) for rail in self.plan.request.spoken}

    def _of(self, unit: int) -> Views:
        """Return what makes the views of a unit."""
        return self._spoken.get(self.plan.mapping.rail(unit) or 0, self) if self.plan.request.spoken else self
